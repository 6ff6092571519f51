package cache

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
)

// Drift is a reply that came out differently when it was asked for again.
type Drift struct {
	Request  Request
	Recorded Reply
	Now      Reply
}

func (d Drift) String() string {
	return fmt.Sprintf("%s about %s\n    recorded: %s\n    now:      %s",
		d.Request.Step, clip(d.Request.About), clip(string(d.Recorded.Value)), clip(string(d.Now.Value)))
}

// Drifts returns the replies that differ from the recorded ones, in the order
// in which they were asked for again. Only [Verify] asks again.
func (c *Cache) Drifts() []Drift {
	c.mu.Lock()
	defer c.mu.Unlock()
	return append([]Drift(nil), c.drifts...)
}

// verify asks for r again and compares. What was recorded stands, so that the
// run comes out as its recording; only the comparison is new.
func (l *live) verify(ctx context.Context, r Request, fill func(context.Context) (Reply, error)) (Reply, error) {
	old, ok, err := l.cache.recording(r.Kind).get(r, false)
	if err != nil {
		return Reply{}, err
	}
	if !ok {
		if store := l.open(); store != nil {
			old, ok = l.stored(store, r)
		}
	}
	now, err := ask(ctx, fill)
	if err != nil {
		return Reply{}, err
	}
	drifted := ok && r.differs(old.Value, now.Value)
	l.cache.mu.Lock()
	defer l.cache.mu.Unlock()
	if !ok {
		l.cache.counts.Unverified++
		return now, nil
	}
	if drifted {
		l.cache.drifts = append(l.cache.drifts, Drift{r, old, now})
	}
	l.cache.counts.Verified++
	return old, nil
}

func (r Request) differs(recorded, now json.RawMessage) bool {
	if r.Differs != nil {
		return r.Differs(recorded, now)
	}
	return !bytes.Equal(recorded, now)
}
