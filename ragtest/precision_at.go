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
	r, err := rankingToFind(s)
	if err := needs(m.depth.check("PrecisionAt"), err); err != nil {
		return Score{}, err
	}
	score := Score{Metric: m.Name(), Value: float64(r.found(m.depth.k)) / float64(m.depth.k), Verdicts: r.byRank(m.depth.k)}
	score.Weighed = len(score.Verdicts) < m.depth.k
	if n := len(r.retrieved); n < m.depth.k {
		score.Verdicts = append(score.Verdicts, Verdict{Claim: ranks(n+1, m.depth.k), Reason: fmt.Sprintf("nothing is there: %d were retrieved", n)})
	}
	return score, nil
}
