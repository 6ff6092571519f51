package ragtest_test

import (
	"fmt"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/ragomega/ragomega/cache"
	"github.com/ragomega/ragomega/fixtures"
	"github.com/ragomega/ragomega/ragtest"
)

// A judge drifts where it decides otherwise, not where it says otherwise.
func TestDriftIsAnotherDecisionAboutAContext(t *testing.T) {
	useful := func(reason string, useful bool) fixtures.Reply {
		return fixtures.Text(fmt.Sprintf(`{"reason":%q,"useful":%v}`, reason, useful))
	}
	one := ragtest.Sample{UserInput: "q?", Reference: "ref", RetrievedContexts: []string{"c"}}
	for name, test := range map[string]struct {
		metric        ragtest.Metric
		recorded, now []fixtures.Reply
		drifts        int
	}{
		"another reason":  {ragtest.ContextPrecision, []fixtures.Reply{useful("a", true)}, []fixtures.Reply{useful("b", true)}, 0},
		"another verdict": {ragtest.ContextPrecision, []fixtures.Reply{useful("a", true)}, []fixtures.Reply{useful("a", false)}, 1},
		"another order":   {ragtest.ContextEntityRecall, []fixtures.Reply{entities("C", "A", "B"), entities("B")}, []fixtures.Reply{entities("B", "C", "A"), entities("B", "B")}, 0},
		"another entity":  {ragtest.ContextEntityRecall, []fixtures.Reply{entities("A", "B"), entities("B")}, []fixtures.Reply{entities("A", "C"), entities("B")}, 1},
		"one entity more": {ragtest.ContextEntityRecall, []fixtures.Reply{entities("A"), entities("B")}, []fixtures.Reply{entities("A"), entities("A", "B")}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			l := newLab(t)
			for _, replies := range [][]fixtures.Reply{test.recorded, test.now} {
				if len(replies) == 1 {
					l.On("useful", replies...)
					continue
				}
				l.When("entities", ofTexts(one.Reference), replies[0])
				l.When("entities", ofTexts(one.RetrievedContexts...), replies[1])
			}
			score, err := l.measure(l.Judge.Judge(), test.metric, one)
			g.Expect(err).NotTo(HaveOccurred())
			c := l.cache(cache.Verify)
			again, err := l.Judge.Judge().CachedIn(c).Measure(t.Context(), test.metric, one)
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(c.Close()).To(Succeed())
			g.Expect(again.Verdicts).To(Equal(score.Verdicts), "the run comes out as recorded")
			g.Expect(c.Drifts()).To(HaveLen(test.drifts))
		})
	}
}
