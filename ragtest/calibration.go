package ragtest

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/ragomega/ragomega/ragtest/agreement"
)

// Calibration is what a judge and people said of the same items. It belongs to
// the judge, the step and the prompt that it was made with, and is void for any
// other; see [Judge.Calibrated].
type Calibration struct {
	Metric   string     `json:"metric"`
	Step     string     `json:"step"`             // with its version: "verify/v2"; the metric's name if it was calibrated as a whole
	Prompt   string     `json:"prompt,omitempty"` // digest of its text
	Model    string     `json:"model"`
	Identity string     `json:"identity"`
	PerClaim bool       `json:"per_claim,omitempty"` // see [Judge.PerClaim]
	Scale    []float64  `json:"scale,omitempty"`     // what a label can be: 0 and 1, or the points of a rating; none for other numbers
	Data     string     `json:"data"`                // digest of the labelled samples
	Decided  *Threshold `json:"decided,omitempty"`   // what the judge decided by, if not its own word
	Tokens   Tokens     `json:"tokens"`              // that the judge cost
	Items    []Judged   `json:"items"`
}

// Judged is one item that people and a judge judged.
type Judged struct {
	Sample    string   `json:"sample"` // its name
	Tags      []string `json:"tags,omitempty"`
	Claim     string   `json:"claim"`  // what was judged, shortened
	Length    int      `json:"length"` // of all of it, in letters (code points)
	Group     int      `json:"group"`  // items that share their contexts have the same
	Labels    []Label  `json:"labels"`
	Judge     float64  `json:"judge"`       // 1 for yes, 0 for no, or a score; if Err is nil
	P         float64  `json:"p,omitempty"` // see [Verdict], as Overruled
	Overruled bool     `json:"overruled,omitempty"`
	Reason    string   `json:"reason,omitempty"`
	Quote     string   `json:"quote,omitempty"`
	Err       error    `json:"-"` // why the judge gave no verdict
}

// Human is what people say together; see [Labelled.Consensus].
func (x Judged) Human() (float64, bool) { return Labelled{Labels: x.Labels}.Consensus() }

// Compared returns the items that both people and the judge decided.
func (c *Calibration) Compared() []Judged {
	var items []Judged
	for _, x := range c.Items {
		if _, ok := x.Human(); ok && x.Err == nil {
			items = append(items, x)
		}
	}
	return items
}

// Unmeasured returns the items that the judge gave no verdict on.
func (c *Calibration) Unmeasured() (items []Judged) {
	for _, x := range c.Items {
		if x.Err != nil {
			items = append(items, x)
		}
	}
	return items
}

// Divided returns the items whose raters are divided.
func (c *Calibration) Divided() (items []Judged) {
	for _, x := range c.Items {
		if _, ok := x.Human(); !ok {
			items = append(items, x)
		}
	}
	return items
}

// ForTag returns the part of c that is about samples with a tag.
func (c *Calibration) ForTag(tag string) *Calibration {
	part := *c
	part.Items = nil
	for _, x := range c.Items {
		if slices.Contains(x.Tags, tag) {
			part.Items = append(part.Items, x)
		}
	}
	return &part
}

// Tags returns the tags of the items, sorted.
func (c *Calibration) Tags() []string {
	var tags []string
	for _, x := range c.Items {
		tags = append(tags, x.Tags...)
	}
	return slices.Compact(slices.Sorted(slices.Values(tags)))
}

// Agreement compares the judge with people, with intervals of 95 %. A judge that
// misreads a text misjudges several of its claims, so items that share their
// contexts are drawn together for an interval; where each drawn alone gives one
// that reaches lower, as it may with few texts, that is taken. It is
// [ErrUndefined] if there is nothing to compare.
func (c *Calibration) Agreement() (agreement.Comparison, error) {
	return c.AgreementWithin(0.95)
}

// AgreementWithin is Agreement with intervals of another confidence.
func (c *Calibration) AgreementWithin(confidence float64) (agreement.Comparison, error) {
	items := c.Compared()
	if len(items) == 0 {
		return agreement.Comparison{}, fmt.Errorf("%w: no item has both a label that people agree on and a verdict (%d are divided, %d not measured)",
			ErrUndefined, len(c.Divided()), len(c.Unmeasured()))
	}
	human, judge := labelsOf(items)
	o := agreement.Options{Kind: c.kind()}
	if o.Kind == agreement.OrdinalLabels {
		o.Scale = c.Scale
	}
	return cautious(groups(items), confidence,
		func(b agreement.Bootstrap) (agreement.Comparison, error) {
			o.Bootstrap = b
			return agreement.Compare(human, judge, o)
		},
		func(a agreement.Comparison) agreement.Estimate { return a.Point })
}

// cautious returns what is found by drawing the groups of items for its interval, or
// by drawing each item alone if that reaches lower.
func cautious[T any](groups []int, confidence float64, find func(agreement.Bootstrap) (T, error), estimate func(T) agreement.Estimate) (T, error) {
	b := agreement.Bootstrap{Confidence: confidence, Seed: 1}
	alone, err := find(b)
	if err != nil || len(slices.Compact(slices.Sorted(slices.Values(groups)))) == len(groups) {
		return alone, err
	}
	b.Clusters = groups
	together, err := find(b)
	low, errLow := estimate(together).Lower()
	if other, errAlone := estimate(alone).Lower(); errAlone == nil && errLow == nil && other < low {
		return alone, nil
	}
	return together, err // of a single text there is no interval
}

