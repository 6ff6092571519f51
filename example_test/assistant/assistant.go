// Package assistant is a small question answering assistant over the help
// centre in docs. It retrieves the paragraphs nearest to a question and asks a
// chat model to answer from them alone. The example suites judge its answers.
package assistant

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/sashabaranov/go-openai"
)

// maxTokens bounds an answer. A longer one is an error, not a cut-off text.
const maxTokens = 300

const systemPrompt = "You are the help desk of Oakhatch, a parcel locker service. " +
	"Answer the customer's question in one to three sentences, using only the text below."

// Config names the two OpenAI-compatible endpoints and their models.
type Config struct {
	ChatURL, ChatModel   string
	EmbedURL, EmbedModel string
	APIKey               string // sent to both endpoints; may be empty
}

// An Assistant answers questions about the help centre.
type Assistant struct {
	config      Config
	chat, embed *openai.Client
	chunks      []Chunk
	vectors     [][]float32 // parallel to chunks
}

// An Answer is the model's reply and the chunks it was given, nearest first.
type Answer struct {
	Text       string
	Contexts   []string
	ContextIDs []string
}

// New returns an Assistant after embedding every chunk of the help centre.
func New(ctx context.Context, config Config) (*Assistant, error) {
	chunks, err := Chunks()
	if err != nil {
		return nil, err
	}
	a := &Assistant{
		config: config,
		chat:   newClient(config.ChatURL, config.APIKey),
		embed:  newClient(config.EmbedURL, config.APIKey),
		chunks: chunks,
	}
	texts := make([]string, len(chunks))
	for i, c := range chunks {
		texts[i] = documentPrefix + c.Text
	}
	if a.vectors, err = a.embedAll(ctx, texts); err != nil {
		return nil, fmt.Errorf("assistant: embedding the documents: %w", err)
	}
	return a, nil
}

// Ask answers question from the retrieved chunks.
func (a *Assistant) Ask(ctx context.Context, question string) (Answer, error) {
	chunks, err := a.Retrieve(ctx, question)
	if err != nil {
		return Answer{}, err
	}
	var answer Answer
	for _, c := range chunks {
		answer.Contexts = append(answer.Contexts, c.Text)
		answer.ContextIDs = append(answer.ContextIDs, c.ID)
	}
	resp, err := a.chat.CreateChatCompletion(ctx, openai.ChatCompletionRequest{
		Model:               a.config.ChatModel,
		MaxCompletionTokens: maxTokens,
		Messages: []openai.ChatCompletionMessage{
			{Role: openai.ChatMessageRoleSystem, Content: systemPrompt + "\n\n" + strings.Join(answer.Contexts, "\n\n")},
			{Role: openai.ChatMessageRoleUser, Content: question},
		},
	})
	if err != nil {
		return Answer{}, fmt.Errorf("assistant: answering: %w", err)
	}
	if len(resp.Choices) == 0 {
		return Answer{}, errors.New("assistant: answering: the reply has no choices")
	}
	if r := resp.Choices[0].FinishReason; r != openai.FinishReasonStop {
		return Answer{}, fmt.Errorf("assistant: answering: the reply ended with %q", r)
	}
	answer.Text = strings.TrimSpace(resp.Choices[0].Message.Content)
	return answer, nil
}
