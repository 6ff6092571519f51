package ragtest

import (
	"context"
	"sync"
)

// trace collects the exchanges of one measurement, and in a plan those that it
// would take: it travels in the context,
// as metrics are functions of anybody.
type trace struct {
	mu        sync.Mutex
	exchanges []Exchange
	planned   []planned
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

func (t *trace) plan(p planned) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.planned = append(t.planned, p)
}
