package agreement

import (
	"fmt"
	"math"
	"slices"
)

// MeanInterval returns what the BCa interval of a mean comes near to with many
// values, in no more time than the mean takes. Both corrections are then a sixth
// of the skewness of the mean (Efron 1987), and the quantiles of what would be
// drawn follow from it by the first terms of Cornish and Fisher's expansion. No
// end lies outside of x.
//
// It is for hundreds of values and more; with fewer [Bootstrap.Mean] is nearer. If
// all values are equal it is Degenerate. It is [ErrUndefined] for fewer than two
// values, and an error if one is no number.
func MeanInterval(x []float64, confidence float64) (Interval, error) {
	if err := checkConfidence(confidence); err != nil {
		return Interval{}, err
	}
	for i, v := range x {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return Interval{}, fmt.Errorf("agreement: value %d is %v, expected a number; leave out what was not measured", i, v)
		}
	}
	if len(x) < 2 {
		return Interval{}, undefined("interval of a mean", "it takes 2 values, and there are %d", len(x))
	}
	found := Interval{Confidence: confidence, Method: "analytic"}
	lowest, highest := slices.Min(x), slices.Max(x)
	if lowest == highest {
		found.Low, found.High, found.Degenerate = lowest, highest, true
		return found, nil
	}
	n, m := float64(len(x)), mean(x)
	var m2, m3 float64
	for _, v := range x {
		d := v - m
		m2 += float64(d * d)
		m3 += float64(d * d * d)
	}
	se := math.Sqrt(m2) / n
	skew := m3 / (6 * m2 * math.Sqrt(m2))
	at := func(z float64) float64 {
		by := 1 - float64(skew*(skew+z))
		if by <= 0 { // the end is as far out as can be
			return math.Copysign(math.Inf(1), z)
		}
		z = skew + (skew+z)/by
		return m + float64(se*(z+float64(skew*(float64(z*z)-1))))
	}
	z := normalBound(confidence)
	found.Low, found.High = max(at(-z), lowest), min(at(z), highest)
	return found, nil
}
