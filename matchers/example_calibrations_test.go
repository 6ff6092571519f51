package matchers_test

import (
	"context"
	"fmt"
	"strings"

	. "github.com/onsi/gomega"

	. "github.com/ragomega/ragomega/matchers"
	"github.com/ragomega/ragomega/ragtest"
)

// labelledClaims are 120 claims with the labels of a person; as a rule they are
// read from a file by ragtest.ReadLabelled. The judge of these examples does not
// know a claim in other words, and takes a text for what it denies.
func labelledClaims() (all []ragtest.Labelled) {
	for i := range 60 {
		yes, no := "Locker %d is open day and night", "Locker %d is heated"
		switch i % 10 {
		case 0:
			yes = "Locker %d never closes"
		case 5:
			no = "locker %d is free"
		}
		text := fmt.Sprintf("Locker %d is open day and night. It is a myth that locker %d is free.", i, i)
		for label, claim := range []string{no, yes} {
			all = append(all, ragtest.Labelled{
				Sample: ragtest.Sample{Name: fmt.Sprintf("%d/%d", i, label+1), Response: fmt.Sprintf(claim, i), RetrievedContexts: []string{text}},
				Labels: []ragtest.Label{{Value: float64(label)}},
			})
		}
	}
	return all
}

func ExampleHaveKappaAbove() {
	g := NewWithT(t)
	judge := exampleJudge()

	calibration, err := judge.Calibrate(context.Background(), ragtest.Faithfulness, labelledClaims())
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(calibration).To(HaveKappaAbove(0.6))
	g.Expect(calibration).To(HaveKappaAbove(0.7))
	// Output:
	//
	// Expected
	//     <*ragtest.Calibration>: verify/v2 of faithfulness by literal at in-process, prompt d68b5ca64e2f, 120 items
	// to have kappa above 0.7 at the lower end of the 95% interval
	// but the lower end is 0.67, as kappa is 0.80 [0.67, 0.90]
	//     n=120, agreement 0.90 [0.83, 0.94], kappa 0.80 [0.67, 0.90], TPR 0.90 [0.80, 0.95], TNR 0.90 [0.80, 0.95]
	//     human \ judge  positive  negative  total
	//     positive             54         6     60
	//     negative              6        54     60
	//     total                60        60    120
	// the worst disagreements
	//     0/2: people 1, judge 0: Locker 0 never closes
	//        no document says so
	//     5/1: people 0, judge 1: locker 5 is free
	//        a document says so
	//     10/2: people 1, judge 0: Locker 10 never closes
	//        no document says so
	//     15/1: people 0, judge 1: locker 15 is free
	//        a document says so
	//     20/2: people 1, judge 0: Locker 20 never closes
	//        no document says so
	//     and 7 more
}

func ExampleCalibrationMatcher_OnPoint() {
	g := NewWithT(t)

	calibration, err := exampleJudge().Calibrate(context.Background(), ragtest.Faithfulness, labelledClaims())
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(calibration).NotTo(HaveKappaAbove(0.7), "so much 120 labels do not show")
	g.Expect(calibration).To(HaveKappaAbove(0.7).OnPoint())
	// Output:
}

func ExampleCalibrationMatcher_Confidence() {
	g := NewWithT(t)

	calibration, err := exampleJudge().Calibrate(context.Background(), ragtest.Faithfulness, labelledClaims())
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(calibration).NotTo(HaveTPRAbove(0.81))
	g.Expect(calibration).To(HaveTPRAbove(0.81).Confidence(0.9))
	// Output:
}

func ExampleCalibrationMatcher_ForTag() {
	g := NewWithT(t)
	claims := labelledClaims()
	for i := range claims[:60] {
		claims[i].Sample.Tags = []string{"old"}
	}

	calibration, err := exampleJudge().Calibrate(context.Background(), ragtest.Faithfulness, claims)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(calibration).To(HaveTNRAbove(0.7).ForTag("old"))
	// Output:
}

