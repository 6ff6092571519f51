package agreement

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
)

// BestThreshold returns the threshold at which the decisions by scores, positive
// from the threshold on, are the best by a statistic of their confusion with the
// human's, such as Confusion.Informedness, and that statistic.
//
// The candidates are the middles between neighbouring scores, the lowest score, for
// which all are positive, and the next number above the highest, for which none is.
// Those whose statistic is undefined are passed over. Of several that are as good it
// is the one nearest the middle of the longest run of them, the lower of two, as the
// ends of a run are where another sample would differ.
//
// On the items that it was chosen on a threshold looks better than it is: see
// [CrossThreshold]. It is [ErrUndefined] without items and if no candidate has the
// statistic, and an error if the lengths differ, a score is not a number, or the
// statistic has another error.
func BestThreshold(scores []float64, human []bool, of func(Confusion) (float64, error)) (threshold, best float64, err error) {
	if err := checkScores(scores, human, -math.MaxFloat64, math.MaxFloat64); err != nil {
		return 0, 0, err
	}
	all := make([]int, len(scores))
	for i := range all {
		all[i] = i
	}
	return bestThreshold(all, scores, human, of)
}

// bestThreshold is that of the items at the given places.
func bestThreshold(at []int, scores []float64, human []bool, of func(Confusion) (float64, error)) (threshold, best float64, err error) {
	candidates, values, err := thresholds(at, scores, human, of)
	if err != nil {
		return 0, 0, err
	}
	best = math.Inf(-1)
	for _, v := range values {
		if !math.IsNaN(v) {
			best = max(best, v)
		}
	}
	if math.IsInf(best, -1) {
		return 0, 0, undefined("best threshold", "the statistic is undefined for all %d candidates of %d items", len(candidates), len(at))
	}
	var from, to int // the longest run of the best
	for i := 0; i < len(values); i++ {
		start := i
		for i < len(values) && values[i] >= best-noise*math.Abs(best) {
			i++
		}
		if i > start && (to == 0 || candidates[i-1]-candidates[start] > candidates[to-1]-candidates[from]) {
			from, to = start, i
		}
	}
	run := candidates[from:to]
	middle := run[0] + (run[len(run)-1]-run[0])/2
	threshold = slices.MinFunc(run, func(a, b float64) int {
		return cmp.Or(cmp.Compare(math.Abs(a-middle), math.Abs(b-middle)), cmp.Compare(a, b))
	})
	return threshold, best, nil
}

// thresholds returns the candidates, from the lowest, and their statistics, NaN where
// undefined.
func thresholds(at []int, scores []float64, human []bool, of func(Confusion) (float64, error)) (candidates, values []float64, err error) {
	order := slices.Clone(at)
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(scores[i], scores[j]) })
	var c Confusion
	for _, i := range order {
		if human[i] {
			c.TP++
		} else {
			c.FP++
		}
	}
	for k := range len(order) + 1 {
		threshold := 0.0
		switch {
		case len(order) == 0:
			return nil, nil, nil
		case k == 0:
			threshold = scores[order[0]]
		case k == len(order):
			threshold = math.Nextafter(scores[order[k-1]], math.Inf(1))
		default:
			low, high := scores[order[k-1]], scores[order[k]]
			threshold = low/2 + high/2
			if threshold <= low {
				threshold = high // nothing is between them
			}
		}
		if k > 0 { // the one before is below the threshold now
			if human[order[k-1]] {
				c.TP--
				c.FN++
			} else {
				c.FP--
				c.TN++
			}
		}
		if k > 0 && k < len(order) && scores[order[k-1]] == scores[order[k]] {
			continue
		}
		value, err := number(of(c))
		if errors.Is(err, ErrUndefined) {
			value = math.NaN()
		} else if err != nil {
			return nil, nil, err
		}
		candidates, values = append(candidates, threshold), append(values, value)
	}
	return candidates, values, nil
}

// CrossThreshold decides each item by a threshold that was chosen without it, so
// that how well the decisions agree with the human's is no better than it is. groups
// has the group of each item, by any number: items of one group belong together, as
// answers to one question do, and are decided by the threshold that [BestThreshold]
// chooses on the other groups. Nil makes each item its own group.
//
// It also returns the threshold chosen on all items, which is the one to use on
// others. It is [ErrUndefined] for fewer than two groups, and if the others of one,
// or all, have no best threshold; other errors are those of BestThreshold, and if
// the lengths differ.
func CrossThreshold(scores []float64, human []bool, groups []int, of func(Confusion) (float64, error)) (decisions []bool, threshold float64, err error) {
	if groups != nil && len(groups) != len(scores) {
		return nil, 0, fmt.Errorf("agreement: there are groups of %d items and %d scores, expected one for each item", len(groups), len(scores))
	}
	threshold, _, err = BestThreshold(scores, human, of)
	if err != nil {
		return nil, 0, err
	}
	units := Bootstrap{Clusters: groups}.units(len(scores))
	if len(units) < 2 {
		return nil, 0, undefined("cross-validated threshold", "it takes 2 groups, and there are %d", len(units))
	}
	decisions = make([]bool, len(scores))
	for left, unit := range units {
		others := slices.Concat(slices.Concat(units[:left]...), slices.Concat(units[left+1:]...))
		chosen, _, err := bestThreshold(others, scores, human, of)
		if err != nil {
			return nil, 0, fmt.Errorf("without the group of item %d: %w", unit[0], err)
		}
		for _, i := range unit {
			decisions[i] = scores[i] >= chosen
		}
	}
	return decisions, threshold, nil
}
