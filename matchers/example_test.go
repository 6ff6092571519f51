package matchers_test

import (
	"context"
	"fmt"
	"strings"
	"time"

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
		fmt.Println(strings.TrimRight(pointer.ReplaceAllString(line, "0x…"), " \n"))
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

func ExampleBeCorrect() {
	useExampleJudge()
	g := NewWithT(t)

	g.Expect(storage).To(BeCorrect())
	// Output:
	//
	// Expected
	//     <ragtest.Sample>: storage
	//         Q: How long does a parcel wait?
	//         A: A parcel waits for 48 hours. Waiting longer is free.
	//         reference: A parcel waits for 48 hours. Plus members have 120 hours.
	//         (1 context)
	// to be correct by its reference
	// but the judge found
	//     answer_correctness_weights_1_0 0.50
	//       ✓ 1. answer: A parcel waits for 48 hours
	//       ✗ 2. unsupported by the reference: Waiting longer is free
	//            no claim of the reference says so
	//       ✓ 3. reference: A parcel waits for 48 hours
	//       ✗ 4. missing from the answer: Plus members have 120 hours
	//            no claim of the answer says so
	//     judge: literal at in-process, uncalibrated; 2 claims/v2, compare/v1; asked
}

func ExampleMatcher_Using() {
	g := NewWithT(t)
	strict := exampleJudge() // another judge than the suite's

	g.Expect(storage).NotTo(BeFaithful().Using(strict))
	// Output:
}

func ExampleMatcher_Asked() {
	useExampleJudge()
	g := NewWithT(t)

	// The answer alone would not say what it is about.
	g.Expect("48 hours").To(BeFaithfulTo("A parcel waits for 48 hours.").Asked("How long does a parcel wait?"))
	// Output:
}

func ExampleMatcher_WithContext() {
	useExampleJudge()
	g := NewWithT(t)

	ctx, cancel := context.WithTimeout(context.Background(), time.Minute) // in Ginkgo, the SpecContext
	defer cancel()
	g.Expect(storage).NotTo(BeFaithful().WithContext(ctx))
	// Output:
}
