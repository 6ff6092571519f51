package ragtest

import (
	"slices"

	"github.com/ragomega/ragomega/ragtest/agreement"
)

// cautious returns what is found by drawing the groups of items for its interval, or
// by drawing each item alone if that reaches lower.
func cautious[T any](groups []int, confidence float64, find func(agreement.Bootstrap) (T, error), estimate func(T) agreement.Estimate) (T, error) {
	b := agreement.Bootstrap{Confidence: confidence, Seed: 1}
	alone, err := find(b)
	if err != nil || len(slices.Compact(slices.Sorted(slices.Values(groups)))) == len(groups) {
		return alone, err
	}
	b.Clusters = groups
	together, err := find(b)
	low, errLow := estimate(together).Lower()
	if other, errAlone := estimate(alone).Lower(); errAlone == nil && errLow == nil && other < low {
		return alone, nil
	}
	return together, err // of a single text there is no interval
}

// kappaWith is the kappa of two raters, and kappaGain how much more the first of two
// agrees with people than the second.
func kappaWith(x, y []float64, groups []int, scale []float64) (agreement.Estimate, error) {
	a, err := cautious(groups, 0.95,
		func(b agreement.Bootstrap) (agreement.Comparison, error) {
			return agreement.Compare(x, y, agreement.Options{Kind: agreement.NominalLabels, Scale: scale, Bootstrap: b})
		},
		func(a agreement.Comparison) agreement.Estimate { return a.Kappa })
	return a.Kappa, err
}

func kappaGain(human, first, second []float64, groups []int) (agreement.Estimate, error) {
	return cautious(groups, 0.95,
		func(b agreement.Bootstrap) (agreement.Estimate, error) {
			return agreement.KappaDifference(human, first, second, b)
		},
		func(e agreement.Estimate) agreement.Estimate { return e })
}
