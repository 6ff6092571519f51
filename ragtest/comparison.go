package ragtest

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/ragomega/ragomega/ragtest/agreement"
)

// Outcome is what a comparison with a [Baseline] shows.
type Outcome string

const (
	// CannotTell: the samples show neither of the others. It is what few samples
	// give, and no word for "the same".
	CannotTell Outcome = "cannot tell"
	// Worse: a drop of the mean is shown, and that it is smaller than what matters is
	// not.
	Worse Outcome = "worse"
	// NotWorse: a drop of the mean by as much as matters is ruled out.
	NotWorse Outcome = "not worse"
)

// ErrOtherJudge says that scores are by different judges or prompts. A difference
// of theirs would be that of the judges.
var ErrOtherJudge = errors.New("another judge")

// ComparisonOptions say what is compared. The zero value is all that the baseline
// and the report have, with intervals of 95 %.
type ComparisonOptions struct {
	// Metrics are those that are compared; none means all that both have. A metric
	// that either lacks is an error. Of a metric given here the range is known; of
	// others it is taken to be 0 to 1, or that of the scores if they exceed it.
	Metrics []Metric
	// Confidence of the intervals, above 0 and below 1; 0 means 0.95. The chance of
	// finding any metric worse where none is different is at most 1 less that.
	Confidence float64
	// Tag has only the samples with that tag compared; "" is all.
	Tag string
	// Cluster names what samples belong to that are not independent of each other,
	// such as paraphrases of one question, by the sample's name; nil is each its own.
	// Clusters should be of about equal size.
	Cluster func(sample string) string
}

func (o ComparisonOptions) check(smallest float64) error {
	switch {
	case !(smallest > 0) || math.IsInf(smallest, 0):
		return fmt.Errorf("ragtest: the smallest difference that matters is %v, expected a number above 0, such as 0.05", smallest)
	case o.Confidence != 0 && !(o.Confidence > 0 && o.Confidence < 1):
		return fmt.Errorf("ragtest: the confidence is %v, expected a number between 0 and 1 such as 0.95", o.Confidence)
	case slices.Contains(o.Metrics, nil):
		return errors.New("ragtest: a metric to compare is nil, expected one such as ragtest.Faithfulness")
	}
	return nil
}

// Comparison is what became of the scores of a [Baseline].
type Comparison struct {
	Judge      string  // model and identity, of the report
	Smallest   float64 // the smallest difference of the mean that matters
	Confidence float64
	Metrics    []MetricComparison // in the report's order
	// Metrics that one of the two has and the other lacks.
	OnlyBefore, OnlyNow []string
	// Updated is the file that was written, if nothing was compared; see
	// [Report.Against].
	Updated string
}

// MetricComparison is the part of a [Comparison] that is about one metric. What is
// compared are pairs: scores of the same sample before and now.
type MetricComparison struct {
	Metric        string
	Outcome       Outcome
	LowerIsBetter bool

	N           int     // pairs
	Clusters    int     // that they are of; N if each is its own
	Moved       int     // clusters whose score is another now
	Before, Now float64 // the means of the pairs
	// Difference is the mean of now less before, turned where lower is better: below 0
	// is worse.
	Difference float64
	SD         float64 // of the differences (of clusters, if there are)
	// Interval is that of Difference. It is BCa over clusters of pairs if 6 of them or
	// more have moved. Of fewer no draw of the pairs shows what others might do: it is
	// what the shares of them that drop and that rise may be, by Clopper and Pearson's
	// intervals, times the range of the metric.
	Interval agreement.Interval
	// P is two-sided, by the test that is named: paired permutation, or McNemar's
	// mid-p if all scores are 0 or 1. Adjusted is P after Holm over the metrics.
	P, Adjusted float64
	Test        string
	// Needed is about how many pairs (clusters, if there are) it takes to find a drop
	// of the smallest difference that matters, or to rule it out if there is none, in
	// 4 of 5 cases, if others differ as much as these; 0 if that cannot be said.
	Needed int

	Pairs []Pair // the worst first; with the verdicts that changed

	Added            []string // samples that the baseline does not have
	Removed          []string // samples that the report does not have
	Changed          []string // samples that were asked something else, or have another reference
	Unmeasured       []Result // samples of both, without a score now
	UnmeasuredBefore []string // without one in the baseline
	Unchecked        int      // pairs of which it is not known whether they were asked the same
}

