package assistant

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/sashabaranov/go-openai"
)

// TopK is the number of chunks retrieved for a question.
const TopK = 3

// The task prefixes that nomic-embed-text was trained with.
const (
	queryPrefix    = "search_query: "
	documentPrefix = "search_document: "
)

// Retrieve returns the TopK chunks nearest to question, nearest first.
func (a *Assistant) Retrieve(ctx context.Context, question string) ([]Chunk, error) {
	query, err := a.embedAll(ctx, []string{queryPrefix + question})
	if err != nil {
		return nil, fmt.Errorf("assistant: embedding the question: %w", err)
	}
	scores := make([]float64, len(a.chunks))
	order := make([]int, len(a.chunks))
	for i, v := range a.vectors {
		scores[i], order[i] = cosine(query[0], v), i
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(scores[j], scores[i]) })
	var top []Chunk
	for _, i := range order[:min(TopK, len(order))] {
		top = append(top, a.chunks[i])
	}
	return top, nil
}

func (a *Assistant) embedAll(ctx context.Context, texts []string) ([][]float32, error) {
	resp, err := a.embed.CreateEmbeddings(ctx, openai.EmbeddingRequestStrings{
		Model: openai.EmbeddingModel(a.config.EmbedModel),
		Input: texts,
	})
	if err != nil {
		return nil, err
	}
	vectors := make([][]float32, len(texts))
	for _, e := range resp.Data {
		if e.Index < 0 || e.Index >= len(vectors) {
			return nil, fmt.Errorf("embedding %d of %d texts", e.Index, len(texts))
		}
		vectors[e.Index] = e.Embedding
	}
	for i, v := range vectors {
		if len(v) == 0 || len(v) != len(vectors[0]) {
			return nil, fmt.Errorf("text %d of %d has an embedding of length %d", i, len(texts), len(v))
		}
	}
	return vectors, nil
}

// cosine returns the cosine of the angle between a and b, or 0 if either is
// zero or their lengths differ.
func cosine(a, b []float32) float64 {
	if len(a) != len(b) {
		return 0
	}
	var dot, aa, bb float64
	for i := range a {
		x, y := float64(a[i]), float64(b[i])
		dot, aa, bb = dot+x*y, aa+x*x, bb+y*y
	}
	if aa == 0 || bb == 0 {
		return 0
	}
	return dot / math.Sqrt(aa*bb)
}
