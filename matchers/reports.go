package matchers

import (
	"fmt"

	"github.com/onsi/gomega"

	"github.com/ragomega/ragomega/ragtest"
)

// HaveMeanAbove succeeds if the mean of a report's scores by metric is above min.
// Actual is the report of [ragtest.Evaluate].
//
//	report, err := ragtest.Evaluate(ctx, samples, ragtest.Faithfulness)
//	Expect(err).NotTo(HaveOccurred())
//	Expect(report).To(HaveMeanAbove(ragtest.Faithfulness, 0.85))
//
// A sample that was not measured is an error, see
// [ReportMatcher.AllowUnmeasured]; so is a metric that the report does not have.
// Of a metric of which less is better use [HaveMean].
func HaveMeanAbove(metric ragtest.Metric, min float64) *ReportMatcher {
	m := HaveMean(metric, gomega.BeNumerically(">", min))
	m.name = fmt.Sprintf("HaveMeanAbove(%s, %v)", nameOf(metric), min)
	m.want = fmt.Sprintf("to have a mean of %s above %v", nameOf(metric), min)
	m.ofSample = fmt.Sprintf("HaveScoreAbove(%s, %v)", nameOf(metric), min)
	m.bound = &bound{at: min, above: true}
	return m
}

// HaveMean succeeds if the mean of a report's scores by metric satisfies
// expected: a matcher, or a number that it must equal.
//
//	Expect(report).To(HaveMean(ragtest.NoiseSensitivity, BeNumerically("<", 0.1)))
func HaveMean(metric ragtest.Metric, expected any) *ReportMatcher {
	m := newReportMatcher(metric, expected)
	m.find, m.equal = theMean, "HaveMean"
	m.name = fmt.Sprintf("HaveMean(%s, %s)", nameOf(metric), inName(expected))
	m.want = fmt.Sprintf("to have a mean of %s %s", nameOf(metric), m.want)
	m.ofSample = fmt.Sprintf("HaveScore(%s, %s)", nameOf(metric), inName(expected))
	return m
}

// HaveLowerBoundAbove succeeds if the mean of samples like these lies above min
// with a confidence of 95 %: if the lower end of [ragtest.Scores.Interval] is
// above min. The fewer the samples, the farther is that below the mean; it takes
// at least two.
//
//	Expect(report).To(HaveLowerBoundAbove(ragtest.Faithfulness, 0.8))
//	Expect(report).To(HaveLowerBoundAbove(ragtest.Faithfulness, 0.8).Confidence(0.9))
//
// Equal scores do not show how far others may lie from them. The bound is then what
// the exact one for so many successes of as many tries leaves of the score: of 1 it is
// 0.16 with 2 samples, 0.85 with 22 and 0.96 with 100. For a metric without a range it
// is an error.
func HaveLowerBoundAbove(metric ragtest.Metric, min float64) *ReportMatcher {
	m := HaveMeanAbove(metric, min)
	m.find = theLowerBound
	m.name = fmt.Sprintf("HaveLowerBoundAbove(%s, %v)", nameOf(metric), min)
	m.want = fmt.Sprintf("to have a lower bound of %s above %v", nameOf(metric), min)
	return m
}

// HavePassRateAbove succeeds if more than the share min of a report's samples
// passes: has a score that satisfies a matcher of samples. min is at least 0 and
// below 1.
//
//	Expect(report).To(HavePassRateAbove(BeFaithful(), 0.9))
//	Expect(report).To(HavePassRateAbove(HaveContextRecallAbove(0.5), 0.9).ForTag("critical"))
//
// The scores are those of the report; nobody is asked again. So a matcher with
// contexts, a question or a judge of its own is an error, and the report must
// have the metric that the matcher measures.
func HavePassRateAbove(pass *Matcher, min float64) *ReportMatcher {
	m := HavePassRate(pass, gomega.BeNumerically(">", min))
	m.name = fmt.Sprintf("HavePassRateAbove(%s, %v)", passName(pass), min)
	m.want = fmt.Sprintf("to have a pass rate of %s above %v", passName(pass), min)
	m.bound = &bound{at: min, above: true}
	return m
}

// HavePassRate succeeds if the share of a report's samples that pass satisfies
// expected: a matcher, or a number that it must equal. 1 is all of them.
//
//	Expect(report).To(HavePassRate(BeFaithful(), 1).ForTag("critical"))
//
// See [HavePassRateAbove].
func HavePassRate(pass *Matcher, expected any) *ReportMatcher {
	var metric ragtest.Metric
	if pass != nil {
		metric = pass.metric
	}
	m := newReportMatcher(metric, expected)
	m.find, m.equal, m.pass = thePassRate, "HavePassRate", pass
	m.name = fmt.Sprintf("HavePassRate(%s, %s)", passName(pass), inName(expected))
	m.want = fmt.Sprintf("to have a pass rate of %s %s", passName(pass), m.want)
	m.ofSample = passName(pass)
	return m
}

func newReportMatcher(metric ragtest.Metric, expected any) *ReportMatcher {
	m := &ReportMatcher{reportConfig: reportConfig{metric: metric, confidence: 0.95}}
	m.expected, m.bound, m.want = expectation(expected)
	return m
}

func passName(pass *Matcher) string {
	if pass == nil {
		return "<nil>"
	}
	return pass.name
}