// kappaWith is the kappa of two raters, and kappaGain how much more the first of two
// agrees with people than the second.
func kappaWith(x, y []float64, groups []int, scale []float64) (agreement.Estimate, error) {
	a, err := cautious(groups, 0.95,
		func(b agreement.Bootstrap) (agreement.Comparison, error) {
			return agreement.Compare(x, y, agreement.Options{Kind: agreement.NominalLabels, Scale: scale, Bootstrap: b})
		},
		func(a agreement.Comparison) agreement.Estimate { return a.Kappa })
	return a.Kappa, err
}

func kappaGain(human, first, second []float64, groups []int) (agreement.Estimate, error) {
	return cautious(groups, 0.95,
		func(b agreement.Bootstrap) (agreement.Estimate, error) {
			return agreement.KappaDifference(human, first, second, b)
		},
		func(e agreement.Estimate) agreement.Estimate { return e })
}

// Raters returns how far people agree among themselves: Krippendorff's alpha over
// all items. No judge can be expected to agree with them better. It is
// [ErrUndefined] where no item has two labels.
func (c *Calibration) Raters() (float64, error) {
	at := map[string]int{}
	for _, x := range c.Items {
		for i, l := range x.Labels {
			if name := raterName(i, l); at[name] == 0 {
				at[name] = len(at) + 1
			}
		}
	}
	ratings := make([][]float64, len(at))
	for r := range ratings {
		ratings[r] = make([]float64, len(c.Items))
		for i := range ratings[r] {
			ratings[r][i] = agreement.Missing
		}
	}
	for k, x := range c.Items {
		for i, l := range x.Labels {
			ratings[at[raterName(i, l)]-1][k] = l.Value
		}
	}
	level := agreement.NominalLevel
	switch c.kind() {
	case agreement.OrdinalLabels:
		level = agreement.OrdinalLevel
	case agreement.ContinuousLabels:
		level = agreement.IntervalLevel
	}
	return agreement.Alpha(ratings, level)
}

func raterName(i int, l Label) string { return cmp.Or(l.Rater, fmt.Sprint("#", i)) }

func (c *Calibration) kind() agreement.Kind {
	switch {
	case len(c.Scale) == 2 && c.Scale[0] == 0 && c.Scale[1] == 1:
		return agreement.BinaryLabels
	case len(c.Scale) > 0:
		return agreement.OrdinalLabels
	}
	return agreement.ContinuousLabels
}

// scaleOf finds out what the labels of a calibration can be: yes or no for a step;
// for a metric as a whole 0 and 1, if there is nothing else, the whole numbers of
// its range, if they are few and there is nothing else, or any number.
func (c *Calibration) scaleOf(m Metric, s step) []float64 {
	binary, whole := true, true
	for _, x := range c.Items {
		values := []float64{x.Judge}
		for _, l := range x.Labels {
			values = append(values, l.Value)
		}
		for _, v := range values {
			binary = binary && (v == 0 || v == 1)
			whole = whole && v == math.Trunc(v)
		}
	}
	if s.prompt != "" || binary {
		return []float64{0, 1}
	}
	r, ok := m.(interface {
		Range() (lowest, highest float64)
	})
	if !ok || !whole {
		return nil
	}
	var scale []float64
	lowest, highest := r.Range()
	for v := lowest; v <= highest && len(scale) <= 10; v++ {
		scale = append(scale, v)
	}
	if len(scale) > 10 {
		return nil
	}
	return scale
}

// labelsOf are the labels of people and of the judge.
func labelsOf(items []Judged) (human, judge []float64) {
	for _, x := range items {
		h, _ := x.Human()
		human, judge = append(human, h), append(judge, x.Judge)
	}
	return human, judge
}

func groups(items []Judged) []int {
	at := make([]int, len(items))
	for i, x := range items {
		at[i] = x.Group
	}
	return at
}

// Disagreements returns the items on which the judge is not of people's opinion,
// those first in which it is surest or farthest from them.
func (c *Calibration) Disagreements() []Judged {
	var items []Judged
	for _, x := range c.Compared() {
		if h, _ := x.Human(); h != x.Judge {
			items = append(items, x)
		}
	}
	far := func(x Judged) float64 {
		h, _ := x.Human()
		if x.P > 0 {
			return math.Abs(x.P - h)
		}
		return math.Abs(x.Judge - h)
	}
	slices.SortStableFunc(items, func(a, b Judged) int { return cmp.Compare(far(b), far(a)) })
	return items
}

// Rates is the calibration in a few words, as messages show it beside the judge:
// "TPR .90 TNR .65, n=200".
func (c *Calibration) Rates() string {
	items := c.Compared()
	human, judge := labelsOf(items)
	n := fmt.Sprintf(", n=%d", len(items))
	switch c.kind() {
	case agreement.BinaryLabels:
		t, err := agreement.Tabulate(human, judge, 0, 1)
		if err != nil || len(items) == 0 {
			return "undefined"
		}
		of := agreement.Confusion{TP: t.Counts[1][1], FP: t.Counts[0][1], FN: t.Counts[1][0], TN: t.Counts[0][0]}
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

// errNoCalibration is of a nil calibration.
var errNoCalibration = errors.New("ragtest: there is no calibration")
