package matchers

import (
	"fmt"
	"strings"

	"github.com/onsi/gomega/format"

	"github.com/ragomega/ragomega/ragtest"
)

// enough reports what a comparison lacks.
func (m *RegressionMatcher) enough(c ragtest.Comparison) error {
	if m.metrics == nil && len(c.OnlyNow) > 0 {
		return fmt.Errorf("%w: it has no %s. ForMetrics chooses what is compared; RAGTEST_BASELINE=update writes it anew", ragtest.ErrNoBaseline, strings.Join(c.OnlyNow, ", "))
	}
	for _, x := range c.Metrics {
		lost := x.Unpaired()
		if len(lost) <= m.unmeasured {
			continue
		}
		var why []string
		add := func(what string, names []string) {
			if len(names) > 0 {
				why = append(why, fmt.Sprintf("%s: %s", what, firstOf(names)))
			}
		}
		var now []string
		for _, r := range x.Unmeasured {
			now = append(now, r.Sample)
		}
		add("not measured now", now)
		add("not measured in the baseline", x.UnmeasuredBefore)
		add("removed since", x.Removed)
		add("another question or reference", x.Changed)
		return fmt.Errorf("%d of %d samples of the baseline have no counterpart by %s, and AllowUnmeasured allows %d\n%s\nIf that is meant, write the baseline anew with RAGTEST_BASELINE=update",
			len(lost), len(lost)+x.N, x.Metric, m.unmeasured, format.IndentString(strings.Join(why, "\n"), 1))
	}
	return nil
}

// firstOf lists the first of some names.
func firstOf(names []string) string {
	text := strings.Join(names[:min(shown, len(names))], ", ")
	if n := len(names) - shown; n > 0 {
		text += fmt.Sprintf(" and %d more", n)
	}
	return text
}

// FailureMessage implements Gomega's matcher.
func (m *RegressionMatcher) FailureMessage(actual any) string { return m.message(actual, m.want) }

// NegatedFailureMessage implements Gomega's matcher.
func (m *RegressionMatcher) NegatedFailureMessage(actual any) string {
	return m.message(actual, "not "+m.want)
}

func (m *RegressionMatcher) message(actual any, want string) string {
	text := format.Message(actual, want)
	last := m.last.Load()
	if last == nil {
		return text + "\nbut the report was not looked at"
	}
	if r, err := reportOf(actual, m.name, "HaveScore"); err != nil || !same(r, last.report) {
		return text + "\nbut the matcher has looked at another report since"
	}
	return text + "\nbut " + last.Comparison.String()
}

// MatchMayChangeInTheFuture tells Eventually that a report is what it is.
func (m *RegressionMatcher) MatchMayChangeInTheFuture(any) bool { return false }

// String is what And and Or call m.
func (m *RegressionMatcher) String() string { return m.name }

// GomegaString is what HaveEach and ContainElement call m: with what it last
// found, which for HaveEach is that of the report that failed.
func (m *RegressionMatcher) GomegaString() string {
	if last := m.last.Load(); last != nil {
		return m.name + ", which last found that " + last.Comparison.String()
	}
	return m.name
}
