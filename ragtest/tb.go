package ragtest

import (
	"context"
	"fmt"
	"io"
	"strings"
	"sync"
)

// TB is what a judge needs of a test. *testing.T, *testing.B and Ginkgo's
// GinkgoT() have it.
type TB interface {
	Helper()
	Name() string
	Context() context.Context
	Attr(key, value string)
	Output() io.Writer
	Cleanup(func())
	Failed() bool
	Errorf(format string, args ...any)
}

// binding is a judge's tie to one test.
type binding struct {
	t      TB
	mu     sync.Mutex
	failed failures
}

// For returns a copy of j that is bound to a test: it works under t's context,
// errors name the test in full, scores become attributes of the test
// ("ragtest.faithfulness"), and a measurement that failed fails the test even
// where a matcher takes its error for a mere mismatch.
//
// In Ginkgo, GinkgoT().Context() does not end with a spec's timeout: give the
// matcher the spec's context with WithContext.
func (j *Judge) For(t TB) *Judge {
	t.Helper()
	b := &binding{t: t}
	t.Cleanup(func() {
		t.Helper()
		b.mu.Lock()
		defer b.mu.Unlock()
		if failed := b.failed.take(); len(failed) > 0 && !t.Failed() {
			for _, err := range failed {
				t.Errorf("no assertion reported this: %v", err)
			}
		}
	})
	c := *j
	c.test = b
	return &c
}

// Context returns the context of the test that j is bound to, or the background
// context.
func (j *Judge) Context() context.Context {
	if j.test == nil {
		return context.Background()
	}
	return j.test.t.Context()
}

func (b *binding) note(measurement func() string, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.failed.note(measurement, err)
}

// report makes the score an attribute. A key may have no space, and a value no
// line end.
func (b *binding) report(s Score) {
	b.t.Attr("ragtest."+strings.Join(strings.Fields(s.Metric), "_"), fmt.Sprintf("%.4f", s.Value))
}
