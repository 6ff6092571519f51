package agreement

import (
	"math"

	"gonum.org/v1/gonum/mathext"
)

// studentTwoSided is the probability of a Student t variable with df degrees of
// freedom at least as far from 0 as t. Of the two forms of the incomplete beta
// function it takes the one whose argument keeps its digits.
func studentTwoSided(t, df float64) float64 {
	if math.IsInf(t, 0) {
		return 0
	}
	t2 := t * t
	if t2 < 1 {
		return 1 - mathext.RegIncBeta(0.5, df/2, t2/(df+t2))
	}
	return mathext.RegIncBeta(df/2, 0.5, df/(df+t2))
}

// studentQuantile is the t that a Student t variable with df degrees of freedom
// is at most with probability p, above 0 and below 1. It is right to 1e-9 where
// both tails are at least 1e-6.
func studentQuantile(p, df float64) float64 {
	if p > 0.5 {
		return -studentQuantile(1-p, df)
	}
	if p > 0.25 {
		y := mathext.InvRegIncBeta(0.5, df/2, 1-2*p)
		return -math.Sqrt(df * y / (1 - y))
	}
	x := mathext.InvRegIncBeta(df/2, 0.5, 2*p)
	return -math.Sqrt(df * (1 - x) / x)
}

// fisherUpper is the probability that an F variable with d1 and d2 degrees of
// freedom is at least f.
func fisherUpper(f, d1, d2 float64) float64 {
	switch {
	case f <= 0:
		return 1
	case math.IsInf(f, 1):
		return 0
	}
	return mathext.RegIncBeta(d2/2, d1/2, d2/(d2+float64(d1*f)))
}

// fisherQuantile is the f that an F variable with d1 and d2 degrees of freedom is
// at most with probability p, which is above 0 and below 1.
func fisherQuantile(p, d1, d2 float64) float64 {
	x := mathext.InvRegIncBeta(d1/2, d2/2, p)
	return d2 * x / (d1 * (1 - x))
}
