package matchers

import (
	"fmt"

	"github.com/ragomega/ragomega/ragtest"
	"github.com/ragomega/ragomega/ragtest/agreement"
)

// HaveKappaAbove succeeds if Cohen's kappa of the judge with people is above min,
// by the lower end of its interval: see [CalibrationMatcher]. min is at least 0,
// which is agreement by chance, and below 1. Actual is what [ragtest.Calibrate]
// returns.
//
//	calibration, err := judge.Calibrate(ctx, ragtest.Faithfulness, labelled)
//	Expect(err).NotTo(HaveOccurred())
//	Expect(calibration).To(HaveKappaAbove(0.6))
//
// It is for labels of yes and no, and takes at least ten of each. On a scale it
// counts a label that is one point off like one at the other end; there
// [HaveWeightedKappaAbove] is meant more often. Of numbers there is no kappa: see
// [HaveAlphaAbove].
//
// A judge without any error on the labels has a kappa of 1 and no interval, which
// is an error: it may not have seen a hard one. [HaveTPRAbove] and [HaveTNRAbove]
// have intervals there too.
func HaveKappaAbove(min float64) *CalibrationMatcher {
	return statistic("HaveKappaAbove", "kappa", byChance, min, theKappa)
}

// HaveWeightedKappaAbove is [HaveKappaAbove] for labels on a scale, such as those
// of [ragtest.Rubric], with quadratic weights: a label that is two points off
// counts as four that are one off (Cohen 1968).
//
//	Expect(calibration).To(HaveWeightedKappaAbove(0.6))
func HaveWeightedKappaAbove(min float64) *CalibrationMatcher {
	return statistic("HaveWeightedKappaAbove", "weighted kappa", byChance, min, theWeightedKappa)
}

// HaveAlphaAbove succeeds if Krippendorff's alpha between the judge and people's
// consensus is above min, by the lower end of its interval: see
// [CalibrationMatcher]. It is the one statistic for labels of every kind: it takes
// yes and no for names, the points of a scale for an order, and other numbers for
// what they are. min is at least 0, which is agreement by chance, and below 1.
//
//	Expect(calibration).To(HaveAlphaAbove(0.667))
//
// Alpha of people among themselves is another matter: [ragtest.Calibration.Raters]
// returns it, and a judge can hardly be asked for more.
//
//	Expect(calibration.Raters()).To(BeNumerically(">", 0.8))
func HaveAlphaAbove(min float64) *CalibrationMatcher {
	return statistic("HaveAlphaAbove", "alpha", byChance, min, theAlpha)
}

// HaveTPRAbove succeeds if the judge says yes to more than the share min of what
// people say yes to, by the lower end of Wilson's interval: see
// [CalibrationMatcher]. It takes labels of yes and no, and ten of yes. min is at
// least 0 and below 1.
//
//	Expect(calibration).To(And(HaveTPRAbove(0.8), HaveTNRAbove(0.8)))
//
// The interval takes items for independent. Several of one text are less than
// that, so of few texts it is too narrow.
func HaveTPRAbove(min float64) *CalibrationMatcher {
	return statistic("HaveTPRAbove", "TPR", "rates lie from 0 to 1", min, theTPR)
}

// HaveTNRAbove is [HaveTPRAbove] for what people say no to, of which it takes ten.
// For faithfulness it is the share of unsupported claims that the judge finds:
// a judge that always says yes has a TNR of 0, however many of the claims are
// supported.
//
//	Expect(calibration).To(HaveTNRAbove(0.8))
func HaveTNRAbove(min float64) *CalibrationMatcher {
	return statistic("HaveTNRAbove", "TNR", "rates lie from 0 to 1", min, theTNR)
}

const byChance = "chance alone gives 0 and full agreement 1"

// statistic makes a matcher of what pick picks from a comparison.
func statistic(name, what, ofRange string, min float64, pick func(*CalibrationMatcher, *ragtest.Calibration, agreement.Comparison) (picked, error)) *CalibrationMatcher {
	m := newCalibrationMatcher(fmt.Sprintf("%s(%v)", name, min), min)
	m.want = fmt.Sprintf("to have %s above %v", what, min)
	m.flaw = m.bound.flaw(ofRange)
	m.find = func(m *CalibrationMatcher, c *ragtest.Calibration) (agreed, error) {
		a, err := c.AgreementWithin(m.confidence)
		if err != nil {
			return agreed{}, err
		}
		p, err := pick(m, c, a)
		if err != nil {
			return agreed{}, withFigures(err, a)
		}
		value, says, err := m.bound.held(p.of, m.onPoint)
		if err != nil {
			return agreed{}, withFigures(err, a)
		}
		return agreed{value: value, says: says, at: at(m.onPoint, m.confidence), figures: a.String(), against: p.against, which: p.which}, nil
	}
	return m
}

