package ragtest

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"sync"

	"golang.org/x/sync/errgroup"
)

// Evaluate measures every sample by every metric, with the judge of [Use], or with
// none if no metric asks one; see [Judge.Evaluate].
func Evaluate(ctx context.Context, samples []Sample, metrics ...Metric) (*Report, error) {
	j, err := StandingFor(metrics...)
	if err != nil {
		return nil, err
	}
	return j.Evaluate(ctx, samples, metrics...)
}

// inEvaluation is how many samples are measured at once. How many calls are in
// flight is for the judge's limits to decide.
const inEvaluation = 16

// Evaluate measures every sample by every metric, several samples at once. The
// report has a result for each, in the order of the samples and then of the
// metrics: a score, or why there is none. What could not be measured is no error
// of Evaluate: matchers on the report fail on it.
//
// The error is for what makes a report useless or incomplete: nothing to
// measure, two samples or metrics of one name, a context that ended. With the
// last there is a report of what was measured before.
//
// A sample without a name is called by its place: "#3".
//
// A metric that panics has a bug, which no allowance for samples that were not
// measured should hide. The panic is passed on to the caller of Evaluate, with
// the names of metric and sample, when the measurements under way have ended; so
// is a t.FailNow. What the judge was asked by then is kept.
func (j *Judge) Evaluate(ctx context.Context, samples []Sample, metrics ...Metric) (*Report, error) {
	if err := j.able(metrics...); err != nil {
		return nil, err
	}
	names, err := namesOf(samples)
	if err != nil {
		return nil, err
	}
	r := &Report{judge: j, Results: make([]Result, len(samples)*len(metrics))}
	if r.Metrics, err = metricsOf(metrics); err != nil {
		return nil, err
	}
	for _, m := range metrics {
		r.lower = append(r.lower, lowerIsBetter(m))
		if !asksNobody(m) {
			r.Judge = j.String()
		}
	}
	done, end := underway.expect(len(r.Results))
	defer end()
	e := evaluation{judge: j}
	ctx = withCaller(ctx)
	var g errgroup.Group
	g.SetLimit(inEvaluation)
	for i, s := range samples {
		s.Name = names[i]
		results := r.Results[i*len(metrics) : (i+1)*len(metrics)]
		g.Go(func() error {
			inputs := inputsOf(s)
			for k, m := range metrics {
				results[k] = Result{Sample: s.Name, Tags: s.Tags, Inputs: inputs, Metric: r.Metrics[k]}
				results[k].Score, results[k].Err = e.measure(ctx, m, s)
				done()
			}
			return nil
		})
	}
	_ = g.Wait()
	if e.left != nil {
		e.left.again()
	}
	r.Calibration = j.calibrationOfReport(r)
	if j.test != nil {
		j.test.reportAll(r)
	}
	if e.ended > 0 {
		return r, fmt.Errorf("ragtest: the evaluation was ended early, %d of %d measurements are missing: %w", e.ended, len(r.Results), endOf(ctx))
	}
	return r, nil
}

// evaluation is one run of Evaluate.
type evaluation struct {
	judge *Judge

	mu    sync.Mutex
	ended int   // measurements that the end of the context prevented
	left  *left // the first metric that did not return
}

// measure is Measure, but for what is not begun any more.
func (e *evaluation) measure(ctx context.Context, m Metric, s Sample) (score Score, err error) {
	if e.over() {
		return Score{}, errors.New("not begun") // nobody gets to see it
	}
	if ctx.Err() != nil {
		err := &MeasureError{Metric: m.Name(), Sample: s.title(), Err: fmt.Errorf("it was not begun: %w", endOf(ctx))}
		err.Test, _ = e.judge.whereAndNext(ctx, err)
		e.judge.account(ctx, m, s, Score{}, err.Err, nil)
		e.note(func() { e.ended++ })
		return Score{}, err
	}
	returned := false
	defer func() {
		if !returned {
			l := &left{m.Name(), s.title(), recover(), debug.Stack()}
			e.note(func() {
				if e.left == nil {
					e.left = l
				}
			})
		}
	}()
	score, err = e.judge.Measure(ctx, m, s)
	returned = true
	if err != nil && ctx.Err() != nil {
		e.note(func() { e.ended++ })
	}
	return score, err
}

func (e *evaluation) over() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.left != nil
}

func (e *evaluation) note(what func()) {
	e.mu.Lock()
	defer e.mu.Unlock()
	what()
}

// left is how a metric ended its goroutine rather than return.
type left struct {
	metric, sample string
	panicked       any // nil for runtime.Goexit, which is what t.FailNow does
	stack          []byte
}

// again ends the goroutine that it is called in likewise.
func (l *left) again() {
	if l.panicked == nil {
		runtime.Goexit()
	}
	panic(l)
}

func (l *left) Error() string {
	return fmt.Sprintf("ragtest: %s panicked on sample %q: %v\n\n%s", l.metric, l.sample, l.panicked, l.stack)
}

// Unwrap returns what the metric panicked with, if that is an error.
func (l *left) Unwrap() error {
	err, _ := l.panicked.(error)
	return err
}

// namesOf returns a name for each sample, all different.
func namesOf(samples []Sample) ([]string, error) {
	if len(samples) == 0 {
		return nil, errors.New("ragtest: there are no samples to evaluate")
	}
	names := make([]string, len(samples))
	at := make(map[string]int, len(samples))
	for i, s := range samples {
		names[i] = s.Name
		if s.Name == "" {
			names[i] = fmt.Sprintf("#%d", i+1)
		}
		if before, ok := at[names[i]]; ok {
			return nil, fmt.Errorf("ragtest: samples %d and %d are both called %q; names must differ, as results are told apart by them", before+1, i+1, names[i])
		}
		at[names[i]] = i
	}
	return names, nil
}

func metricsOf(metrics []Metric) ([]string, error) {
	if len(metrics) == 0 {
		return nil, errors.New("ragtest: there is no metric to evaluate, expected one such as ragtest.Faithfulness")
	}
	names := make([]string, len(metrics))
	seen := map[string]bool{}
	for i, m := range metrics {
		if m == nil {
			return nil, fmt.Errorf("ragtest: metric %d is nil", i+1)
		}
		names[i] = m.Name()
		if seen[names[i]] {
			return nil, fmt.Errorf("ragtest: two metrics are called %q; names must differ, as results are told apart by them", names[i])
		}
		seen[names[i]] = true
	}
	return names, nil
}
