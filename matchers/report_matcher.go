package matchers

import (
	"fmt"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/onsi/gomega/types"

	"github.com/ragomega/ragomega/ragtest"
)

// ReportMatcher holds a number of a [ragtest.Report] against what is expected of
// it. Its methods return changed copies, so a ReportMatcher can be kept in a
// variable and shared.
type ReportMatcher struct {
	reportConfig
	// last is read by Ginkgo's progress reports while Match runs.
	last atomic.Pointer[found]
}

type reportConfig struct {
	find     func(*ReportMatcher, ragtest.Scores) (found, error)
	metric   ragtest.Metric
	pass     *Matcher // of a pass rate: what samples must satisfy
	expected types.GomegaMatcher
	bound    *bound // what the number is compared with; nil for a matcher
	name     string // as the test has it, with its options
	want     string // as a message has it: "to have …"
	ofSample string // the matcher that asks the like of one sample
	equal    string // the matcher for no more than equal to a number

	tag        *string
	eachTag    bool
	unmeasured int
	confidence float64
}

// ForTag returns a copy of m that looks only at the samples with a tag. That
// there is none is an error.
//
//	Expect(report).To(HaveMeanAbove(ragtest.Faithfulness, 0.95).ForTag("critical"))
func (m *ReportMatcher) ForTag(tag string) *ReportMatcher {
	c := m.reportConfig
	c.tag = &tag
	c.name += fmt.Sprintf(".ForTag(%q)", tag)
	c.want += fmt.Sprintf(" among the samples tagged %q", tag)
	return &ReportMatcher{reportConfig: c}
}

// ForEachTag returns a copy of m that looks at the samples of each tag by themselves,
// and at those without a tag as one more group: every group has to satisfy what is
// expected. A mean over all hides the type of question that a retriever or a reader
// does badly. A sample with two tags is in both groups, and what AllowUnmeasured
// allows, it allows in each. A report without tags is an error, and so is a group of
// which there is nothing to tell.
//
//	Expect(report).To(HaveMeanAbove(ragtest.RecallAt(5), 0.8).ForEachTag())
func (m *ReportMatcher) ForEachTag() *ReportMatcher {
	c := m.reportConfig
	c.eachTag = true
	c.name += ".ForEachTag()"
	c.want += " for each tag"
	return &ReportMatcher{reportConfig: c}
}

// AllowUnmeasured returns a copy of m that accepts up to n samples without a
// score, and decides by the others. By default none is accepted: it is an error,
// as a mean of what happened to be measured may be that of the easy samples.
//
//	Expect(report).To(HaveMeanAbove(ragtest.Faithfulness, 0.85).AllowUnmeasured(2))
func (m *ReportMatcher) AllowUnmeasured(n int) *ReportMatcher {
	c := m.reportConfig
	c.unmeasured = n
	c.name += fmt.Sprintf(".AllowUnmeasured(%d)", n)
	return &ReportMatcher{reportConfig: c}
}

// Confidence returns a copy of m with another confidence than 0.95 for the
// interval: that of [HaveLowerBoundAbove], and the one that messages show.
//
//	Expect(report).To(HaveLowerBoundAbove(ragtest.Faithfulness, 0.8).Confidence(0.9))
func (m *ReportMatcher) Confidence(c float64) *ReportMatcher {
	k := m.reportConfig
	k.confidence = c
	k.name += fmt.Sprintf(".Confidence(%v)", c)
	return &ReportMatcher{reportConfig: k}
}

var _ types.GomegaMatcher = (*ReportMatcher)(nil)

// Match implements Gomega's matcher. An error means that the report does not
// tell.
func (m *ReportMatcher) Match(actual any) (bool, error) {
	m.last.Store(nil)
	if err := m.check(); err != nil {
		return false, stop(err)
	}
	r, err := m.report(actual)
	if err != nil {
		return false, stop(err)
	}
	look := m.look
	if m.eachTag {
		look = m.lookAtEachTag
	}
	f, err := look(r)
	if err != nil {
		return false, stop(fmt.Errorf("%s: %w", m.name, err))
	}
	f.report = r
	m.last.Store(&f)
	return f.ok, nil
}

// look holds the number of all samples that m is about against what is expected.
func (m *ReportMatcher) look(r *ragtest.Report) (found, error) {
	scores, err := m.scores(r)
	if err != nil {
		return found{}, err
	}
	return m.hold(scores)
}

