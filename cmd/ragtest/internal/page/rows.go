package page

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/ragomega/ragomega/ragtest"
)

// ErrNoResults says that there is nothing to make a page of.
var ErrNoResults = errors.New("there are no results")

// results are records by judge, sample and metric.
type results struct {
	metrics []string
	lower   map[string]bool // is better
	judges  []string        // model and identity, in the order of the records
	rows    []*row
}

// row is what one judge found of one sample. Packages may call different samples
// the same.
type row struct {
	pkg, name, judge string
	label            string // tells it apart from the other rows of its judge
	tags             []string
	cells            map[string]cell // by metric
	sample           *ragtest.Sample // nil if its texts are not known
}

// cell has the measurements of a sample by a metric: one, or several if tests
// measured several answers to it, or a judge was asked several times.
type cell []ragtest.Record

// usual is the order of metrics that a reader expects: first what was retrieved,
// then what was made of it. Others follow by their names.
var usual = []string{
	ragtest.ContextRecall.Name(), ragtest.ContextPrecision.Name(), ragtest.Faithfulness.Name(),
	ragtest.AnswerRelevance.Name(), ragtest.AnswerCorrectness.Name(),
}

// arrange arranges records. Names that several packages have, in these records or in
// those of another run, are told apart by the package.
func arrange(records, other []ragtest.Record, samples []ragtest.Sample) (*results, error) {
	if len(records) == 0 {
		return nil, fmt.Errorf("%w: expected records of a run with RAGTEST_RESULTS set", ErrNoResults)
	}
	r := &results{lower: map[string]bool{}}
	type key struct{ pkg, name, judge string }
	at := map[key]*row{}
	packages := packagesOf(records, other)
	for _, x := range records {
		k := key{x.Package, x.Sample, judgeOf(x)}
		if at[k] == nil {
			at[k] = &row{pkg: k.pkg, name: k.name, judge: k.judge, cells: map[string]cell{}}
			r.rows = append(r.rows, at[k])
		}
		if !slices.Contains(r.judges, k.judge) {
			r.judges = append(r.judges, k.judge)
		}
		if !slices.Contains(r.metrics, x.Metric) {
			r.metrics = append(r.metrics, x.Metric)
		}
		r.lower[x.Metric] = r.lower[x.Metric] || x.LowerIsBetter
		for _, t := range x.Tags {
			if !slices.Contains(at[k].tags, t) {
				at[k].tags = append(at[k].tags, t)
			}
		}
		at[k].cells[x.Metric] = at[k].cells[x.Metric].add(x)
	}
	slices.SortFunc(r.metrics, func(a, b string) int {
		return cmp.Or(cmp.Compare(rank(a), rank(b)), strings.Compare(a, b))
	})
	texts := index(samples)
	for _, w := range r.rows {
		w.label = w.name
		if len(packages[w.name]) > 1 {
			w.label += " in " + w.pkg
		}
		if i, ok := texts[w.name]; ok {
			w.sample = &samples[i]
		}
	}
	slices.SortStableFunc(r.rows, func(a, b *row) int { // as the samples are, if they are known
		return cmp.Compare(order(texts, a.name), order(texts, b.name))
	})
	return r, nil
}

// packagesOf returns the packages that measured a sample of each name.
func packagesOf(runs ...[]ragtest.Record) map[string][]string {
	packages := map[string][]string{}
	for _, records := range runs {
		for _, x := range records {
			if !slices.Contains(packages[x.Sample], x.Package) {
				packages[x.Sample] = append(packages[x.Sample], x.Package)
			}
		}
	}
	return packages
}

func judgeOf(x ragtest.Record) string { return x.Model + " at " + x.Identity }

func rank(metric string) int {
	if i := slices.Index(usual, metric); i >= 0 {
		return i
	}
	return len(usual)
}

func order(texts map[string]int, name string) int {
	if i, ok := texts[name]; ok {
		return i
	}
	return len(texts)
}

// index finds samples by what records call them. Those without a name are called
// by their number where many are evaluated, and else by how they begin.
func index(samples []ragtest.Sample) map[string]int {
	at := map[string]int{}
	for i, s := range samples {
		names := []string{s.Name}
		if s.Name == "" {
			title, _, _ := strings.Cut(s.GomegaString(), "\n")
			names = []string{fmt.Sprintf("#%d", i+1), title}
		}
		for _, name := range names {
			if _, ok := at[name]; !ok {
				at[name] = i
			}
		}
	}
	return at
}

// add adds a record. What was asked the same again takes the place of what was,
// and so does a score that of a try that came to none.
func (c cell) add(x ragtest.Record) cell {
	for i, before := range c {
		if before.Trial == x.Trial && supersedes(x, before) {
			c[i] = x
			return c
		}
	}
	return append(c, x)
}

func supersedes(x, before ragtest.Record) bool {
	asked, was := x.Exchanges, before.Exchanges
	if before.Error != nil {
		return x.Test == before.Test && x.At == before.At && len(was) <= len(asked) && sameKeys(asked[:len(was)], was)
	}
	if x.Error != nil || len(asked) != len(was) || !sameKeys(asked, was) {
		return false
	}
	return len(asked) > 0 || *x.Score == *before.Score && x.Test == before.Test && x.At == before.At
}

func sameKeys(a, b []ragtest.Exchange) bool {
	return slices.EqualFunc(a, b, func(a, b ragtest.Exchange) bool { return a.Key == b.Key })
}

// scored returns the measurements with a score.
func (c cell) scored() cell {
	return slices.DeleteFunc(slices.Clone(c), func(x ragtest.Record) bool { return x.Score == nil })
}

// result is that of the cell as a whole: the only measurement, or the mean of
// several, with the verdicts of the worst.
func (c cell) result(label string) ragtest.Result {
	s := c.scored()
	if len(s) == 0 {
		x := c[0].Result()
		x.Sample = label
		return x
	}
	worst := slices.MinFunc(s, func(a, b ragtest.Record) int {
		if a.LowerIsBetter {
			a, b = b, a
		}
		return cmp.Compare(*a.Score, *b.Score)
	})
	x := worst.Result()
	x.Sample = label
	sum := 0.0
	for _, m := range s {
		sum += *m.Score
	}
	x.Score.Value = sum / float64(len(s))
	return x
}

// report is what one judge found.
func (r *results) report(judge string) *ragtest.Report {
	p := &ragtest.Report{Judge: judge}
	for _, m := range r.metrics {
		if slices.ContainsFunc(r.rows, func(w *row) bool { return w.judge == judge && w.cells[m] != nil }) {
			p.Metrics = append(p.Metrics, m)
		}
	}
	for _, w := range r.rows {
		if w.judge != judge {
			continue
		}
		for _, m := range p.Metrics {
			if c := w.cells[m]; c != nil {
				x := c.result(w.label)
				x.Tags = w.tags
				p.Results = append(p.Results, x)
			}
		}
	}
	return p
}
