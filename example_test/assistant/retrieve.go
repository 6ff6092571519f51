package assistant

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/philippgille/chromem-go"
	"github.com/sashabaranov/go-openai"
)

// The task prefixes that nomic-embed-text was trained with.
const (
	queryPrefix    = "search_query: "
	documentPrefix = "search_document: "
)

// fill splits the documents and puts their chunks into a new index. Each chunk
// is one call for an embedding: when a document changes, a recording lacks only
// the chunks that changed.
func (a *Assistant) fill(ctx context.Context) error {
	var err error
	a.index, err = chromem.NewDB().CreateCollection("chunks", nil, func(ctx context.Context, text string) ([]float32, error) {
		return a.vector(ctx, documentPrefix+text)
	})
	if err != nil {
		return err
	}
	a.place = map[string]int{}
	var pieces []chromem.Document
	for _, d := range a.config.Documents {
		chunks, err := a.config.Splitter.Split(d)
		if err != nil {
			return err
		}
		for _, c := range chunks {
			if _, ok := a.place[c.ID]; ok {
				return fmt.Errorf("two chunks are called %q: names of documents must differ", c.ID)
			}
			a.place[c.ID] = len(a.chunks)
			a.chunks = append(a.chunks, c)
			pieces = append(pieces, chromem.Document{ID: c.ID, Content: c.Text})
		}
	}
	if len(pieces) == 0 {
		return errors.New("there is no text in them")
	}
	const inFlight = 4
	return a.index.AddDocuments(ctx, pieces, inFlight)
}

// Retrieve returns the K chunks nearest to question, or those that the ranker
// puts first, best first.
func (a *Assistant) Retrieve(ctx context.Context, question string) ([]Chunk, error) {
	query, err := a.vector(ctx, queryPrefix+question)
	if err != nil {
		return nil, fmt.Errorf("assistant: embedding the question: %w", err)
	}
	// The index keeps no order among equals, so all are asked for and sorted here.
	found, err := a.index.QueryEmbedding(ctx, query, a.index.Count(), nil, nil)
	if err != nil {
		return nil, fmt.Errorf("assistant: searching: %w", err)
	}
	slices.SortFunc(found, func(x, y chromem.Result) int {
		return cmp.Or(cmp.Compare(y.Similarity, x.Similarity), cmp.Compare(a.place[x.ID], a.place[y.ID]))
	})
	chunks := make([]Chunk, len(found))
	for i, r := range found {
		chunks[i] = a.chunks[a.place[r.ID]]
	}
	if a.config.Rank != nil {
		chunks = a.config.Rank(question, chunks)
	}
	return chunks[:min(a.config.K, len(chunks))], nil
}

// vector returns the embedding of a text.
func (a *Assistant) vector(ctx context.Context, text string) ([]float32, error) {
	resp, err := a.embed.CreateEmbeddings(ctx, openai.EmbeddingRequestStrings{
		Model: openai.EmbeddingModel(a.config.EmbedModel),
		Input: []string{text},
	})
	if err != nil {
		return nil, err
	}
	if len(resp.Data) != 1 || len(resp.Data[0].Embedding) == 0 {
		return nil, fmt.Errorf("one embedding was asked for, and %d came, or an empty one", len(resp.Data))
	}
	return resp.Data[0].Embedding, nil
}
