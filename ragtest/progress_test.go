package ragtest_test

import (
	"io"
	"os"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	. "github.com/onsi/gomega"

	"github.com/ragomega/ragomega/cache"
	"github.com/ragomega/ragomega/ragtest"
)

// screen is a terminal that is watched.
type screen struct {
	mu      sync.Mutex
	began   time.Time
	written []string
	at      []time.Duration
}

func newScreen(t *testing.T) *screen {
	s := &screen{began: time.Now()}
	t.Cleanup(ragtest.ShowProgress(s))
	return s
}

func (s *screen) Write(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.written = append(s.written, string(b))
	s.at = append(s.at, time.Since(s.began))
	return len(b), nil
}

// line is what can be read on the screen.
func (s *screen) line() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var line []byte
	at := 0
	for _, c := range []byte(strings.Join(s.written, "")) {
		switch {
		case c == '\r':
			at = 0
			continue
		case at == len(line):
			line = append(line, c)
		default:
			line[at] = c
		}
		at++
	}
	return strings.TrimRight(string(line), " ")
}

func (s *screen) times() []time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]time.Duration(nil), s.at...)
}

// taking is a judge that takes d for each answer.
func taking(t *testing.T, d time.Duration) *ragtest.Judge {
	return ragtest.NewJudgeClient(clientFunc(func(c ctx, r chatRequest) (chatResponse, error) {
		time.Sleep(d)
		a, err := answer(c, r)
		a.Usage.PromptTokens, a.Usage.CompletionTokens = 100, 7
		return a, err
	}), "here", "m").CachedIn(off(t))
}

// The line appears after three seconds, is redrawn every second, and is gone when
// the measurement is over.
func TestProgressOfAMeasurement(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g, s := NewWithT(t), newScreen(t)
		go func() { _, _ = taking(t, 4900*time.Millisecond).Measure(t.Context(), ragtest.Faithfulness, bridge) }()
		see := func(want string) {
			t.Helper()
			synctest.Wait()
			g.Expect(s.line()).To(Equal(want))
		}
		time.Sleep(2999 * time.Millisecond)
		see("")
		time.Sleep(2 * time.Millisecond)
		see("ragtest: 0 measured, 1 calls, 0 tokens, 3s so far")
		time.Sleep(time.Second)
		see("ragtest: 0 measured, 1 calls, 0 tokens, 4s so far")
		time.Sleep(2 * time.Second)
		see("ragtest: 0 measured, 2 calls, 107 tokens, 6s so far")
		time.Sleep(4 * time.Second)
		see("")
		var at []time.Duration
		for _, d := range s.times() {
			at = append(at, d.Round(time.Millisecond))
		}
		second := time.Second
		g.Expect(at).To(Equal([]time.Duration{3 * second, 4 * second, 5 * second, 6 * second, 7 * second, 8 * second, 9 * second, 9800 * time.Millisecond}))
		time.Sleep(time.Minute)
		g.Expect(s.times()).To(HaveLen(len(at)), "no timer is left")
	})
}

// An evaluation knows how much there is to do.
func TestProgressOfAnEvaluation(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g, s := NewWithT(t), newScreen(t)
		samples := make([]ragtest.Sample, 40)
		for i := range samples {
			samples[i] = bridge
			samples[i].Name = strings.Repeat("x", i+1)
		}
		done := make(chan error)
		go func() {
			_, err := taking(t, 2100*time.Millisecond).Evaluate(t.Context(), samples, ragtest.Faithfulness)
			done <- err
		}()
		time.Sleep(4500 * time.Millisecond)
		synctest.Wait()
		// 16 at once, 4.2 seconds each. The line is that of the fourth second.
		g.Expect(s.line()).To(Equal("ragtest: 0/40 measured, 32 calls, 1712 tokens, 4s so far"))
		time.Sleep(time.Second)
		synctest.Wait()
		g.Expect(s.line()).To(Equal("ragtest: 16/40 measured, 48 calls, 3424 tokens, about 8s left"))
		g.Expect(<-done).To(Succeed())
		g.Expect(s.line()).To(BeEmpty())
	})
}