func ExampleCalibrationMatcher_AllowUnmeasured() {
	g := NewWithT(t)
	calibration, err := exampleJudge().Calibrate(context.Background(), ragtest.Faithfulness, labelledClaims())
	g.Expect(err).NotTo(HaveOccurred())
	calibration.Items[7].Err = ragtest.ErrRefused // by the judge, of one of them

	g.Expect(calibration).To(HaveKappaAbove(0.6).AllowUnmeasured(1))
	g.Expect(calibration).To(HaveKappaAbove(0.6))
	// Output:
	// HaveKappaAbove(0.6): 1 of 120 samples were not measured, and AllowUnmeasured allows 0
	//     3/2: refused
}

func ExampleHaveTNRAbove() {
	g := NewWithT(t)

	calibration, err := exampleJudge().Calibrate(context.Background(), ragtest.Faithfulness, labelledClaims())
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(calibration).To(HaveTNRAbove(0.7)) // it finds what is unsupported
	// Output:
}

func ExampleHaveTPRAbove() {
	g := NewWithT(t)

	calibration, err := exampleJudge().Calibrate(context.Background(), ragtest.Faithfulness, labelledClaims())
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(calibration).To(HaveTPRAbove(0.7)) // it accepts what is supported

	few, err := exampleJudge().Calibrate(context.Background(), ragtest.Faithfulness, labelledClaims()[:12])
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(few).To(HaveTPRAbove(0.7))
	// Output:
	// HaveTPRAbove(0.7): too few labels: 6 items are labelled 1; it takes 10 to decide by their rate
	//     n=12, agreement 0.83 [0.55, 0.95], kappa 0.67 [0.06, 1.00], TPR 0.83 [0.44, 0.97], TNR 0.83 [0.44, 0.97]
	//     human \ judge  positive  negative  total
	//     positive              5         1      6
	//     negative              1         5      6
	//     total                 6         6     12
	//     ! few labels: 6 items are labelled 1 and 6 are labelled 0; it takes 10 of each to decide by an interval, and 60 of each for a rate to within 0.1
}

// thoroughness gives an answer a point for each of its sentences, up to three.
type thoroughness struct{}

func (thoroughness) Name() string                     { return "thoroughness" }
func (thoroughness) Range() (lowest, highest float64) { return 1, 3 }
func (thoroughness) Measure(_ context.Context, _ *ragtest.Judge, s ragtest.Sample) (ragtest.Score, error) {
	return ragtest.Score{Value: float64(min(3, strings.Count(s.Response, ".")))}, nil
}

// rated are 60 answers with a person's points from 1 to 3.
func rated() (all []ragtest.Labelled) {
	for i := range 60 {
		points := i%3 + 1
		answer := strings.Repeat("It is so. ", points)
		if i%10 == 9 {
			answer += "That is all." // which is one sentence more, and no more thorough
		}
		all = append(all, ragtest.Labelled{
			Sample: ragtest.Sample{Name: fmt.Sprint("answer ", i), Response: answer},
			Labels: []ragtest.Label{{Value: float64(points)}},
		})
	}
	return all
}

func ExampleHaveWeightedKappaAbove() {
	g := NewWithT(t)

	calibration, err := exampleJudge().Calibrate(context.Background(), thoroughness{}, rated())
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(calibration).To(HaveWeightedKappaAbove(0.8))
	// Output:
}

func ExampleHaveAlphaAbove() {
	g := NewWithT(t)

	calibration, err := exampleJudge().Calibrate(context.Background(), thoroughness{}, rated())
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(calibration).To(HaveAlphaAbove(0.8))
	// Output:
}

