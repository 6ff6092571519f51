package cache

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"
)

// ask makes the call. Its reply is what is kept, its error an [*unkept] if
// there was a response. It returns when the response is whole; the application
// may have begun to read it long before.
func (x *trip) ask(ctx context.Context) (Reply, error) {
	began := time.Now()
	ctx, cancel := context.WithCancelCause(ctx)
	resp, err := x.t.next().RoundTrip(x.outgoing(ctx))
	if err != nil {
		cancel(nil)
		return Reply{}, err
	}
	x.own = resp
	b := newIncoming(x, resp, cancel)
	resp.Body = b
	header := resp.Header.Clone()
	if x.streams(resp) {
		x.handed <- resp
	}
	b.pump()
	data, end, quit := b.result()
	value, why := x.keep(resp.StatusCode, header, data, end, quit)
	if value == nil {
		if why != "" {
			x.t.warn(x.request.Step, why)
		}
		if quit {
			end = context.Canceled // by one caller: others then ask for themselves
		}
		return Reply{}, &unkept{
			trip: x, why: why, end: end, shareable: end != nil,
			status: resp.StatusCode, header: header, data: data,
		}
	}
	x.value = value
	return Reply{Value: value, Served: fmt.Appendf(nil, `{"ms":%d}`, time.Since(began).Milliseconds())}, nil
}

// keep returns the reply as it is kept, or nil and the reason, which is empty
// if the application sees it as well.
func (x *trip) keep(status int, header http.Header, data []byte, end error, quit bool) (value []byte, why string) {
	kind := mediaType(header.Get("Content-Type"))
	switch {
	case end == nil && !quit:
		return nil, fmt.Sprintf("it has more than %d MB", mostKept>>20)
	case success(status), slices.Contains(redirects, status):
	case !mayKeep(status):
		return nil, ""
	case !slices.Contains(x.t.KeepStatus, status):
		return nil, fmt.Sprintf("its status is %d, which Transport.KeepStatus does not name", status)
	}
	if success(status) && isStream(kind) {
		switch e := endingOf(kind, data); {
		case e.failed:
			return nil, "the stream ended in an error"
		case e.closed:
		case quit:
			return nil, "the application closed the stream before its end"
		case end != io.EOF:
			return nil, ""
		case e.opened && !e.finished:
			return nil, "the stream ended without its last event"
		}
	} else if end != io.EOF {
		return nil, ""
	}
	text, legible := plain(header, data)
	if success(status) && isJSON(kind) && legible && len(text) > 0 {
		if why := suspect(text); why != "" {
			return nil, why
		}
	}
	if repeats(text, x.secrets) {
		return nil, "it repeats a secret of the request"
	}
	value, err := newAnswer(x.out, status, header, data, x.secrets).encode()
	if err != nil {
		return nil, err.Error()
	}
	return value, ""
}

var redirects = []int{
	http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther,
	http.StatusTemporaryRedirect, http.StatusPermanentRedirect,
}

// success reports whether status is 2xx. Partial content is left out: it
// answers a header, which is not compared.
func success(status int) bool {
	return status >= 200 && status < 300 && status != http.StatusPartialContent
}

// mayKeep reports whether a test can rely on an error of this status.
func mayKeep(status int) bool {
	switch status {
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusProxyAuthRequired, http.StatusRequestTimeout,
		http.StatusConflict, http.StatusTooEarly, http.StatusTooManyRequests:
		return false
	}
	return status >= 400 && status < 500
}

// suspect says what is wrong with a successful reply in JSON.
func suspect(data []byte) string {
	if !isPlainJSON(data) {
		return "it is not the JSON that it claims to be"
	}
	rpc, failed, grants := false, false, false
	for _, m := range members(data) {
		switch m.name {
		case "jsonrpc":
			rpc = true
		case "error":
			failed = meansError(m.value)
		case "access_token", "id_token", "refresh_token":
			grants = true
		}
	}
	switch {
	case grants:
		return "it grants a token, which is a secret; send logins through another client"
	case failed && !rpc: // there errors are answers
		return "it is an error"
	}
	return ""
}

// meansError reports whether the value of a field "error" says that there was
// one.
func meansError(v []byte) bool {
	switch string(bytes.TrimSpace(v)) {
	case "", "null", "false", `""`, "{}", "[]", "0":
		return false
	}
	return true
}

// unkept is a response that is not kept, as the error that ends a flight
// without a reply.
type unkept struct {
	trip *trip
	why  string
	end  error // io.EOF, or what broke it

	// What others get who waited for the same, if it can be shared.
	shareable bool
	status    int
	header    http.Header
	data      []byte
}

func (e *unkept) Error() string {
	return strings.TrimSuffix(fmt.Sprintf("cache: the reply to %s is not kept: %s", e.trip.request.Step, e.why), ": ")
}

// Unwrap shows the end of a context, which concerns one caller only: the cache
// then lets the others ask for themselves.
func (e *unkept) Unwrap() error { return e.end }

func (e *unkept) response(req *http.Request) *http.Response {
	r := io.Reader(bytes.NewReader(e.data))
	if e.end != io.EOF {
		r = io.MultiReader(r, failing{e.end})
	}
	return newResponse(req, e.status, e.header.Clone(), io.NopCloser(r), -1)
}

type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }
