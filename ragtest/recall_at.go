package ragtest

import "context"

// RecallAt is the share of the relevant IDs that are among the first k retrieved,
// from 0 to 1: whether the retriever found what there is to find, early enough for a
// reader that is given k contexts.
//
// It needs ReferenceContextIDs, and RetrievedContextIDs in the order of the ranking;
// nobody is asked. If grades are given, those above 0 are relevant. An ID that is
// retrieved twice counts once, at the higher rank. Where nothing was retrieved it is
// 0; where nothing is relevant, [ErrUndefined]. k is at least 1.
//
// The verdicts are of the relevant IDs, and say where each was found.
//
// It equals trec_eval's recall. Ragas has recall of the whole list alone, see
// [IDContextRecall].
func RecallAt(k int) recallAt { return recallAt{depth: depth{k: k}} }

type recallAt struct {
	ofIDs
	depth depth
}

func (m recallAt) Name() string { return m.depth.named("recall") }

func (m recallAt) Measure(_ context.Context, _ *Judge, s Sample) (Score, error) {
	r, k, err := m.depth.look("RecallAt", s)
	if err != nil {
		return Score{}, err
	}
	v := r.byID(k)
	return Score{Metric: m.Name(), Value: share(v), Verdicts: v}, nil
}

// HitRateAt is 1 if a relevant ID is among the first k retrieved, and else 0. Its
// mean over a report is the hit rate. Inputs, verdicts and errors are those of
// [RecallAt]; it equals trec_eval's success.
func HitRateAt(k int) hitRateAt { return hitRateAt{depth: depth{k: k}} }

type hitRateAt struct {
	ofIDs
	depth depth
}

func (m hitRateAt) Name() string { return m.depth.named("hit_rate") }

func (m hitRateAt) Measure(_ context.Context, _ *Judge, s Sample) (Score, error) {
	r, k, err := m.depth.look("HitRateAt", s)
	if err != nil {
		return Score{}, err
	}
	score := Score{Metric: m.Name(), Weighed: true, Verdicts: r.byID(k)}
	if passed(score.Verdicts) > 0 {
		score.Value = 1
	}
	return score, nil
}
