package ragtest

import (
	"embed"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// prompt is the instruction of one step. A version that was released never
// changes, as recordings were made with it; a better text is a new version.
type prompt struct {
	name    string
	version int
	text    string
}

//go:embed prompts/*.txt
var promptFiles embed.FS

var readPrompt = promptFiles.ReadFile

// ErrNoPrompt: a judge was pinned to a prompt that this release does not have.
var ErrNoPrompt = errors.New("no such prompt")

// current are the versions that a judge uses unless it is pinned to others.
var current = map[string]int{"claims": 1, "verify": 1}

// loadPrompt reads prompts/<name>.v<version>.txt. Line ends of a checkout do not
// matter.
func loadPrompt(name string, version int) (prompt, error) {
	b, err := readPrompt(fmt.Sprintf("prompts/%s.v%d.txt", name, version))
	if err != nil {
		return prompt{}, fmt.Errorf("%w: %s/v%d", ErrNoPrompt, name, version)
	}
	text := strings.TrimSpace(strings.ReplaceAll(string(b), "\r\n", "\n"))
	return prompt{name, version, text}, nil
}

// String names the prompt as recordings do: "verify/v1".
func (p prompt) String() string { return fmt.Sprintf("%s/v%d", p.name, p.version) }

// Pinned returns a copy of j that uses these versions of prompts, named as in
// recordings and messages, whatever versions later releases prefer:
//
//	ragtest.OpenAI("gpt-4o-mini-2024-07-18").Pinned("claims/v1", "verify/v1")
//
// A version that was released stays in all later ones. A name that is none is
// an [ErrNoPrompt] of every measurement.
func (j *Judge) Pinned(prompts ...string) *Judge {
	c := *j
	c.pins = append(append([]string{}, j.pins...), prompts...)
	return &c
}

// prompt returns the instruction of a step: the pinned version, the last one
// pinned if there are several, or the current one.
func (j *Judge) prompt(name string) (prompt, error) {
	version := current[name]
	for _, pin := range j.pins {
		n, v, ok := strings.Cut(pin, "/v")
		number, err := strconv.Atoi(v)
		if !ok || err != nil || current[n] == 0 {
			return prompt{}, fmt.Errorf("%w: %q, expected a name such as %s/v%d", ErrNoPrompt, pin, name, version)
		}
		if n == name {
			version = number
		}
	}
	return loadPrompt(name, version)
}
