package ragtest

import (
	"context"
	"errors"
	"fmt"

	"golang.org/x/sync/errgroup"
)

// Evaluate measures every sample by every metric, with the judge of [Use]; see
// [Judge.Evaluate].
func Evaluate(ctx context.Context, samples []Sample, metrics ...Metric) (*Report, error) {
	j, err := Standing()
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
func (j *Judge) Evaluate(ctx context.Context, samples []Sample, metrics ...Metric) (*Report, error) {
	if j == nil || j.dial == nil {
		return nil, ErrNoJudge
	}
	names, err := namesOf(samples)
	if err != nil {
		return nil, err
	}
	r := &Report{Judge: j.String(), Results: make([]Result, len(samples)*len(metrics))}
	if r.Metrics, err = metricsOf(metrics); err != nil {
		return nil, err
	}
	var g errgroup.Group
	g.SetLimit(inEvaluation)
	for i, s := range samples {
		s.Name = names[i]
		results := r.Results[i*len(metrics) : (i+1)*len(metrics)]
		g.Go(func() error {
			for k, m := range metrics {
				results[k] = Result{Sample: s.Name, Tags: s.Tags, Metric: r.Metrics[k]}
				results[k].Score, results[k].Err = j.evaluate(ctx, m, s)
			}
			return nil
		})
	}
	_ = g.Wait()
	if ctx.Err() != nil {
		return r, fmt.Errorf("ragtest: the evaluation was ended early: %w", context.Cause(ctx))
	}
	return r, nil
}

// evaluate is Measure, but for what is not begun any more.
func (j *Judge) evaluate(ctx context.Context, m Metric, s Sample) (Score, error) {
	if ctx.Err() != nil {
		return Score{}, &MeasureError{Metric: m.Name(), Sample: s.title(), Err: context.Cause(ctx)}
	}
	return j.Measure(ctx, m, s)
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
