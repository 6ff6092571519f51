package matchers_test

import (
	"context"

	. "github.com/onsi/gomega"

	. "github.com/ragomega/ragomega/matchers"
	"github.com/ragomega/ragomega/ragtest"
)

// samples are what a RAG system answered; as a rule they are read from a file by
// ragtest.ReadSamples.
var samples = []ragtest.Sample{
	storage,
	{
		Name: "opening hours", Tags: []string{"critical"},
		UserInput:         "When are lockers open?",
		Response:          "Lockers are open day and night.",
		RetrievedContexts: []string{"Lockers are open day and night. A parcel waits for 48 hours."},
		Reference:         "Lockers are open day and night.",
	},
	{
		Name: "returns", Tags: []string{"critical"},
		UserInput:         "Can I return a parcel?",
		Response:          "A parcel can be returned.",
		RetrievedContexts: []string{"A parcel can be returned. It is free."},
		Reference:         "A parcel can be returned. It is free.",
	},
}

func ExampleHaveMeanAbove() {
	useExampleJudge()
	g := NewWithT(t)

	report, err := ragtest.Evaluate(context.Background(), samples, ragtest.Faithfulness, ragtest.ContextRecall)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(report).To(HaveMeanAbove(ragtest.ContextRecall, 0.8))
	g.Expect(report).To(HaveMeanAbove(ragtest.Faithfulness, 0.9))
	// Output:
	//
	// Expected
	//     <*ragtest.Report | 0x…>: 3 samples
	//         faithfulness 0.833 [0.500, 1.000], median 1.000, from 0.500 to 1.000, n=3
	//         context_recall 0.833 [0.500, 1.000], median 1.000, from 0.500 to 1.000, n=3
	//         judge: literal at in-process, uncalibrated
	// to have a mean of faithfulness above 0.9
	// but the mean is 0.833, with a 95% interval from 0.500 to 1.000, n=3
	// the worst
	//     storage: faithfulness 0.50 (1/2)
	//       ✗ 2. Waiting longer is free
	//            no document says so
	//            nearest: "A parcel waits for 48 hours."
}

func ExampleHaveMean() {
	useExampleJudge()
	g := NewWithT(t)

	report, err := ragtest.Evaluate(context.Background(), samples, ragtest.NoiseSensitivity)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(report).To(HaveMean(ragtest.NoiseSensitivity, BeNumerically("<", 0.1))) // less is better
	// Output:
}

func ExampleHaveLowerBoundAbove() {
	useExampleJudge()
	g := NewWithT(t)

	report, err := ragtest.Evaluate(context.Background(), samples, ragtest.Faithfulness)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(report).To(HaveMeanAbove(ragtest.Faithfulness, 0.7))
	g.Expect(report).NotTo(HaveLowerBoundAbove(ragtest.Faithfulness, 0.7), "three samples are too few to say so")
	// Output:
}

func ExampleHavePassRateAbove() {
	useExampleJudge()
	g := NewWithT(t)

	report, err := ragtest.Evaluate(context.Background(), samples, ragtest.Faithfulness)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(report).To(HavePassRateAbove(HaveFaithfulnessAbove(0.4), 0.9))
	g.Expect(report).To(HavePassRateAbove(BeFaithful(), 0.9))
	// Output:
	//
	// Expected
	//     <*ragtest.Report | 0x…>: 3 samples
	//         faithfulness 0.833 [0.500, 1.000], median 1.000, from 0.500 to 1.000, n=3
	//         judge: literal at in-process, uncalibrated
	// to have a pass rate of BeFaithful() above 0.9
	// but the pass rate is 0.667 (2/3), with a 95% interval from 0.000 to 1.000, n=3
	// the worst that do not pass
	//     storage: faithfulness 0.50 (1/2)
	//       ✗ 2. Waiting longer is free
	//            no document says so
	//            nearest: "A parcel waits for 48 hours."
}

func ExampleHavePassRate() {
	useExampleJudge()
	g := NewWithT(t)

	report, err := ragtest.Evaluate(context.Background(), samples, ragtest.Faithfulness)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(report).To(HavePassRate(BeFaithful(), 1).ForTag("critical")) // all of them
	// Output:
}

func ExampleReportMatcher_ForTag() {
	useExampleJudge()
	g := NewWithT(t)

	report, err := ragtest.Evaluate(context.Background(), samples, ragtest.Faithfulness)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(report).NotTo(HaveMeanAbove(ragtest.Faithfulness, 0.95))
	g.Expect(report).To(HaveMeanAbove(ragtest.Faithfulness, 0.95).ForTag("critical"))
	// Output:
}

func ExampleReportMatcher_AllowUnmeasured() {
	useExampleJudge()
	g := NewWithT(t)

	silent := ragtest.Sample{Name: "silent", UserInput: "Is it far?", RetrievedContexts: []string{"It is not far."}}
	report, err := ragtest.Evaluate(context.Background(), append(samples, silent), ragtest.Faithfulness)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(report).To(HaveMeanAbove(ragtest.Faithfulness, 0.8).AllowUnmeasured(1))
	g.Expect(report).To(HaveMeanAbove(ragtest.Faithfulness, 0.8))
	// Output:
	// HaveMeanAbove(faithfulness, 0.8): 1 of 4 samples were not measured, and AllowUnmeasured allows 0
	//     silent: missing input: Sample.Response: an answer to judge is needed, and it is blank. Nothing was asked
}

func ExampleReportMatcher_Confidence() {
	useExampleJudge()
	g := NewWithT(t)

	report, err := ragtest.Evaluate(context.Background(), samples, ragtest.Faithfulness)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(report).NotTo(HaveLowerBoundAbove(ragtest.Faithfulness, 0.6))
	g.Expect(report).To(HaveLowerBoundAbove(ragtest.Faithfulness, 0.6).Confidence(0.5))
	// Output:
}
