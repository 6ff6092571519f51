package ragtest

import (
	"errors"
	"fmt"
	"strings"
)

// What can keep a measurement from being made. Test with [errors.Is]; a request
// that is not recorded is [cache.ErrMiss], and one that a plan does not make
// [cache.ErrPlan].
var (
	// ErrNoJudge: nobody was asked to judge.
	ErrNoJudge = errors.New("no judge: call ragtest.Use(ragtest.OpenAI(\"…\")) in TestMain or BeforeSuite, or give the matcher one with Using")
	// ErrNoKey: a live call is needed and no API key is set.
	ErrNoKey = errors.New("no API key")
	// ErrBudget: the run has spent what it may. See [BudgetError].
	ErrBudget = errors.New("budget")
	// ErrMissingInput: the sample lacks what the metric needs. Nothing was asked.
	ErrMissingInput = errors.New("missing input")
	// ErrUndefined: there is nothing to judge, so there is no score.
	ErrUndefined = errors.New("undefined")
	// ErrMalformed: the judge's reply is not what was asked for.
	ErrMalformed = errors.New("malformed reply")
	// ErrMiscounted: the judge gave more or fewer verdicts than were asked for.
	ErrMiscounted = errors.New("miscounted verdicts")
	// ErrTruncated: the judge's reply was cut off at the token limit.
	ErrTruncated = errors.New("truncated reply")
	// ErrRefused: the judge declined to answer.
	ErrRefused = errors.New("refused")
	// ErrFiltered: the provider's content filter held the request or reply back.
	ErrFiltered = errors.New("content filter")
	// ErrBadVector: an embedding is no vector to compute with.
	ErrBadVector = errors.New("bad vector")
)

// MeasureError reports a measurement that was not made. The score is not 0: it
// does not exist.
type MeasureError struct {
	Metric string
	Sample string // its name, or the beginning of its question
	Test   string // the test, as far as known
	Hint   string // what to do next, if it depends on the test; may be empty
	Err    error
}

func (e *MeasureError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "not measured: %s of sample %q", e.Metric, e.Sample)
	if e.Test != "" {
		fmt.Fprintf(&b, " in %s", e.Test)
	}
	fmt.Fprintf(&b, ": %v", e.Err)
	if e.Hint != "" {
		fmt.Fprintf(&b, "\n  %s", e.Hint)
	}
	return b.String()
}

func (e *MeasureError) Unwrap() error { return e.Err }

// InputError is an [ErrMissingInput]: it names the field of the sample.
type InputError struct {
	Field string // as in [Sample]
	Want  string // what the metric needs there
}

func (e *InputError) Error() string {
	return fmt.Sprintf("%v: Sample.%s: %s. Nothing was asked", ErrMissingInput, e.Field, e.Want)
}

// Is makes errors.Is(err, ErrMissingInput) true.
func (e *InputError) Is(target error) bool { return target == ErrMissingInput }

// ReplyError reports a reply of a model that no score can rest on.
type ReplyError struct {
	Kind error  // ErrMalformed, ErrMiscounted, ErrTruncated, ErrRefused or ErrFiltered
	Step string // the prompt and its version
	Want string // what was asked for
	Got  string // what came
	Next string // what to do about it; may be empty
	Raw  string // the beginning of the reply; may be empty
}

func (e *ReplyError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%v", e.Kind)
	if e.Step != "" {
		fmt.Fprintf(&b, " in step %s", e.Step)
	}
	if e.Want != "" {
		fmt.Fprintf(&b, ": expected %s, got %s", e.Want, e.Got)
	} else if e.Got != "" {
		fmt.Fprintf(&b, ": %s", e.Got)
	}
	if e.Next != "" {
		fmt.Fprintf(&b, ". %s", e.Next)
	}
	if e.Raw != "" {
		fmt.Fprintf(&b, "\n  reply: %s", shorten(e.Raw, 300))
	}
	return b.String()
}

// Is makes errors.Is(err, e.Kind) true.
func (e *ReplyError) Is(target error) bool { return target == e.Kind }

// CallError reports a call that failed at the server or on the way.
type CallError struct {
	Model    string
	Identity string
	Status   int    // HTTP status; 0 if there was no answer
	Code     string // the server's own word, such as "insufficient_quota"; may be empty
	Body     string // the beginning of what the server said
	Tries    int
	Err      error // nil if Status says it all

	temporary bool
}

// Temporary reports whether the failure is of a kind that may pass: the server
// was busy or broken, or the connection was.
func (e *CallError) Temporary() bool { return e.temporary }

func (e *CallError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "call to %s at %s failed", e.Model, e.Identity)
	if e.Tries > 1 {
		fmt.Fprintf(&b, " %d times", e.Tries)
	}
	if e.Status != 0 {
		fmt.Fprintf(&b, ": status %d", e.Status)
	}
	if e.Code != "" {
		fmt.Fprintf(&b, " (%s)", e.Code)
	}
	if e.Body != "" {
		fmt.Fprintf(&b, ": %s", e.Body)
	} else if e.Err != nil {
		fmt.Fprintf(&b, ": %v", e.Err)
	}
	return b.String()
}

func (e *CallError) Unwrap() error { return e.Err }
