package cache_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	. "github.com/onsi/gomega"

	"github.com/ragomega/ragomega/cache"
)

// tallyHome gives this process, and those it starts, a cache folder and a run.
func tallyHome(t *testing.T) (home string) {
	t.Helper()
	home = t.TempDir()
	t.Setenv("XDG_CACHE_HOME", home)
	t.Setenv("RAGTEST_RUN", "one")
	return home
}

func add(ctx context.Context, t *cache.Tally, name string, n int64) error {
	return t.Change(ctx, func(sums map[string]int64) error { sums[name] += n; return nil })
}

func sums(t *testing.T, tally *cache.Tally) (all map[string]int64) {
	t.Helper()
	NewWithT(t).Expect(tally.Change(t.Context(), func(sums map[string]int64) error { all = sums; return nil })).To(Succeed())
	return all
}

func TestTallyOfARun(t *testing.T) {
	g := NewWithT(t)
	tallyHome(t)
	open := func(name string) *cache.Tally {
		t.Helper()
		tally, err := cache.RunTally(name)
		g.Expect(err).NotTo(HaveOccurred())
		return tally
	}
	a := open("x")
	g.Expect(add(t.Context(), a, "calls", 3)).To(Succeed())
	g.Expect(add(t.Context(), open("x"), "tokens", 1<<60)).To(Succeed())
	g.Expect(add(t.Context(), a, "calls", -5)).To(Succeed())
	g.Expect(sums(t, a)).To(Equal(map[string]int64{"calls": -2, "tokens": 1 << 60}))
	g.Expect(sums(t, open("y"))).To(BeEmpty(), "another tally")

	enough := errors.New("enough")
	g.Expect(a.Change(t.Context(), func(sums map[string]int64) error { sums["calls"] = 100; return enough })).To(BeIdenticalTo(enough))
	g.Expect(sums(t, a)["calls"]).To(BeEquivalentTo(-2), "an error changes nothing")

	t.Setenv("RAGTEST_RUN", "two")
	g.Expect(sums(t, open("x"))).To(BeEmpty(), "another run")
	ended, end := context.WithCancel(t.Context())
	end()
	g.Expect(a.Change(ended, func(map[string]int64) error { return nil })).To(MatchError(context.Canceled))
}

// A file that somebody wrote into says nothing that could be relied on.
func TestTallyThatIsDamaged(t *testing.T) {
	for _, text := range []string{"calls\n", "calls 1", "calls 1 2\n", "calls x\n"} {
		t.Run(text, func(t *testing.T) {
			g := NewWithT(t)
			home := tallyHome(t)
			tally, err := cache.RunTally("x")
			g.Expect(err).NotTo(HaveOccurred())
			path := filepath.Join(home, "ragtest", "v1", "runs", "one", "tally-x")
			g.Expect(os.WriteFile(path, []byte(text), 0o600)).To(Succeed())
			g.Expect(add(t.Context(), tally, "calls", 1)).To(MatchError(ContainSubstring("cannot read " + path)))
			g.Expect(os.ReadFile(path)).To(BeEquivalentTo(text))
		})
	}
}

// Without a folder a Tally counts in its process, and says so.
func TestTallyWithoutAHome(t *testing.T) {
	for name, home := range map[string]string{"none": "", "a file": os.DevNull} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			t.Setenv("HOME", "")
			t.Setenv("XDG_CACHE_HOME", home)
			tally, err := cache.RunTally("x")
			g.Expect(err).To(HaveOccurred())
			var wg sync.WaitGroup
			for range 20 {
				wg.Go(func() { g.Expect(add(t.Context(), tally, "calls", 1)).To(Succeed()) })
			}
			wg.Wait()
			g.Expect(sums(t, tally)).To(HaveKeyWithValue("calls", BeEquivalentTo(20)))
			enough := errors.New("enough")
			g.Expect(tally.Change(t.Context(), func(sums map[string]int64) error { sums["calls"] = 0; return enough })).To(BeIdenticalTo(enough))
			g.Expect(sums(t, tally)).To(HaveKeyWithValue("calls", BeEquivalentTo(20)))
		})
	}
}

const tallyEnv = "RAGTEST_TALLY" // "adds" or "holds", for TestChildAdds

// TestChildAdds is the body of another process: it is no test of its own.
func TestChildAdds(t *testing.T) {
	what := os.Getenv(tallyEnv)
	if what == "" {
		t.Skip("run by other tests")
	}
	tally, err := cache.RunTally("x")
	if err != nil {
		t.Fatal(err)
	}
	if what == "holds" {
		_ = tally.Change(t.Context(), func(sums map[string]int64) error {
			sums["calls"] = 1000
			fmt.Println("holds")
			time.Sleep(time.Minute)
			return nil
		})
	}
	var wg sync.WaitGroup
	for range 5 {
		wg.Go(func() {
			for range 20 {
				if err := add(t.Context(), tally, "calls", 1); err != nil {
					t.Error(err)
				}
				fmt.Println("added")
			}
		})
	}
	wg.Wait()
}

func startAdding(t *testing.T, what string) (*exec.Cmd, *lines) {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run", "^TestChildAdds$")
	cmd.Env = append(os.Environ(), tallyEnv+"="+what)
	out := &lines{}
	cmd.Stdout, cmd.Stderr = out, out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return cmd, out
}

// lines is what a process printed so far.
type lines struct {
	mu   sync.Mutex
	text strings.Builder
}

func (l *lines) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(b)
}

func (l *lines) count(line string) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Count(l.text.String(), line+"\n")
}

func TestProcessesAddToOneTally(t *testing.T) {
	g := NewWithT(t)
	tallyHome(t)
	var children []*exec.Cmd
	for range 6 {
		child, _ := startAdding(t, "adds")
		children = append(children, child)
	}
	for _, c := range children {
		g.Expect(c.Wait()).To(Succeed())
	}
	tally, err := cache.RunTally("x")
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(sums(t, tally)).To(Equal(map[string]int64{"calls": 600}))
}

// A killed process leaves the sums whole and keeps nobody waiting: what it had
// not written is not there, and what it said it added is.
func TestTallyOfProcessesThatAreKilled(t *testing.T) {
	g := NewWithT(t)
	tallyHome(t)
	holder, out := startAdding(t, "holds")
	g.Eventually(func() int { return out.count("holds") }, "20s", "5ms").Should(Equal(1))
	g.Expect(holder.Process.Kill()).To(Succeed())
	_ = holder.Wait()
	tally, err := cache.RunTally("x")
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(sums(t, tally)).To(BeEmpty())

	said := 0
	for round := range 6 {
		child, out := startAdding(t, "adds")
		g.Eventually(func() int { return out.count("added") }, "20s", "1ms").Should(BeNumerically(">", 3*round))
		_ = child.Process.Kill()
		_ = child.Wait()
		said += out.count("added")
		g.Expect(sums(t, tally)["calls"]).To(And(BeNumerically(">=", said), BeNumerically("<=", said+5*(round+1))))
	}
}
