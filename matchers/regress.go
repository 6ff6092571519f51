package matchers

import (
	"fmt"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/onsi/gomega/types"

	"github.com/ragomega/ragomega/ragtest"
)

// RegressFrom succeeds if a report is shown to be worse than the baseline in a file:
// if the mean of one of its metrics has dropped, significantly, and the drop is not
// shown to be smaller than smallest, the smallest difference that matters; see
// [ragtest.Compare]. It is there to be negated:
//
//	report, err := ragtest.Evaluate(ctx, samples, ragtest.Faithfulness, ragtest.ContextRecall)
//	Expect(err).NotTo(HaveOccurred())
//	Expect(report).NotTo(RegressFrom("testdata/baseline.json", 0.05))
//
// Mind what that asks: that nothing is shown, not that nothing happened. With few
// samples hardly anything can be shown, so a test with ten samples passes whatever
// became of all but large differences. It is the alarm that rings for good reason
// only. What could not be told is printed at the end of the run, with about how many
// samples it would take; a gate that must prove that no harm was done is
// [BeNonInferiorTo].
//
// The baseline is written by the same test, and committed:
//
//	RAGTEST_BASELINE=update go test -run TestAnswers ./rag
//
// Then the matcher compares nothing and writes all of the report, and the assertion
// with NotTo passes. Where CI is set it does not write, but fails.
//
// It is an error, which fails To and NotTo alike, if nothing can be compared: no
// file, another judge or prompt ([ragtest.ErrOtherJudge]), a metric of the report
// that the baseline lacks, and a sample of the baseline that has no counterpart, see
// [RegressionMatcher.AllowUnmeasured]. Samples that the baseline does not have are
// passed over, and printed at the end of the run.
func RegressFrom(file string, smallest float64) *RegressionMatcher {
	return &RegressionMatcher{regressionConfig: regressionConfig{
		file: file, smallest: smallest, confidence: 0.95,
		name: fmt.Sprintf("RegressFrom(%q, %v)", file, smallest),
		want: fmt.Sprintf("to be worse than %s", file),
		ok:   func(o ragtest.Outcome) bool { return o == ragtest.Worse },
	}}
}

// RegressionMatcher holds a [ragtest.Report] against a [ragtest.Baseline]. Its
// methods return changed copies, so a RegressionMatcher can be kept in a variable
// and shared.
type RegressionMatcher struct {
	regressionConfig
	// last is read by Ginkgo's progress reports while Match runs.
	last atomic.Pointer[compared]
}

type regressionConfig struct {
	file     string
	smallest float64
	ok       func(ragtest.Outcome) bool
	written  bool   // what Match returns where the file was written
	name     string // as the test has it, with its options
	want     string // as a message has it: "to be …"

	metrics    []ragtest.Metric
	tag        *string
	unmeasured int
	confidence float64
	cluster    func(string) string
}

// compared is what a matcher found of a report.
type compared struct {
	report *ragtest.Report
	ragtest.Comparison
}

// ForMetrics returns a copy of m that looks at these metrics and no others. That the
// report or the baseline lacks one is an error. By default it looks at all that the
// report has.
//
//	Expect(report).NotTo(RegressFrom("testdata/baseline.json", 0.05).ForMetrics(ragtest.Faithfulness))
func (m *RegressionMatcher) ForMetrics(metrics ...ragtest.Metric) *RegressionMatcher {
	c := m.regressionConfig
	c.metrics = metrics
	names := make([]string, len(metrics))
	for i, x := range metrics {
		names[i] = nameOf(x)
	}
	c.name += fmt.Sprintf(".ForMetrics(%s)", strings.Join(names, ", "))
	c.want += " in " + strings.Join(names, ", ")
	return &RegressionMatcher{regressionConfig: c}
}

// ForTag returns a copy of m that looks only at the samples with a tag. That there
// is none is an error. An update writes all samples nevertheless.
//
//	Expect(report).To(BeNonInferiorTo("testdata/baseline.json", 0.05).ForTag("critical"))
func (m *RegressionMatcher) ForTag(tag string) *RegressionMatcher {
	c := m.regressionConfig
	c.tag = &tag
	c.name += fmt.Sprintf(".ForTag(%q)", tag)
	c.want += fmt.Sprintf(" among the samples tagged %q", tag)
	return &RegressionMatcher{regressionConfig: c}
}

