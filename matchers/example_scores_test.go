package matchers_test

import (
	. "github.com/onsi/gomega"

	. "github.com/ragomega/ragomega/matchers"
	"github.com/ragomega/ragomega/ragtest"
)

func ExampleHaveFaithfulnessAbove() {
	useExampleJudge()
	g := NewWithT(t)

	g.Expect(storage).To(HaveFaithfulnessAbove(0.4))
	g.Expect(storage).NotTo(HaveFaithfulnessAbove(0.5), "1 of 2 is not above 0.5")
	// Output:
}

func ExampleHaveAnswerRelevanceAbove() {
	useExampleJudge()
	g := NewWithT(t)

	g.Expect(storage).To(HaveAnswerRelevanceAbove(0.8))
	// Output:
	//
	// Expected
	//     <ragtest.Sample>: storage
	//         Q: How long does a parcel wait?
	//         A: A parcel waits for 48 hours. Waiting longer is free.
	//         reference: A parcel waits for 48 hours. Plus members have 120 hours.
	//         (1 context)
	// to have answer_relevance above 0.8
	// but the judge found
	//     answer_relevance 0.17
	//       ✓ 1. Is it so that A parcel waits for 48 hours? (0.26)
	//       ✓ 2. Who says that Waiting longer is free? (0.00)
	//       ✓ 3. Why is it that A parcel waits for 48 hours? (0.26)
	//     judge: literal at in-process, uncalibrated; questions/v1; asked
}

func ExampleHaveContextPrecisionAbove() {
	useExampleJudge()
	g := NewWithT(t)

	s := storage
	s.RetrievedContexts = []string{"Lockers are open day and night.", "A parcel waits for 48 hours."}
	g.Expect(s).To(HaveContextPrecisionAbove(0.9))
	// Output:
	//
	// Expected
	//     <ragtest.Sample>: storage
	//         Q: How long does a parcel wait?
	//         A: A parcel waits for 48 hours. Waiting longer is free.
	//         reference: A parcel waits for 48 hours. Plus members have 120 hours.
	//         (2 contexts)
	// to have context_precision above 0.9
	// but the judge found
	//     context_precision 0.50
	//       ✗ 1. context 1: Lockers are open day and night.
	//            it says nothing of the answer
	//       ✓ 2. context 2: A parcel waits for 48 hours.
	//     judge: literal at in-process, uncalibrated; 2 useful/v1; asked
}

func ExampleHaveContextRecallAbove() {
	useExampleJudge()
	g := NewWithT(t)

	g.Expect(storage).To(HaveContextRecallAbove(0.8))
	// Output:
	//
	// Expected
	//     <ragtest.Sample>: storage
	//         Q: How long does a parcel wait?
	//         A: A parcel waits for 48 hours. Waiting longer is free.
	//         reference: A parcel waits for 48 hours. Plus members have 120 hours.
	//         (1 context)
	// to have context_recall above 0.8
	// but the judge found
	//     context_recall 0.50 (1/2)
	//       ✓ 1. A parcel waits for 48 hours
	//       ✗ 2. Plus members have 120 hours
	//            no document says so
	//            nearest: "A parcel waits for 48 hours."
	//     judge: literal at in-process, uncalibrated; claims/v2, verify/v2; asked
}

func ExampleHaveAnswerCorrectnessAbove() {
	useExampleJudge()
	g := NewWithT(t)

	g.Expect(storage).To(HaveAnswerCorrectnessAbove(0.4))
	g.Expect(storage).NotTo(HaveAnswerCorrectnessAbove(0.9))
	// Output:
}

func ExampleHaveScore() {
	useExampleJudge()
	g := NewWithT(t)

	g.Expect(storage).To(HaveScore(ragtest.Faithfulness, 0.5))
	g.Expect(storage).To(HaveScore(ragtest.ContextRecall, BeNumerically(">=", 0.5)))
	g.Expect(storage).To(HaveScore(ragtest.NoiseSensitivity, BeNumerically("<", 0.1))) // less is better
	// Output:
}

func ExampleHaveScoreAbove() {
	useExampleJudge()
	g := NewWithT(t)

	g.Expect(storage).To(HaveScoreAbove(ragtest.SemanticSimilarity, 0.25))
	// Output:
}

func ExampleHaveVerdicts() {
	useExampleJudge()
	g := NewWithT(t)

	g.Expect(storage).To(HaveVerdicts(ragtest.ContextRecall, HaveLen(2)))
	g.Expect(storage).To(HaveVerdicts(ragtest.ContextRecall, ContainElement(And(
		HaveField("Claim", ContainSubstring("48 hours")),
		HaveField("OK", BeTrue()),
	))))
	// Output:
}

func ExampleHaveVerdict() {
	useExampleJudge()
	g := NewWithT(t)

	// The context at rank 1 is relevant.
	g.Expect(storage).To(HaveVerdict(ragtest.ContextPrecision, 1, true))
	// Output:
}

func ExampleHaveRejected() {
	useExampleJudge()
	g := NewWithT(t)

	// This claim is the one that the contexts do not support.
	g.Expect(storage).To(HaveRejected(ragtest.Faithfulness, ContainSubstring("free")))
	g.Expect(storage).To(HaveRejected(ragtest.Faithfulness, ContainSubstring("48 hours")))
	// Output:
	//
	// Expected
	//     <ragtest.Sample>: storage
	//         Q: How long does a parcel wait?
	//         A: A parcel waits for 48 hours. Waiting longer is free.
	//         reference: A parcel waits for 48 hours. Plus members have 120 hours.
	//         (1 context)
	// to have faithfulness reject exactly ContainSubstring("48 hours")
	// but the judge found
	//     faithfulness 0.50 (1/2)
	//       ✓ 1. A parcel waits for 48 hours
	//       ✗ 2. Waiting longer is free
	//            no document says so
	//            nearest: "A parcel waits for 48 hours."
	//     judge: literal at in-process, uncalibrated; claims/v2, verify/v2; asked
}
