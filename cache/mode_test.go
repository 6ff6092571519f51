package cache_test

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"sync/atomic"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/ragomega/ragomega/cache"
)

func TestModes(t *testing.T) {
	for _, test := range []struct {
		ragtest, ci string
		want        cache.Mode
		wrong       string
	}{
		{"", "", cache.Auto, ""},
		{"", "true", cache.Replay, ""},
		{"", "1", cache.Replay, ""},
		{"", "false", cache.Auto, ""},
		{"", "0", cache.Auto, ""},
		{"auto", "true", cache.Auto, ""},
		{" Replay ", "", cache.Replay, ""},
		{"refresh", "true", cache.Refresh, ""},
		{"verify", "", cache.Verify, ""},
		{"off", "", cache.Off, ""},
		{"Plan", "true", cache.Plan, ""},
		{"record", "", "record", `cache: RAGTEST_CACHE is "record", expected auto, replay, plan, refresh, verify or off`},
	} {
		t.Run(fmt.Sprintf("%q on CI=%q", test.ragtest, test.ci), func(t *testing.T) {
			g := NewWithT(t)
			t.Setenv("RAGTEST_CACHE", test.ragtest)
			t.Setenv("CI", test.ci)
			mode, err := cache.ModeFromEnv()
			if test.wrong != "" {
				g.Expect(err).To(MatchError(test.wrong))
				_, err = cache.Open(cache.Options{})
				g.Expect(err).To(MatchError(test.wrong))
				return
			}
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(mode).To(Equal(test.want))
		})
	}
}

func TestReplayTouchesNothing(t *testing.T) {
	g, p := NewWithT(t), newPlace(t)
	c := p.open(t, cache.Replay)
	_, err := c.Do(t.Context(), asking("a"), unreachable(t))
	g.Expect(err).To(MatchError(cache.ErrMiss))
	g.Expect(c.Close()).To(Succeed())
	g.Expect(c.Counts().Missed).To(Equal(1))
	g.Expect(p.home).NotTo(BeADirectory(), "the store is not even looked for")
	g.Expect(p.dir).NotTo(BeADirectory())
}

func TestOffAsksAndKeepsNothing(t *testing.T) {
	g, p := NewWithT(t), newPlace(t)
	var calls atomic.Int64
	c := p.open(t, cache.Off)
	for range 3 {
		_, err := c.Do(t.Context(), asking("a"), answering(&calls, `1`))
		g.Expect(err).NotTo(HaveOccurred())
	}
	g.Expect(c.Close()).To(Succeed())
	g.Expect(calls.Load()).To(BeEquivalentTo(3))
	g.Expect(p.dir).NotTo(BeADirectory())
	g.Expect(p.home).NotTo(BeADirectory())
}

func TestRefreshReplacesOnceARun(t *testing.T) {
	g, p := NewWithT(t), newPlace(t)
	t.Setenv("RAGTEST_RUN", "one")
	var calls atomic.Int64
	do := func(mode cache.Mode, text, value string) cache.Reply {
		t.Helper()
		c := p.open(t, mode)
		reply, err := c.Do(t.Context(), asking(text), answering(&calls, value))
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(c.Close()).To(Succeed())
		return reply
	}
	do(cache.Auto, "a", `"old"`)
	do(cache.Auto, "b", `"untouched"`)
	g.Expect(string(do(cache.Refresh, "a", `"new"`).Value)).To(Equal(`"new"`))
	g.Expect(string(do(cache.Refresh, "a", `"newer"`).Value)).To(Equal(`"new"`), "another process of the same run takes what the first one paid for")
	g.Expect(calls.Load()).To(BeEquivalentTo(3))
	g.Expect(string(do(cache.Replay, "a", ``).Value)).To(Equal(`"new"`))
	g.Expect(string(do(cache.Replay, "b", ``).Value)).To(Equal(`"untouched"`))

	t.Setenv("RAGTEST_RUN", "two")
	g.Expect(string(do(cache.Refresh, "a", `"newer"`).Value)).To(Equal(`"newer"`))
	// Another package, which has only the store, gets the newest.
	q := newPlace(t)
	q.home = p.home
	c := q.open(t, cache.Auto)
	reply, err := c.Do(t.Context(), asking("a"), unreachable(t))
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(string(reply.Value)).To(Equal(`"newer"`))
	g.Expect(c.Close()).To(Succeed())
}

