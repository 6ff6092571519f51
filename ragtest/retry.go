package ragtest

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/cenkalti/backoff/v5"
	openai "github.com/sashabaranov/go-openai"
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
	}, backoff.WithBackOff(pauses), backoff.WithMaxTries(uint(e.tries)), backoff.WithMaxElapsedTime(0))
	if err == nil {
		return v, nil
	}
	var permanent *backoff.PermanentError
	if errors.As(err, &permanent) {
		err = permanent.Err
	}
	var t *transient
	if errors.As(err, &t) {
		err = t.err
	}
	if cause := context.Cause(ctx); cause != nil {
		return v, &CallError{Model: e.model, Identity: e.identity, Tries: tries, Err: errors.Join(cause, asError(last))}
	}
	var c *CallError
	if errors.As(err, &c) {
		c.Tries = tries
	}
	return v, err
}

func asError(c *CallError) error {
	if c == nil {
		return nil
	}
	return c
}

// failed makes a typed error of a call's error: a [*CallError], wrapped as
// transient where it is worth another try, or a [*ReplyError] for a content
// filter that speaks through an error.
func (e endpoint) failed(t *transit, err error) error {
	c := &CallError{Model: e.model, Identity: e.identity, Status: t.status, Tries: 1, Err: err}
	counts := t.status // the status that decides
	var api *openai.APIError
	var request *openai.RequestError
	switch {
	case errors.As(err, &api):
		c.Body = api.Message
		switch code := api.Code.(type) {
		case string:
			c.Code = code
		case int:
			counts, c.Code = code, strconv.Itoa(code)
		}
		c.Code = cmp.Or(c.Code, api.Type)
	case errors.As(err, &request):
		c.Status, c.Body, c.Err = request.HTTPStatusCode, string(request.Body), nil
		counts = c.Status
	case len(t.body) > 0:
		c.Body = "no JSON that can be read: " + string(t.body)
	}
	c.Body = cut(c.Body, 500)
	if c.Code == "content_filter" {
		return &ReplyError{Kind: ErrFiltered, Got: c.Body, Next: "The provider held it back; it is not asked again"}
	}
	if api != nil && t.status < 300 && counts < 300 {
		counts = http.StatusBadRequest // an error with status 200 and no number of its own
	}
	if !passes(counts, c.Code) {
		return c
	}
	c.temporary = true
	return &transient{err: c, after: retryAfter(t.header)}
}

// passes reports whether a failure may pass. Without a status the connection
// broke; with a 2xx the body was cut or garbled on the way.
func passes(status int, code string) bool {
	switch code {
	case "insufficient_quota":
		return false
	case "rate_limit_exceeded", "server_error", "overloaded_error":
		return true
	}
	switch status {
	case http.StatusRequestTimeout, http.StatusConflict, http.StatusTooManyRequests:
		return true
	}
	return status < 300 || status >= 500
}

// errorInBody finds an error that came with status 200, as gateways send it.
func errorInBody(body []byte) *openai.APIError {
	var b struct {
		Error   json.RawMessage   `json:"error"`
		Choices []json.RawMessage `json:"choices"`
		Data    []json.RawMessage `json:"data"`
	}
	if json.Unmarshal(body, &b) != nil || len(b.Error) == 0 || string(b.Error) == "null" || len(b.Choices)+len(b.Data) > 0 {
		return nil
	}
	api := &openai.APIError{Message: string(b.Error)}
	_ = json.Unmarshal(b.Error, api) // what it cannot read it leaves in Message
	return api
}

// retryAfter reads when the server wants to be asked again: in milliseconds,
// seconds, or as a date. nil if it does not say.
func retryAfter(h http.Header) *backoff.RetryAfterError {
	if ms, err := strconv.ParseFloat(h.Get("Retry-After-Ms"), 64); err == nil && ms >= 0 {
		return &backoff.RetryAfterError{Duration: time.Duration(ms * float64(time.Millisecond))}
	}
	after := h.Get("Retry-After")
	if s, err := strconv.ParseFloat(after, 64); err == nil && s >= 0 {
		return &backoff.RetryAfterError{Duration: time.Duration(s * float64(time.Second))}
	}
	if at, err := http.ParseTime(after); err == nil {
		return &backoff.RetryAfterError{Duration: max(time.Until(at), 0)}
	}
	return nil
}

func cut(s string, most int) string {
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "…"
}
