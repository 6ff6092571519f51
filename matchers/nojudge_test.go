package matchers_test

import (
	"context"
	"strings"
	"testing"

	. "github.com/onsi/gomega"
	. "github.com/onsi/gomega/gstruct"

	. "github.com/ragomega/ragomega/matchers"
	"github.com/ragomega/ragomega/ragtest"
)

// right and wrong differ in all that can be told without a judge, and noIDs has not
// got what it is told by.
var (
	right = ragtest.Sample{
		Name: "right", Response: `It says: "the tower is 330 metres high".`, Reference: `It says: "the tower is 330 metres high".`,
		RetrievedContexts:   []string{"The tower is 330 metres high, and made of iron.", "It opened in 1889."},
		ReferenceContexts:   []string{"The tower is 330 metres high."},
		RetrievedContextIDs: ragtest.IDs{"height", "opening"}, ReferenceContextIDs: ragtest.IDs{"height"},
	}
	wrong = ragtest.Sample{
		Name: "wrong", Response: `Perhaps "nobody knows for sure"?`, Reference: right.Reference,
		RetrievedContexts:   []string{"Dogs are welcome.", "Our shop sells maps."},
		ReferenceContexts:   right.ReferenceContexts,
		RetrievedContextIDs: ragtest.IDs{"dogs", "shop"}, ReferenceContextIDs: right.ReferenceContextIDs,
	}
)

var names = ragtest.NewCheck("names_a_height", func(s ragtest.Sample) (ragtest.Score, error) {
	return ragtest.Share(ragtest.Verdict{Claim: "the answer names a height", OK: strings.Contains(s.Response, "metres")})
})

// computed are matchers that ask no judge, and hold of right and not of wrong.
var computed = map[string]*Matcher{
	"HaveRecallAtAbove":    HaveRecallAtAbove(2, 0.9),
	"HavePrecisionAtAbove": HavePrecisionAtAbove(2, 0.4),
	"HaveHitAt":            HaveHitAt(1),
	"HaveMRRAbove":         HaveMRRAbove(0.9),
	"HaveMAPAbove":         HaveMAPAbove(0.9),
	"HaveNDCGAtAbove":      HaveNDCGAtAbove(2, 0.9),
	"HaveScore":            HaveScore(ragtest.ExactMatch, 1),
	"HaveScoreAbove":       HaveScoreAbove(ragtest.ROUGEL, 0.9),
	"HaveVerdict":          HaveVerdict(ragtest.TextContextPrecision, 1, true),
	"HaveVerdicts":         HaveVerdicts(ragtest.QuotedSpans, HaveEach(HaveField("OK", BeTrue()))),
	"HaveRejected":         HaveRejected(ragtest.PrecisionAt(2), "opening"),
	"a check":              HaveScore(names, 1),
}

// Wherever they stand they say the same, and a judge that is in use is not asked: it
// would be down.
func TestPositionsWithoutJudge(t *testing.T) {
	for _, inUse := range []string{"no judge", "a judge that is down"} {
		t.Run(inUse, func(t *testing.T) {
			l := standing(t)
			l.err = errDown
			t.Cleanup(func() { NewWithT(t).Expect(l.calls.Load()).To(BeZero()) })
			if inUse == "no judge" {
				ragtest.Use(nil)
			}
			for name, m := range computed {
				for where, p := range positions {
					t.Run(name+"/"+where, func(t *testing.T) {
						t.Parallel() // as the matchers may be shared
						for _, s := range []ragtest.Sample{right, wrong} {
							holds := p.unreached || (s.Name == "right") != p.negative
							message := failure(func(g Gomega) { p.assert(g, s, m) })
							if (message == "") != holds {
								t.Errorf("of %s it says\n%s", s.Name, message)
							}
						}
					})
				}
			}
		})
	}
}

// Nobody that is bound to the test fails it where a matcher of Gomega swallows that
// there is no score.
func TestNoJudgeForATestFailsEveryPosition(t *testing.T) {
	ragtest.Use(nil)
	unlabelled := right
	unlabelled.ReferenceContextIDs = nil
	for where, p := range positions {
		t.Run(where, func(t *testing.T) {
			f := &fakeT{T: t}
			p.assert(NewWithT(f), unlabelled, HaveHitAt(3).Using(ragtest.NoJudge().For(f)))
			atOnce := f.Failed()
			f.finish()
			if f.Failed() == p.unreached {
				t.Errorf("the test failed: %v", f.Failed())
			}
			if !p.unreached && atOnce == p.swallowed {
				t.Errorf("failed at once: %v; Gomega now treats errors here in another way than documented", atOnce)
			}
		})
	}
}

