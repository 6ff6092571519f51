package ragtest

import (
	"bytes"
	"context"
	"io"
	"net/http"

	openai "github.com/sashabaranov/go-openai"
)

// transit is one HTTP exchange as it really was. go-openai leaves out what it
// takes for a default, so that a temperature of 0 never arrives, and of an
// answer it shows only the part that it knows. A transit in the context of a
// call puts the exact bytes of the request on the wire, which are the bytes
// that the cache's key was made from, and keeps the answer.
type transit struct {
	request []byte

	status int
	header http.Header
	body   []byte
	broken bool // no answer came, or not all of it
}

type transitKey struct{}

func withTransit(ctx context.Context, t *transit) context.Context {
	return context.WithValue(ctx, transitKey{}, t)
}

// wire is the HTTP client under go-openai's.
type wire struct{ next openai.HTTPDoer }

// maxBody bounds what is read of an answer. 5 MB are a lot, 64 are a fault.
const maxBody = 64 << 20

func (w wire) Do(req *http.Request) (*http.Response, error) {
	t, ok := req.Context().Value(transitKey{}).(*transit)
	if !ok {
		return w.next.Do(req)
	}
	req.Body = io.NopCloser(bytes.NewReader(t.request))
	req.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(t.request)), nil }
	req.ContentLength = int64(len(t.request))
	t.broken = true
	resp, err := w.next.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	t.status, t.header = resp.StatusCode, resp.Header
	if t.body, err = io.ReadAll(io.LimitReader(resp.Body, maxBody)); err != nil {
		return nil, err
	}
	t.broken = false
	resp.Body = io.NopCloser(bytes.NewReader(t.body))
	return resp, nil
}
