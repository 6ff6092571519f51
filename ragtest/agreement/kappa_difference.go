package agreement

import (
	"fmt"
	"slices"
)

// KappaDifference returns how much more a agrees with the human labels than b does,
// by Cohen's kappa: kappa(human, a) - kappa(human, b), with the interval of b's
// draws, in which an item takes both raters' labels along. Labels are categories,
// in the order of the items.
func KappaDifference(human, a, b []float64, draws Bootstrap) (Estimate, error) {
	if len(human) != len(a) || len(human) != len(b) {
		return Estimate{}, fmt.Errorf("agreement: there are %d, %d and %d labels, expected one of each rater for every item", len(human), len(a), len(b))
	}
	scale := slices.Concat(human, a, b)
	t, err := Tabulate(scale, scale) // for the categories
	if err != nil {
		return Estimate{}, err
	}
	rows, err := t.places(human)
	if err != nil {
		return Estimate{}, err
	}
	var columns [2][]int
	for k, labels := range [][]float64{a, b} {
		if columns[k], err = t.places(labels); err != nil {
			return Estimate{}, err
		}
	}
	counts := make([][]int, len(t.Categories))
	for i := range counts {
		counts[i] = make([]int, len(t.Categories))
	}
	drawn := Table{t.Categories, counts}
	difference := func(at []int) (float64, error) {
		var kappa [2]float64
		for k := range kappa {
			for _, row := range counts {
				clear(row)
			}
			for _, i := range at {
				counts[rows[i]][columns[k][i]]++
			}
			if kappa[k], err = drawn.Kappa(); err != nil {
				return 0, err
			}
		}
		return kappa[0] - kappa[1], nil
	}
	value, err := difference(all(len(human)))
	return estimate("difference of kappa", value, err, func() (Interval, error) { return draws.Interval(len(human), difference) })
}
