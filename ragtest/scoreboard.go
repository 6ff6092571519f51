package ragtest

import (
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
)

// board is what the table at the end of a run is made from.
var board scoreboard

type scoreboard struct {
	mu   sync.Mutex
	rows map[rowName]*row
}

// rowName tells rows apart: scores of two judges have no mean.
type rowName struct{ metric, judge string }

// row is what a judge measured by one metric. Of a measurement that was tried
// again, the last try counts.
type row struct {
	results []Result // without their verdicts
	at      map[[sha256.Size]byte]int
	lower   bool // is better
}

// summaryWanted reports whether RAGTEST_REPORT asks for a table.
func summaryWanted() bool { return os.Getenv("RAGTEST_REPORT") == "summary" }

func (b *scoreboard) add(j *Judge, m Metric, s Sample, score Score, err error) {
	text, _ := json.Marshal(s)
	key := sha256.Sum256(fmt.Appendf(text, " %d", j.trial))
	x := Result{Sample: s.title(), Metric: m.Name(), Score: Score{Value: score.Value}, Err: err}
	name := rowName{m.Name(), j.String()}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.rows == nil {
		b.rows = map[rowName]*row{}
	}
	r := b.rows[name]
	if r == nil {
		r = &row{at: map[[sha256.Size]byte]int{}, lower: lowerIsBetter(m)}
		b.rows[name] = r
	}
	if i, ok := r.at[key]; ok {
		r.results[i] = x
		return
	}
	r.at[key] = len(r.results)
	r.results = append(r.results, x)
}

// printScores prints the table of RAGTEST_REPORT and begins a new one. A word
// that means nothing is an error: it may be a table that somebody waits for.
func printScores(w io.Writer) error {
	if word := os.Getenv("RAGTEST_REPORT"); word != "" && word != "summary" {
		return fmt.Errorf(`ragtest: RAGTEST_REPORT is %q, expected summary`, word)
	}
	board.mu.Lock()
	rows := board.rows
	board.rows = nil
	board.mu.Unlock()
	if len(rows) == 0 {
		return nil
	}
	names := slices.SortedFunc(maps.Keys(rows), func(a, b rowName) int {
		return cmp.Or(cmp.Compare(a.metric, b.metric), cmp.Compare(a.judge, b.judge))
	})
	judges := map[string]bool{}
	for _, n := range names {
		if n.judge != "" {
			judges[n.judge] = true
		}
	}
	labels, wide := make([]string, len(names)), len("metric")
	for i, n := range names {
		labels[i] = n.metric
		if len(judges) > 1 && n.judge != "" {
			labels[i] += " by " + n.judge
		}
		wide = max(wide, len(labels[i]))
	}
	var t strings.Builder
	fmt.Fprintf(&t, "ragtest: scores\n  %-*s %6s %7s %7s %7s  not measured  worst\n", wide, "metric", "n", "mean", "min", "max")
	for i, n := range names {
		fmt.Fprintf(&t, "  %-*s %s\n", wide, labels[i], rows[n].line(n.metric))
	}
	_, _ = io.WriteString(w, t.String())
	return nil
}

// line is the row of the table, but for its label.
func (r *row) line(metric string) string {
	slices.SortStableFunc(r.results, func(a, b Result) int { return cmp.Compare(a.Sample, b.Sample) }) // measured in any order
	all := Report{Results: r.results}
	s := all.scores(metric, r.lower)
	if len(s.Measured) == 0 {
		return fmt.Sprintf("%6d %7s %7s %7s %13d", 0, "-", "-", "-", len(s.Unmeasured))
	}
	v := s.Values()
	line := fmt.Sprintf("%6d %7.3f %7.3f %7.3f %13d", len(v), mean(v), slices.Min(v), slices.Max(v), len(s.Unmeasured))
	best := slices.Max(v)
	if r.lower {
		best = slices.Min(v)
	}
	var worst []string
	for _, x := range s.Worst(3) {
		if x.Score.Value != best {
			worst = append(worst, fmt.Sprintf("%s %.2f", shorten(x.Sample, 40), x.Score.Value))
		}
	}
	if len(worst) > 0 {
		line += "  " + strings.Join(worst, ", ")
	}
	return line
}
