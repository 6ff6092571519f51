package ragtest

import (
	"fmt"
	"strings"

	"github.com/ragomega/ragomega/ragtest/agreement"
)

// Rates is the calibration in a few words, as messages show it beside the judge:
// "TPR .90 TNR .65, n=200".
func (c *Calibration) Rates() string {
	items := c.Compared()
	human, judge := labelsOf(items)
	n := fmt.Sprintf(", n=%d", len(items))
	switch c.kind() {
	case agreement.BinaryLabels:
		if len(items) == 0 {
			return "undefined"
		}
		var of agreement.Confusion
		for i := range items {
			count(&of, human[i], judge[i])
		}
		return "TPR " + twoDigits(of.TPR()) + " TNR " + twoDigits(of.TNR()) + n
	case agreement.OrdinalLabels:
		t, err := agreement.Tabulate(human, judge, c.Scale...)
		if err != nil {
			return "undefined"
		}
		return "weighted kappa " + twoDigits(t.WeightedKappa(agreement.Quadratic)) + n
	}
	pairs := make([][]float64, len(items))
	for i := range pairs {
		pairs[i] = []float64{human[i], judge[i]}
	}
	icc, err := agreement.ICC(pairs)
	if err != nil {
		return "undefined"
	}
	return "ICC " + twoDigits(icc.Value(agreement.AgreementSingle)) + n
}

// twoDigits writes .90 for 0.90.
func twoDigits(v float64, err error) string {
	if err != nil {
		return "undefined"
	}
	return strings.Replace(fmt.Sprintf("%.2f", v), "0.", ".", 1)
}

// inTag is how many items of a tag are worth a line.
const inTag = 5

// String shows what to know of the judge: the headline and the statistic to judge
// by, the table, what warns of them, the groups, and the worst disagreements.
func (c *Calibration) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s of %s by %s at %s", c.Step, c.Metric, c.Model, c.Identity)
	if c.Decided != nil {
		fmt.Fprintf(&b, ", %s", c.Decided)
	}
	a, err := c.Agreement()
	if err != nil {
		fmt.Fprintf(&b, "\n  %v", err)
		return b.String()
	}
	b.WriteString(indent(a.String()))
	if n := len(c.Divided()); n > 0 {
		fmt.Fprintf(&b, "\n  set aside: %d, as the raters are divided", n)
	}
	if lost := c.Unmeasured(); len(lost) > 0 {
		why, _, _ := strings.Cut(lost[0].Err.Error(), "\n")
		fmt.Fprintf(&b, "\n  not measured: %d, the first because of: %s", len(lost), why)
	}
	if alpha, err := c.Raters(); err == nil {
		fmt.Fprintf(&b, "\n  people among themselves: alpha %.2f", alpha)
	}
	b.WriteString(indent(c.transfer()))
	b.WriteString(indent(c.sureness()))
	b.WriteString(indent(c.lengths()))
	few := 0
	for _, t := range c.Tags() {
		if part := c.ForTag(t); len(part.Items) >= inTag {
			_, median, _ := part.Lengths()
			fmt.Fprintf(&b, "\n  %s: %s, median length %d", t, part.Rates(), median)
		} else {
			few++
		}
	}
	if few > 0 {
		fmt.Fprintf(&b, "\n  and %d tags of fewer than %d items", few, inTag)
	}
	if worst := c.Disagreements(); len(worst) > 0 {
		fmt.Fprintf(&b, "\n  disagreements: %d\n%s", len(worst), Disagreements(worst, inEvidence))
	}
	return b.String()
}

func indent(text string) string {
	if text == "" {
		return ""
	}
	return "\n  " + strings.ReplaceAll(text, "\n", "\n  ")
}

// GomegaString is how Gomega prints a calibration.
func (c Calibration) GomegaString() string { return c.String() }

// Disagreements shows up to most of them, each with what both sides said and the
// judge's reason.
func Disagreements(items []Judged, most int) string {
	var lines []string
	for _, x := range items[:min(most, len(items))] {
		h, _ := x.Human()
		line := fmt.Sprintf("    %s: people %v, judge %v", x.Sample, h, x.Judge)
		if x.P > 0 {
			line += fmt.Sprintf(" (P %.3f)", x.P)
		}
		line += ": " + shorten(x.Claim, 200)
		if x.Reason != "" {
			line += "\n       " + shorten(x.Reason, 300)
		}
		lines = append(lines, line)
	}
	if n := len(items) - most; n > 0 {
		lines = append(lines, fmt.Sprintf("    and %d more", n))
	}
	return strings.Join(lines, "\n")
}