func TestAProcessAsksAgainOnce(t *testing.T) {
	for _, mode := range []cache.Mode{cache.Refresh, cache.Verify} {
		for _, store := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s, store %v", mode, store), func(t *testing.T) {
				g, p := NewWithT(t), newPlace(t)
				if !store {
					g.Expect(os.WriteFile(p.home, nil, 0o644)).To(Succeed(), "a file where the store should be")
				}
				put(t, p, asking("a"), `"old"`)
				var calls atomic.Int64
				c := p.open(t, mode)
				for range 3 {
					_, err := c.Do(t.Context(), asking("a"), answering(&calls, `"new"`))
					g.Expect(err).NotTo(HaveOccurred())
				}
				g.Expect(calls.Load()).To(BeEquivalentTo(1))
				g.Expect(strings.Count(p.read(t), "\n")).To(BeNumerically("<=", 2))
				g.Expect(c.Close()).To(Succeed())
				g.Expect(strings.Count(p.read(t), "\n")).To(Equal(1))
			})
		}
	}
}

func TestVerifyComparesAndKeepsNothing(t *testing.T) {
	g, p := NewWithT(t), newPlace(t)
	var calls atomic.Int64
	c := p.open(t, cache.Auto)
	for _, text := range []string{"a", "b"} {
		_, err := c.Do(t.Context(), asking(text), answering(&calls, `{"ok":true,"reason":"r"}`))
		g.Expect(err).NotTo(HaveOccurred())
	}
	g.Expect(c.Close()).To(Succeed())
	before := p.read(t)

	c = p.open(t, cache.Verify)
	same := asking("a")
	same.Differs = func(recorded, now json.RawMessage) bool {
		return strings.Contains(string(recorded), "true") != strings.Contains(string(now), "true")
	}
	_, err := c.Do(t.Context(), same, answering(&calls, `{"ok":true,"reason":"another"}`))
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(c.Drifts()).To(BeEmpty(), "only the reason is new")
	drifts := asking("b")
	drifts.Differs = same.Differs
	reply, err := c.Do(t.Context(), drifts, answering(&calls, `{"ok":false,"reason":"r"}`))
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(string(reply.Value)).To(ContainSubstring("true"), "the run comes out as recorded")
	_, err = c.Do(t.Context(), asking("c"), answering(&calls, `1`))
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(c.Drifts()).To(HaveLen(1))
	g.Expect(c.Drifts()[0].String()).To(Equal(`claims/v1 about b
    recorded: {"ok":true,"reason":"r"}
    now:      {"ok":false,"reason":"r"}`))
	g.Expect(c.Counts()).To(Equal(cache.Counts{Recorded: 2, Asked: 1, Verified: 2, Unverified: 1}))
	g.Expect(c.Close()).To(Succeed())
	g.Expect(p.read(t)).To(Equal(before))
}

func TestARefreshThatIsKilledLeavesNoConflict(t *testing.T) {
	g, p := NewWithT(t), newPlace(t)
	put(t, p, asking("a"), `"old"`)
	put(t, p, asking("b"), `"b"`)
	c := p.open(t, cache.Refresh)
	var calls atomic.Int64
	_, err := c.Do(t.Context(), asking("a"), answering(&calls, `"new"`))
	g.Expect(err).NotTo(HaveOccurred())
	// No Close: the process is gone.
	got, err := replay(t, p, asking("a"))
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(got).To(Equal(`"new"`))
	g.Expect(strings.Count(p.read(t), "\n")).To(Equal(2))
	g.Expect(c.Close()).To(Succeed())
}
