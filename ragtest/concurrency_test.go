package ragtest_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	. "github.com/onsi/gomega"

	"github.com/ragomega/ragomega/cache"
	"github.com/ragomega/ragomega/fixtures"
	"github.com/ragomega/ragomega/ragtest"
)

// together measures the same sample in n goroutines.
func together(t *testing.T, j *ragtest.Judge, n int) (scores []ragtest.Score, errs []error) {
	scores, errs = make([]ragtest.Score, n), make([]error, n)
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() { scores[i], errs[i] = j.Measure(t.Context(), ragtest.Faithfulness, bridge) })
	}
	wg.Wait()
	return scores, errs
}

// However many measure the same at once, the judge is asked once.
func TestConcurrentMeasurementsAskOnce(t *testing.T) {
	g := NewWithT(t)
	l := newLab(t)
	l.On("claims", fixtures.Claims("A", "B")).On("verify", fixtures.Verdicts(true, false))
	c := openCache(t, cache.Options{Dir: l.dir, Home: t.TempDir(), Mode: cache.Auto}) // with a store and its locks
	scores, errs := together(t, l.Judge.Judge().CachedIn(c), 50)
	paid := 0
	for i, s := range scores {
		g.Expect(errs[i]).NotTo(HaveOccurred())
		g.Expect(s.Value).To(Equal(0.5))
		for _, x := range s.Exchanges {
			if x.Source == cache.Asked {
				paid++
			}
		}
	}
	g.Expect(l.Asked(fixtures.Any)).To(Equal(2))
	g.Expect(paid).To(Equal(2), "one of them paid for each")
	g.Expect(c.Counts().Asked).To(Equal(2))
	g.Expect(c.Close()).To(Succeed())
}

// An error that many wait for is the same for all of them, and is shared
// without being changed.
func TestConcurrentMeasurementsShareAnError(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := NewWithT(t)
		asked := 0
		j := ragtest.NewJudgeClient(clientFunc(func(context.Context, chatRequest) (chatResponse, error) {
			asked++
			time.Sleep(time.Second) // until all wait
			return reply("prose"), nil
		}), "here", "m").CachedIn((&lab{t: t, dir: t.TempDir()}).cache(cache.Auto))
		_, errs := together(t, j, 50)
		for _, err := range errs {
			g.Expect(err).To(MatchError(ragtest.ErrMalformed))
			g.Expect(err.Error()).To(ContainSubstring("malformed reply in step claims/v2: "))
		}
		g.Expect(asked).To(Equal(2), "once, and once more to be mended")
	})
}

// One whose context ends while it asks for all takes nobody down: another asks.
func TestLeaderWhoseContextEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := NewWithT(t)
		first := true
		j := ragtest.NewJudgeClient(clientFunc(func(c ctx, r chatRequest) (chatResponse, error) {
			if first {
				first = false
				<-c.Done()
				return chatResponse{}, c.Err()
			}
			return answer(c, r)
		}), "here", "m").CachedIn((&lab{t: t, dir: t.TempDir()}).cache(cache.Auto))
		stopped := errors.New("stopped for a cause")
		leading, stop := context.WithCancelCause(t.Context())
		var errLeader error
		led := make(chan struct{})
		go func() {
			_, errLeader = j.Measure(leading, ragtest.Faithfulness, bridge)
			close(led)
		}()
		synctest.Wait() // the leader asks
		time.AfterFunc(time.Second, func() { stop(stopped) })
		_, errs := together(t, j, 20)
		<-led
		g.Expect(errLeader).To(MatchError(stopped))
		for _, err := range errs {
			g.Expect(err).NotTo(HaveOccurred())
		}
	})
}

// A call that hangs until the judge's own timeout fails for all that wait, once:
// they do not stand in line to hang.
func TestTimeoutIsSharedToo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := NewWithT(t)
		asked := 0
		j := ragtest.NewJudgeClient(clientFunc(func(c ctx, _ chatRequest) (chatResponse, error) {
			asked++
			<-c.Done()
			return chatResponse{}, c.Err()
		}), "here", "m").CachedIn((&lab{t: t, dir: t.TempDir()}).cache(cache.Auto)).Tries(1).Timeout(time.Minute)
		began := time.Now()
		_, errs := together(t, j, 20)
		for _, err := range errs {
			g.Expect(err).To(MatchError(ContainSubstring("no answer within the timeout of 1m0s")))
		}
		g.Expect(asked).To(Equal(1))
		g.Expect(time.Since(began)).To(Equal(time.Minute))
	})
}
