package matchers

import (
	"fmt"
	"math"
	"strings"

	"github.com/onsi/gomega/format"

	"github.com/ragomega/ragomega/ragtest"
	"github.com/ragomega/ragomega/ragtest/agreement"
)

// found is what a matcher found in a report. A matcher may be shared, and must
// not explain one report by another.
type found struct {
	report *ragtest.Report
	scores ragtest.Scores // that the number is computed from

	ok      bool
	value   float64          // what is held against the expectation
	says    string           // the same in words
	of      ragtest.Scores   // what the interval is of
	against []ragtest.Result // the samples that speak against it, the worst first
	which   string           // they are
	tags    []ofTag          // in place of a number of all samples
}

// theMean finds the mean.
func theMean(m *ReportMatcher, s ragtest.Scores) (found, error) {
	mean, err := s.Mean()
	return found{value: mean, says: "the mean is " + m.digits(mean), of: s, against: below(m.metric, s), which: "the worst"}, err
}

// theLowerBound finds the lower end of the interval of the mean.
func theLowerBound(m *ReportMatcher, s ragtest.Scores) (found, error) {
	f, err := theMean(m, s)
	if err != nil {
		return f, err
	}
	i, err := s.MeanInterval(m.confidence)
	why := f.says
	if err == nil && i.Degenerate {
		n := len(s.Measured)
		lowest, _ := rangeOf(m.metric)
		if math.IsInf(lowest, -1) {
			return f, fmt.Errorf("%w: there is no lower bound of %s, as all %d scores are %v, which does not show how far others may lie from them", ragtest.ErrUndefined, s.Metric, n, f.value)
		}
		// So many samples with this score or more, of as many: what others have is at
		// least the lowest there is.
		exact, err := agreement.ClopperPearson(n, n, m.confidence)
		if err != nil {
			return f, err
		}
		i.Low = lowest + (f.value-lowest)*exact.Low
		why = fmt.Sprintf("all %d scores are %v, and more of them leave less open", n, f.value)
		f.of = ragtest.Scores{} // whose interval has no width
	}
	f.value = i.Low
	f.says = fmt.Sprintf("the lower bound is %s, as %s", m.digits(i.Low), why)
	return f, err
}

// thePassRate finds the share of samples that satisfy a matcher.
func thePassRate(m *ReportMatcher, s ragtest.Scores) (found, error) {
	f := found{of: ragtest.Scores{Metric: s.Metric}, which: "the worst that do not pass"}
	passes := 0
	for _, x := range s.Worst(len(s.Measured)) {
		ok, err := m.pass.satisfied(x.Score)
		if err != nil {
			return f, fmt.Errorf("sample %q: %w", x.Sample, err)
		}
		x1 := ragtest.Result{Sample: x.Sample}
		if ok {
			passes++
			x1.Score.Value = 1
		} else {
			f.against = append(f.against, x)
		}
		f.of.Measured = append(f.of.Measured, x1)
	}
	f.value = float64(passes) / float64(len(s.Measured))
	f.says = fmt.Sprintf("the pass rate is %s (%d/%d)", m.digits(f.value), passes, len(s.Measured))
	return f, nil
}

// below returns the samples with less than the best of scores, the worst first.
func below(metric ragtest.Metric, s ragtest.Scores) []ragtest.Result {
	lowest, best := rangeOf(metric)
	if _, ok := metric.(interface{ LowerIsBetter() }); ok {
		best = lowest
	}
	worst := s.Worst(len(s.Measured))
	for len(worst) > 0 && worst[len(worst)-1].Score.Value == best {
		worst = worst[:len(worst)-1]
	}
	return worst
}

// digits writes a number so that it cannot be taken for the bound.
func (m *ReportMatcher) digits(v float64) string {
	if m.bound.hides(v, 3) {
		return fmt.Sprint(v)
	}
	return fmt.Sprintf("%.3f", v)
}

func (m *ReportMatcher) message(actual any, want string) string {
	text := format.Message(actual, want)
	last := m.last.Load()
	if last == nil {
		return text + "\nbut the report was not looked at"
	}
	if r, err := m.report(actual); err != nil || !same(r, last.report) {
		return text + "\nbut the matcher has looked at another report since"
	}
	return text + "\nbut " + last.text(m)
}

// same reports whether a and b are one report: a copy of one shares its results.
func same(a, b *ragtest.Report) bool {
	return a == b || len(a.Results) == len(b.Results) && len(a.Results) > 0 && &a.Results[0] == &b.Results[0]
}

// shown is how many samples a message lists.
const shown = 5

// text is what was found: the number, what it rests on, and what speaks against
// it.
func (f *found) text(m *ReportMatcher) string {
	if len(f.tags) > 0 {
		return m.tagsText(f.tags)
	}
	if len(f.against) == 0 {
		return f.figures(m)
	}
	return f.figures(m) + "\n" + f.which + listed(f.against)
}

// figures are the number and what it rests on.
func (f *found) figures(m *ReportMatcher) string {
	var b strings.Builder
	b.WriteString(f.says)
	if low, high, err := f.of.Interval(m.confidence); err == nil {
		fmt.Fprintf(&b, ", with a %.4g%% interval from %.3f to %.3f", 100*m.confidence, low, high)
	}
	fmt.Fprintf(&b, ", n=%d", len(f.scores.Measured))
	if n := len(f.scores.Unmeasured); n > 0 {
		fmt.Fprintf(&b, "\nnot measured, and left out: %d\n%s", n, format.IndentString(reasons(f.scores.Unmeasured), 1))
	}
	return b.String()
}

// listed are lines that show the first of some results.
func listed(results []ragtest.Result) string {
	var b strings.Builder
	for _, x := range results[:min(shown, len(results))] {
		b.WriteString("\n" + format.IndentString(x.Sample+": "+x.Score.Evidence(), 1))
	}
	if n := len(results) - shown; n > 0 {
		fmt.Fprintf(&b, "\n    and %d more", n)
	}
	return b.String()
}
