package matchers_test

import (
	"fmt"
	"strings"

	. "github.com/onsi/gomega"

	. "github.com/ragomega/ragomega/matchers"
	"github.com/ragomega/ragomega/ragtest"
)

// t stands for the *testing.T of a test. It prints what a failing test prints.
var t = exampleT{}

type exampleT struct{}

func (exampleT) Helper() {}
func (exampleT) Fatalf(_ string, args ...any) {
	for line := range strings.Lines(fmt.Sprint(args...)) {
		fmt.Println(strings.TrimRight(line, " \n"))
	}
}

// The judge of these examples takes a sentence for supported if a document has
// it word for word. In a test, ragtest.Use names a real one.
func useExampleJudge() { ragtest.Use(exampleJudge()) }

func ExampleBeFaithfulTo() {
	useExampleJudge()
	g := NewWithT(t)

	docs := []string{"Lockers are open day and night. A parcel waits for 48 hours."}
	g.Expect("A parcel waits for 48 hours.").To(BeFaithfulTo(docs...).Asked("How long does a parcel wait?"))
	g.Expect("A parcel waits for 48 hours. Waiting longer is free.").To(BeFaithfulTo(docs...))
	// Output:
	//
	// Expected
	//     <string>: A parcel waits for 48 hours. Waiting longer is free.
	// to be faithful to the contexts given
	// but the judge found
	//     faithfulness 0.50 (1/2)
	//       ✓ 1. A parcel waits for 48 hours
	//       ✗ 2. Waiting longer is free
	//            no document says so
	//            nearest: "A parcel waits for 48 hours."
	//     judge: literal at in-process, uncalibrated; claims/v2, verify/v2; asked
}

// storage is a sample as a RAG system gives it.
var storage = ragtest.Sample{
	Name:              "storage",
	UserInput:         "How long does a parcel wait?",
	Response:          "A parcel waits for 48 hours. Waiting longer is free.",
	RetrievedContexts: []string{"Lockers are open day and night. A parcel waits for 48 hours."},
	Reference:         "A parcel waits for 48 hours. Plus members have 120 hours.",
}

func ExampleBeFaithful() {
	useExampleJudge()
	g := NewWithT(t)

	g.Expect(storage).NotTo(BeFaithful())
	g.Expect(storage).To(BeFaithful())
	// Output:
	//
	// Expected
	//     <ragtest.Sample>: storage
	//         Q: How long does a parcel wait?
	//         A: A parcel waits for 48 hours. Waiting longer is free.
	//         reference: A parcel waits for 48 hours. Plus members have 120 hours.
	//         (1 context)
	// to be faithful to its contexts
	// but the judge found
	//     faithfulness 0.50 (1/2)
	//       ✓ 1. A parcel waits for 48 hours
	//       ✗ 2. Waiting longer is free
	//            no document says so
	//            nearest: "A parcel waits for 48 hours."
	//     judge: literal at in-process, uncalibrated; claims/v2, verify/v2; asked
}

func ExampleHaveFaithfulnessAbove() {
	useExampleJudge()
	g := NewWithT(t)

	g.Expect(storage).To(HaveFaithfulnessAbove(0.4))
	g.Expect(storage).NotTo(HaveFaithfulnessAbove(0.5), "1 of 2 is not above 0.5")
	// Output:
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

func ExampleHaveScore() {
	useExampleJudge()
	g := NewWithT(t)

	g.Expect(storage).To(HaveScore(ragtest.Faithfulness, 0.5))
	g.Expect(storage).To(HaveScore(ragtest.ContextRecall, BeNumerically(">=", 0.5)))
	// Output:
}

func ExampleHaveScoreAbove() {
	useExampleJudge()
	g := NewWithT(t)

	g.Expect(storage).To(HaveScoreAbove(ragtest.Faithfulness, 0.25))
	// Output:
}

func ExampleMatcher_Using() {
	g := NewWithT(t)
	strict := exampleJudge() // another judge than the suite's

	g.Expect(storage).NotTo(BeFaithful().Using(strict))
	// Output:
}
