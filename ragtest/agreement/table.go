package agreement

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Table counts how two raters labelled the same items.
type Table struct {
	// Categories are what the labels can be, in the order of the scale. They may be
	// left out of a Table that is made by hand.
	Categories []string
	// Counts has a row for each category of the first rater, the human, and in it a
	// column for each of the second, the judge.
	Counts [][]int
}

// Tabulate counts the labels that a human and a judge gave to the same items, in
// the same order. The scale is every label there can be, from the lowest to the
// highest. Without one it is the labels that occur, sorted: enough for statistics
// that do not ask how far two labels are apart, but weighted ones change if a
// point of the scale is not used.
//
// It is an error if the numbers of labels differ, or one is off the scale.
func Tabulate[L cmp.Ordered](human, judge []L, scale ...L) (Table, error) {
	if len(human) != len(judge) {
		return Table{}, fmt.Errorf("agreement: there are %d labels of the human and %d of the judge, expected one of each for every item", len(human), len(judge))
	}
	if len(scale) == 0 {
		scale = slices.Compact(slices.Sorted(slices.Values(slices.Concat(human, judge))))
	}
	index := make(map[L]int, len(scale))
	t := Table{Categories: make([]string, len(scale)), Counts: make([][]int, len(scale))}
	for i, label := range scale {
		if _, twice := index[label]; twice || label != label { // as only NaN does
			return Table{}, fmt.Errorf("agreement: the scale has %v, expected labels that can be told apart, each once", label)
		}
		index[label] = i
		t.Categories[i] = fmt.Sprint(label)
		t.Counts[i] = make([]int, len(scale))
	}
	for i := range human {
		row, ok := index[human[i]]
		column, ok2 := index[judge[i]]
		switch {
		case !ok:
			return Table{}, offScale(i, "human", human[i], t.Categories)
		case !ok2:
			return Table{}, offScale(i, "judge", judge[i], t.Categories)
		}
		t.Counts[row][column]++
	}
	return t, nil
}

func offScale(item int, rater string, label any, scale []string) error {
	return fmt.Errorf("agreement: item %d is %#v to the %s, which is not on the scale of %s", item, label, rater, strings.Join(scale, ", "))
}

// N returns how many items there are.
func (t Table) N() int {
	n := 0
	for _, row := range t.Counts {
		for _, count := range row {
			n += count
		}
	}
	return n
}

// Margins returns how often each rater used each category. The table must be
// square, as Tabulate makes it.
func (t Table) Margins() (human, judge []int) {
	human, judge = make([]int, len(t.Counts)), make([]int, len(t.Counts))
	for i, row := range t.Counts {
		for j, count := range row {
			human[i] += count
			judge[j] += count
		}
	}
	return human, judge
}

// Agreement returns the share of the items that both gave the same label, from 0
// to 1. It is [ErrUndefined] without items. Much of it comes by chance if one
// category is common: always to say "pass" agrees with 94 % of labels of which
// 94 % are "pass".
func (t Table) Agreement() (float64, error) {
	n, err := t.items("percent agreement")
	if err != nil {
		return 0, err
	}
	return t.agreed() / n, nil
}

func (t Table) agreed() float64 {
	sum := 0
	for i, row := range t.Counts {
		sum += row[i]
	}
	return float64(sum)
}

// check reports counts that are no table.
func (t Table) check() error {
	for i, row := range t.Counts {
		if len(row) != len(t.Counts) {
			return fmt.Errorf("agreement: row %d of the table has %d counts and there are %d rows, expected a row and a column for each category", i, len(row), len(t.Counts))
		}
		for j, count := range row {
			if count < 0 {
				return fmt.Errorf("agreement: row %d, column %d of the table is %d, expected a count", i, j, count)
			}
		}
	}
	if len(t.Categories) > 0 && len(t.Categories) != len(t.Counts) {
		return fmt.Errorf("agreement: the table has %d categories and %d rows, expected as many", len(t.Categories), len(t.Counts))
	}
	return nil
}

// items returns how many there are, or why a statistic of them cannot be had.
func (t Table) items(statistic string) (float64, error) {
	if err := t.check(); err != nil {
		return 0, err
	}
	n := t.N()
	if n == 0 {
		return 0, undefined(statistic, "there are no items")
	}
	return float64(n), nil
}

// category names one: by its number, from 1, if it has no name.
func (t Table) category(i int) string {
	if i < len(t.Categories) {
		return t.Categories[i]
	}
	return fmt.Sprint(i + 1)
}

// String shows the counts with the categories and the sums, a line for each
// category of the human.
func (t Table) String() string {
	if err := t.check(); err != nil {
		return err.Error()
	}
	human, judge := t.Margins()
	cells := [][]string{{`human \ judge`}}
	sums := []string{"total"}
	for i, row := range t.Counts {
		cells[0] = append(cells[0], t.category(i))
		line := []string{t.category(i)}
		for _, count := range row {
			line = append(line, fmt.Sprint(count))
		}
		cells = append(cells, append(line, fmt.Sprint(human[i])))
		sums = append(sums, fmt.Sprint(judge[i]))
	}
	cells[0] = append(cells[0], "total")
	return aligned(append(cells, append(sums, fmt.Sprint(t.N()))))
}

// aligned sets the first column to the left and the others to the right.
func aligned(cells [][]string) string {
	widths := make([]int, len(cells[0]))
	for _, line := range cells {
		for i, cell := range line {
			widths[i] = max(widths[i], len([]rune(cell)))
		}
	}
	var b strings.Builder
	for n, line := range cells {
		if n > 0 {
			b.WriteByte('\n')
		}
		for i, cell := range line {
			if i == 0 {
				fmt.Fprintf(&b, "%-*s", widths[i], cell)
			} else {
				fmt.Fprintf(&b, "  %*s", widths[i], cell)
			}
		}
	}
	return b.String()
}
