package ragtest

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

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

// errNoCalibration is of a nil calibration.
var errNoCalibration = errors.New("ragtest: there is no calibration")

// Judged is one item that people and a judge judged.
type Judged struct {
	Sample    string   `json:"sample"` // its name
	Tags      []string `json:"tags,omitempty"`
	Claim     string   `json:"claim"`  // what was judged, shortened
	Length    int      `json:"length"` // of all of it, in letters (code points)
	Group     int      `json:"group"`  // the same for items that belong together: they share their contexts, or the question where a context is judged
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
		return agreement.Comparison{}, c.nothing()
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

// nothing is the error of a calibration with nothing to compare.
func (c *Calibration) nothing() error {
	return fmt.Errorf("%w: no item has both a label that people agree on and a verdict (%d are divided, %d not measured)",
		ErrUndefined, len(c.Divided()), len(c.Unmeasured()))
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

// count adds a decision of yes or no, 1 or 0, to c.
func count(c *agreement.Confusion, human, judge float64) {
	switch {
	case human == 1 && judge == 1:
		c.TP++
	case human == 1:
		c.FN++
	case judge == 1:
		c.FP++
	default:
		c.TN++
	}
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
