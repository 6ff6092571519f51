package ragtest

import (
	"context"

	"github.com/ragomega/ragomega/cache"
)

// ContextRelevance rates how much of what the question asks for is in the
// retrieved contexts, from 0 to 1. All contexts are rated together, whatever
// their order. No reference is needed, so the judge decides by the question
// alone what a good answer would need.
//
// It needs UserInput and RetrievedContexts. Two requests in parallel ask for a
// rating of 0, 1 or 2, in two wordings. The score is the mean of the ratings, as
// a share of 2. Each wording is a verdict: its Value is the rating, and 2 is a
// yes.
//
// The score is that of Ragas' context relevance, a metric of NVIDIA's, with
// these differences: the judge gives a reason first; it is asked even if the
// question has the contexts' words; a rating is one of 0, 1 and 2, and not a
// digit found somewhere in the reply; both ratings are needed.
var ContextRelevance = contextRelevance{}

type contextRelevance struct{}

func (contextRelevance) Name() string                     { return "context_relevance" }
func (contextRelevance) Range() (lowest, highest float64) { return 0, 1 }

func (m contextRelevance) Measure(ctx context.Context, j *Judge, s Sample) (Score, error) {
	if err := needs(needQuestion(s), needContexts(s)); err != nil {
		return Score{}, err
	}
	data := struct {
		Question  string   `json:"question"`
		Documents []string `json:"documents"`
	}{s.UserInput, s.RetrievedContexts}
	q := question{
		about: shorten(s.UserInput, 200),
		parts: append([]cache.Part{cache.TextPart("question", "the question", s.UserInput)}, textParts("context", s.RetrievedContexts)...),
	}
	return j.rated(ctx, m.Name(), "the contexts have all that the question asks for", []int{0, 1, 2}, q,
		[2]wording{{"relevance", data}, {"relevance_reworded", data}})
}