func ExampleBeNotWorseThan() {
	g := NewWithT(t)

	// As a rule they are read by ragtest.ReadCalibration, and each is of its judge.
	labels, err := exampleJudge().Calibrate(context.Background(), ragtest.Faithfulness, labelledClaims())
	g.Expect(err).NotTo(HaveOccurred())
	dear, cheap := judging(labels, "dear", every(20, 1)), judging(labels, "cheap", every(15, 2))
	g.Expect(cheap).To(BeNotWorseThan(dear, 0.2))
	g.Expect(cheap).To(BeNotWorseThan(dear, 0.1))
	// Output:
	//
	// Expected
	//     <*ragtest.Calibration>: verify/v2 of faithfulness by cheap at in-process, prompt d68b5ca64e2f, 120 items
	// to trail dear at in-process by less than 0.1 of kappa at the lower end of the 95% interval
	// but the lower end is -0.17, as the difference of kappa is -0.03 [-0.17, 0.08]
	//     cheap at in-process: kappa 0.87 [0.77, 0.95]
	//     dear at in-process: kappa 0.90 [0.80, 0.97]
	//     difference of kappa -0.03 [-0.17, 0.08]
	//     with each other: kappa 0.77 [0.63, 0.87]
	//     only the first right: 6, only the second: 8, p 0.607, n=120
	//     human \ judge  positive  negative  total
	//     positive             56         4     60
	//     negative              4        56     60
	//     total                60        60    120
	// what only the other has right
	//     1/1: people 0, judge 1: Locker 1 is heated
	//        no document says so
	//     8/2: people 1, judge 0: Locker 8 is open day and night
	//        a document says so
	//     16/1: people 0, judge 1: Locker 16 is heated
	//        no document says so
	//     23/2: people 1, judge 0: Locker 23 is open day and night
	//        a document says so
	//     31/1: people 0, judge 1: Locker 31 is heated
	//        no document says so
	//     and 3 more
}

func ExampleHaveCorrectedMeanAbove() {
	useExampleJudge()
	g := NewWithT(t)

	calibration, err := ragtest.Calibrate(context.Background(), ragtest.Faithfulness, labelledClaims())
	g.Expect(err).NotTo(HaveOccurred())
	report, err := ragtest.Evaluate(context.Background(), samples, ragtest.Faithfulness)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(report).To(HaveCorrectedMeanAbove(ragtest.Faithfulness, calibration, 0.4))
	g.Expect(report).To(HaveCorrectedMeanAbove(ragtest.Faithfulness, calibration, 0.8))
	// Output:
	//
	// Expected
	//     <*ragtest.Report | 0x…>: 3 samples
	//         faithfulness 0.833 [0.500, 1.000], median 1.000, from 0.500 to 1.000, n=3
	//         judge: literal at in-process, uncalibrated
	// to have a corrected mean of faithfulness above 0.8 at the lower end of the 95% interval
	// but the lower end is 0.47, as the corrected mean is 0.92 [0.47, 1.00]
	//     faithfulness 0.917 [0.47, 1.00] corrected, 0.833 by the judge (TPR 0.90, TNR 0.90 of 120 items), n=3
	//     corrected by verify/v2 of faithfulness by literal at in-process, prompt d68b5ca64e2f, 120 items
	// the worst
	//     storage: faithfulness 0.50 (1/2)
	//       ✗ 2. Waiting longer is free
	//            no document says so
	//            nearest: "A parcel waits for 48 hours."
}

func ExampleCorrectedMatcher_OnPoint() {
	useExampleJudge()
	g := NewWithT(t)

	calibration, err := ragtest.Calibrate(context.Background(), ragtest.Faithfulness, labelledClaims())
	g.Expect(err).NotTo(HaveOccurred())
	report, err := ragtest.Evaluate(context.Background(), samples, ragtest.Faithfulness)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(report).To(HaveCorrectedMeanAbove(ragtest.Faithfulness, calibration, 0.8).OnPoint())
	// Output:
}

func ExampleCorrectedMatcher_ForTag() {
	useExampleJudge()
	g := NewWithT(t)

	calibration, err := ragtest.Calibrate(context.Background(), ragtest.Faithfulness, labelledClaims())
	g.Expect(err).NotTo(HaveOccurred())
	report, err := ragtest.Evaluate(context.Background(), samples, ragtest.Faithfulness)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(report).To(HaveCorrectedMeanAbove(ragtest.Faithfulness, calibration, 0.9).ForTag("critical").OnPoint())
	// Output:
}