// Pair is a sample that was measured before and now.
type Pair struct {
	Sample      string
	Before, Now float64
	Flips       []Flip
}

// Outcome is [Worse] if any metric is, [NotWorse] if all are not, and else
// [CannotTell]. To say that of all metrics takes no correction for their number:
// it would be wrong only if one of them were wrong.
func (c Comparison) Outcome() Outcome {
	all := len(c.Metrics) > 0
	for _, m := range c.Metrics {
		if m.Outcome == Worse {
			return Worse
		}
		all = all && m.Outcome == NotWorse
	}
	if all {
		return NotWorse
	}
	return CannotTell
}

// Compare compares a report with a baseline, sample by sample. smallest is the
// smallest difference of a metric's mean that matters, above 0, in the metric's
// units: it is for you to say, not for the data. Each metric is one of three:
//
//	NotWorse    the interval of the difference lies above -smallest
//	Worse       it does not, the mean is lower, and p after Holm is at most
//	            1-confidence; at least 6 samples (clusters) must have moved
//	CannotTell  anything else
//
// So NotWorse needs evidence as Worse does, and "no significant difference" is
// neither. A drop that is shown and shown to be smaller than what matters is
// NotWorse: with enough samples everything differs significantly. Worse goes by
// the test and not by the interval, as the test holds its level for any number of
// samples and the interval only for many. Fewer than 6 pairs that differ never
// have an exact p below 0.05, whatever they are.
//
// How often nothing is taken for a drop, drops are found, and there is taken to be
// no drop, among 1,000 simulated comparisons each with smallest 0.05. Samples differ
// in how well they do, 0.8 in the mean, and the same sample does not come out the
// same twice:
//
//	                 Worse, at a drop of        NotWorse, at
//	scores   n       0     0.05  0.10  0.20     0     0.05
//	0 or 1   6       .000  .000  .000  .001     .000  .000
//	         10      .000  .000  .004  .018     .000  .000
//	         30      .013  .055  .145  .452     .054  .020
//	         100     .033  .163  .444  .933     .200  .020
//	k of 4   6       .000  .000  .005  .040     .000  .000
//	         10      .000  .017  .104  .426     .003  .005
//	         30      .017  .159  .492  .938     .263  .038
//	         100     .017  .497  .955  1.00     .579  .023
//
// The first and the last column are errors, of which 0.025 are meant to happen.
//
// Samples are paired by their names. What has no pair is listed: samples that were
// added, removed, not measured, or changed: asked something else, or of another
// reference, by the digests of both.
//
// It is [ErrOtherJudge] if a metric was judged by another model, at another
// endpoint or with another version of a prompt; a report does not tell the judge's
// other settings, such as its temperature, so keep them. It is [ErrUndefined] if
// there is no pair.
func Compare(b *Baseline, r *Report, smallest float64, o ComparisonOptions) (Comparison, error) {
	if err := o.check(smallest); err != nil {
		return Comparison{}, err
	}
	if b == nil || r == nil {
		return Comparison{}, fmt.Errorf("ragtest: %w: expected a baseline and a report to compare with it, got nil", ErrNoBaseline)
	}
	c := Comparison{Judge: r.Judge, Smallest: smallest, Confidence: cmp.Or(o.Confidence, 0.95)}
	if o.Tag != "" {
		b, r = b.ForTag(o.Tag), r.ForTag(o.Tag)
		if len(r.Results) == 0 {
			return c, fmt.Errorf("%w: no sample of the report has the tag %q", ErrUndefined, o.Tag)
		}
	}
	now, err := r.Baseline()
	if err != nil {
		return c, err
	}
	names, err := c.metrics(b, now, r.Metrics, o)
	if err != nil {
		return c, err
	}
	var p []float64
	for _, name := range names {
		before, after := b.metric(name), now.metric(name)
		if err := sameJudge(before, after); err != nil {
			return c, err
		}
		m := pairUp(before, after, r.unmeasuredBy(name))
		if len(m.Pairs) == 0 {
			return c, fmt.Errorf("%w: no sample was measured by %s before and now%s", ErrUndefined, name, indent(strings.Join(m.unpaired(), "\n")))
		}
		if err := m.measure(c, o); err != nil {
			return c, err
		}
		p = append(p, m.P)
		c.Metrics = append(c.Metrics, m)
	}
	adjusted, err := agreement.Holm(p)
	if err != nil {
		return c, err
	}
	for i := range c.Metrics {
		c.Metrics[i].Adjusted = adjusted[i]
		c.Metrics[i].decide(c)
	}
	return c, nil
}

