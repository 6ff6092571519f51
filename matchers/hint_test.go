package matchers_test

import (
	"testing"

	. "github.com/onsi/gomega"

	"github.com/ragomega/ragomega/cache"
	"github.com/ragomega/ragomega/fixtures"
	. "github.com/ragomega/ragomega/matchers"
	"github.com/ragomega/ragomega/ragtest"
)

// A failure says which surface is at fault as far as other scores are known, and
// asks nobody to know more.
func TestDiagnosisInMessages(t *testing.T) {
	g := NewWithT(t)
	c, err := cache.Open(cache.Options{Dir: t.TempDir(), Home: t.TempDir(), Mode: cache.Auto})
	g.Expect(err).NotTo(HaveOccurred())
	t.Cleanup(func() { _ = c.Close() })
	s := ragtest.Sample{
		Name: "bridge", UserInput: "When did the bridge open?", Response: "The bridge opened in 1932.",
		RetrievedContexts: []string{"The bridge was painted red."}, Reference: "The bridge opened in 1934.",
	}
	f := fixtures.NewJudge(t)
	f.On("claims", fixtures.Claims("The bridge opened in 1932."), fixtures.Claims("The bridge opened in 1934.")).
		On("verify", fixtures.Verdicts(false), fixtures.Verdicts(false))
	j := f.Judge().CachedIn(c)
	message := func(m OmegaMatcher) (text string) {
		NewGomega(func(m string, _ ...int) { text = m }).Expect(s).To(m)
		return text
	}
	g.Expect(message(BeFaithful().Using(j))).NotTo(ContainSubstring("diagnosis"), "nothing else is known")
	asked := len(f.Requests())
	g.Expect(message(HaveContextRecallAbove(0.3).Using(j))).To(HaveSuffix("\n    diagnosis: retrieval miss (known besides: faithfulness 0.00)"))
	g.Expect(f.Requests()).To(HaveLen(asked+2), "the reference's claims and their verification")
	g.Expect(message(BeFaithful().Using(j))).To(HaveSuffix("\n    diagnosis: retrieval miss (known besides: context_recall 0.00)"))
	g.Expect(f.Requests()).To(HaveLen(asked + 2))

	// Of what is too high, or of another kind, there is nothing to say.
	var text string
	NewGomega(func(m string, _ ...int) { text = m }).Expect(s).NotTo(HaveScore(ragtest.Faithfulness, 0).Using(j))
	g.Expect(text).NotTo(ContainSubstring("diagnosis"))
	g.Expect(message(HaveScore(ragtest.Faithfulness, BeNumerically(">", 0.5)).Using(j))).NotTo(ContainSubstring("diagnosis"))
	g.Expect(c.Counts().Missed).To(BeZero())
}
