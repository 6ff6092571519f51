package matchers

import (
	"fmt"
	"sync/atomic"

	"github.com/onsi/gomega/types"

	"github.com/ragomega/ragomega/ragtest"
)

// CalibrationMatcher holds how well a judge agrees with people, which a
// [ragtest.Calibration] tells, against what is expected of it. Its methods return
// changed copies, so a CalibrationMatcher can be kept in a variable and shared.
//
// By default the lower end of the interval of 95 % is held against the bound, not
// the statistic itself. A judge that has a kappa of 0.6 on 40 labels may as well
// have 0.3 or 0.8 on the next 40: a gate on the point passes a bad judge on a
// good day, and the fewer the labels, the more often. The lower end is what the
// labels support, so that more labels are rewarded rather than luck. See
// [CalibrationMatcher.OnPoint] for the other reading.
//
// It is an error, which fails To and NotTo, if the labels do not tell: if there
// are too few (agreement.ErrFewLabels), if the statistic is undefined or is none
// for labels of their kind, if the interval is one that should not be relied on,
// or if an item was not measured.
type CalibrationMatcher struct {
	calibrationConfig
	// last is read by Ginkgo's progress reports while Match runs.
	last atomic.Pointer[agreed]
}

type calibrationConfig struct {
	find  func(*CalibrationMatcher, *ragtest.Calibration) (agreed, error)
	bound bound  // that what was found must be above
	flaw  string // of what the constructor was given; "" if there is none
	name  string // as the test has it, with its options
	want  string // as a message has it: "to have …"

	onPoint    bool
	fixed      bool // the interval is of 95 % and no other
	tag        *string
	unmeasured int
	confidence float64
}

func newCalibrationMatcher(name string, at float64) *CalibrationMatcher {
	return &CalibrationMatcher{calibrationConfig: calibrationConfig{name: name, bound: bound{at: at, above: true}, confidence: 0.95}}
}

// OnPoint returns a copy of m that holds the statistic itself against the bound,
// not the lower end of its interval: what these labels show of these items, and
// nothing of others. Too few labels are still an error.
//
//	Expect(calibration).To(HaveKappaAbove(0.6).OnPoint())
func (m *CalibrationMatcher) OnPoint() *CalibrationMatcher {
	c := m.calibrationConfig
	c.onPoint = true
	c.name += ".OnPoint()"
	return &CalibrationMatcher{calibrationConfig: c}
}

// Confidence returns a copy of m with another confidence than 0.95 for the
// interval. The interval has two sides: the lower end of one of 0.9 is exceeded
// with a confidence of 0.95. [BeNotWorseThan] takes no other.
//
//	Expect(calibration).To(HaveKappaAbove(0.6).Confidence(0.9))
func (m *CalibrationMatcher) Confidence(c float64) *CalibrationMatcher {
	k := m.calibrationConfig
	k.confidence = c
	k.name += fmt.Sprintf(".Confidence(%v)", c)
	return &CalibrationMatcher{calibrationConfig: k}
}

// ForTag returns a copy of m that looks only at the items with a tag. That there
// is none is an error.
//
//	Expect(calibration).To(HaveTNRAbove(0.8).ForTag("numbers"))
func (m *CalibrationMatcher) ForTag(tag string) *CalibrationMatcher {
	c := m.calibrationConfig
	c.tag = &tag
	c.name += fmt.Sprintf(".ForTag(%q)", tag)
	c.want += fmt.Sprintf(" among the items tagged %q", tag)
	return &CalibrationMatcher{calibrationConfig: c}
}

// AllowUnmeasured returns a copy of m that accepts up to n items that the judge
// gave no verdict on, and decides by the others. By default none is accepted: it
// is an error, as those a judge fails on may be those it would have got wrong.
//
//	Expect(calibration).To(HaveKappaAbove(0.6).AllowUnmeasured(2))
func (m *CalibrationMatcher) AllowUnmeasured(n int) *CalibrationMatcher {
	c := m.calibrationConfig
	c.unmeasured = n
	c.name += fmt.Sprintf(".AllowUnmeasured(%d)", n)
	return &CalibrationMatcher{calibrationConfig: c}
}

var _ types.GomegaMatcher = (*CalibrationMatcher)(nil)

// Match implements Gomega's matcher. An error means that the calibration does not
// tell.
func (m *CalibrationMatcher) Match(actual any) (bool, error) {
	m.last.Store(nil)
	if err := m.check(); err != nil {
		return false, stop(err)
	}
	c, err := calibrationOf(actual, m.name)
	if err != nil {
		return false, stop(err)
	}
	part, err := m.part(c)
	if err != nil {
		return false, stop(fmt.Errorf("%s: %w", m.name, err))
	}
	f, err := m.find(m, part)
	if err != nil {
		return false, stop(fmt.Errorf("%s: %w", m.name, err))
	}
	f.calibration, f.part = c, part
	m.last.Store(&f)
	return f.value > m.bound.at, nil
}

// check refuses an expectation that cannot be met or means nothing.
func (m *CalibrationMatcher) check() error {
	switch {
	case m.flaw != "":
		return fmt.Errorf("%s: %s", m.name, m.flaw)
	case m.unmeasured < 0:
		return fmt.Errorf("%s: expected a number of at least 0", m.name)
	case !(m.confidence > 0 && m.confidence < 1):
		return fmt.Errorf("%s: expected a confidence between 0 and 1, such as 0.95", m.name)
	case m.fixed && m.confidence != 0.95:
		return fmt.Errorf("%s: judges are compared with an interval of 95 %%, and no other", m.name)
	}
	return nil
}

// part returns the items of c that m looks at, if enough of them were measured.
func (m *CalibrationMatcher) part(c *ragtest.Calibration) (*ragtest.Calibration, error) {
	part := c
	if m.tag != nil {
		if part = c.ForTag(*m.tag); len(part.Items) == 0 {
			return nil, noTag("item of the calibration", c.Tags())
		}
	}
	all, lost := len(part.Items), unmeasured(part)
	switch n := len(lost); {
	case all == 0:
		return nil, fmt.Errorf("%w: the calibration has no item", ragtest.ErrUndefined)
	case n > m.unmeasured || n == all:
		return nil, newUnmeasured(lost, all, m.unmeasured)
	}
	return part, nil
}

// FailureMessage implements Gomega's matcher.
func (m *CalibrationMatcher) FailureMessage(actual any) string { return m.message(actual, m.want) }

// NegatedFailureMessage implements Gomega's matcher.
func (m *CalibrationMatcher) NegatedFailureMessage(actual any) string {
	return m.message(actual, "not "+m.want)
}

// MatchMayChangeInTheFuture tells Eventually that a calibration is what it is.
func (m *CalibrationMatcher) MatchMayChangeInTheFuture(any) bool { return false }

// String is what And and Or call m.
func (m *CalibrationMatcher) String() string { return m.name }

// GomegaString is what HaveEach and ContainElement call m: with what it last
// found, which for HaveEach is that of the calibration that failed.
func (m *CalibrationMatcher) GomegaString() string {
	if last := m.last.Load(); last != nil {
		return m.name + ", which last found that " + last.text()
	}
	return m.name
}
