package ragtest

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
)

// ErrNotOnCI says that a baseline would have been written on a build server,
// where it passes whatever is measured and is thrown away with the checkout.
var ErrNotOnCI = errors.New("baselines are not written on a build server")

// Against compares r with the baseline in a file, as [Compare] does, for tests.
// The matchers RegressFrom and BeNonInferiorTo are made of it.
//
// If RAGTEST_BASELINE is update it compares nothing: it writes all of r to the
// file, as [Report.SaveBaseline] does, and says so in Comparison.Updated and on the
// standard error. Where CI is set that is [ErrNotOnCI]. Two tests of one process
// that would write different samples of one metric to one file are an error, as one
// would undo what the other did.
//
// What a comparison cannot tell, and the samples that it leaves out, are printed
// by [Run] and [Close], as a test that passes says nothing.
func (r *Report) Against(file string, smallest float64, o ComparisonOptions) (Comparison, error) {
	switch word := os.Getenv("RAGTEST_BASELINE"); strings.ToLower(strings.TrimSpace(word)) {
	case "":
	case "update":
		if err := o.check(smallest); err != nil {
			return Comparison{}, err
		}
		if err := r.update(file); err != nil {
			return Comparison{}, err
		}
		return Comparison{Updated: file, Smallest: smallest}, nil
	default:
		return Comparison{}, fmt.Errorf("ragtest: RAGTEST_BASELINE is %q, expected update, or nothing to compare", word)
	}
	b, err := ReadBaseline(file)
	if err != nil {
		return Comparison{}, err
	}
	c, err := Compare(b, r, smallest, o)
	if err != nil {
		return c, fmt.Errorf("%w. %s", err, toUpdate("If "+file+" is to be replaced"))
	}
	c.note(file)
	return c, nil
}

// updated has the samples of each metric that this process has written.
var updated = map[string][]string{}

func (r *Report) update(file string) error {
	if onCI() {
		return fmt.Errorf("ragtest: %w: CI is set, and RAGTEST_BASELINE=update would write %s. %s, and commit it; or take RAGTEST_BASELINE away, to compare", ErrNotOnCI, file, toUpdate("Write it where you work"))
	}
	b, err := r.Baseline()
	if err != nil {
		return err
	}
	path, err := filepath.Abs(file)
	if err != nil {
		return fmt.Errorf("ragtest: the baseline cannot be saved: %w", err)
	}
	baselineFiles.Lock()
	defer baselineFiles.Unlock()
	for _, m := range b.Metrics {
		for _, before := range updated[path+"\x00"+m.Metric] {
			if m.sample(before) == nil {
				return fmt.Errorf("ragtest: two tests write %s of different samples to %s: this one has no sample %q, which another has written. Give each a file of its own, or evaluate all samples in one", m.Metric, file, before)
			}
		}
	}
	if err := b.save(file); err != nil {
		return err
	}
	for _, m := range b.Metrics {
		var names []string
		for _, s := range m.Samples {
			names = append(names, s.Sample)
		}
		updated[path+"\x00"+m.Metric] = names
		fmt.Fprintf(os.Stderr, "ragtest: baseline %s: wrote %d sample(s) of %s\n", file, len(names), m.Metric)
	}
	return nil
}

// sample returns what is known of a sample, or nil.
func (m *MetricBaseline) sample(name string) *SampleBaseline {
	at, ok := slices.BinarySearchFunc(m.Samples, name, func(s SampleBaseline, name string) int { return strings.Compare(s.Sample, name) })
	if !ok {
		return nil
	}
	return &m.Samples[at]
}

// onCI reports whether CI is set to what means that; see cache.ModeFromEnv.
func onCI() bool {
	switch strings.ToLower(os.Getenv("CI")) {
	case "", "0", "false":
		return false
	}
	return true
}

// toUpdate says how to write the baseline of the calling test.
func toUpdate(why string) string {
	name, _ := callingTest()
	return why + ": RAGTEST_BASELINE=update CI= " + strings.TrimPrefix(recordCommand(name), "RAGTEST_CACHE=auto CI= ")
}

// notes are what comparisons have to say at the end of a run.
var notes struct {
	mu    sync.Mutex
	lines []string
	once  sync.Once
}

// note keeps what a test that passes would not say.
func (c Comparison) note(file string) {
	notes.mu.Lock()
	defer notes.mu.Unlock()
	for _, m := range c.Metrics {
		lines := m.unpaired()
		if m.Outcome == CannotTell {
			lines = append([]string{m.headline(c)}, lines...)
		}
		for _, l := range lines {
			l = fmt.Sprintf("ragtest: baseline %s: %s: %s", file, m.Metric, strings.TrimPrefix(l, m.Metric+" "))
			if !slices.Contains(notes.lines, l) {
				notes.lines = append(notes.lines, l)
			}
		}
	}
	notes.once.Do(func() { atClose(printNotes) })
}

func printNotes() {
	notes.mu.Lock()
	defer notes.mu.Unlock()
	for _, l := range notes.lines {
		fmt.Fprintln(os.Stderr, l)
	}
	notes.lines = nil
}
