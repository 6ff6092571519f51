package page

import (
	"cmp"
	"maps"
	"slices"

	"github.com/ragomega/ragomega/ragtest"
)

// ByTag are the scores of samples by their tags. A sample with two tags counts for
// both.
type ByTag struct {
	Judge   string // who measured, if the table is of one of several; "" for nobody
	Metrics []TaggedMetric
	Rows    []TagRow // by their tags, sorted; samples without one are the last
}

// TaggedMetric is a column.
type TaggedMetric struct {
	Metric string
	Lower  bool // is better
}

// TagRow are the samples with a tag.
type TagRow struct {
	Tag     string // "" for samples without one
	Number  string // as the filter of the page knows it
	Samples int
	Cells   []TagScores // by metric
}

// TagScores are those of the samples with a tag by one metric.
type TagScores struct {
	ragtest.Scores
	Rated      bool    // there is a mean
	Value      float64 // the mean
	N, Missing int     // samples that were measured, and that were not
	Worst      bool    // of all tags, where they differ
}

// noTag is the number of samples without a tag.
const noTag = "none"

// newByTag is nil if no sample has a tag. Results are of rows, whose tags are each there
// once and none is empty. They are grouped in one pass: every sample may have a tag of
// its own.
func newByTag(report *ragtest.Report, lower map[string]bool) *ByTag {
	tagged := map[string][]ragtest.Result{}
	var rest []ragtest.Result
	for _, x := range report.Results {
		for _, t := range x.Tags {
			tagged[t] = append(tagged[t], x)
		}
		if len(x.Tags) == 0 {
			rest = append(rest, x)
		}
	}
	if len(tagged) == 0 {
		return nil
	}
	b := &ByTag{Judge: report.Judge}
	for _, m := range report.Metrics {
		b.Metrics = append(b.Metrics, TaggedMetric{m, lower[m]})
	}
	for _, t := range slices.Sorted(maps.Keys(tagged)) {
		b.add(TagRow{Tag: t}, tagged[t])
	}
	if len(rest) > 0 {
		b.add(TagRow{Number: noTag}, rest)
	}
	for i := range b.Metrics {
		b.findWorst(i)
	}
	return b
}

func samplesOf(results []ragtest.Result) int {
	names := map[string]bool{}
	for _, x := range results {
		names[x.Sample] = true
	}
	return len(names)
}

func (b *ByTag) add(row TagRow, results []ragtest.Result) {
	row.Samples = samplesOf(results)
	for _, m := range b.Metrics {
		s := scoresOf(results, m.Metric)
		c := TagScores{Scores: s, N: len(s.Measured), Missing: len(s.Unmeasured)}
		if mean, err := s.Mean(); err == nil {
			c.Rated, c.Value = true, mean
		}
		row.Cells = append(row.Cells, c)
	}
	b.Rows = append(b.Rows, row)
}

// scoresOf is what results have of a metric, by the names of the samples: tests that
// run at once measure in any order, and an interval is drawn in that of the scores.
func scoresOf(results []ragtest.Result, metric string) ragtest.Scores {
	s := ragtest.Scores{Metric: metric}
	for _, x := range results {
		switch {
		case x.Metric != metric:
		case x.Err != nil:
			s.Unmeasured = append(s.Unmeasured, x)
		default:
			s.Measured = append(s.Measured, x)
		}
	}
	slices.SortStableFunc(s.Measured, func(a, b ragtest.Result) int { return cmp.Compare(a.Sample, b.Sample) })
	return s
}

// findWorst marks the worst means of a metric, as they are shown: none is where all
// show the same.
func (b *ByTag) findWorst(metric int) {
	var rated []*TagScores
	for i := range b.Rows {
		if c := &b.Rows[i].Cells[metric]; c.Rated {
			rated = append(rated, c)
		}
	}
	if len(rated) == 0 {
		return
	}
	slices.SortStableFunc(rated, func(x, y *TagScores) int {
		if b.Metrics[metric].Lower {
			x, y = y, x
		}
		return cmp.Compare(x.Value, y.Value)
	})
	worst := digits3(rated[0].Value)
	if worst == digits3(rated[len(rated)-1].Value) {
		return
	}
	for _, c := range rated {
		c.Worst = digits3(c.Value) == worst
	}
}

// Table is the scores of one measurer: of nobody, or of a judge.
type Table struct {
	Judge   string // "" for nobody
	Metrics []TaggedMetric
	Scores  []ragtest.Scores // by metric
	ByTag   *ByTag           // nil if no sample has a tag
}

// Tables are the scores of records as a page has them: first what was computed, then
// what each judge found. It is an error if there are none.
func Tables(records []ragtest.Record) ([]Table, error) {
	r, err := arrange(records, nil, nil)
	if err != nil {
		return nil, err
	}
	var all []Table
	for _, judge := range r.measurers() {
		report := r.measuredBy(judge)
		t := Table{Judge: judge, ByTag: newByTag(report, r.lower)}
		for _, m := range report.Metrics {
			t.Metrics = append(t.Metrics, TaggedMetric{m, r.lower[m]})
			t.Scores = append(t.Scores, scoresOf(report.Results, m))
		}
		all = append(all, t)
	}
	return all, nil
}

// byTag are the tables by tag: one of all samples, or with several judges one of what
// was computed and one of each.
func (r *results) byTag() (all []*ByTag) {
	reports := []*ragtest.Report{r.report(r.groups[0])}
	if len(r.judges) > 1 {
		reports = nil
		for _, judge := range r.measurers() {
			reports = append(reports, r.measuredBy(judge))
		}
	}
	for _, report := range reports {
		if b := newByTag(report, r.lower); b != nil {
			all = append(all, b)
		}
	}
	return all
}
