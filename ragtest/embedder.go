package ragtest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	openai "github.com/sashabaranov/go-openai"

	"github.com/ragomega/ragomega/cache"
)

// EmbeddingClient is the one method of go-openai's client that an embedder
// needs.
type EmbeddingClient interface {
	CreateEmbeddings(context.Context, openai.EmbeddingRequestConverter) (openai.EmbeddingResponse, error)
}

var errNoEmbedder = errors.New("no embedder: this metric compares embeddings, so give the judge one with WithEmbedder(ragtest.OpenAIEmbedder(\"…\"))")

// Embedder turns texts into vectors. Like [Judge], it is copied by the methods
// that set something, and safe for concurrent use.
type Embedder struct {
	endpoint
	cache *cache.Cache
}

// OpenAIEmbedder returns an embedder for a model behind the OpenAI API or a
// compatible server; key and base URL are found as for [OpenAI].
func OpenAIEmbedder(model string) *Embedder { return &Embedder{endpoint: openAIEndpoint(model)} }

// NewEmbedder returns an embedder for any endpoint that go-openai can be
// configured for.
func NewEmbedder(config openai.ClientConfig, model string) *Embedder {
	return &Embedder{endpoint: configEndpoint(config, model)}
}

// NewEmbedderClient returns an embedder that asks through client; see
// [NewJudgeClient].
func NewEmbedderClient(client EmbeddingClient, identity, model string) *Embedder {
	e := newEndpoint(identity, model)
	e.dial = func() (connection, error) { return connection{embeddings: client}, nil }
	return &Embedder{endpoint: e}
}

// Named returns a copy of e whose endpoint is called identity; see
// [Judge.Named].
func (e *Embedder) Named(identity string) *Embedder {
	c := *e
	c.identity, c.named = identity, true
	return &c
}

// Model returns the model's name.
func (e *Embedder) Model() string { return e.model }

// CachedIn returns a copy of e whose exchanges are kept in c.
func (e *Embedder) CachedIn(c *cache.Cache) *Embedder {
	k := *e
	k.cache = c
	return &k
}

// embeddingRequest is a request in the one spelling that is hashed. A batch is
// sent as one request but kept one text at a time, so that it does not matter
// which texts happened to be asked for together.
type embeddingRequest struct {
	Model  string   `json:"model"`
	Input  []string `json:"input"`
	Format string   `json:"encoding_format,omitempty"`
}

// Embed returns the vector of every text, in order. Equal texts are asked for
// once. All vectors have the same, non-zero dimension and finite components;
// anything else is an [ErrBadVector].
func (e *Embedder) Embed(ctx context.Context, texts ...string) ([][]float64, error) {
	c, err := cacheOr(e.cache)
	if err != nil {
		return nil, err
	}
	batch := newBatch(e, c, texts)
	vectors := make([][]float64, len(texts))
	for i, text := range texts {
		if vectors[i], err = e.embed(ctx, c, text, batch); err != nil {
			return nil, err
		}
		if len(vectors[i]) != len(vectors[0]) {
			return nil, fmt.Errorf("%w: text %d has %d dimensions, text 1 has %d", ErrBadVector, i+1, len(vectors[i]), len(vectors[0]))
		}
	}
	return vectors, nil
}

// exchange returns what the vector of one text is kept under.
func (e *Embedder) exchange(text string) (cache.Request, error) {
	body, err := marshal(embeddingRequest{Model: e.model, Input: []string{text}})
	return cache.Request{
		Kind: "embeddings", Identity: e.identity, Body: body, Step: "embed/v1", About: shorten(text, 80),
		Parts: []cache.Part{
			cache.TextPart("text", "the text", text),
			{Name: "model", Value: e.model, Label: "the model"},
		},
		Same:    sameVector,
		Differs: func(recorded, now json.RawMessage) bool { return !sameVector(recorded, now) },
	}, err
}

func (e *Embedder) embed(ctx context.Context, c *cache.Cache, text string, batch *batch) ([]float64, error) {
	req, err := e.exchange(text)
	if err != nil {
		return nil, err
	}
	reply, err := c.Do(ctx, req, func(ctx context.Context) (cache.Reply, error) {
		v, s, err := batch.get(ctx, text)
		if err != nil {
			return cache.Reply{}, err
		}
		return keep(packVector(v), s)
	})
	if err != nil {
		return nil, err
	}
	var packed string
	if err := json.Unmarshal(reply.Value, &packed); err != nil {
		return nil, fmt.Errorf("%w: the recorded reply is no text: %w", ErrBadVector, err)
	}
	return unpackVector(packed)
}

// batch asks for the texts of one Embed that are not known, together, when the
// first of them turns out not to be.
type batch struct {
	e     *Embedder
	cache *cache.Cache
	texts []string // each once
	got   map[string][]float32
}

func newBatch(e *Embedder, c *cache.Cache, texts []string) *batch {
	b := &batch{e: e, cache: c, got: map[string][]float32{}}
	seen := map[string]bool{}
	for _, t := range texts {
		if !seen[t] {
			seen[t] = true
			b.texts = append(b.texts, t)
		}
	}
	return b
}

// maxBatch is the number of texts in one request. Servers take at least that
// many.
const maxBatch = 256

func (b *batch) get(ctx context.Context, text string) ([]float32, served, error) {
	if v, ok := b.got[text]; ok {
		return v, served{}, nil
	}
	// The texts before this one were known, or they would have been asked for.
	after := b.texts[slices.Index(b.texts, text)+1:]
	rest := []string{text}
	for _, t := range after {
		if len(rest) == maxBatch {
			break
		}
		req, err := b.e.exchange(t)
		if err != nil {
			return nil, served{}, err
		}
		if !b.cache.Known(req) {
			rest = append(rest, t)
		}
	}
	vectors, s, err := b.e.request(ctx, rest)
	if err != nil {
		return nil, s, err
	}
	for i, t := range rest {
		b.got[t] = vectors[i]
	}
	return b.got[text], s, nil
}

// request makes one call.
func (e *Embedder) request(ctx context.Context, texts []string) ([][]float32, served, error) {
	conn, err := e.open()
	if err != nil {
		return nil, served{}, err
	}
	body, err := marshal(embeddingRequest{Model: e.model, Input: texts, Format: "float"})
	if err != nil {
		return nil, served{}, err
	}
	type answer struct {
		vectors [][]float32
		served
	}
	a, err := call(ctx, e.endpoint, func(ctx context.Context) (answer, error) {
		began := time.Now()
		t := &transit{request: body}
		resp, err := conn.embeddings.CreateEmbeddings(withTransit(ctx, t),
			openai.EmbeddingRequestStrings{Model: openai.EmbeddingModel(e.model), Input: texts})
		if err == nil {
			if api := errorInBody(t.body); api != nil {
				err = api
			}
		}
		if err != nil {
			return answer{}, e.failed(ctx, t, err)
		}
		vectors, err := inOrder(resp.Data, len(texts))
		return answer{vectors, served{
			Model:  string(resp.Model),
			Tokens: Tokens{In: resp.Usage.PromptTokens},
			Millis: time.Since(began).Milliseconds(),
		}}, err
	})
	return a.vectors, a.served, err
}
