package agreement

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mathext"
)

// PairedCounts compares two runs on the same samples, each of which passed or
// failed. Only the samples on which they differ say which is better.
type PairedCounts struct {
	OnlyA, OnlyB int // samples that only one of them passed

	// Exact is the probability of counts at least this unequal if both are as good:
	// the exact test of McNemar (1947), two-sided. MidP counts half of those just as
	// unequal (Fagerland, Lydersen and Laake 2013), and finds more differences while
	// it still hardly ever says too many.
	Exact, MidP float64
}

// McNemar tests whether two runs on the same samples pass equally often, given how
// many samples only the first and only the second passed. Without any such sample
// both p are 1, and with fewer than 6 none can be below 0.05. It is an error if a
// count is negative.
func McNemar(onlyA, onlyB int) (PairedCounts, error) {
	if onlyA < 0 || onlyB < 0 {
		return PairedCounts{}, fmt.Errorf("agreement: %d samples passed in one run only and %d in the other, expected no negative number", onlyA, onlyB)
	}
	c := PairedCounts{OnlyA: onlyA, OnlyB: onlyB, Exact: 1, MidP: 1}
	n, fewer := onlyA+onlyB, min(onlyA, onlyB)
	if n == 0 {
		return c, nil
	}
	c.Exact = fairTwoSided(n, fewer)
	_, equal := fairCoins(n, fewer)
	c.MidP = c.Exact - equal
	return c, nil
}

// ChiSquared returns McNemar's statistic with one degree of freedom and its p,
// with Edwards's correction for continuity or without. It is an approximation, and
// [ErrUndefined] if the runs differ on no sample.
func (c PairedCounts) ChiSquared(corrected bool) (statistic, p float64, err error) {
	n := float64(c.OnlyA + c.OnlyB)
	if n == 0 {
		return 0, 0, undefined("McNemar's chi-squared", "the runs differ on no sample")
	}
	d := math.Abs(float64(c.OnlyA - c.OnlyB))
	if corrected {
		d--
	}
	d2 := d * d / n
	return d2, normalTwoSided(math.Sqrt(d2)), nil
}

// fairCoins is the probability of at most, and of exactly, k heads among n fair
// coins. Where the numbers of ways are whole it is exact.
func fairCoins(n, k int) (most, exactly float64) {
	if n > 1000 { // 2^-n is out of range soon
		logGamma := func(x int) float64 { l, _ := math.Lgamma(float64(x)); return l }
		exactly = math.Exp(logGamma(n+1) - logGamma(k+1) - logGamma(n-k+1) - float64(n)*math.Ln2)
		if k == n {
			return 1, exactly
		}
		return mathext.RegIncBeta(float64(n-k), float64(k+1), 0.5), exactly
	}
	exactly = math.Ldexp(1, -n)
	most = exactly
	for i := 1; i <= k; i++ {
		exactly = exactly * float64(n-i+1) / float64(i)
		most += exactly
	}
	return most, exactly
}

// fairTwoSided is the probability of n fair coins with at most fewer heads or at
// most fewer tails.
func fairTwoSided(n, fewer int) float64 {
	if 2*fewer >= n {
		return 1
	}
	most, _ := fairCoins(n, fewer)
	return min(1, 2*most)
}
