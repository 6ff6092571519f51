package ragtest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
)

// ErrNoBaseline says that there is no file to compare with.
var ErrNoBaseline = errors.New("no baseline")

// baselineFiles keeps tests of one process that write one file from writing over
// each other.
var baselineFiles sync.Mutex

// SaveBaseline writes what r found to a file, for later reports to be compared
// with: see [Report.Baseline], and [Baseline.Save] for the file.
//
//	err := report.SaveBaseline("testdata/baseline.json")
func (r *Report) SaveBaseline(file string) error {
	b, err := r.Baseline()
	if err != nil {
		return err
	}
	return b.Save(file)
}

// Save writes b to a file that is to be committed: JSON, a sample a line, metrics
// and samples sorted by name, so that a diff shows whose verdicts changed. Metrics
// of the file that b does not have stay in it; those that b has are replaced as a
// whole. So several tests may share a file if they measure by different metrics.
//
// The file is replaced at once, and a reader never sees half of it. Tests of one
// process may save at the same time; two processes that do may lose what one of
// them wrote. A file that cannot be read is an error, and stays as it is.
func (b *Baseline) Save(file string) error {
	baselineFiles.Lock()
	defer baselineFiles.Unlock()
	return b.save(file)
}

func (b *Baseline) save(file string) error {
	all := &Baseline{}
	switch text, err := os.ReadFile(file); {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return fmt.Errorf("ragtest: the baseline cannot be saved: %w", err)
	default:
		if all, err = parseBaseline(file, text); err != nil {
			return fmt.Errorf("%w. Nothing was written; remove the file to begin anew", err)
		}
	}
	for _, m := range b.Metrics {
		if there := all.metric(m.Metric); there != nil {
			*there = m
		} else {
			all.Metrics = append(all.Metrics, m)
		}
	}
	slices.SortFunc(all.Metrics, func(a, b MetricBaseline) int { return strings.Compare(a.Metric, b.Metric) })
	if err := all.check(); err != nil {
		return fmt.Errorf("ragtest: the baseline cannot be saved: %w", err)
	}
	text, err := all.text()
	if err == nil {
		err = writeWhole(file, text)
	}
	if err != nil {
		return fmt.Errorf("ragtest: the baseline cannot be saved: %w", err)
	}
	return nil
}

// text is the file: a line for each metric, and one for each of its samples.
func (b *Baseline) text() ([]byte, error) {
	text := []byte(`{"metrics":[`)
	for i, m := range b.Metrics {
		head := m
		head.Samples = nil
		line, err := marshal(head)
		if err != nil {
			return nil, err
		}
		text = append(text, separator(i)...)
		text = append(text, bytes.TrimSuffix(line, []byte("null}"))...)
		text = append(text, '[')
		for k, s := range m.Samples {
			line, err := marshal(s)
			if err != nil {
				return nil, err
			}
			text = append(append(text, separator(k)+" "...), line...)
		}
		text = append(text, "\n]}"...)
	}
	return append(text, "\n]}\n"...), nil
}

// separator ends a line of a list before its i-th entry.
func separator(i int) string {
	if i == 0 {
		return "\n"
	}
	return ",\n"
}

// writeWhole replaces a file at once, and makes the folder if there is none.
func writeWhole(file string, text []byte) error {
	dir := filepath.Dir(file)
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	f, err := os.CreateTemp(dir, "."+filepath.Base(file)+".*")
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	err = errors.Join(err, f.Chmod(0o644), f.Sync(), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), file)
	}
	if err != nil {
		_ = os.Remove(f.Name())
	}
	return err
}

// ReadBaseline reads a file that [Report.SaveBaseline] wrote. That there is none is
// [ErrNoBaseline], which tells the command that writes one.
func ReadBaseline(file string) (*Baseline, error) {
	text, err := os.ReadFile(file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("ragtest: %w: there is no file %s. %s, and commit it", ErrNoBaseline, file, toUpdate("To write it"))
	case err != nil:
		return nil, fmt.Errorf("ragtest: the baseline cannot be read: %w", err)
	}
	return parseBaseline(file, text)
}

func parseBaseline(file string, text []byte) (*Baseline, error) {
	var b Baseline
	err := json.Unmarshal(text, &b)
	if err == nil {
		err = b.check()
	}
	switch {
	case err != nil && bytes.Contains(text, []byte("\n<<<<<<< ")):
		return nil, fmt.Errorf("ragtest: %s has the marks of a merge: settle it, or write it anew. %s", file, toUpdate("For that"))
	case err != nil:
		return nil, fmt.Errorf("ragtest: %s is no baseline: %w", file, err)
	}
	return &b, nil
}
