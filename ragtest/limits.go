package ragtest

import (
	"context"
	"fmt"
	"time"

	"golang.org/x/sync/semaphore"
	"golang.org/x/time/rate"
)

// limits hold calls back: so many at once, so many begun a minute.
type limits struct {
	inFlight *semaphore.Weighted
	begun    *rate.Limiter // nil: no limit
}

func newLimits(inFlight, perMinute int) *limits {
	l := &limits{inFlight: semaphore.NewWeighted(int64(max(inFlight, 1)))}
	if perMinute > 0 {
		l.begun = rate.NewLimiter(rate.Every(time.Minute/time.Duration(perMinute)), 1)
	}
	return l
}

// enter waits until a call may begin, or until ctx ends. The call is over when
// the returned function is called.
func (l *limits) enter(ctx context.Context) (func(), error) {
	if err := l.inFlight.Acquire(ctx, 1); err != nil {
		return nil, endOf(ctx)
	}
	if l.begun != nil {
		if err := l.begun.Wait(ctx); err != nil {
			l.inFlight.Release(1)
			if ctx.Err() != nil {
				return nil, endOf(ctx)
			}
			return nil, fmt.Errorf("%w: the rate limit lets no call begin before", context.DeadlineExceeded)
		}
	}
	return func() { l.inFlight.Release(1) }, nil
}
