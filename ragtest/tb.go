package ragtest

import (
	"context"
	"fmt"
	"io"
	"strings"
	"sync"
)

// TB is what a judge needs of a test. *testing.T, *testing.B and Ginkgo's
// GinkgoT() have it.
type TB interface {
	Helper()
	Name() string
	Context() context.Context
	Attr(key, value string)
	Output() io.Writer
	Cleanup(func())
	Failed() bool
	Errorf(format string, args ...any)
}

// binding is a judge's tie to one test.
type binding struct {
	t      TB
	mu     sync.Mutex
	failed failures
	sums   map[string]sum // of a benchmark's scores, by metric
}

type sum struct {
	of float64
	n  int
}

// For returns a copy of j that is bound to a test: it works under t's context,
// errors name the test in full, scores are reported with the test, and a
// measurement that failed fails the test even where a matcher takes its error for
// a mere mismatch.
//
// Every score that a matcher asks for is reported under a name such as
// "ragtest.faithfulness", in the way of the runner:
//   - by package testing as an attribute of the test, with four decimals, and
//     with its verdicts in the output of the test, which go test shows where the
//     test fails or -v is given;
//   - by Ginkgo as a report entry. The console shows it, with the verdicts, where
//     a spec fails or -v is given. Reports in JSON and JUnit have it always, as
//     JSON: a [Score] and the field "sample".
//   - in a benchmark as a metric, the mean of the scores so far.
//
// Of [Judge.Evaluate] it is the mean of each metric that is reported, as
// "ragtest.faithfulness.mean", and if there are any, how many samples were not
// measured, as "ragtest.faithfulness.unmeasured".
//
// While live calls are made, Ginkgo's progress reports say how far they are.
//
// In Ginkgo, GinkgoT().Context() does not end with a spec's timeout: give the
// matcher the spec's context with WithContext.
func (j *Judge) For(t TB) *Judge {
	t.Helper()
	b := &binding{t: t}
	t.Cleanup(func() {
		t.Helper()
		b.mu.Lock()
		defer b.mu.Unlock()
		if failed := b.failed.take(); len(failed) > 0 && !t.Failed() {
			for _, err := range failed {
				t.Errorf("no assertion reported this: %v", err)
			}
		}
	})
	underway.attach(t)
	c := *j
	c.test = b
	return &c
}

// Context returns the context of the test that j is bound to, or the background
// context.
func (j *Judge) Context() context.Context {
	if j.test == nil {
		return context.Background()
	}
	return j.test.t.Context()
}

func (b *binding) note(measurement func() string, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.failed.note(measurement, err)
}

// reported is the value of a report entry: it says of which sample a score is.
type reported struct {
	Sample string `json:"sample"`
	Score
}

// String is what the console shows.
func (r reported) String() string { return r.Sample + ": " + r.Score.String() }

// metricReporter is what *testing.B has besides.
type metricReporter interface {
	ReportMetric(n float64, unit string)
}

// report tells the runner a score. The other interface is GinkgoT()'s.
func (b *binding) report(sample string, s Score) {
	name := attribute(s.Metric)
	switch t := b.t.(type) {
	case interface {
		AddReportEntryVisibilityFailureOrVerbose(name string, args ...any)
	}:
		t.AddReportEntryVisibilityFailureOrVerbose(name, reported{sample, s})
	case metricReporter:
		b.mu.Lock()
		defer b.mu.Unlock()
		if b.sums == nil {
			b.sums = map[string]sum{}
		}
		m := b.sums[name]
		m.of, m.n = m.of+s.Value, m.n+1
		b.sums[name] = m
		t.ReportMetric(m.of/float64(m.n), unit(s.Metric))
	default:
		b.t.Attr(name, fmt.Sprintf("%.4f", s.Value))
		_, _ = fmt.Fprintln(b.t.Output(), reported{sample, s})
	}
}

// reportAll tells the runner what an evaluation found.
func (b *binding) reportAll(r *Report) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, metric := range r.Metrics {
		s := r.scores(metric, false)
		if m, err := s.Mean(); err == nil {
			if t, ok := b.t.(metricReporter); ok {
				t.ReportMetric(m, unit(metric))
			} else {
				b.t.Attr(attribute(metric)+".mean", fmt.Sprintf("%.4f", m))
			}
		}
		if n := len(s.Unmeasured); n > 0 {
			b.t.Attr(attribute(metric)+".unmeasured", fmt.Sprint(n))
		}
	}
}

// attribute is the name of what is reported of a metric: a key has no space.
func attribute(metric string) string { return "ragtest." + strings.Join(strings.Fields(metric), "_") }
