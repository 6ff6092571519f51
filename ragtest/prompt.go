package ragtest

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"
)

// prompt is the instruction of one step. A version that was released never
// changes, as recordings were made with it; a better text is a new version.
type prompt struct {
	name    string
	version int // of the instruction, and of the form of the reply
	text    string
	label   string // in place of name and version; may be empty
}

//go:embed prompts/*.txt
var promptFiles embed.FS

var readPrompt = promptFiles.ReadFile

// ErrNoPrompt: a judge was given the name of a prompt that this release does not
// have.
var ErrNoPrompt = errors.New("no such prompt")

// current are the versions that a judge uses unless it is pinned to others.
var current = map[string]int{
	"accuracy":              1,
	"accuracy_swapped":      1,
	"aspect":                1,
	"claims":                2,
	"claims_coarse":         1,
	"claims_main":           1,
	"claims_main_coarse":    1,
	"classification":        1,
	"compare":               1,
	"criteria":              1,
	"entities":              1,
	"groundedness":          1,
	"groundedness_reworded": 1,
	"keyphrases":            1,
	"questions":             1,
	"quiz":                  1,
	"quiz_answers":          1,
	"refusals":              1,
	"relevance":             1,
	"relevance_reworded":    1,
	"rubric":                1,
	"topics":                1,
	"useful":                1,
	"verify":                2,
}

// loaded are the prompts that were read: they are needed with every request.
var loaded sync.Map // prompt by file

// loadPrompt returns prompts/<name>.v<version>.txt. Line ends of a checkout do
// not matter.
func loadPrompt(name string, version int) (prompt, error) {
	file := fmt.Sprintf("prompts/%s.v%d.txt", name, version)
	if p, ok := loaded.Load(file); ok {
		return p.(prompt), nil
	}
	b, err := readPrompt(file)
	if err != nil {
		return prompt{}, fmt.Errorf("%w: %s/v%d", ErrNoPrompt, name, version)
	}
	text := strings.TrimSpace(strings.ReplaceAll(string(b), "\r\n", "\n"))
	p := prompt{name: name, version: version, text: text}
	loaded.Store(file, p)
	return p, nil
}

// String names the prompt as recordings do: "verify/v2".
func (p prompt) String() string {
	if p.label != "" {
		return p.label
	}
	return fmt.Sprintf("%s/v%d", p.name, p.version)
}

// spell writes data as the prompt's examples have it, with a space behind commas
// and colons: small models judge worse where the two differ. Recordings were made
// with the first two prompts without.
func (p prompt) spell(data []byte) string {
	if p.version == 1 && (p.name == "claims" || p.name == "verify") {
		return string(data)
	}
	var b strings.Builder
	b.Grow(len(data) + len(data)/16)
	inText := false
	for i, c := range data {
		b.WriteByte(c)
		switch {
		case c == '"' && !(inText && escaped(data[:i])):
			inText = !inText
		case !inText && (c == ',' || c == ':'):
			b.WriteByte(' ')
		}
	}
	return b.String()
}

// escaped reports whether an odd number of backslashes ends text.
func escaped(text []byte) bool {
	return (len(text)-len(bytes.TrimRight(text, `\`)))%2 == 1
}

// shows reports whether the prompt has the text as an example: a judge that
// replies with it has copied, not judged.
func (p prompt) shows(text string) bool {
	text = strings.TrimSpace(text)
	return text == "..." || utf8.RuneCountInString(text) >= 12 && strings.Contains(p.text, text)
}

// pin is the choice of a prompt, as the user wrote it.
type pin struct {
	prompt string
	text   string // in place of the prompt's; "" leaves it
}

// Pinned returns a copy of j that uses these versions of prompts, named as in
// recordings and messages, whatever versions later releases prefer:
//
//	ragtest.OpenAI("gpt-4o-mini-2024-07-18").Pinned("claims/v1", "verify/v1")
//
// A version that was released stays in all later ones. A name that is none is
// an [ErrNoPrompt] of every measurement.
func (j *Judge) Pinned(prompts ...string) *Judge {
	c := *j
	c.pins = append([]pin{}, j.pins...)
	for _, p := range prompts {
		c.pins = append(c.pins, pin{prompt: p})
	}
	return &c
}

// Prompted returns a copy of j that gives the judge your text in place of that
// of a prompt, such as a translation. The prompt is named with its version, as
// the reply keeps that version's form: read the original in the folder prompts
// before you write another.
//
//	ragtest.OpenAI("gpt-4o-mini-2024-07-18").Prompted("verify/v2", "あなたは…")
func (j *Judge) Prompted(prompt, text string) *Judge {
	c := *j
	c.pins = append(append([]pin{}, j.pins...), pin{prompt, strings.TrimSpace(text)})
	return &c
}

// prompt returns the instruction of a step: the version or text that was chosen
// last, or the current one. All choices are looked at, so that one that is none
// is found before anything is asked.
func (j *Judge) prompt(name string) (prompt, error) {
	chosen, err := loadPrompt(name, current[name])
	for _, pin := range j.pins {
		n, v, ok := strings.Cut(pin.prompt, "/v")
		number, notNumber := strconv.Atoi(v)
		if !ok || notNumber != nil || current[n] == 0 {
			return prompt{}, fmt.Errorf("%w: %q, expected a name such as %s/v%d", ErrNoPrompt, pin.prompt, name, current[name])
		}
		p, notFound := loadPrompt(n, number)
		if notFound != nil {
			return prompt{}, notFound
		}
		if pin.text != "" {
			p.label, p.text = p.String()+" (own)", pin.text
		}
		if n == name {
			chosen = p
		}
	}
	return chosen, err
}
