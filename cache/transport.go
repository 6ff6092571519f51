package cache

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"sync"
)

// Transport is an [http.RoundTripper] that records and replays the calls of
// the application under test: its chat completions, embeddings and streams, or
// any other API that a test should not need. Give it to the HTTP client that
// the application asks its models with:
//
//	config.HTTPClient = &http.Client{Transport: &cache.Transport{Cache: c}}
//
// Calls are compared by method, path, query and body. JSON may be spelled in
// any way: the order of keys and the space between them do not count, numbers
// count as they are written. Of the headers only the media type of the body is
// compared; what else matters is for [Transport.Normalize] to say. Equal calls
// have one reply. Where the second is meant to have another, as when a job is
// polled, Normalize numbers them in [Call.Also].
//
// A reply is kept if it is whole and has a status of 2xx other than 206, or of
// a redirect. Errors are not kept, unless [Transport.KeepStatus] names their
// status; nor are replies that say within a 200 that they failed. Whatever is
// not kept reaches the application as it came, broken or not. Where that could
// surprise, [Cache.Warnings] tells.
//
// A stream (server-sent events or lines of JSON) reaches the application while
// it comes. It is kept if it ended as its protocol demands, and is on disk when
// Read returns [io.EOF] or when Close returns. When an application closes it
// before, Close waits two seconds for the rest; without that it is not kept. A
// replayed stream gives one event for each Read.
//
// No secret is written: neither credentials in headers, the query or the URL,
// nor a reply that repeats one or that grants a token. They are not compared
// either, so that a laptop with a key and a build server without agree.
//
// A request that is missing in replay fails with a [*MissError], and in a plan
// with a [*PlanError]; [http.Client] wraps both. With a cache that is [Off], a Transport only passes on.
type Transport struct {
	// Cache keeps the replies, in the recording named "transport".
	Cache *Cache
	// Next makes the calls; nil means [http.DefaultTransport]. In replay and in a
	// plan it is never called.
	Next http.RoundTripper
	// Identity names who answers. Empty means the host that is asked, without
	// its port if that is this machine, so that a laptop and a build server
	// agree. Two local servers that could be asked the same and would answer
	// differently need two Transports with names.
	Identity string
	// Normalize may change the call before it is compared and recorded, to
	// take out what differs from run to run: dates, request IDs, paths. What is
	// sent stays as it was. It is called by many goroutines.
	Normalize func(*Call)
	// KeepStatus lists statuses of errors that the tests assert, such as 400 or
	// 422, and that are therefore kept. It has no effect on those that pass or
	// depend on who asks: 401, 403, 407, 408, 409, 425, 429 and all from 500.
	KeepStatus []int

	mu     sync.Mutex
	hidden map[Key]string // what a query parameter that was left out held
	warned map[string]bool
}

// trip is one call on its way.
type trip struct {
	t       *Transport
	out     *http.Request // as it is sent, without its body and context
	body    []byte
	request Request
	secrets []string

	handed  chan *http.Response // gets a stream as it begins
	settled chan struct{}       // closed when the cache is done with the call
	reply   Reply               // these two are set when settled is closed
	err     error

	own   *http.Response // what was asked for by this trip and no other
	value []byte         // own, as it is kept
}

// RoundTrip answers req from the cache, or asks; see [Transport].
func (t *Transport) RoundTrip(req *http.Request) (*http.Response, error) {
	body, err := readBody(req)
	if err != nil {
		return nil, err
	}
	if t.Cache == nil {
		return nil, errors.New("cache: Transport.Cache is not set")
	}
	x := &trip{
		t: t, out: req.Clone(req.Context()), body: body,
		handed: make(chan *http.Response, 1), settled: make(chan struct{}),
	}
	switch mode := t.Cache.Mode(); {
	case mode == Off, mode.asks() && req.Header.Get("Upgrade") != "": // a conversation is no reply
		return x.pass(req)
	}
	if err := x.describe(); err != nil {
		return nil, err
	}
	go func() {
		x.reply, x.err = t.Cache.Do(req.Context(), x.request, x.ask)
		close(x.settled)
	}()
	select {
	case resp := <-x.handed:
		resp.Request = req
		return resp, nil
	case <-x.settled:
	}
	select {
	case resp := <-x.handed: // a stream that was over at once
		resp.Request = req
		return resp, nil
	default:
		return x.answer(req)
	}
}

// pass makes the call as if there were no cache.
func (x *trip) pass(req *http.Request) (*http.Response, error) {
	resp, err := x.t.next().RoundTrip(x.outgoing(req.Context()))
	if err != nil {
		return nil, err
	}
	resp.Request = req
	_, err = x.t.Cache.count(x.request, Reply{Source: Asked}, nil)
	return resp, err
}

// answer is the response when the cache is done.
func (x *trip) answer(req *http.Request) (*http.Response, error) {
	var u *unkept
	switch {
	case errors.As(x.err, &u) && u.trip == x:
		x.own.Request = req
		return x.own, nil
	case errors.As(x.err, &u) && u.shareable:
		return u.response(req), nil
	case errors.As(x.err, &u):
		return x.pass(req)
	case x.err != nil:
		return nil, x.err
	case x.own != nil && bytes.Equal(x.reply.Value, x.value):
		// With all its headers, which a replay does not have.
		x.own.Request = req
		return x.own, nil
	}
	a, err := decodeAnswer(x.reply.Value)
	if err != nil {
		return nil, err
	}
	return a.response(req)
}

// kept waits until the reply is kept, or is not to be. Its error is one of
// keeping: what is wrong with the reply itself, its reader knows already.
func (x *trip) kept() error {
	<-x.settled
	var u *unkept
	if errors.As(x.err, &u) || gaveUp(x.err) {
		return nil
	}
	return x.err
}

// streams reports whether a stream may be handed on before it is known to be
// the reply. When verifying it is not: there the recorded one stands.
func (x *trip) streams(resp *http.Response) bool {
	return x.t.Cache.Mode() != Verify && success(resp.StatusCode) && isStream(resp.Header.Get("Content-Type"))
}

func (t *Transport) next() http.RoundTripper {
	if t.Next == nil {
		return http.DefaultTransport
	}
	return t.Next
}

// CloseIdleConnections does so in Next, for [http.Client.CloseIdleConnections].
func (t *Transport) CloseIdleConnections() {
	if next, ok := t.next().(interface{ CloseIdleConnections() }); ok {
		next.CloseIdleConnections()
	}
}

// warn says once in a run what was not kept, and why.
func (t *Transport) warn(step, why string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.warned == nil {
		t.warned = map[string]bool{}
	}
	if t.warned[step+why] {
		return
	}
	t.warned[step+why] = true
	t.Cache.warn("a reply to %s was not recorded: %s", step, why)
}

// outgoing is the request as it is sent, once more for each call.
func (x *trip) outgoing(ctx context.Context) *http.Request {
	out := x.out.WithContext(ctx)
	if out.Body == nil || out.Body == http.NoBody {
		return out
	}
	out.GetBody = func() (io.ReadCloser, error) { return newBody(x.body), nil }
	out.Body = newBody(x.body)
	if len(out.Trailer) == 0 {
		out.ContentLength = int64(len(x.body))
	}
	return out
}
