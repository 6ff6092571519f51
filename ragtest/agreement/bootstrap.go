package agreement

import (
	"errors"
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
)

// Bootstrap finds intervals for any statistic of items that were sampled, by
// drawing samples of the sample (Efron and Tibshirani, An Introduction to the
// Bootstrap, 1993).
//
// The zero value draws 2,000 times and finds BCa intervals of 95 % (Efron 1987),
// which are corrected for bias and skewness. The draws follow from Seed and the
// number of items alone.
//
// How often intervals of 95 % hold the true kappa of two raters who pass equally
// many items, among 1,500 simulated samples of n:
//
//	kappa  pass rate  n    rarer class  BCa   percentile  analytic
//	0.80   0.50       30   15           .950  .954        .867
//	0.80   0.50       50   25           .949  .940        .877
//	0.69   0.80       50   10           .983  .947        .923
//	0.69   0.80       100  20           .957  .937        .921
//	0.48   0.94       50   3            .757  .745        .697
//	0.48   0.94       100  6            .943  .907        .871
//	0.48   0.94       200  12           .973  .946        .927
//	0.85   0.90       50   5            .754  .747        .751
//	0.85   0.90       100  10           .931  .918        .888
//	0.85   0.90       200  20           .973  .942        .923
//
// A sample of one class has no interval, and does not hold it. No method is to be
// relied on where the rarer class is expected fewer than 10 times.
type Bootstrap struct {
	Draws      int     // of a sample of the items; 0 means 2,000
	Confidence float64 // above 0 and below 1; 0 means 0.95
	Seed       uint64

	// Clusters has the cluster of each item, by any number, if items belong
	// together: several scores of one sample, several samples of one document.
	// Clusters are drawn whole, and the number of items drawn varies with them.
	Clusters []int
	// Strata has the stratum of each item, by any number, if items were sampled apart:
	// labels of each class, or labels and the samples that a judge alone judged. As
	// many clusters are drawn of each stratum as it has. A cluster is of one stratum.
	Strata []int
	// Percentile asks for the percentile interval, which is not corrected.
	Percentile bool
}

// Interval returns the interval of a statistic of n items. The statistic is
// called with the indexes, from 0 to n-1, of the items that it is to be taken of,
// some of them repeatedly; it must neither change nor keep the slice. It is
// called for all of them, for every draw, and, unless Percentile is set, without
// each item (or cluster) in turn.
//
// Draws whose statistic is [ErrUndefined] are left out, and counted in
// Interval.Undefined. Any other error of the statistic ends it. The Method is
// "percentile" in place of "BCa" where the corrections cannot be had: all draws
// are on one side of the estimate, or no item makes a difference, or without one
// the statistic is undefined. If all draws are equal the interval is Degenerate.
//
// It is ErrUndefined for fewer than two items or clusters, and if the statistic
// of all items, or of every draw, is.
func (b Bootstrap) Interval(n int, statistic func(at []int) (float64, error)) (Interval, error) {
	b, err := b.withDefaults(n)
	if err != nil {
		return Interval{}, err
	}
	units := b.units(n)
	if len(units) < 2 {
		return Interval{}, undefined("bootstrap interval", "it takes 2 items or clusters that are drawn independently, and there are %d", len(units))
	}
	strata, err := b.strata(units)
	if err != nil {
		return Interval{}, err
	}
	stream := rand.NewPCG(b.Seed, uint64(len(units)))
	draw := func(at []int) []int {
		for _, units := range strata {
			for range units {
				// The bits are used here, so that no release of Go changes what is drawn.
				i, _ := bits.Mul64(stream.Uint64(), uint64(len(units)))
				at = append(at, units[i]...)
			}
		}
		return at
	}
	return b.interval(units, draw, statistic)
}

// Mean returns the interval of the mean of x. It is [ErrUndefined] for fewer than
// two values. For many values [MeanInterval] is faster.
func (b Bootstrap) Mean(x []float64) (Interval, error) {
	return b.Interval(len(x), func(at []int) (float64, error) {
		sum := 0.0
		for _, i := range at {
			sum += x[i]
		}
		return sum / float64(len(at)), nil
	})
}

// Difference returns the interval of the mean of after-before, the scores of the
// same samples in the same order. It is [ErrUndefined] for fewer than two samples,
// and an error if the lengths differ or a difference is not a number.
func (b Bootstrap) Difference(before, after []float64) (Interval, error) {
	d, err := Differences(before, after)
	if err != nil {
		return Interval{}, err
	}
	return b.Mean(d)
}

func (b Bootstrap) withDefaults(n int) (Bootstrap, error) {
	if b.Draws == 0 {
		b.Draws = 2000
	}
	if b.Confidence == 0 {
		b.Confidence = 0.95
	}
	switch {
	case n < 0 || b.Draws < 0:
		return b, fmt.Errorf("agreement: %d draws of %d items, expected no negative number", b.Draws, n)
	case b.Clusters != nil && len(b.Clusters) != n:
		return b, fmt.Errorf("agreement: there are clusters of %d items, expected %d, one for each item", len(b.Clusters), n)
	case b.Strata != nil && len(b.Strata) != n:
		return b, fmt.Errorf("agreement: there are strata of %d items, expected %d, one for each item", len(b.Strata), n)
	}
	return b, checkConfidence(b.Confidence)
}

// units are the indexes that are drawn together, in the order of their first.
func (b Bootstrap) units(n int) [][]int {
	all := make([]int, n)
	units := make([][]int, 0, n)
	place := map[int]int{}
	for i := range all {
		all[i] = i
		if b.Clusters == nil {
			units = append(units, all[i:i+1])
			continue
		}
		at, ok := place[b.Clusters[i]]
		if !ok {
			at = len(units)
			place[b.Clusters[i]] = at
			units = append(units, nil)
		}
		units[at] = append(units[at], i)
	}
	return units
}

// strata are the units that are drawn from one another, in the order of their
// first.
func (b Bootstrap) strata(units [][]int) ([][][]int, error) {
	if b.Strata == nil {
		return [][][]int{units}, nil
	}
	var strata [][][]int
	place := map[int]int{}
	for _, u := range units {
		of := b.Strata[u[0]]
		for _, i := range u {
			if b.Strata[i] != of {
				return nil, fmt.Errorf("agreement: items %d and %d are of one cluster and of two strata", u[0], i)
			}
		}
		at, ok := place[of]
		if !ok {
			at = len(strata)
			place[of] = at
			strata = append(strata, nil)
		}
		strata[at] = append(strata[at], u)
	}
	return strata, nil
}

// interval is that of the draws that draw appends to a slice.
func (b Bootstrap) interval(units [][]int, draw func(at []int) []int, statistic func(at []int) (float64, error)) (Interval, error) {
	estimate, err := number(statistic(slices.Concat(units...)))
	if err != nil {
		return Interval{}, err
	}
	found := Interval{Confidence: b.Confidence, Draws: b.Draws, Method: "percentile"}
	drawn := make([]float64, 0, b.Draws)
	var at []int
	for range b.Draws {
		at = draw(at[:0])
		value, err := number(statistic(at))
		switch {
		case errors.Is(err, ErrUndefined):
			found.Undefined++
		case err != nil:
			return Interval{}, err
		default:
			drawn = append(drawn, value)
		}
	}
	if len(drawn) == 0 {
		return Interval{}, undefined("bootstrap interval", "the statistic was undefined in all %d draws", b.Draws)
	}
	slices.Sort(drawn)
	tail := (1 - b.Confidence) / 2
	low, high := tail, 1-tail
	if !b.Percentile {
		left, err := jackknife(units, statistic)
		if err != nil && !errors.Is(err, ErrUndefined) {
			return Interval{}, err
		}
		if l, h, ok := corrected(estimate, drawn, left, tail); err == nil && ok {
			low, high, found.Method = l, h, "BCa"
		}
	}
	found.Low, found.High = quantile(drawn, low), quantile(drawn, high)
	found.Degenerate = drawn[len(drawn)-1]-drawn[0] <= noise*largest(drawn)
	return found, nil
}

// noise is what two sums of the same numbers in another order may differ by, as
// a share of them.
const noise = 1e-12

// number refuses a value that none is.
func number(value float64, err error) (float64, error) {
	if err == nil && (math.IsNaN(value) || math.IsInf(value, 0)) {
		return 0, fmt.Errorf("agreement: the statistic is %v, expected a number, or an error that wraps ErrUndefined", value)
	}
	return value, err
}

// jackknife returns the statistic without each unit in turn.
func jackknife(units [][]int, statistic func(at []int) (float64, error)) ([]float64, error) {
	values := make([]float64, len(units))
	var at []int
	for left := range units {
		at = at[:0]
		for i, u := range units {
			if i != left {
				at = append(at, u...)
			}
		}
		value, err := number(statistic(at))
		if err != nil {
			return nil, err
		}
		values[left] = value
	}
	return values, nil
}

// corrected returns the shares of what was drawn at which the ends of the BCa
// interval are, and false if there are none. Draws that differ from the estimate
// by no more than noise count half below it: which side they come out on would
// depend on the order of sums.
func corrected(estimate float64, drawn, left []float64, tail float64) (low, high float64, ok bool) {
	if len(left) == 0 {
		return 0, 0, false
	}
	tie := noise * largest(drawn, estimate)
	below := 0.0
	for _, v := range drawn {
		switch d := v - estimate; {
		case math.Abs(d) <= tie:
			below += 0.5
		case d < 0:
			below++
		}
	}
	bias := normalQuantile(below / float64(len(drawn)))
	m := mean(left)
	var u2, u3, most float64
	for _, v := range left {
		u := m - v
		most = max(most, math.Abs(u))
		u2 += float64(u * u)
		u3 += float64(u * u * u)
	}
	if math.IsInf(bias, 0) || most <= noise*largest(left) {
		return 0, 0, false
	}
	skew := u3 / (6 * u2 * math.Sqrt(u2))
	z := normalQuantile(tail)
	share := func(z float64) (float64, bool) {
		by := 1 - float64(skew*(bias+z))
		return normalCDF(bias + (bias+z)/by), by > 0
	}
	low, below0 := share(z)
	high, below1 := share(-z)
	return low, high, below0 && below1
}
