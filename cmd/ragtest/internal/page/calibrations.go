package page

import (
	"github.com/ragomega/ragomega/ragtest"
	"github.com/ragomega/ragomega/ragtest/agreement"
)

// calibrationView is what people and a judge said of the same items.
type calibrationView struct {
	Step, Metric, Judge string
	Undefined           string // why there is nothing to compare
	N                   int
	Estimates           []estimateView
	Categories          []string
	Counts              []countRow
	Warnings            []agreement.Warning
	Divided, Unmeasured int
	Alpha               string // of people among themselves, "" if it is undefined
	Worst               []disagreement
	Disagreements       int
}

type estimateView struct{ Name, Value, Interval, Doubt string }

type countRow struct {
	Human  string
	Counts []int
	Total  int
}

// disagreement is an item on which the judge is not of people's opinion.
type disagreement struct {
	ragtest.Judged
	Human float64
}

// mostWorst is how many disagreements are worth reading at once.
const mostWorst = 10

func newCalibrationView(c *ragtest.Calibration) calibrationView {
	v := calibrationView{
		Step: c.Step, Metric: c.Metric, Judge: c.Model + " at " + c.Identity,
		Divided: len(c.Divided()), Unmeasured: len(c.Unmeasured()),
	}
	a, err := c.Agreement()
	if err != nil {
		v.Undefined = err.Error()
		return v
	}
	v.N, v.Warnings = a.N, a.Warnings
	for _, e := range []agreement.Estimate{a.Point, a.Kappa, a.Agreement, a.TPR, a.TNR, a.Difference, a.Spearman} {
		if e.Name != "" && (len(v.Estimates) == 0 || v.Estimates[0].Name != e.Name) {
			v.Estimates = append(v.Estimates, newEstimate(e))
		}
	}
	v.table(a)
	if alpha, err := c.Raters(); err == nil {
		v.Alpha = digits2(alpha)
	}
	all := c.Disagreements()
	v.Disagreements = len(all)
	for _, x := range all[:min(len(all), mostWorst)] {
		human, _ := x.Human()
		v.Worst = append(v.Worst, disagreement{x, human})
	}
	return v
}

func newEstimate(e agreement.Estimate) estimateView {
	v := estimateView{Name: e.Name, Value: "undefined"}
	value, err := e.Value()
	if err != nil {
		v.Doubt = err.Error()
		return v
	}
	v.Value = digits2(value)
	i, err := e.Interval()
	if err != nil {
		v.Doubt = err.Error()
		return v
	}
	v.Interval, v.Doubt = plus(i.String()), i.Doubtful()
	return v
}

// table counts the labels, for binary ones the yes first.
func (v *calibrationView) table(a agreement.Comparison) {
	t := a.Table
	if a.Kind == agreement.BinaryLabels {
		c := a.Confusion
		t = agreement.Table{Categories: []string{"yes", "no"}, Counts: [][]int{{c.TP, c.FN}, {c.FP, c.TN}}}
	}
	v.Categories = t.Categories
	for i, counts := range t.Counts {
		row := countRow{Human: t.Categories[i], Counts: counts}
		for _, n := range counts {
			row.Total += n
		}
		v.Counts = append(v.Counts, row)
	}
}
