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

func TestPinned(t *testing.T) {
	sample := ragtest.Sample{Name: "s", Response: "r", RetrievedContexts: []string{"c"}}
	measure := func(t *testing.T, pins ...string) (ragtest.Score, error) {
		t.Helper()
		l := newLab(t)
		l.On("claims", fixtures.Claims("a")).On("verify", fixtures.Verdicts(true))
		return l.measure(l.Judge.Judge().Pinned(pins...), ragtest.Faithfulness, sample)
	}
	g := NewWithT(t)
	score, err := measure(t, "verify/v1", "claims/v1")
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(score.Exchanges[0].Step).To(Equal("claims/v1"))
	g.Expect(score.Exchanges[1].Step).To(Equal("verify/v1"))
	for pin, want := range map[string]string{
		"verify/v99": "no such prompt: verify/v99",
		"verify":     `no such prompt: "verify", expected a name such as claims/v1`,
		"verfy/v1":   `no such prompt: "verfy/v1", expected a name such as claims/v1`,
	} {
		_, err := measure(t, pin)
		g.Expect(err).To(MatchError(ragtest.ErrNoPrompt))
		g.Expect(err).To(MatchError(ContainSubstring(want)))
	}
}
