package ragtest

import (
	"context"
	"errors"
	"fmt"
	"math"
)

// errNotKnown is of a judge that asks nothing.
var errNotKnown = errors.New("nobody has been asked this yet")

// inHints is below what a score is low in [Judge.Hint].
const inHints = 0.5

// Hint tells in one line which surface broke when a sample's score is too low, as
// far as the scores of the other metrics are known: it asks nobody, and is "" if
// there is nothing to add. Matchers show it. The score that failed counts as low, and
// others below 0.5; for thresholds of your own use [Judge.Diagnose].
func (j *Judge) Hint(ctx context.Context, s Sample, failed Score) string {
	if j.nobody() {
		return ""
	}
	t := Thresholds{inHints, inHints, inHints, inHints, inHints}
	for _, l := range t.limits() {
		if l.metric.Name() == failed.Metric {
			*l.low = math.Nextafter(failed.Value, 2)
		}
	}
	silent := *j
	silent.onlyKnown = true
	if e := j.embedder; e != nil {
		k := *e
		k.onlyKnown = true
		silent.embedder = &k
	}
	results := []Result{{Metric: failed.Metric, Score: failed}}
	others := ""
	for _, m := range t.diagnosed() {
		if m.Name() == failed.Metric {
			continue
		}
		ctx, _ := withTrace(ctx) // what is looked up here costs nothing
		if score, err := m.Measure(ctx, &silent, s); err == nil {
			results = append(results, Result{Metric: m.Name(), Score: score})
			others += fmt.Sprintf(", %s %.2f", m.Name(), score.Value)
		}
	}
	if len(results) == 1 {
		return ""
	}
	d := diagnose(s.title(), results, t)
	if d.Fault == NoFault || d.Fault == Undiagnosed {
		return ""
	}
	hint := string(d.Fault)
	if d.Quadrant != NoQuadrant {
		hint += "; " + string(d.Quadrant)
	}
	return fmt.Sprintf("%s (known besides: %s)", hint, others[2:])
}
