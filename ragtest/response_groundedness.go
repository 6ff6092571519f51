package ragtest

import (
	"context"

	"github.com/ragomega/ragomega/cache"
)

// ResponseGroundedness rates how far the answer rests on the retrieved contexts,
// from 0 to 1. It asks what [Faithfulness] asks, of the answer as a whole: it
// costs two short replies, and cannot say which claim has no support.
//
// It needs Response and RetrievedContexts. Two requests in parallel ask for a
// rating of 0, 1 or 2, in two wordings. The score is the mean of the ratings, as
// a share of 2. Each wording is a verdict: its Value is the rating, and 2 is a
// yes.
//
// The score is that of Ragas' response groundedness, a metric of NVIDIA's, with
// these differences: the judge gives a reason first; it is asked even if the
// contexts have the answer word for word, as "a" is found in "cat"; a rating is
// one of 0, 1 and 2, and not a digit found somewhere in the reply; both ratings
// are needed.
var ResponseGroundedness = responseGroundedness{}

type responseGroundedness struct{}

func (responseGroundedness) Name() string                     { return "response_groundedness" }
func (responseGroundedness) Range() (lowest, highest float64) { return 0, 1 }

func (m responseGroundedness) Measure(ctx context.Context, j *Judge, s Sample) (Score, error) {
	if err := needs(needResponse(s), needContexts(s)); err != nil {
		return Score{}, err
	}
	data := struct {
		Answer    string   `json:"answer"`
		Documents []string `json:"documents"`
	}{s.Response, s.RetrievedContexts}
	q := question{
		about: shorten(s.Response, 200),
		parts: append([]cache.Part{cache.TextPart("answer", "the answer", s.Response)}, textParts("context", s.RetrievedContexts)...),
	}
	return j.rated(ctx, m.Name(), "the contexts support all of the answer", []int{0, 1, 2}, q,
		[2]wording{{"groundedness", data}, {"groundedness_reworded", data}})
}
