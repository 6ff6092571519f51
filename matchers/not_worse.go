package matchers

import (
	"fmt"

	"github.com/onsi/gomega/format"

	"github.com/ragomega/ragomega/ragtest"
)

// BeNotWorseThan succeeds if the judge is shown not to be worse than that of
// another calibration by margin of Cohen's kappa or more: if the lower end of the
// interval of the difference is above -margin; see [ragtest.CompareJudges]. Both
// were calibrated on the same labelled samples, which are drawn together. margin
// is the difference that does not matter, above 0 and below 1.
//
//	Expect(cheap).To(BeNotWorseThan(dear, 0.1))
//
// That two judges do not differ significantly shows nothing of the kind: with few
// labels no two do. So too few labels are an error here, and few fail. Judges that
// say the same of all items have a difference of 0 without an interval; it takes
// [CalibrationMatcher.OnPoint] to go by that.
//
// Each of the calibrations may have as many unmeasured items as
// [CalibrationMatcher.AllowUnmeasured] allows. Items that either lacks are left out.
func BeNotWorseThan(other *ragtest.Calibration, margin float64) *CalibrationMatcher {
	m := newCalibrationMatcher(fmt.Sprintf("BeNotWorseThan(%s, %v)", by(other), margin), -margin)
	m.want = fmt.Sprintf("to trail %s by less than %v of kappa", by(other), margin)
	m.fixed = true
	switch {
	case other == nil:
		m.flaw = "there is nothing to compare with, expected the calibration of another judge"
	case !(margin > 0 && margin < 1):
		m.flaw = "the margin is a difference of kappa that does not matter, and must be above 0 and below 1, such as 0.1"
	}
	m.find = func(m *CalibrationMatcher, c *ragtest.Calibration) (agreed, error) {
		than, err := m.part(other)
		if err != nil {
			return agreed{}, fmt.Errorf("%s: %w", by(other), err)
		}
		return m.compare(c, than)
	}
	return m
}

func (m *CalibrationMatcher) compare(c, than *ragtest.Calibration) (agreed, error) {
	compared, err := ragtest.CompareJudges(c, than)
	if err != nil {
		return agreed{}, err
	}
	// The labels that are enough must be those of the items that both decided.
	both := *c
	both.Items = nil
	other := map[string]ragtest.Judged{}
	for _, x := range than.Compared() {
		other[x.Sample] = x
	}
	var against []ragtest.Judged
	for _, x := range c.Compared() {
		if _, ok := other[x.Sample]; ok {
			both.Items = append(both.Items, x)
		}
	}
	for _, x := range both.Disagreements() {
		if human, _ := x.Human(); other[x.Sample].Judge == human {
			against = append(against, x)
		}
	}
	a, err := both.Agreement()
	if err == nil {
		err = a.Gate()
	}
	if err != nil {
		return agreed{}, withComparison(err, compared)
	}
	difference := estimateOf(compared.Difference)
	difference.name = "the " + difference.name
	value, says, err := m.bound.held(difference, m.onPoint)
	if err != nil {
		return agreed{}, withComparison(err, compared)
	}
	return agreed{
		value: value, says: says, at: at(m.onPoint, m.confidence), figures: compared.String() + "\n" + a.Confusion.String(),
		against: against, which: "what only the other has right",
	}, nil
}

func withComparison(err error, c ragtest.JudgeComparison) error {
	return fmt.Errorf("%w\n%s", err, format.IndentString(c.String(), 1))
}
