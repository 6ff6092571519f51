package matchers_test

import (
	"math"
	"testing"

	. "github.com/onsi/gomega"

	. "github.com/ragomega/ragomega/matchers"
	"github.com/ragomega/ragomega/ragtest"
)

// atK are the matchers that look at the first k, with a bound that ranked is above
// if k is 2.
var atK = map[string]func(k int) *Matcher{
	"HaveRecallAtAbove":    func(k int) *Matcher { return HaveRecallAtAbove(k, 0.5) },
	"HavePrecisionAtAbove": func(k int) *Matcher { return HavePrecisionAtAbove(k, 0.5) },
	"HaveNDCGAtAbove":      func(k int) *Matcher { return HaveNDCGAtAbove(k, 0.5) },
	"HaveHitAt":            HaveHitAt,
}

// Where there is nothing to measure it is an error, which no polarity passes.
func TestErrorsOfRetrieval(t *testing.T) {
	ragtest.Use(nil)
	noReference, allZero, noIDs, halfGraded := ranked, graded, nothing, graded
	noReference.ReferenceContextIDs = nil
	allZero.ReferenceContextGrades = []int{0, 0, 0, 0}
	noIDs.RetrievedContexts = []string{"We open at 9."}
	halfGraded.ReferenceContextGrades = []int{1, 3}
	const undefined = `undefined: there are no ReferenceContextIDs, so there is nothing to find`
	matchers := map[string]*Matcher{"HaveMRRAbove": HaveMRRAbove(0.5), "HaveMAPAbove": HaveMAPAbove(0.5)}
	for name, at := range atK {
		matchers[name] = at(2)
	}
	for name, m := range matchers {
		needs := m.String() + ` expects a ragtest.Sample with RetrievedContextIDs and ReferenceContextIDs, or a ragtest.Sampler, got`
		for what, test := range map[string]struct {
			actual any
			is     error // nil for one of a kind
			want   string
		}{
			"no ReferenceContextIDs": {noReference, ragtest.ErrUndefined, undefined},
			"none is relevant":       {allZero, ragtest.ErrUndefined, `undefined: all ReferenceContextIDs have grade 0, so there is nothing to find`},
			"contexts without IDs":   {noIDs, ragtest.ErrMissingInput, `missing input: Sample.RetrievedContextIDs: the IDs of what was retrieved are needed, and there are none of 1 contexts. Nothing was asked`},
			"too few grades":         {halfGraded, ragtest.ErrMissingInput, `Sample.ReferenceContextGrades: a grade for each of 4 ReferenceContextIDs is needed, and there are 2`},
			"a string":               {"We open at 9.", nil, needs + ` an answer alone`},
			"bytes":                  {[]byte("We open at 9."), nil, needs + ` an answer alone`},
			"a number":               {42, nil, needs + "\n    <int>: 42"},
			"nil":                    {nil, nil, needs + " nil"},
			"a slice":                {[]ragtest.Sample{ranked}, nil, m.String() + ` judges one sample, got 1 of them ([]ragtest.Sample). To judge each use HaveEach(` + m.String() + `); to judge them together ragtest.Evaluate, and HaveMeanAbove or HavePassRateAbove on its report`},
			"a report":               {&ragtest.Report{}, nil, m.String() + ` judges one sample, got a report of many. Of a report ask HavePassRateAbove(` + m.String() + `, …) or HaveMeanAbove(`},
		} {
			t.Run(name+"/"+what, func(t *testing.T) {
				g := NewWithT(t)
				_, err := m.Match(test.actual)
				g.Expect(err).To(MatchError(ContainSubstring(test.want)))
				if test.is != nil {
					g.Expect(err).To(MatchError(test.is))
				}
				g.Expect(failure(func(g Gomega) { g.Expect(test.actual).To(m) })).To(ContainSubstring(test.want))
				g.Expect(failure(func(g Gomega) { g.Expect(test.actual).NotTo(m) })).To(ContainSubstring(test.want))
			})
		}
	}
	_ = ragtest.Close() // forget the failures that were made on purpose
}

