package assistant

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
)

// A fakeServer speaks the two endpoints. Its embedding of a text is a unit
// vector whose cosine with every question's is the score of the text.
type fakeServer struct {
	*httptest.Server
	score     func(text string) float32
	reply     string // body of the chat reply
	status    int    // status of the chat reply
	embedFail bool

	mu       sync.Mutex
	embedded []string // inputs of all embeddings requests
	chat     string   // body of the last chat request
}

const goodReply = `{"choices":[{"index":0,"finish_reason":"stop","message":{"role":"assistant","content":" 4.60 euros. "}}]}`

func newFakeServer(t *testing.T) *fakeServer {
	t.Helper()
	f := &fakeServer{score: func(string) float32 { return 0 }, reply: goodReply, status: http.StatusOK}
	f.Server = httptest.NewServer(f)
	t.Cleanup(f.Close)
	return f
}

func (f *fakeServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	switch r.URL.Path {
	case "/v1/embeddings":
		f.serveEmbeddings(w, body)
	case "/v1/chat/completions":
		f.chat = string(body)
		w.WriteHeader(f.status)
		io.WriteString(w, f.reply)
	default:
		http.NotFound(w, r)
	}
}

func (f *fakeServer) serveEmbeddings(w http.ResponseWriter, body []byte) {
	if f.embedFail {
		http.Error(w, `{"error":{"message":"no such model"}}`, http.StatusNotFound)
		return
	}
	var req struct{ Input []string }
	if err := json.Unmarshal(body, &req); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	type embedding struct {
		Index     int       `json:"index"`
		Embedding []float32 `json:"embedding"`
	}
	var data []embedding
	for i, text := range req.Input {
		v := []float32{1, 0}
		if !strings.HasPrefix(text, queryPrefix) {
			s := f.score(text)
			v = []float32{s, 1 - s}
		}
		data = append(data, embedding{i, v})
	}
	f.mu.Lock()
	f.embedded = append(f.embedded, req.Input...)
	f.mu.Unlock()
	json.NewEncoder(w).Encode(map[string]any{"data": data})
}

func (f *fakeServer) config() Config {
	return Config{ChatURL: f.URL + "/v1", ChatModel: "chat", EmbedURL: f.URL + "/v1/", EmbedModel: "embed"}
}

func (f *fakeServer) assistant(t *testing.T) *Assistant {
	t.Helper()
	a, err := New(t.Context(), f.config())
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func TestAskRetrievesTheNearestInOrder(t *testing.T) {
	f := newFakeServer(t)
	f.score = func(text string) float32 {
		switch {
		case strings.Contains(text, "3.20 euros"):
			return 0.7
		case strings.Contains(text, "Perfume"):
			return 0.9
		case strings.Contains(text, "freight yard"):
			return 0.8
		case strings.Contains(text, "Nine stations"):
			return 0.6
		}
		return 0
	}
	answer, err := f.assistant(t).Ask(t.Context(), "Why?")
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"forbidden#3", "depot#1", "prices#1"}; !slices.Equal(answer.ContextIDs, want) {
		t.Errorf("context IDs %q, want %q", answer.ContextIDs, want)
	}
	if len(answer.Contexts) != 3 || !strings.HasPrefix(answer.Contexts[0], "Forbidden contents: Perfume") {
		t.Errorf("contexts %q do not match the IDs", answer.Contexts)
	}
	if answer.Text != "4.60 euros." {
		t.Errorf("text %q", answer.Text)
	}
	if last := f.embedded[len(f.embedded)-1]; last != "search_query: Why?" {
		t.Errorf("question embedded as %q", last)
	}
	for _, text := range f.embedded[:len(f.embedded)-1] {
		if !strings.HasPrefix(text, "search_document: ") {
			t.Errorf("document embedded as %q", text)
		}
	}
}

