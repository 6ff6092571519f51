package agreement

import (
	"fmt"
	"math"
	"slices"
)

// PPI is the mean of what a human would say of many items, from what a judge says
// of all of them and a human of some.
type PPI struct {
	Mean   float64
	SE     float64 // standard error
	Lambda float64 // the weight of the judge, from 0 to 1: 0 is the mean of the human's alone

	Labelled, Unlabelled int
}

// PPIMean estimates the mean of a human's labels or scores by prediction-powered
// inference (Angelopoulos and others 2023), with the weight of the judge that makes
// the interval shortest (PPI++, 2023). The labelled items, of which human and judge
// have each one number in the same order, must be a random sample of the same items
// as the unlabelled ones, 50 of them or more.
//
// A judge that says nothing of what the human does, or the opposite, or always the
// same, gets the weight 0. It is [ErrUndefined] without labelled or unlabelled
// items, and an error if the lengths differ or a number is none.
func PPIMean(human, judge, unlabelled []float64) (PPI, error) {
	if err := checkPPI(human, judge, unlabelled); err != nil {
		return PPI{}, err
	}
	pooled := slices.Concat(judge, unlabelled)
	mh, mj, covariance := mean(human), mean(judge), 0.0
	for i := range human {
		covariance += float64((human[i] - mh) * (judge[i] - mj))
	}
	n := float64(len(human))
	variance := squares(pooled) / float64(len(pooled)-1)
	lambda := 0.0
	if slices.Min(pooled) < slices.Max(pooled) && variance > 0 {
		lambda = covariance / n / ((1 + n/float64(len(unlabelled))) * variance)
	}
	return ppi(human, judge, unlabelled, min(max(lambda, 0), 1)), nil
}

// PPIMeanWith is [PPIMean] with a weight of the judge from 0 to 1 that is given: 1
// is the first form of prediction-powered inference. It is an error if lambda is
// outside of them.
func PPIMeanWith(lambda float64, human, judge, unlabelled []float64) (PPI, error) {
	if err := checkPPI(human, judge, unlabelled); err != nil {
		return PPI{}, err
	}
	if !(lambda >= 0 && lambda <= 1) {
		return PPI{}, fmt.Errorf("agreement: lambda is %v, expected a weight from 0 to 1", lambda)
	}
	return ppi(human, judge, unlabelled, lambda), nil
}

func ppi(human, judge, unlabelled []float64, lambda float64) PPI {
	rest := make([]float64, len(human)) // what the judge leaves unexplained
	for i := range human {
		rest[i] = human[i] - float64(lambda*judge[i])
	}
	n, all := float64(len(human)), float64(len(unlabelled))
	return PPI{
		Mean:       float64(lambda*mean(unlabelled)) + mean(rest),
		SE:         math.Sqrt(float64(lambda*lambda*(squares(unlabelled)/all))/all + squares(rest)/n/n),
		Lambda:     lambda,
		Labelled:   len(human),
		Unlabelled: len(unlabelled),
	}
}

func checkPPI(human, judge, unlabelled []float64) error {
	if len(human) != len(judge) {
		return fmt.Errorf("agreement: there are %d numbers of the human and %d of the judge, expected one of each for every labelled item", len(human), len(judge))
	}
	if len(human) == 0 || len(unlabelled) == 0 {
		return undefined("prediction-powered mean", "there are %d labelled and %d unlabelled items, and it takes both", len(human), len(unlabelled))
	}
	for i, v := range slices.Concat(human, judge, unlabelled) {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return fmt.Errorf("agreement: number %d of the human's, the judge's and the unlabelled items' is %v; leave out what was not measured", i, v)
		}
	}
	return nil
}

// Interval returns the normal interval of the mean. With few labels it is too
// short, and with one of them it has no notion of how labels vary. It may reach
// beyond the scale of the labels.
func (p PPI) Interval(confidence float64) (Interval, error) {
	if err := p.check(confidence); err != nil {
		return Interval{}, err
	}
	half := normalBound(confidence) * p.SE
	return p.interval(p.Mean-half, p.Mean+half, confidence), nil
}

// LowerBound returns the interval without an upper end, +Inf, whose lower one the
// mean is above with the given confidence.
func (p PPI) LowerBound(confidence float64) (Interval, error) {
	if err := p.check(confidence); err != nil {
		return Interval{}, err
	}
	return p.interval(p.Mean-float64(normalQuantile(confidence)*p.SE), math.Inf(1), confidence), nil
}

// UpperBound returns the interval without a lower end, -Inf, whose upper one the
// mean is below with the given confidence.
func (p PPI) UpperBound(confidence float64) (Interval, error) {
	if err := p.check(confidence); err != nil {
		return Interval{}, err
	}
	return p.interval(math.Inf(-1), p.Mean+float64(normalQuantile(confidence)*p.SE), confidence), nil
}

func (p PPI) check(confidence float64) error {
	if p.Labelled == 0 {
		return undefined("interval of the prediction-powered mean", "there is no mean; PPIMean makes one")
	}
	return checkConfidence(confidence)
}

func (p PPI) interval(low, high, confidence float64) Interval {
	return Interval{Low: low, High: high, Confidence: confidence, Method: "PPI", Degenerate: p.SE == 0}
}
