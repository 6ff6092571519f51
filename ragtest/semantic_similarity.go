package ragtest

import (
	"context"
	"errors"
	"fmt"
	"math"
)

// SemanticSimilarity is the cosine of the embeddings of the answer and of the
// reference, from -1 to 1: how near the two are in meaning, as far as the
// embedding model can tell. It tells little of facts: "in 1932" and "in 1923"
// are near.
//
// It needs Response and Reference, and a judge with an embedder, see
// [Judge.WithEmbedder]. The judge itself is not asked; both texts are embedded
// in one call. A vector that is zero is [ErrBadVector].
//
// The score is Ragas' semantic similarity, with these differences: a blank text
// and a vector without direction are errors; a threshold of 0 is one.
var SemanticSimilarity = semanticSimilarity{}

type semanticSimilarity struct {
	threshold float64
	atLeast   bool // there is a threshold
}

// Threshold returns a copy of m whose score is 1 where the cosine is at least t,
// and else 0. It goes by a name of its own, as its scores are not to be
// compared with cosines.
func (m semanticSimilarity) Threshold(t float64) semanticSimilarity {
	return semanticSimilarity{threshold: t, atLeast: true}
}

func (m semanticSimilarity) Name() string {
	if m.atLeast {
		return fmt.Sprintf("semantic_similarity_threshold_%v", m.threshold)
	}
	return "semantic_similarity"
}

func (m semanticSimilarity) Range() (lowest, highest float64) {
	if m.atLeast {
		return 0, 1
	}
	return -1, 1
}

func (m semanticSimilarity) Measure(ctx context.Context, j *Judge, s Sample) (Score, error) {
	if err := needs(needResponse(s), needReference(s), m.check()); err != nil {
		return Score{}, err
	}
	value, err := j.similarity(ctx, s)
	if err != nil {
		return Score{}, err
	}
	if m.atLeast {
		if value >= m.threshold {
			value = 1
		} else {
			value = 0
		}
	}
	return Score{Metric: m.Name(), Value: value}, nil
}

func (m semanticSimilarity) check() error {
	if math.IsNaN(m.threshold) {
		return errors.New("SemanticSimilarity.Threshold: NaN is no threshold")
	}
	return nil
}

// similarity is the cosine of the answer and the reference.
func (j *Judge) similarity(ctx context.Context, s Sample) (float64, error) {
	v, err := j.vectors(ctx, s.Response, s.Reference)
	if err != nil {
		return 0, err
	}
	return cosineOfUnits(v[0], v[1]), nil
}