// picked is a statistic, and the items that speak against it.
type picked struct {
	of      estimate
	against []ragtest.Judged
	which   string // they are
}

func theKappa(_ *CalibrationMatcher, c *ragtest.Calibration, a agreement.Comparison) (picked, error) {
	if a.Kind == agreement.ContinuousLabels {
		return picked{}, notFor(a.Kind, "of which two are hardly ever the same, so there is no kappa", "HaveAlphaAbove")
	}
	return picked{estimateOf(a.Kappa), c.Disagreements(), "the worst disagreements"}, a.Gate()
}

func theWeightedKappa(_ *CalibrationMatcher, c *ragtest.Calibration, a agreement.Comparison) (picked, error) {
	switch a.Kind {
	case agreement.OrdinalLabels:
		return picked{estimateOf(a.Point), c.Disagreements(), "the worst disagreements"}, a.Gate()
	case agreement.ContinuousLabels:
		return picked{}, notFor(a.Kind, "which are no points of a scale", "HaveAlphaAbove")
	}
	return picked{}, notFor(a.Kind, "between which there is nothing to weight", "HaveKappaAbove")
}

func theAlpha(m *CalibrationMatcher, c *ragtest.Calibration, a agreement.Comparison) (picked, error) {
	level := agreement.NominalLevel
	switch a.Kind {
	case agreement.OrdinalLabels:
		level = agreement.OrdinalLevel
	case agreement.ContinuousLabels:
		level = agreement.IntervalLevel
	}
	ratings := make([][]float64, 2)
	var texts []int
	for _, x := range c.Compared() {
		human, _ := x.Human()
		ratings[0], ratings[1] = append(ratings[0], human), append(ratings[1], x.Judge)
		texts = append(texts, x.Group)
	}
	alpha := estimate{name: "alpha"}
	if alpha.value, alpha.err = agreement.Alpha(ratings, level); alpha.err == nil {
		draws := agreement.Bootstrap{Confidence: m.confidence, Seed: 1}
		alpha.interval, alpha.intervalErr = agreement.AlphaInterval(ratings, level, draws)
		// As Calibration.Agreement does: items of a text together, unless each drawn
		// alone gives an interval that reaches lower.
		draws.Clusters = texts
		if together, err := agreement.AlphaInterval(ratings, level, draws); err != nil || together.Low < alpha.interval.Low {
			alpha.interval, alpha.intervalErr = together, err // of a single text there is none
		}
	}
	return picked{alpha, c.Disagreements(), "the worst disagreements"}, a.Gate()
}

func theTPR(_ *CalibrationMatcher, c *ragtest.Calibration, a agreement.Comparison) (picked, error) {
	return theRate(c, a, a.TPR, 1, a.Confusion.Positives(), "yes by people, no by the judge")
}

func theTNR(_ *CalibrationMatcher, c *ragtest.Calibration, a agreement.Comparison) (picked, error) {
	return theRate(c, a, a.TNR, 0, a.Confusion.Negatives(), "no by people, yes by the judge")
}

// theRate is that of the items which people give a label, of which there are n.
func theRate(c *ragtest.Calibration, a agreement.Comparison, rate agreement.Estimate, label float64, n int, which string) (picked, error) {
	switch {
	case a.Kind == agreement.ContinuousLabels:
		return picked{}, notFor(a.Kind, "and not yes or no", "HaveAlphaAbove")
	case a.Kind != agreement.BinaryLabels:
		return picked{}, notFor(a.Kind, "and not yes or no", "HaveWeightedKappaAbove")
	case n < agreement.EnoughLabels:
		return picked{}, fmt.Errorf("%w: %d items are labelled %v; it takes %d to decide by their rate", agreement.ErrFewLabels, n, label, agreement.EnoughLabels)
	}
	p := picked{of: estimateOf(rate), which: which}
	for _, x := range c.Disagreements() {
		if human, _ := x.Human(); human == label {
			p.against = append(p.against, x)
		}
	}
	return p, nil
}

// notFor says that labels are not of the kind that a statistic is for.
func notFor(k agreement.Kind, why, use string) error {
	what := map[agreement.Kind]string{
		agreement.BinaryLabels: "yes and no", agreement.NominalLabels: "names",
		agreement.OrdinalLabels: "points of a scale", agreement.ContinuousLabels: "numbers",
	}[k]
	return fmt.Errorf("the labels are %s, %s. Use %s", what, why, use)
}
