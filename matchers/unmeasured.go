package matchers

import (
	"errors"
	"fmt"
	"strings"

	"github.com/onsi/gomega/format"

	"github.com/ragomega/ragomega/ragtest"
)

// unmeasuredError reports that a report has too few scores to tell.
type unmeasuredError struct {
	text string
	errs []error
}

func (e *unmeasuredError) Error() string { return e.text }

func (e *unmeasuredError) Unwrap() []error { return e.errs }

func newUnmeasured(results []ragtest.Result, all, allowed int) error {
	e := &unmeasuredError{text: fmt.Sprintf("%d of %d samples were not measured, and AllowUnmeasured allows %d\n%s",
		len(results), all, allowed, format.IndentString(reasons(results), 1))}
	if len(results) == all {
		e.text = fmt.Sprintf("none of %d samples was measured\n%s", all, format.IndentString(reasons(results), 1))
	}
	for _, x := range results {
		e.errs = append(e.errs, x.Err)
	}
	return e
}

// reasons groups samples by why they were not measured, and shows the reason of
// the first of each group in full.
func reasons(results []ragtest.Result) string {
	var groups []string // by their kinds, in order
	members := map[string][]ragtest.Result{}
	for _, x := range results {
		k := kind(x.Err)
		if members[k] == nil {
			groups = append(groups, k)
		}
		members[k] = append(members[k], x)
	}
	var lines []string
	for _, k := range groups {
		first, others := members[k][0], members[k][1:]
		line := fmt.Sprintf("%s: %s", first.Sample, reason(first.Err))
		if len(others) > 0 {
			var names []string
			for _, x := range others[:min(shown, len(others))] {
				names = append(names, x.Sample)
			}
			line += "\n  likewise: " + strings.Join(names, ", ")
			if n := len(others) - shown; n > 0 {
				line += fmt.Sprintf(" and %d more", n)
			}
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

// kind is what errors of different samples have in common: what their text
// begins with, and of a missing input its field.
func kind(err error) string {
	var input *ragtest.InputError
	if errors.As(err, &input) {
		return input.Field
	}
	k, _, _ := strings.Cut(reason(err), ":")
	return k
}

// reason is an error without what the report says anyway: which sample by which
// metric.
func reason(err error) string {
	var e *ragtest.MeasureError
	if !errors.As(err, &e) {
		return err.Error()
	}
	if e.Hint == "" {
		return e.Err.Error()
	}
	return e.Err.Error() + "\n  " + e.Hint
}
