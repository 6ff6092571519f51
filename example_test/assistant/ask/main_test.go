package main

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ragomega/ragomega/example_test/assistant"
)

func serve(t *testing.T, status int) assistant.Config {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/chat/completions") {
			w.WriteHeader(status)
			w.Write([]byte(`{"choices":[{"finish_reason":"stop","message":{"content":"<5 kg & more"}}]}`))
			return
		}
		var req struct{ Input []string }
		if err := json.NewDecoder(r.Body).Decode(&req); err != nil {
			t.Error(err)
		}
		var data []map[string]any
		for i := range req.Input {
			data = append(data, map[string]any{"index": i, "embedding": []float32{1}})
		}
		json.NewEncoder(w).Encode(map[string]any{"data": data})
	}))
	t.Cleanup(s.Close)
	return assistant.Config{ChatURL: s.URL, ChatModel: "chat", EmbedURL: s.URL, EmbedModel: "embed"}
}

func TestRunWritesASampleForEachQuestion(t *testing.T) {
	out := filepath.Join(t.TempDir(), "samples.jsonl")
	if err := run(t.Context(), serve(t, http.StatusOK), out); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	questions, err := assistant.Questions()
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSuffix(string(data), "\n"), "\n")
	if len(lines) != len(questions) {
		t.Fatalf("%d lines, want %d", len(lines), len(questions))
	}
	for i, line := range lines {
		var s sample
		if err := json.Unmarshal([]byte(line), &s); err != nil {
			t.Fatal(err)
		}
		if s.Name != questions[i].Name || s.UserInput != questions[i].Question {
			t.Errorf("line %d is %q, want %q", i+1, s.Name, questions[i].Name)
		}
		if !strings.Contains(line, `"response":"<5 kg & more"`) {
			t.Errorf("line %d escapes the response: %s", i+1, line)
		}
	}
}

func TestRunLeavesTheOldFileAfterAnError(t *testing.T) {
	out := filepath.Join(t.TempDir(), "samples.jsonl")
	if err := os.WriteFile(out, []byte("old"), 0o644); err != nil {
		t.Fatal(err)
	}
	err := run(t.Context(), serve(t, http.StatusInternalServerError), out)
	if err == nil || !strings.Contains(err.Error(), "small-locker-limits") {
		t.Errorf("error %v does not name the question", err)
	}
	if data, err := os.ReadFile(out); err != nil || string(data) != "old" {
		t.Errorf("file holds %q, %v", data, err)
	}
}
