package ragtest_test

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/ragomega/ragomega/fixtures"
	"github.com/ragomega/ragomega/ragtest"
)

// released are the SHA-256 of the prompts that were released. An entry is never
// changed or removed: recordings were made with that text. A better prompt is a
// new file and a new line.
var released = map[string]string{
	"claims.v1.txt": "e47f36b539dac7a2f3e754649841128250f669426b7bc80f44cb97b91e44e728",
	"verify.v1.txt": "7dd843052df5840251bb07b4bcb44243301da8cfe9db0f65c15bf559e99e5e75",
}

func TestReleasedPromptsDoNotChange(t *testing.T) {
	g := NewWithT(t)
	files, err := filepath.Glob("prompts/*.txt")
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(files).To(HaveLen(len(released)))
	for _, f := range files {
		b, err := os.ReadFile(f)
		g.Expect(err).NotTo(HaveOccurred())
		text := strings.TrimSpace(strings.ReplaceAll(string(b), "\r\n", "\n"))
		g.Expect(fmt.Sprintf("%x", sha256.Sum256([]byte(text)))).To(Equal(released[filepath.Base(f)]), "%s is released and must stay as it is; write a new version", f)
	}
}

// Each prompt is pinned alone, and the last choice counts. A version has its own
// form of the reply.
func TestPinned(t *testing.T) {
	for pins, want := range map[string][]string{
		"":                              {"claims/v2", "verify/v2"},
		"claims/v1":                     {"claims/v1", "verify/v2"},
		"verify/v1":                     {"claims/v2", "verify/v1"},
		"verify/v1 claims/v1":           {"claims/v1", "verify/v1"},
		"verify/v1 claims/v2 verify/v2": {"claims/v2", "verify/v2"},
	} {
		t.Run(pins, func(t *testing.T) {
			g := NewWithT(t)
			l := newLab(t)
			form := fixtures.Verdicts(true, false)
			if want[1] == "verify/v1" {
				form = fixtures.Text(`{"verdicts":[{"claim":1,"supported":true},{"claim":2,"supported":false}]}`)
			}
			l.On("claims", fixtures.Claims("a", "b")).On("verify", form)
			j := l.Judge.Judge()
			score, err := l.measure(j.Pinned(strings.Fields(pins)...), ragtest.Faithfulness, bridge)
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(score.Fraction()).To(Equal("1/2"))
			g.Expect(score.Exchanges).To(HaveLen(2))
			for i, step := range want {
				g.Expect(score.Exchanges[i].Step).To(Equal(step))
				text, err := os.ReadFile("prompts/" + strings.Replace(step, "/", ".", 1) + ".txt")
				g.Expect(err).NotTo(HaveOccurred())
				g.Expect(l.Requests()[i].Messages()[0].Content).To(Equal(strings.TrimSpace(string(text))))
			}
		})
	}
}

// A name that is none is an error before anything is asked, also where it is of
// a step that the metric comes to later, or never.
func TestPinnedToWhatIsNot(t *testing.T) {
	for pin, want := range map[string]string{
		"verify/v99":   "no such prompt: verify/v99",
		"verify/v0":    "no such prompt: verify/v0",
		"entities/v99": "no such prompt: entities/v99",
		"verify":       `no such prompt: "verify", expected a name such as claims/v2`,
		"verify/v":     `no such prompt: "verify/v", expected a name such as claims/v2`,
		"verify/vx":    `no such prompt: "verify/vx", expected a name such as claims/v2`,
		"verfy/v1":     `no such prompt: "verfy/v1", expected a name such as claims/v2`,
		"":             `no such prompt: "", expected a name such as claims/v2`,
	} {
		t.Run(pin, func(t *testing.T) {
			g := NewWithT(t)
			l := newLab(t)
			for _, j := range []*ragtest.Judge{
				l.Judge.Judge().Pinned("claims/v1", pin, "verify/v1"),
				l.Judge.Judge().Prompted(pin, "You check claims."),
			} {
				_, err := l.measure(j, ragtest.Faithfulness, bridge)
				g.Expect(err).To(MatchError(ragtest.ErrNoPrompt))
				g.Expect(err).To(MatchError(HaveSuffix(": " + want)))
			}
			g.Expect(l.Asked(fixtures.Any)).To(BeZero())
		})
	}
}

