package ragtest

import (
	"cmp"
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
)

// Scores are what a report has of one metric.
type Scores struct {
	Metric     string
	Measured   []Result // with a score
	Unmeasured []Result // with the reason why there is none

	lower bool // is better
}

// Values returns the scores in the order of the samples.
func (s Scores) Values() []float64 {
	v := make([]float64, len(s.Measured))
	for i, x := range s.Measured {
		v[i] = x.Score.Value
	}
	return v
}

// Mean is that of the samples that were measured. It is [ErrUndefined] if there
// is none. How many were not is for the caller to look at.
func (s Scores) Mean() (float64, error) {
	if len(s.Measured) == 0 {
		return 0, s.undefined("mean")
	}
	return mean(s.Values()), nil
}

func (s Scores) undefined(what string) error {
	if len(s.Measured)+len(s.Unmeasured) == 0 {
		return fmt.Errorf("%w: there is no %s of %s, as no result is of it", ErrUndefined, what, s.Metric)
	}
	return fmt.Errorf("%w: there is no %s of %s: %d samples were measured and %d were not", ErrUndefined, what, s.Metric, len(s.Measured), len(s.Unmeasured))
}

func mean(values []float64) float64 {
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	return sum / float64(len(values))
}

// draws is how many samples of the samples an interval rests on, as long as
// there are at most mostDrawn of them.
const draws, mostDrawn = 2000, 1000

// Interval returns an interval for the mean that holds the mean of all samples
// like these with the given confidence, above 0 and below 1. It is the
// percentile bootstrap over 2,000 draws, the same ones every time and everywhere.
// For more than 1,000 samples it is what the bootstrap comes near to, the normal
// interval corrected for skewness, which takes no longer than the mean.
//
// It is [ErrUndefined] for fewer than two samples. All equal scores give an
// interval of no width, which says little when they are few.
func (s Scores) Interval(confidence float64) (low, high float64, err error) {
	if !(confidence > 0 && confidence < 1) {
		return 0, 0, fmt.Errorf("ragtest: the confidence is %v, expected a number between 0 and 1 such as 0.95", confidence)
	}
	v := s.Values()
	if len(v) < 2 {
		return 0, 0, s.undefined("interval")
	}
	tail := (1 - confidence) / 2
	if len(v) > mostDrawn {
		low, high = skewed(v, tail)
		return low, high, nil
	}
	means := drawn(v)
	slices.Sort(means)
	return quantile(means, tail), quantile(means, 1-tail), nil
}

// drawn returns the means of samples of v. The generator is one whose stream is
// laid down, and the bits are used here, so that no release of Go changes them.
func drawn(v []float64) []float64 {
	n := uint64(len(v))
	r := rand.NewPCG(n, 1)
	means := make([]float64, draws)
	for i := range means {
		sum := 0.0
		for range v {
			at, _ := bits.Mul64(r.Uint64(), n)
			sum += v[at]
		}
		means[i] = sum / float64(n)
	}
	return means
}

// skewed returns the quantiles tail and 1-tail of the means of samples of v by
// the first terms of Cornish and Fisher's expansion. No mean lies outside of v.
func skewed(v []float64, tail float64) (low, high float64) {
	n, m := float64(len(v)), mean(v)
	var m2, m3 float64
	for _, x := range v {
		d := x - m
		m2 += float64(d * d)
		m3 += float64(d * d * d)
	}
	lowest, highest := slices.Min(v), slices.Max(v)
	if m2 == 0 {
		return lowest, highest
	}
	sd := math.Sqrt(m2 / n)
	z := math.Sqrt2 * math.Erfinv(1-2*tail)
	shift := (z*z - 1) * (m3 / n) / (6 * sd * sd * sd * math.Sqrt(n))
	at := func(z float64) float64 { return min(max(m+float64(z*sd/math.Sqrt(n)), lowest), highest) }
	return at(shift - z), at(shift + z)
}

// Percentile returns the score that p percent of the samples do not exceed,
// interpolated between two samples; p is from 0 to 100. It is [ErrUndefined] if
// no sample was measured.
func (s Scores) Percentile(p float64) (float64, error) {
	if !(p >= 0 && p <= 100) {
		return 0, fmt.Errorf("ragtest: the percentile is %v, expected a number from 0 to 100", p)
	}
	if len(s.Measured) == 0 {
		return 0, s.undefined("percentile")
	}
	return quantile(slices.Sorted(slices.Values(s.Values())), p/100), nil
}

// quantile is Hyndman and Fan's type 7, which numpy and R have by default.
func quantile(sorted []float64, q float64) float64 {
	at := q * float64(len(sorted)-1)
	i := int(math.Floor(at))
	if i+1 >= len(sorted) {
		return sorted[len(sorted)-1]
	}
	return sorted[i] + float64((at-float64(i))*(sorted[i+1]-sorted[i]))
}

// Worst returns the n samples with the worst scores, the worst first; samples
// with the same score stay in their order.
func (s Scores) Worst(n int) []Result {
	worst := slices.Clone(s.Measured)
	slices.SortStableFunc(worst, func(a, b Result) int {
		if s.lower {
			a, b = b, a
		}
		return cmp.Compare(a.Score.Value, b.Score.Value)
	})
	return worst[:min(max(n, 0), len(worst))]
}

// String is one line: the mean with its interval of 95 %, the median, the range
// and the numbers, and which way is better if that is down.
func (s Scores) String() string {
	line := fmt.Sprintf("%s: not measured (%d)", s.Metric, len(s.Unmeasured))
	if m, err := s.Mean(); err == nil {
		line = fmt.Sprintf("%s %.3f", s.Metric, m)
		if low, high, err := s.Interval(0.95); err == nil {
			line += fmt.Sprintf(" [%.3f, %.3f]", low, high)
		}
		v := slices.Sorted(slices.Values(s.Values()))
		line += fmt.Sprintf(", median %.3f, from %.3f to %.3f, n=%d", quantile(v, 0.5), v[0], v[len(v)-1], len(v))
		if n := len(s.Unmeasured); n > 0 {
			line += fmt.Sprintf(", %d not measured", n)
		}
	}
	if s.lower {
		line += ", lower is better"
	}
	return line
}
