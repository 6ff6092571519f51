package ragtest

import (
	"fmt"
	"strings"
)

// String shows each metric: what it became, on what evidence, which samples were
// left out, and the verdicts behind the samples that are worse.
func (c Comparison) String() string {
	if c.Updated != "" {
		return "the baseline " + c.Updated + " was written, and nothing compared"
	}
	var lines []string
	for _, m := range c.Metrics {
		lines = append(lines, m.text(c))
	}
	if len(c.OnlyNow) > 0 {
		lines = append(lines, "not in the baseline: "+strings.Join(c.OnlyNow, ", "))
	}
	if len(c.OnlyBefore) > 0 {
		lines = append(lines, "in the baseline only: "+strings.Join(c.OnlyBefore, ", "))
	}
	if c.Judge != "" {
		lines = append(lines, "judge: "+c.Judge)
	}
	return strings.Join(lines, "\n")
}

// headline is what became of m, and what that rests on.
func (m MetricComparison) headline(c Comparison) string {
	says := map[Outcome]string{
		Worse:      "is worse",
		NotWorse:   fmt.Sprintf("is not worse by %v", c.Smallest),
		CannotTell: fmt.Sprintf("cannot be told to be worse or not, by %v", c.Smallest),
	}[m.Outcome]
	line := fmt.Sprintf("%s %s: %s → %s, difference %+.3f", m.Metric, says, digits3(m.Before), digits3(m.Now), m.Difference)
	if m.LowerIsBetter {
		line += " (turned, as lower is better)"
	}
	line += fmt.Sprintf(" [%.3f, %.3f] (%s, %.4g%%), p=%.3g by %s", m.Interval.Low, m.Interval.High, m.Interval.Method, 100*c.Confidence, m.P, m.Test)
	if len(c.Metrics) > 1 {
		line += fmt.Sprintf(", %.3g after Holm over %d metrics", m.Adjusted, len(c.Metrics))
	}
	line += fmt.Sprintf(", n=%d", m.N)
	unit := "samples"
	if m.Clusters != m.N {
		line += fmt.Sprintf(" in %d clusters", m.Clusters)
		unit = "clusters"
	}
	switch {
	case m.Outcome == Worse || m.Outcome == NotWorse:
		line += fmt.Sprintf(", %d moved", m.Moved)
	case m.Needed > m.Clusters:
		line += fmt.Sprintf(", %d moved: it takes about %d %s", m.Moved, m.Needed, unit)
	case m.Needed > 0:
		line += fmt.Sprintf(", %d moved: about %d %s are usually enough, but the difference is near the limit, which takes more", m.Moved, m.Needed, unit)
	default:
		line += fmt.Sprintf(", %d moved", m.Moved)
	}
	return line
}

func digits3(v float64) string { return fmt.Sprintf("%.3f", v) }

// text is the headline, what was left out, and why samples are worse.
func (m MetricComparison) text(c Comparison) string {
	var b strings.Builder
	b.WriteString(m.headline(c))
	for _, line := range m.unpaired() {
		b.WriteString("\n  " + line)
	}
	if m.Unchecked > 0 {
		fmt.Fprintf(&b, "\n  whether %d of %d were asked the same is not known: the baseline or the report has no digest of their questions", m.Unchecked, m.N)
	}
	shown, more := 0, 0
	for _, p := range m.Pairs {
		switch {
		case m.drop(p) <= 0:
		case shown == inEvidence:
			more++
		default:
			shown++
			b.WriteString("\n  " + p.text())
		}
	}
	if more > 0 {
		fmt.Fprintf(&b, "\n  and %d more are worse", more)
	}
	return b.String()
}

// text shows a sample with the verdicts that changed.
func (p Pair) text() string {
	line := fmt.Sprintf("%s: %.2f → %.2f", p.Sample, p.Before, p.Now)
	for i, f := range p.Flips {
		if i == inEvidence {
			return line + fmt.Sprintf("\n    and %d more", len(p.Flips)-i)
		}
		line += "\n    " + f.String()
	}
	return line
}
