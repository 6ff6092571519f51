package ragtest

import (
	"context"
	"fmt"
)

// IDContextRecall is the share of ReferenceContextIDs that were retrieved, at any
// rank, from 0 to 1. IDs count once. It needs ReferenceContextIDs and
// RetrievedContextIDs; nobody is asked. Without any of the first it is
// [ErrUndefined]; where nothing was retrieved it is 0. The verdicts are of the
// reference's IDs.
//
// It is Ragas' ID based context recall. [RecallAt] looks at the first k ranks.
var IDContextRecall = idContextRecall{}

type idContextRecall struct{ ofIDs }

func (idContextRecall) Name() string { return "id_context_recall" }

func (m idContextRecall) Measure(_ context.Context, _ *Judge, s Sample) (Score, error) {
	r, err := rankingToFind(s)
	if err != nil {
		return Score{}, err
	}
	v := r.byID(len(r.retrieved))
	return Score{Metric: m.Name(), Value: share(v), Verdicts: v}, nil
}

// IDContextPrecision is the share of RetrievedContextIDs that are among
// ReferenceContextIDs, from 0 to 1. IDs count once, and their order does not matter:
// for that see [MAP] and [NDCG]. It needs RetrievedContextIDs; without any it is
// [ErrUndefined]. Without ReferenceContextIDs it is 0. Nobody is asked. The verdicts
// are of the IDs retrieved.
//
// It is Ragas' ID based context precision. [PrecisionAt] looks at the first k ranks.
var IDContextPrecision = idContextPrecision{}

type idContextPrecision struct{ ofIDs }

func (idContextPrecision) Name() string { return "id_context_precision" }

func (m idContextPrecision) Measure(_ context.Context, _ *Judge, s Sample) (Score, error) {
	r, err := rankingOf(s)
	if err == nil && len(r.retrieved) == 0 {
		err = fmt.Errorf("%w: nothing was retrieved, so no share of it is relevant", ErrUndefined)
	}
	if err != nil {
		return Score{}, err
	}
	var v []Verdict
	for i, id := range r.retrieved {
		if r.at[id] <= i {
			continue // it stands higher already
		}
		v = append(v, Verdict{Claim: id, OK: r.grades[i] > 0})
		if r.grades[i] == 0 {
			v[len(v)-1].Reason = r.why(i)
		}
	}
	return Score{Metric: m.Name(), Value: share(v), Verdicts: v}, nil
}
