package matchers_test

import (
	"context"

	. "github.com/onsi/gomega"

	. "github.com/ragomega/ragomega/matchers"
	"github.com/ragomega/ragomega/ragtest"
)

func ExampleHaveFault() {
	useExampleJudge()
	g := NewWithT(t)

	low := ragtest.Thresholds{ContextRecall: 0.8, Faithfulness: 0.9}
	g.Expect(ragtest.Diagnose(context.Background(), samples[0], low)).To(HaveFault(ragtest.RetrievalMiss))
	g.Expect(ragtest.Diagnose(context.Background(), samples[0], low)).To(HaveFault(ragtest.NoFault))
	// Output:
	//
	// Expected
	//     storage: retrieval miss (also reader invents)
	//       context_recall 0.50 < 0.8
	//       faithfulness 0.50 < 0.9
	//       Plus members have 120 hours
	//       try: tune the retriever: more chunks (k), other chunk sizes, another embedding model, and look whether the document is in the index
	// to have the fault "none"
}

func ExampleBeInQuadrant() {
	useExampleJudge()
	g := NewWithT(t)

	low := ragtest.Thresholds{Faithfulness: 0.9, AnswerRelevance: 0.5}
	diagnosis, err := ragtest.DiagnoseScores("storage", low,
		ragtest.Score{Metric: "faithfulness", Value: 0.5}, ragtest.Score{Metric: "answer_relevance", Value: 0.8})
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(diagnosis).To(BeInQuadrant(ragtest.UnfaithfulRelevant)) // it reads well, and is not true
	// Output:
}
