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
	var kappas [2]func(at []int) (float64, error)
	for k, labels := range [][]float64{a, b} {
		columns, err := t.places(labels)
		if err != nil {
			return Estimate{}, err
		}
		kappas[k] = t.kappaOf(rows, columns, Unweighted)
	}
	difference := func(at []int) (float64, error) {
		first, err := kappas[0](at)
		if err != nil {
			return 0, err
		}
		second, err := kappas[1](at)
		return first - second, err
	}
	value, err := difference(all(len(human)))
	return estimate("difference of kappa", value, err, func() (Interval, error) { return draws.Interval(len(human), difference) })
}
