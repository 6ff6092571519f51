package cache

import (
	"errors"
	"fmt"
	"slices"
)

// ErrPlan reports a request that would have been asked, had this been no plan.
// Every such error is a [*PlanError].
var ErrPlan = errors.New("cache: plan")

// PlanError is an [ErrPlan] with the request.
type PlanError struct {
	Request Request
}

// Is makes errors.Is(err, ErrPlan) true.
func (e *PlanError) Is(target error) bool { return target == ErrPlan }

func (e *PlanError) Error() string {
	return fmt.Sprintf("%v: step %s is neither recorded nor stored and would be asked\n  about: %s", ErrPlan, e.Request.Step, clip(e.Request.About))
}

// planned are the requests that would be asked, each once.
type planned struct {
	requests []Request
	known    map[Key]bool
}

// Planned returns the requests that would be asked if this were no plan, each
// once. What depends on their replies is not among them.
func (c *Cache) Planned() []Request {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.planned.requests)
}

// plan answers r, which is not recorded, from the store, and has no other road.
func (c *Cache) plan(r Request) (Reply, error) {
	if store := c.live.open(); store != nil {
		if reply, ok := c.live.stored(store, r); ok {
			return c.count(r, reply, nil)
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if k := r.Key(); !c.planned.known[k] {
		if c.planned.known == nil {
			c.planned.known = map[Key]bool{}
		}
		c.planned.known[k] = true
		c.planned.requests = append(c.planned.requests, r)
		c.counts.Planned++
	}
	return Reply{}, &PlanError{Request: r}
}
