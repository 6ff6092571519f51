package main_test

import (
	"encoding/json"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/ragomega/ragomega/fixtures"
)

// block is a fenced block of a page: a file to write, named behind the language, or
// commands and what they print.
var block = regexp.MustCompile("(?ms)^```(\\w+)(?: ([\\w./-]+))?\n(.*?)^```$")

// The page about test-driven changes is run from its top to its end: its files are
// written where they stand, its commands print what it shows. UPDATE_MESSAGES=1
// writes what they print.
func TestWalkthrough(t *testing.T) {
	g := NewWithT(t)
	const file = "../../docs/tdd.md"
	text, err := os.ReadFile(file)
	g.Expect(err).NotTo(HaveOccurred())
	page := strings.ReplaceAll(string(text), "\r\n", "\n")
	server := ferryServer(t)
	m := newModule(t, nil)
	m.env = append(m.env, "OPENAI_BASE_URL="+server.BaseURL(),
		"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.com", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.com", "GIT_CONFIG_GLOBAL="+os.DevNull)
	m.write(".gitignore", "go.mod\ngo.sum\n")
	asked := map[string]int{} // by command
	was := page
	page = block.ReplaceAllStringFunc(page, func(b string) string {
		of := block.FindStringSubmatch(b)
		switch {
		case of[2] != "":
			m.write(of[2], of[3])
		case of[1] == "console":
			command, _, _ := strings.Cut(strings.TrimPrefix(of[3], "$ "), "\n")
			before := len(server.Requests())
			out, _ := m.run("bash", "-c", command)
			asked[command] = len(server.Requests()) - before
			if out = steady(out, m.dir); out != "" && !strings.HasSuffix(out, "\n") {
				out += "\n"
			}
			return "```console\n$ " + command + "\n" + out + "```"
		}
		return b
	})
	// What the page says of the numbers, counted at the server: the edit of the prompt
	// asks for five answers, and for the claims and verdicts of the one that changed.
	g.Expect(asked).To(HaveKeyWithValue("go test -v -count=1 . | grep -E '^(---|ok|ragtest)'", 5+2))
	if os.Getenv("UPDATE_MESSAGES") != "" {
		g.Expect(os.WriteFile(file, []byte(page), 0o644)).To(Succeed())
		return
	}
	g.Expect(page).To(Equal(was))
}

var (
	took    = regexp.MustCompile(`\(?\b\d+\.\d+s\)?`)
	seconds = regexp.MustCompile(` and \d+ s of judging`)
	line    = regexp.MustCompile(`_test\.go:\d+`)
)

// steady takes out of what was printed what differs from run to run.
func steady(out, dir string) string {
	out = strings.ReplaceAll(out, dir+string(os.PathSeparator), "")
	out = seconds.ReplaceAllString(took.ReplaceAllString(out, ""), "")
	lines := strings.Split(line.ReplaceAllString(out, "_test.go:1"), "\n")
	for i, l := range lines {
		lines[i] = strings.TrimRight(l, " \t")
	}
	return strings.Join(lines, "\n")
}

// ferryServer plays both models: the help desk's, which makes things up unless it is
// told not to, and a judge that looks whether the documents have a claim's words.
func ferryServer(t *testing.T) *fixtures.Judge {
	answers := map[string]string{
		"When do ferries to Tolma leave?":   "Ferries to Tolma leave at 7 a.m. and at 5 p.m.",
		"What does a ticket to Tolma cost?": "A ticket to Tolma costs 12 euros.",
		"Do children travel free?":          "Children under six travel free.",
		"What do bicycles cost?":            "Bicycles cost 4 euros.",
		"Do dogs travel free?":              "Dogs travel free on deck.",
	}
	return fixtures.NewJudge(t).Otherwise(func(r fixtures.Request) fixtures.Reply {
		var data struct {
			Text      string            `json:"text"`
			Documents []string          `json:"documents"`
			Claims    map[string]string `json:"claims"`
		}
		switch r.Step {
		case "":
			messages := r.Messages()
			lines := strings.Split(messages[1].Content, "\n")
			question := lines[len(lines)-1]
			answer := answers[question]
			if strings.Contains(question, "dogs") && !strings.Contains(messages[0].Content, "only what the documents say") {
				answer += " They have to wear a muzzle."
			}
			return fixtures.Text(answer)
		case "claims":
			if err := r.Data(&data); err != nil {
				break
			}
			claims := slices.DeleteFunc(strings.SplitAfter(data.Text, ". "), func(c string) bool { return c == "" })
			for i := range claims {
				claims[i] = strings.TrimSpace(claims[i])
			}
			if strings.Contains(data.Text, "a.m.") {
				claims = []string{data.Text} // no end of a sentence
			}
			return fixtures.Claims(claims...)
		case "verify":
			if err := r.Data(&data); err != nil {
				break
			}
			said := map[string]any{}
			for number, claim := range data.Claims {
				if strings.Contains(strings.Join(data.Documents, " "), strings.TrimSuffix(claim, ".")) {
					said[number] = map[string]any{"reason": "The documents say so.", "supported": true}
				} else {
					said[number] = map[string]any{"reason": "No document says so.", "supported": false}
				}
			}
			reply, _ := json.Marshal(said) // texts and booleans always can
			return fixtures.Text(string(reply))
		}
		return fixtures.Error(http.StatusBadRequest, "not_scripted", r.Step)
	})
}
