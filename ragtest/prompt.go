package ragtest

import (
	"embed"
	"fmt"
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

// loadPrompt reads prompts/<name>.v<version>.txt. Line ends of a checkout do not
// matter.
func loadPrompt(name string, version int) prompt {
	b, err := promptFiles.ReadFile(fmt.Sprintf("prompts/%s.v%d.txt", name, version))
	if err != nil {
		panic(err) // the file is part of the program
	}
	text := strings.TrimSpace(strings.ReplaceAll(string(b), "\r\n", "\n"))
	return prompt{name, version, text}
}

// String names the prompt as recordings do: "verify/v1".
func (p prompt) String() string { return fmt.Sprintf("%s/v%d", p.name, p.version) }

var (
	claimsPrompt = loadPrompt("claims", 1)
	verifyPrompt = loadPrompt("verify", 1)
)
