package ragtest

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"

	openai "github.com/sashabaranov/go-openai"
)

// outcome returns the typed error of a call, or nil if it was answered: err is
// what the client said, which takes an error in an answer with status 200 for
// none. ctx is the call's.
func (e endpoint) outcome(ctx context.Context, t *transit, err error) error {
	api := errorInBody(t.body)
	if err == nil && api == nil {
		return nil
	}
	return e.failed(ctx, t, api, err)
}

// failed makes a typed error of a call's error: a [*CallError], wrapped as
// transient where it is worth another try, or a [*ReplyError] for a content
// filter that speaks through an error. api is the error in the answer's body, if
// there is one.
func (e endpoint) failed(ctx context.Context, t *transit, api *openai.APIError, err error) error {
	if err == nil {
		err = api
	}
	c := &CallError{Model: e.model, Identity: e.identity, Status: t.status, Tries: 1, Err: err}
	// The server's own words come first: go-openai reads errors of one form, and
	// takes a code that is null for 0.
	var request *openai.RequestError
	switch {
	case api != nil:
	case errors.As(err, &request):
		c.Status, c.Body, c.Err = request.HTTPStatusCode, string(request.Body), nil
		api = errorInBody(request.Body)
	default:
		errors.As(err, &api)
	}
	switch {
	case api != nil:
		c.Status = cmp.Or(c.Status, api.HTTPStatusCode)
		c.Body = cmp.Or(api.Message, c.Body)
		c.Code = cmp.Or(codeOf(api), api.Type)
		c.temporary = passes(deciding(c.Status, c.Code), c.Code, api.Type)
	case request != nil:
		c.temporary = passes(c.Status, "", "")
	case t.broken, t.status == 0:
		c.Status = 0
		c.Err, c.temporary = unlinked(ctx, e, err), t.broken || isConnection(err)
	default: // a 2xx that cannot be decoded
		c.Body = fmt.Sprintf("the answer cannot be read (%v): %s", err, t.body)
		c.temporary = !looksWhole(t.body)
	}
	c.Body = cut(c.Body, 500)
	if c.Code == "content_filter" {
		return &ReplyError{Kind: ErrFiltered, Got: cmp.Or(c.Body, "the provider held the request back"), Next: "It is not asked again"}
	}
	if !c.temporary {
		return c
	}
	return &transient{err: c, after: retryAfter(t.header)}
}

// deciding returns the status that decides whether a failure may pass. Gateways
// send errors with status 200 and the real one as the code.
func deciding(status int, code string) int {
	if status >= 300 {
		return status
	}
	if n, err := strconv.Atoi(code); err == nil && n >= 400 && n < 600 {
		return n
	}
	return http.StatusBadRequest
}

// passes reports whether a failure of a server may pass.
func passes(status int, words ...string) bool {
	for _, w := range words {
		switch w {
		case "insufficient_quota", "billing_not_active":
			return false
		case "rate_limit_exceeded", "server_error", "overloaded_error":
			return true
		}
	}
	switch status {
	case http.StatusRequestTimeout, http.StatusConflict, http.StatusTooManyRequests:
		return true
	}
	return status >= 500
}

// isConnection reports whether a client that is no HTTP client of ours says
// that its connection failed. Any other error of it is its last word.
func isConnection(err error) bool {
	var n net.Error
	return errors.As(err, &n) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
}

// looksWhole reports whether a body was sent to its end: it is a JSON object,
// only not the right one. Anything else was cut or garbled on the way.
func looksWhole(body []byte) bool {
	body = bytes.TrimSpace(body)
	return bytes.HasPrefix(body, []byte("{")) && bytes.HasSuffix(body, []byte("}"))
}

// lapse is a timeout of one call. Its text is all that is left of the error
// that it was: errors.Is must not take it for the end of the caller's context.
type lapse string

func (l lapse) Error() string { return string(l) }
func (l lapse) Timeout() bool { return true }

// Temporary makes lapse a [net.Error].
func (l lapse) Temporary() bool { return true }

// unlinked returns err, or a lapse for one that says that a context ended while
// the caller's goes on: then it was the timeout of the call, or of a connection.
func unlinked(ctx context.Context, e endpoint, err error) error {
	switch {
	case errors.Is(context.Cause(ctx), errTimeout):
		return lapse(fmt.Sprintf("%v of %v", errTimeout, e.timeout))
	case ctx.Err() == nil && (errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled)):
		return lapse(err.Error())
	}
	return err
}

// errorInBody finds an error in the body of an answer: with status 200, as
// gateways send it, too.
func errorInBody(body []byte) *openai.APIError {
	var b struct {
		Error   json.RawMessage   `json:"error"`
		Choices []json.RawMessage `json:"choices"`
		Data    []json.RawMessage `json:"data"`
	}
	if json.Unmarshal(body, &b) != nil || len(b.Choices)+len(b.Data) > 0 {
		return nil
	}
	switch string(b.Error) {
	case "", "null", "{}", `""`:
		return nil
	}
	// Each field by itself: servers leave some out, and give others types of
	// their own.
	var fields struct{ Message, Type, Code json.RawMessage }
	if json.Unmarshal(b.Error, &fields) != nil {
		return &openai.APIError{Message: asText(b.Error)}
	}
	return &openai.APIError{
		Message: cmp.Or(asText(fields.Message), string(b.Error)),
		Type:    asText(fields.Type), Code: asText(fields.Code),
	}
}

// asText returns the string that raw is, or raw as it is; "" for null.
func asText(raw json.RawMessage) string {
	var s string
	if string(raw) == "null" {
		return ""
	}
	if json.Unmarshal(raw, &s) != nil {
		return string(raw)
	}
	return s
}

func codeOf(api *openai.APIError) string {
	switch code := api.Code.(type) {
	case nil:
		return ""
	case string:
		return code
	default:
		return fmt.Sprint(code)
	}
}

func cut(s string, most int) string {
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "…"
}
