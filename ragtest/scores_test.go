package ragtest_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	. "github.com/onsi/gomega"
	"pgregory.net/rapid"

	"github.com/ragomega/ragomega/ragtest"
)

// scored returns the scores of a report with these values, and some more
// samples that were not measured.
func scored(unmeasured int, values ...float64) ragtest.Scores {
	r := reported(unmeasured, values...)
	return r.Scores(ragtest.Faithfulness)
}

func reported(unmeasured int, values ...float64) *ragtest.Report {
	r := &ragtest.Report{Judge: "m at p", Metrics: []string{"faithfulness"}}
	for i, v := range values {
		r.Results = append(r.Results, ragtest.Result{Sample: fmt.Sprintf("s%d", i), Metric: "faithfulness", Score: ragtest.Score{Metric: "faithfulness", Value: v}})
	}
	for i := range unmeasured {
		r.Results = append(r.Results, ragtest.Result{Sample: fmt.Sprintf("u%d", i), Metric: "faithfulness", Err: ragtest.ErrUndefined})
	}
	return r
}

// The percentiles are those of numpy and of Python's statistics.quantiles with
// method inclusive.
func TestPercentile(t *testing.T) {
	s := scored(3, 0.1, 0.4, 0.35, 0.8, 0.95, 0.2)
	for p, want := range map[float64]float64{0: 0.1, 5: 0.125, 25: 0.2375, 50: 0.375, 70: 0.6, 95: 0.9125, 100: 0.95} {
		got, err := s.Percentile(p)
		NewWithT(t).Expect(err).NotTo(HaveOccurred())
		NewWithT(t).Expect(got).To(BeNumerically("~", want, 1e-12), "percentile %v", p)
	}
	for _, p := range []float64{-0.1, 100.1, math.NaN(), math.Inf(1)} {
		_, err := s.Percentile(p)
		NewWithT(t).Expect(err).To(MatchError(fmt.Sprintf("ragtest: the percentile is %v, expected a number from 0 to 100", p)))
	}
	NewWithT(t).Expect(scored(0, 0.7).Percentile(33)).To(Equal(0.7))
}

// The intervals were computed by another implementation of the same generator and
// of the same rules, with numpy and scipy. Those of 400,000 other draws differ by at
// most the distance of two means that can be drawn next to each other.
func TestInterval(t *testing.T) {
	sevenths := func(n int) []float64 {
		v := make([]float64, n)
		for i := range v {
			v[i] = float64(i%7) / 6
		}
		return v
	}
	zeros := func(n, every int) []float64 {
		v := slices.Repeat([]float64{1}, n)
		for i := 0; i < n; i += every {
			v[i] = 0
		}
		return v
	}
	for _, test := range []struct {
		values     []float64
		confidence float64
		low, high  float64
	}{
		{[]float64{0.2, 0.5, 0.5, 0.9, 1}, 0.95, 0.38, 0.88},
		{[]float64{0.2, 0.5, 0.5, 0.9, 1}, 0.5, 0.54, 0.72},
		{sevenths(20), 0.9, 0.35, 0.5916666666666667},
		{[]float64{0, 1, 1, 1, 1, 1, 1, 1, 1, 0.5}, 0.95, 0.55, 1},
		{zeros(200, 20), 0.95, 0.91, 0.975},
		{sevenths(1001), 0.95, 0.4793504877660657, 0.5206495122339343},
		{zeros(1400, 200), 0.95, 0.9899692260317638, 0.9978829754385435},
		{zeros(1400, 700), 0.95, 0.9948206067660856, 0.9998684258682748},
		{[]float64{1, 1, 1}, 0.95, 1, 1},
		{slices.Repeat([]float64{0.1}, 2000), 0.95, 0.1, 0.1},
	} {
		low, high, err := scored(1, test.values...).Interval(test.confidence)
		g := NewWithT(t)
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(low).To(BeNumerically("~", test.low, 1e-12))
		g.Expect(high).To(BeNumerically("~", test.high, 1e-12))
	}
	for _, c := range []float64{0, 1, -1, 95, math.NaN()} {
		_, _, err := scored(0, 0.1, 0.2).Interval(c)
		NewWithT(t).Expect(err).To(MatchError(fmt.Sprintf("ragtest: the confidence is %v, expected a number between 0 and 1 such as 0.95", c)))
	}
}

// Equal scores have an interval of no width, which says that it is none to decide
// by, however many they are.
func TestIntervalOfEqualScores(t *testing.T) {
	g := NewWithT(t)
	for _, n := range []int{2, 3, 1000, 1001} {
		for _, v := range []float64{0, 0.1, 0.7, 1} {
			s := scored(0, slices.Repeat([]float64{v}, n)...)
			i, err := s.MeanInterval(0.95)
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(i.Degenerate).To(BeTrue(), "%d scores of %v", n, v)
			g.Expect([]float64{i.Low, i.High}).To(HaveEach(BeNumerically("~", v, 1e-12)))
			low, high, err := s.Interval(0.95)
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect([]float64{low, high}).To(Equal([]float64{i.Low, i.High}))
		}
		others := append(slices.Repeat([]float64{1}, n-1), 0.5)
		i, err := scored(0, others...).MeanInterval(0.95)
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(i.Degenerate).To(BeFalse())
		g.Expect(i.Low).To(BeNumerically("<", i.High))
	}
	_, err := scored(0, 1).MeanInterval(0.95)
	g.Expect(err).To(MatchError(ragtest.ErrUndefined))
}

func TestNothingMeasuredIsUndefined(t *testing.T) {
	g := NewWithT(t)
	for _, s := range []ragtest.Scores{scored(2), (&ragtest.Report{}).Scores(ragtest.Faithfulness)} {
		_, err := s.Mean()
		g.Expect(err).To(MatchError(ragtest.ErrUndefined))
		_, err = s.Percentile(50)
		g.Expect(err).To(MatchError(ragtest.ErrUndefined))
		_, _, err = s.Interval(0.95)
		g.Expect(err).To(MatchError(ragtest.ErrUndefined))
		g.Expect(s.Worst(3)).To(BeEmpty())
		g.Expect(s.Values()).To(BeEmpty())
	}
	_, err := scored(2).Mean()
	g.Expect(err).To(MatchError("undefined: there is no mean of faithfulness: 0 samples were measured and 2 were not"))
	_, err = reported(2).Scores(ragtest.ContextRecall).Mean()
	g.Expect(err).To(MatchError("undefined: there is no mean of context_recall, as no result is of it"))
	_, _, err = scored(0, 0.5).Interval(0.95)
	g.Expect(err).To(MatchError("undefined: there is no interval of faithfulness: 1 samples were measured and 0 were not"))
}

func TestWorst(t *testing.T) {
	g := NewWithT(t)
	names := func(results []ragtest.Result) (s []string) {
		for _, x := range results {
			s = append(s, x.Sample)
		}
		return s
	}
	s := scored(1, 0.5, 0.1, 0.5, 0.9, 0.1)
	g.Expect(names(s.Worst(3))).To(Equal([]string{"s1", "s4", "s0"}))
	g.Expect(names(s.Worst(99))).To(Equal([]string{"s1", "s4", "s0", "s2", "s3"}))
	g.Expect(s.Worst(0)).To(BeEmpty())
	g.Expect(s.Worst(-1)).To(BeEmpty())
	g.Expect(names(s.Measured)).To(Equal([]string{"s0", "s1", "s2", "s3", "s4"}), "the order of the results stays")

	noise := (&ragtest.Report{Results: []ragtest.Result{
		{Sample: "a", Metric: ragtest.NoiseSensitivity.Name(), Score: ragtest.Score{Value: 0.2}},
		{Sample: "b", Metric: ragtest.NoiseSensitivity.Name(), Score: ragtest.Score{Value: 0.7}},
		{Sample: "c", Metric: ragtest.NoiseSensitivity.Name(), Score: ragtest.Score{Value: 0.2}},
	}}).Scores(ragtest.NoiseSensitivity)
	g.Expect(names(noise.Worst(2))).To(Equal([]string{"b", "a"}))
	g.Expect(noise.String()).To(HaveSuffix("n=3, lower is better"))
}

func TestScoresString(t *testing.T) {
	g := NewWithT(t)
	g.Expect(scored(0, 0.2, 0.5, 0.5, 0.9, 1).String()).To(Equal("faithfulness 0.620 [0.380, 0.880], median 0.500, from 0.200 to 1.000, n=5"))
	g.Expect(scored(2, 1).String()).To(Equal("faithfulness 1.000, median 1.000, from 1.000 to 1.000, n=1, 2 not measured"))
	g.Expect(scored(2).String()).To(Equal("faithfulness: not measured (2)"))
	g.Expect(reported(1, 1).String()).To(Equal("faithfulness 1.000, median 1.000, from 1.000 to 1.000, n=1, 1 not measured\njudge: m at p, uncalibrated"))
}

// An interval lies within the scores and around their mean, and grows with the
// confidence; both are the same whatever the samples are called.
func TestIntervalsHoldTheMean(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		v := rapid.SliceOfN(rapid.SampledFrom([]float64{0, 0.25, 0.5, 2.0 / 3, 1}), 2, 40).Draw(rt, "scores")
		v = slices.Repeat(v, rapid.SampledFrom([]int{1, 2, 501}).Draw(rt, "times"))
		s := scored(0, v...)
		m, _ := s.Mean()
		low, high, err := s.Interval(0.9)
		if err != nil {
			rt.Fatal(err)
		}
		wideLow, wideHigh, _ := s.Interval(0.99)
		const eps = 1e-9
		if low > m+eps || high < m-eps || wideLow > low+eps || wideHigh < high-eps || low < slices.Min(v)-eps || high > slices.Max(v)+eps {
			rt.Fatalf("mean %v, 90%% [%v, %v], 99%% [%v, %v]", m, low, high, wideLow, wideHigh)
		}
		lowAgain, highAgain, _ := s.Interval(0.9)
		if low != lowAgain || high != highAgain {
			rt.Fatal("the interval is another one each time")
		}
	})
}

// Two million numbers are drawn at most: 10,000 samples take less time than 1,000.
func BenchmarkInterval(b *testing.B) {
	for _, n := range []int{100, 1000, 10000} {
		v := make([]float64, n)
		for i := range v {
			v[i] = float64(i%7) / 6
		}
		s := scored(0, v...)
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			for b.Loop() {
				if _, _, err := s.Interval(0.95); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
