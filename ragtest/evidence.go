package ragtest

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/ragomega/ragomega/cache"
)

// inString is how many verdicts a person may want to read.
const inString = 100

// String shows the score and what decided it: the verdicts, the reasons of those
// that are a no, and who judged. Of more than 100 verdicts it shows the first.
func (s Score) String() string {
	var b strings.Builder
	b.WriteString(s.headline())
	number := s.numbers()
	for i := range s.Verdicts[:min(inString, len(s.Verdicts))] {
		b.WriteString(s.line(i, number))
	}
	if n := len(s.Verdicts) - inString; n > 0 {
		fmt.Fprintf(&b, "\n  and %d more", n)
	}
	if s.Judge != "" {
		fmt.Fprintf(&b, "\njudge: %s, %s", s.Judge, orUncalibrated(s.Calibration))
	}
	if p := s.provenance(); p != "" {
		fmt.Fprintf(&b, "; %s", p)
	}
	return b.String()
}

// orUncalibrated is what is known of a judge, in words.
func orUncalibrated(calibration string) string { return cmp.Or(calibration, "uncalibrated") }

// inEvidence is how many verdicts are worth reading where a score is one of many.
const inEvidence = 5

// Evidence shows the score and the verdicts that speak against it, for lists of
// many scores: those that are a no, or if there is none, all of them. It shows
// no more than five, under the numbers that they have in String.
func (s Score) Evidence() string {
	no := passed(s.Verdicts) < len(s.Verdicts)
	var b strings.Builder
	b.WriteString(s.headline())
	shown, left := 0, 0
	number := s.numbers()
	for i, v := range s.Verdicts {
		switch {
		case no && v.OK:
		case shown == inEvidence:
			left++
		default:
			b.WriteString(s.line(i, number))
			shown++
		}
	}
	if left > 0 {
		fmt.Fprintf(&b, "\n  and %d more", left)
	}
	return b.String()
}

// headline is the score without what it was computed from.
func (s Score) headline() string {
	line := fmt.Sprintf("%s %.2f", s.Metric, s.Value)
	if f := s.Fraction(); f != "" {
		line += fmt.Sprintf(" (%s)", f)
	}
	if s.Clipped > 0 {
		line += fmt.Sprintf(", with %d more claims left unchecked", s.Clipped)
	}
	return line
}

// line shows verdict i, and if it is a no, why.
func (s Score) line(i int, number func(Verdict) string) string {
	v := s.Verdicts[i]
	mark := "✓"
	if !v.OK {
		mark = "✗"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "\n  %s %d. %s%s%s", mark, i+1, v.about(), shorten(v.Claim, 400), number(v))
	if v.Overruled {
		word := "no"
		if !v.OK {
			word = "yes"
		}
		fmt.Fprintf(&b, " (the judge's word is %s, at P %.3f)", word, v.P)
	}
	if v.OK {
		return b.String()
	}
	if v.Reason != "" {
		fmt.Fprintf(&b, "\n       %s", shorten(v.Reason, 400))
	}
	if v.Quote != "" {
		fmt.Fprintf(&b, "\n       nearest: %q", shorten(v.Quote, 300))
	}
	return b.String()
}

// about says which text a claim is of. Where two texts are compared, a no has
// two meanings: the answer says too much, or it says too little.
func (v Verdict) about() string {
	switch {
	case v.Part == "":
		return ""
	case !v.OK && (v.Part == "answer" || v.Part == "response"):
		return "unsupported by the reference: "
	case !v.OK && v.Part == "reference":
		return "missing from the answer: "
	}
	return v.Part + ": "
}

// numbers returns what shows the value of a verdict, where verdicts have values that
// the score does not show already: ratings as they are, similarities with two digits.
func (s Score) numbers() func(Verdict) string {
	none := len(s.Verdicts) == 1 && s.Verdicts[0].Value == s.Value ||
		!slices.ContainsFunc(s.Verdicts, func(v Verdict) bool { return v.Value != 0 })
	format := " (%g)"
	if slices.ContainsFunc(s.Verdicts, func(v Verdict) bool { return v.Value != math.Trunc(v.Value) }) {
		format = " (%.2f)"
	}
	return func(v Verdict) string {
		if none {
			return ""
		}
		return fmt.Sprintf(format, v.Value)
	}
}

// provenance says which prompts were used, and where their replies came from.
func (s Score) provenance() string {
	var steps []string
	times := map[string]int{}
	from := map[cache.Source]int{}
	for _, x := range s.Exchanges {
		if times[x.Step] == 0 {
			steps = append(steps, x.Step)
		}
		times[x.Step]++
		from[x.Source]++
	}
	if len(steps) == 0 {
		return ""
	}
	for i, step := range steps {
		if n := times[step]; n > 1 {
			steps[i] = fmt.Sprintf("%d %s", n, step)
		}
	}
	var sources []string
	for _, src := range []cache.Source{cache.Recorded, cache.Stored, cache.Asked} {
		switch from[src] {
		case 0:
		case len(s.Exchanges):
			sources = append(sources, src.String())
		default:
			sources = append(sources, fmt.Sprintf("%d %s", from[src], src))
		}
	}
	return strings.Join(steps, ", ") + "; " + strings.Join(sources, ", ")
}

// GomegaString is how Gomega prints a report.
func (r Report) GomegaString() string {
	n := len(r.Results) / max(1, len(r.Metrics))
	samples := "samples"
	if n == 1 {
		samples = "sample"
	}
	return fmt.Sprintf("%d %s\n%s", n, samples, r.String())
}
