package ragtest

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/ragomega/ragomega/ragtest/agreement"
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

// mostDrawn is how many samples an interval of them is drawn for.
const mostDrawn = 1000

// Interval returns the ends of [Scores.MeanInterval]. All equal scores give an
// interval of no width, which says little when they are few.
func (s Scores) Interval(confidence float64) (low, high float64, err error) {
	i, err := s.MeanInterval(confidence)
	return i.Low, i.High, err
}

// MeanInterval returns an interval for the mean that holds the mean of all samples
// like these with the given confidence, above 0 and below 1. It is the BCa
// bootstrap over 2,000 draws, the same ones every time and everywhere. For more
// than 1,000 samples it is what that comes near to, [agreement.MeanInterval],
// which takes no longer than the mean.
//
// It is Degenerate if all scores are equal, which does not show how far others may
// lie from them: do not decide by its ends then. It is [ErrUndefined] for fewer
// than two samples.
func (s Scores) MeanInterval(confidence float64) (agreement.Interval, error) {
	if !(confidence > 0 && confidence < 1) {
		return agreement.Interval{}, fmt.Errorf("ragtest: the confidence is %v, expected a number between 0 and 1 such as 0.95", confidence)
	}
	v := s.Values()
	switch {
	case len(v) < 2:
		return agreement.Interval{}, s.undefined("interval")
	case len(v) > mostDrawn:
		return agreement.MeanInterval(v, confidence)
	}
	return agreement.Bootstrap{Seed: 1, Confidence: confidence}.Mean(v)
}

// Percentile returns the score that p percent of the samples do not exceed,
// interpolated between two samples as by [agreement.Quantile]; p is from 0 to 100.
// It is [ErrUndefined] if no sample was measured.
func (s Scores) Percentile(p float64) (float64, error) {
	if !(p >= 0 && p <= 100) {
		return 0, fmt.Errorf("ragtest: the percentile is %v, expected a number from 0 to 100", p)
	}
	if len(s.Measured) == 0 {
		return 0, s.undefined("percentile")
	}
	return agreement.Quantile(s.Values(), p/100)
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
		v := s.Values()
		if median, err := s.Percentile(50); err == nil {
			line += fmt.Sprintf(", median %.3f", median)
		}
		line += fmt.Sprintf(", from %.3f to %.3f, n=%d", slices.Min(v), slices.Max(v), len(v))
		if n := len(s.Unmeasured); n > 0 {
			line += fmt.Sprintf(", %d not measured", n)
		}
	}
	if s.lower {
		line += ", lower is better"
	}
	return line
}
