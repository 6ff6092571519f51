package system

import (
	"cmp"
	"net/http"
	"os"
	"testing"
	"time"

	openai "github.com/sashabaranov/go-openai"

	"github.com/ragomega/ragomega/cache"
	"github.com/ragomega/ragomega/example_test/assistant"
	"github.com/ragomega/ragomega/ragtest"
)

// server is who answers, the system as well as the judge: its name is a part of
// what is recorded, its address is not.
const (
	server     = "llama.cpp b10068"
	chatModel  = "qwen2.5-coder-1.5b"
	embedModel = "nomic-embed-text-v1.5"
	embedURL   = "http://127.0.0.1:18082/v1"
)

func TestMain(m *testing.M) {
	config := openai.DefaultConfig("")
	config.BaseURL = embedURL
	ragtest.Use(ragtest.OpenAI(chatModel).
		Named(server).
		Limits(1, 0).
		Timeout(10 * time.Minute).
		WithEmbedder(ragtest.NewEmbedder(config, embedModel).Named(server)))
	os.Exit(ragtest.Run(m))
}

// config is the system under test. Its calls are kept in the cache that the
// judge's are kept in.
func config(t *testing.T) assistant.Config {
	t.Helper()
	c, err := ragtest.Cache()
	if err != nil {
		t.Fatal(err)
	}
	return assistant.Config{
		ChatURL:   cmp.Or(os.Getenv("OPENAI_BASE_URL"), "http://127.0.0.1:18080/v1"),
		ChatModel: chatModel, EmbedURL: embedURL, EmbedModel: embedModel,
		Client: &http.Client{Transport: &cache.Transport{Cache: c, Identity: server}},
	}
}

// build returns the system under test.
func build(t *testing.T, config assistant.Config) *assistant.Assistant {
	t.Helper()
	a, err := assistant.New(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// ask puts a question to the system. What it does is a sample.
func ask(t *testing.T, a *assistant.Assistant, q assistant.Question) ragtest.Sample {
	t.Helper()
	answer, err := a.Ask(t.Context(), q.Question)
	if err != nil {
		t.Fatal(err)
	}
	return ragtest.Sample{
		Name:                q.Name,
		Tags:                q.Tags,
		UserInput:           q.Question,
		Response:            answer.Text,
		RetrievedContexts:   answer.Contexts,
		RetrievedContextIDs: answer.ContextIDs,
		Reference:           q.Reference,
	}
}

// question returns the question with a name.
func question(t *testing.T, name string) assistant.Question {
	t.Helper()
	all, err := assistant.Questions()
	if err != nil {
		t.Fatal(err)
	}
	for _, q := range all {
		if q.Name == name {
			return q
		}
	}
	t.Fatalf("there is no question %q", name)
	return assistant.Question{}
}
