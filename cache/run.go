package cache

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"time"
)

// A run is what one command starts: go test ./... and ginkgo -p start many
// processes, which must agree on what was already asked again. They are told
// together by RAGTEST_RUN, or else by the go or ginkgo process that started
// them. A test binary started by anything else is a run of its own.

// runID names the run that this process belongs to.
func runID() string {
	if id := os.Getenv("RAGTEST_RUN"); id != "" {
		return unsafeName.ReplaceAllString(id, "_")
	}
	if name, start, ok := process(os.Getppid()); ok && (name == "go" || name == "ginkgo") {
		return fmt.Sprintf("%d-%s", os.Getppid(), start)
	}
	return fmt.Sprintf("%d-%d", os.Getpid(), born.UnixNano())
}

// born tells this process from an earlier one with its number.
var born = time.Now()

var unsafeName = regexp.MustCompile(`[^A-Za-z0-9_.-]`)

// openRun returns the store of this run, beside the machine's, or nil.
func (l *live) openRun() *Store {
	l.openedRun.Do(func() {
		if l.open() == nil {
			return
		}
		runs := filepath.Join(l.home, "runs")
		forget(runs, 24*time.Hour)
		store, err := OpenStore(filepath.Join(runs, runID()))
		if err != nil {
			l.cache.warn("processes of this run cannot share what they ask again: %v", err)
			return
		}
		l.mu.Lock()
		defer l.mu.Unlock()
		l.run = store
	})
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.run
}

// forget removes the runs that ended long ago.
func forget(runs string, age time.Duration) {
	entries, err := os.ReadDir(runs)
	if err != nil {
		return
	}
	for _, e := range entries {
		if info, err := e.Info(); err == nil && time.Since(info.ModTime()) > age {
			_ = os.RemoveAll(filepath.Join(runs, e.Name()))
		}
	}
}
