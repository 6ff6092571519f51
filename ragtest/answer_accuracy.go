package ragtest

import (
	"context"

	"github.com/ragomega/ragomega/cache"
)

// AnswerAccuracy rates how far the answer agrees with the reference, from 0 to
// 1. It is coarse and cheap: no claims are looked at, so that it says less of a
// long answer than a metric that does.
//
// It needs UserInput, Response and Reference. Two requests in parallel ask for a
// rating of 0, 2 or 4, in two wordings, the second with the two texts swapped.
// The score is the mean of the ratings, as a share of 4. Each wording is a
// verdict: its Value is the rating, and 4 is a yes.
//
// The score is that of Ragas' answer accuracy, a metric of NVIDIA's, with these
// differences: the judge gives a reason first; a rating is one of 0, 2 and 4, and
// not a digit found somewhere in the reply; both ratings are needed.
var AnswerAccuracy = answerAccuracy{}

type answerAccuracy struct{}

func (answerAccuracy) Name() string                     { return "answer_accuracy" }
func (answerAccuracy) Range() (lowest, highest float64) { return 0, 1 }

func (m answerAccuracy) Measure(ctx context.Context, j *Judge, s Sample) (Score, error) {
	if err := needs(needQuestion(s), needResponse(s), needReference(s)); err != nil {
		return Score{}, err
	}
	q := question{
		about: shorten(s.UserInput, 100) + " | " + shorten(s.Response, 200) + " | " + shorten(s.Reference, 200),
		parts: []cache.Part{
			cache.TextPart("question", "the question", s.UserInput),
			cache.TextPart("answer", "the answer", s.Response),
			cache.TextPart("reference", "the reference", s.Reference),
		},
	}
	return j.rated(ctx, m.Name(), "the answer agrees with the reference", []int{0, 2, 4}, q, [2]wording{
		{"accuracy", struct {
			Question  string `json:"question"`
			Answer    string `json:"answer"`
			Reference string `json:"reference"`
		}{s.UserInput, s.Response, s.Reference}},
		{"accuracy_swapped", struct {
			Question  string `json:"question"`
			Candidate string `json:"candidate"`
			Standard  string `json:"standard"`
		}{s.UserInput, s.Reference, s.Response}},
	})
}
