package cache_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	. "github.com/onsi/gomega"

	"github.com/ragomega/ragomega/cache"
)

const linesEnv = "RAGTEST_CHILD_LINES" // "file lines", for TestChildAppends

// TestChildAppends is the body of another process: it is no test of its own.
func TestChildAppends(t *testing.T) {
	var file string
	var lines int
	if n, _ := fmt.Sscan(os.Getenv(linesEnv), &file, &lines); n != 2 {
		t.Skip("run by other tests")
	}
	f := cache.NewRunFile(file)
	for i := range lines {
		if err := f.Append(fmt.Appendf(nil, `{"pid":%d,"line":%d,"text":%q}`, os.Getpid(), i, strings.Repeat("x", 100*i))); err != nil {
			t.Error(err)
		}
	}
	if err := f.Close(); err != nil {
		t.Error(err)
	}
}

func appending(run, file string, lines int) *exec.Cmd {
	cmd := exec.Command(os.Args[0], "-test.run", "^TestChildAppends$")
	cmd.Env = append(os.Environ(), "RAGTEST_RUN="+run, fmt.Sprintf("%s=%s %d", linesEnv, file, lines))
	return cmd
}

func TestProcessesOfOneRunShareAFile(t *testing.T) {
	g, file := NewWithT(t), filepath.Join(t.TempDir(), "lines")
	text := func() string {
		b, err := os.ReadFile(file)
		g.Expect(err).NotTo(HaveOccurred())
		return string(b)
	}
	const processes, lines = 6, 80
	for _, run := range []string{"one", "two"} {
		var all []*exec.Cmd
		for range processes {
			all = append(all, appending(run, file, lines))
			g.Expect(all[len(all)-1].Start()).To(Succeed())
		}
		seen := map[string]bool{}
		for _, c := range all {
			g.Expect(c.Wait()).To(Succeed())
			for i := range lines {
				seen[fmt.Sprintf(`{"run":%q,"pid":%d,"line":%d,"text":%q}`, run, c.Process.Pid, i, strings.Repeat("x", 100*i))] = true
			}
		}
		got := strings.Fields(text()) // no line has a blank; an empty line is none
		g.Expect(got).To(HaveLen(processes*lines), "nothing of the run before is left, and nothing of this one is lost")
		for _, line := range got {
			if !seen[line] {
				t.Fatalf("a line that nobody wrote: %.200s", line)
			}
		}
	}

	g.Expect(appending("two", file, 0).Run()).To(Succeed())
	g.Expect(strings.Fields(text())).To(HaveLen(processes * lines))
	g.Expect(appending("three", file, 0).Run()).To(Succeed())
	g.Expect(text()).To(BeEmpty(), "a run that wrote nothing leaves nothing of another")
}

func TestRunFile(t *testing.T) {
	t.Setenv("RAGTEST_RUN", "mine")
	for name, test := range map[string]struct{ before, after string }{
		"none":            {"", "{\"run\":\"mine\",\"a\":1}\n"},
		"mine":            {"{\"run\":\"mine\",\"b\":1}\n", "{\"run\":\"mine\",\"b\":1}\n{\"run\":\"mine\",\"a\":1}\n"},
		"mine, torn":      {"{\"run\":\"mine\",\"b\":", "{\"run\":\"mine\",\"b\":\n{\"run\":\"mine\",\"a\":1}\n"},
		"another's":       {"{\"run\":\"mine too\",\"b\":1}\n", "{\"run\":\"mine\",\"a\":1}\n"},
		"another's, torn": {"{\"run\":\"m", "{\"run\":\"mine\",\"a\":1}\n"},
	} {
		t.Run(name, func(t *testing.T) {
			g, file := NewWithT(t), filepath.Join(t.TempDir(), "lines")
			if test.before != "" {
				g.Expect(os.WriteFile(file, []byte(test.before), 0o644)).To(Succeed())
			}
			f := cache.NewRunFile(file)
			g.Expect(f.Append([]byte(`{"a":1}`))).To(Succeed())
			g.Expect(f.Close()).To(Succeed())
			g.Expect(os.ReadFile(file)).To(BeEquivalentTo(test.after))
			g.Expect(f.Append([]byte(`{"c":1}`))).To(Succeed())
			g.Expect(f.Close()).To(Succeed())
			g.Expect(os.ReadFile(file)).To(BeEquivalentTo(test.after + "{\"run\":\"mine\",\"c\":1}\n"))
		})
	}
}

// A file that was closed just now keeps go test from caching the run.
func TestRunFileIsNew(t *testing.T) {
	t.Setenv("RAGTEST_RUN", "mine")
	g, file := NewWithT(t), filepath.Join(t.TempDir(), "lines")
	f := cache.NewRunFile(file)
	g.Expect(f.Append([]byte(`{"a":1}`))).To(Succeed())
	past := time.Now().Add(-time.Hour)
	g.Expect(os.Chtimes(file, past, past)).To(Succeed())
	g.Expect(f.Close()).To(Succeed())
	info, err := os.Stat(file)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(info.ModTime()).To(BeTemporally("~", time.Now(), time.Minute))
}

func TestRunFileIsNoOtherFile(t *testing.T) {
	t.Setenv("RAGTEST_RUN", "mine")
	g, dir := NewWithT(t), t.TempDir()
	samples := filepath.Join(dir, "samples.jsonl")
	g.Expect(os.WriteFile(samples, []byte(`{"name":"mine"}`), 0o644)).To(Succeed())
	f := cache.NewRunFile(samples)
	g.Expect(f.Append([]byte(`{"a":1}`))).To(MatchError(samples + " was not written by a run, and is left as it is"))
	g.Expect(f.Close()).NotTo(Succeed())
	g.Expect(os.ReadFile(samples)).To(BeEquivalentTo(`{"name":"mine"}`))

	g.Expect(cache.NewRunFile(dir).Append([]byte(`{"a":1}`))).NotTo(Succeed())
	g.Expect(cache.NewRunFile(filepath.Join(dir, "no", "folder")).Append([]byte(`{"a":1}`))).To(MatchError(os.ErrNotExist))
	g.Expect(cache.NewRunFile(os.DevNull).Append([]byte(`{"a":1}`))).To(Succeed())
}
