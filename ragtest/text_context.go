package ragtest

import (
	"context"
	"fmt"
	"math"
)

// TextContextPrecision is the average precision of RetrievedContexts, of which those
// count as relevant that are spelled like one of ReferenceContexts, from 0 to 1: 1 if
// they come first, 0 if there is none. It is for references without IDs, and for
// chunks that were cut elsewhere than the reference's. Two texts are alike if their
// [LevenshteinSimilarity] is at least 0.5; its methods choose otherwise.
//
// It needs RetrievedContexts and ReferenceContexts; nobody is asked. A blank context
// is like none. The verdicts are of the ranks, with the highest similarity and the
// reference that has it.
//
// It is Ragas' non-LLM context precision, without its epsilon: a perfect ranking is
// exactly 1.
var TextContextPrecision = textContextPrecision{levenshteinHalf}

// TextContextRecall is the share of ReferenceContexts that are spelled like one of
// RetrievedContexts, from 0 to 1. What is alike, and the methods, are those of
// [TextContextPrecision].
//
// It needs ReferenceContexts; where nothing was retrieved it is 0. Nobody is asked.
// The verdicts are of the reference's contexts.
//
// It is Ragas' non-LLM context recall, but that a similarity at the threshold counts,
// as it does for precision.
var TextContextRecall = textContextRecall{levenshteinHalf}

// alike decides whether two texts are spelled alike.
type alike struct {
	by        stringSimilarity
	threshold float64
}

var levenshteinHalf = alike{LevenshteinSimilarity, 0.5}

func (a alike) name(metric string) string {
	if a.by != levenshteinHalf.by {
		metric += "_" + a.by.name
	}
	if a.threshold != levenshteinHalf.threshold {
		metric += fmt.Sprintf("_threshold_%v", a.threshold)
	}
	return metric
}

func (a alike) check(metric string) error {
	if !(a.threshold >= 0 && a.threshold <= 1) {
		return fmt.Errorf("%s.Threshold: a similarity from 0 to 1 is needed, not %v", metric, a.threshold)
	}
	return nil
}

// find has a verdict on a text: whether one of others is like it.
func (a alike) find(text string, others []string, none string) Verdict {
	v := Verdict{Claim: shorten(text, 200), Reason: none}
	best := math.Inf(-1)
	for _, other := range others {
		if s := a.by.of(text, other); s > best {
			best = s
			v.Value, v.Quote = s, shorten(other, 200)
		}
	}
	v.OK = best >= a.threshold && !blank(text)
	if v.Value > 0 && !v.OK {
		v.Reason = fmt.Sprintf("the nearest is like it to %.2f, and %v is asked for", v.Value, a.threshold)
	}
	return v
}

type textContextPrecision struct{ alike alike }

// Threshold returns a copy of m for which texts are alike from a similarity of t on,
// from 0 to 1.
func (m textContextPrecision) Threshold(t float64) textContextPrecision {
	m.alike.threshold = t
	return m
}

// By returns a copy of m that goes by another similarity, such as [JaroSimilarity].
func (m textContextPrecision) By(s stringSimilarity) textContextPrecision {
	m.alike.by = s
	return m
}

func (m textContextPrecision) Name() string                   { return m.alike.name("text_context_precision") }
func (textContextPrecision) Range() (lowest, highest float64) { return 0, 1 }
func (textContextPrecision) WithoutJudge()                    {}

func (m textContextPrecision) Measure(_ context.Context, _ *Judge, s Sample) (Score, error) {
	err := needs(needContexts(s), needTexts("ReferenceContexts", s.ReferenceContexts), m.alike.check("TextContextPrecision"))
	if err != nil {
		return Score{}, err
	}
	var verdicts []Verdict
	var relevant []bool
	for _, c := range s.RetrievedContexts {
		v := m.alike.find(c, s.ReferenceContexts, "no reference has a letter of it")
		verdicts = append(verdicts, v)
		relevant = append(relevant, v.OK)
	}
	return Score{Metric: m.Name(), Value: averagePrecision(relevant), Verdicts: verdicts}, nil
}

type textContextRecall struct{ alike alike }

// Threshold returns a copy of m for which texts are alike from a similarity of t on,
// from 0 to 1.
func (m textContextRecall) Threshold(t float64) textContextRecall {
	m.alike.threshold = t
	return m
}

// By returns a copy of m that goes by another similarity, such as [JaroSimilarity].
func (m textContextRecall) By(s stringSimilarity) textContextRecall {
	m.alike.by = s
	return m
}

func (m textContextRecall) Name() string                   { return m.alike.name("text_context_recall") }
func (textContextRecall) Range() (lowest, highest float64) { return 0, 1 }
func (textContextRecall) WithoutJudge()                    {}

func (m textContextRecall) Measure(_ context.Context, _ *Judge, s Sample) (Score, error) {
	err := needs(needTexts("ReferenceContexts", s.ReferenceContexts), m.alike.check("TextContextRecall"))
	if err != nil {
		return Score{}, err
	}
	var retrieved []string
	for _, c := range s.RetrievedContexts {
		if !blank(c) {
			retrieved = append(retrieved, c)
		}
	}
	var verdicts []Verdict
	for _, c := range s.ReferenceContexts {
		verdicts = append(verdicts, m.alike.find(c, retrieved, "no context has a letter of it"))
	}
	return Score{Metric: m.Name(), Value: share(verdicts), Verdicts: verdicts}, nil
}
