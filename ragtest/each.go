package ragtest

import (
	"context"
	"sync"
)

// each calls f for 0 to n-1, all at once: the judge's limits decide how many
// calls are in flight. It returns the error of the lowest number, and notes the
// exchanges in the order of the numbers, so that neither depends on who was
// first. Nobody is stopped because another failed: what was asked is paid for,
// and kept.
func each(ctx context.Context, n int, f func(ctx context.Context, i int) error) error {
	if n == 1 {
		return f(ctx, 0)
	}
	errs := make([]error, n)
	traces := make([]*trace, n)
	var wg sync.WaitGroup
	for i := range n {
		ctx, t := withTrace(ctx)
		traces[i] = t
		wg.Go(func() { errs[i] = f(ctx, i) })
	}
	wg.Wait()
	t := traceOf(ctx)
	for i := range n {
		for _, x := range traces[i].exchanges {
			t.add(x)
		}
		for _, p := range traces[i].planned {
			t.plan(p)
		}
	}
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
