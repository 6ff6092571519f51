package agreement

import (
	"cmp"
	"slices"
)

// Ranks returns the rank of each value, from 1 for the smallest. Equal values
// share the mean of their ranks. A NaN ranks below every number, and equals
// other NaNs.
func Ranks(x []float64) []float64 {
	order := make([]int, len(x))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int { return cmp.Compare(x[i], x[j]) })
	ranks := make([]float64, len(x))
	for from := 0; from < len(order); {
		to := from + 1
		for to < len(order) && cmp.Compare(x[order[to]], x[order[from]]) == 0 {
			to++
		}
		for _, i := range order[from:to] {
			ranks[i] = float64(from+1+to) / 2
		}
		from = to
	}
	return ranks
}

// ties returns how many values are equal, for each value that occurs more than
// once.
func ties(x []float64) (sizes []float64) {
	sorted := slices.Sorted(slices.Values(x))
	for from := 0; from < len(sorted); {
		to := from + 1
		for to < len(sorted) && sorted[to] == sorted[from] {
			to++
		}
		if to-from > 1 {
			sizes = append(sizes, float64(to-from))
		}
		from = to
	}
	return sizes
}
