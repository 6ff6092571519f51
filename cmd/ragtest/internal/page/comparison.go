package page

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/ragomega/ragomega/ragtest"
)

// baselines are what records are compared with: the one that is given, or one for
// each judge of an earlier run.
func baselines(records []ragtest.Record, o Options) ([]*ragtest.Baseline, error) {
	if o.Baseline != nil {
		return []*ragtest.Baseline{o.Baseline}, nil
	}
	if len(o.Before) == 0 {
		return nil, nil
	}
	r, err := arrange(o.Before, records, nil)
	if err != nil {
		return nil, err
	}
	var all []*ragtest.Baseline
	for _, judge := range r.judges {
		b, err := r.report(judge).Baseline()
		if err != nil {
			return nil, err
		}
		for i := range b.Metrics {
			b.Metrics[i].LowerIsBetter = r.lower[b.Metrics[i].Metric]
		}
		all = append(all, b)
	}
	return all, nil
}

// comparisonView is what became of the scores of a judge.
type comparisonView struct {
	Judge               string
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

func (v *view) compare(judge string, report *ragtest.Report, before []*ragtest.Baseline, id func(string) int, o Options) {
	if len(before) == 0 {
		return
	}
	b := before[max(0, slices.IndexFunc(before, func(b *ragtest.Baseline) bool {
		return slices.ContainsFunc(b.Metrics, func(m ragtest.MetricBaseline) bool { return m.Judge == judge })
	}))]
	c := comparisonView{Judge: judge, Smallest: cmp.Or(o.Smallest, 0.05)}
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
