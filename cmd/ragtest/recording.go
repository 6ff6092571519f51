package main

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ragomega/ragomega/cache"
)

// recording is a file of exchanges.
type recording struct {
	file      string
	exchanges []exchange // of the lines that can be used
	bad       []badLine
}

// badLine is a line that cannot be used.
type badLine struct {
	File string `json:"file"`
	Line int    `json:"line"`
	Why  string `json:"why"`
}

func (b badLine) String() string { return fmt.Sprintf("%s:%d %s", b.File, b.Line, b.Why) }

// parseRecording reads the text of a recording; the name is for messages.
func parseRecording(file string, text []byte) recording {
	r := recording{file: file}
	text = bytes.TrimPrefix(text, []byte("\ufeff"))
	seen := map[string]bool{}
	no := 0
	for line := range bytes.Lines(text) {
		no++
		line = bytes.TrimSpace(line)
		if len(line) == 0 || seen[string(line)] {
			continue // repeated lines are one, as a union merge leaves them
		}
		seen[string(line)] = true
		x, err := cache.ReadExchange(line)
		if err != nil {
			r.bad = append(r.bad, badLine{file, no, err.Error()})
			continue
		}
		r.exchanges = append(r.exchanges, exchange{file, no, x})
	}
	return r
}

// readRecordings reads the recordings that args name.
func readRecordings(args []string) ([]recording, error) {
	files, err := findRecordings(args)
	if err != nil {
		return nil, err
	}
	var all []recording
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			return nil, fmt.Errorf("the recording cannot be read: %w", err)
		}
		all = append(all, parseRecording(f, text))
	}
	return all, nil
}

// errNoRecordings: there is nothing where recordings were looked for.
var errNoRecordings = errors.New("no recordings")

// findRecordings returns the files that args name: recordings, folders of them
// or of test packages, import paths, and DIR/... for all below. Nothing is ./...
func findRecordings(args []string) ([]string, error) {
	if len(args) == 0 {
		args = []string{"./..."}
	}
	var files []string
	for _, arg := range args {
		found, err := recordingsOf(arg)
		if err != nil {
			return nil, err
		}
		if len(found) == 0 {
			return nil, fmt.Errorf("%w in %s, expected testdata/ragtest/*.jsonl, which tests write when they are run with a key", errNoRecordings, arg)
		}
		for _, f := range found {
			if f = filepath.Clean(f); !slices.Contains(files, f) {
				files = append(files, f)
			}
		}
	}
	return files, nil
}

func recordingsOf(arg string) ([]string, error) {
	if dir, ok := strings.CutSuffix(filepath.ToSlash(arg), "/..."); ok || arg == "..." {
		if arg == "..." {
			dir = "."
		}
		if info, err := os.Stat(dir); err == nil && info.IsDir() {
			return recordingsBelow(cmp.Or(dir, "/"))
		}
	}
	info, err := os.Stat(arg)
	switch {
	case err == nil && info.IsDir():
		return recordingsIn(arg)
	case err == nil:
		return []string{arg}, nil
	case !errors.Is(err, fs.ErrNotExist):
		return nil, err
	}
	// Perhaps an import path. The go command's message would only confuse where
	// it is none.
	packages, errList := listPackages([]string{"--", arg}, nil)
	if errors.Is(errList, exec.ErrNotFound) || errList != nil || strings.HasPrefix(arg, ".") {
		return nil, fmt.Errorf("%s is neither a file, a folder nor a package: %w", arg, fs.ErrNotExist)
	}
	var files []string
	for _, p := range packages {
		found, err := recordingsIn(p.Dir)
		if err != nil {
			return nil, err
		}
		files = append(files, found...)
	}
	return files, nil
}

// recordingsIn returns the recordings of a test package, or those that lie in a
// folder themselves.
func recordingsIn(dir string) ([]string, error) {
	files, err := filepath.Glob(filepath.Join(dir, "testdata", "ragtest", "*.jsonl"))
	if err == nil && len(files) == 0 {
		files, err = filepath.Glob(filepath.Join(dir, "*.jsonl"))
	}
	return files, err
}

// recordingsBelow looks in every folder but hidden ones.
func recordingsBelow(dir string) (files []string, err error) {
	err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if name := d.Name(); path != dir && (strings.HasPrefix(name, ".") || name == "node_modules" || name == "vendor") {
				return filepath.SkipDir
			}
			return nil
		}
		if isRecording(filepath.ToSlash(path)) {
			files = append(files, path)
		}
		return nil
	})
	return files, err
}

// isRecording reports whether a path, with slashes, is that of a recording.
func isRecording(path string) bool {
	dir, name := "/"+path[:strings.LastIndex(path, "/")+1], path[strings.LastIndex(path, "/")+1:]
	return strings.HasSuffix(dir, "/testdata/ragtest/") && strings.HasSuffix(name, ".jsonl") && !strings.HasPrefix(name, ".")
}
