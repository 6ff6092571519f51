package ragtest

import (
	"context"
	"slices"
)

// MRR is 1 over the rank of the first relevant ID, from 0, where none was retrieved,
// to 1. Its mean over a report is the mean reciprocal rank: how far down a reader has
// to look who needs one good context. What comes after the first one does not matter.
//
// Inputs and errors are those of [RecallAt]. The verdicts are of the ranks down to
// the first relevant one; if there is none, of all and of the IDs that are missing.
//
// It equals trec_eval's recip_rank.
var MRR = mrr{depth: depth{whole: true}}

type mrr struct {
	ofIDs
	depth depth
}

// At returns a copy of m that looks at the first k ranks, at least 1: below them
// nothing is found.
func (m mrr) At(k int) mrr {
	m.depth = depth{k: k}
	return m
}

func (m mrr) Name() string { return m.depth.named("mrr") }

func (m mrr) Measure(_ context.Context, _ *Judge, s Sample) (Score, error) {
	r, k, err := m.depth.look("MRR.At", s)
	if err != nil {
		return Score{}, err
	}
	if first := slices.Index(r.hits(k), true) + 1; first > 0 {
		return Score{Metric: m.Name(), Weighed: true, Value: 1 / float64(first), Verdicts: r.byRank(first)}, nil
	}
	return Score{Metric: m.Name(), Weighed: true, Verdicts: append(r.byRank(k), r.missing(k)...)}, nil
}
