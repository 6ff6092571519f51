package matchers_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"unicode"

	openai "github.com/sashabaranov/go-openai"

	"github.com/ragomega/ragomega/cache"
	"github.com/ragomega/ragomega/ragtest"
)

// literal is a judge that takes every sentence for a claim, and a claim for
// supported, found or useful if the other text has it word for word. As an
// embedder it counts words.
type literal struct {
	calls atomic.Int64
	err   error         // in place of an answer
	gate  chan struct{} // if not nil, an answer waits for it
}

func (l *literal) CreateChatCompletion(ctx context.Context, r openai.ChatCompletionRequest) (openai.ChatCompletionResponse, error) {
	if err := l.called(ctx); err != nil {
		return openai.ChatCompletionResponse{}, err
	}
	out, err := reply(r.ResponseFormat.JSONSchema.Name, []byte(r.Messages[1].Content))
	if err != nil {
		return openai.ChatCompletionResponse{}, err
	}
	b, err := json.Marshal(out)
	return openai.ChatCompletionResponse{Choices: []openai.ChatCompletionChoice{{Message: openai.ChatCompletionMessage{Content: string(b)}}}}, err
}

// called counts a call, waits and fails as the test wants it.
func (l *literal) called(ctx context.Context) error {
	l.calls.Add(1)
	if l.gate != nil {
		select {
		case <-l.gate:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return l.err
}

// reply is what a literal judge says in a step.
func reply(step string, data []byte) (any, error) {
	switch step {
	case "claims":
		var in struct{ Text string }
		err := json.Unmarshal(data, &in)
		return map[string]any{"claims": sentences(in.Text)}, err
	case "verify":
		var in struct {
			Documents []string
			Claims    map[string]string // by number
		}
		err := json.Unmarshal(data, &in)
		return find(in.Claims, strings.Join(in.Documents, "\n"), "supported", "document"), err
	case "compare":
		var in struct{ Answer, Reference map[string]string }
		err := json.Unmarshal(data, &in)
		out := find(in.Answer, strings.Join(slices.Collect(maps.Values(in.Reference)), "\n"), "found", "claim of the reference")
		maps.Copy(out, find(in.Reference, strings.Join(slices.Collect(maps.Values(in.Answer)), "\n"), "found", "claim of the answer"))
		return out, err
	case "useful":
		var in struct{ Answer, Document string }
		err := json.Unmarshal(data, &in)
		for _, s := range sentences(in.Answer) {
			if strings.Contains(in.Document, s) {
				return map[string]any{"reason": "it says: " + s, "useful": true}, err
			}
		}
		return map[string]any{"reason": "it says nothing of the answer", "useful": false}, err
	case "questions":
		var in struct {
			Questions int
			Text      string
		}
		err := json.Unmarshal(data, &in)
		out := map[string]any{}
		for i := range in.Questions {
			all := sentences(in.Text)
			out[strconv.Itoa(i+1)] = map[string]any{
				"question":     []string{"Is it so that ", "Who says that ", "Why is it that "}[i%3] + all[i%len(all)] + "?",
				"noncommittal": strings.HasPrefix(in.Text, "I do not know"),
			}
		}
		return out, err
	}
	return nil, fmt.Errorf("a literal judge has no step %q", step)
}

func sentences(text string) []string {
	all := []string{}
	for s := range strings.SplitSeq(text, ". ") {
		if s = strings.TrimSuffix(s, "."); s != "" {
			all = append(all, s)
		}
	}
	return all
}

// find says of each claim whether a text has it.
func find(claims map[string]string, text, field, what string) map[string]any {
	out := map[string]any{}
	for number, c := range claims {
		ok := strings.Contains(text, c)
		reason := "a " + what + " says so"
		if !ok {
			reason = "no " + what + " says so"
		}
		out[number] = map[string]any{"reason": reason, field: ok}
	}
	return out
}

func (l *literal) CreateEmbeddings(ctx context.Context, conv openai.EmbeddingRequestConverter) (openai.EmbeddingResponse, error) {
	if err := l.called(ctx); err != nil {
		return openai.EmbeddingResponse{}, err
	}
	var out openai.EmbeddingResponse
	for i, text := range conv.Convert().Input.([]string) {
		v := make([]float32, 1024)
		for _, word := range strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
			h := fnv.New32a()
			_, _ = h.Write([]byte(word))
			v[h.Sum32()%1024]++
		}
		out.Data = append(out.Data, openai.Embedding{Index: i, Embedding: v})
	}
	return out, nil
}

// judge returns a judge that asks l every time.
func (l *literal) judge(t *testing.T) *ragtest.Judge {
	t.Helper()
	c, err := cache.Open(cache.Options{Dir: t.TempDir(), Home: t.TempDir(), Mode: cache.Off})
	if err != nil {
		t.Fatal(err)
	}
	return l.in(c).Tries(1)
}

func (l *literal) in(c *cache.Cache) *ragtest.Judge {
	return ragtest.NewJudgeClient(l, "in-process", "literal").CachedIn(c).
		WithEmbedder(ragtest.NewEmbedderClient(l, "in-process", "words").CachedIn(c).Tries(1))
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
	return (&literal{}).in(c)
}
