package ragtest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/ragomega/ragomega/cache"
)

// results is the file that RAGTEST_RESULTS names, and what went wrong with it.
var results struct {
	mu   sync.Mutex
	name string
	file *cache.RunFile // of name
	lost int
	err  error // the first
}

// resultsFile returns the file that measurements are written to, "" if to none.
// go test runs every package in a folder of its own, so a relative path begins
// at the root of the module, for all to find one file.
func resultsFile() string {
	name := os.Getenv("RAGTEST_RESULTS")
	if name != "" && !filepath.IsAbs(name) {
		root, ok := moduleRoot()
		if !ok {
			root = startedIn
		}
		name = filepath.Join(root, name)
	}
	return name
}

// keep writes r to a file. What cannot be written is an error of [Close]: a
// measurement is none the worse for it.
func (r Record) keep(file string) {
	line, err := marshal(r)
	results.mu.Lock()
	defer results.mu.Unlock()
	if results.file == nil || results.name != file {
		results.name, results.file = file, cache.NewRunFile(file)
	}
	if err == nil {
		err = results.file.Append(line)
	}
	if err != nil {
		results.lost++
		if results.err == nil {
			results.err = err
		}
	}
}

// closeResults ends the file, if there is one. One that an earlier run wrote is
// emptied even where this one measured nothing.
func closeResults() error {
	file := resultsFile()
	results.mu.Lock()
	defer results.mu.Unlock()
	if results.file == nil && file != "" {
		results.file = cache.NewRunFile(file)
	}
	if results.file == nil {
		return nil
	}
	err, lost := results.err, results.lost
	if errClose := results.file.Close(); err == nil {
		err = errClose
	}
	results.name, results.file, results.lost, results.err = "", nil, 0, nil
	switch {
	case err == nil:
		return nil
	case lost > 0:
		return fmt.Errorf("ragtest: %d result(s) could not be written to the file of RAGTEST_RESULTS: %w", lost, err)
	}
	return fmt.Errorf("ragtest: the file of RAGTEST_RESULTS could not be written: %w", err)
}

// ErrTorn reports a line of results that ends before its end: a process was
// killed as it wrote it.
var ErrTorn = errors.New("torn line")

// ReadResults reads a file that RAGTEST_RESULTS named, in the order in which the
// measurements were made. A line that is no [Record] is an error that names file
// and line.
//
// If lines are torn, all others are returned together with an [ErrTorn]: these
// results are good, but those of the process that was killed are not complete.
func ReadResults(file string) ([]Record, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("ragtest: the results cannot be read: %w", err)
	}
	var records []Record
	var torn []string
	for no := 1; len(text) > 0; no++ {
		line, rest, _ := bytes.Cut(text, []byte("\n"))
		text = rest
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		var r Record
		switch err := json.Unmarshal(line, &r); {
		case err == nil:
			records = append(records, r)
		case endsEarly(line):
			torn = append(torn, fmt.Sprintf("%s:%d", file, no))
		default:
			return nil, fmt.Errorf("ragtest: %s:%d is not a result: %w", file, no, err)
		}
	}
	if len(torn) > 0 {
		return records, fmt.Errorf("ragtest: %w: %s: a process was killed as it wrote, and its results are not complete", ErrTorn, strings.Join(torn, ", "))
	}
	return records, nil
}

// endsEarly reports whether line is the beginning of a JSON object.
func endsEarly(line []byte) bool {
	var v map[string]json.RawMessage
	return bytes.HasPrefix(line, []byte("{")) && errors.Is(json.NewDecoder(bytes.NewReader(line)).Decode(&v), io.ErrUnexpectedEOF)
}
