package ragtest

import (
	"fmt"
	"math"
)

// checkBeta refuses a beta of metric that an F score cannot be weighed by.
func checkBeta(metric string, beta float64) error {
	if !(beta >= 0) || math.IsInf(beta*beta, 0) {
		return fmt.Errorf("%s.Beta: a number of at least 0 is needed, not %v", metric, beta)
	}
	return nil
}

// fBeta weighs precision, tp/(tp+fp), and recall, tp/(tp+fn), against each
// other: recall counts beta times as much. Without a true positive it is 0. The
// products are rounded one by one, as a fused multiply-add would give other bits
// on some processors.
func fBeta(tp, fp, fn int, beta float64) float64 {
	if tp == 0 {
		return 0
	}
	p := float64(tp) / float64(tp+fp)
	r := float64(tp) / float64(tp+fn)
	b2 := float64(beta * beta)
	return float64((1+b2)*float64(p*r)) / (float64(b2*p) + r)
}
