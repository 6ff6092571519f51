// Package assistant is a small RAG system: it answers questions about the help
// centre in docs. Documents are split, embedded and kept in chromem-go; the
// chunks nearest to a question go to a chat model, which is told to answer from
// them alone. The example suites judge what it does.
//
// All its calls go through one *http.Client, which is all that a test needs to
// record and replay them: give it a cache.Transport. At temperature 0, and with
// no clock and no chance of its own, the system asks the same in every run.
package assistant

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/philippgille/chromem-go"
	"github.com/sashabaranov/go-openai"
)

// maxTokens bounds an answer. A longer one is an error, not a cut-off text.
const maxTokens = 300

// Prompt is what the chat model is told if a Config has no prompt of its own.
const Prompt = "You are the help desk of Oakhatch, a parcel locker service. " +
	"Answer the customer's question in one to three sentences, using only the text below."

// Config is how an Assistant is put together. Without the two endpoints and
// their models it asks nobody; every other field has a default.
type Config struct {
	ChatURL, ChatModel   string // an OpenAI-compatible endpoint
	EmbedURL, EmbedModel string
	APIKey               string       // sent to both endpoints; may be empty
	Client               *http.Client // makes every call; nil means http.DefaultClient

	Documents []Document // what is searched; nil means HelpCentre
	Splitter  Splitter   // the zero value means one paragraph a chunk
	K         int        // how many chunks are retrieved; 0 means 3
	// Rank reorders all chunks, which come nearest first, before the first K of
	// them are taken. nil leaves them as they are.
	Rank func(question string, chunks []Chunk) []Chunk
	// MaxContext is how many bytes of chunks fit into the prompt. What is beyond
	// is cut off, and is not in the Answer's contexts either. 0 means no limit.
	MaxContext int
	Prompt     string // comes before the chunks; "" means Prompt
	// Rewrite says how a question is put to the chat model, as one that knows the
	// conversation so far would. nil leaves it as it is.
	Rewrite func(question string) string
}

// An Assistant answers questions about its documents. It is safe for concurrent
// use.
type Assistant struct {
	config      Config
	chat, embed *openai.Client
	index       *chromem.Collection
	chunks      []Chunk        // in order of the documents
	place       map[string]int // of each chunk in chunks, by its ID
}

// An Answer is the model's reply and the chunks it was given, best first.
type Answer struct {
	Text       string
	Contexts   []string
	ContextIDs []string
}

// New returns an Assistant after embedding every chunk of its documents.
func New(ctx context.Context, config Config) (*Assistant, error) {
	if config.Documents == nil {
		var err error
		if config.Documents, err = HelpCentre(); err != nil {
			return nil, err
		}
	}
	if config.K == 0 {
		config.K = 3
	}
	if config.Prompt == "" {
		config.Prompt = Prompt
	}
	a := &Assistant{
		config: config,
		chat:   newClient(config, config.ChatURL),
		embed:  newClient(config, config.EmbedURL),
	}
	if err := a.fill(ctx); err != nil {
		return nil, fmt.Errorf("assistant: indexing the documents: %w", err)
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
	for _, c := range fitting(chunks, a.config.MaxContext) {
		answer.Contexts = append(answer.Contexts, c.Text)
		answer.ContextIDs = append(answer.ContextIDs, c.ID)
	}
	if a.config.Rewrite != nil {
		question = a.config.Rewrite(question)
	}
	resp, err := a.chat.CreateChatCompletion(ctx, openai.ChatCompletionRequest{
		Model:               a.config.ChatModel,
		MaxCompletionTokens: maxTokens,
		Messages: []openai.ChatCompletionMessage{
			{Role: openai.ChatMessageRoleSystem, Content: a.config.Prompt + "\n\n" + strings.Join(answer.Contexts, "\n\n")},
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

// fitting returns the chunks that fit into so many bytes, the last of them cut.
func fitting(chunks []Chunk, size int) []Chunk {
	if size == 0 {
		return chunks
	}
	var fit []Chunk
	for _, c := range chunks {
		if len(c.Text) > size {
			c.Text = strings.ToValidUTF8(c.Text[:size], "")
		}
		if size -= len(c.Text); c.Text != "" {
			fit = append(fit, c)
		}
	}
	return fit
}