// Measurements one after the other are one wait to whoever watches; after a pause
// another begins. However short the pauses, the line is drawn once a second.
func TestProgressOverPauses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g, s := NewWithT(t), newScreen(t)
		j := taking(t, 590*time.Millisecond)
		for range 5 { // 1.18 s each
			_, err := j.Measure(t.Context(), ragtest.Faithfulness, bridge)
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(s.line()).To(BeEmpty(), "tests print between")
		}
		drawn := map[time.Duration]bool{}
		for i, d := range s.times() {
			if strings.Contains(s.written[i], "measured") {
				drawn[d] = true
			}
		}
		g.Expect(drawn).To(HaveLen(3)) // of the six seconds, from the third on
		before := len(s.times())
		time.Sleep(3 * time.Second)
		_, err := j.Measure(t.Context(), ragtest.Faithfulness, bridge)
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(s.times()).To(HaveLen(before))
	})
}

// In replay there is nothing to wait for.
func TestProgressIsSilentInReplay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g, s := NewWithT(t), newScreen(t)
		l := &lab{t: t, dir: t.TempDir()}
		_, err := l.measure(taking(t, time.Millisecond), ragtest.Faithfulness, bridge)
		g.Expect(err).NotTo(HaveOccurred())
		thinks := ragtest.NewMetric("thinks", func(c ctx, j *ragtest.Judge, s ragtest.Sample) (ragtest.Score, error) {
			score, err := ragtest.Faithfulness.Measure(c, j, s)
			time.Sleep(10 * time.Second)
			return score, err
		})
		time.Sleep(10 * time.Second) // another spell
		_, err = taking(t, 0).CachedIn(l.cache(cache.Replay)).Measure(t.Context(), thinks, bridge)
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(s.times()).To(BeEmpty())
	})
}

// Close takes the line away, whatever is still under way.
func TestProgressEndsWithTheSuite(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g, s := NewWithT(t), newScreen(t)
		done := make(chan struct{})
		go func() {
			defer close(done)
			_, _ = taking(t, 10*time.Second).Measure(t.Context(), ragtest.Faithfulness, bridge)
		}()
		time.Sleep(3500 * time.Millisecond)
		g.Expect(s.line()).NotTo(BeEmpty())
		_ = ragtest.CloseSuite(io.Discard)
		g.Expect(s.line()).To(BeEmpty())
		drawn := len(s.times())
		time.Sleep(3 * time.Second)
		g.Expect(s.times()).To(HaveLen(drawn), "no timer outlives Close")
		<-done
	})
}

// spec is a test as Ginkgo has them.
type spec struct {
	*fakeTB
	report func() string
}

func (s *spec) AttachProgressReporter(report func() string) func() {
	s.report = report
	return func() { s.report = nil }
}

// Ginkgo asks for the progress when it reports, and the terminal is its own.
func TestProgressInGinkgo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g, s := NewWithT(t), newScreen(t)
		tb := &spec{fakeTB: newFakeTB()}
		j := taking(t, 5*time.Second).For(tb)
		other := &spec{fakeTB: newFakeTB()}
		j = j.For(other)
		g.Expect(other.report).To(BeNil(), "one is enough")
		g.Expect(tb.report()).To(BeEmpty())
		done := make(chan struct{})
		go func() {
			defer close(done)
			_, _ = j.Measure(t.Context(), ragtest.Faithfulness, bridge)
		}()
		time.Sleep(7 * time.Second)
		g.Expect(tb.report()).To(Equal("ragtest: 0 measured, 2 calls, 107 tokens, 7s so far"))
		<-done
		g.Expect(tb.report()).To(BeEmpty())
		g.Expect(s.times()).To(BeEmpty())
		tb.end()
		other.end()
		g.Expect(tb.report).To(BeNil())

		third := &spec{fakeTB: newFakeTB()}
		j.For(third)
		g.Expect(third.report).NotTo(BeNil(), "the next spec")
		third.end()
	})
}

func TestProgressNeedsATerminal(t *testing.T) {
	g := NewWithT(t)
	f, err := os.CreateTemp(t.TempDir(), "")
	g.Expect(err).NotTo(HaveOccurred())
	defer f.Close()
	g.Expect(ragtest.IsTerminal(f)).To(BeFalse())
	r, w, err := os.Pipe()
	g.Expect(err).NotTo(HaveOccurred())
	defer r.Close()
	defer w.Close()
	g.Expect(ragtest.IsTerminal(w)).To(BeFalse())
	g.Expect(ragtest.IsTerminal(r)).To(BeFalse())
}
