package matchers_test

import (
	"math"
	"testing"

	. "github.com/onsi/gomega"

	. "github.com/ragomega/ragomega/matchers"
	"github.com/ragomega/ragomega/ragtest"
)

// Two of what was retrieved for opening are one ID, and one of what is relevant was
// not retrieved. Of graded the third rank is the most relevant one.
var (
	opening = ragtest.Sample{
		Name: "opening", UserInput: "When do you open?",
		RetrievedContextIDs: ragtest.IDs{"fees", "hours", "map", "hours"},
		ReferenceContextIDs: ragtest.IDs{"hours", "holidays"},
	}
	graded = ragtest.Sample{
		Name: "graded", UserInput: "When do you open?",
		RetrievedContextIDs: ragtest.IDs{"fees", "hours", "map", "hours"},
		ReferenceContextIDs: ragtest.IDs{"hours", "map", "holidays", "fees"}, ReferenceContextGrades: []int{1, 3, 2, 0},
	}
	nothing = ragtest.Sample{
		Name: "nothing", UserInput: "When do you open?",
		ReferenceContextIDs: ragtest.IDs{"hours", "holidays"},
	}
	ranked = ragtest.Sample{
		Name: "ranked", UserInput: "When do you open?",
		RetrievedContextIDs: ragtest.IDs{"hours", "holidays", "map"},
		ReferenceContextIDs: ragtest.IDs{"hours", "holidays"},
	}
)

const (
	openingShown = `Expected
    <ragtest.Sample>: opening
        Q: When do you open?
        (4 contexts)
`
	gradedShown = `Expected
    <ragtest.Sample>: graded
        Q: When do you open?
        (4 contexts)
`
	nothingShown = `Expected
    <ragtest.Sample>: nothing
        Q: When do you open?
        (0 contexts)
`
	rankedShown = `Expected
    <ragtest.Sample>: ranked
        Q: When do you open?
        (3 contexts)
`
)