// hold finds the number in scores, and holds it against what is expected.
func (m *ReportMatcher) hold(scores ragtest.Scores) (found, error) {
	f, err := m.find(m, scores)
	if err != nil {
		return found{}, err
	}
	f.scores = scores
	f.ok, err = m.expected.Match(f.value)
	return f, err
}

// check refuses an expectation that cannot be met or means nothing.
func (m *ReportMatcher) check() error {
	what := "scores"
	lowest, highest := 0.0, 1.0
	switch {
	case m.pass != nil:
		what = "rates"
		if err := m.pass.check(); err != nil {
			return fmt.Errorf("%s: %w", m.name, err)
		}
		if m.pass.contexts != nil || m.pass.question != nil || m.pass.using {
			return fmt.Errorf("%s: the report holds scores, and %s has contexts, a question or a judge of its own to measure by", m.name, m.pass.name)
		}
	case m.metric == nil:
		return fmt.Errorf("%s: nothing to look for was given, expected a metric such as ragtest.Faithfulness, or for a rate a matcher such as BeFaithful()", m.name)
	default:
		lowest, highest = rangeOf(m.metric)
	}
	switch {
	case m.expected == nil:
		return fmt.Errorf("%s: expected a number or a matcher to hold the report against", m.name)
	case m.unmeasured < 0:
		return fmt.Errorf("%s: expected a number of at least 0", m.name)
	case m.eachTag && m.tag != nil:
		return fmt.Errorf("%s: expected one tag or each, not both", m.name)
	case !(m.confidence > 0 && m.confidence < 1):
		return fmt.Errorf("%s: expected a confidence between 0 and 1, such as 0.95", m.name)
	case m.bound == nil:
		return nil
	}
	return m.bound.check(m.name, what, lowest, highest, m.equal)
}

// scores returns what the report has of the metric, if it is enough.
func (m *ReportMatcher) scores(r *ragtest.Report) (ragtest.Scores, error) {
	r, err := partOf(r, m.metric, m.tag)
	if err != nil {
		return ragtest.Scores{}, err
	}
	return r.Scores(m.metric), m.enough(r.Scores(m.metric))
}

// enough is an error if there are too few scores to decide by.
func (m *ReportMatcher) enough(s ragtest.Scores) error {
	n, all := len(s.Unmeasured), len(s.Unmeasured)+len(s.Measured)
	switch {
	case all == 0:
		return fmt.Errorf("%w: the report has no sample", ragtest.ErrUndefined)
	case n > m.unmeasured || n == all:
		return newUnmeasured(s.Unmeasured, all, m.unmeasured)
	}
	return nil
}

// partOf returns the part of a report with a tag, all of it for nil. The report
// must have the metric, and the tag.
func partOf(r *ragtest.Report, m ragtest.Metric, tag *string) (*ragtest.Report, error) {
	if metric := m.Name(); !slices.Contains(r.Metrics, metric) {
		has := strings.Join(r.Metrics, ", ")
		if has == "" {
			has = "nothing"
		}
		return nil, fmt.Errorf("the report has no %s, it has %s", metric, has)
	}
	if tag == nil {
		return r, nil
	}
	part := r.ForTag(*tag)
	if len(part.Results) == 0 {
		return nil, noTag("sample of the report", r.Tags())
	}
	return part, nil
}

// noTag says that nothing has a tag, and which there are.
func noTag(what string, tags []string) error {
	if len(tags) == 0 {
		return fmt.Errorf("no %s has a tag", what)
	}
	return fmt.Errorf("no %s has this tag; the tags are %q", what, tags)
}

// FailureMessage implements Gomega's matcher.
func (m *ReportMatcher) FailureMessage(actual any) string { return m.message(actual, m.want) }

// NegatedFailureMessage implements Gomega's matcher.
func (m *ReportMatcher) NegatedFailureMessage(actual any) string {
	return m.message(actual, "not "+m.want)
}

// MatchMayChangeInTheFuture tells Eventually that a report is what it is.
func (m *ReportMatcher) MatchMayChangeInTheFuture(any) bool { return false }

// String is what And and Or call m.
func (m *ReportMatcher) String() string { return m.name }

// GomegaString is what HaveEach and ContainElement call m: with what it last
// found, which for HaveEach is that of the report that failed.
func (m *ReportMatcher) GomegaString() string {
	if last := m.last.Load(); last != nil {
		return m.name + ", which last found that " + last.text(m)
	}
	return m.name
}
