package otherclient

import (
	"context"
	"errors"
	"strings"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
)

// System answers questions from a few texts.
type System struct {
	chat, embed openai.Client
	texts       []string
	vectors     [][]float64 // of texts
}

// New returns a System whose models are asked with these options.
func New(ctx context.Context, texts []string, chat, embed []option.RequestOption) (*System, error) {
	s := &System{chat: openai.NewClient(chat...), embed: openai.NewClient(embed...), texts: texts}
	var err error
	s.vectors, err = s.embedded(ctx, "search_document: ", texts...)
	return s, err
}

// Ask answers a question from the text nearest to it, which it returns too.
func (s *System) Ask(ctx context.Context, question string) (answer, text string, err error) {
	query, err := s.embedded(ctx, "search_query: ", question)
	if err != nil {
		return "", "", err
	}
	best := 0
	for i := range s.vectors {
		if product(query[0], s.vectors[i]) > product(query[0], s.vectors[best]) {
			best = i
		}
	}
	text = s.texts[best]
	stream := s.chat.Chat.Completions.NewStreaming(ctx, openai.ChatCompletionNewParams{
		Model:       "qwen2.5-coder-1.5b",
		Temperature: openai.Float(0),
		Messages: []openai.ChatCompletionMessageParamUnion{
			openai.SystemMessage("Answer in one sentence, using only this text: " + text),
			openai.UserMessage(question),
		},
	})
	var b strings.Builder
	for stream.Next() {
		for _, choice := range stream.Current().Choices {
			b.WriteString(choice.Delta.Content)
		}
	}
	return strings.TrimSpace(b.String()), text, stream.Err()
}

func (s *System) embedded(ctx context.Context, prefix string, texts ...string) ([][]float64, error) {
	prefixed := make([]string, len(texts))
	for i, text := range texts {
		prefixed[i] = prefix + text
	}
	resp, err := s.embed.Embeddings.New(ctx, openai.EmbeddingNewParams{
		Model: "nomic-embed-text-v1.5",
		Input: openai.EmbeddingNewParamsInputUnion{OfArrayOfStrings: prefixed},
	})
	if err != nil {
		return nil, err
	}
	if len(resp.Data) != len(texts) {
		return nil, errors.New("otherclient: not one vector for each text")
	}
	vectors := make([][]float64, len(texts))
	for i, d := range resp.Data {
		vectors[i] = d.Embedding
	}
	return vectors, nil
}

// product is the cosine of vectors of length 1, as the model's are.
func product(a, b []float64) float64 {
	sum := 0.0
	for i := range a {
		sum += float64(a[i] * b[i])
	}
	return sum
}