// A message says at which rank each relevant ID is, or what is at each rank.
func TestMessagesOfRetrieval(t *testing.T) {
	ragtest.Use(nil)
	for name, test := range map[string]struct {
		assert func(g Gomega)
		want   string
	}{
		"HaveRecallAtAbove": {
			func(g Gomega) { g.Expect(opening).To(HaveRecallAtAbove(2, 0.5)) },
			openingShown + `to have recall_at_2 above 0.5
but the metric found
    recall_at_2 0.50 (1/2)
      ✓ 1. hours
      ✗ 2. holidays
           not retrieved, among 4`,
		},
		"HaveRecallAtAbove, graded": {
			func(g Gomega) { g.Expect(graded).To(HaveRecallAtAbove(2, 0.5)) },
			gradedShown + `to have recall_at_2 above 0.5
but the metric found
    recall_at_2 0.33 (1/3)
      ✓ 1. hours
      ✗ 2. map
           at rank 3, below the first 2
      ✗ 3. holidays
           not retrieved, among 4`,
		},
		"HaveRecallAtAbove, nothing retrieved": {
			func(g Gomega) { g.Expect(nothing).To(HaveRecallAtAbove(5, 0)) },
			nothingShown + `to have recall_at_5 above 0
but the metric found
    recall_at_5 0.00 (0/2)
      ✗ 1. hours
           nothing was retrieved
      ✗ 2. holidays
           nothing was retrieved`,
		},
		"not HaveRecallAtAbove, fewer than k": {
			func(g Gomega) { g.Expect(ranked).NotTo(HaveRecallAtAbove(10, 0.9)) },
			rankedShown + `not to have recall_at_10 above 0.9
but the metric found
    recall_at_10 1.00 (2/2)
      ✓ 1. hours
      ✓ 2. holidays`,
		},
		"HaveRecallAtAbove, hardly below": {
			func(g Gomega) { g.Expect(graded).To(HaveRecallAtAbove(2, 0.334)) },
			gradedShown + `to have recall_at_2 above 0.334
but the metric found 0.3333333333333333, that is
    recall_at_2 0.33 (1/3)
      ✓ 1. hours
      ✗ 2. map
           at rank 3, below the first 2
      ✗ 3. holidays
           not retrieved, among 4`,
		},
		"HavePrecisionAtAbove, fewer than k": {
			func(g Gomega) { g.Expect(opening).To(HavePrecisionAtAbove(6, 0.2)) },
			openingShown + `to have precision_at_6 above 0.2
but the metric found
    precision_at_6 0.17
      ✗ 1. fees
           it is not among ReferenceContextIDs
      ✓ 2. hours
      ✗ 3. map
           it is not among ReferenceContextIDs
      ✗ 4. hours
           the same as at rank 2, and counted there
      ✗ 5. ranks 5 to 6
           nothing is there: 4 were retrieved`,
		},
		"HavePrecisionAtAbove, nothing retrieved": {
			func(g Gomega) { g.Expect(nothing).To(HavePrecisionAtAbove(3, 0.2)) },
			nothingShown + `to have precision_at_3 above 0.2
but the metric found
    precision_at_3 0.00 (0/1)
      ✗ 1. ranks 1 to 3
           nothing is there: 0 were retrieved`,
		},
		"not HavePrecisionAtAbove, graded": {
			func(g Gomega) { g.Expect(graded).NotTo(HavePrecisionAtAbove(3, 0.6)) },
			gradedShown + `not to have precision_at_3 above 0.6
but the metric found
    precision_at_3 0.67
      ✗ 1. fees (0)
           its grade is 0
      ✓ 2. hours (1)
      ✓ 3. map (3)`,
		},
		"HaveHitAt": {
			func(g Gomega) { g.Expect(opening).To(HaveHitAt(1)) },
			openingShown + `to have a relevant ID among the first 1
but the metric found
    hit_rate_at_1 0.00 (0/2)
      ✗ 1. hours
           at rank 2, below the first 1
      ✗ 2. holidays
           not retrieved, among 4`,
		},
		"not HaveHitAt": {
			func(g Gomega) { g.Expect(opening).NotTo(HaveHitAt(2)) },
			openingShown + `not to have a relevant ID among the first 2
but the metric found
    hit_rate_at_2 1.00
      ✓ 1. hours
      ✗ 2. holidays
           not retrieved, among 4`,
		},
		"HaveMRRAbove": {
			func(g Gomega) { g.Expect(opening).To(HaveMRRAbove(0.5)) },
			openingShown + `to have mrr above 0.5
but the metric found
    mrr 0.50 (1/2)
      ✗ 1. fees
           it is not among ReferenceContextIDs
      ✓ 2. hours`,
		},
		"HaveMRRAbove, nothing retrieved": {
			func(g Gomega) { g.Expect(nothing).To(HaveMRRAbove(0.5)) },
			nothingShown + `to have mrr above 0.5
but the metric found
    mrr 0.00 (0/2)
      ✗ 1. missing: hours
           nothing was retrieved
      ✗ 2. missing: holidays
           nothing was retrieved`,
		},
		"not HaveMRRAbove, graded": {
			func(g Gomega) { g.Expect(graded).NotTo(HaveMRRAbove(0.4)) },
			gradedShown + `not to have mrr above 0.4
but the metric found
    mrr 0.50
      ✗ 1. fees (0)
           its grade is 0
      ✓ 2. hours (1)`,
		},
		"HaveMAPAbove": { // 1/2 at rank 2, over 2 that are relevant
			func(g Gomega) { g.Expect(opening).To(HaveMAPAbove(0.9)) },
			openingShown + `to have map above 0.9
but the metric found
    map 0.25
      ✗ 1. fees
           it is not among ReferenceContextIDs
      ✓ 2. hours
      ✗ 3. map
           it is not among ReferenceContextIDs
      ✗ 4. hours
           the same as at rank 2, and counted there
      ✗ 5. missing: holidays
           not retrieved, among 4`,
		},
		"not HaveMAPAbove": {
			func(g Gomega) { g.Expect(ranked).NotTo(HaveMAPAbove(0.9)) },
			rankedShown + `not to have map above 0.9
but the metric found
    map 1.00
      ✓ 1. hours
      ✓ 2. holidays
      ✗ 3. map
           it is not among ReferenceContextIDs`,
		},
		"HaveNDCGAtAbove": { // 1/log2(3) of 1 + 1/log2(3)
			func(g Gomega) { g.Expect(opening).To(HaveNDCGAtAbove(3, 0.9)) },
			openingShown + `to have ndcg_at_3 above 0.9
but the metric found
    ndcg_at_3 0.39
      ✗ 1. fees
           it is not among ReferenceContextIDs
      ✓ 2. hours
      ✗ 3. map
           it is not among ReferenceContextIDs
      ✗ 4. missing: holidays
           not retrieved, among 4`,
		},
		"HaveNDCGAtAbove, graded": { // 1/log2(3) + 3/2 of 3 + 2/log2(3) + 1/2
			func(g Gomega) { g.Expect(graded).To(HaveNDCGAtAbove(3, 0.9)) },
			gradedShown + `to have ndcg_at_3 above 0.9
but the metric found
    ndcg_at_3 0.45
      ✗ 1. fees (0)
           its grade is 0
      ✓ 2. hours (1)
      ✓ 3. map (3)
      ✗ 4. missing: holidays (2)
           not retrieved, among 4`,
		},
		"not HaveNDCGAtAbove": {
			func(g Gomega) { g.Expect(ranked).NotTo(HaveNDCGAtAbove(2, 0.9)) },
			rankedShown + `not to have ndcg_at_2 above 0.9
but the metric found
    ndcg_at_2 1.00 (2/2)
      ✓ 1. hours
      ✓ 2. holidays`,
		},
		"in Or": {
			func(g Gomega) { g.Expect(opening).To(Or(HaveRecallAtAbove(2, 0.5), HaveHitAt(1))) },
			openingShown + `To satisfy at least one of these matchers: [HaveRecallAtAbove(2, 0.5) HaveHitAt(1)]`,
		},
		"in HaveEach": {
			func(g Gomega) { g.Expect([]ragtest.Sample{ranked, nothing}).To(HaveEach(HaveHitAt(1))) },
			`Expected
    <[]ragtest.Sample | len:2, cap:2>: [
        ranked
            Q: When do you open?
            (3 contexts),
        nothing
            Q: When do you open?
            (0 contexts),
    ]
to contain element matching
    <*matchers.Matcher | 0x…>: HaveHitAt(1), which last measured
        hit_rate_at_1 0.00 (0/2)
          ✗ 1. hours
               nothing was retrieved
          ✗ 2. holidays
               nothing was retrieved`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			got := pointer.ReplaceAllString(failure(test.assert), "0x…")
			NewWithT(t).Expect(got).To(Equal(test.want))
		})
	}
}

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
	const undefined = `undefined: no ID of ReferenceContextIDs is relevant, so there is nothing to find`
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
			"none is relevant":       {allZero, ragtest.ErrUndefined, undefined},
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
