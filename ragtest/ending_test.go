package ragtest_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	. "github.com/onsi/gomega"

	"github.com/ragomega/ragomega/fixtures"
	"github.com/ragomega/ragomega/ragtest"
)

var errStopped = errors.New("stopped by hand")

// Whatever a measurement waits for, it ends with its context, and the error
// says so.
func TestEveryWaitEndsWithTheContext(t *testing.T) {
	for name, test := range map[string]struct {
		answer func(*http.Request) (*http.Response, error)
		change func(*ragtest.Judge) *ragtest.Judge
		busy   bool // another measurement has the only place
		asked  int
	}{
		"the answer":  {answer: hangs, asked: 1},
		"the backoff": {answer: status(429, slowDown, "Retry-After", "200"), asked: 1},
		"the limiter": {
			answer: hangs, busy: true, asked: 1,
			change: func(j *ragtest.Judge) *ragtest.Judge { return j.Limits(1, 0) },
		},
		"the rate limit": {
			answer: says(`{"claims":[]}`), busy: true, asked: 1,
			change: func(j *ragtest.Judge) *ragtest.Judge { return j.Limits(2, 1) },
		},
	} {
		for how, want := range map[string]error{"cancelled": context.Canceled, "cancelled for a cause": errStopped, "deadline": context.DeadlineExceeded} {
			t.Run(name+", "+how, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					g := NewWithT(t)
					s := &server{answers: []func(*http.Request) (*http.Response, error){test.answer}}
					j := ragtest.NewJudge(dialled(s), "m").CachedIn(off(t)).Timeout(time.Hour)
					if test.change != nil {
						j = test.change(j)
					}
					if test.busy {
						go func() { _, _ = j.Measure(t.Context(), ragtest.Faithfulness, bridge) }()
						synctest.Wait()
					}
					ctx, cancel := context.WithTimeout(t.Context(), time.Second)
					if how != "deadline" {
						cancel()
						var stop context.CancelCauseFunc
						ctx, stop = context.WithCancelCause(t.Context())
						cancel = func() { stop(nil) }
						if how == "cancelled for a cause" {
							cancel = func() { stop(errStopped) }
						}
						time.AfterFunc(time.Second, cancel)
					}
					defer cancel()
					began := time.Now()
					_, err := j.Measure(ctx, ragtest.Faithfulness, bridge)
					g.Expect(time.Since(began)).To(BeNumerically("<=", time.Second))
					g.Expect(err).To(MatchError(want))
					if want == errStopped {
						g.Expect(err).To(MatchError(context.Canceled), "it is a cancellation, whatever its cause")
					}
					g.Expect(s.asked).To(HaveLen(test.asked))
				})
			})
		}
	}
}

// A context that has ended asks nothing.
func TestEndedContextAsksNothing(t *testing.T) {
	g := NewWithT(t)
	l := newLab(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := l.Judge.Judge().CachedIn(l.cache("auto")).Measure(ctx, ragtest.Faithfulness, bridge)
	g.Expect(err).To(MatchError(context.Canceled))
	g.Expect(l.Asked(fixtures.Any)).To(BeZero())
}

// Over a real connection: the call ends, no other follows, nothing is kept.
func TestHangThatTheContextEnds(t *testing.T) {
	g := NewWithT(t)
	l := newLab(t)
	l.On("claims", fixtures.Hang())
	c := l.cache("auto")
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		for l.Asked("claims") == 0 {
			time.Sleep(time.Millisecond)
		}
		cancel()
	}()
	_, err := l.Judge.Judge().CachedIn(c).Measure(ctx, ragtest.Faithfulness, bridge)
	g.Expect(err).To(MatchError(context.Canceled))
	g.Expect(c.Close()).To(Succeed())
	g.Expect(l.Asked(fixtures.Any)).To(Equal(1))

	l.On("claims", fixtures.Claims("A")).On("verify", fixtures.Verdicts(true))
	_, err = l.measure(l.Judge.Judge(), ragtest.Faithfulness, bridge)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(l.Asked(fixtures.Any)).To(Equal(3))
}

// The judge's own timeout is tried again, and is not the end of the caller's
// context: who waits for the same reply would take it for another's hurry.
func TestTimeoutOfACall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := NewWithT(t)
		s := &server{answers: []func(*http.Request) (*http.Response, error){hangs, hangs, says(`{"claims":[]}`)}}
		j := ragtest.NewJudge(dialled(s), "m").CachedIn(off(t))
		_, err := j.Measure(t.Context(), ragtest.Faithfulness, bridge)
		g.Expect(err).To(MatchError(ragtest.ErrUndefined))
		g.Expect(s.asked).To(HaveLen(3))
		g.Expect(s.pauses()[0]).To(BeNumerically("~", 2*time.Minute+500*time.Millisecond, 250*time.Millisecond), "the default is two minutes")

		s = &server{answers: []func(*http.Request) (*http.Response, error){hangs}}
		j = ragtest.NewJudge(dialled(s), "m").CachedIn(off(t)).Timeout(5 * time.Second).Tries(2)
		_, err = j.Measure(t.Context(), ragtest.Faithfulness, bridge)
		var call *ragtest.CallError
		g.Expect(asError(err, &call)).To(BeTrue())
		g.Expect(call.Error()).To(Equal("call to m at localhost failed 2 times: no answer within the timeout of 5s"))
		g.Expect(call.Temporary()).To(BeTrue())
		var n net.Error
		g.Expect(asError(err, &n) && n.Timeout()).To(BeTrue())
		g.Expect(errors.Is(err, context.DeadlineExceeded)).To(BeFalse())
	})
}