// metrics returns the names of those that are compared, and keeps the others'.
func (c *Comparison) metrics(b, now *Baseline, order []string, o ComparisonOptions) ([]string, error) {
	var names []string
	for _, name := range order {
		switch {
		case now.metric(name) == nil:
		case b.metric(name) == nil:
			c.OnlyNow = append(c.OnlyNow, name)
		default:
			names = append(names, name)
		}
	}
	for _, m := range b.Metrics {
		if now.metric(m.Metric) == nil {
			c.OnlyBefore = append(c.OnlyBefore, m.Metric)
		}
	}
	if len(o.Metrics) == 0 && len(names) == 0 {
		return nil, fmt.Errorf("%w: the baseline and the report have no metric in common: it has %s, and the report %s",
			ErrUndefined, strings.Join(c.OnlyBefore, ", "), strings.Join(c.OnlyNow, ", "))
	}
	if len(o.Metrics) == 0 {
		return names, nil
	}
	wanted, err := metricsOf(o.Metrics)
	if err != nil {
		return nil, err
	}
	for _, name := range wanted {
		switch {
		case now.metric(name) == nil:
			return nil, fmt.Errorf("ragtest: the report has no %s, it has %s", name, strings.Join(order, ", "))
		case b.metric(name) == nil:
			return nil, fmt.Errorf("ragtest: %w: it has no %s", ErrNoBaseline, name)
		}
	}
	return wanted, nil
}

// unmeasuredBy are the results without a score.
func (r *Report) unmeasuredBy(metric string) map[string]Result {
	lost := map[string]Result{}
	for _, x := range r.Results {
		if x.Metric == metric && x.Err != nil {
			lost[x.Sample] = x
		}
	}
	return lost
}

// sameJudge reports scores that are not comparable. A judge that measured nothing
// made no difference.
func sameJudge(before, now *MetricBaseline) error {
	measured := func(s SampleBaseline) bool { return s.Score != nil }
	if !slices.ContainsFunc(before.Samples, measured) || !slices.ContainsFunc(now.Samples, measured) {
		return nil
	}
	if before.Judge != now.Judge {
		return fmt.Errorf("ragtest: %w: the baseline of %s is by %s, and the report by %s, so a difference would be the judges'. Measure with the same, or write the baseline anew",
			ErrOtherJudge, now.Metric, cmp.Or(before.Judge, "nobody"), cmp.Or(now.Judge, "nobody"))
	}
	for _, was := range before.Steps {
		for _, is := range now.Steps {
			if nameOf(was) == nameOf(is) && was != is && !slices.Contains(before.Steps, is) {
				return fmt.Errorf("ragtest: %w: the baseline of %s is by the prompt %s, and the report by %s. Pin the prompt, see Judge.Pinned, or write the baseline anew",
					ErrOtherJudge, now.Metric, was, is)
			}
		}
	}
	return nil
}
