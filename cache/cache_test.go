package cache_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/ragomega/ragomega/cache"
)

// place is the folders of one test package and one user.
type place struct{ dir, home string }

func newPlace(t *testing.T) place {
	t.Helper()
	return place{filepath.Join(t.TempDir(), "testdata", "ragtest"), filepath.Join(t.TempDir(), "home")}
}

func (p place) file() string { return filepath.Join(p.dir, "judge.jsonl") }

func (p place) open(t *testing.T, mode cache.Mode) *cache.Cache {
	t.Helper()
	c, err := cache.Open(cache.Options{Dir: p.dir, Home: p.home, Mode: mode})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func (p place) read(t *testing.T) string {
	t.Helper()
	b, err := os.ReadFile(p.file())
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	return string(b)
}

func (p place) write(t *testing.T, text string) {
	t.Helper()
	if err := os.MkdirAll(p.dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(p.file(), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// asking makes a request about one text, as a metric would.
func asking(text string) cache.Request {
	return cache.Request{
		Kind: "judge", Identity: "example.com", Body: []byte(`{"model":"m","text":` + fmt.Sprintf("%q", text) + `}`),
		Step: "claims/v1", About: text,
		Parts: []cache.Part{
			cache.TextPart("text", "the answer", text),
			cache.TextPart("prompt", "the text of prompt claims", "Split."),
			{Name: "model", Value: "m", Label: "the model"},
		},
	}
}

// answering is a fill that counts how often it is called.
func answering(calls *atomic.Int64, value string) func(context.Context) (cache.Reply, error) {
	return func(context.Context) (cache.Reply, error) {
		calls.Add(1)
		return cache.Reply{Value: json.RawMessage(value), Served: json.RawMessage(`{"ms":1}`)}, nil
	}
}

func unreachable(t *testing.T) func(context.Context) (cache.Reply, error) {
	return func(context.Context) (cache.Reply, error) {
		t.Error("the model was asked")
		return cache.Reply{}, errors.New("unreachable")
	}
}

func TestAsksOnceAndReplays(t *testing.T) {
	g, p := NewWithT(t), newPlace(t)
	var calls atomic.Int64
	c := p.open(t, cache.Auto)
	reply, err := c.Do(t.Context(), asking("a"), answering(&calls, `{"claims":["a < b & c"]}`))
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(reply.Source).To(Equal(cache.Asked))
	reply, err = c.Do(t.Context(), asking("a"), answering(&calls, `{}`))
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(reply.Source).To(Equal(cache.Recorded))
	g.Expect(c.Close()).To(Succeed())

	replay := p.open(t, cache.Replay)
	reply, err = replay.Do(t.Context(), asking("a"), unreachable(t))
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(string(reply.Value)).To(Equal(`{"claims":["a < b & c"]}`))
	g.Expect(replay.Counts()).To(Equal(cache.Counts{Recorded: 1}))
	g.Expect(replay.Close()).To(Succeed())
	g.Expect(calls.Load()).To(BeEquivalentTo(1))
}

func TestLineReadsWellAndPinsItsFormat(t *testing.T) {
	g, p := NewWithT(t), newPlace(t)
	var calls atomic.Int64
	c := p.open(t, cache.Auto)
	_, err := c.Do(t.Context(), asking("a"), answering(&calls, `{"claims":[]}`))
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(c.Close()).To(Succeed())
	// Made with another implementation of SHA-256, from the documented scheme.
	g.Expect(p.read(t)).To(Equal(`{"k":"338220e87aa424d2d7aacedb96e5bcd9","step":"claims/v1","by":"example.com","about":"a","reply":{"claims":[]},"served":{"ms":1},"parts":{"model":"m","prompt":"c29591bce8c9","text":"ca978112ca1b"},"request":"b4d7912f4406bf5346998aca86d799fadcfae84d6ceabe266141aee5fb38e87d","sum":"48c8bbaf9d1631f8"}` + "\n"))
}

func TestStoreServesOtherPackages(t *testing.T) {
	g, p, q := NewWithT(t), newPlace(t), newPlace(t)
	q.home = p.home
	var calls atomic.Int64
	for i, at := range []place{p, q} {
		c := at.open(t, cache.Auto)
		reply, err := c.Do(t.Context(), asking("a"), answering(&calls, `1`))
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(reply.Source).To(Equal([]cache.Source{cache.Asked, cache.Stored}[i]))
		g.Expect(c.Close()).To(Succeed())
	}
	g.Expect(calls.Load()).To(BeEquivalentTo(1))
	g.Expect(q.read(t)).To(Equal(p.read(t)), "what the store had is recorded beside the package that asked for it")
}

func TestErrorsAreNotKept(t *testing.T) {
	g, p := NewWithT(t), newPlace(t)
	c := p.open(t, cache.Auto)
	down := errors.New("down")
	_, err := c.Do(t.Context(), asking("a"), func(context.Context) (cache.Reply, error) { return cache.Reply{}, down })
	g.Expect(err).To(MatchError(down))
	g.Expect(c.Close()).To(Succeed())
	g.Expect(p.read(t)).To(BeEmpty())
	var calls atomic.Int64
	c = p.open(t, cache.Auto)
	_, err = c.Do(t.Context(), asking("a"), answering(&calls, `1`))
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(calls.Load()).To(BeEquivalentTo(1))
	g.Expect(c.Close()).To(Succeed())
}

func TestPaidOnceByGoroutines(t *testing.T) {
	g, p := NewWithT(t), newPlace(t)
	var calls atomic.Int64
	c := p.open(t, cache.Auto)
	var wg sync.WaitGroup
	for i := range 400 {
		wg.Go(func() {
			text := fmt.Sprint(i % 20)
			reply, err := c.Do(t.Context(), asking(text), answering(&calls, fmt.Sprintf("%q", text)))
			if err != nil || string(reply.Value) != fmt.Sprintf("%q", text) {
				t.Errorf("%s: got %s, %v", text, reply.Value, err)
			}
		})
	}
	wg.Wait()
	g.Expect(calls.Load()).To(BeEquivalentTo(20))
	n := c.Counts()
	g.Expect(n.Asked).To(Equal(20))
	g.Expect(n.Asked + n.Recorded + n.Stored + n.Repeated).To(Equal(400))
	g.Expect(c.Close()).To(Succeed())
	g.Expect(strings.Count(p.read(t), "\n")).To(Equal(20))
}

func TestFollowersOutliveALeaderThatGaveUp(t *testing.T) {
	g, p := NewWithT(t), newPlace(t)
	c := p.open(t, cache.Auto)
	leader, giveUp := context.WithCancel(t.Context())
	begun := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		_, err := c.Do(leader, asking("a"), func(ctx context.Context) (cache.Reply, error) {
			close(begun)
			<-ctx.Done()
			return cache.Reply{}, ctx.Err()
		})
		if !errors.Is(err, context.Canceled) {
			t.Errorf("the leader got %v", err)
		}
	})
	<-begun
	var calls atomic.Int64
	for range 5 {
		wg.Go(func() {
			if _, err := c.Do(t.Context(), asking("a"), answering(&calls, `1`)); err != nil {
				t.Errorf("a follower got %v", err)
			}
		})
	}
	giveUp()
	wg.Wait()
	g.Expect(calls.Load()).To(BeEquivalentTo(1))
	g.Expect(c.Close()).To(Succeed())
}

func TestTrialsAreKeptApart(t *testing.T) {
	g, p := NewWithT(t), newPlace(t)
	for run := range 2 {
		c := p.open(t, cache.Auto)
		for trial, value := range []string{"1", "0", "1"} {
			r := asking("a")
			r.Trial = trial
			var calls atomic.Int64
			reply, err := c.Do(t.Context(), r, answering(&calls, value))
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(string(reply.Value)).To(Equal(value))
			g.Expect(calls.Load()).To(BeEquivalentTo(1 - run))
		}
		g.Expect(c.Close()).To(Succeed())
	}
}

func TestChangingDirectoryDoesNotMoveTheRecording(t *testing.T) {
	g := NewWithT(t)
	before, err := cache.Open(cache.Options{Mode: cache.Replay})
	g.Expect(err).NotTo(HaveOccurred())
	t.Chdir(t.TempDir())
	after, err := cache.Open(cache.Options{Mode: cache.Replay})
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(after.Dir()).To(Equal(before.Dir()))
	g.Expect(filepath.ToSlash(after.Dir())).To(HaveSuffix("/cache/testdata/ragtest"))
}

func TestWarningsMayBeReadWhileTheStoreIsOpened(t *testing.T) {
	p := newPlace(t)
	c := p.open(t, cache.Auto)
	var wg sync.WaitGroup
	wg.Go(func() {
		for range 200 {
			_ = c.Warnings()
		}
	})
	var calls atomic.Int64
	if _, err := c.Do(t.Context(), asking("a"), answering(&calls, `1`)); err != nil {
		t.Error(err)
	}
	wg.Wait()
	if err := c.Close(); err != nil {
		t.Error(err)
	}
}
