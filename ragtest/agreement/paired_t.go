package agreement

import "math"

// PairedMean is what the t test of pairs finds.
type PairedMean struct {
	N        int
	Mean, SD float64 // of the differences b-a

	T        float64 // infinite if all differences are equal, and not 0
	P        float64 // two-sided, with N-1 degrees of freedom
	Interval Interval
}

// PairedT tests whether the mean difference b-a of pairs, of the same samples in
// the same order, is 0, by Student's t. Pairs without any difference have T of 0
// and P of 1. It is [ErrUndefined] for fewer than two pairs. Scores of few values
// are not normal, so compare it with [Permutation] and [Bootstrap.Difference].
func PairedT(a, b []float64, confidence float64) (PairedMean, error) {
	if err := checkConfidence(confidence); err != nil {
		return PairedMean{}, err
	}
	d, err := Differences(a, b)
	if err != nil {
		return PairedMean{}, err
	}
	if len(d) < 2 {
		return PairedMean{}, undefined("t test of pairs", "it takes 2 pairs, and there are %d", len(d))
	}
	n := float64(len(d))
	m := PairedMean{N: len(d), Mean: mean(d), SD: math.Sqrt(squares(d) / (n - 1)), P: 1}
	nothing := noise * largest(a, b...)
	if m.SD <= nothing {
		m.SD = 0 // what is left is that the scores are not exact
	}
	half := 0.0
	switch {
	case m.SD > 0:
		half = -studentQuantile((1-confidence)/2, n-1) * m.SD / math.Sqrt(n)
		m.T = m.Mean / (m.SD / math.Sqrt(n))
		m.P = studentTwoSided(m.T, n-1)
	case math.Abs(m.Mean) > nothing:
		m.T, m.P = math.Inf(1), 0
		if m.Mean < 0 {
			m.T = math.Inf(-1)
		}
	}
	m.Interval = Interval{Low: m.Mean - half, High: m.Mean + half, Confidence: confidence, Method: "t", Degenerate: m.SD == 0}
	return m, nil
}

// Effect returns the mean difference in standard deviations of the differences,
// Cohen's d_z. It is [ErrUndefined] if all differences are equal.
func (m PairedMean) Effect() (float64, error) {
	if m.SD == 0 {
		return 0, undefined("effect size", "all %d differences are equal", m.N)
	}
	return m.Mean / m.SD, nil
}
