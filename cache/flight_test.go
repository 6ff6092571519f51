package cache_test

import (
	"context"
	"encoding/json"
	"errors"
	"runtime"
	"sync/atomic"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/ragomega/ragomega/cache"
)

// A fill runs on the goroutine of its test, so that what happens to it happens
// to that test and to no other.
func TestAFillThatEndsItsGoroutineLeavesTheOthersFree(t *testing.T) {
	for name, end := range map[string]func(){
		"Goexit": runtime.Goexit,
		"panic":  func() { panic("fake") },
	} {
		t.Run(name, func(t *testing.T) {
			g, p := NewWithT(t), newPlace(t)
			c := p.open(t, cache.Auto)
			begun, panicked := make(chan struct{}), make(chan any, 1)
			release := make(chan struct{})
			go func() {
				defer func() { panicked <- recover() }()
				_, _ = c.Do(t.Context(), asking("a"), func(context.Context) (cache.Reply, error) {
					close(begun)
					<-release
					end()
					return cache.Reply{}, nil
				})
			}()
			<-begun
			var calls atomic.Int64
			answered := make(chan error, 1)
			go func() {
				_, err := c.Do(t.Context(), asking("a"), answering(&calls, `1`))
				answered <- err
			}()
			close(release)
			g.Expect(<-answered).NotTo(HaveOccurred())
			g.Expect(calls.Load()).To(BeEquivalentTo(1))
			if name == "panic" {
				g.Expect(<-panicked).To(Equal("fake"), "where the test can recover it")
			}
			g.Expect(c.Close()).To(Succeed())
		})
	}
}

func TestAFollowerSaysWhyItEnded(t *testing.T) {
	g, p := NewWithT(t), newPlace(t)
	c := p.open(t, cache.Auto)
	begun, release := make(chan struct{}), make(chan struct{})
	led := make(chan error, 1)
	go func() {
		_, err := c.Do(t.Context(), asking("a"), func(context.Context) (cache.Reply, error) {
			close(begun)
			<-release
			return cache.Reply{Value: json.RawMessage(`1`)}, nil
		})
		led <- err
	}()
	<-begun
	ctx, cancel := context.WithCancelCause(t.Context())
	over := errors.New("the spec is over")
	cancel(over)
	_, err := c.Do(ctx, asking("a"), unreachable(t))
	g.Expect(err).To(MatchError(context.Canceled))
	close(release)
	g.Expect(<-led).NotTo(HaveOccurred())
	g.Expect(c.Close()).To(Succeed())
}
