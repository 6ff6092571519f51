package ragtest

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/cenkalti/backoff/v5"
)

// transient is a failure that may pass. after is set if the server said when.
type transient struct {
	err   *CallError
	after *backoff.RetryAfterError
}

func (t *transient) Error() string { return t.err.Error() }

func (t *transient) Unwrap() []error {
	if t.after == nil {
		return []error{t.err}
	}
	return []error{t.err, t.after}
}

// patience bounds the tries of one call with the pauses between them: a test run
// has ten minutes unless told otherwise, and should end with what the server
// said rather than with a dump of goroutines. A pause that would end later is
// not begun.
const patience = 5 * time.Minute

// retry does what do does, again while it fails for reasons that may pass. It
// ends with ctx, whatever it waits for.
func retry[T any](ctx context.Context, e endpoint, do func() (T, error)) (T, error) {
	pauses := backoff.NewExponentialBackOff()
	pauses.InitialInterval = time.Second / 2
	pauses.Multiplier = 2
	pauses.MaxInterval = 30 * time.Second
	tries := 0
	var last *CallError
	v, err := backoff.Retry(ctx, func() (T, error) {
		tries++
		v, err := do()
		var t *transient
		if err != nil && (!errors.As(err, &t) || ctx.Err() != nil) {
			return v, backoff.Permanent(err)
		}
		if t != nil {
			last = t.err
		}
		return v, err
	}, backoff.WithBackOff(pauses), backoff.WithMaxTries(uint(e.tries)), backoff.WithMaxElapsedTime(patience))
	if err == nil {
		return v, nil
	}
	var permanent *backoff.PermanentError
	if errors.As(err, &permanent) {
		err = permanent.Err
	}
	if errors.Is(err, ErrBudget) && last != nil {
		// As text: a failure that may pass must not make this one such.
		return v, fmt.Errorf("%w. The try before failed: %v", err, last)
	}
	var t *transient
	var after *backoff.RetryAfterError
	if errors.As(err, &t) {
		err, after = t.err, t.after
	}
	if ctx.Err() != nil {
		return v, &CallError{Model: e.model, Identity: e.identity, Tries: tries, Err: errors.Join(endOf(ctx), asError(last))}
	}
	var c *CallError
	if errors.As(err, &c) {
		c.Tries = tries
	}
	if c != nil && after != nil && after.Duration > patience {
		return v, fmt.Errorf("%w. The server asks to wait %v, longer than the %v that a call may take", c, after.Duration, patience)
	}
	return v, err
}

func asError(c *CallError) error {
	if c == nil {
		return nil
	}
	return c
}

// endOf says that ctx ended, and why, if somebody said.
func endOf(ctx context.Context) error {
	err, cause := ctx.Err(), context.Cause(ctx)
	if errors.Is(cause, err) {
		return cause
	}
	return fmt.Errorf("%w: %w", err, cause)
}

// retryAfter reads when the server wants to be asked again: in milliseconds,
// seconds, or as a date. nil if it does not say.
func retryAfter(h http.Header) *backoff.RetryAfterError {
	if ms, err := strconv.ParseFloat(h.Get("Retry-After-Ms"), 64); err == nil && ms >= 0 {
		return &backoff.RetryAfterError{Duration: seconds(ms / 1000)}
	}
	after := h.Get("Retry-After")
	if s, err := strconv.ParseFloat(after, 64); err == nil && s >= 0 {
		return &backoff.RetryAfterError{Duration: seconds(s)}
	}
	if at, err := http.ParseTime(after); err == nil {
		return &backoff.RetryAfterError{Duration: seconds(max(time.Until(at).Seconds(), 0))}
	}
	return nil
}

// seconds returns a pause of at most a day: a Duration has an end, and the
// contexts of tests end sooner.
func seconds(s float64) time.Duration {
	return time.Duration(min(s, 24*60*60) * float64(time.Second))
}
