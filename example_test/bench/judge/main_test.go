package main

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	. "github.com/onsi/gomega"
	openai "github.com/sashabaranov/go-openai"

	"github.com/ragomega/ragomega/cache"
	"github.com/ragomega/ragomega/ragtest"
)

func TestItJudgesBothMetricsAndCounts(t *testing.T) {
	g := NewWithT(t)
	server := httptest.NewServer(newJudge(0))
	defer server.Close()
	c, err := cache.Open(cache.Options{Mode: cache.Off})
	g.Expect(err).NotTo(HaveOccurred())
	config := openai.DefaultConfig("")
	config.BaseURL = server.URL + "/v1"
	judge := ragtest.NewJudge(config, "bench").CachedIn(c)
	s := ragtest.Sample{Response: "It is open. It is blue. It is old.", Reference: "It is new.", RetrievedContexts: []string{"It is open."}}

	var first float64
	for i := range 2 {
		score, err := judge.Measure(t.Context(), ragtest.Faithfulness, s)
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(score.Verdicts).To(HaveLen(3))
		if i == 1 {
			g.Expect(score.Value).To(Equal(first))
		}
		first = score.Value
	}
	_, err = judge.Measure(t.Context(), ragtest.ContextRecall, s)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(stats(t, server.URL)).To(MatchJSON(`{"calls": 6, "unique": 4}`))

	resp, err := http.Post(server.URL+"/reset", "", nil)
	g.Expect(err).NotTo(HaveOccurred())
	resp.Body.Close()
	g.Expect(stats(t, server.URL)).To(MatchJSON(`{"calls": 0, "unique": 0}`))
}

func stats(t *testing.T, url string) string {
	t.Helper()
	resp, err := http.Get(url + "/stats")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}

func TestItFillsASchemaInTheTextOfAPrompt(t *testing.T) {
	g := NewWithT(t)
	var r request
	text, err := json.Marshal(`An example: {"x": 1}. The schema:
{"$defs": {"V": {"type": "object", "properties": {"why": {"type": "string"}, "yes": {"type": "integer"}, "word": {"enum": ["yes", "no"]}}}},
 "type": "object", "properties": {"list": {"type": "array", "items": {"$ref": "#/$defs/V"}}, "maybe": {"anyOf": [{"type": "boolean"}, {"type": "null"}]}}}
Go!`)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(json.Unmarshal([]byte(`{"messages": [{"role": "user", "content": [{"type": "text", "text": `+string(text)+`}]}]}`), &r)).To(Succeed())
	var got struct {
		List []struct {
			Why  string
			Yes  int
			Word string
		}
		Maybe *bool
	}
	dec := json.NewDecoder(strings.NewReader(reply(r)))
	dec.DisallowUnknownFields()
	g.Expect(dec.Decode(&got)).To(Succeed())
	g.Expect(got.List).To(HaveLen(items))
	g.Expect(got.Maybe).NotTo(BeNil())
	for _, v := range got.List {
		g.Expect(v.Why).NotTo(BeEmpty())
		g.Expect(v.Yes).To(BeElementOf(0, 1))
		g.Expect(v.Word).To(BeElementOf("yes", "no"))
	}
}
