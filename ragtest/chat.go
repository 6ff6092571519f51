package ragtest

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	openai "github.com/sashabaranov/go-openai"
)

// chatRequest is a request in the one spelling that is hashed and sent. Its
// fields and their order are part of every key: they must not change.
type chatRequest struct {
	Model               string          `json:"model"`
	Messages            []chatMessage   `json:"messages"`
	Temperature         *float64        `json:"temperature,omitempty"`
	Seed                *int            `json:"seed,omitempty"`
	MaxTokens           int             `json:"max_tokens,omitempty"`
	MaxCompletionTokens int             `json:"max_completion_tokens,omitempty"`
	ResponseFormat      *responseFormat `json:"response_format,omitempty"`
	LogProbs            bool            `json:"logprobs,omitempty"`
	TopLogProbs         int             `json:"top_logprobs,omitempty"`
}

type chatMessage struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

type responseFormat struct {
	Type       string     `json:"type"`
	JSONSchema jsonSchema `json:"json_schema"`
}

type jsonSchema struct {
	Name   string          `json:"name"`
	Schema json.RawMessage `json:"schema"`
	Strict bool            `json:"strict"`
}

// marshal is json.Marshal without the escapes for HTML: prompts are read by
// models and people.
func marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimRight(b.Bytes(), "\n"), nil
}

// openai returns r as go-openai has it, for clients that are no HTTP clients.
func (r chatRequest) openai() openai.ChatCompletionRequest {
	out := openai.ChatCompletionRequest{
		Model: r.Model, Seed: r.Seed,
		//lint:ignore SA1019 many servers know no other
		MaxTokens: r.MaxTokens, MaxCompletionTokens: r.MaxCompletionTokens,
		LogProbs: r.LogProbs, TopLogProbs: r.TopLogProbs,
	}
	if r.Temperature != nil {
		out.Temperature = float32(*r.Temperature)
	}
	for _, m := range r.Messages {
		out.Messages = append(out.Messages, openai.ChatCompletionMessage{Role: m.Role, Content: m.Content})
	}
	if f := r.ResponseFormat; f != nil {
		out.ResponseFormat = &openai.ChatCompletionResponseFormat{
			Type: openai.ChatCompletionResponseFormatType(f.Type),
			JSONSchema: &openai.ChatCompletionResponseFormatJSONSchema{
				Name: f.JSONSchema.Name, Schema: f.JSONSchema.Schema, Strict: f.JSONSchema.Strict,
			},
		}
	}
	return out
}

// served tells how a reply came to be. It is recorded for people and for
// counting; nothing is decided by it.
type served struct {
	Model string `json:"model,omitempty"` // as the server calls it
	Build string `json:"build,omitempty"` // the server's fingerprint
	Tokens
	Millis int64 `json:"ms"`
}

// answer is what one call brought.
type answer struct {
	text   string           // never empty
	tokens []openai.LogProb // of text, if they were asked for
	served
}

// chat makes one call and looks at everything that can be wrong with its
// answer before anything is parsed.
func (j *Judge) chat(ctx context.Context, r chatRequest) (answer, error) {
	conn, err := j.open()
	if err != nil {
		return answer{}, err
	}
	body, err := marshal(r)
	if err != nil {
		return answer{}, err
	}
	return call(ctx, j.endpoint, func(ctx context.Context) (answer, error) {
		began := time.Now()
		t := &transit{request: body}
		resp, err := conn.chat.CreateChatCompletion(withTransit(ctx, t), r.openai())
		if err := j.outcome(ctx, t, err); err != nil {
			return answer{}, err
		}
		answered(resp.Usage.PromptTokens, resp.Usage.CompletionTokens)
		text, err := text(resp)
		if err != nil {
			return answer{}, err
		}
		a := answer{text: text, served: served{
			Model: resp.Model, Build: resp.SystemFingerprint,
			Tokens: Tokens{resp.Usage.PromptTokens, resp.Usage.CompletionTokens},
			Millis: time.Since(began).Milliseconds(),
		}}
		if p := resp.Choices[0].LogProbs; p != nil {
			a.tokens = p.Content
		}
		return a, nil
	})
}

// cutOff has the words for the token limit: OpenAI's, and those of servers that
// pass on their own.
var cutOff = map[openai.FinishReason]bool{
	openai.FinishReasonLength: true, "max_tokens": true, "MAX_TOKENS": true, "model_length": true,
}

// text returns the text of an answer that is fit to be parsed.
func text(resp openai.ChatCompletionResponse) (string, error) {
	if len(resp.Choices) == 0 {
		return "", &ReplyError{Kind: ErrMalformed, Want: "one choice", Got: "none", Next: "The server may have blocked the prompt"}
	}
	c := resp.Choices[0]
	content := c.Message.Content
	if content == "" {
		var parts strings.Builder
		for _, p := range c.Message.MultiContent {
			parts.WriteString(p.Text)
		}
		content = parts.String()
	}
	switch {
	case cutOff[c.FinishReason]:
		return "", &ReplyError{
			Kind: ErrTruncated, Got: "the reply was cut off at the token limit, so verdicts may be missing",
			Next: "Allow more with Judge.MaxTokens, use Judge.Reasoning for a model that thinks first, or shorten the sample", Raw: content,
		}
	case c.FinishReason == "error":
		return "", &ReplyError{Kind: ErrMalformed, Want: "a complete reply", Got: "one that the server says ended in an error", Raw: content}
	case c.FinishReason == openai.FinishReasonContentFilter:
		return "", &ReplyError{Kind: ErrFiltered, Got: "the provider held the reply back", Next: "It is not asked again"}
	case c.Message.Refusal != "":
		return "", &ReplyError{Kind: ErrRefused, Got: c.Message.Refusal, Next: "It is not asked again"}
	case strings.TrimSpace(content) == "":
		got := "an empty message"
		if c.Message.ReasoningContent != "" {
			got = fmt.Sprintf("thoughts (%d characters) and an empty message", len([]rune(c.Message.ReasoningContent)))
		}
		return "", &ReplyError{Kind: ErrMalformed, Want: "JSON", Got: got}
	}
	return content, nil
}
