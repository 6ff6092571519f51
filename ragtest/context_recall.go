package ragtest

import "context"

// ContextRecall is the share of the reference's claims that the retrieved
// contexts support, from 0 to 1: how much of what a good answer needs was found.
// It says nothing of the answer that was given.
//
// It needs Reference and RetrievedContexts; UserInput is optional. The judge
// splits the reference into claims, then looks for each in the contexts: two
// calls. A reference without a claim is [ErrUndefined].
//
// The score is Ragas' LLM context recall, with these differences: the claims
// are asked for first, so that none is passed over; a verdict is yes or no;
// nothing is asked about an empty reference or without contexts.
var ContextRecall = contextRecall{}

type contextRecall struct{}

func (contextRecall) Name() string                     { return "context_recall" }
func (contextRecall) Range() (lowest, highest float64) { return 0, 1 }

func (m contextRecall) Measure(ctx context.Context, j *Judge, s Sample) (Score, error) {
	if err := needs(needReference(s), needContexts(s)); err != nil {
		return Score{}, err
	}
	return j.supported(ctx, m.Name(), s, s.Reference, "the reference")
}
