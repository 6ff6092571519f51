package page

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/ragomega/ragomega/cmd/ragtest/internal/measured"
	"github.com/ragomega/ragomega/ragtest"
)

// ErrNoResults says that there is nothing to make a page of.
var ErrNoResults = errors.New("there are no results")

// results are records by judge, sample and metric.
type results struct {
	metrics []string
	lower   map[string]bool // is better
	groups  []string        // whose the rows are, in the order of the records; see [measured.Groups]
	judges  []string        // model and identity, in the order of the records
	nobody  bool            // there are measurements that asked none
	rows    []*row
}

// row is what one judge found of one sample, and what was computed of it without one.
// Packages may call different samples the same.
type row struct {
	pkg, name, judge string
	label            string          // tells it apart from the other rows of its judge
	tags             []string        // each once; an empty tag is none
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
	r := &results{lower: map[string]bool{}, judges: measured.Judges(records)}
	groups := measured.Groups(records)
	type key struct{ pkg, name, judge string }
	at := map[key]*row{}
	packages := packagesOf(records, other)
	for i, x := range records {
		k := key{x.Package, x.Sample, groups[i]}
		r.nobody = r.nobody || measured.By(x) == ""
		if at[k] == nil {
			at[k] = &row{pkg: k.pkg, name: k.name, judge: k.judge, cells: map[string]cell{}}
			r.rows = append(r.rows, at[k])
		}
		if !slices.Contains(r.groups, k.judge) {
			r.groups = append(r.groups, k.judge)
		}
		if !slices.Contains(r.metrics, x.Metric) {
			r.metrics = append(r.metrics, x.Metric)
		}
		r.lower[x.Metric] = r.lower[x.Metric] || x.LowerIsBetter
		for _, t := range x.Tags {
			if t != "" && !slices.Contains(at[k].tags, t) {
				at[k].tags = append(at[k].tags, t)
			}
		}
		at[k].cells[x.Metric] = at[k].cells[x.Metric].add(x)
	}
	slices.SortFunc(r.metrics, func(a, b string) int {
		return cmp.Or(cmp.Compare(rank(a), rank(b)), byNumber(a, b))
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

func rank(metric string) int {
	if i := slices.Index(usual, metric); i >= 0 {
		return i
	}
	return len(usual)
}

// byNumber sorts recall_at_5 before recall_at_10.
func byNumber(a, b string) int {
	nameA, k, _ := strings.Cut(a, "_at_")
	nameB, n, _ := strings.Cut(b, "_at_")
	x, errX := strconv.Atoi(k)
	y, errY := strconv.Atoi(n)
	if nameA == nameB && errX == nil && errY == nil {
		return cmp.Compare(x, y)
	}
	return strings.Compare(a, b)
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

// report is what there is of the samples of a group.
func (r *results) report(group string) *ragtest.Report {
	return r.reportOf(group, func(w *row, m string) cell {
		if w.judge != group {
			return nil
		}
		return w.cells[m]
	})
}

// measuredBy is what one judge found, or what was computed: that of "".
func (r *results) measuredBy(judge string) *ragtest.Report {
	return r.reportOf(judge, func(w *row, m string) cell { return w.cells[m].by(judge) })
}

// judgedOf is [results.report] without the samples that no judge measured, as others
// were: there is nothing to say of those but what was computed.
func (r *results) judgedOf(group string) *ragtest.Report {
	return r.reportOf(group, func(w *row, m string) cell {
		if w.judge != group || !w.asked() && len(r.judges) > 0 {
			return nil
		}
		return w.cells[m]
	})
}

// reportOf has the cells that of returns, of which nil is none.
func (r *results) reportOf(judge string, of func(*row, string) cell) *ragtest.Report {
	p := &ragtest.Report{Judge: judge}
	for _, m := range r.metrics {
		if slices.ContainsFunc(r.rows, func(w *row) bool { return of(w, m) != nil }) {
			p.Metrics = append(p.Metrics, m)
		}
	}
	for _, w := range r.rows {
		for _, m := range p.Metrics {
			if c := of(w, m); c != nil {
				x := c.result(w.label)
				x.Tags = w.tags
				p.Results = append(p.Results, x)
			}
		}
	}
	return p
}

// asked reports whether a judge measured the sample.
func (w *row) asked() bool {
	for _, c := range w.cells {
		if slices.ContainsFunc(c, func(x ragtest.Record) bool { return measured.By(x) != "" }) {
			return true
		}
	}
	return false
}

// computedIn reports whether anything of a group was measured by nobody.
func (r *results) computedIn(group string) bool {
	return slices.ContainsFunc(r.rows, func(w *row) bool {
		return w.judge == group && slices.ContainsFunc(r.metrics, func(m string) bool { return w.cells[m].by("") != nil })
	})
}

// by returns the measurements of a judge, or of nobody; nil if there are none.
func (c cell) by(judge string) (some cell) {
	for _, x := range c {
		if measured.By(x) == judge {
			some = append(some, x)
		}
	}
	return some
}

// measurers are who measured: nobody, if anything was computed, and the judges.
func (r *results) measurers() []string {
	if r.nobody {
		return append([]string{""}, r.judges...)
	}
	return r.judges
}
