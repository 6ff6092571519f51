package ragtest

import (
	"fmt"
	"io"
	"strings"
)

// WriteBench writes the scores in the format of Go benchmarks, for benchstat to
// compare two evaluations, with its test of significance:
//
//	benchstat old.txt new.txt
//
// All samples are draws of one benchmark, "Scores", and every metric is a unit,
// of which more is better, or less. Of a sample that a metric did not measure
// there is no such value; how many there are is the unit "unmeasured". The judge
// is part of the configuration, so that benchstat compares scores of two judges
// only when it is told to, with -col judge or -ignore judge.
//
// Benchstat compares medians, of samples that are independent. That the two
// evaluations are of the same samples, it does not use.
func (r *Report) WriteBench(w io.Writer) error {
	var b strings.Builder
	if r.Judge != "" {
		fmt.Fprintf(&b, "judge: %s\n", strings.Join(strings.Fields(r.Judge), " "))
	}
	for i, m := range r.Metrics {
		better := "higher"
		if i < len(r.lower) && r.lower[i] {
			better = "lower"
		}
		fmt.Fprintf(&b, "Unit %s better=%s assume=nothing\n", unit(m), better)
	}
	fmt.Fprintf(&b, "Unit %s better=lower assume=exact\n", unmeasuredUnit)
	unmeasured := 0
	for results := r.Results; len(results) > 0; {
		n := 1
		for n < len(results) && results[n].Sample == results[0].Sample {
			n++
		}
		var values strings.Builder
		for _, x := range results[:n] {
			if x.Err != nil {
				unmeasured++
				continue
			}
			fmt.Fprintf(&values, " %v %s", x.Score.Value, unit(x.Metric))
		}
		if values.Len() > 0 {
			fmt.Fprintf(&b, "BenchmarkScores 1%s\n", values.String())
		}
		results = results[n:]
	}
	fmt.Fprintf(&b, "BenchmarkScores 1 %d %s\n", unmeasured, unmeasuredUnit)
	if _, err := io.WriteString(w, b.String()); err != nil {
		return fmt.Errorf("ragtest: the benchmark lines cannot be written: %w", err)
	}
	return nil
}

const unmeasuredUnit = "unmeasured"

// unit is what a metric is called as the unit of a benchmark: one word, in which
// benchstat sees no fraction, product or power of units.
func unit(metric string) string {
	return strings.NewReplacer("/", "_", "*", "_", "-", "_").Replace(strings.Join(strings.Fields(metric), "_"))
}
