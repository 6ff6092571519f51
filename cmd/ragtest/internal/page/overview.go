package page

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/ragomega/ragomega/ragtest"
)

// judgeView is what one judge found, or what was computed if there is none.
type judgeView struct {
	Judge   string
	Metrics []summary
}

// summary is a metric of the overview.
type summary struct {
	column
	Rated      bool // there is a mean
	Mean       float64
	Interval   string // "" if there is none, and why in Doubt
	Doubt      string
	Low, High  float64
	N          int
	Bins       []bin
	Unmeasured int
	Reasons    []reason
	Known      string // of the judge in the steps of the metric; "" if nothing is
	Void       []string
}

// Ends are those of the interval on a line of 100.
func (s summary) Ends() [3]float64 {
	at := func(v float64) float64 { return min(max(100*v/s.Bar, 0), 100) }
	return [3]float64{at(s.Low), at(s.Mean), at(s.High)}
}

// bin counts the scores of a tenth of the scale.
type bin struct {
	X, Y, Height float64
	N            int
}

// reason is why samples were not measured, with one of them in full.
type reason struct {
	Kind, Example string
	N             int
}

const confidence = 0.95

func newJudgeView(judge string, report *ragtest.Report, r *results, o Options) judgeView {
	v := judgeView{Judge: judge}
	for _, m := range report.Metrics {
		v.Metrics = append(v.Metrics, summarize(m, judge, report, r, o))
	}
	return v
}

func summarize(metric, judge string, report *ragtest.Report, r *results, o Options) summary {
	s := summary{column: column{Metric: metric, Lower: r.lower[metric], Bar: 1, Low: thresholdOf(metric, o.Thresholds)}}
	scores := scoresOf(report.Results, metric)
	values := scores.Values()
	s.N, s.Unmeasured = len(values), len(scores.Unmeasured)
	if mean, err := scores.Mean(); err == nil {
		s.Rated, s.Mean = true, mean
		for _, most := range []float64{5, 10, 100, slices.Max(values)} {
			if slices.Max(values) > s.Bar {
				s.Bar = max(s.Bar, most)
			}
		}
		s.Bins = bins(values, s.Bar)
	}
	switch i, err := scores.MeanInterval(confidence); {
	case err == nil:
		s.Interval = fmt.Sprintf("[%s, %s]", digits3(i.Low), digits3(i.High))
		s.summaryEnds(i.Low, i.High)
		s.Doubt = i.Doubtful()
	case s.Rated:
		s.Doubt = "one sample has no interval"
		s.summaryEnds(s.Mean, s.Mean)
	}
	s.reasons(scores.Unmeasured)
	s.calibration(judge, r, o.Calibrations)
	return s
}

func (s *summary) summaryEnds(low, high float64) { s.Low, s.High = low, high }

func bins(values []float64, full float64) []bin {
	const number = 10
	var n [number]int
	for _, v := range values {
		n[min(max(int(number*v/full), 0), number-1)]++
	}
	most := slices.Max(n[:])
	all := make([]bin, number)
	for i, count := range n {
		height := 0.0
		if count > 0 {
			height = max(1, 20*float64(count)/float64(most))
		}
		all[i] = bin{X: float64(10 * i), Y: 20 - height, Height: height, N: count}
	}
	return all
}

func (s *summary) reasons(unmeasured []ragtest.Result) {
	for _, x := range unmeasured {
		kind := "other"
		if e, ok := x.Err.(*ragtest.RecordedError); ok {
			kind = e.Kind
		}
		i := slices.IndexFunc(s.Reasons, func(r reason) bool { return r.Kind == kind })
		if i < 0 {
			i = len(s.Reasons)
			s.Reasons = append(s.Reasons, reason{Kind: kind, Example: x.Err.Error()})
		}
		s.Reasons[i].N++
	}
	slices.SortStableFunc(s.Reasons, func(a, b reason) int { return cmp.Compare(b.N, a.N) })
}

// calibration finds what is known of the judge in the steps of a metric.
func (s *summary) calibration(judge string, r *results, calibrations []*ragtest.Calibration) {
	if judge == "" {
		return // nobody was asked
	}
	steps := map[string]bool{}
	for _, w := range r.rows {
		for _, x := range w.cells[s.Metric].by(judge) {
			for _, e := range x.Exchanges {
				steps[e.Step] = true
			}
		}
	}
	for _, c := range calibrations {
		step := steps[c.Step] || c.Prompt == "" && c.Metric == s.Metric
		switch of := c.Model + " at " + c.Identity; {
		case step && of == judge:
			s.Known += fmt.Sprintf("; %s %s", c.Step, c.Rates())
		case step:
			s.Void = append(s.Void, fmt.Sprintf("%s of %s", c.Step, of))
		}
	}
	s.Known = strings.TrimPrefix(s.Known, "; ")
}