// The same over a real connection. What was given up is not kept: another
// server is asked.
func TestTimeoutOverHTTP(t *testing.T) {
	g := NewWithT(t)
	l := newLab(t)
	l.On("claims", fixtures.Hang())
	_, err := l.measure(l.Judge.Judge().Timeout(5*time.Millisecond).Tries(1), ragtest.Faithfulness, bridge)
	g.Expect(err).To(HaveOccurred())
	g.Expect(err.Error()).To(HaveSuffix("call to scripted at localhost failed: no answer within the timeout of 5ms"))

	l = &lab{fixtures.NewJudge(t), t, l.dir}
	l.On("claims", fixtures.Claims("A")).On("verify", fixtures.Verdicts(true))
	_, err = l.measure(l.Judge.Judge(), ragtest.Faithfulness, bridge)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(l.Asked(fixtures.Any)).To(Equal(2))
}

// load counts how many calls are in flight.
type load struct {
	mu        sync.Mutex
	now, most int
	began     []time.Time
}

func (l *load) CreateChatCompletion(ctx context.Context, r chatRequest) (chatResponse, error) {
	l.mu.Lock()
	l.now++
	l.most = max(l.most, l.now)
	l.began = append(l.began, time.Now())
	l.mu.Unlock()
	time.Sleep(time.Second)
	l.mu.Lock()
	l.now--
	l.mu.Unlock()
	return answer(ctx, r)
}

// measureMany measures n different samples at once.
func measureMany(t *testing.T, judges ...*ragtest.Judge) {
	var wg sync.WaitGroup
	for i := range 40 {
		s := bridge
		s.Response = fmt.Sprint(i)
		wg.Go(func() {
			if _, err := judges[i%len(judges)].Measure(t.Context(), ragtest.Faithfulness, s); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
}

// Never more calls are in flight than allowed; copies of a judge share the
// limit.
func TestCallsInFlight(t *testing.T) {
	for name, test := range map[string]struct {
		change func(*ragtest.Judge) *ragtest.Judge
		most   int
	}{
		"by default": {func(j *ragtest.Judge) *ragtest.Judge { return j }, 16},
		"3":          {func(j *ragtest.Judge) *ragtest.Judge { return j.Limits(3, 0) }, 3},
		"0 is 1":     {func(j *ragtest.Judge) *ragtest.Judge { return j.Limits(0, 0) }, 1},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				g := NewWithT(t)
				l := &load{}
				j := test.change(ragtest.NewJudgeClient(l, "here", "m").CachedIn(off(t)))
				measureMany(t, j, j.Trial(1), j.Temperature(1))
				g.Expect(l.began).To(HaveLen(80))
				g.Expect(l.most).To(Equal(test.most))
			})
		})
	}
}

// So many calls begin a minute, and no more.
func TestCallsAMinute(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := NewWithT(t)
		l := &load{}
		measureMany(t, ragtest.NewJudgeClient(l, "here", "m").CachedIn(off(t)).Limits(100, 20))
		g.Expect(l.began).To(HaveLen(80))
		for i := range l.began {
			if i >= 20 {
				g.Expect(l.began[i].Sub(l.began[i-20])).To(BeNumerically(">=", time.Minute))
			}
		}
		g.Expect(l.began[79].Sub(l.began[0])).To(Equal(79 * 3 * time.Second))
	})
}

// The cap holds at a real server, too.
func TestCallsInFlightOverHTTP(t *testing.T) {
	g := NewWithT(t)
	l := newLab(t)
	var mu sync.Mutex
	now, most := 0, 0
	config := l.Config()
	doer := config.HTTPClient
	config.HTTPClient = doerFunc(func(r *http.Request) (*http.Response, error) {
		mu.Lock()
		now++
		most = max(most, now)
		mu.Unlock()
		defer func() { mu.Lock(); now--; mu.Unlock() }()
		return doer.Do(r)
	})
	for range 40 {
		l.On("claims", fixtures.Claims("A")).On("verify", fixtures.Verdicts(true))
	}
	measureMany(t, ragtest.NewJudge(config, "m").CachedIn(off(t)).Limits(2, 0))
	g.Expect(most).To(Equal(2))
}