// AllowUnmeasured returns a copy of m that accepts up to n samples of the baseline,
// by each metric, that have no counterpart, and decides by the others: they were not
// measured, now or when it was written, they are gone, or they were asked something
// else. By default none is accepted: it is an error, as those that are missing may
// be those that have become worse. To leave samples out for good, write the baseline
// anew.
//
//	Expect(report).NotTo(RegressFrom("testdata/baseline.json", 0.05).AllowUnmeasured(2))
func (m *RegressionMatcher) AllowUnmeasured(n int) *RegressionMatcher {
	c := m.regressionConfig
	c.unmeasured = n
	c.name += fmt.Sprintf(".AllowUnmeasured(%d)", n)
	return &RegressionMatcher{regressionConfig: c}
}

// Confidence returns a copy of m with another confidence than 0.95. The chance of
// an alarm where nothing changed is at most what is missing from 1.
//
//	Expect(report).NotTo(RegressFrom("testdata/baseline.json", 0.05).Confidence(0.99))
func (m *RegressionMatcher) Confidence(c float64) *RegressionMatcher {
	k := m.regressionConfig
	k.confidence = c
	k.name += fmt.Sprintf(".Confidence(%v)", c)
	return &RegressionMatcher{regressionConfig: k}
}

// InClusters returns a copy of m that knows which samples belong together, such as
// paraphrases of one question, by a name for each sample's cluster. What happens to
// one of them happens to the others, so that they are not as good as so many
// samples.
//
//	BeNonInferiorTo(file, 0.05).InClusters(func(sample string) string { q, _, _ := strings.Cut(sample, "/"); return q })
func (m *RegressionMatcher) InClusters(of func(sample string) string) *RegressionMatcher {
	c := m.regressionConfig
	c.cluster = of
	c.name += ".InClusters(…)"
	return &RegressionMatcher{regressionConfig: c}
}

var _ types.GomegaMatcher = (*RegressionMatcher)(nil)

// Match implements Gomega's matcher. An error means that there is no comparison.
func (m *RegressionMatcher) Match(actual any) (bool, error) {
	m.last.Store(nil)
	if err := m.check(); err != nil {
		return false, stop(err)
	}
	r, err := reportOf(actual, m.name, "HaveScore")
	if err != nil {
		return false, stop(err)
	}
	c, err := m.compare(r)
	if err != nil {
		return false, stop(fmt.Errorf("%s: %w", m.name, err))
	}
	m.last.Store(&compared{r, c})
	if c.Updated != "" {
		return m.written, nil
	}
	return m.ok(c.Outcome()), nil
}

// check refuses an expectation that means nothing.
func (m *RegressionMatcher) check() error {
	switch {
	case m.file == "":
		return fmt.Errorf("%s: expected the name of a file, such as \"testdata/baseline.json\"", m.name)
	case !(m.smallest > 0):
		return fmt.Errorf("%s: expected the smallest difference that matters, a number above 0 such as 0.05", m.name)
	case m.unmeasured < 0:
		return fmt.Errorf("%s: expected a number of at least 0", m.name)
	case !(m.confidence > 0 && m.confidence < 1):
		return fmt.Errorf("%s: expected a confidence between 0 and 1, such as 0.95", m.name)
	case m.metrics != nil && (len(m.metrics) == 0 || slices.Contains(m.metrics, nil)):
		return fmt.Errorf("%s: expected metrics such as ragtest.Faithfulness", m.name)
	}
	return nil
}

// compare compares a report with the file, if enough of it was measured.
func (m *RegressionMatcher) compare(r *ragtest.Report) (ragtest.Comparison, error) {
	o := ragtest.ComparisonOptions{Metrics: m.metrics, Confidence: m.confidence, Cluster: m.cluster}
	metrics := r.Metrics
	if m.metrics != nil {
		metrics = nil
		for _, x := range m.metrics {
			metrics = append(metrics, x.Name())
			if _, err := partOf(r, x, m.tag); err != nil {
				return ragtest.Comparison{}, err
			}
		}
	}
	part := r
	if m.tag != nil {
		o.Tag = *m.tag
		if part = r.ForTag(*m.tag); len(part.Results) == 0 {
			return ragtest.Comparison{}, noTag("sample of the report", r.Tags())
		}
	}
	// What was not measured is no part of a comparison nor of a new baseline.
	for _, name := range metrics {
		var lost []ragtest.Result
		all := 0
		for _, x := range part.Results {
			if x.Metric == name {
				all++
				if x.Err != nil {
					lost = append(lost, x)
				}
			}
		}
		if len(lost) > m.unmeasured || all > 0 && len(lost) == all {
			return ragtest.Comparison{}, newUnmeasured(lost, all, m.unmeasured)
		}
	}
	c, err := r.Against(m.file, m.smallest, o)
	if err != nil || c.Updated != "" {
		return c, err
	}
	return c, m.enough(c)
}
