package agreement

import (
	"cmp"
	"fmt"
	"slices"
)

// Bonferroni adjusts p values of several tests for their number, so that the
// chance of any false rejection is what [Reject] is called with. [Holm] does the
// same and rejects more.
//
// Like the others it returns one for each p, in their order and at most 1, nothing
// for nothing, and an error if a p is not from 0 to 1.
func Bonferroni(p []float64) ([]float64, error) {
	return adjust(p, func(sorted []float64) {
		for i := range sorted {
			sorted[i] *= float64(len(sorted))
		}
	})
}

// Holm adjusts p values for the chance of any false rejection (Holm 1979). It
// assumes nothing of how the tests depend on each other, and is the one for a
// gate. For the rest it is as [Bonferroni].
func Holm(p []float64) ([]float64, error) {
	return adjust(p, func(sorted []float64) {
		largest := 0.0
		for i, v := range sorted {
			largest = max(largest, float64(len(sorted)-i)*v)
			sorted[i] = largest
		}
	})
}

// Hommel adjusts p values for the chance of any false rejection (Hommel 1988). It
// rejects more than [Holm], but holds for independent tests and for those that are
// positively dependent only. For the rest it is as [Bonferroni].
func Hommel(p []float64) ([]float64, error) {
	return adjust(p, func(sorted []float64) {
		n := len(sorted)
		raw := slices.Clone(sorted)
		// A test with the m-1 largest of the others has Simes's p among the m of them,
		// for every m. Of the sets that it is in, this one has the largest.
		for m := n; m >= 1; m-- {
			last := raw[n-m+1:]
			simes := 1.0
			for k, v := range last {
				simes = min(simes, float64(m)*v/float64(k+2))
			}
			for i := range raw {
				sorted[i] = max(sorted[i], min(simes, float64(m)*raw[min(i, n-m)]))
			}
		}
	})
}

// BenjaminiHochberg adjusts p values for the share of false rejections among all
// (Benjamini and Hochberg 1995), for independent tests and for those that are
// positively dependent. It is the one for a dashboard. For the rest it is as
// [Bonferroni].
func BenjaminiHochberg(p []float64) ([]float64, error) {
	return adjust(p, func(sorted []float64) { stepUp(sorted, 1) })
}

// BenjaminiYekutieli adjusts p values for the share of false rejections among all,
// however the tests depend on each other (Benjamini and Yekutieli 2001). For the
// rest it is as [Bonferroni].
func BenjaminiYekutieli(p []float64) ([]float64, error) {
	harmonic := 0.0
	for i := range p {
		harmonic += 1 / float64(i+1)
	}
	return adjust(p, func(sorted []float64) { stepUp(sorted, harmonic) })
}

func stepUp(sorted []float64, factor float64) {
	n, smallest := float64(len(sorted)), 1.0
	for i := len(sorted) - 1; i >= 0; i-- {
		smallest = min(smallest, sorted[i]*(n*factor/float64(i+1)))
		sorted[i] = smallest
	}
}

// adjust applies what works on p in their order, the smallest first.
func adjust(p []float64, sorted func([]float64)) ([]float64, error) {
	order, values := make([]int, len(p)), make([]float64, len(p))
	for i, v := range p {
		if !(v >= 0 && v <= 1) {
			return nil, fmt.Errorf("agreement: p %d is %v, expected a probability from 0 to 1", i, v)
		}
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(p[i], p[j]) })
	for k, i := range order {
		values[k] = p[i]
	}
	sorted(values)
	adjusted := make([]float64, len(p))
	for k, i := range order {
		adjusted[i] = min(values[k], 1)
	}
	return adjusted, nil
}

// Reject says which adjusted p values are at most alpha. One that is above it by
// rounding alone is at it.
func Reject(adjusted []float64, alpha float64) []bool {
	reject := make([]bool, len(adjusted))
	for i, p := range adjusted {
		reject[i] = p <= alpha*(1+noise)
	}
	return reject
}
