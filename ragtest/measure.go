package ragtest

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/http"
	"strings"

	"github.com/ragomega/ragomega/cache"
)

// Measure scores s with m. An error is a [*MeasureError], which says why there
// is no score.
func (j *Judge) Measure(ctx context.Context, m Metric, s Sample) (Score, error) {
	if err := j.able(m); err != nil {
		return Score{}, err
	}
	defer underway.measure()()
	var score Score
	exchanges, err := j.traced(ctx, func(ctx context.Context) (err error) {
		if score, err = m.Measure(ctx, j, s); err == nil {
			err = score.check()
		}
		return err
	})
	j.account(ctx, m, s, score, err, exchanges)
	if err != nil {
		return Score{}, j.unmeasured(ctx, m, s, err)
	}
	score.Metric = m.Name()
	if len(exchanges) > 0 {
		score.Judge, score.Exchanges = j.String(), exchanges
		score.Calibration = j.calibrationOf(score.Metric, exchanges)
	}
	return score, nil
}

// traced calls f, counts what it costs, and returns the requests that it made.
func (j *Judge) traced(ctx context.Context, f func(context.Context) error) ([]Exchange, error) {
	ctx, t := withTrace(ctx)
	err := f(ctx)
	suite.mu.Lock()
	suite.cost.add(t)
	suite.mu.Unlock()
	j.plan(ctx, t)
	return t.exchanges, err
}

// unmeasured is the error of a measurement that was not made because of err.
func (j *Judge) unmeasured(ctx context.Context, m Metric, s Sample, err error) error {
	e := &MeasureError{Metric: m.Name(), Sample: s.title(), Err: err}
	e.Test, e.Hint = j.whereAndNext(ctx, err)
	return e
}

// check refuses what is no number: no mean can be taken of it, and no JSON has it.
func (s Score) check() error {
	none := func(v float64) bool { return math.IsNaN(v) || math.IsInf(v, 0) }
	if none(s.Value) {
		return fmt.Errorf("%w: the metric returned %v, which is no score", ErrUndefined, s.Value)
	}
	for i, v := range s.Verdicts {
		if none(v.Value) {
			return fmt.Errorf("%w: the metric returned %v as the value of verdict %d, which is none", ErrUndefined, v.Value, i+1)
		}
	}
	return nil
}

// account hands a measurement to what reports on the run.
func (j *Judge) account(ctx context.Context, m Metric, s Sample, score Score, err error, asked []Exchange) {
	if asksNobody(m) {
		nobody := *NoJudge()
		nobody.test, nobody.trial = j.test, j.trial
		j = &nobody
	}
	if file := resultsFile(); file != "" {
		j.record(ctx, m, s, score, err, asked).keep(file)
	}
	if summaryWanted() {
		board.add(j, m, s, score, err)
	}
}

// Assert is [Judge.Measure] for matchers. Besides, it remembers a failure until
// the same measurement succeeds: one that no assertion reports fails the test
// that j is bound to, or else the run.
func (j *Judge) Assert(ctx context.Context, m Metric, s Sample) (Score, error) {
	score, err := j.Measure(ctx, m, s)
	if j.test != nil {
		j.test.note(func() string { return j.measurement(m, s) }, err)
		if err == nil {
			j.test.report(s.title(), score)
		}
		return score, err
	}
	suite.mu.Lock()
	defer suite.mu.Unlock()
	suite.failed.note(func() string { return j.measurement(m, s) }, err)
	return score, err
}

// measurement names what is measured, by whom, and by which assertion: neither
// another judge's success nor that of another test makes a failure good.
func (j *Judge) measurement(m Metric, s Sample) string {
	b, _ := json.Marshal(s)
	test, at := callingTest()
	return fmt.Sprintf("%s by %s, trial %d, %v %v %v %v %v, in %s %s: %x", m.Name(), j, j.trial, j.pins, j.perClaim, j.most, j.probabilities, j.thresholds, test, at, sha256.Sum256(b))
}

// caller names the test that measures, and the line in it, as far as known.
func (j *Judge) caller(ctx context.Context) (name, at string) {
	name, at = callerOf(ctx)
	if j.test != nil {
		name = j.test.t.Name()
	}
	return name, at
}

// plan notes what a measurement would ask, for the test that measures.
func (j *Judge) plan(ctx context.Context, t *trace) {
	if len(t.planned) == 0 {
		return
	}
	test := place(j.caller(ctx))
	suite.mu.Lock()
	defer suite.mu.Unlock()
	for _, p := range t.planned {
		suite.plan.add(test, p)
	}
}

// whereAndNext names the test that measures, and says how to go on after a miss
// or without a key.
func (j *Judge) whereAndNext(ctx context.Context, err error) (where, next string) {
	name, at := j.caller(ctx)
	where = name
	if at != "" {
		where = fmt.Sprintf("%s (%s)", name, at)
		if name == "" {
			where = at
		}
	}
	var refused *cache.MissError
	var call *CallError
	switch {
	case errors.As(err, &refused):
		next = "Nothing was asked, as the mode is replay. To record it: " + recordCommand(name)
	case errors.Is(err, cache.ErrPlan):
		next = "Nothing was asked, as the mode is plan. To ask and record: " + recordCommand(name)
	case errors.As(err, &call) && call.Status == http.StatusBadRequest && strings.Contains(call.Body, "max_completion_tokens"):
		next = "A model that thinks before it answers needs Judge.Reasoning"
	case errors.Is(err, ErrNoKey):
		next = "Nothing was asked. To record with a key of your own: OPENAI_API_KEY=… " + recordCommand(name)
	}
	return where, next
}
