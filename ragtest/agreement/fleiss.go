package agreement

import "fmt"

// Fleiss returns Fleiss' kappa (1971). Counts have a row for each unit and in it
// how many raters chose each category; every unit has the same number of raters,
// not necessarily the same people.
//
// It is [ErrUndefined] for fewer than 2 raters of a unit, for numbers of them that
// differ ([FleissRaw] and [Alpha] take those), and if all chose one category.
func Fleiss(counts [][]int) (float64, error) {
	c, err := chosen("Fleiss' kappa", counts)
	if err != nil {
		return 0, err
	}
	all, squares := c.units*c.raters, 0.0
	for k := range counts[0] {
		n := 0.0
		for _, row := range counts {
			n += float64(row[k])
		}
		squares += float64(n * n)
	}
	if squares == all*all {
		return 0, undefined("Fleiss' kappa", "all %v ratings are of category %d", all, category(counts))
	}
	return (float64(c.agreed*all*all) - squares) / (float64(all*all) - squares), nil
}

// Randolph returns the free-marginal kappa of Randolph (2005): with the same
// chance for every category. It says what the observed agreement says, on another
// scale. Input and undefined as for [Fleiss], but for ratings of one category, and
// for there being only one.
func Randolph(counts [][]int) (float64, error) {
	c, err := chosen("Randolph's kappa", counts)
	if err != nil {
		return 0, err
	}
	q := float64(len(counts[0]))
	if q < 2 {
		return 0, undefined("Randolph's kappa", "there is only 1 category")
	}
	return (float64(c.agreed*q) - 1) / (q - 1), nil
}

// choices is what the coefficients for counts have in common.
type choices struct {
	units, raters float64
	agreed        float64 // share of pairs of raters of a unit
}

func chosen(name string, counts [][]int) (choices, error) {
	if len(counts) == 0 {
		return choices{}, undefined(name, "there are no units")
	}
	pairs, raters := 0.0, 0
	for i, row := range counts {
		if len(row) != len(counts[0]) {
			return choices{}, fmt.Errorf("agreement: unit %d has counts of %d categories and unit 0 of %d, expected as many", i, len(row), len(counts[0]))
		}
		n := 0
		for k, count := range row {
			if count < 0 {
				return choices{}, fmt.Errorf("agreement: category %d of unit %d was chosen %d times, expected a count", k, i, count)
			}
			n += count
			pairs += float64(count) * float64(count-1)
		}
		if i == 0 {
			raters = n
		}
		if n != raters {
			return choices{}, undefined(name, "unit %d has %d raters and unit 0 has %d, expected as many; use FleissRaw or Alpha", i, n, raters)
		}
	}
	if raters < 2 {
		return choices{}, undefined(name, "it takes 2 raters of each unit, and there is %d", raters)
	}
	units, m := float64(len(counts)), float64(raters)
	return choices{units: units, raters: m, agreed: pairs / (units * m * (m - 1))}, nil
}

// category is the one that the first unit has, from 0.
func category(counts [][]int) int {
	for k, n := range counts[0] {
		if n > 0 {
			return k
		}
	}
	return 0
}
