package cache_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	. "github.com/onsi/gomega"
	openai "github.com/sashabaranov/go-openai"
	"go.uber.org/goleak"

	"github.com/ragomega/ragomega/cache"
)

// transportPlace is where the calls of one test are recorded.
type transportPlace struct {
	t         *testing.T
	dir, home string
	next      *http.Transport
}

func newTransportPlace(t *testing.T) *transportPlace {
	t.Helper()
	p := &transportPlace{
		t: t, dir: filepath.Join(t.TempDir(), "testdata", "ragtest"), home: filepath.Join(t.TempDir(), "home"),
		next: &http.Transport{},
	}
	leaks := goleak.IgnoreCurrent()
	t.Cleanup(func() {
		p.next.CloseIdleConnections()
		goleak.VerifyNone(t, leaks)
	})
	return p
}

// open returns a transport in a mode. In replay its Next fails the test.

func (p *transportPlace) open(mode cache.Mode, change ...func(*cache.Transport)) *cache.Transport {
	p.t.Helper()
	c, err := cache.Open(cache.Options{Dir: p.dir, Home: p.home, Mode: mode})
	if err != nil {
		p.t.Fatal(err)
	}
	tr := &cache.Transport{Cache: c, Next: p.next}
	if mode == cache.Replay {
		tr.Next = transportFunc(func(r *http.Request) (*http.Response, error) {
			p.t.Errorf("the network was reached: %s %s", r.Method, r.URL)
			return nil, errors.New("unreachable")
		})
	}
	for _, f := range change {
		f(tr)
	}
	return tr
}

func (p *transportPlace) close(tr *cache.Transport) {
	p.t.Helper()
	if err := tr.Cache.Close(); err != nil {
		p.t.Error(err)
	}
}

func (p *transportPlace) recording() string {
	p.t.Helper()
	b, err := os.ReadFile(filepath.Join(p.dir, "transport.jsonl"))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		p.t.Fatal(err)
	}
	return string(b)
}

type transportFunc func(*http.Request) (*http.Response, error)

func (f transportFunc) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// transportReply is what a client got, or how it failed.
type transportReply struct {
	status int
	header http.Header
	body   string
	err    error
}

func transportDo(t *testing.T, rt http.RoundTripper, method, url, body string, header ...string) transportReply {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	resp, err := (&http.Client{Transport: rt}).Do(req)
	if err != nil {
		return transportReply{err: err}
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	return transportReply{resp.StatusCode, resp.Header, string(b), err}
}

// transportServer serves f and counts the calls.
func transportServer(t *testing.T, f http.HandlerFunc) (*httptest.Server, *atomic.Int64) {
	t.Helper()
	var calls atomic.Int64
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		calls.Add(1)
		f(w, r)
	}))
	t.Cleanup(s.Close)
	return s, &calls
}

func transportJSON(text string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		io.WriteString(w, text)
	}
}

const transportChat = `{
  "id": "chatcmpl-1", "object": "chat.completion", "created": 1760000000, "model": "m",
  "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": "4.60 < 5 & \u00e4"}}],
  "usage": {"prompt_tokens": 3, "completion_tokens": 2, "total_tokens": 5}
}
`

func transportOpenAI(url string, rt http.RoundTripper) *openai.Client {
	config := openai.DefaultConfig("sk-of-the-laptop-1234567890")
	config.BaseURL = url + "/v1"
	config.HTTPClient = &http.Client{Transport: rt}
	return openai.NewClientWithConfig(config)
}

func transportAsk(ctx context.Context, c *openai.Client, texts ...string) (openai.ChatCompletionResponse, error) {
	req := openai.ChatCompletionRequest{Model: "m", Temperature: 0.5}
	for i, text := range texts {
		req.Messages = append(req.Messages, openai.ChatCompletionMessage{Role: []string{"system", "user", "assistant"}[min(i, 2)], Content: text})
	}
	return c.CreateChatCompletion(ctx, req)
}

