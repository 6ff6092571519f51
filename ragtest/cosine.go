package ragtest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
)

// vectors embeds texts to compare them. All of them have a direction: one whose
// length is 0, or beyond what a number holds, is an [ErrBadVector].
func (j *Judge) vectors(ctx context.Context, texts ...string) ([][]float64, error) {
	e, err := j.Embedder()
	if err != nil {
		return nil, err
	}
	vectors, err := e.Embed(ctx, texts...)
	if err != nil {
		var number *json.UnmarshalTypeError
		if errors.As(err, &number) && number.Type.Kind() == reflect.Float32 {
			err = fmt.Errorf("%w: %w", ErrBadVector, err) // a component that no float32 holds
		}
		return nil, err
	}
	for i, v := range vectors {
		if n := norm(v); n == 0 || math.IsInf(n, 0) {
			return nil, fmt.Errorf("%w: that of %q has the length %v", ErrBadVector, shorten(texts[i], 80), n)
		}
	}
	return vectors, nil
}

// The sums run from left to right and every product is rounded, so that scores
// do not depend on the processor.

// norm is the length of a vector.
func norm(v []float64) float64 { return math.Sqrt(dot(v, v)) }

func dot(a, b []float64) float64 {
	sum := 0.0
	for i, x := range a {
		sum += float64(x * b[i])
	}
	return sum
}

// cosine is that of the angle between two vectors.
func cosine(a, b []float64) float64 {
	return inRange(dot(a, b) / float64(norm(a)*norm(b)))
}

// cosineOfUnits is cosine with the vectors brought to length 1 first. It differs
// in the last bits: Ragas has both ways, each for other metrics.
func cosineOfUnits(a, b []float64) float64 {
	sum, na, nb := 0.0, norm(a), norm(b)
	for i, x := range a {
		sum += float64((x / na) * (b[i] / nb))
	}
	return inRange(sum)
}

// inRange takes back what rounding can add to a cosine of 1 or -1.
func inRange(cosine float64) float64 { return min(max(cosine, -1), 1) }