func TestNoJudgeReportsScoresAsAttributes(t *testing.T) {
	g := NewWithT(t)
	ragtest.Use(nil)
	f := &fakeT{T: t}
	nobody := ragtest.NoJudge().For(f)
	NewWithT(f).Expect(opening).To(HaveRecallAtAbove(4, 0.4).Using(nobody))
	NewWithT(f).Expect(right).To(HaveScore(ragtest.ExactMatch, 1).Using(nobody))
	_, err := nobody.Evaluate(t.Context(), []ragtest.Sample{right, wrong}, ragtest.MRR)
	g.Expect(err).NotTo(HaveOccurred())
	f.finish()
	g.Expect(f.attrs).To(ConsistOf("ragtest.recall_at_4=0.5000", "ragtest.exact_match=1.0000", "ragtest.mrr.mean=0.5000"))
	g.Expect(f.errors).To(BeEmpty())
}

// What was swallowed without being bound to a test fails the run.
func TestUnboundFailuresWithoutJudgeFailTheRun(t *testing.T) {
	g := NewWithT(t)
	ragtest.Use(nil)
	_ = ragtest.Close()
	unlabelled := right
	unlabelled.ReferenceContextIDs = nil
	g.Expect(turn{unlabelled}).NotTo(MatchFields(IgnoreExtras, Fields{"S": HaveHitAt(3)}), "swallowed by gstruct")
	g.Expect(ragtest.Close()).To(MatchError(And(
		ContainSubstring("1 measurement(s) failed. If no test has reported this"),
		ContainSubstring(`hit_rate_at_3 of sample "right"`))))
	g.Expect(ragtest.Close()).To(Succeed(), "it is told once")
}

// liar says that it asks nobody, and asks.
type liar struct{}

func (liar) Name() string  { return "liar" }
func (liar) WithoutJudge() {}
func (liar) Measure(ctx context.Context, j *ragtest.Judge, s ragtest.Sample) (ragtest.Score, error) {
	type reply struct {
		OK bool `json:"ok"`
	}
	r, err := ragtest.Ask[reply](ctx, j, ragtest.Prompt{Name: "liar/v1", Text: "Is it so?"}, s.Response)
	return ragtest.Score{Value: map[bool]float64{true: 1}[r.OK]}, err
}

// What asks a judge has none, whatever it says of itself.
func TestWhatAsksAJudgeHasNone(t *testing.T) {
	ragtest.Use(nil)
	for name, m := range map[string]*Matcher{
		"BeFaithful":          BeFaithful(),
		"BeFaithful by none":  BeFaithful().Using(ragtest.NoJudge()),
		"an embedder":         HaveScoreAbove(ragtest.SemanticSimilarity, 0.5),
		"an embedder by none": HaveScoreAbove(ragtest.SemanticSimilarity, 0.5).Using(ragtest.NoJudge()),
		"a metric's function": HaveScoreAbove(third, 0).Using(ragtest.NoJudge()),
		"a liar":              HaveScore(liar{}, 1),
		"a liar by none":      HaveScore(liar{}, 1).Using(ragtest.NoJudge()),
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			_, err := m.Match(moon)
			g.Expect(err).To(MatchError(ragtest.ErrNoJudge))
			for _, polarity := range []func(Gomega){
				func(g Gomega) { g.Expect(moon).To(m) },
				func(g Gomega) { g.Expect(moon).NotTo(m) },
			} {
				g.Expect(failure(polarity)).To(ContainSubstring("no judge: call ragtest.Use"))
			}
		})
	}
	_ = ragtest.Close() // forget the failures that were made on purpose
}

// A report needs a judge if one of its metrics does, and says nothing of it if none
// does.
func TestReportsWithoutJudge(t *testing.T) {
	g := NewWithT(t)
	ragtest.Use(nil)
	samples := []ragtest.Sample{right, wrong}
	_, err := ragtest.Evaluate(t.Context(), samples, ragtest.HitRateAt(2), ragtest.Faithfulness)
	g.Expect(err).To(MatchError(ragtest.ErrNoJudge))
	r, err := ragtest.Evaluate(t.Context(), samples, ragtest.HitRateAt(2), names)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(r).To(HaveMean(names, 0.5))
	g.Expect(pointer.ReplaceAllString(failure(func(g Gomega) { g.Expect(r).To(HavePassRateAbove(HaveHitAt(2), 0.9)) }), "0x…")).
		To(Equal(`Expected
    <*ragtest.Report | 0x…>: 2 samples
        hit_rate_at_2 0.500 [0.000, 1.000], median 0.500, from 0.000 to 1.000, n=2
        names_a_height 0.500 [0.000, 1.000], median 0.500, from 0.000 to 1.000, n=2
to have a pass rate of HaveHitAt(2) above 0.9
but the pass rate is 0.500 (1/2), with a 95% interval from 0.000 to 1.000, n=2
the worst that do not pass
    wrong: hit_rate_at_2 0.00
      ✗ 1. height
           not retrieved, among 2`))

	// Beside a metric that asks, the others still ask nobody.
	l := standing(t)
	r, err = ragtest.Evaluate(t.Context(), []ragtest.Sample{louvre}, ragtest.ExactMatch, ragtest.Faithfulness)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(r).To(HaveMean(ragtest.ExactMatch, 1))
	g.Expect(l.calls.Load()).To(BeEquivalentTo(2), "the claims of the answer, and their verification")
	g.Expect(r.Judge).To(Equal("literal at in-process"))
}
