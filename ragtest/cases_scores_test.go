package ragtest_test

import (
	"testing"

	. "github.com/onsi/gomega"

	"github.com/ragomega/ragomega/fixtures"
	"github.com/ragomega/ragomega/ragtest"
)

// Faults of scores that users of evaluation libraries have reported, named after
// their kind. Those of replies are in testdata/cases.json.

// Two abstentions are not a disagreement: there is nothing to compare
// (vibrantlabsai/ragas#2806). One against a claim is.
func TestKnownFaultsUndefinedScore(t *testing.T) {
	factual := ragtest.AnswerCorrectness.Weights(1, 0)
	abstains := bridge
	abstains.Response, abstains.Reference = "Not stated in the documents.", "Not stated in the documents."
	t.Run("two abstentions", func(t *testing.T) {
		l := newLab(t)
		l.On("claims", fixtures.Claims(), fixtures.Claims())
		_, err := l.measure(l.Judge.Judge(), factual, abstains)
		NewWithT(t).Expect(err).To(MatchError(ragtest.ErrUndefined))
	})
	t.Run("one abstention", func(t *testing.T) {
		g := NewWithT(t)
		l := newLab(t)
		s := bridge
		s.Response = abstains.Response
		empty := func(r fixtures.Request) bool {
			var data struct{ Text string }
			return r.Data(&data) == nil && data.Text == s.Response
		}
		l.When("claims", empty, fixtures.Claims()).On("claims", fixtures.Claims(s.Reference))
		score, err := l.measure(l.Judge.Judge(), factual, s)
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(score.Value).To(BeZero())
	})
}

// The same text twice is right in both directions (vibrantlabsai/ragas#2699,
// #1964).
func TestKnownFaultsFormula(t *testing.T) {
	same := bridge
	same.Response, same.Reference = "The code is 97.", "The code is 97."
	for _, m := range []ragtest.Metric{
		ragtest.FactualCorrectness, ragtest.FactualCorrectness.Precision(), ragtest.FactualCorrectness.Recall(), ragtest.AnswerCorrectness.Weights(1, 0),
	} {
		t.Run(m.Name(), func(t *testing.T) {
			g := NewWithT(t)
			l := newLab(t)
			agreeable(l.Judge)
			score, err := l.measure(l.Judge.Judge(), m, same)
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(score.Value).To(Equal(1.0))
		})
	}
}

// A similarity is a cosine, whatever the length of the vectors
// (vibrantlabsai/ragas#538), their order in the answer
// (pydantic/pydantic-ai#7284) and their size (HKUDS/LightRAG#3553).
func TestKnownFaultsSimilarity(t *testing.T) {
	for name, test := range map[string]struct {
		body string
		want float64
	}{
		"not of length 1": {`{"data":[{"index":0,"embedding":[3,4]},{"index":1,"embedding":[6,8]}]}`, 1},
		"in other order":  {`{"data":[{"index":1,"embedding":[0,1]},{"index":0,"embedding":[1,0]}]}`, 0},
		"near the limit":  {`{"data":[{"index":0,"embedding":[3e38,3e38]},{"index":1,"embedding":[3e38,3e38]}]}`, 1},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			l := newLab(t)
			l.On(fixtures.Embeddings, fixtures.Raw(200, test.body))
			c := off(t)
			j := l.Judge.Judge().CachedIn(c).WithEmbedder(l.Embedder().CachedIn(c))
			score, err := j.Measure(t.Context(), ragtest.SemanticSimilarity, bridge)
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(score.Value).To(BeNumerically("~", test.want, 1e-12))
			g.Expect(score.Value).To(BeNumerically("<=", 1))
		})
	}
}
