package ragtest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"
)

// ReadSamples reads a file of samples: comma-separated values if it is called
// .csv, and otherwise one JSON object a line. Both are what Ragas writes. Fields
// that a [Sample] does not have are passed over; blank lines too.
//
// The first line of a .csv file names the columns as in JSON. A field that is no
// text is written in JSON or in Python's notation, as Ragas has it:
// ['one context', "the second's"]. Such a field that is empty is not there.
// Line ends within a field are read as \n, so that they are the same wherever the
// file was checked out.
//
// A record that cannot be read is an error that names file and line, and so is
// a name that occurs twice, as results could no longer be told apart.
func ReadSamples(file string) ([]Sample, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("ragtest: the samples cannot be read: %w", err)
	}
	text = bytes.TrimPrefix(text, []byte("\ufeff"))
	r := reading{file: file, line: map[string]int{}}
	read := r.lines
	if strings.EqualFold(filepath.Ext(file), ".csv") {
		read = r.csv
	}
	if err := r.checkUTF8(text); err != nil {
		return nil, err
	}
	if err := read(text); err != nil {
		return nil, err
	}
	if len(r.samples) == 0 {
		return nil, fmt.Errorf("ragtest: %s has no samples", file)
	}
	return r.samples, nil
}

// reading is a file of samples that is being read.
type reading struct {
	file    string
	samples []Sample
	line    map[string]int // of each name
}

// checkUTF8 finds texts in another encoding, which would be read as something
// else than they say.
func (r *reading) checkUTF8(text []byte) error {
	no := 0
	for line := range bytes.Lines(text) {
		no++
		if !utf8.Valid(line) {
			return fmt.Errorf("ragtest: %s:%d is not UTF-8", r.file, no)
		}
	}
	return nil
}

// lines reads a JSON object a line.
func (r *reading) lines(text []byte) error {
	no := 0
	for line := range bytes.Lines(text) {
		no++
		if line = bytes.TrimSpace(line); len(line) == 0 {
			continue
		}
		if err := r.add(no, line); err != nil {
			return err
		}
	}
	return nil
}

// add reads the sample that begins on a line.
func (r *reading) add(no int, object []byte) error {
	if object[0] != '{' {
		return r.noSample(no, fmt.Errorf("expected a JSON object such as {\"user_input\":\"…\",\"response\":\"…\"}, got %s", cut(string(object), 80)))
	}
	var s Sample
	if err := json.Unmarshal(object, &s); err != nil {
		var syntax *json.SyntaxError
		if errors.As(err, &syntax) {
			err = fmt.Errorf("expected one JSON object: %w", err)
		}
		return r.noSample(no, err)
	}
	if before, ok := r.line[s.Name]; ok && s.Name != "" {
		return fmt.Errorf("ragtest: %s:%d has the name %q of line %d; names must differ", r.file, no, s.Name, before)
	}
	r.line[s.Name] = no
	r.samples = append(r.samples, s)
	return nil
}

func (r *reading) noSample(no int, err error) error {
	return fmt.Errorf("ragtest: %s:%d is not a sample: %w", r.file, no, err)
}
