// Command run measures the suite in example_test/bench, and other tools beside
// it where they are installed: cold, with nothing recorded, and warm. It prints
// tables. See README.md there.
//
//	go run ./example_test/bench/run [-n 50,200] [-runs 3] [-latency 0] [-peers DIR]
package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"log"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/ragomega/ragomega/example_test/bench"
)

func main() {
	sizes := flag.String("n", "50,200", "how many samples, one table each")
	runs := flag.Int("runs", 3, "how often everything is measured")
	latency := flag.Duration("latency", 0, "how long the judge takes for a reply")
	peers := flag.String("peers", os.Getenv("RAGTEST_BENCH_PEERS"), "the folder that other tools are installed in; empty measures none")
	flag.Parse()
	log.SetFlags(log.Ltime)
	if err := run(*sizes, *runs, *latency, *peers); err != nil {
		log.Fatal(err)
	}
}

func run(sizes string, runs int, latency time.Duration, peers string) error {
	ctx, done := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer done()
	temp, err := os.MkdirTemp("", "ragtest-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(temp)
	b := &lab{temp: temp}
	if err := b.build(); err != nil {
		return err
	}
	stop, err := b.startJudge(latency)
	if err != nil {
		return err
	}
	defer stop()
	subjects := b.ours()
	if peers != "" {
		found, err := b.others(peers)
		if err != nil {
			return err
		}
		subjects = append(subjects, found...)
	}

	// Once without measuring, so that no file is read for the first time.
	if err := b.samples(1); err != nil {
		return err
	}
	for _, s := range subjects {
		if _, err := b.round(ctx, s); err != nil {
			return err
		}
	}
	var wrong []error
	for _, size := range strings.Split(sizes, ",") {
		n, err := strconv.Atoi(size)
		if err != nil {
			return err
		}
		if err := b.samples(n); err != nil {
			return err
		}
		t := newTable(n, latency)
		err = b.fill(ctx, t, subjects, runs)
		fmt.Println(t) // what there is of it
		if err != nil {
			return err
		}
		wrong = append(wrong, t.check())
	}
	return errors.Join(wrong...)
}

func (b *lab) fill(ctx context.Context, t *table, subjects []subject, runs int) error {
	for i := range runs {
		for _, s := range subjects {
			log.Printf("%d samples, run %d of %d: %s", b.n, i+1, runs, s.name)
			figures, err := b.round(ctx, s)
			if err != nil && !s.ours && ctx.Err() == nil { // they crash at times, as promptfoo does at its end under load
				log.Printf("once more, as it failed: %v", err)
				figures, err = b.round(ctx, s)
			}
			if err != nil {
				return err
			}
			t.add(s, figures)
		}
	}
	return nil
}

// lab is what the subjects are measured with.
type lab struct {
	temp    string
	pkg     string   // the folder of the suite
	goEnv   []string // so that go finds its caches without a home
	judge   string   // base URL
	dataset string
	n       int
}

func (b *lab) build() error {
	out, err := exec.Command("go", "list", "-f", "{{.Dir}}", "github.com/ragomega/ragomega/example_test/bench").Output()
	if err != nil {
		return fmt.Errorf("run it within the module: %w", err)
	}
	b.pkg = strings.TrimSpace(string(out))
	if out, err = exec.Command("go", "env", "-json", "GOCACHE", "GOMODCACHE", "GOPATH", "GOENV").Output(); err != nil {
		return err
	}
	var env map[string]string
	if err := json.Unmarshal(out, &env); err != nil {
		return err
	}
	for name, value := range env {
		b.goEnv = append(b.goEnv, name+"="+value)
	}
	for _, args := range [][]string{
		{"test", "-c", "-o", filepath.Join(b.temp, "suite"), "."},
		{"build", "-o", filepath.Join(b.temp, "judge"), "./judge"},
	} {
		c := exec.Command("go", args...)
		c.Dir = b.pkg
		if out, err := c.CombinedOutput(); err != nil {
			return fmt.Errorf("go %s: %w\n%s", args[0], err, out)
		}
	}
	return nil
}

func (b *lab) startJudge(latency time.Duration) (stop func(), err error) {
	c := exec.Command(filepath.Join(b.temp, "judge"), "-latency", latency.String())
	c.Stderr = os.Stderr
	out, err := c.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := c.Start(); err != nil {
		return nil, err
	}
	stop = func() {
		_ = c.Process.Kill() // it serves until then
		_ = c.Wait()
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		stop()
		return nil, fmt.Errorf("the judge does not start: %w", err)
	}
	b.judge = strings.TrimSpace(line)
	return stop, nil
}

func (b *lab) samples(n int) error {
	var lines bytes.Buffer
	enc := json.NewEncoder(&lines)
	for _, s := range bench.Samples(n) {
		if err := enc.Encode(s); err != nil {
			return err
		}
	}
	b.n, b.dataset = n, filepath.Join(b.temp, fmt.Sprintf("samples-%d.jsonl", n))
	return os.WriteFile(b.dataset, lines.Bytes(), 0o644)
}
