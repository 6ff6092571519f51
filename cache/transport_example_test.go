package cache_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"

	openai "github.com/sashabaranov/go-openai"

	"github.com/ragomega/ragomega/cache"
)

func ExampleTransport() {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		io.WriteString(w, `{"choices":[{"message":{"role":"assistant","content":"Until ten."}}]}`)
	}))
	dir, _ := os.MkdirTemp("", "")
	defer os.RemoveAll(dir)

	// The application gets its HTTP client from outside.
	ask := func(client *http.Client, question string) string {
		config := openai.DefaultConfig("key")
		config.BaseURL, config.HTTPClient = server.URL, client
		resp, err := openai.NewClientWithConfig(config).CreateChatCompletion(context.Background(), openai.ChatCompletionRequest{
			Model:    "m",
			Messages: []openai.ChatCompletionMessage{{Role: "user", Content: question}},
		})
		if errors.Is(err, cache.ErrMiss) {
			return "not recorded"
		}
		return resp.Choices[0].Message.Content
	}
	for _, mode := range []cache.Mode{cache.Auto, cache.Replay} {
		c, err := cache.Open(cache.Options{Dir: filepath.Join(dir, "testdata"), Home: filepath.Join(dir, "home"), Mode: mode})
		if err != nil {
			panic(err)
		}
		client := &http.Client{Transport: &cache.Transport{Cache: c}}
		fmt.Println(mode, ask(client, "How long are you open?"))
		if mode == cache.Replay {
			fmt.Println(mode, ask(client, "Where are you?"))
		}
		client.CloseIdleConnections()
		server.Close() // from here on there is only the recording
		if err := c.Close(); err != nil {
			panic(err)
		}
	}
	// Output:
	// auto Until ten.
	// replay Until ten.
	// replay not recorded
}
