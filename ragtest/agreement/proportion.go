package agreement

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mathext"
)

// Wilson returns the score interval of a proportion (Wilson 1927), which holds
// it about as often as it should on average over all proportions. It is the one
// to report. Without a success it begins at 0, and without a failure it ends at 1.
//
// Like the other intervals of a proportion it is [ErrUndefined] if n is 0, where
// any proportion is possible, and an error if there are not from 0 to n successes
// or the confidence is not between 0 and 1.
func Wilson(successes, n int, confidence float64) (Interval, error) {
	return proportion("Wilson", successes, n, confidence, func(x, n float64) (low, high float64) {
		return wilson(x/n, n, normalBound(confidence))
	})
}

// wilson is the interval of the share p of n, which may lie between two counts,
// at z standard deviations.
func wilson(p, n, z float64) (low, high float64) {
	z2 := z * z
	centre := (p + z2/(2*n)) / (1 + z2/n)
	half := z / (1 + z2/n) * math.Sqrt(p*(1-p)/n+z2/(4*n*n))
	low, high = centre-half, centre+half
	if p == 0 {
		low = 0
	}
	if p == 1 {
		high = 1
	}
	return low, high
}

// WilsonCorrected returns Wilson's interval with the correction for continuity
// (Newcombe 1998), which is about as wide as [ClopperPearson]'s. For the rest it
// is as [Wilson].
func WilsonCorrected(successes, n int, confidence float64) (Interval, error) {
	return proportion("Wilson, corrected for continuity", successes, n, confidence, func(x, n float64) (low, high float64) {
		z := normalBound(confidence)
		p, z2 := x/n, z*z
		below := z * math.Sqrt(max(z2-2-1/n+4*p*(n-x+1), 0))
		above := z * math.Sqrt(max(z2+2-1/n+4*p*(n-x-1), 0))
		low, high = (2*x+z2-1-below)/(2*(n+z2)), (2*x+z2+1+above)/(2*(n+z2))
		if x == 0 {
			low = 0
		}
		if x == n {
			high = 1
		}
		return low, high
	})
}

// ClopperPearson returns the exact interval of a proportion (Clopper and Pearson
// 1934), which holds it at least as often as it should whatever it is, and is
// wider than [Wilson]'s for it. It is the one for a gate. For the rest it is as
// Wilson.
func ClopperPearson(successes, n int, confidence float64) (Interval, error) {
	return proportion("Clopper-Pearson", successes, n, confidence, func(x, n float64) (low, high float64) {
		return clopperPearson(x, n, confidence)
	})
}

func clopperPearson(x, n, confidence float64) (low, high float64) {
	tail := (1 - confidence) / 2
	low, high = 0, 1
	if x > 0 {
		low = mathext.InvRegIncBeta(x, n-x+1, tail)
	}
	if x < n {
		high = mathext.InvRegIncBeta(x+1, n-x, 1-tail)
	}
	return low, high
}

// Jeffreys returns the interval of equal tails of the posterior of a proportion
// under Jeffreys's prior, Beta(1/2, 1/2). Without a success it begins a little
// above 0, and without a failure it ends a little below 1, so it can leave out
// the proportion observed. For the rest it is as [Wilson].
func Jeffreys(successes, n int, confidence float64) (Interval, error) {
	return proportion("Jeffreys", successes, n, confidence, func(x, n float64) (low, high float64) {
		tail := (1 - confidence) / 2
		return mathext.InvRegIncBeta(x+0.5, n-x+0.5, tail), mathext.InvRegIncBeta(x+0.5, n-x+0.5, 1-tail)
	})
}

// AgrestiCoull returns the interval of Agresti and Coull (1998): Wald's, about
// the centre of Wilson's. For the rest it is as [Wilson].
func AgrestiCoull(successes, n int, confidence float64) (Interval, error) {
	return proportion("Agresti-Coull", successes, n, confidence, func(x, n float64) (low, high float64) {
		z := normalBound(confidence)
		total := n + z*z
		return wald((x+z*z/2)/total, total, z)
	})
}

// Wald returns the normal interval of a proportion, the one of textbooks. It is
// here to be compared with: it holds the proportion far too seldom if that is
// near 0 or 1, and without a success or a failure it has no width, which
// Degenerate says. For the rest it is as [Wilson].
func Wald(successes, n int, confidence float64) (Interval, error) {
	return proportion("Wald", successes, n, confidence, func(x, n float64) (low, high float64) {
		return wald(x/n, n, normalBound(confidence))
	})
}

func wald(p, n, z float64) (low, high float64) {
	half := z * math.Sqrt(p*(1-p)/n)
	return p - half, p + half
}

// proportion is an interval by the given method.
func proportion(method string, successes, n int, confidence float64, ends func(x, n float64) (low, high float64)) (Interval, error) {
	if err := checkConfidence(confidence); err != nil {
		return Interval{}, err
	}
	if n < 0 || successes < 0 || successes > n {
		return Interval{}, fmt.Errorf("agreement: there are %d successes of %d, expected from 0 to the number of trials", successes, n)
	}
	if n == 0 {
		return Interval{}, undefined("interval of a proportion", "there are no trials, so it may be anything from 0 to 1")
	}
	low, high := ends(float64(successes), float64(n))
	low, high = max(low, 0), min(high, 1)
	return Interval{Low: low, High: high, Confidence: confidence, Method: method, Degenerate: low == high}, nil
}

// NewcombeDifference returns the interval of the difference of two independent
// proportions, x1/n1 - x2/n2, from their Wilson intervals (Newcombe 1998, method
// 10). It is not for the same samples, which are paired: see [McNemar]. Its errors
// are those of [Wilson], for either proportion.
func NewcombeDifference(x1, n1, x2, n2 int, confidence float64) (Interval, error) {
	first, err := Wilson(x1, n1, confidence)
	if err != nil {
		return Interval{}, err
	}
	second, err := Wilson(x2, n2, confidence)
	if err != nil {
		return Interval{}, err
	}
	p1, p2 := float64(x1)/float64(n1), float64(x2)/float64(n2)
	return Interval{
		Low:        p1 - p2 - math.Hypot(p1-first.Low, second.High-p2),
		High:       p1 - p2 + math.Hypot(first.High-p1, p2-second.Low),
		Confidence: confidence,
		Method:     "Newcombe",
	}, nil
}
