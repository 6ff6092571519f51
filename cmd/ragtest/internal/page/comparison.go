package page

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/ragomega/ragomega/ragtest"
)

// baselines are what records are compared with.
type baselines struct {
	given  *ragtest.Baseline            // for all
	before map[string]*ragtest.Baseline // or of an earlier run, by who measured
	judges []string                     // of that run
	now    *results                     // what is compared with them
	groups []*ragtest.Report            // of that
}

// newBaselines are the one that is given, or those of an earlier run; nil if there
// is nothing to compare with.
func newBaselines(records []ragtest.Record, now *results, o Options) (*baselines, error) {
	if o.Baseline == nil && len(o.Before) == 0 {
		return nil, nil
	}
	b := &baselines{given: o.Baseline, before: map[string]*ragtest.Baseline{}, now: now}
	for _, group := range now.groups {
		b.groups = append(b.groups, now.report(group))
	}
	if b.given != nil {
		return b, nil
	}
	r, err := arrange(o.Before, records, nil)
	if err != nil {
		return nil, err
	}
	b.judges = r.judges
	for _, judge := range r.measurers() {
		one, err := r.measuredBy(judge).Baseline()
		if err != nil {
			return nil, err
		}
		for i := range one.Metrics {
			one.Metrics[i].LowerIsBetter = r.lower[one.Metrics[i].Metric]
		}
		b.before[judge] = one
	}
	return b, nil
}

// of is what a group is compared with: what its judge found, or another judge for
// want of it, and what was computed. Metrics that another group has are left to that
// one.
func (b *baselines) of(report *ragtest.Report) *ragtest.Baseline {
	parts := []*ragtest.Baseline{b.given}
	if b.given == nil {
		parts = []*ragtest.Baseline{b.before[report.Judge], b.before[""]}
		if (report.Judge == "" || parts[0] == nil) && len(b.judges) > 0 {
			parts = append(parts, b.before[b.judges[0]])
		}
	}
	c := &ragtest.Baseline{}
	for _, p := range parts {
		if p == nil {
			continue
		}
		for _, m := range p.Metrics {
			same := func(has ragtest.MetricBaseline) bool { return has.Metric == m.Metric }
			if !slices.ContainsFunc(c.Metrics, same) && (slices.Contains(report.Metrics, m.Metric) || !b.elsewhere(m.Metric)) {
				c.Metrics = append(c.Metrics, m)
			}
		}
	}
	return c
}

// elsewhere reports whether any group has a metric.
func (b *baselines) elsewhere(metric string) bool {
	return slices.ContainsFunc(b.groups, func(r *ragtest.Report) bool { return slices.Contains(r.Metrics, metric) })
}

// comparisonView is what became of the scores of a judge.
type comparisonView struct {
	Judge               string
	Computed            bool   // some of it was not judged
	Undefined           string // why nothing was compared
	Smallest            float64
	Metrics             []comparedMetric
	Pairs, Unchecked    int // of all metrics
	OnlyBefore, OnlyNow []string
}

type comparedMetric struct {
	ragtest.MetricComparison
	Mark, Says string
	Worse      []comparedSample
	Changed    []comparedSample // other samples with verdicts that changed
	Apart      []apart          // samples that were not compared
}

type apart struct {
	Why     string
	Samples []string
}

type comparedSample struct {
	ragtest.Pair
	ID int
}

var outcomes = map[ragtest.Outcome][2]string{
	ragtest.Worse:      {"▼", "worse"},
	ragtest.NotWorse:   {"✓", "not worse"},
	ragtest.CannotTell: {"?", "cannot tell"},
}

func (v *view) compare(report *ragtest.Report, before *baselines, id func(string) int, o Options) {
	if before == nil {
		return
	}
	c := comparisonView{Judge: report.Judge, Computed: before.now.computedIn(report.Judge), Smallest: cmp.Or(o.Smallest, 0.05)}
	b := before.of(report)
	if len(b.Metrics) == 0 {
		c.Undefined = "There was none of " + strings.Join(report.Metrics, ", ") + " before."
		v.Comparisons = append(v.Comparisons, c)
		return
	}
	found, err := ragtest.Compare(b, report, c.Smallest, ragtest.ComparisonOptions{})
	if err != nil {
		c.Undefined = err.Error()
		v.Comparisons = append(v.Comparisons, c)
		return
	}
	c.OnlyBefore, c.OnlyNow = found.OnlyBefore, found.OnlyNow
	for _, m := range found.Metrics {
		x := comparedMetric{MetricComparison: m, Mark: outcomes[m.Outcome][0], Says: outcomes[m.Outcome][1]}
		for _, p := range m.Pairs {
			s := comparedSample{p, id(p.Sample)}
			drop := p.Before - p.Now
			if m.LowerIsBetter {
				drop = -drop
			}
			switch {
			case drop > 0:
				x.Worse = append(x.Worse, s)
			case drop < 0 || len(p.Flips) > 0:
				x.Changed = append(x.Changed, s)
			}
		}
		var lost []string
		for _, r := range m.Unmeasured {
			lost = append(lost, r.Sample)
		}
		for _, a := range []apart{
			{"not measured now", lost},
			{"not measured before", m.UnmeasuredBefore},
			{"asked something else, or of another reference", m.Changed},
			{"new", m.Added},
			{"gone", m.Removed},
		} {
			if len(a.Samples) > 0 {
				x.Apart = append(x.Apart, a)
			}
		}
		c.Metrics = append(c.Metrics, x)
		c.Pairs, c.Unchecked = c.Pairs+m.N, c.Unchecked+m.Unchecked
	}
	v.Comparisons = append(v.Comparisons, c)
}

// Ends is the interval of the difference in words.
func (m comparedMetric) Ends() string {
	return fmt.Sprintf("[%s, %s]", signed(m.Interval.Low), signed(m.Interval.High))
}
