package agreement

import (
	"fmt"
	"math"
	"slices"
)

// Correlation is how far two lists of numbers rise together.
type Correlation struct {
	R float64 // from -1 to 1
	N int     // pairs that it rests on, those that have both numbers

	p    float64
	pErr error
}

// P returns the probability of a correlation at least as far from 0 if there is
// none. It is [ErrUndefined] where R is not but the test is: for two pairs.
func (c Correlation) P() (float64, error) { return c.p, c.pErr }

// Pearson returns the linear correlation of pairs of numbers, with the t test of
// n-2 degrees of freedom. A NaN is a missing number, and its pair is left out.
//
// It sees neither bias nor scale: a judge who gives every answer one point too
// many has a correlation of 1. It is [ErrUndefined] for fewer than two pairs and
// if either list is constant, and an error if the lengths differ or a number is
// infinite.
func Pearson(x, y []float64) (Correlation, error) {
	x, y, err := complete("Pearson's correlation", x, y)
	if err != nil {
		return Correlation{}, err
	}
	if math.IsInf(largest(x, y...), 0) {
		return Correlation{}, fmt.Errorf("agreement: a number is infinite, and no linear correlation is; Spearman has one")
	}
	return pearson(x, y)
}

// Spearman returns the correlation of the ranks of pairs of numbers, equal ones
// sharing their mean rank, with the t test of n-2 degrees of freedom. For the
// rest it is as [Pearson], but takes infinite numbers.
func Spearman(x, y []float64) (Correlation, error) {
	x, y, err := complete("Spearman's correlation", x, y)
	if err != nil {
		return Correlation{}, err
	}
	return pearson(Ranks(x), Ranks(y))
}

// pearson is the correlation of pairs of which neither side is constant.
func pearson(x, y []float64) (Correlation, error) {
	n := float64(len(x))
	mx, my := mean(x), mean(y)
	sxy := 0.0
	for i := range x {
		sxy += float64((x[i] - mx) * (y[i] - my))
	}
	r := sxy / math.Sqrt(squares(x)) / math.Sqrt(squares(y))
	if math.IsNaN(r) || math.IsInf(r, 0) {
		return Correlation{}, fmt.Errorf("agreement: the squares of the numbers are out of range; scale them")
	}
	c := Correlation{R: min(max(r, -1), 1), N: len(x)}
	if len(x) == 2 {
		c.pErr = undefined("p of the correlation", "two pairs always lie on a line")
		return c, nil
	}
	c.p = studentTwoSided(c.R*math.Sqrt((n-2)/((1-c.R)*(1+c.R))), n-2)
	return c, nil
}

// complete returns the pairs without a NaN, of which neither side is constant.
func complete(statistic string, x, y []float64) (a, b []float64, err error) {
	if len(x) != len(y) {
		return nil, nil, fmt.Errorf("agreement: there are %d and %d values, expected pairs", len(x), len(y))
	}
	for i := range x {
		if !math.IsNaN(x[i]) && !math.IsNaN(y[i]) {
			a, b = append(a, x[i]), append(b, y[i])
		}
	}
	switch {
	case len(a) < 2:
		return nil, nil, undefined(statistic, "it takes 2 pairs, and there are %d", len(a))
	case slices.Min(a) == slices.Max(a), slices.Min(b) == slices.Max(b):
		return nil, nil, undefined(statistic, "all %d values of one side are equal", len(a))
	}
	return a, b, nil
}
