package ragtest_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	. "github.com/onsi/gomega"

	"github.com/ragomega/ragomega/cache"
	"github.com/ragomega/ragomega/ragtest"
)

// counting is a text of the claims "claim 1", "claim 2" and so on.
func counted(n int) (claims []string, s ragtest.Sample) {
	s = bridge
	s.Response = ""
	for i := range n {
		claims = append(claims, fmt.Sprintf("claim %d", i+1))
		s.Response += claims[i] + ". "
	}
	return claims, s
}

// slow is a judge that splits the text of counted, takes its time for each
// claim, and fails at some.
func slow(n int, took func(claim int) time.Duration, fail func(claim int) error) *ragtest.Judge {
	claims, _ := counted(n)
	return ragtest.NewJudgeClient(clientFunc(func(_ ctx, r chatRequest) (chatResponse, error) {
		if r.ResponseFormat.JSONSchema.Name == "claims" {
			return reply(asJSON(map[string]any{"claims": claims})), nil
		}
		var data checkedClaims
		if err := json.Unmarshal([]byte(r.Messages[1].Content), &data); err != nil {
			return chatResponse{}, err
		}
		var claim int
		if _, err := fmt.Sscanf(data.Claims["1"], "claim %d", &claim); err != nil {
			return chatResponse{}, err
		}
		time.Sleep(took(claim))
		if err := fail(claim); err != nil {
			return chatResponse{}, err
		}
		a := reply(fmt.Sprintf(`{"1":{"reason":"of %d","supported":%v}}`, claim, claim%2 == 0))
		a.Usage.PromptTokens = claim
		return a, nil
	}), "here", "m").PerClaim().Tries(1)
}

func asJSON(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err) // of texts and lists only
	}
	return string(b)
}

func never(int) error { return nil }

// Calls that do not need each other are made at once, and who answers first
// changes neither the verdicts nor the exchanges.
func TestParallelCallsKeepTheirOrder(t *testing.T) {
	const n = 12
	orders := map[string]func(int) time.Duration{
		"first to last": func(c int) time.Duration { return time.Duration(c) * time.Second },
		"last to first": func(c int) time.Duration { return time.Duration(n-c) * time.Second },
		"at once":       func(int) time.Duration { return time.Second },
		"mixed":         func(int) time.Duration { return rand.N(n * time.Second) },
	}
	for name, took := range orders {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				g := NewWithT(t)
				claims, s := counted(n)
				began := time.Now()
				score, err := slow(n, took, never).CachedIn(off(t)).Measure(t.Context(), ragtest.Faithfulness, s)
				g.Expect(err).NotTo(HaveOccurred())
				g.Expect(time.Since(began)).To(BeNumerically("<=", n*time.Second), "not one after the other")
				g.Expect(score.Exchanges).To(HaveLen(1 + n))
				for i, v := range score.Verdicts {
					g.Expect(v.Claim).To(Equal(claims[i]))
					g.Expect(v.Reason).To(Equal(fmt.Sprint("of ", i+1)))
					g.Expect(score.Exchanges[1+i].Tokens.In).To(Equal(i + 1))
				}
			})
		})
	}
}

// The error is that of the first in order, not of the first in time. The others
// are not stopped: what was asked is paid for, and kept.
func TestParallelCallsReportTheFirstError(t *testing.T) {
	const n = 8
	for name, took := range map[string]func(int) time.Duration{
		"first to last": func(c int) time.Duration { return time.Duration(c) * time.Second },
		"last to first": func(c int) time.Duration { return time.Duration(n-c) * time.Second },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				g := NewWithT(t)
				l := &lab{t: t, dir: t.TempDir()}
				var asked sync.Map
				_, s := counted(n)
				_, err := l.measure(slow(n, took, func(c int) error {
					if c == 3 || c == 6 {
						return fmt.Errorf("no answer to %d", c)
					}
					return nil
				}), ragtest.Faithfulness, s)
				g.Expect(err).To(MatchError(ContainSubstring("no answer to 3")))

				c := l.cache(cache.Auto)
				score, err := slow(n, took, func(c int) error {
					asked.Store(c, true)
					return nil
				}).CachedIn(c).Measure(t.Context(), ragtest.Faithfulness, s)
				g.Expect(err).NotTo(HaveOccurred())
				for i := range n {
					_, again := asked.Load(i + 1)
					g.Expect(again).To(Equal(i+1 == 3 || i+1 == 6), "claim %d", i+1)
				}
				g.Expect(score.Fraction()).To(Equal("4/8"))
				sources := map[cache.Source]int{}
				for _, x := range score.Exchanges {
					sources[x.Source]++
				}
				g.Expect(sources).To(Equal(map[cache.Source]int{cache.Recorded: 7, cache.Asked: 2}))
			})
		})
	}
}

// The judge's limit of calls in flight holds for calls of one measurement too.
func TestParallelCallsHeedTheLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := NewWithT(t)
		_, s := counted(10)
		second := func(int) time.Duration { return time.Second }
		began := time.Now()
		_, err := slow(10, second, never).Limits(3, 0).CachedIn(off(t)).Measure(t.Context(), ragtest.Faithfulness, s)
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(time.Since(began)).To(Equal(4 * time.Second))
	})
}

// A context that ends, ends all calls, and says why.
func TestParallelCallsEndWithTheContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := NewWithT(t)
		claims, s := counted(5)
		hanging := ragtest.NewJudgeClient(clientFunc(func(c ctx, r chatRequest) (chatResponse, error) {
			if r.ResponseFormat.JSONSchema.Name == "claims" {
				return reply(asJSON(map[string]any{"claims": claims})), nil
			}
			<-c.Done()
			return chatResponse{}, c.Err()
		}), "here", "m").PerClaim().CachedIn(off(t)).Timeout(time.Hour)
		enough := errors.New("enough")
		c, cancel := context.WithTimeoutCause(t.Context(), time.Minute, enough)
		defer cancel()
		began := time.Now()
		_, err := hanging.Measure(c, ragtest.Faithfulness, s)
		g.Expect(err).To(MatchError(enough))
		g.Expect(time.Since(began)).To(Equal(time.Minute))
	})
}
