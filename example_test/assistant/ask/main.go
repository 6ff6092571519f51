// Ask puts every question of the assistant's question set to the assistant and
// writes the answers as samples, one JSON object a line.
//
//	go run ./example_test/assistant/ask -o example_test/testdata/samples.jsonl
//
// The API key, if the endpoints want one, is taken from OPENAI_API_KEY.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"os/signal"
	"path/filepath"

	"github.com/ragomega/ragomega/example_test/assistant"
)

// A sample is one line of the output, with the field names of a Ragas dataset.
type sample struct {
	Name                string   `json:"name"`
	Tags                []string `json:"tags"`
	UserInput           string   `json:"user_input"`
	Response            string   `json:"response"`
	RetrievedContexts   []string `json:"retrieved_contexts"`
	RetrievedContextIDs []string `json:"retrieved_context_ids"`
	Reference           string   `json:"reference"`
}

func main() {
	log.SetFlags(0)
	log.SetPrefix("ask: ")
	config := assistant.Config{APIKey: os.Getenv("OPENAI_API_KEY")}
	flag.StringVar(&config.ChatURL, "chat-url", "http://127.0.0.1:18080/v1", "base `URL` of the chat endpoint")
	flag.StringVar(&config.ChatModel, "chat-model", "qwen2.5-coder-1.5b", "chat model `name`")
	flag.StringVar(&config.EmbedURL, "embed-url", "http://127.0.0.1:18082/v1", "base `URL` of the embeddings endpoint")
	flag.StringVar(&config.EmbedModel, "embed-model", "nomic-embed-text-v1.5", "embedding model `name`")
	out := flag.String("o", "", "output `file` (default standard output)")
	flag.Parse()
	if flag.NArg() > 0 {
		flag.Usage()
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, config, *out); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, config assistant.Config, out string) error {
	var buf bytes.Buffer
	if err := ask(ctx, config, &buf); err != nil {
		return err
	}
	if out == "" {
		_, err := os.Stdout.Write(buf.Bytes())
		return err
	}
	return writeFile(out, buf.Bytes())
}

// ask writes a sample for each question, in the order of the questions.
func ask(ctx context.Context, config assistant.Config, w io.Writer) error {
	questions, err := assistant.Questions()
	if err != nil {
		return err
	}
	a, err := assistant.New(ctx, config)
	if err != nil {
		return err
	}
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	for _, q := range questions {
		answer, err := a.Ask(ctx, q.Question)
		if err != nil {
			return fmt.Errorf("%s: %w", q.Name, err)
		}
		err = enc.Encode(sample{
			Name:                q.Name,
			Tags:                q.Tags,
			UserInput:           q.Question,
			Response:            answer.Text,
			RetrievedContexts:   answer.Contexts,
			RetrievedContextIDs: answer.ContextIDs,
			Reference:           q.Reference,
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// writeFile replaces the file as a whole, so that a failed run leaves the old
// one in place.
func writeFile(name string, data []byte) error {
	f, err := os.CreateTemp(filepath.Dir(name), "."+filepath.Base(name)+".*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name()) // fails, harmlessly, after the rename
	_, err = f.Write(data)
	if err == nil {
		err = f.Chmod(0o644)
	}
	if err2 := f.Close(); err == nil {
		err = err2
	}
	if err == nil {
		err = os.Rename(f.Name(), name)
	}
	return err
}
