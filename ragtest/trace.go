package ragtest

import (
	"context"
	"sync"
)

// trace collects the exchanges of one measurement: it travels in the context,
// as metrics are functions of anybody.
type trace struct {
	mu        sync.Mutex
	exchanges []Exchange
}

type traceKey struct{}

func withTrace(ctx context.Context) (context.Context, *trace) {
	t := &trace{}
	return context.WithValue(ctx, traceKey{}, t), t
}

// traceOf returns the trace of ctx, or one that nobody reads.
func traceOf(ctx context.Context) *trace {
	if t, ok := ctx.Value(traceKey{}).(*trace); ok {
		return t
	}
	return &trace{}
}

func (t *trace) add(x Exchange) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.exchanges = append(t.exchanges, x)
}