func TestAskBreaksTiesByDocumentOrder(t *testing.T) {
	answer, err := newFakeServer(t).assistant(t).Ask(t.Context(), "Why?")
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"accessibility#1", "accessibility#2", "account#1"}; !slices.Equal(answer.ContextIDs, want) {
		t.Errorf("context IDs %q, want %q", answer.ContextIDs, want)
	}
}

func TestAskSendsTheContextsAndTemperatureZero(t *testing.T) {
	f := newFakeServer(t)
	answer, err := f.assistant(t).Ask(t.Context(), "Why?")
	if err != nil {
		t.Fatal(err)
	}
	var req struct {
		Model       string
		Temperature json.RawMessage
		MaxTokens   int `json:"max_completion_tokens"`
		Messages    []struct{ Role, Content string }
	}
	if err := json.Unmarshal([]byte(f.chat), &req); err != nil {
		t.Fatal(err)
	}
	if got := string(req.Temperature); got != "0" {
		t.Errorf("temperature on the wire is %q, want 0", got)
	}
	if req.Model != "chat" || req.MaxTokens != maxTokens {
		t.Errorf("model %q, max_completion_tokens %d", req.Model, req.MaxTokens)
	}
	if len(req.Messages) != 2 || req.Messages[0].Role != "system" || req.Messages[1].Role != "user" {
		t.Fatalf("messages %v", req.Messages)
	}
	if req.Messages[1].Content != "Why?" {
		t.Errorf("user message %q", req.Messages[1].Content)
	}
	if !strings.HasSuffix(req.Messages[0].Content, "\n\n"+strings.Join(answer.Contexts, "\n\n")) {
		t.Errorf("system message %q lacks the contexts", req.Messages[0].Content)
	}
}

func TestAskReportsBadReplies(t *testing.T) {
	for _, test := range []struct {
		name, reply, want string
		status            int
	}{
		{"server error", `{"error":{"message":"slot is busy"}}`, "slot is busy", http.StatusServiceUnavailable},
		{"no choices", `{"choices":[]}`, "no choices", http.StatusOK},
		{"cut off", `{"choices":[{"finish_reason":"length","message":{"content":"4."}}]}`, `"length"`, http.StatusOK},
	} {
		t.Run(test.name, func(t *testing.T) {
			f := newFakeServer(t)
			f.reply, f.status = test.reply, test.status
			answer, err := f.assistant(t).Ask(t.Context(), "Why?")
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error %v, want one with %q", err, test.want)
			}
			if answer.Text != "" {
				t.Errorf("answer %q beside the error", answer.Text)
			}
		})
	}
}

func TestNewReportsEmbeddingErrors(t *testing.T) {
	f := newFakeServer(t)
	f.embedFail = true
	_, err := New(t.Context(), f.config())
	if err == nil || !strings.Contains(err.Error(), "no such model") {
		t.Errorf("error %v, want one with %q", err, "no such model")
	}
}

func TestChunksAreShort(t *testing.T) {
	documents, err := HelpCentre()
	if err != nil {
		t.Fatal(err)
	}
	var chunks []Chunk
	for _, d := range documents {
		more, err := Splitter{}.Split(d)
		if err != nil {
			t.Fatal(err)
		}
		chunks = append(chunks, more...)
	}
	if len(chunks) != 40 {
		t.Errorf("%d chunks", len(chunks))
	}
	seen := make(map[string]bool)
	for _, c := range chunks {
		if n := len(strings.Fields(c.Text)); n < 10 || n >= 120 {
			t.Errorf("%s has %d words", c.ID, n)
		}
		if seen[c.ID] {
			t.Errorf("%s is there twice", c.ID)
		}
		seen[c.ID] = true
	}
}

func TestQuestionsAreComplete(t *testing.T) {
	questions, err := Questions()
	if err != nil {
		t.Fatal(err)
	}
	seen := make(map[string]bool)
	for _, q := range questions {
		if q.Name == "" || len(q.Tags) == 0 || q.Question == "" || q.Reference == "" || seen[q.Name] {
			t.Errorf("incomplete or double: %+v", q)
		}
		seen[q.Name] = true
	}
}
