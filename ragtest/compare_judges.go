package ragtest

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/ragomega/ragomega/ragtest/agreement"
)

// JudgeComparison is what two judges made of the same labelled items.
type JudgeComparison struct {
	A, B string // the judges
	N    int    // items that both decided
	// Kappas with people: of A, of B, and A's minus B's, with an interval in which the
	// same items are drawn for both.
	KappaA, KappaB, Difference agreement.Estimate
	// Between is kappa of the judges with each other.
	Between agreement.Estimate
	// OnlyA and OnlyB count the items that only this judge got right.
	OnlyA, OnlyB int
	// P is that of McNemar's mid-p test of these: how likely they would be if the
	// judges were equally good.
	P float64
}

// CompareJudges compares two calibrations of one metric on the same labelled
// samples. Labels have to be categories.
func CompareJudges(a, b *Calibration) (JudgeComparison, error) {
	none := JudgeComparison{}
	if a == nil || b == nil {
		return none, errNoCalibration
	}
	if err := a.sameData(b); err != nil {
		return none, err
	}
	if a.kind() == agreement.ContinuousLabels || b.kind() == agreement.ContinuousLabels {
		return none, fmt.Errorf("ragtest: the labels of %s are no categories, so there is no kappa to compare", a.Metric)
	}
	c := JudgeComparison{A: a.By(), B: b.By()}
	of := map[string]Judged{}
	for _, x := range b.Compared() {
		if _, twice := of[x.Sample]; twice {
			return none, fmt.Errorf("ragtest: two items are called %q; names must differ, as the judges' verdicts are paired by them", x.Sample)
		}
		of[x.Sample] = x
	}
	var human, byA, byB []float64
	var clusters []int
	for _, x := range a.Compared() {
		y, ok := of[x.Sample]
		if !ok {
			continue
		}
		h, _ := x.Human()
		human, byA, byB, clusters = append(human, h), append(byA, x.Judge), append(byB, y.Judge), append(clusters, x.Group)
		if right := x.Judge == h; right != (y.Judge == h) {
			if right {
				c.OnlyA++
			} else {
				c.OnlyB++
			}
		}
	}
	c.N = len(human)
	if c.N == 0 {
		return none, fmt.Errorf("%w: there is no item that both judges decided", ErrUndefined)
	}
	var err error
	for _, of := range []struct {
		kappa *agreement.Estimate
		x, y  []float64
	}{{&c.KappaA, human, byA}, {&c.KappaB, human, byB}, {&c.Between, byA, byB}} {
		if *of.kappa, err = kappaWith(of.x, of.y, clusters, a.Scale); err != nil {
			return none, err
		}
	}
	if c.Difference, err = kappaGain(human, byA, byB, clusters); err != nil {
		return none, err
	}
	test, err := agreement.McNemar(c.OnlyA, c.OnlyB)
	c.P = test.MidP
	return c, err
}

// sameData refuses a judge that was held against something else.
func (c *Calibration) sameData(o *Calibration) error {
	if c.Data == o.Data && c.Metric == o.Metric {
		return nil
	}
	return fmt.Errorf("ragtest: the judges were calibrated for %s on data %s and for %s on data %s, expected the same", c.Metric, c.Data, o.Metric, o.Data)
}

// NotWorse reports whether A is shown not to be worse than B by margin or more:
// whether the lower end of Difference is above -margin.
func (c JudgeComparison) NotWorse(margin float64) bool {
	low, err := c.Difference.Lower()
	return err == nil && low > -margin
}

// String is a line for each figure.
func (c JudgeComparison) String() string {
	return fmt.Sprintf("%s: %v\n%s: %v\n%v\nwith each other: %v\nonly the first right: %d, only the second: %d, p %.3f, n=%d",
		c.A, c.KappaA, c.B, c.KappaB, c.Difference, c.Between, c.OnlyA, c.OnlyB, c.P, c.N)
}

// By names the judge of c, and what sets its verdicts apart.
func (c *Calibration) By() string {
	name := c.Model + " at " + c.Identity
	if c.PerClaim {
		name += ", each claim alone"
	}
	if c.Decided != nil {
		name += fmt.Sprintf(", at P ≥ %.3g", c.Decided.At)
	}
	return name
}

// Cheapest returns the first of some calibrations, which are given by the price of
// their judges, the cheapest first, that is shown not to be worse than the best of
// them by margin of kappa or more. That may be the best itself. The best is the one
// with the highest kappa with people; it must be better than chance by the lower end
// of its interval.
func Cheapest(margin float64, byPrice ...*Calibration) (*Calibration, error) {
	if len(byPrice) == 0 || slices.Contains(byPrice, nil) {
		return nil, errNoCalibration
	}
	if !(margin > 0) {
		return nil, fmt.Errorf("ragtest: the margin is %v, expected a difference of kappa above 0 that does not matter, such as 0.1", margin)
	}
	for _, c := range byPrice[1:] {
		if err := byPrice[0].sameData(c); err != nil {
			return nil, err
		}
	}
	best, most := byPrice[0], 0.0
	for i, c := range byPrice {
		a, err := c.Agreement()
		if err != nil {
			return nil, fmt.Errorf("ragtest: %s: %w", c.By(), err)
		}
		if k, err := a.Kappa.Value(); err == nil && (i == 0 || k > most) {
			best, most = c, k
		}
	}
	a, err := best.Agreement()
	if err == nil {
		err = a.Gate()
	}
	low, errLow := a.Kappa.Lower()
	if err = errors.Join(err, errLow); err != nil {
		return nil, fmt.Errorf("ragtest: the best judge, %s: %w", best.By(), err)
	}
	if low <= 0 {
		return nil, fmt.Errorf("ragtest: even the best judge, %s, is not known to be better than chance: %v", best.By(), a.Kappa)
	}
	for _, c := range byPrice {
		if c == best {
			break
		}
		compared, err := CompareJudges(c, best)
		if err != nil {
			return nil, err
		}
		if compared.NotWorse(margin) {
			return c, nil
		}
	}
	return best, nil
}

// nameOf is a step without its version.
func nameOf(step string) string {
	name, _, _ := strings.Cut(step, "/")
	return name
}
