package ragtest

import (
	"context"
	"math"
	"slices"
)

// NDCG is the normalised discounted cumulative gain of a ranking (Järvelin and
// Kekäläinen 2002), from 0 to 1: the grades of what was retrieved, each divided by
// the logarithm of its rank, over what the best ranking would have. It is 1 if what
// is relevant comes first, in the order of its grades, and the one metric here that
// tells very relevant from somewhat relevant.
//
// Inputs and errors are those of [RecallAt]; without ReferenceContextGrades, each
// relevant ID has grade 1. The verdicts are of the ranks, with their grades, and then
// of the IDs that are missing.
//
// It equals trec_eval's ndcg: a grade is a gain as it is, and rank i is discounted by
// log2(i+1).
var NDCG = ndcg{depth: depth{whole: true}}

type ndcg struct {
	ofIDs
	depth       depth
	exponential bool
}

// At returns a copy of m that looks at the first k ranks, at least 1, of the ranking
// and of the best one.
func (m ndcg) At(k int) ndcg {
	m.depth = depth{k: k}
	return m
}

// Exponential returns a copy of m whose gain is 2^grade-1 (Burges et al. 2005), for
// which one very relevant context is worth several that are somewhat.
func (m ndcg) Exponential() ndcg {
	m.exponential = true
	return m
}

func (m ndcg) Name() string {
	if m.exponential {
		return m.depth.named("ndcg_exponential")
	}
	return m.depth.named("ndcg")
}

func (m ndcg) Measure(_ context.Context, _ *Judge, s Sample) (Score, error) {
	r, k, err := m.depth.look("NDCG.At", s)
	if err != nil {
		return Score{}, err
	}
	var best []int
	for _, id := range r.relevant {
		best = append(best, r.wanted[id])
	}
	slices.SortFunc(best, func(a, b int) int { return b - a })
	highest := best[0]
	if !m.depth.whole {
		best = best[:min(k, len(best))]
	}
	return Score{
		Metric: m.Name(), Value: min(1, m.gain(r.top(k), highest)/m.gain(best, highest)), Weighed: true,
		Verdicts: append(r.byRank(k), r.missing(k)...),
	}, nil
}

// gain is the discounted cumulative gain of grades by rank. Those that grow with a
// power are taken as parts of that of the highest grade, which may be any number.
func (m ndcg) gain(grades []int, highest int) float64 {
	sum := 0.0
	for i, g := range grades {
		gain := float64(g)
		if m.exponential {
			gain = math.Ldexp(1, g-highest) - math.Ldexp(1, -highest)
		}
		sum += gain / math.Log2(float64(i+2))
	}
	return sum
}
