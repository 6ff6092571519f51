package ragtest_test

import (
	"errors"
	"fmt"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/ragomega/ragomega/cache"
	"github.com/ragomega/ragomega/ragtest"
	"github.com/ragomega/ragomega/ragtest/agreement"
)

// measuredBy has the scores of n samples by faithfulness, with k of five claims
// supported in turn.
func measuredBy(judge string, supported ...int) *ragtest.Report {
	r := &ragtest.Report{Judge: judge, Metrics: []string{"faithfulness"}}
	for i, k := range supported {
		r.Results = append(r.Results, ragtest.Result{
			Sample: fmt.Sprint("sample ", i), Metric: "faithfulness",
			Score: ragtest.Score{Metric: "faithfulness", Value: float64(k) / 5, Exchanges: []ragtest.Exchange{{Step: "claims/v2"}, {Step: "verify/v2"}}},
		})
	}
	return r
}

// With TPR .9 and TNR .85, a judge that finds 76 % finds what 81.33 % would be.
func TestCorrectedMean(t *testing.T) {
	g := NewWithT(t)
	c := judged(90, 10, 15, 85)
	r := measuredBy("m at i", 5, 3, 4, 4, 3, 4, 3, 4, 4, 4) // 0.76
	m, err := r.Corrected(ragtest.Faithfulness, c)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(m.Observed).To(BeNumerically("~", 0.76, 1e-12))
	g.Expect(m.Value).To(BeNumerically("~", (0.76+0.85-1)/(0.9+0.85-1), 1e-12))
	g.Expect([]float64{m.TPR, m.TNR}).To(Equal([]float64{0.9, 0.85}))
	g.Expect(m.Interval.Low).To(BeNumerically("<", m.Value))
	g.Expect(m.Interval.High).To(BeNumerically(">", m.Value))
	g.Expect(m.String()).To(MatchRegexp(`^faithfulness 0\.813 \[0\.\d\d, 0\.\d\d\] corrected, 0\.760 by the judge \(TPR 0\.90, TNR 0\.85 of 200 items\), n=10$`))

	// The interval has both errors: it is wider than that of the scores alone, which
	// the correction stretches, and becomes narrower with either sample.
	low, high, err := r.Scores(ragtest.Faithfulness).Interval(0.95)
	g.Expect(err).NotTo(HaveOccurred())
	width := m.Interval.High - m.Interval.Low
	g.Expect(width).To(BeNumerically(">", (high-low)/0.75))
	more, err := r.Corrected(ragtest.Faithfulness, judged(900, 100, 150, 850))
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(more.Interval.High - more.Interval.Low).To(BeNumerically("<", width))
	g.Expect(more.Value).To(BeNumerically("~", m.Value, 1e-12))

	// What no judge with these errors would find is cut, and kept as it came.
	all := measuredBy("m at i", 5, 5, 5, 5)
	m, err = all.Corrected(ragtest.Faithfulness, c)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(m.Value).To(Equal(1.0))
	g.Expect(m.Raw).To(BeNumerically("~", 0.85/0.75, 1e-12))
	g.Expect(m.Interval.High).To(Equal(1.0))
	g.Expect(m.Interval.Doubtful()).NotTo(BeEmpty(), "four perfect scores show nothing of what a fifth may be")
}

// Claims of one text stand or fall together: the same labels in ten texts say less
// than in a hundred.
func TestCorrectedMeanOfClusters(t *testing.T) {
	g := NewWithT(t)
	apart := judged(90, 10, 15, 85)
	together := judged(90, 10, 15, 85)
	for i := range together.Items {
		together.Items[i].Group = i / 5
	}
	r := measuredBy("m at i", 5, 3, 4, 4, 3, 4, 3, 4, 4, 4)
	a, err := r.Corrected(ragtest.Faithfulness, apart)
	g.Expect(err).NotTo(HaveOccurred())
	b, err := r.Corrected(ragtest.Faithfulness, together)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(b.Interval.High - b.Interval.Low).To(BeNumerically(">", a.Interval.High-a.Interval.Low))
}

func TestCannotCorrect(t *testing.T) {
	good := judged(90, 10, 15, 85)
	r := measuredBy("m at i", 5, 3, 4)
	otherStep := measuredBy("m at i", 5, 3, 4)
	otherStep.Results[1].Score.Exchanges = []ragtest.Exchange{{Step: "verify/v1", Source: cache.Recorded}}
	unmeasured := measuredBy("m at i", 5, 3, 4)
	unmeasured.Results[2].Err = errors.New("refused")
	whole := judged(90, 10, 15, 85)
	whole.Prompt, whole.Step = "", "faithfulness"
	for name, of := range map[string]struct {
		report *ragtest.Report
		metric ragtest.Metric
		by     *ragtest.Calibration
		want   string
	}{
		"a guess":          {r, ragtest.Faithfulness, judged(55, 45, 45, 55), "leave open whether the judge is better than chance"},
		"worse":            {r, ragtest.Faithfulness, judged(30, 70, 60, 40), "leave open whether the judge is better than chance"},
		"few negatives":    {r, ragtest.Faithfulness, judged(90, 4, 1, 5), "it takes 10 of each"},
		"one class":        {r, ragtest.Faithfulness, judged(90, 4, 0, 0), "it takes 10 of each"},
		"another judge":    {measuredBy("n at i", 5, 3), ragtest.Faithfulness, good, "the report is by n at i, and the calibration is of m at i"},
		"another prompt":   {otherStep, ragtest.Faithfulness, good, `sample "sample 1" was judged by prompt verify/v1, and the calibration is of verify/v2`},
		"not linear":       {r, ragtest.FactualCorrectness, good, "factual_correctness is no plain share of verdicts"},
		"another step":     {r, ragtest.ContextPrecision, good, "context_precision is no plain share of verdicts"},
		"no step":          {r, ragtest.Faithfulness, whole, `faithfulness is decided in the step "verify", and the calibration is of faithfulness`},
		"one sample":       {measuredBy("m at i", 5), ragtest.Faithfulness, good, "expected at least 2"},
		"not all measured": {unmeasured, ragtest.Faithfulness, good, "2 samples were measured by faithfulness and 1 were not"},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			_, err := of.report.Corrected(of.metric, of.by)
			g.Expect(err).To(MatchError(ragtest.ErrCannotCorrect))
			g.Expect(err).To(MatchError(ContainSubstring(of.want)))
		})
	}
	_, err := r.Corrected(ragtest.Faithfulness, judged(90, 4, 1, 5))
	NewWithT(t).Expect(err).To(MatchError(agreement.ErrFewLabels))
	_, err = r.Corrected(ragtest.Faithfulness, nil)
	NewWithT(t).Expect(err).To(MatchError(ContainSubstring("there is no calibration")))
}
