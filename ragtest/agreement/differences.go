package agreement

import (
	"fmt"
	"math"
)

// Differences returns b-a for each pair, of the same samples in the same order, as
// the tests of pairs take them. It is an error if the lengths differ or a
// difference is not a number: what was not measured is to be left out first.
func Differences(a, b []float64) ([]float64, error) {
	if len(a) != len(b) {
		return nil, fmt.Errorf("agreement: there are %d and %d values, expected pairs", len(a), len(b))
	}
	d := make([]float64, len(a))
	for i := range a {
		d[i] = b[i] - a[i]
		if math.IsNaN(d[i]) || math.IsInf(d[i], 0) {
			return nil, fmt.Errorf("agreement: pair %d is %v and %v, which have no difference; leave it out", i, a[i], b[i])
		}
	}
	return d, nil
}

// checkDifferences reports differences that a test cannot be of.
func checkDifferences(test string, d []float64) error {
	if len(d) == 0 {
		return undefined(test, "there are no differences")
	}
	for i, v := range d {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return fmt.Errorf("agreement: difference %d is %v, expected a number; leave out what was not measured", i, v)
		}
	}
	return nil
}