func TestTransportChat(t *testing.T) {
	g, p := NewWithT(t), newTransportPlace(t)
	server, calls := transportServer(t, transportJSON(transportChat))
	auto := p.open(cache.Auto)
	live, err := transportAsk(t.Context(), transportOpenAI(server.URL, auto), "Be brief.", "What does it cost?")
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(live.Choices[0].Message.Content).To(Equal("4.60 < 5 & ä"))
	again, err := transportAsk(t.Context(), transportOpenAI(server.URL, auto), "Be brief.", "What does it cost?")
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(again.Choices).To(Equal(live.Choices))
	g.Expect(auto.Cache.Counts()).To(Equal(cache.Counts{Asked: 1, Repeated: 1}))
	p.close(auto)
	server.Close()

	replay := p.open(cache.Replay)
	// Another port and another key, as on a build server.
	replayed, err := transportAsk(t.Context(), transportOpenAI("http://localhost:1", replay), "Be brief.", "What does it cost?")
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(replayed.Choices).To(Equal(live.Choices))
	g.Expect(replayed.Usage).To(Equal(live.Usage))
	p.close(replay)
	g.Expect(calls.Load()).To(BeEquivalentTo(1))
	g.Expect(p.recording()).To(And(
		ContainSubstring(`"step":"POST /v1/chat/completions","by":"localhost","about":"What does it cost?","reply":{"status":200,"header":{"Content-Type":"application/json"},"json":{"id":"chatcmpl-1","object"`),
		ContainSubstring(`"parts":{"field stream":"false","field temperature":"0.5","message 1":`),
		ContainSubstring(`"model":"m"`),
	))
}

func TestTransportMissNamesWhatChanged(t *testing.T) {
	p := newTransportPlace(t)
	server, _ := transportServer(t, transportJSON(transportChat))
	auto := p.open(cache.Auto)
	if _, err := transportAsk(t.Context(), transportOpenAI(server.URL, auto), "Be brief.", "What does it cost?", "Nothing."); err != nil {
		t.Fatal(err)
	}
	transportDo(t, auto, "GET", server.URL+"/v1/things?limit=3&after=x", "")
	p.close(auto)
	replay := p.open(cache.Replay)
	client := transportOpenAI(server.URL, replay)
	missed := func(t *testing.T, err error) *cache.MissError {
		t.Helper()
		var miss *cache.MissError
		if !errors.Is(err, cache.ErrMiss) || !errors.As(err, &miss) {
			t.Fatalf("got %v, expected a miss", err)
		}
		return miss
	}
	t.Run("message", func(t *testing.T) {
		g := NewWithT(t)
		_, err := transportAsk(t.Context(), client, "Be brief.", "What does it weigh?", "Nothing.")
		miss := missed(t, err)
		g.Expect(miss.Differs).To(HaveLen(1))
		g.Expect(miss.Differs[0].String()).To(Equal("message 2 (user) changed"))
		g.Expect(miss.Error()).To(ContainSubstring("asked about: What does it weigh?"))
	})
	t.Run("messages", func(t *testing.T) {
		g := NewWithT(t)
		_, err := transportAsk(t.Context(), client, "Be brief.", "What does it cost?")
		g.Expect(missed(t, err).Differs).To(HaveLen(1))
		g.Expect(missed(t, err).Differs[0].String()).To(Equal("message 3 is gone"))
	})
	t.Run("model and field", func(t *testing.T) {
		g := NewWithT(t)
		_, err := client.CreateChatCompletion(t.Context(), openai.ChatCompletionRequest{
			Model: "n", Temperature: 0.7, Seed: new(int), Messages: []openai.ChatCompletionMessage{
				{Role: "system", Content: "Be brief."},
				{Role: "user", Content: "What does it cost?"},
				{Role: "assistant", Content: "Nothing."},
			},
		})
		g.Expect(missed(t, err).Error()).To(And(
			ContainSubstring("what differs: the model changed: m → n"),
			ContainSubstring(`what differs: the field "temperature" changed: 0.5 → 0.7`),
			ContainSubstring(`what differs: the field "seed" is new`),
		))
	})
	t.Run("host", func(t *testing.T) {
		g := NewWithT(t)
		_, err := transportAsk(t.Context(), transportOpenAI("https://api.example.com", replay), "Be brief.", "What does it cost?", "Nothing.")
		g.Expect(missed(t, err).Error()).To(ContainSubstring("what differs: the host changed: localhost → api.example.com"))
	})
	t.Run("query", func(t *testing.T) {
		g := NewWithT(t)
		reply := transportDo(t, replay, "GET", server.URL+"/v1/things?limit=4&after=x", "")
		g.Expect(missed(t, reply.err).Error()).To(And(
			ContainSubstring("for step GET /v1/things\n"),
			ContainSubstring(`what differs: the query parameter "limit" changed: 3 → 4`),
		))
	})
	t.Run("path", func(t *testing.T) {
		g := NewWithT(t)
		reply := transportDo(t, replay, "GET", server.URL+"/v1/other", "")
		g.Expect(missed(t, reply.err).Error()).To(ContainSubstring("nothing like it is recorded"))
	})
	p.close(replay)
	NewWithT(t).Expect(p.open(cache.Replay).Cache.Counts().Missed).To(BeZero())
}

