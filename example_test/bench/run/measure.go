package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// The phases of a run: each goes on from the files of the one before.
const (
	cold   = "cold"   // nothing is recorded
	warm   = "warm"   // the same again, with the judge in reach
	replay = "replay" // the same again, and nothing may be asked
)

// subject is what is measured.
type subject struct {
	name   string
	ours   bool
	phases []string
	// command makes the process of a phase, with its files in dir.
	command func(phase, dir string) (*exec.Cmd, error)
}

// figures are those of one process and its children.
type figures struct {
	wall, cpu     time.Duration
	calls, unique int
}

// round measures all phases of s, from an empty folder on.
func (b *lab) round(ctx context.Context, s subject) (map[string]figures, error) {
	dir, err := os.MkdirTemp(b.temp, "round-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	home := filepath.Join(dir, "home")
	if err := os.Mkdir(home, 0o700); err != nil {
		return nil, err
	}
	got := map[string]figures{}
	for _, phase := range s.phases {
		if _, err := b.ask("POST", "/reset"); err != nil {
			return nil, err
		}
		c, err := s.command(phase, dir)
		if err != nil {
			return nil, err
		}
		c.Env = append(b.environ(dir, home), c.Env...)
		var out bytes.Buffer
		c.Stdout, c.Stderr = &out, &out
		start := time.Now()
		if err := c.Start(); err != nil {
			return nil, err
		}
		stop := context.AfterFunc(ctx, func() { _ = c.Process.Kill() })
		err = c.Wait()
		f := figures{wall: time.Since(start)}
		stop()
		if err != nil {
			return nil, fmt.Errorf("%s, %s: %w\n%s", s.name, phase, err, tail(out.String()))
		}
		f.cpu = c.ProcessState.UserTime() + c.ProcessState.SystemTime()
		stats, err := b.ask("GET", "/stats")
		if err != nil {
			return nil, err
		}
		f.calls, f.unique = stats["calls"], stats["unique"]
		got[phase] = f
	}
	return got, nil
}

// environ is the environment of everything that is measured: a home without
// files, and a judge.
func (b *lab) environ(dir, home string) []string {
	var env []string
	for _, e := range os.Environ() {
		name, _, _ := strings.Cut(e, "=")
		if name == "CI" || name == "XDG_CACHE_HOME" || strings.HasPrefix(name, "RAGTEST_") || strings.HasPrefix(name, "OPENAI_") {
			continue
		}
		env = append(env, e)
	}
	return append(append(env, b.goEnv...),
		"HOME="+home, "OPENAI_API_KEY=none", "OPENAI_BASE_URL="+b.judge,
		fmt.Sprintf("RAGTEST_BENCH_N=%d", b.n), "RAGTEST_BENCH_DATASET="+b.dataset, "RAGTEST_BENCH_DIR="+filepath.Join(dir, "recording"))
}

func (b *lab) ask(method, path string) (map[string]int, error) {
	r, err := http.NewRequest(method, strings.TrimSuffix(b.judge, "/v1")+path, nil)
	if err != nil {
		return nil, err
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	var counts map[string]int
	if method == "GET" {
		err = json.NewDecoder(resp.Body).Decode(&counts)
	}
	return counts, err
}

// ours are the two ways to run the suite: its test binary, which go test -c
// made, and go test itself.
func (b *lab) ours() []subject {
	mode := map[string]string{cold: "auto", warm: "auto", replay: "replay"}
	suite := func(c *exec.Cmd, phase, dir string) (*exec.Cmd, error) {
		c.Dir = dir
		c.Env = []string{"RAGTEST_CACHE=" + mode[phase]}
		return c, nil
	}
	phases := []string{cold, warm, replay}
	return []subject{
		{"ragomega, test binary", true, phases, func(phase, dir string) (*exec.Cmd, error) {
			return suite(exec.Command(filepath.Join(b.temp, "suite"), "-test.run=^TestBench$", "-test.parallel=16"), phase, dir)
		}},
		{"ragomega, go test -count=1", true, phases, func(phase, dir string) (*exec.Cmd, error) {
			return suite(exec.Command("go", "test", "-C", b.pkg, "-count=1", "-run=^TestBench$", "-parallel=16", "."), phase, dir)
		}},
	}
}

// tail returns the last lines of what a process said.
func tail(s string) string {
	lines := strings.Split(strings.TrimSpace(s), "\n")
	return strings.Join(lines[max(0, len(lines)-40):], "\n")
}