// A k that is no number of ranks is a mistake of the test, not of the retriever.
func TestRanksToLookAt(t *testing.T) {
	ragtest.Use(nil)
	for name, at := range atK {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			for _, k := range []int{0, -1, math.MinInt} {
				_, err := at(k).Match(ranked)
				g.Expect(err).To(MatchError(ContainSubstring("%d is no number of ranks, expected 1 or more", k)))
				g.Expect(failure(func(g Gomega) { g.Expect(ranked).NotTo(at(k)) })).To(HavePrefix("not measured: "))
			}
			g.Expect(at(2).Match(ranked)).To(BeTrue())
			g.Expect(at(2).Match(nothing)).To(BeFalse())
		})
	}
	g := NewWithT(t)
	g.Expect(HaveRecallAtAbove(math.MaxInt, 0.9).Match(ranked)).To(BeTrue())
	g.Expect(HaveHitAt(math.MaxInt).Match(ranked)).To(BeTrue())
	g.Expect(HaveNDCGAtAbove(math.MaxInt, 0.9).Match(ranked)).To(BeTrue())
	g.Expect(HavePrecisionAtAbove(math.MaxInt, 0.1).Match(ranked)).To(BeFalse())
	_ = ragtest.Close()
}

func TestBoundsOfRetrieval(t *testing.T) {
	ragtest.Use(nil)
	for name, matcher := range map[string]func(float64) *Matcher{
		"HaveRecallAtAbove(2, ":    func(x float64) *Matcher { return HaveRecallAtAbove(2, x) },
		"HavePrecisionAtAbove(2, ": func(x float64) *Matcher { return HavePrecisionAtAbove(2, x) },
		"HaveNDCGAtAbove(2, ":      func(x float64) *Matcher { return HaveNDCGAtAbove(2, x) },
		"HaveMRRAbove(":            HaveMRRAbove,
		"HaveMAPAbove(":            HaveMAPAbove,
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			for _, bad := range []float64{1, 1.5, 80} {
				_, err := matcher(bad).Match(ranked)
				g.Expect(err).To(MatchError(matcher(bad).String() + ": scores lie from 0 to 1, so the bound must be at least 0 and below 1. For the highest score itself use HaveScore(…, 1)"))
			}
			for _, bad := range []float64{-0.1, math.NaN(), math.Inf(1), math.Inf(-1)} {
				_, err := matcher(bad).Match(ranked)
				g.Expect(err).To(MatchError(HavePrefix(name)))
			}
			for _, good := range []float64{0, 0.5, 0.999} {
				g.Expect(matcher(good).Match(ranked)).To(BeTrue())
				g.Expect(matcher(good).Match(nothing)).To(BeFalse())
			}
			g.Expect(matcher(0.5).String()).To(Equal(name + "0.5)"))
		})
	}
	g := NewWithT(t)
	g.Expect(ranked).To(HaveScore(ragtest.RecallAt(2), 1))
	_, err := HaveScore(ragtest.RecallAt(2), 2).Match(ranked)
	g.Expect(err).To(MatchError("HaveScore(recall_at_2, 2): scores lie from 0 to 1, so none is 2"))
}

// What a sample is of is told by its fields, and a shared matcher does not explain one
// ranking by another.
func TestSamplesOfRetrieval(t *testing.T) {
	g := NewWithT(t)
	ragtest.Use(nil)
	g.Expect(&ranked).To(HaveHitAt(1))
	g.Expect(row{ranked}).To(HaveMAPAbove(0.9))
	g.Expect(&row{opening}).NotTo(HaveMAPAbove(0.9))

	shared := HaveHitAt(1)
	g.Expect(shared.Match(opening)).To(BeFalse())
	g.Expect(shared.Match(nothing)).To(BeFalse())
	g.Expect(shared.FailureMessage(opening)).To(HaveSuffix("but the metric found otherwise (the matcher has measured another sample since)"))
	g.Expect(shared.FailureMessage(nothing)).To(HaveSuffix("nothing was retrieved"))
	_, err := shared.Match("an answer")
	g.Expect(err).To(HaveOccurred())
	g.Expect(shared.FailureMessage(nothing)).To(HaveSuffix("but it was not measured"))
}
