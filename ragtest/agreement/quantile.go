package agreement

import (
	"fmt"
	"math"
	"slices"
)

// Quantile returns the value that the share q of x, from 0 to 1, does not exceed,
// interpolated between two values: Hyndman and Fan's type 7, which numpy and R
// have by default. It is [ErrUndefined] for no values, and an error if q is out
// of its range or a value is NaN.
func Quantile(x []float64, q float64) (float64, error) {
	if !(q >= 0 && q <= 1) {
		return 0, fmt.Errorf("agreement: the quantile is %v, expected a share from 0 to 1", q)
	}
	if len(x) == 0 {
		return 0, undefined("quantile", "there are no values")
	}
	if i := slices.IndexFunc(x, math.IsNaN); i >= 0 {
		return 0, fmt.Errorf("agreement: value %d is NaN, which has no place among the others; leave it out", i)
	}
	return quantile(slices.Sorted(slices.Values(x)), q), nil
}

// quantile is that of values in their order, at least one.
func quantile(sorted []float64, q float64) float64 {
	at := q * float64(len(sorted)-1)
	i := int(math.Floor(at))
	if i+1 >= len(sorted) {
		return sorted[len(sorted)-1]
	}
	return sorted[i] + float64((at-float64(i))*(sorted[i+1]-sorted[i]))
}
