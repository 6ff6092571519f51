package ragtest

import (
	"context"
	"fmt"
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
var TextContextPrecision = textContext{by: LevenshteinSimilarity, threshold: 0.5}

// TextContextRecall is the share of ReferenceContexts that are spelled like one of
// RetrievedContexts, from 0 to 1. What is alike, and the methods, are those of
// [TextContextPrecision].
//
// It needs ReferenceContexts; where nothing was retrieved it is 0. Nobody is asked.
// The verdicts are of the reference's contexts.
//
// It is Ragas' non-LLM context recall, but that a similarity at the threshold counts,
// as it does for precision.
var TextContextRecall = textContext{recall: true, by: LevenshteinSimilarity, threshold: 0.5}

type textContext struct {
	computed
	recall    bool
	by        stringSimilarity
	threshold float64
}

// Threshold returns a copy of m for which texts are alike from a similarity of t on,
// from 0 to 1.
func (m textContext) Threshold(t float64) textContext {
	m.threshold = t
	return m
}

// By returns a copy of m that goes by another similarity, such as [JaroSimilarity].
func (m textContext) By(s stringSimilarity) textContext {
	m.by = s
	return m
}

func (m textContext) Name() string {
	name := "text_context_precision"
	if m.recall {
		name = "text_context_recall"
	}
	if m.by != TextContextRecall.by {
		name += "_" + m.by.name
	}
	if m.threshold != TextContextRecall.threshold {
		name += fmt.Sprintf("_threshold_%v", m.threshold)
	}
	return name
}

func (m textContext) Measure(_ context.Context, _ *Judge, s Sample) (Score, error) {
	if !(m.threshold >= 0 && m.threshold <= 1) {
		return Score{}, fmt.Errorf("%s: a threshold from 0 to 1 is needed, not %v", m.Name(), m.threshold)
	}
	if err := needTexts("ReferenceContexts", s.ReferenceContexts); err != nil {
		return Score{}, err
	}
	if m.recall {
		return m.ofReference(s), nil
	}
	if err := needContexts(s); err != nil {
		return Score{}, err
	}
	return m.ofRetrieved(s), nil
}

// ofRetrieved scores the ranking of what was retrieved.
func (m textContext) ofRetrieved(s Sample) Score {
	score := Score{Metric: m.Name(), Weighed: true}
	var relevant []bool
	for _, c := range s.RetrievedContexts {
		v := m.find(c, s.ReferenceContexts)
		score.Verdicts = append(score.Verdicts, v)
		relevant = append(relevant, v.OK)
	}
	score.Value = averagePrecision(relevant)
	return score
}

// ofReference scores what was retrieved of the reference.
func (m textContext) ofReference(s Sample) Score {
	var retrieved []string
	for _, c := range s.RetrievedContexts {
		if !blank(c) {
			retrieved = append(retrieved, c)
		}
	}
	score := Score{Metric: m.Name()}
	for _, c := range s.ReferenceContexts {
		v := m.find(c, retrieved)
		v.Value = 0 // the score is a count, and reasons have the similarity of what is not alike
		score.Verdicts = append(score.Verdicts, v)
	}
	score.Value = share(score.Verdicts)
	return score
}

// find has a verdict on a text: whether one of others is like it.
func (m textContext) find(text string, others []string) Verdict {
	v := Verdict{Claim: shorten(text, 200)}
	nearest := ""
	for _, other := range others {
		if s := m.by.of(text, other); s > v.Value {
			v.Value, nearest = s, other
		}
	}
	v.OK = len(others) > 0 && v.Value >= m.threshold && !blank(text)
	switch {
	case v.OK:
	case len(others) == 0:
		v.Reason = "nothing was retrieved"
	case blank(text):
		v.Reason = "it is blank"
	default:
		value := fmt.Sprintf("%.2f", v.Value)
		if value == fmt.Sprintf("%.2f", m.threshold) {
			value = fmt.Sprint(v.Value) // a little less
		}
		v.Reason = fmt.Sprintf("the nearest is like it to %s, and %v is asked for", value, m.threshold)
		v.Quote = shorten(nearest, 200)
	}
	return v
}
