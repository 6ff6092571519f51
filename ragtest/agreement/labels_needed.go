package agreement

import (
	"fmt"
	"math"
)

// Labels is how many labels of one class it takes to know the judge's rate on that
// class.
type Labels struct {
	Wilson         int // for Wilson's interval
	ClopperPearson int // for the exact one
}

// LabelsNeeded returns how many labels of one class, positives for the true
// positive rate and negatives for the true negative rate, give an interval of at
// most twice halfWidth, if the rate is what is expected. From there on every number
// does, with the count that is nearest to the rate, and of two such the one nearer to
// the middle. Both are above 0, and the rate
// is below 1 and halfWidth at most 1/2.
func LabelsNeeded(rate, halfWidth, confidence float64) (Labels, error) {
	if err := checkWidth(rate, halfWidth, confidence); err != nil {
		return Labels{}, err
	}
	z := normalBound(confidence)
	return Labels{
		Wilson: fewest(rate, halfWidth, func(x, n float64) (low, high float64) { return wilson(x/n, n, z) }),
		ClopperPearson: fewest(rate, halfWidth, func(x, n float64) (low, high float64) {
			return clopperPearson(x, n, confidence)
		}),
	}, nil
}

// WaldSize returns how many labels Wald's interval takes for the same, not
// rounded: the number of textbooks, which is too large for [Wilson] and too small
// for [ClopperPearson] where the rate is in the middle.
func WaldSize(rate, halfWidth, confidence float64) (float64, error) {
	if err := checkWidth(rate, halfWidth, confidence); err != nil {
		return 0, err
	}
	z := normalBound(confidence) / halfWidth
	return rate * (1 - rate) * z * z, nil
}

func checkWidth(rate, halfWidth, confidence float64) error {
	if !(rate > 0 && rate < 1 && halfWidth > 0 && halfWidth <= 0.5) {
		return fmt.Errorf("agreement: the rate is %v and half the width %v, expected a rate between 0 and 1, and half a width above 0 and at most 0.5", rate, halfWidth)
	}
	return checkConfidence(confidence)
}

// fewest goes down from a number of labels that is enough even for the count half
// a label nearer to the middle, where intervals are widest.
func fewest(rate, halfWidth float64, interval func(x, n float64) (low, high float64)) int {
	enough := func(x, n float64) bool {
		low, high := interval(x, n)
		return high-low <= 2*halfWidth*(1+noise)
	}
	surely := func(n float64) bool {
		n = math.Ceil(n)
		x := min(rate, 1-rate) * n
		return enough(min(x+0.5, n/2), n)
	}
	high := 1.0
	for !surely(high) {
		high *= 2
	}
	n := math.Ceil(bisect(high/2, high, surely))
	for n > 1 && enough(nearest(rate, n-1), n-1) {
		n--
	}
	return int(n)
}

// nearest is the count of n that is nearest to the rate, of two the one nearer to
// the middle.
func nearest(rate, n float64) float64 {
	if rate < 0.5 {
		return n - nearest(1-rate, n)
	}
	return math.Ceil(rate*n - 0.5 - 1e-9)
}
