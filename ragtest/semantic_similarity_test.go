package ragtest_test

import (
	"math"
	"testing"

	. "github.com/onsi/gomega"
	"pgregory.net/rapid"

	"github.com/ragomega/ragomega/fixtures"
	"github.com/ragomega/ragomega/ragtest"
)

func TestSemanticSimilarity(t *testing.T) {
	g := NewWithT(t)
	l := newLab(t)
	l.On(fixtures.Embeddings, fixtures.Vectors([]float64{3, 4}, []float64{4, -3}))
	score, err := l.measureEmbedded(ragtest.SemanticSimilarity, bridge)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(score.Metric).To(Equal("semantic_similarity"))
	g.Expect(score.Value).To(BeZero())
	g.Expect(l.Asked(fixtures.Any)).To(Equal(1), "the judge is not asked")

	// The vectors are those of the texts, whatever is made of them.
	score, err = l.measureEmbedded(ragtest.SemanticSimilarity.Threshold(0), bridge)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(score.Metric).To(Equal("semantic_similarity_threshold_0"))
	g.Expect(score.Value).To(Equal(1.0))
	score, err = l.measureEmbedded(ragtest.SemanticSimilarity.Threshold(0.1), bridge)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(score.Metric).To(Equal("semantic_similarity_threshold_0.1"))
	g.Expect(score.Value).To(BeZero())
	g.Expect(l.Asked(fixtures.Any)).To(Equal(1))

	_, err = l.measureEmbedded(ragtest.SemanticSimilarity.Threshold(math.NaN()), bridge)
	g.Expect(err).To(MatchError(ContainSubstring("SemanticSimilarity.Threshold: NaN is no threshold")))
}

func TestSemanticSimilarityNeedsBothTexts(t *testing.T) {
	for field, s := range map[string]ragtest.Sample{
		"Response":  {Reference: "text"},
		"Reference": {Response: "text", Reference: " \n"},
	} {
		g := NewWithT(t)
		l := newLab(t)
		_, err := l.measureEmbedded(ragtest.SemanticSimilarity, s)
		var input *ragtest.InputError
		g.Expect(asError(err, &input)).To(BeTrue(), "%v", err)
		g.Expect(input.Field).To(Equal(field))
		g.Expect(l.Asked(fixtures.Any)).To(BeZero())
	}
}

// drawVector has a direction.
func drawVector(t *rapid.T, dimensions int, name string) []float32 {
	return rapid.SliceOfN(rapid.Float32Range(-1e6, 1e6), dimensions, dimensions).
		Filter(func(v []float32) bool {
			for _, x := range v {
				if x != 0 {
					return true
				}
			}
			return false
		}).Draw(t, name)
}

// A cosine lies within its range whatever rounding does, is the same both ways
// and whatever the vectors' lengths, and a threshold cuts it exactly.
func TestSemanticSimilarityProperties(t *testing.T) {
	c := off(t)
	rapid.Check(t, func(t *rapid.T) {
		d := rapid.IntRange(1, 8).Draw(t, "dimensions")
		a := drawVector(t, d, "a")
		b := a // the cosine of 1, or a hair beyond
		if rapid.Bool().Draw(t, "different") {
			b = drawVector(t, d, "b")
		}
		measure := func(m ragtest.Metric, a, b []float32) float64 {
			score, err := inProcess(c, dictionary{"one": a, "two": b}, nil).
				Measure(t.Context(), m, ragtest.Sample{Response: "one", Reference: "two"})
			if err != nil {
				t.Fatal(err)
			}
			return score.Value
		}
		value := measure(ragtest.SemanticSimilarity, a, b)
		if lowest, highest := ragtest.SemanticSimilarity.Range(); value < lowest || value > highest {
			t.Fatalf("%v lies beyond %v to %v", value, lowest, highest)
		}
		if other := measure(ragtest.SemanticSimilarity, b, a); other != value {
			t.Fatalf("%v one way, %v the other", value, other)
		}
		longer := make([]float32, d)
		for i, x := range a {
			longer[i] = 4 * x
		}
		if other := measure(ragtest.SemanticSimilarity, longer, b); other != value {
			t.Fatalf("%v, and %v with one vector four times as long", value, other)
		}
		at, above := ragtest.SemanticSimilarity.Threshold(value), ragtest.SemanticSimilarity.Threshold(math.Nextafter(value, 2))
		if got := measure(at, a, b); got != 1 {
			t.Fatalf("%v for %v", got, at.Name())
		}
		if got := measure(above, a, b); got != 0 {
			t.Fatalf("%v for %v", got, above.Name())
		}
	})
}
