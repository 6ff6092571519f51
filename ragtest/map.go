package ragtest

import "context"

// MAP is the average precision of a ranking, from 0 to 1: the precision at the rank
// of each relevant ID, 0 for one that was not retrieved, averaged over all that are
// relevant. Its mean over a report is the mean average precision. It is 1 if all that
// is relevant comes first.
//
// Inputs and errors are those of [RecallAt]. The verdicts are of the ranks, and then
// of the IDs that are missing.
//
// It equals trec_eval's map. [ContextPrecision] averages over what was retrieved
// alone, as Ragas does, and so does not notice what is missing.
var MAP = averagePrecisionOfIDs{depth: depth{whole: true}}

type averagePrecisionOfIDs struct {
	ofIDs
	depth depth
}

// At returns a copy of m that looks at the first k ranks, at least 1. It is still
// divided by all that is relevant, as trec_eval's map_cut is, so that more relevant
// IDs than k cannot all be found.
func (m averagePrecisionOfIDs) At(k int) averagePrecisionOfIDs {
	m.depth = depth{k: k}
	return m
}

func (m averagePrecisionOfIDs) Name() string { return m.depth.named("map") }

func (m averagePrecisionOfIDs) Measure(_ context.Context, _ *Judge, s Sample) (Score, error) {
	r, k, err := m.depth.look("MAP.At", s)
	if err != nil {
		return Score{}, err
	}
	sum, _ := precisions(r.hits(k))
	return Score{
		Metric: m.Name(), Weighed: true, Value: sum / float64(len(r.relevant)),
		Verdicts: append(r.byRank(k), r.missing(k)...),
	}, nil
}
