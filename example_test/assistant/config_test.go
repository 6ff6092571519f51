package assistant

import (
	"net/http"
	"slices"
	"strings"
	"testing"
)

// counting counts the calls of a client.
type counting struct{ calls chan string }

func (c counting) RoundTrip(req *http.Request) (*http.Response, error) {
	c.calls <- req.URL.Path
	return http.DefaultTransport.RoundTrip(req)
}

func TestEveryCallGoesThroughTheClient(t *testing.T) {
	f := newFakeServer(t)
	calls := make(chan string, 100)
	config := f.config()
	config.Client = &http.Client{Transport: counting{calls}}
	config.Documents = []Document{{"a", "A", "One.\n\nTwo."}}
	a, err := New(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := a.Ask(t.Context(), "Why?"); err != nil {
		t.Fatal(err)
	}
	close(calls)
	var got []string
	for path := range calls {
		got = append(got, path)
	}
	want := []string{"/v1/embeddings", "/v1/embeddings", "/v1/embeddings", "/v1/chat/completions"}
	if !slices.Equal(got, want) {
		t.Errorf("calls %q, want %q", got, want)
	}
}

func TestConfigOfRetrieval(t *testing.T) {
	documents := []Document{{"a", "A", "One.\n\nTwo."}, {"b", "B", "Three."}}
	for _, test := range []struct {
		name   string
		change func(*Config)
		want   []string
	}{
		{"as it is", func(*Config) {}, []string{"A: One.", "A: Two.", "B: Three."}},
		{"K", func(c *Config) { c.K = 2 }, []string{"A: One.", "A: Two."}},
		{"K beyond all", func(c *Config) { c.K = 9 }, []string{"A: One.", "A: Two.", "B: Three."}},
		{"splitter", func(c *Config) { c.Splitter.Size = 2 }, []string{"A: One. Two.", "B: Three."}},
		{"ranker before K", func(c *Config) {
			c.K = 2
			c.Rank = func(_ string, chunks []Chunk) []Chunk { slices.Reverse(chunks); return chunks }
		}, []string{"B: Three.", "A: Two."}},
		{"limit within a chunk", func(c *Config) { c.MaxContext = 10 }, []string{"A: One.", "A: "}},
		{"limit at the end of one", func(c *Config) { c.MaxContext = 7 }, []string{"A: One."}},
		{"no half of a letter", func(c *Config) {
			c.Documents = []Document{{"a", "A", "é."}}
			c.MaxContext = 4
		}, []string{"A: "}},
	} {
		t.Run(test.name, func(t *testing.T) {
			f := newFakeServer(t)
			config := f.config()
			config.Documents = documents
			test.change(&config)
			a, err := New(t.Context(), config)
			if err != nil {
				t.Fatal(err)
			}
			answer, err := a.Ask(t.Context(), "Why?")
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(answer.Contexts, test.want) || len(answer.ContextIDs) != len(test.want) {
				t.Errorf("contexts %q with IDs %q, want %q", answer.Contexts, answer.ContextIDs, test.want)
			}
			if !strings.Contains(f.chat, `only the text below.\n\n`+strings.Join(test.want, `\n\n`)+`"`) {
				t.Errorf("request %s does not have the contexts", f.chat)
			}
		})
	}
}

func TestRewriteIsForTheChatModelAlone(t *testing.T) {
	f := newFakeServer(t)
	config := f.config()
	config.Rewrite = func(question string) string { return question + " And how?" }
	a, err := New(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := a.Ask(t.Context(), "Why?"); err != nil {
		t.Fatal(err)
	}
	if last := f.embedded[len(f.embedded)-1]; last != "search_query: Why?" {
		t.Errorf("question embedded as %q", last)
	}
	if !strings.Contains(f.chat, `"Why? And how?"`) {
		t.Errorf("request %s does not have the question as rewritten", f.chat)
	}
}

func TestNewRefusesWhatCannotBeSearched(t *testing.T) {
	f := newFakeServer(t)
	for _, test := range []struct {
		name   string
		change func(*Config)
		want   string
	}{
		{"nothing", func(c *Config) { c.Documents = []Document{} }, "no text"},
		{"two of one name", func(c *Config) { c.Documents = []Document{{"a", "A", "One."}, {"a", "B", "Two."}} }, `"a#1"`},
		{"splitter", func(c *Config) { c.Splitter.Overlap = 1 }, "overlap by 1"},
	} {
		t.Run(test.name, func(t *testing.T) {
			config := f.config()
			test.change(&config)
			if _, err := New(t.Context(), config); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error %v, want one with %q", err, test.want)
			}
		})
	}
}
