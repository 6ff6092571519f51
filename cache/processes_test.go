package cache_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	. "github.com/onsi/gomega"

	"github.com/ragomega/ragomega/cache"
)

const childEnv = "RAGTEST_CHILD" // "dir home ledger keys", for TestChildAsks

// startAsking starts a process that asks for keys requests in one package.
func startAsking(t *testing.T, p place, ledger string, keys int) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run", "^TestChildAsks$", "-test.v")
	cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%s %s %s %d", childEnv, p.dir, p.home, ledger, keys))
	var out strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if t.Failed() {
			t.Log(out.String())
		}
	})
	return cmd
}

// TestChildAsks is the body of another process: it is no test of its own.
func TestChildAsks(t *testing.T) {
	args := strings.Fields(os.Getenv(childEnv))
	if len(args) != 4 {
		t.Skip("run by other tests")
	}
	p := place{args[0], args[1]}
	keys, err := strconv.Atoi(args[3])
	if err != nil {
		t.Fatal(err)
	}
	c := p.open(t, cache.Auto)
	for _, i := range append(seq(os.Getpid()%keys, keys), seq(0, os.Getpid()%keys)...) {
		reply, err := c.Do(t.Context(), asking(fmt.Sprint(i)), func(context.Context) (cache.Reply, error) {
			time.Sleep(time.Millisecond)
			pay(t, args[2], fmt.Sprint(i))
			return cache.Reply{Value: json.RawMessage(fmt.Sprintf(`"reply to %d"`, i))}, nil
		})
		if want := fmt.Sprintf(`"reply to %d"`, i); err != nil || string(reply.Value) != want {
			t.Errorf("got %s, %v, want %s", reply.Value, err, want)
		}
		pay(t, args[2], fmt.Sprintf("acknowledged %d", i))
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
}

func seq(from, to int) []int {
	var s []int
	for i := from; i < to; i++ {
		s = append(s, i)
	}
	return s
}

func pay(t *testing.T, ledger, what string) {
	t.Helper()
	f, err := os.OpenFile(ledger, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString(what + "\n"); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
}

func ledgerLines(t *testing.T, ledger string) (paid, acknowledged []string) {
	t.Helper()
	b, err := os.ReadFile(ledger)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(b)) {
		line = strings.TrimSpace(line)
		if what, ok := strings.CutPrefix(line, "acknowledged "); ok {
			acknowledged = append(acknowledged, what)
		} else {
			paid = append(paid, line)
		}
	}
	return paid, acknowledged
}

func TestTwoProcessesOfOnePackagePayOnceAndShareTheRecording(t *testing.T) {
	for name, withStore := range map[string]bool{"with a store": true, "without": false} {
		t.Run(name, func(t *testing.T) {
			g, p := NewWithT(t), newPlace(t)
			ledger := filepath.Join(t.TempDir(), "ledger")
			if !withStore {
				g.Expect(os.WriteFile(p.home, nil, 0o644)).To(Succeed(), "a file where the store should be")
			}
			const keys = 60
			var children []*exec.Cmd
			for range 6 {
				children = append(children, startAsking(t, p, ledger, keys))
			}
			for _, c := range children {
				g.Expect(c.Wait()).To(Succeed())
			}
			paid, _ := ledgerLines(t, ledger)
			if withStore {
				g.Expect(paid).To(HaveLen(keys))
			}
			lines := strings.Split(strings.TrimSpace(p.read(t)), "\n")
			g.Expect(lines).To(HaveLen(keys), "one line a key, whoever paid")
			g.Expect(slices.IsSorted(lines)).To(BeTrue())
			for i := range keys {
				_, err := replay(t, p, asking(fmt.Sprint(i)))
				g.Expect(err).NotTo(HaveOccurred())
			}
		})
	}
}

// Two clones of a repository have recordings of their own and one store.
func TestTwoProcessesInTwoClonesPayOnce(t *testing.T) {
	g, p, q := NewWithT(t), newPlace(t), newPlace(t)
	q.home = p.home
	ledger := filepath.Join(t.TempDir(), "ledger")
	const keys = 60
	var children []*exec.Cmd
	for range 2 {
		children = append(children, startAsking(t, p, ledger, keys), startAsking(t, q, ledger, keys))
	}
	for _, c := range children {
		g.Expect(c.Wait()).To(Succeed())
	}
	paid, _ := ledgerLines(t, ledger)
	g.Expect(paid).To(HaveLen(keys))
	g.Expect(strings.Count(p.read(t), "\n")).To(Equal(keys))
	g.Expect(q.read(t)).To(Equal(p.read(t)))
}

func TestCacheCorruptByKillsLosesNothingThatWasAcknowledged(t *testing.T) {
	g, p := NewWithT(t), newPlace(t)
	ledger := filepath.Join(t.TempDir(), "ledger")
	pay(t, ledger, "0")
	const keys = 80
	rounds := 12
	if testing.Short() {
		rounds = 4
	}
	for round := range rounds {
		a, b := startAsking(t, p, ledger, keys), startAsking(t, p, ledger, keys)
		time.Sleep(time.Duration(50+23*round) * time.Millisecond)
		for _, c := range []*exec.Cmd{a, b} {
			_ = c.Process.Kill()
			_ = c.Wait()
		}
		_, acknowledged := ledgerLines(t, ledger)
		c := p.open(t, cache.Replay)
		for _, i := range acknowledged {
			reply, err := c.Do(t.Context(), asking(i), unreachable(t))
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(string(reply.Value)).To(Equal(fmt.Sprintf(`"reply to %s"`, i)))
		}
		if len(acknowledged) > keys*3 {
			g.Expect(os.RemoveAll(p.dir)).To(Succeed()) // begin anew, with a full store
			g.Expect(os.RemoveAll(p.home)).To(Succeed())
			g.Expect(os.Remove(ledger)).To(Succeed())
			pay(t, ledger, "0")
		}
	}
	last := startAsking(t, p, ledger, keys)
	g.Expect(last.Wait()).To(Succeed())
	g.Expect(strings.Count(p.read(t), "\n")).To(Equal(keys))
}
