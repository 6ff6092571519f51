package matchers

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/onsi/gomega/format"

	"github.com/ragomega/ragomega/ragtest"
	"github.com/ragomega/ragomega/ragtest/agreement"
)

// agreed is what a matcher found in a calibration.
type agreed struct {
	calibration *ragtest.Calibration // as it was given
	part        *ragtest.Calibration // the items that were looked at

	value   float64          // what is held against the bound
	says    string           // the same in words
	at      string           // where it is taken: "at the lower end of …"
	figures string           // what else is known of the agreement
	against []ragtest.Judged // the items that speak against it, the worst first
	which   string           // they are
}

// estimate is a statistic with its interval, or why there is none.
type estimate struct {
	name        string
	value       float64
	interval    agreement.Interval
	err         error
	intervalErr error
}

func estimateOf(e agreement.Estimate) estimate {
	x := estimate{name: e.Name}
	x.value, x.err = e.Value()
	x.interval, x.intervalErr = e.Interval()
	return x
}

// doubt says why the interval should not be relied on and what to do, or "".
func (e estimate) doubt() string {
	doubt := e.interval.Doubtful()
	switch {
	case e.interval.Degenerate && e.value == 1:
		return "the judge errs on none of these items, which does not show how seldom it errs. Label more, and harder ones"
	case e.interval.Degenerate:
		return "it is the same in every draw of these items, which does not show how far it may vary"
	case doubt != "":
		return doubt + ". Label more items"
	}
	return ""
}

// flaw says what is wrong with a bound that must be at least 0, below which
// there is nothing worth having, and below 1; ofRange says why.
func (b bound) flaw(ofRange string) string {
	switch {
	case math.IsNaN(b.at) || math.IsInf(b.at, 0):
		return fmt.Sprintf("the bound is %v, expected a number", b.at)
	case b.at < 0 || b.at >= 1:
		return ofRange + ", so the bound must be at least 0 and below 1"
	}
	return ""
}

// held returns the number that is held against b, and says what it is: e itself,
// or the lower end of its interval. That must be one that can be relied on.
func (b bound) held(e estimate, onPoint bool) (value float64, says string, err error) {
	if e.err != nil {
		return 0, "", e.err
	}
	is := b.digits(e.value)
	if e.intervalErr == nil {
		is += " " + e.interval.String()
	}
	if onPoint {
		return e.value, e.name + " is " + is, nil
	}
	if e.intervalErr != nil {
		return 0, "", fmt.Errorf("%s is %s, and has no lower end to go by: %w. OnPoint() goes by the point", e.name, is, e.intervalErr)
	}
	if doubt := e.doubt(); doubt != "" {
		return 0, "", fmt.Errorf("%s is %s, whose lower end is nothing to go by: %s. OnPoint() goes by the point", e.name, is, doubt)
	}
	return e.interval.Low, fmt.Sprintf("the lower end is %s, as %s is %s", b.digits(e.interval.Low), e.name, is), nil
}

// digits writes a number so that it cannot be taken for the bound.
func (b bound) digits(v float64) string {
	if b.hides(v, 2) {
		return fmt.Sprint(v)
	}
	return fmt.Sprintf("%.2f", v)
}

// at says what is held against a bound.
func at(onPoint bool, confidence float64) string {
	if onPoint {
		return "at the point estimate"
	}
	return fmt.Sprintf("at the lower end of the %.4g%% interval", 100*confidence)
}

// withFigures shows beside an error what the calibration does tell, and does not
// warn of what the error says.
func withFigures(err error, a agreement.Comparison) error {
	a.Warnings = slices.DeleteFunc(slices.Clone(a.Warnings), func(w agreement.Warning) bool { return strings.Contains(err.Error(), w.Text) })
	return fmt.Errorf("%w\n%s", err, format.IndentString(a.String(), 1))
}

// unmeasured are the items without a verdict, as results of samples.
func unmeasured(c *ragtest.Calibration) (results []ragtest.Result) {
	for _, x := range c.Unmeasured() {
		results = append(results, ragtest.Result{Sample: x.Sample, Tags: x.Tags, Metric: c.Metric, Err: x.Err})
	}
	return results
}

func (m *CalibrationMatcher) message(actual any, want string) string {
	c, err := calibrationOf(actual, m.name)
	if err != nil {
		return format.Message(actual, want) + "\nbut the calibration was not looked at"
	}
	text := func(want, but string) string {
		return fmt.Sprintf("Expected\n    <%T>: %s\n%s\nbut %s", actual, title(c), want, but)
	}
	switch last := m.last.Load(); {
	case last == nil:
		return text(want, "the calibration was not looked at")
	case !sameCalibration(c, last.calibration):
		return text(want, "the matcher has looked at another calibration since")
	default:
		return text(want+" "+last.at, last.text())
	}
}

// sameCalibration reports whether a and b are one calibration: a copy of one
// shares its items.
func sameCalibration(a, b *ragtest.Calibration) bool {
	return a == b || len(a.Items) == len(b.Items) && len(a.Items) > 0 && &a.Items[0] == &b.Items[0]
}

// title says whose calibration c is, of what.
func title(c *ragtest.Calibration) string {
	of := c.Metric
	if c.Step != c.Metric {
		of = c.Step + " of " + c.Metric
	}
	of += " by " + by(c)
	if c.Prompt != "" {
		of += ", prompt " + c.Prompt
	}
	if len(c.Items) == 1 {
		return of + ", 1 item"
	}
	return fmt.Sprintf("%s, %d items", of, len(c.Items))
}

// by names the judge of c.
func by(c *ragtest.Calibration) string {
	if c == nil {
		return "<nil>"
	}
	return c.By()
}

// text is what was found: the number, what else is known, and what speaks against
// it.
func (f *agreed) text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n%s", f.says, format.IndentString(f.figures, 1))
	if n := len(f.part.Divided()); n > 0 {
		fmt.Fprintf(&b, "\nset aside, as people are divided: %d", n)
	}
	if lost := unmeasured(f.part); len(lost) > 0 {
		fmt.Fprintf(&b, "\nnot measured, and left out: %d\n%s", len(lost), format.IndentString(reasons(lost), 1))
	}
	if len(f.against) > 0 {
		fmt.Fprintf(&b, "\n%s\n%s", f.which, ragtest.Disagreements(f.against, shown))
	}
	return b.String()
}
