package cache

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"sync"
	"time"
)

func newBody(b []byte) io.ReadCloser {
	if len(b) == 0 {
		return http.NoBody
	}
	return io.NopCloser(bytes.NewReader(b))
}

// readBody reads and closes req's body. When req's context ends, so does the
// reading, which may wait for the application's own pipe.
func readBody(req *http.Request) ([]byte, error) {
	if req.Body == nil {
		return nil, nil
	}
	ctx, shut := req.Context(), sync.OnceFunc(func() { req.Body.Close() })
	stop := context.AfterFunc(ctx, shut)
	b, err := io.ReadAll(req.Body)
	stop()
	shut()
	if err != nil && ctx.Err() != nil {
		return nil, endOf(ctx)
	}
	return b, err
}

const (
	// mostKept bounds what is held in memory. What is larger is passed on.
	mostKept = 64 << 20
	// patience is how long Close waits for a stream to end, whose reader has
	// seen all it wanted: the last words of a protocol come at once, or not
	// soon.
	patience = 2 * time.Second
)

var errClosedEarly = errors.New("closed before its end")

// incoming is the body of a reply that comes. It is read ahead of its reader:
// the cache holds a lock until it is whole, and the reader may make another
// call in between.
type incoming struct {
	trip   *trip
	from   io.ReadCloser
	cancel context.CancelCauseFunc
	kind   string // the media type

	mu      sync.Mutex
	more    sync.Cond
	data    []byte
	at      int           // of the reader, in data
	end     error         // io.EOF, or what broke the reply; nil while it comes
	over    chan struct{} // closed when end is set
	large   bool          // the rest is for the reader to read
	closed  bool
	quit    bool // closed, and not waited for any longer
	shutter sync.Once
}

func newIncoming(x *trip, resp *http.Response, cancel context.CancelCauseFunc) *incoming {
	b := &incoming{
		trip: x, from: resp.Body, cancel: cancel, over: make(chan struct{}),
		kind: mediaType(resp.Header.Get("Content-Type")),
	}
	b.more.L = &b.mu
	return b
}

// pump reads until the end, or until there is too much.
func (b *incoming) pump() {
	defer close(b.over)
	buf := make([]byte, 32<<10)
	for {
		n, err := b.from.Read(buf)
		b.mu.Lock()
		b.data = append(b.data, buf[:n]...)
		b.end, b.large = err, err == nil && len(b.data) > mostKept
		large := b.large
		b.more.Broadcast()
		b.mu.Unlock()
		if err != nil {
			b.shut(nil)
			return
		}
		if large {
			return
		}
	}
}

func (b *incoming) shut(cause error) {
	b.shutter.Do(func() {
		b.cancel(cause)
		b.from.Close()
	})
}

// Read gives what has come. It says that this was all when the reply is kept.
func (b *incoming) Read(p []byte) (int, error) {
	b.mu.Lock()
	for {
		switch {
		case b.closed:
			b.mu.Unlock()
			return 0, http.ErrBodyReadAfterClose
		case b.at < len(b.data):
			n := copy(p, b.data[b.at:])
			b.at += n
			b.mu.Unlock()
			return n, nil
		case b.large:
			b.mu.Unlock()
			return b.from.Read(p)
		case b.end == io.EOF:
			b.mu.Unlock()
			if err := b.trip.kept(); err != nil {
				return 0, err
			}
			return 0, io.EOF
		case b.end != nil:
			b.mu.Unlock()
			return 0, b.end
		}
		b.more.Wait()
	}
}

// Close returns when the reply is kept, or is not to be.
func (b *incoming) Close() error {
	b.mu.Lock()
	again := b.closed
	b.closed = true
	finished := b.end != nil || b.large || isStream(b.kind) && endingOf(b.kind, b.data).closed
	b.more.Broadcast()
	b.mu.Unlock()
	if again {
		return nil
	}
	if !finished {
		late := time.NewTimer(patience)
		select {
		case <-b.over:
		case <-late.C:
		}
		late.Stop()
	}
	b.mu.Lock()
	b.quit = b.end == nil // whatever Read says to that
	b.mu.Unlock()
	b.shut(errClosedEarly)
	return b.trip.kept()
}

// result is what has come when nothing more will; end is nil if there is too
// much, or if the reader quit.
func (b *incoming) result() (data []byte, end error, quit bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.quit {
		return b.data, nil, true
	}
	return b.data, b.end, false
}
