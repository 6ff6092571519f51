package ragtest

import (
	"fmt"
	"slices"
	"strings"
)

// Report is what an evaluation found.
type Report struct {
	Judge string // model and identity; "" if no metric asks one
	// Calibration is what is known of the judge in the steps of all results; "" if
	// nothing is. See [Judge.Calibrated].
	Calibration string
	Metrics     []string // their names
	Results     []Result // of each sample in order, by each metric in order

	lower []bool // is better, by each metric
	judge *Judge // who evaluated; nil for a report that was put together
}

// Result is a score of one sample by one metric, or why there is none.
type Result struct {
	Sample string // its name
	Tags   []string
	Inputs string // digest of what the sample was asked and its reference; "" if that is not known
	Metric string
	Score  Score // if Err is nil
	Err    error // why it was not measured
}

// ForTag returns the part of r that is about samples with a tag.
func (r *Report) ForTag(tag string) *Report {
	part := &Report{Judge: r.Judge, Calibration: r.Calibration, Metrics: r.Metrics, lower: r.lower, judge: r.judge}
	for _, x := range r.Results {
		if slices.Contains(x.Tags, tag) {
			part.Results = append(part.Results, x)
		}
	}
	return part
}

// Tags returns the tags of the samples, sorted. An empty one is none.
func (r *Report) Tags() []string {
	var tags []string
	for _, x := range r.Results {
		tags = append(tags, x.Tags...)
	}
	slices.Sort(tags)
	tags = slices.Compact(tags)
	if len(tags) > 0 && tags[0] == "" {
		tags = tags[1:]
	}
	return tags
}

// Scores returns what r has of a metric.
func (r *Report) Scores(m Metric) Scores { return r.scores(m.Name(), lowerIsBetter(m)) }

func (r *Report) scores(metric string, lower bool) Scores {
	s := Scores{Metric: metric, lower: lower}
	for _, x := range r.Results {
		switch {
		case x.Metric != metric:
		case x.Err != nil:
			s.Unmeasured = append(s.Unmeasured, x)
		default:
			s.Measured = append(s.Measured, x)
		}
	}
	return s
}

// lowerIsBetter reports whether less of m is better.
func lowerIsBetter(m Metric) bool {
	_, ok := m.(interface{ LowerIsBetter() })
	return ok
}

// String is a table with a line for each metric.
func (r *Report) String() string {
	var b strings.Builder
	for i, m := range r.Metrics {
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(r.scores(m, i < len(r.lower) && r.lower[i]).String())
	}
	if r.Judge != "" {
		fmt.Fprintf(&b, "\njudge: %s, %s", r.Judge, orUncalibrated(r.Calibration))
	}
	return b.String()
}
