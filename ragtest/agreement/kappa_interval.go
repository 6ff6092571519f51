package agreement

import (
	"fmt"
	"slices"
)

// Kappa returns the interval of [Table.WeightedKappa] over items: t is the table of
// the labels, which gives them their categories.
func (b Bootstrap) Kappa(t Table, human, judge []float64, w Weights) (Interval, error) {
	rows, err := t.places(human)
	if err != nil {
		return Interval{}, err
	}
	columns, err := t.places(judge)
	if err != nil {
		return Interval{}, err
	}
	if len(rows) != len(columns) {
		return Interval{}, fmt.Errorf("agreement: there are %d labels of the human and %d of the judge, expected one of each for every item", len(rows), len(columns))
	}
	return b.Interval(len(rows), t.kappaOf(rows, columns, w))
}

// kappaOf returns the kappa of any of the items, whose places in t are given, as a
// statistic for [Bootstrap.Interval].
func (t Table) kappaOf(rows, columns []int, w Weights) func(at []int) (float64, error) {
	drawn := Table{Categories: t.Categories, Counts: make([][]int, len(t.Categories))}
	for i := range drawn.Counts {
		drawn.Counts[i] = make([]int, len(t.Categories))
	}
	return func(at []int) (float64, error) {
		for _, row := range drawn.Counts {
			clear(row)
		}
		for _, i := range at {
			drawn.Counts[rows[i]][columns[i]]++
		}
		return drawn.WeightedKappa(w)
	}
}

// places returns which category each label is.
func (t Table) places(labels []float64) ([]int, error) {
	place := map[float64]int{}
	at := make([]int, len(labels))
	for i, v := range labels {
		k, ok := place[v]
		if !ok {
			if k = slices.Index(t.Categories, fmt.Sprint(v)); k < 0 {
				return nil, fmt.Errorf("agreement: item %d has the label %v, which is no category of the table, %q", i, v, t.Categories)
			}
			place[v] = k
		}
		at[i] = k
	}
	return at, nil
}
