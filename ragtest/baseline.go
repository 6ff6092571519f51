package ragtest

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/ragomega/ragomega/cache"
)

// Baseline is what an earlier [Report] found, to hold later ones against; see
// [Compare]. It has the scores and what was decided by yes and no, and neither
// the texts of the samples nor the judge's reasons, requests or times, so that
// the file of it changes where the results do and nowhere else.
type Baseline struct {
	Metrics []MetricBaseline `json:"metrics"` // by their names, sorted
}

// MetricBaseline is the part of a [Baseline] that is about one metric.
type MetricBaseline struct {
	Metric        string           `json:"metric"`
	Judge         string           `json:"judge,omitempty"` // model and identity; "" if nobody was asked
	Steps         []string         `json:"steps,omitempty"` // the prompts and their versions, sorted: "verify/v2"
	LowerIsBetter bool             `json:"lower_is_better,omitempty"`
	Samples       []SampleBaseline `json:"samples"` // by their names, sorted
}

// SampleBaseline is what was found of one sample.
type SampleBaseline struct {
	Sample string   `json:"sample"` // its name
	Tags   []string `json:"tags,omitempty"`
	// Inputs is a digest of what was put to the system and what was expected of it:
	// the question or conversation, and what there is for reference. "" if it is not
	// known. The system's output, answer and contexts, is what may change.
	Inputs     string            `json:"inputs,omitempty"`
	Score      *float64          `json:"score,omitempty"`      // nil if there is none
	Unmeasured string            `json:"unmeasured,omitempty"` // why not, in a word: see [RecordedError]
	Verdicts   []BaselineVerdict `json:"verdicts,omitempty"`   // in their order, as it is their numbers
}

// BaselineVerdict is one yes or no that a score was computed from.
type BaselineVerdict struct {
	OK    bool   `json:"ok"`
	Part  string `json:"part,omitempty"` // as in [Verdict]
	Claim string `json:"claim"`
}

// Baseline returns r as later reports are held against it. It has the digests of
// r's samples, so that a comparison tells a sample whose answer became worse from
// one that was asked something else.
//
// It is an error if r has nothing, two results of one sample by one metric, or
// scores of two judges by one metric.
func (r *Report) Baseline() (*Baseline, error) {
	b := &Baseline{}
	for _, name := range slices.Sorted(slices.Values(r.Metrics)) {
		m := MetricBaseline{Metric: name, LowerIsBetter: r.lowerIsBetter(name)}
		for _, x := range r.Results {
			if x.Metric != name {
				continue
			}
			if err := m.add(x); err != nil {
				return nil, err
			}
		}
		if len(m.Samples) == 0 {
			continue
		}
		if err := m.sort(); err != nil {
			return nil, err
		}
		b.Metrics = append(b.Metrics, m)
	}
	if len(b.Metrics) == 0 {
		return nil, fmt.Errorf("%w: the report has no results to make a baseline of", ErrUndefined)
	}
	return b, nil
}

func (r *Report) lowerIsBetter(metric string) bool {
	i := slices.Index(r.Metrics, metric)
	return i >= 0 && i < len(r.lower) && r.lower[i]
}

// add adds what was found of a sample.
func (m *MetricBaseline) add(x Result) error {
	s := SampleBaseline{Sample: x.Sample, Tags: slices.Sorted(slices.Values(x.Tags)), Inputs: x.Inputs}
	if x.Err != nil {
		s.Unmeasured = recordError(x.Err).Kind
		m.Samples = append(m.Samples, s)
		return nil
	}
	if m.Judge != "" && x.Score.Judge != "" && m.Judge != x.Score.Judge {
		return fmt.Errorf("%w: the report has scores of %s by %s and by %s, expected one judge", ErrOtherJudge, m.Metric, m.Judge, x.Score.Judge)
	}
	if x.Score.Judge != "" {
		m.Judge = x.Score.Judge
	}
	for _, e := range x.Score.Exchanges {
		if at, ok := slices.BinarySearch(m.Steps, e.Step); !ok {
			m.Steps = slices.Insert(m.Steps, at, e.Step)
		}
	}
	value := x.Score.Value
	s.Score = &value
	for _, v := range x.Score.Verdicts {
		s.Verdicts = append(s.Verdicts, BaselineVerdict{OK: v.OK, Part: v.Part, Claim: v.Claim})
	}
	m.Samples = append(m.Samples, s)
	return nil
}

// sort brings the samples into the order of their names, which must differ.
func (m *MetricBaseline) sort() error {
	slices.SortFunc(m.Samples, func(a, b SampleBaseline) int { return strings.Compare(a.Sample, b.Sample) })
	for i := 1; i < len(m.Samples); i++ {
		if name := m.Samples[i].Sample; name == m.Samples[i-1].Sample {
			return fmt.Errorf("ragtest: there are two results of sample %q by %s, expected one: of several trials take one, or their mean", name, m.Metric)
		}
	}
	return nil
}

// check says what is wrong with a baseline that was read.
func (b *Baseline) check() error {
	for i := range b.Metrics {
		m := &b.Metrics[i]
		switch {
		case m.Metric == "":
			return fmt.Errorf("metric %d has no name", i+1)
		case len(m.Samples) == 0:
			return fmt.Errorf("%s has no samples", m.Metric)
		case b.metric(m.Metric) != m:
			return fmt.Errorf("it has %s twice", m.Metric)
		}
		if err := m.sort(); err != nil {
			return err
		}
		for _, s := range m.Samples {
			switch {
			case s.Sample == "":
				return fmt.Errorf("a sample of %s has no name", m.Metric)
			case (s.Score == nil) == (s.Unmeasured == ""):
				return fmt.Errorf("sample %q of %s: expected either a score or why it was not measured", s.Sample, m.Metric)
			case s.Score != nil && (math.IsNaN(*s.Score) || math.IsInf(*s.Score, 0)):
				return fmt.Errorf("sample %q of %s has a score of %v, expected a number", s.Sample, m.Metric, *s.Score)
			}
		}
	}
	if len(b.Metrics) == 0 {
		return fmt.Errorf("it has no metrics")
	}
	return nil
}

// metric returns the part of b that is about a metric, or nil.
func (b *Baseline) metric(name string) *MetricBaseline {
	for i := range b.Metrics {
		if b.Metrics[i].Metric == name {
			return &b.Metrics[i]
		}
	}
	return nil
}

// ForTag returns the part of b that is about samples with a tag.
func (b *Baseline) ForTag(tag string) *Baseline {
	part := &Baseline{}
	for _, m := range b.Metrics {
		m.Samples = slices.DeleteFunc(slices.Clone(m.Samples), func(s SampleBaseline) bool { return !slices.Contains(s.Tags, tag) })
		part.Metrics = append(part.Metrics, m)
	}
	return part
}

// inputsOf returns the digest of what s was asked and of its reference. What the
// system made of it is left out, as that is what is compared.
func inputsOf(s Sample) string {
	b, _ := json.Marshal(Sample{ // texts always can
		UserInput: s.UserInput, Messages: s.Messages,
		Reference: s.Reference, ReferenceContexts: s.ReferenceContexts,
		ReferenceContextIDs: s.ReferenceContextIDs, ReferenceContextGrades: s.ReferenceContextGrades,
		ReferenceTopics: s.ReferenceTopics, Rubrics: s.Rubrics,
	})
	return cache.TextDigest(string(b))
}
