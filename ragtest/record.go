package ragtest

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/ragomega/ragomega/cache"
)

// Record is one measurement as the file of RAGTEST_RESULTS has it, one JSON
// object a line. A measurement that was tried again has a line for each try.
type Record struct {
	Run     string `json:"run,omitempty"`  // which processes wrote together, see [cache.RunFile]
	Package string `json:"package"`        // the folder of the test package, from the root of its module: "./rag"
	Test    string `json:"test,omitempty"` // in full if the judge was bound by For, else its function, if known
	At      string `json:"at,omitempty"`   // the line of the test that called, if known

	Sample        string   `json:"sample"` // its name, or the beginning of its question
	Tags          []string `json:"tags,omitempty"`
	Inputs        string   `json:"inputs,omitempty"` // digest of what the sample was asked and its reference
	Metric        string   `json:"metric"`
	LowerIsBetter bool     `json:"lower_is_better,omitempty"`

	Score    *float64       `json:"score,omitempty"` // nil if there is none
	Error    *RecordedError `json:"error,omitempty"` // why not
	Verdicts []Verdict      `json:"verdicts,omitempty"`
	Weighed  bool           `json:"weighed,omitempty"` // see [Score]

	Model     string     `json:"model"`
	Identity  string     `json:"identity"`
	Trial     int        `json:"trial,omitempty"`
	Cached    bool       `json:"cached"` // a score for which nothing was asked
	Exchanges []Exchange `json:"exchanges,omitempty"`
}

// Result returns r as a [Report] has it.
func (r Record) Result() Result {
	x := Result{Sample: r.Sample, Tags: r.Tags, Inputs: r.Inputs, Metric: r.Metric}
	switch {
	case r.Error != nil:
		x.Err = r.Error
		return x
	case r.Score == nil:
		x.Err = errNothing
		return x
	}
	x.Score = Score{Metric: r.Metric, Value: *r.Score, Verdicts: r.Verdicts, Weighed: r.Weighed, Exchanges: r.Exchanges}
	if len(r.Exchanges) > 0 {
		x.Score.Judge = r.Model + " at " + r.Identity
	}
	return x
}

var errNothing = errors.New("it has neither a score nor an error")

// UnmarshalJSON reads a line. It has a score or the reason why there is none,
// or it is no record.
func (r *Record) UnmarshalJSON(b []byte) error {
	type fields Record
	if err := json.Unmarshal(b, (*fields)(r)); err != nil {
		return err
	}
	switch {
	case r.Sample == "":
		return errors.New("it has no sample")
	case r.Metric == "":
		return errors.New("it has no metric")
	case r.Score == nil && r.Error == nil:
		return errNothing
	case r.Score != nil && r.Error != nil:
		return errors.New("it has a score and an error")
	}
	return nil
}

// RecordedError is why there was no score. [errors.Is] finds in it what it found
// in the error that was recorded: [ErrRefused] and the like, cache.ErrMiss.
type RecordedError struct {
	Kind string `json:"kind"` // "refused", "malformed", "not_recorded" …
	Text string `json:"text"`
}

func (e *RecordedError) Error() string { return e.Text }

// Is compares kinds.
func (e *RecordedError) Is(target error) bool {
	for _, k := range kinds {
		if k.err == target {
			return k.kind == e.Kind
		}
	}
	return false
}

// kinds are the words for errors, of which an error has the first that fits.
var kinds = []struct {
	kind string
	err  error
}{
	{"missing_input", ErrMissingInput},
	{"undefined", ErrUndefined},
	{"malformed", ErrMalformed},
	{"miscounted", ErrMiscounted},
	{"truncated", ErrTruncated},
	{"refused", ErrRefused},
	{"filtered", ErrFiltered},
	{"bad_vector", ErrBadVector},
	{"budget", ErrBudget},
	{"not_recorded", cache.ErrMiss},
	{"planned", cache.ErrPlan},
	{"no_key", ErrNoKey},
	{"no_prompt", ErrNoPrompt},
	{"no_judge", ErrNoJudge},
	{"deadline", context.DeadlineExceeded},
	{"canceled", context.Canceled},
}

// recordError returns err as it is recorded. A call that failed is "call", and
// what has no word is "other".
func recordError(err error) *RecordedError {
	e := &RecordedError{Kind: "other", Text: err.Error()}
	var call *CallError
	for _, k := range kinds {
		if errors.Is(err, k.err) {
			e.Kind = k.kind
			return e
		}
	}
	if errors.As(err, &call) {
		e.Kind = "call"
	}
	return e
}

// record returns the record of a measurement, but for the run. err is why it
// was not made.
func (j *Judge) record(ctx context.Context, m Metric, s Sample, score Score, err error, asked []Exchange) Record {
	r := Record{
		Package: packagePath(),
		Sample:  s.title(), Tags: s.Tags, Inputs: inputsOf(s),
		Metric: m.Name(), LowerIsBetter: lowerIsBetter(m),
		Model: j.model, Identity: j.identity, Trial: j.trial,
		Cached: err == nil && len(asked) > 0, Exchanges: asked,
	}
	r.Test, r.At = j.caller(ctx)
	for _, x := range asked {
		r.Cached = r.Cached && x.Source != cache.Asked
	}
	if err != nil {
		r.Error = recordError(err)
		return r
	}
	r.Score, r.Verdicts, r.Weighed = &score.Value, score.Verdicts, score.Weighed
	return r
}
