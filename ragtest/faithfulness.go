package ragtest

import (
	"context"
	"fmt"
)

// Faithfulness is the share of the answer's claims that the retrieved contexts
// support, from 0 to 1: how much of what the system said it had read. 1 means
// grounded, not true.
//
// It needs Response and RetrievedContexts; UserInput is optional and helps to
// understand a short answer. The judge splits the answer into claims, then
// checks all claims against all contexts: two calls. An answer without a claim
// is [ErrUndefined].
//
// The score is Ragas' faithfulness (Es et al., RAGAS, 2023), with these
// differences: every claim has exactly one verdict, or there is no score; a
// verdict is yes or no; nothing is asked about an empty answer or without
// contexts.
var Faithfulness = faithfulness{}

type faithfulness struct{}

func (faithfulness) Name() string                     { return "faithfulness" }
func (faithfulness) Range() (lowest, highest float64) { return 0, 1 }

func (m faithfulness) Measure(ctx context.Context, j *Judge, s Sample) (Score, error) {
	if err := needs(needResponse(s), needContexts(s)); err != nil {
		return Score{}, err
	}
	return j.supported(ctx, m.Name(), s, s.Response, "the answer")
}

// supported is the share of a text's claims that the retrieved contexts support:
// the text is the answer or the reference, and role is what messages call it.
func (j *Judge) supported(ctx context.Context, metric string, s Sample, text, role string) (Score, error) {
	claims, err := j.claims(ctx, s.UserInput, text, role)
	if err != nil {
		return Score{}, err
	}
	if len(claims) == 0 {
		return Score{}, fmt.Errorf("%w: %s makes no claim, so there is nothing to look for in the contexts", ErrUndefined, role)
	}
	claims, left := j.clipped(claims)
	verdicts, err := j.verify(ctx, claims, s.RetrievedContexts)
	if err != nil {
		return Score{}, err
	}
	return Score{Metric: metric, Value: share(verdicts), Verdicts: verdicts, Clipped: left}, nil
}
