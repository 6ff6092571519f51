package page

import (
	"fmt"
	"html/template"
	"slices"

	"github.com/ragomega/ragomega/ragtest"
)

// view is what the template shows.
type view struct {
	Policy        string
	Style, Script template.HTML
	Source        string
	Notes         []string

	Judges   []judgeView
	Columns  []column
	Tags     []string
	ByTag    []*ByTag
	Faults   []faultCount // none without thresholds
	Measured int          // measurements
	Unread   int          // rows whose texts are not known
	Untagged bool         // rows have no tag
	Rows     []rowView
	Judged   bool // anybody was asked
	Computed bool // something was measured without
	Several  bool // judges

	Plots        []plot
	Comparisons  []comparisonView
	Calibrations []calibrationView
}

// column is a metric of the table.
type column struct {
	Metric string
	Lower  bool
	Low    float64 // the threshold, 0 for none
	Bar    float64 // the score of a full bar
}

// rowView is a sample in the table, and its section.
type rowView struct {
	ID        int
	Name      string
	Package   string // if there are several
	Judge     string // if there are several
	Tags      []tagView
	Cells     []cellView
	Diagnosis *ragtest.Diagnosis
	Texts     *texts
	Metrics   []metricView
}

// TagNumbers are the row's tags as the filter knows them.
func (r rowView) TagNumbers() string {
	if len(r.Tags) == 0 {
		return " " + noTag + " "
	}
	s := " "
	for _, t := range r.Tags {
		s += fmt.Sprintf("%d ", t.Number)
	}
	return s
}

type tagView struct {
	Number int
	Name   string
}

type faultCount struct {
	Fault ragtest.Fault
	N     int
}

// cellView is a score in the table.
type cellView struct {
	Metric   string
	Measured bool
	Missing  bool // nobody measured
	Score    float64
	Low      bool
	Band     string // "hi", "mid" or "lo"
	Steps    int    // twentieths of a full bar
	Times    int    // measurements that the score is the mean of
	Reason   string // why there is no score
}

func newView(records []ragtest.Record, o Options) (*view, error) {
	r, err := arrange(records, o.Before, o.Samples)
	if err != nil {
		return nil, err
	}
	before, err := newBaselines(records, r, o)
	if err != nil {
		return nil, err
	}
	v := &view{
		Policy: policy(),
		Style:  template.HTML("<style>" + pageCSS + "</style>"),  //nolint:gosec // it is the package's own
		Script: template.HTML("<script>" + pageJS + "</script>"), //nolint:gosec
		Source: o.Source, Notes: o.Notes, Judged: len(r.judges) > 0, Computed: r.nobody, Several: len(r.judges) > 1,
	}
	v.columns(r, o)
	for _, w := range r.rows {
		v.Untagged = v.Untagged || len(w.tags) == 0
		v.Tags = append(v.Tags, w.tags...)
	}
	slices.Sort(v.Tags)
	v.Tags = slices.Compact(v.Tags)
	v.ByTag = r.byTag()
	for _, b := range v.ByTag {
		for i, row := range b.Rows {
			if n, ok := slices.BinarySearch(v.Tags, row.Tag); ok && row.Number != noTag {
				b.Rows[i].Number = fmt.Sprint(n)
			}
		}
	}
	ids := map[string]int{} // of the rows, by judge and label
	for i, w := range r.rows {
		v.addRow(i+1, w, r, o)
		ids[w.judge+"\x00"+w.label] = i + 1
	}
	for _, judge := range r.measurers() {
		v.Judges = append(v.Judges, newJudgeView(judge, r.measuredBy(judge), r, o))
	}
	for _, group := range r.groups {
		report := r.report(group)
		id := func(label string) int { return ids[group+"\x00"+label] }
		if err := v.diagnose(r.judgedOf(group), id, o); err != nil {
			return nil, err
		}
		if p, ok := newPlot(group, report, id, o.Thresholds); ok {
			v.Plots = append(v.Plots, p)
		}
		v.compare(report, before, id, o)
	}
	for _, c := range o.Calibrations {
		v.Calibrations = append(v.Calibrations, newCalibrationView(c))
	}
	return v, nil
}

