package ragtest

import (
	"context"
	"fmt"
)

// PrecisionAt is the share of the first k ranks that hold a relevant ID, from 0 to
// 1: how much of what a reader of k contexts is given is worth reading. A rank at
// which nothing was retrieved holds none.
//
// Inputs and errors are those of [RecallAt]. The verdicts are of the ranks, in their
// order. An ID that is retrieved twice is relevant once, at the higher rank.
//
// It equals trec_eval's P. Ragas has precision of the whole list alone, see
// [IDContextPrecision].
func PrecisionAt(k int) precisionAt { return precisionAt{depth: depth{k: k}} }

type precisionAt struct {
	ofIDs
	depth depth
}

func (m precisionAt) Name() string { return m.depth.named("precision") }

func (m precisionAt) Measure(_ context.Context, _ *Judge, s Sample) (Score, error) {
	r, k, err := m.depth.look("PrecisionAt", s)
	if err != nil {
		return Score{}, err
	}
	v := r.byRank(k)
	score := Score{Metric: m.Name(), Value: float64(passed(v)) / float64(k), Weighed: len(v) < k, Verdicts: v}
	if n := len(r.retrieved); n < k {
		score.Verdicts = append(v, Verdict{Claim: ranks(n+1, k), Reason: fmt.Sprintf("nothing is there: %d were retrieved", n)})
	}
	return score, nil
}
