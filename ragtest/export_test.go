package ragtest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/ragomega/ragomega/cache"
)

// CloseSuite is Close with the summary written to w.
func CloseSuite(w io.Writer) error {
	failed, err := closeSuite(w, false)
	return errors.Join(err, unreported(failed))
}

// UseCache makes c the cache of the test package until the suite is closed.
func UseCache(c *cache.Cache) {
	suite.mu.Lock()
	defer suite.mu.Unlock()
	suite.cache = c
}

// SetPrompts appends to the text of all prompts until the returned function is
// called.
func SetPrompts(more string) (restore func()) {
	read := readPrompt
	readPrompt = func(name string) ([]byte, error) {
		b, err := read(name)
		if more != "" {
			b = fmt.Appendf(nil, "%s|%s|", b, more) // also where more is white space
		}
		return b, err
	}
	loaded.Clear()
	return func() {
		readPrompt = read
		loaded.Clear()
	}
}

// Verify is the step that metrics which check claims have in common.
func Verify(ctx context.Context, j *Judge, claims, contexts []string) ([]Verdict, []Exchange, error) {
	ctx, t := withTrace(ctx)
	v, err := j.verify(ctx, claims, contexts)
	return v, t.exchanges, err
}

// ForgetBudget has the budget read anew from the environment.
func ForgetBudget() {
	suite.mu.Lock()
	defer suite.mu.Unlock()
	suite.budget = nil
}

// ShowProgress has w shown the progress as a terminal is, until the returned
// function is called.
func ShowProgress(w io.Writer) (restore func()) {
	underway.mu.Lock()
	defer underway.mu.Unlock()
	underway.out, underway.looked, underway.drawn, underway.ended = w, true, time.Time{}, time.Time{}
	return func() {
		underway.mu.Lock()
		defer underway.mu.Unlock()
		underway.out, underway.looked, underway.drawn, underway.ended = nil, false, time.Time{}, time.Time{}
	}
}

// IsTerminal reports whether progress would be shown on f.
func IsTerminal(f *os.File) bool { return isTerminal(f) }
