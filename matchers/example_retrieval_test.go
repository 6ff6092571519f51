package matchers_test

import (
	"context"

	. "github.com/onsi/gomega"

	. "github.com/ragomega/ragomega/matchers"
	"github.com/ragomega/ragomega/ragtest"
)

// search is what a retriever found, and what there is to find: somebody has marked
// the paragraphs that answer the question.
var search = ragtest.Sample{
	Name:                   "refunds",
	UserInput:              "When do I get money back?",
	RetrievedContextIDs:    ragtest.IDs{"prices#1", "plus#3", "sending#3", "plus#1"},
	ReferenceContextIDs:    ragtest.IDs{"plus#3", "sending#3", "chilled#4"},
	ReferenceContextGrades: []int{2, 3, 1},
}

// No judge is asked, so none has to be there.
func ExampleHaveRecallAtAbove() {
	g := NewWithT(t)

	g.Expect(search).To(HaveRecallAtAbove(3, 0.5)) // 2 of 3
	g.Expect(search).To(HaveRecallAtAbove(2, 0.5))
	// Output:
	//
	// Expected
	//     <ragtest.Sample>: refunds
	//         Q: When do I get money back?
	//         (4 contexts)
	// to have recall_at_2 above 0.5
	// but the metric found
	//     recall_at_2 0.33 (1/3)
	//       ✓ 1. plus#3
	//       ✗ 2. sending#3
	//            at rank 3, below the first 2
	//       ✗ 3. chilled#4
	//            not retrieved, among 4
}

func ExampleHavePrecisionAtAbove() {
	g := NewWithT(t)

	g.Expect(search).To(HavePrecisionAtAbove(3, 0.6)) // 2 of 3 ranks
	g.Expect(search).NotTo(HavePrecisionAtAbove(4, 0.6))
	// Output:
}

func ExampleHaveHitAt() {
	g := NewWithT(t)

	g.Expect(search).To(HaveHitAt(2))
	g.Expect(search).To(HaveHitAt(1))
	// Output:
	//
	// Expected
	//     <ragtest.Sample>: refunds
	//         Q: When do I get money back?
	//         (4 contexts)
	// to have a relevant ID among the first 1
	// but the metric found
	//     hit_rate_at_1 0.00
	//       ✗ 1. plus#3
	//            at rank 2, below the first 1
	//       ✗ 2. sending#3
	//            at rank 3, below the first 1
	//       ✗ 3. chilled#4
	//            not retrieved, among 4
}

func ExampleHaveMRRAbove() {
	g := NewWithT(t)

	g.Expect(search).To(HaveMRRAbove(0.4)) // rank 2 is 0.5
	g.Expect(search).To(HaveMRRAbove(0.5))
	// Output:
	//
	// Expected
	//     <ragtest.Sample>: refunds
	//         Q: When do I get money back?
	//         (4 contexts)
	// to have mrr above 0.5
	// but the metric found
	//     mrr 0.50
	//       ✗ 1. prices#1 (0)
	//            it is not among ReferenceContextIDs
	//       ✓ 2. plus#3 (2)
}

func ExampleHaveMAPAbove() {
	g := NewWithT(t)

	g.Expect(search).To(HaveMAPAbove(0.3)) // 1/2 and 2/3, and 0 for what is missing
	g.Expect(search).NotTo(HaveMAPAbove(0.4))
	// Output:
}

func ExampleHaveNDCGAtAbove() {
	g := NewWithT(t)

	g.Expect(search).To(HaveNDCGAtAbove(3, 0.6)) // the most relevant one should come first
	// Output:
	//
	// Expected
	//     <ragtest.Sample>: refunds
	//         Q: When do I get money back?
	//         (4 contexts)
	// to have ndcg_at_3 above 0.6
	// but the metric found
	//     ndcg_at_3 0.58
	//       ✗ 1. prices#1 (0)
	//            it is not among ReferenceContextIDs
	//       ✓ 2. plus#3 (2)
	//       ✓ 3. sending#3 (3)
	//       ✗ 4. missing: chilled#4 (1)
	//            not retrieved, among 4
}

func ExampleReportMatcher_ForEachTag() {
	g := NewWithT(t)

	searches := []ragtest.Sample{
		{Name: "sizes", Tags: []string{"lookup"}, RetrievedContextIDs: ragtest.IDs{"sizes#1", "prices#1"}, ReferenceContextIDs: ragtest.IDs{"sizes#1"}},
		{Name: "depot", Tags: []string{"lookup"}, RetrievedContextIDs: ragtest.IDs{"depot#1", "depot#2"}, ReferenceContextIDs: ragtest.IDs{"depot#1"}},
		{Name: "refunds", Tags: []string{"broad"}, RetrievedContextIDs: ragtest.IDs{"prices#1", "plus#3"}, ReferenceContextIDs: ragtest.IDs{"plus#3", "sending#3"}},
	}
	report, err := ragtest.Evaluate(context.Background(), searches, ragtest.RecallAt(2))
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(report).To(HaveMeanAbove(ragtest.RecallAt(2), 0.8)) // which hides the broad ones
	g.Expect(report).To(HaveMeanAbove(ragtest.RecallAt(2), 0.8).ForEachTag())
	// Output:
	//
	// Expected
	//     <*ragtest.Report | 0x…>: 3 samples
	//         recall_at_2 0.833 [0.500, 1.000], median 1.000, from 0.500 to 1.000, n=3
	// to have a mean of recall_at_2 above 0.8 for each tag
	// but 1 of 2 tags fall short
	//     ✗ broad: the mean is 0.500, n=1
	//     ✓ lookup: the mean is 1.000, with a 95% interval from 1.000 to 1.000, n=2
	// the worst of broad
	//     refunds: recall_at_2 0.50 (1/2)
	//       ✗ 2. sending#3
	//            not retrieved, among 2
}