func TestTransportEmbeddingsArePackedExactly(t *testing.T) {
	for name, spell := range map[string]func(float32) string{
		"as float32":    func(x float32) string { b, _ := json.Marshal(x); return string(b) },
		"as float64":    func(x float32) string { b, _ := json.Marshal(float64(x)); return string(b) },
		"in 17 digits":  func(x float32) string { return fmt.Sprintf("%.17g", float64(x)) },
		"with exponent": func(x float32) string { return strconv.FormatFloat(float64(x), 'e', -1, 32) },
	} {
		t.Run(name, func(t *testing.T) {
			g, p := NewWithT(t), newTransportPlace(t)
			want, text := make([]float32, 768), make([]string, 768)
			for i := range want {
				want[i] = float32(rand.NormFloat64() / 30)
				text[i] = spell(want[i])
			}
			full := `{"object":"list","data":[{"object":"embedding","index":0,"embedding":[` + strings.Join(text, ", ") + `]}],"model":"e","usage":{"prompt_tokens":1,"total_tokens":1}}`
			server, _ := transportServer(t, transportJSON(full))
			for _, mode := range []cache.Mode{cache.Auto, cache.Replay} {
				tr := p.open(mode)
				resp, err := transportOpenAI(server.URL, tr).CreateEmbeddings(t.Context(), openai.EmbeddingRequestStrings{Model: "e", Input: []string{"locker", "parcel"}})
				g.Expect(err).NotTo(HaveOccurred())
				g.Expect(resp.Data[0].Embedding).To(Equal(want))
				g.Expect(resp.Usage.PromptTokens).To(Equal(1))
				reply := transportDo(t, tr, "POST", server.URL+"/v1/embeddings", `{"model":"e","input":"one"}`)
				var was, is any // as float64s
				g.Expect(json.Unmarshal([]byte(full), &was)).To(Succeed())
				g.Expect(json.Unmarshal([]byte(reply.body), &is)).To(Succeed())
				g.Expect(is).To(Equal(was))
				p.close(tr)
			}
			g.Expect(p.recording()).To(ContainSubstring(`"about":"locker (and 1 more)"`))
			g.Expect(len(p.recording())).To(BeNumerically("<", 2*(768*4*4/3+900)))
		})
	}
}

func TestTransportNormalize(t *testing.T) {
	g, p := NewWithT(t), newTransportPlace(t)
	var sent []string
	server, _ := transportServer(t, func(w http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		sent = append(sent, r.URL.String()+" "+string(b))
		transportJSON(`{"ok":true}`)(w, r)
	})
	date := regexp.MustCompile(`\d{4}-\d\d-\d\d`)
	normal := func(tr *cache.Transport) {
		tr.Normalize = func(c *cache.Call) {
			c.Body = date.ReplaceAll(c.Body, []byte("DATE"))
			q := c.URL.Query()
			q.Del("request_id")
			c.URL.RawQuery = q.Encode()
			c.URL.Path = strings.Replace(c.URL.Path, "/tmp/run-1/", "/RUN/", 1)
			c.Also["tenant"] = c.Header.Get("X-Tenant")
		}
	}
	body := func(day string) string {
		return `{"messages":[{"role":"user","content":"Today is ` + day + `. Is it open?"}]}`
	}
	auto := p.open(cache.Auto, normal)
	g.Expect(transportDo(t, auto, "POST", server.URL+"/tmp/run-1/ask?request_id=1", body("2025-01-01"), "X-Tenant", "a").err).NotTo(HaveOccurred())
	p.close(auto)
	g.Expect(sent).To(Equal([]string{"/tmp/run-1/ask?request_id=1 " + body("2025-01-01")}), "what is sent stays as it was")
	g.Expect(p.recording()).To(And(ContainSubstring("Today is DATE. Is it open?"), Not(ContainSubstring("2025-01-01")), Not(ContainSubstring("run-1"))))

	replay := p.open(cache.Replay, normal)
	g.Expect(transportDo(t, replay, "POST", server.URL+"/tmp/run-1/ask?request_id=2", body("2026-02-02"), "X-Tenant", "a").body).To(Equal(`{"ok":true}`))
	err := transportDo(t, replay, "POST", server.URL+"/tmp/run-1/ask", body("2026-02-02"), "X-Tenant", "b").err
	g.Expect(err).To(MatchError(ContainSubstring("what differs: tenant changed: a → b")))
	p.close(replay)
}
