package agreement

import (
	"cmp"
	"math"
	"slices"
)

// KendallB returns Kendall's tau-b of pairs of numbers: the pairs of pairs that
// are in the same order less those that are not, as a share of those without
// ties. It suits coarse scales, where many numbers are equal. The test is normal
// with the variance corrected for ties; [KendallExact] has the exact one.
//
// What is missing and what is undefined is as for [Pearson]. Like it, tau-b sees
// no bias.
func KendallB(x, y []float64) (Correlation, error) {
	x, y, err := complete("Kendall's tau-b", x, y)
	if err != nil {
		return Correlation{}, err
	}
	n := float64(len(x))
	all := n * (n - 1) / 2
	untied := func(x []float64) float64 {
		pairs := all
		for _, t := range ties(x) {
			pairs -= t * (t - 1) / 2
		}
		return pairs
	}
	s := float64(concordance(x, y))
	return kendall(s/math.Sqrt(untied(x))/math.Sqrt(untied(y)), s, x, y), nil
}

// KendallC returns Stuart's tau-c, which reaches 1 where the scales of the two
// sides have different numbers of points. For the rest it is as [KendallB].
func KendallC(x, y []float64) (Correlation, error) {
	x, y, err := complete("Kendall's tau-c", x, y)
	if err != nil {
		return Correlation{}, err
	}
	n := float64(len(x))
	m := float64(min(distinct(x), distinct(y)))
	s := float64(concordance(x, y))
	return kendall(2*s*m/(n*n*(m-1)), s, x, y), nil
}

// kendall is a correlation of the concordance s, whose variance is Kendall's of
// 1945.
func kendall(r, s float64, x, y []float64) Correlation {
	c := Correlation{R: min(max(r, -1), 1), N: len(x)}
	if len(x) == 2 {
		c.pErr = undefined("p of Kendall's tau", "two pairs have no variance")
		return c
	}
	n := float64(len(x))
	sums := func(x []float64) (pairs, triples, third float64) {
		for _, t := range ties(x) {
			pairs += t * (t - 1)
			triples += t * (t - 1) * (t - 2)
			third += t * (t - 1) * (2*t + 5)
		}
		return pairs, triples, third
	}
	xp, xt, x3 := sums(x)
	yp, yt, y3 := sums(y)
	variance := (n*(n-1)*(2*n+5)-x3-y3)/18 + xp*yp/(2*n*(n-1)) + xt*yt/(9*n*(n-1)*(n-2))
	c.p = normalTwoSided(s / math.Sqrt(variance))
	return c
}

// KendallExact returns the probability of a tau at least as far from 0 if all
// orders are equally likely, by counting them (Kendall 1938). It is for numbers
// without ties, and [ErrUndefined] if there are any; the time it takes grows with
// the cube of their number. What is missing is as for [Pearson].
func KendallExact(x, y []float64) (float64, error) {
	x, y, err := complete("exact p of Kendall's tau", x, y)
	if err != nil {
		return 0, err
	}
	if len(ties(x))+len(ties(y)) > 0 {
		return 0, undefined("exact p of Kendall's tau", "some values are equal, and then the orders are not equally likely")
	}
	n := len(x)
	all := n * (n - 1) / 2
	fewer := (all - max(concordance(x, y), -concordance(x, y))) / 2
	// The share of the orders with 0, 1, … inversions, a value more at a time: the
	// k-th can be put in k places.
	share := make([]float64, fewer+1)
	share[0] = 1
	for k := 2; k <= n; k++ {
		next, window := make([]float64, len(share)), 0.0
		for i := range share {
			window += share[i]
			if i >= k {
				window -= share[i-k]
			}
			next[i] = window / float64(k)
		}
		share = next
	}
	p := 0.0
	for _, s := range share {
		p += 2 * s
	}
	return min(p, 1), nil
}

// concordance is how many pairs of pairs are in the same order, less those in the
// opposite one.
func concordance(x, y []float64) int {
	s := 0
	for i := range x {
		for j := range i {
			s += cmp.Compare(x[i], x[j]) * cmp.Compare(y[i], y[j])
		}
	}
	return s
}

func distinct(x []float64) int { return len(slices.Compact(slices.Sorted(slices.Values(x)))) }
