package cache

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
	"time"
)

// RunFile is a file of JSON objects, one a line, that all processes of one run
// write together: go test ./... and ginkgo -p start many. What an earlier run
// left in it is removed by the first process that comes to it. Which processes
// are one run is said by RAGTEST_RUN, or else by the go or ginkgo command that
// started them.
//
// Every line begins with a field "run", and is one write at the end of the file,
// so that lines never mix. Only a process that is killed as it writes can leave
// the beginning of a line.
type RunFile struct {
	path string

	mu sync.Mutex
	f  *os.File
}

// NewRunFile returns the file at path, which is not touched yet.
func NewRunFile(path string) *RunFile { return &RunFile{path: path} }

// Append adds a line. The object must have a field.
func (r *RunFile) Append(object []byte) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	line := append([]byte(r.mark()+","), bytes.TrimPrefix(object, []byte("{"))...)
	line = append(line, '\n')
	if r.f == nil {
		return r.begin(line)
	}
	return r.write(line)
}

// Close ends the writing. If nobody of the run had anything to write, the file
// is empty then. After Close, Append goes on where the file ends.
func (r *RunFile) Close() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.f == nil {
		if err := r.begin(nil); err != nil {
			return err
		}
	}
	// go test takes a result from its cache only if the files of the module that
	// the test opened are as they were, and have been so for two seconds. One that
	// was cached would have no lines here.
	now := time.Now()
	_ = os.Chtimes(r.path, now, now)
	err := r.f.Close()
	r.f = nil
	return err
}

// runMark is what lines begin with, but for the name of the run.
const runMark = `{"run":"`

func (r *RunFile) mark() string { return runMark + runID() + `"` }

func (r *RunFile) write(line []byte) error {
	_, err := r.f.Write(line)
	return err
}

// begin opens the file and writes the first line of this process. It is the
// only one to do so meanwhile: a process that finds the file empty, or another
// run's, must have its own line in it before the next one looks.
func (r *RunFile) begin(line []byte) error {
	abs, err := filepath.Abs(r.path)
	if err != nil {
		return err
	}
	locks := filepath.Join(os.TempDir(), fmt.Sprintf("ragtest-locks-%d", os.Getuid()))
	lock, err := lockPath(context.Background(), filepath.Join(locks, digest([]byte(abs))[:32]), recordingLockWait)
	if err != nil {
		return fmt.Errorf("the lock of %s is not to be had: %w", r.path, err)
	}
	defer lock.Close()
	f, err := os.OpenFile(r.path, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o644)
	if err != nil {
		return err
	}
	torn, err := r.claim(f)
	if err != nil {
		f.Close()
		return err
	}
	r.f = f
	if torn && len(line) > 0 {
		line = append([]byte("\n"), line...)
	}
	if len(line) == 0 {
		return nil
	}
	return r.write(line)
}

// claim empties f if it is another run's, and reports whether its last line has
// no end: a process was killed, or is writing at this moment, and then an empty
// line comes of it, which readers pass over. A terminal or a pipe has no earlier run.
func (r *RunFile) claim(f *os.File) (torn bool, err error) {
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() || info.Size() == 0 {
		return false, err
	}
	head := make([]byte, min(int64(len(r.mark())), info.Size()))
	if _, err := f.ReadAt(head, 0); err != nil && err != io.EOF {
		return false, err
	}
	switch {
	case string(head) == r.mark():
	case bytes.HasPrefix(head, []byte(runMark)):
		return false, f.Truncate(0)
	default:
		return false, fmt.Errorf("%s was not written by a run, and is left as it is", r.path)
	}
	last := make([]byte, 1)
	_, err = f.ReadAt(last, info.Size()-1)
	return last[0] != '\n', err
}
