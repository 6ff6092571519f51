package matchers

import (
	"fmt"

	"github.com/ragomega/ragomega/ragtest"
)

// HaveRecallAtAbove succeeds if more than the share min of a sample's relevant IDs is
// among the first k that were retrieved. min is at least 0 and below 1. Actual is a
// sample with RetrievedContextIDs and ReferenceContextIDs; no judge is asked, nor
// needed.
//
//	Expect(sample).To(HaveRecallAtAbove(5, 0.8))
//	Expect(report).To(HaveMeanAbove(ragtest.RecallAt(5), 0.8).ForEachTag())
//
// That all are found is HaveScore(ragtest.RecallAt(5), 1). See [ragtest.RecallAt].
func HaveRecallAtAbove(k int, min float64) *Matcher {
	return namedAt("HaveRecallAtAbove", k, ragtest.RecallAt(k), min)
}

// HavePrecisionAtAbove succeeds if more than the share min of the first k ranks of
// what was retrieved holds a relevant ID. min is at least 0 and below 1. Actual is as
// for [HaveRecallAtAbove].
//
//	Expect(sample).To(HavePrecisionAtAbove(3, 0.5)) // 2 of 3
//
// See [ragtest.PrecisionAt].
func HavePrecisionAtAbove(k int, min float64) *Matcher {
	return namedAt("HavePrecisionAtAbove", k, ragtest.PrecisionAt(k), min)
}

// HaveNDCGAtAbove succeeds if the first k that were retrieved come near the best
// ranking, by ReferenceContextGrades, to more than min. min is at least 0 and below
// 1. Actual is as for [HaveRecallAtAbove].
//
//	Expect(sample).To(HaveNDCGAtAbove(10, 0.7))
//
// See [ragtest.NDCG].
func HaveNDCGAtAbove(k int, min float64) *Matcher {
	return namedAt("HaveNDCGAtAbove", k, ragtest.NDCG.At(k), min)
}

// HaveMRRAbove succeeds if 1 over the rank of the first relevant ID is above min: with
// 0.3 it is at rank 3 or higher. min is at least 0 and below 1. Actual is as for
// [HaveRecallAtAbove].
//
//	Expect(sample).To(HaveMRRAbove(0.3))
//
// See [ragtest.MRR].
func HaveMRRAbove(min float64) *Matcher { return named("HaveMRRAbove", ragtest.MRR, min) }

// HaveMAPAbove succeeds if the average precision of the ranking is above min. min is
// at least 0 and below 1. Actual is as for [HaveRecallAtAbove].
//
//	Expect(sample).To(HaveMAPAbove(0.6))
//
// See [ragtest.MAP].
func HaveMAPAbove(min float64) *Matcher { return named("HaveMAPAbove", ragtest.MAP, min) }

// HaveHitAt succeeds if a relevant ID is among the first k that were retrieved. Actual
// is as for [HaveRecallAtAbove].
//
//	Expect(sample).To(HaveHitAt(3))
//	Expect(report).To(HavePassRateAbove(HaveHitAt(3), 0.9)) // the hit rate
//
// See [ragtest.HitRateAt].
func HaveHitAt(k int) *Matcher {
	m := HaveScore(ragtest.HitRateAt(k), 1)
	m.name, m.want = fmt.Sprintf("HaveHitAt(%d)", k), fmt.Sprintf("to have a relevant ID among the first %d", k)
	return m
}

// namedAt is named for a metric that looks at the first k ranks.
func namedAt(name string, k int, metric ragtest.Metric, min float64) *Matcher {
	m := HaveScoreAbove(metric, min)
	m.name = fmt.Sprintf("%s(%d, %v)", name, k, min)
	return m
}
