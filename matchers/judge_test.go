package matchers_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync/atomic"
	"testing"

	openai "github.com/sashabaranov/go-openai"

	"github.com/ragomega/ragomega/cache"
	"github.com/ragomega/ragomega/ragtest"
)

// literal is a judge that takes every sentence for a claim, and a claim for
// supported if a document has it word for word.
type literal struct {
	calls atomic.Int64
	err   error         // in place of an answer
	gate  chan struct{} // if not nil, an answer waits for it
}

func (l *literal) CreateChatCompletion(ctx context.Context, r openai.ChatCompletionRequest) (openai.ChatCompletionResponse, error) {
	l.calls.Add(1)
	if l.gate != nil {
		select {
		case <-l.gate:
		case <-ctx.Done():
			return openai.ChatCompletionResponse{}, ctx.Err()
		}
	}
	if l.err != nil {
		return openai.ChatCompletionResponse{}, l.err
	}
	var in struct {
		Text      string
		Documents []string
		Claims    map[string]string // by number
	}
	if err := json.Unmarshal([]byte(r.Messages[1].Content), &in); err != nil {
		return openai.ChatCompletionResponse{}, err
	}
	out := map[string]any{}
	if r.ResponseFormat.JSONSchema.Name == "claims" {
		claims := []string{}
		for s := range strings.SplitSeq(in.Text, ". ") {
			if s = strings.TrimSuffix(s, "."); s != "" {
				claims = append(claims, s)
			}
		}
		out["claims"] = claims
	} else {
		for number, c := range in.Claims {
			ok := strings.Contains(strings.Join(in.Documents, "\n"), c)
			reason := "a document says so"
			if !ok {
				reason = "no document says so"
			}
			out[number] = map[string]any{"reason": reason, "supported": ok}
		}
	}
	b, err := json.Marshal(out)
	return openai.ChatCompletionResponse{Choices: []openai.ChatCompletionChoice{{Message: openai.ChatCompletionMessage{Content: string(b)}}}}, err
}

// judge returns a judge that asks l every time.
func (l *literal) judge(t *testing.T) *ragtest.Judge {
	t.Helper()
	c, err := cache.Open(cache.Options{Dir: t.TempDir(), Home: t.TempDir(), Mode: cache.Off})
	if err != nil {
		t.Fatal(err)
	}
	return ragtest.NewJudgeClient(l, "in-process", "literal").CachedIn(c).Tries(1)
}

// standing makes a literal judge the one of the suite, for one test.
func standing(t *testing.T) *literal {
	t.Helper()
	l := &literal{}
	ragtest.Use(l.judge(t))
	t.Cleanup(func() {
		ragtest.Use(nil)
		_ = ragtest.Close() // forget the failures that a test made on purpose
	})
	return l
}

var errDown = errors.New("the judge is down")

var (
	moon = ragtest.Sample{
		Name: "moon", UserInput: "Who walked on the Moon first?",
		Response:          "Armstrong walked first. He was born in Texas.",
		RetrievedContexts: []string{"Armstrong walked first, in 1969. He was born in Ohio."},
		Reference:         "Armstrong walked first. It was in 1969.",
	}
	louvre = ragtest.Sample{
		Name: "louvre", UserInput: "Where is the Louvre?",
		Response:          "The Louvre is in Paris.",
		RetrievedContexts: []string{"The Louvre is in Paris, France.", "It opened in 1793."},
		Reference:         "The Louvre is in Paris.",
	}
)

// exampleJudge is a literal judge for examples, which have no *testing.T.
func exampleJudge() *ragtest.Judge {
	c, err := cache.Open(cache.Options{Mode: cache.Off})
	if err != nil {
		panic(err)
	}
	return ragtest.NewJudgeClient(&literal{}, "in-process", "literal").CachedIn(c)
}