// A text of one's own is sent in place of the prompt's, to its step alone, and
// messages and recordings say so. Reply and checks stay those of the version.
func TestPrompted(t *testing.T) {
	const own = "あなたは主張を文書と照合します。"
	g := NewWithT(t)
	l := newLab(t)
	yes := fixtures.Verdicts(true)
	l.On("claims", fixtures.Claims("A")).On("verify", yes, yes, yes)
	j := l.Judge.Judge()
	plain, err := l.measure(j, ragtest.Faithfulness, bridge)
	g.Expect(err).NotTo(HaveOccurred())

	prompted := j.Prompted("verify/v2", "\n "+own+" \n")
	score, err := l.measure(prompted, ragtest.Faithfulness, bridge)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(l.Asked("claims")).To(Equal(1), "that step is as it was")
	messages := l.Requests()[2].Messages()
	g.Expect(messages[0]).To(Equal(fixtures.Message{Role: "system", Content: own}))
	g.Expect(messages[1]).To(Equal(l.Requests()[1].Messages()[1]))
	g.Expect(schemaOf(g, l.Requests()[2])).To(Equal(schemaOf(g, l.Requests()[1])))
	g.Expect(score.Exchanges[1].Step).To(Equal("verify/v2 (own)"))
	g.Expect(score.String()).To(ContainSubstring("; claims/v2, verify/v2 (own); 1 recorded, 1 asked"))
	g.Expect(score.Exchanges[0].Key).To(Equal(plain.Exchanges[0].Key))
	g.Expect(score.Exchanges[1].Key).NotTo(Equal(plain.Exchanges[1].Key))

	other, err := l.measure(j.Prompted("verify/v2", own+"！"), ragtest.Faithfulness, bridge)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(other.Exchanges[1].Key).NotTo(Equal(score.Exchanges[1].Key), "another text, another key")
	for _, j := range []*ragtest.Judge{j, prompted} { // which Prompted has not changed
		_, err = l.measure(j, ragtest.Faithfulness, bridge)
		g.Expect(err).NotTo(HaveOccurred())
	}
	g.Expect(l.Asked(fixtures.Any)).To(Equal(4))
}

// The last choice counts, and the version decides on the form of the reply.
func TestPromptedAndPinned(t *testing.T) {
	g := NewWithT(t)
	l := newLab(t)
	l.On("claims", fixtures.Claims("A")).On("verify",
		fixtures.Text(`{"verdicts":[{"claim":1,"supported":true}]}`), fixtures.Verdicts(false), fixtures.Text(`{"1":{"reason":"r"}}`), fixtures.Text("prose"))
	j := l.Judge.Judge()
	for _, test := range []struct {
		judge *ragtest.Judge
		step  string
		score string
	}{
		{j.Prompted("verify/v1", "You check."), "verify/v1 (own)", "1/1"},
		{j.Prompted("verify/v1", "You check.").Pinned("verify/v2"), "verify/v2", "0/1"},
	} {
		score, err := l.measure(test.judge, ragtest.Faithfulness, bridge)
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(score.Exchanges[1].Step).To(Equal(test.step))
		g.Expect(score.Fraction()).To(Equal(test.score))
	}
	_, err := l.measure(j.Pinned("verify/v1").Prompted("verify/v2", "You check."), ragtest.Faithfulness, bridge)
	g.Expect(err).To(MatchError(ragtest.ErrMalformed))
	g.Expect(err).To(MatchError(ContainSubstring(`malformed reply in step verify/v2 (own): expected "supported" in every entry`)))
}
