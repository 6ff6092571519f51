package matchers_test

import (
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
    precision_at_3 0.00
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
    hit_rate_at_1 0.00
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
    mrr 0.50
      ✗ 1. fees
           it is not among ReferenceContextIDs
      ✓ 2. hours`,
		},
		"HaveMRRAbove, nothing retrieved": {
			func(g Gomega) { g.Expect(nothing).To(HaveMRRAbove(0.5)) },
			nothingShown + `to have mrr above 0.5
but the metric found
    mrr 0.00
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
    ndcg_at_2 1.00
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
        hit_rate_at_1 0.00
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
