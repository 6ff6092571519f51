package example_test

import (
	"os"
	"testing"
	"time"

	openai "github.com/sashabaranov/go-openai"

	"github.com/ragomega/ragomega/ragtest"
)

// TestMain names the judge. The server and the model are part of what is
// recorded: OPENAI_BASE_URL may lead anywhere when replies are recorded, but
// under this name it should be this server. A laptop answers one request at a
// time, and slowly.
//
// The embeddings come from another server.
func TestMain(m *testing.M) {
	config := openai.DefaultConfig("")
	config.BaseURL = "http://127.0.0.1:18082/v1"
	ragtest.Use(ragtest.OpenAI("qwen2.5-coder-1.5b").
		Named("llama.cpp b10068").
		Limits(1, 0).
		Timeout(10 * time.Minute).
		WithEmbedder(ragtest.NewEmbedder(config, "nomic-embed-text-v1.5").Named("llama.cpp b10068")))
	os.Exit(ragtest.Run(m))
}
