package cache_test

import (
	"net/http"
	"os"
	"sync/atomic"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/ragomega/ragomega/cache"
)

// A plan replays what is recorded or stored, and lists the rest, each request
// once.
func TestPlanAsksNothing(t *testing.T) {
	g, p := NewWithT(t), newPlace(t)
	put(t, p, asking("recorded"), `"r"`)
	q := newPlace(t) // another package, with the same store
	q.home = p.home
	put(t, q, asking("stored"), `"s"`)
	before := p.read(t)

	c := p.open(t, cache.Plan)
	for text, want := range map[string]string{"recorded": `"r"`, "stored": `"s"`} {
		g.Expect(c.Known(asking(text))).To(BeTrue())
		reply, err := c.Do(t.Context(), asking(text), unreachable(t))
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(string(reply.Value)).To(Equal(want))
	}
	for _, text := range []string{"new", "newer", "new"} {
		g.Expect(c.Known(asking(text))).To(BeFalse())
		_, err := c.Do(t.Context(), asking(text), unreachable(t))
		g.Expect(err).To(MatchError(cache.ErrPlan))
		g.Expect(err).NotTo(MatchError(cache.ErrMiss))
		g.Expect(err).To(MatchError("cache: plan: step claims/v1 is neither recorded nor stored and would be asked\n  about: " + text))
	}
	g.Expect(c.Counts()).To(Equal(cache.Counts{Recorded: 1, Stored: 1, Planned: 2}))
	var planned []string
	for _, r := range c.Planned() {
		planned = append(planned, r.About)
	}
	g.Expect(planned).To(Equal([]string{"new", "newer"}))
	g.Expect(c.Close()).To(Succeed())
	g.Expect(p.read(t)).To(Equal(before), "what only the store has is not recorded by a plan")
}

// Without anything recorded or stored, a plan leaves nothing behind.
func TestPlanMakesNothing(t *testing.T) {
	g, p := NewWithT(t), newPlace(t)
	c := p.open(t, cache.Plan)
	_, err := c.Do(t.Context(), asking("a"), unreachable(t))
	g.Expect(err).To(MatchError(cache.ErrPlan))
	g.Expect(c.Close()).To(Succeed())
	g.Expect(c.Warnings()).To(BeEmpty())
	g.Expect(p.home).NotTo(BeADirectory())
	g.Expect(p.dir).NotTo(BeADirectory())
}

// A store that cannot be read makes the plan too long, which is told.
func TestPlanWithoutAStoreWarns(t *testing.T) {
	g, p := NewWithT(t), newPlace(t)
	g.Expect(os.WriteFile(p.home, nil, 0o644)).To(Succeed(), "a file where the store should be")
	c := p.open(t, cache.Plan)
	_, err := c.Do(t.Context(), asking("a"), unreachable(t))
	g.Expect(err).To(MatchError(cache.ErrPlan))
	g.Expect(c.Warnings()).To(ConsistOf(And(HavePrefix("no store: "), HaveSuffix(". Of what it may hold, the plan knows nothing"))))
	g.Expect(c.Close()).To(Succeed())
}

// The application's own calls are planned as well, and a conversation, which no
// recording can hold, is not begun.
func TestPlanOfATransport(t *testing.T) {
	g, p := NewWithT(t), newPlace(t)
	var calls atomic.Int64
	c := p.open(t, cache.Plan)
	client := &http.Client{Transport: &cache.Transport{Cache: c, Next: roundTripper(func(*http.Request) (*http.Response, error) {
		calls.Add(1)
		return nil, http.ErrServerClosed
	})}}
	_, err := client.Get("http://example.com/answer")
	g.Expect(err).To(MatchError(cache.ErrPlan))
	req, err := http.NewRequest(http.MethodGet, "http://example.com/talk", nil)
	g.Expect(err).NotTo(HaveOccurred())
	req.Header.Set("Upgrade", "websocket")
	_, err = client.Do(req)
	g.Expect(err).To(MatchError(cache.ErrPlan))
	g.Expect(calls.Load()).To(BeZero())
	g.Expect(c.Counts().Planned).To(Equal(2))
	g.Expect(c.Close()).To(Succeed())
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }
