package ragtest

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ragomega/ragomega/cache"
)

// Calibrated returns a copy of j that knows how well it agrees with people: what
// it measures says so, where otherwise it says "uncalibrated". Each calibration is
// of one step. One of another judge, model, prompt or of another version of it is
// void, and what is measured says that in its place. Of a metric that was calibrated as
// a whole only the model and the endpoint are known: calibrate it again when its prompts
// or its parameters change.
func (j *Judge) Calibrated(calibrations ...*Calibration) *Judge {
	c := *j
	c.calibrations = append(slices.Clip(j.calibrations), calibrations...)
	return &c
}

// void says why a calibration is not of j, or "".
func (j *Judge) void(c *Calibration) string {
	switch {
	case c.Model != j.model || c.Identity != j.identity:
		return fmt.Sprintf("it is of %s at %s", c.Model, c.Identity)
	case c.Prompt == "":
		return ""
	}
	name := nameOf(c.Step)
	p, err := j.prompt(name)
	switch {
	case err != nil:
		return err.Error()
	case p.String() != c.Step:
		return fmt.Sprintf("it is of prompt %s, and this is %s", c.Step, p)
	case cache.TextDigest(p.text) != c.Prompt:
		return fmt.Sprintf("the text of prompt %s is another", c.Step)
	case name == "verify" && c.PerClaim != j.perClaim:
		return "it is of claims that are checked " + together(c.PerClaim) + ", and here they are " + together(j.perClaim)
	}
	t, err := j.threshold(p)
	switch {
	case err != nil:
		return err.Error()
	case c.Decided != nil && !t.same(c.Decided):
		return "it is of verdicts by a threshold"
	case c.Decided == nil && t != nil:
		return "it is of the judge's own verdicts, and these are by a threshold"
	}
	return ""
}

func together(perClaim bool) string {
	if perClaim {
		return "each alone"
	}
	return "together"
}

// calibrationOf tells how far a score's judge is known to agree with people: in
// the steps that the score came about by, or as a whole.
func (j *Judge) calibrationOf(metric string, exchanges []Exchange) string {
	var said []string
	for _, c := range j.calibrations {
		if c == nil {
			continue
		}
		of := c.Metric == metric
		if c.Prompt != "" {
			name := nameOf(c.Step)
			of = slices.ContainsFunc(exchanges, func(x Exchange) bool { return strings.HasPrefix(x.Step, name+"/") })
		}
		if !of {
			continue
		}
		if why := j.void(c); why != "" {
			said = append(said, fmt.Sprintf("calibration of %s is void: %s", c.Step, why))
			continue
		}
		said = append(said, fmt.Sprintf("%s %s", c.Step, c.Rates()))
	}
	return strings.Join(said, "; ")
}

// calibrationOfReport tells the same of all scores of a report.
func (j *Judge) calibrationOfReport(r *Report) string {
	if len(j.calibrations) == 0 {
		return ""
	}
	var said []string
	for _, x := range r.Results {
		if x.Err == nil && x.Score.Calibration != "" && !slices.Contains(said, x.Score.Calibration) {
			said = append(said, x.Score.Calibration)
		}
	}
	return strings.Join(said, "; ")
}
