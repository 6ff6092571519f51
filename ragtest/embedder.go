package ragtest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
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
	cache   *cache.Cache
	arrived *arrivals

	onlyKnown bool // ask nobody
}

func newEmbedder(e endpoint) *Embedder {
	return &Embedder{endpoint: e, arrived: &arrivals{turn: make(chan struct{}, 1), got: map[string][]float32{}}}
}

// OpenAIEmbedder returns an embedder for a model behind the OpenAI API or a
// compatible server; key and base URL are found as for [OpenAI].
func OpenAIEmbedder(model string) *Embedder { return newEmbedder(openAIEndpoint(model)) }

// NewEmbedder returns an embedder for any endpoint that go-openai can be
// configured for.
func NewEmbedder(config openai.ClientConfig, model string) *Embedder {
	return newEmbedder(configEndpoint(config, model))
}

// NewEmbedderClient returns an embedder that asks through client; see
// [NewJudgeClient].
func NewEmbedderClient(client EmbeddingClient, identity, model string) *Embedder {
	e := newEndpoint(identity, model)
	e.dial = func() (connection, error) { return connection{embeddings: client}, nil }
	return newEmbedder(e)
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

// Limits returns a copy of e with limits of its own; see [Judge.Limits].
func (e *Embedder) Limits(inFlight, perMinute int) *Embedder {
	c := *e
	c.limits = newLimits(inFlight, perMinute)
	return &c
}

// Timeout returns a copy of e that gives up on a call after d; see
// [Judge.Timeout].
func (e *Embedder) Timeout(d time.Duration) *Embedder {
	c := *e
	c.timeout = d
	return &c
}

// Tries returns a copy of e that makes a call at most n times; see
// [Judge.Tries].
func (e *Embedder) Tries(n int) *Embedder {
	c := *e
	c.tries = max(n, 1)
	return &c
}

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
	if _, err := budgetOfRun(); err != nil {
		return nil, err
	}
	batch := batch{e, c, texts}
	vectors := make([][]float64, len(texts))
	for i, text := range texts {
		if vectors[i], err = e.embed(ctx, c, text, batch); err != nil {
			if errors.Is(err, cache.ErrPlan) {
				batch.plan(ctx, i)
			}
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

func (e *Embedder) embed(ctx context.Context, c *cache.Cache, text string, batch batch) ([]float64, error) {
	req, err := e.exchange(text)
	if err != nil {
		return nil, err
	}
	if e.onlyKnown && !c.Known(req) {
		return nil, errNotKnown
	}
	reply, err := c.Do(ctx, req, func(ctx context.Context) (cache.Reply, error) {
		v, err := batch.get(ctx, text)
		if err != nil {
			return cache.Reply{}, err
		}
		// Tokens and time would be those of a batch, and what came together is a
		// matter of chance: a line says nothing of them.
		value, err := marshal(packVector(v))
		return cache.Reply{Value: value}, err
	})
	if err != nil {
		return nil, err
	}
	return unpackVector(reply.Value)
}

// request makes one call.
func (e *Embedder) request(ctx context.Context, texts []string) ([][]float32, error) {
	conn, err := e.open()
	if err != nil {
		return nil, err
	}
	body, err := marshal(embeddingRequest{Model: e.model, Input: texts, Format: "float"})
	if err != nil {
		return nil, err
	}
	return call(ctx, e.endpoint, func(ctx context.Context) ([][]float32, error) {
		t := &transit{request: body}
		resp, err := conn.embeddings.CreateEmbeddings(withTransit(ctx, t),
			openai.EmbeddingRequestStrings{Model: openai.EmbeddingModel(e.model), Input: texts})
		if err := e.outcome(ctx, t, err); err != nil {
			return nil, err
		}
		answered(resp.Usage.PromptTokens, resp.Usage.CompletionTokens)
		return inOrder(resp.Data, len(texts))
	})
}
