package ragtest

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
)

// columns are the names that the fields of a sample have in a file, and whether
// they are texts. What is no text is written as a list or an object.
var columns, columnNames = sampleColumns()

func sampleColumns() (texts map[string]bool, names string) {
	texts = map[string]bool{}
	var order []string
	for _, f := range reflect.VisibleFields(reflect.TypeFor[Sample]()) {
		if name, _, _ := strings.Cut(f.Tag.Get("json"), ","); name != "-" {
			texts[name] = f.Type.Kind() == reflect.String
			order = append(order, name)
		}
	}
	texts["conversation"] = false // see Sample.UnmarshalJSON
	return texts, strings.Join(order, ", ")
}

// csv reads records under a line with the names of their columns.
func (r *reading) csv(text []byte) error {
	in := csv.NewReader(bytes.NewReader(text))
	in.ReuseRecord = true
	header, err := in.Read()
	if err == io.EOF {
		return nil
	}
	if err != nil {
		return r.noRecord(err, 0, 0)
	}
	names, err := r.header(header)
	if err != nil {
		return err
	}
	for {
		record, err := in.Read()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return r.noRecord(err, len(names), len(record))
		}
		no, _ := in.FieldPos(0)
		object := map[string]json.RawMessage{}
		for i, field := range record {
			if names[i] == "" {
				continue
			}
			value, err := readField(names[i], field)
			if err != nil {
				return r.noSample(no, fmt.Errorf("%s: %w", names[i], err))
			}
			if value != nil {
				object[names[i]] = value
			}
		}
		b, err := marshal(object)
		if err != nil {
			return err
		}
		if err := r.add(no, b); err != nil {
			return err
		}
	}
}

// header returns the names of the columns, "" for what is passed over.
func (r *reading) header(record []string) ([]string, error) {
	names := make([]string, len(record))
	seen := map[string]bool{}
	for i, field := range record {
		name := strings.ToLower(strings.TrimSpace(field)) // JSON does not mind upper case either
		if _, ok := columns[name]; !ok {
			continue
		}
		if seen[name] {
			return nil, fmt.Errorf("ragtest: %s:1 names the column %s twice", r.file, name)
		}
		seen[name] = true
		names[i] = name
	}
	if len(seen) == 0 {
		return nil, fmt.Errorf("ragtest: %s:1 names no column of a sample, expected some of %s, with commas between them", r.file, columnNames)
	}
	return names, nil
}

// noRecord tells what the decoder of CSV found, at the line where the record
// begins.
func (r *reading) noRecord(err error, want, got int) error {
	var p *csv.ParseError
	if !errors.As(err, &p) {
		return r.noSample(1, err)
	}
	if errors.Is(err, csv.ErrFieldCount) {
		return r.noSample(p.StartLine, fmt.Errorf("expected %d fields, as the first line names, got %d", want, got))
	}
	return r.noSample(p.StartLine, fmt.Errorf("%w in line %d, column %d", p.Err, p.Line, p.Column))
}

// readField returns the JSON of a field, or nil if it is not there. A question
// that begins like a list of messages has to be one: it is not for a reader of
// files to guess.
func readField(name, field string) (json.RawMessage, error) {
	trimmed := strings.TrimSpace(field)
	if columns[name] && !(name == "user_input" && strings.HasPrefix(trimmed, "[{")) {
		return marshal(field)
	}
	switch {
	case trimmed == "":
		return nil, nil
	case json.Valid([]byte(trimmed)):
		return json.RawMessage(trimmed), nil
	}
	value, err := readLiteral(trimmed)
	if err != nil {
		return nil, fmt.Errorf("expected JSON, or Python's notation such as ['a', 'b']: %w", err)
	}
	return value, nil
}
