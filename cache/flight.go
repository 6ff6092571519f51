package cache

import (
	"context"
	"errors"
	"fmt"
	"sync"
)

// flights let goroutines that want the same reply wait for the one that is
// first. The first works on its own goroutine, so that what a test does there
// (fail, panic, end) happens to that test.
type flights struct {
	mu sync.Mutex
	m  map[Key]*flight
}

type flight struct {
	done  chan struct{}
	reply Reply
	err   error
}

// errLeft is the outcome of a flight whose goroutine ended before it had one.
var errLeft = errors.New("cache: the goroutine that asked has ended")

// do returns what lead returns, in this goroutine or in the one that came
// first. If the one that came first gave up, as its context or its test ended,
// the next one leads.
func (f *flights) do(ctx context.Context, k Key, lead func() (Reply, error)) (Reply, error) {
	for {
		f.mu.Lock()
		first, ok := f.m[k]
		if !ok {
			mine := &flight{done: make(chan struct{}), err: errLeft}
			if f.m == nil {
				f.m = map[Key]*flight{}
			}
			f.m[k] = mine
			f.mu.Unlock()
			return f.lead(k, mine, lead)
		}
		f.mu.Unlock()
		select {
		case <-ctx.Done():
			return Reply{}, endOf(ctx)
		case <-first.done:
		}
		switch {
		case first.err == nil:
			reply := first.reply
			if reply.Source == Asked {
				reply.Source = Recorded // paid once, by the one who led
			}
			return reply, nil
		case gaveUp(first.err) && ctx.Err() == nil:
			continue
		}
		return Reply{}, first.err
	}
}

func (f *flights) lead(k Key, mine *flight, lead func() (Reply, error)) (Reply, error) {
	defer func() {
		f.mu.Lock()
		delete(f.m, k)
		f.mu.Unlock()
		close(mine.done)
	}()
	mine.reply, mine.err = lead()
	return mine.reply, mine.err
}

func gaveUp(err error) bool {
	return errors.Is(err, errLeft) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}

// endOf returns why ctx ended: as the error of the context, with the cause that
// was given for it.
func endOf(ctx context.Context) error {
	err, cause := ctx.Err(), context.Cause(ctx)
	if cause == nil || errors.Is(cause, err) {
		return cause
	}
	return fmt.Errorf("%w: %w", err, cause)
}
