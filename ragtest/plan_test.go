package ragtest_test

import (
	"io"
	"net/http"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/ragomega/ragomega/cache"
	"github.com/ragomega/ragomega/fixtures"
	"github.com/ragomega/ragomega/ragtest"
)

var tokenNumbers = regexp.MustCompile(`about \d+ prompt tokens`)

// planned measures in a plan and returns what the suite says then. The numbers of
// tokens are those of the prompts, which change: they become N.
func planned(t *testing.T, l *lab, measure func(j *ragtest.Judge)) string {
	t.Helper()
	_ = ragtest.CloseSuite(io.Discard) // forget what other tests planned
	ragtest.UseCache(openCache(t, cache.Options{Dir: l.dir, Home: filepath.Join(t.TempDir(), "none"), Mode: cache.Plan}))
	measure(l.Judge.Judge().WithEmbedder(l.Embedder()))
	return tokenNumbers.ReplaceAllString(closing(t), "about N prompt tokens")
}

func TestPlan(t *testing.T) {
	g, l := NewWithT(t), newLab(t)
	l.On("claims", fixtures.Claims("A")).On("verify", fixtures.Verdicts(true))
	_, err := l.measure(l.Judge.Judge(), ragtest.Faithfulness, bridge)
	g.Expect(err).NotTo(HaveOccurred())
	asked := l.Asked(fixtures.Any)

	three := bridge
	three.RetrievedContexts = []string{"One.", "Two.", "Three."}
	first, second := newFakeTB(), fakeNamed{newFakeTB(), "TestSecond"}
	out := planned(t, l, func(j *ragtest.Judge) {
		score, err := j.For(first).Measure(t.Context(), ragtest.Faithfulness, bridge)
		g.Expect(err).NotTo(HaveOccurred(), "what is recorded is replayed")
		g.Expect(score.Value).To(Equal(1.0))

		_, err = j.For(first).Measure(t.Context(), ragtest.Faithfulness, responding("One."))
		g.Expect(err).To(MatchError(cache.ErrPlan))
		g.Expect(err.Error()).To(MatchRegexp(`^not measured: faithfulness of sample "bridge" in TestOuter/inner_case \(plan_test\.go:\d+\): ` +
			`cache: plan: step claims/v2 is neither recorded nor stored and would be asked\n  about: One\.\n` +
			`  Nothing was asked, as the mode is plan\. To ask and record: RAGTEST_CACHE=auto CI= go test -run '\^TestOuter\$/\^inner_case\$' \./ragtest$`))
		// All that is asked at once is planned, and what another test needs as well
		// is not planned again.
		_, err = j.For(second).Measure(t.Context(), ragtest.ContextPrecision, three)
		g.Expect(err).To(MatchError(cache.ErrPlan))
		_, err = j.For(second).Measure(t.Context(), ragtest.Faithfulness, responding("One."))
		g.Expect(err).To(MatchError(cache.ErrPlan))
	})
	g.Expect(out).To(Equal("ragtest (plan): 2 replayed, 0 asked, 20+10 tokens and 0 s of judging saved\n" +
		"ragtest: plan: TestOuter/inner_case: 1 calls, about N prompt tokens (claims/v2 1)\n" +
		"ragtest: plan: TestSecond: 3 calls, about N prompt tokens (useful/v1 3)\n" +
		"ragtest: plan: in all at least 4 calls, about N prompt tokens (claims/v2 1, useful/v1 3); tokens are estimated at 4 bytes each\n" +
		"ragtest: plan: this is a lower bound: a later step depends on the reply to an earlier one, and a test ends at the first assertion that fails\n"))
	g.Expect(l.Asked(fixtures.Any)).To(Equal(asked), "nothing is asked")

	g.Expect(planned(t, l, func(j *ragtest.Judge) { _, _ = j.Measure(t.Context(), ragtest.Faithfulness, bridge) })).
		To(HaveSuffix("ragtest: plan: nothing would be asked\n"))
}

type fakeNamed struct {
	*fakeTB
	name string
}

func (f fakeNamed) Name() string { return f.name }

// The tokens are those of the requests, at four bytes each, rounded up.
func TestPlanOfTokens(t *testing.T) {
	g, l := NewWithT(t), newLab(t)
	_ = ragtest.CloseSuite(io.Discard)
	c := l.cache(cache.Plan)
	_, err := l.Judge.Judge().CachedIn(c).Measure(t.Context(), ragtest.Faithfulness, bridge)
	g.Expect(err).To(MatchError(cache.ErrPlan))
	g.Expect(c.Planned()).To(HaveLen(1))
	g.Expect(closing(t)).To(MatchRegexp(`plan: TestPlanOfTokens: 1 calls, about %d prompt tokens`, (len(c.Planned()[0].Body)+3)/4))
}

// Texts go together in one call for their vectors, but for those that are known
// or that another call brings.
func TestPlanOfEmbeddings(t *testing.T) {
	g, l := NewWithT(t), newLab(t)
	l.Embeds(map[string][]float64{"a": {1}})
	c := l.cache(cache.Auto)
	_, err := l.Embedder().CachedIn(c).Embed(t.Context(), "a")
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(c.Close()).To(Succeed())

	out := planned(t, l, func(j *ragtest.Judge) {
		e, err := j.Embedder()
		g.Expect(err).NotTo(HaveOccurred())
		for _, texts := range [][]string{{"a"}, {"a", "b", "c", "b"}, {"c", "a", "b"}, {"a", "c", "d"}} {
			_, err = e.Embed(t.Context(), texts...)
		}
		g.Expect(err).To(MatchError(cache.ErrPlan))
	})
	g.Expect(out).To(ContainSubstring("ragtest: plan: TestPlanOfEmbeddings: 2 calls, about N prompt tokens (embed/v1 2)\n"))
}

// What the application would ask is planned beside it.
func TestPlanOfTheApplication(t *testing.T) {
	g, l := NewWithT(t), newLab(t)
	out := planned(t, l, func(*ragtest.Judge) {
		c, err := ragtest.Cache()
		g.Expect(err).NotTo(HaveOccurred())
		client := &http.Client{Transport: &cache.Transport{Cache: c}}
		_, err = client.Post(l.BaseURL()+"/chat/completions", "application/json", strings.NewReader(`{"model":"m"}`))
		g.Expect(err).To(MatchError(cache.ErrPlan))
	})
	g.Expect(out).To(ContainSubstring("ragtest: plan: the application: 1 calls, about N prompt tokens (POST /v1/chat/completions 1)\n"))
	g.Expect(l.Asked(fixtures.Any)).To(BeZero())
}

// A data set is planned under the test that evaluates it.
func TestPlanOfAnEvaluation(t *testing.T) {
	g, l := NewWithT(t), newLab(t)
	out := planned(t, l, func(j *ragtest.Judge) {
		samples := []ragtest.Sample{responding("One."), responding("Two.")}
		samples[1].Name = "other"
		r, err := j.Evaluate(t.Context(), samples, ragtest.Faithfulness)
		g.Expect(err).NotTo(HaveOccurred())
		for _, x := range r.Results {
			g.Expect(x.Err).To(MatchError(cache.ErrPlan))
		}
	})
	g.Expect(out).To(ContainSubstring("ragtest: plan: TestPlanOfAnEvaluation: 2 calls, about N prompt tokens (claims/v2 2)\n"))
}