func (v *view) columns(r *results, o Options) {
	for _, m := range r.metrics {
		c := column{Metric: m, Lower: r.lower[m], Low: thresholdOf(m, o.Thresholds), Bar: 1}
		for _, w := range r.rows {
			for _, x := range w.cells[m].scored() {
				for _, most := range []float64{5, 10, 100, *x.Score} { // ratings
					if *x.Score > c.Bar {
						c.Bar = max(c.Bar, most)
					}
				}
			}
		}
		v.Columns = append(v.Columns, c)
	}
}

func thresholdOf(metric string, t ragtest.Thresholds) float64 {
	switch metric {
	case ragtest.ContextRecall.Name():
		return t.ContextRecall
	case ragtest.ContextPrecision.Name():
		return t.ContextPrecision
	case ragtest.Faithfulness.Name():
		return t.Faithfulness
	case ragtest.AnswerRelevance.Name():
		return t.AnswerRelevance
	case ragtest.AnswerCorrectness.Name():
		return t.AnswerCorrectness
	}
	return 0
}

func (v *view) addRow(id int, w *row, r *results, o Options) {
	row := rowView{ID: id, Name: w.name}
	if w.label != w.name {
		row.Package = w.pkg
	}
	if v.Several {
		row.Judge = w.judge
	}
	for _, t := range w.tags {
		n, _ := slices.BinarySearch(v.Tags, t)
		row.Tags = append(row.Tags, tagView{n, t})
	}
	for _, c := range v.Columns {
		row.Cells = append(row.Cells, c.cell(w.cells[c.Metric], w.label))
		if tries := w.cells[c.Metric]; tries != nil {
			v.Measured += len(tries)
			row.Metrics = append(row.Metrics, newMetricView(c, tries))
		}
	}
	if w.sample == nil {
		v.Unread++
	} else {
		row.Texts = newTexts(*w.sample, w)
	}
	v.Rows = append(v.Rows, row)
}

func (c column) cell(tries cell, label string) cellView {
	if tries == nil {
		return cellView{Metric: c.Metric, Missing: true}
	}
	x := tries.result(label)
	if x.Err != nil {
		return cellView{Metric: c.Metric, Reason: firstLine(x.Err.Error())}
	}
	s := cellView{Metric: c.Metric, Measured: true, Score: x.Score.Value, Times: len(tries.scored())}
	full := s.Score / c.Bar
	s.Steps = min(max(int(20*full+0.5), 0), 20)
	if c.Lower {
		full = 1 - full
	}
	switch {
	case c.Low != 0:
		s.Low = s.Score < c.Low
		s.Band = map[bool]string{true: "lo", false: "hi"}[s.Low]
	case full >= 0.8:
		s.Band = "hi"
	case full >= 0.5:
		s.Band = "mid"
	default:
		s.Band = "lo"
	}
	return s
}

// diagnose says of each row which surface broke, if there are thresholds.
func (v *view) diagnose(report *ragtest.Report, id func(string) int, o Options) error {
	if o.Thresholds == (ragtest.Thresholds{}) {
		return nil
	}
	all, err := report.Diagnose(o.Thresholds)
	if err != nil {
		return err
	}
	for _, d := range all {
		v.Rows[id(d.Sample)-1].Diagnosis = &d
		i := slices.IndexFunc(v.Faults, func(f faultCount) bool { return f.Fault == d.Fault })
		if i < 0 {
			i = len(v.Faults)
			v.Faults = append(v.Faults, faultCount{Fault: d.Fault})
		}
		v.Faults[i].N++
	}
	slices.SortStableFunc(v.Faults, func(a, b faultCount) int { return b.N - a.N })
	return nil
}
