package ragtest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"os"
	"slices"
	"strings"
)

// Labelled is one thing that people judged, for a judge to be held against: see
// [Calibrate] for what a metric's labels are about.
//
// In JSON it is a sample with a label beside its fields: "human_label", which is
// a number or true or false, or of several raters "human_labels", a list of such
// or an object with the raters' names, in which null is a rater who did not say.
type Labelled struct {
	Sample Sample
	Labels []Label // of at least one rater
}

// Label is what one rater said: 1 for yes, 0 for no, or a number on a scale.
type Label struct {
	Rater string // may be ""
	Value float64
}

// Consensus is what the raters say together: the median of their labels, which
// for yes and no is the majority. There is none if the two in the middle differ.
func (l Labelled) Consensus() (float64, bool) {
	var values []float64
	for _, x := range l.Labels {
		values = append(values, x.Value)
	}
	if len(values) == 0 {
		return 0, false
	}
	slices.Sort(values)
	low, high := values[(len(values)-1)/2], values[len(values)/2]
	return low, low == high
}

// UnmarshalJSON reads a sample and its labels. An "id" is taken for a name that
// is missing.
func (l *Labelled) UnmarshalJSON(b []byte) error {
	var labels struct {
		ID   json.RawMessage `json:"id"`
		One  *labelValue     `json:"human_label"`
		Many labelValues     `json:"human_labels"`
	}
	if err := json.Unmarshal(b, &l.Sample); err != nil {
		return err
	}
	if err := json.Unmarshal(b, &labels); err != nil {
		return err
	}
	if l.Sample.Name == "" && string(labels.ID) != "null" {
		l.Sample.Name = strings.Trim(string(labels.ID), `"`)
	}
	l.Labels = labels.Many
	if len(l.Labels) == 0 && labels.One != nil {
		l.Labels = []Label{{Value: float64(*labels.One)}}
	}
	if len(l.Labels) == 0 {
		return errors.New(`expected "human_label", a number or true or false, or "human_labels", got neither`)
	}
	return nil
}

// MarshalJSON writes what UnmarshalJSON reads.
func (l Labelled) MarshalJSON() ([]byte, error) {
	sample, err := marshal(l.Sample)
	if err != nil {
		return nil, err
	}
	var labels any = map[string]any{"human_labels": l.byRater()}
	if len(l.Labels) == 1 && l.Labels[0].Rater == "" {
		labels = map[string]any{"human_label": l.Labels[0].Value}
	}
	more, err := marshal(labels)
	if err != nil {
		return nil, err
	}
	if len(sample) > 2 {
		sample = append(bytes.TrimSuffix(sample, []byte("}")), ',')
		return append(sample, more[1:]...), nil
	}
	return more, nil
}

func (l Labelled) byRater() any {
	named := map[string]float64{}
	var list []float64
	for _, x := range l.Labels {
		named[x.Rater] = x.Value
		list = append(list, x.Value)
	}
	if _, unnamed := named[""]; unnamed || len(named) < len(list) {
		return list
	}
	return named
}

// labelValue is a number, or true or false for 1 and 0.
type labelValue float64

func (v *labelValue) UnmarshalJSON(b []byte) error {
	var number float64
	switch yes, ok := readTruth(b); {
	case ok && yes:
		*v = 1
	case ok:
		*v = 0
	case json.Unmarshal(b, &number) == nil && !math.IsInf(number, 0):
		*v = labelValue(number)
	default:
		return fmt.Errorf("expected a label that is a number or true or false, got %s", cut(string(b), 80))
	}
	return nil
}

// labelValues are the labels of several raters, by name or in order.
type labelValues []Label

func (v *labelValues) UnmarshalJSON(b []byte) error {
	var named map[string]*labelValue
	if bytes.HasPrefix(b, []byte("{")) {
		if err := json.Unmarshal(b, &named); err != nil {
			return err
		}
		for _, rater := range slices.Sorted(maps.Keys(named)) {
			if said := named[rater]; said != nil {
				*v = append(*v, Label{rater, float64(*said)})
			}
		}
		return nil
	}
	var list []*labelValue
	if err := json.Unmarshal(b, &list); err != nil {
		return err
	}
	for i, said := range list {
		if said != nil {
			*v = append(*v, Label{fmt.Sprint(i + 1), float64(*said)})
		}
	}
	return nil
}

// ReadLabelled reads a file of labelled samples, one JSON object a line. A line
// that cannot be read is an error that names it, and so is a name that occurs
// twice. Fields that a [Labelled] does not have are passed over.
func ReadLabelled(file string) ([]Labelled, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("ragtest: the labelled samples cannot be read: %w", err)
	}
	return ParseLabelled(file, text)
}

// ParseLabelled reads the text of a file as [ReadLabelled] does. The name is for
// errors.
func ParseLabelled(file string, text []byte) ([]Labelled, error) {
	var all []Labelled
	line := map[string]int{}
	no := 0
	for object := range bytes.Lines(bytes.TrimPrefix(text, []byte("\ufeff"))) {
		no++
		if object = bytes.TrimSpace(object); len(object) == 0 {
			continue
		}
		var l Labelled
		if err := json.Unmarshal(object, &l); err != nil {
			return nil, fmt.Errorf("ragtest: %s:%d is not a labelled sample: %w", file, no, err)
		}
		if l.Sample.Name == "" {
			l.Sample.Name = fmt.Sprintf("#%d", no)
		}
		if before, ok := line[l.Sample.Name]; ok {
			return nil, fmt.Errorf("ragtest: %s:%d has the name %q of line %d; names must differ", file, no, l.Sample.Name, before)
		}
		line[l.Sample.Name] = no
		all = append(all, l)
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("ragtest: %s has no labelled samples", file)
	}
	return all, nil
}
