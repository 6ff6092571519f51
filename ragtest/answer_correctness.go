package ragtest

import (
	"context"
	"fmt"
	"math"
)

// AnswerCorrectness tells how far the answer says what the reference says: a
// weighted mean of the F1 score of their claims and of [SemanticSimilarity],
// three to one. It lies between 0 and 1, or somewhat below 0 where the
// embeddings point in opposite directions.
//
// It needs UserInput, Response and Reference, and a judge with an embedder, see
// [Judge.WithEmbedder]. The judge splits answer and reference into claims, then
// looks for each claim in the other list: three calls, and one for the
// embeddings. If one of the two texts makes no claim the F score is 0, and
// nothing is compared; if neither does the score is [ErrUndefined].
//
// The verdicts say of each claim whether the other text makes it. The
// similarity is no verdict, as a cosine is no yes or no: measure
// [SemanticSimilarity] to see it, which embeds nothing again.
//
// The score is Ragas' answer correctness, with these differences: every claim of
// either text has exactly one verdict, or there is no score, where Ragas counts
// what its judge happens to list; without claims there is nothing right, where
// Ragas may find all right; a vector that is zero is [ErrBadVector].
var AnswerCorrectness = answerCorrectness{factual: 0.75, similarity: 0.25, beta: 1}

type answerCorrectness struct{ factual, similarity, beta float64 }

// Weights returns a copy of m with other weights for the F score and the
// similarity. Only their ratio counts. Without weight of the similarity no
// embedder is needed; the claims are judged whatever their weight. Weights below
// 0, or both 0, are an error of every measurement.
func (m answerCorrectness) Weights(factual, similarity float64) answerCorrectness {
	m.factual, m.similarity = factual, similarity
	return m
}

// Beta returns a copy of m in which recall, the share of the reference's claims
// that the answer makes, counts b times as much as precision, the share of the
// answer's claims that the reference makes. The default is 1. Below 0 it is an
// error of every measurement.
func (m answerCorrectness) Beta(b float64) answerCorrectness {
	m.beta = b
	return m
}

// Name tells scores of other weights apart: they are not to be compared.
func (m answerCorrectness) Name() string {
	name := "answer_correctness"
	if m.factual != AnswerCorrectness.factual || m.similarity != AnswerCorrectness.similarity {
		name += fmt.Sprintf("_weights_%v_%v", m.factual, m.similarity)
	}
	if m.beta != AnswerCorrectness.beta {
		name += fmt.Sprintf("_beta_%v", m.beta)
	}
	return name
}

func (m answerCorrectness) Range() (lowest, highest float64) {
	if m.check() != nil || m.similarity == 0 {
		return 0, 1
	}
	return m.mean(0, -1), 1
}

func (m answerCorrectness) Measure(ctx context.Context, j *Judge, s Sample) (Score, error) {
	if err := needs(needQuestion(s), needResponse(s), needReference(s), m.check()); err != nil {
		return Score{}, err
	}
	if m.similarity > 0 {
		if _, err := j.Embedder(); err != nil {
			return Score{}, err // before the claims are paid for
		}
	}
	texts, roles := []string{s.Response, s.Reference}, []string{"the answer", "the reference"}
	claims := make([][]string, 2)
	err := each(ctx, 2, func(ctx context.Context, i int) (err error) {
		claims[i], err = j.claims(ctx, s.UserInput, texts[i], roles[i])
		return err
	})
	if err != nil {
		return Score{}, err
	}
	answer, reference := claims[0], claims[1]
	if len(answer) == 0 && len(reference) == 0 {
		return Score{}, fmt.Errorf("%w: neither the answer nor the reference makes a claim, so there is nothing to compare", ErrUndefined)
	}
	var verdicts []Verdict
	var similarity float64
	err = each(ctx, 2, func(ctx context.Context, i int) (err error) {
		switch {
		case i == 0:
			verdicts, err = j.compare(ctx, s.UserInput, answer, reference)
		case m.similarity > 0:
			similarity, err = j.similarity(ctx, s)
		}
		return err
	})
	if err != nil {
		return Score{}, err
	}
	tp, found := passed(verdicts[:len(answer)]), passed(verdicts[len(answer):])
	f := fBeta(tp, len(answer)-tp, len(reference)-found, m.beta)
	return Score{Metric: m.Name(), Value: m.mean(f, similarity), Verdicts: verdicts}, nil
}

func (m answerCorrectness) check() error {
	if !(m.factual >= 0 && m.similarity >= 0 && m.factual+m.similarity > 0) || math.IsInf(m.factual+m.similarity, 0) {
		return fmt.Errorf("AnswerCorrectness.Weights: weights of at least 0, one of them above, are needed, not %v and %v", m.factual, m.similarity)
	}
	return checkBeta("AnswerCorrectness", m.beta)
}

// mean weighs an F score against a similarity.
func (m answerCorrectness) mean(f, similarity float64) float64 {
	return (float64(f*m.factual) + float64(similarity*m.similarity)) / (m.factual + m.similarity)
}
