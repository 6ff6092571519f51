package retrieval

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"net/http"
	"testing"

	"github.com/ragomega/ragomega/example_test/assistant"
	"github.com/ragomega/ragomega/ragtest/lexical"
)

// words stands for the server of an embedding model: the vector of a text has a place
// for each word of the help centre, and a rare word weighs more (tf-idf, with each
// word counted once). So the index searches for words, and nobody is called.
type words struct {
	place  map[string]int
	weight []float64
}

func newWords(t *testing.T) words {
	t.Helper()
	all, err := assistant.HelpCentre()
	if err != nil {
		t.Fatal(err)
	}
	w := words{place: map[string]int{}}
	chunks := 0.0
	for _, d := range all {
		split, err := assistant.Splitter{}.Split(d)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range split {
			chunks++
			for word := range stems(c.Text) {
				if _, ok := w.place[word]; !ok {
					w.place[word] = len(w.weight)
					w.weight = append(w.weight, 0)
				}
				w.weight[w.place[word]]++ // how many chunks have it
			}
		}
	}
	for i, n := range w.weight {
		w.weight[i] = math.Log(chunks / n)
	}
	return w
}

// stems are the words of a text without their English endings.
func stems(text string) map[string]bool {
	set := map[string]bool{}
	for _, word := range lexical.UnicodeWords(text) {
		set[lexical.Stem(word)] = true
	}
	return set
}

// RoundTrip answers a request for an embedding.
func (w words) RoundTrip(r *http.Request) (*http.Response, error) {
	defer r.Body.Close()
	var in struct{ Input []string }
	if err := json.NewDecoder(r.Body).Decode(&in); err != nil || len(in.Input) != 1 {
		return nil, fmt.Errorf("one text was expected, got %q: %v", in.Input, err)
	}
	v := make([]float64, len(w.weight))
	for word := range stems(in.Input[0]) {
		if at, ok := w.place[word]; ok {
			v[at] = w.weight[at]
		}
	}
	body, err := json.Marshal(map[string]any{"data": []any{map[string]any{"embedding": v}}})
	if err != nil {
		return nil, err
	}
	return &http.Response{
		StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {"application/json"}},
		Body: io.NopCloser(bytes.NewReader(body)), Request: r,
	}, nil
}
