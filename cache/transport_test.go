package cache_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
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
	g.Expect(auto.Cache.Counts()).To(Equal(cache.Counts{Asked: 1, Recorded: 1}))
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

func TestTransportAnyJSON(t *testing.T) {
	g, p := NewWithT(t), newTransportPlace(t)
	server, calls := transportServer(t, func(w http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		w.Header().Set("Content-Type", "application/json; charset=utf-8")
		w.Header().Set("X-Request-Id", "r1")
		w.WriteHeader(http.StatusCreated)
		fmt.Fprintf(w, `{"method":%q,"length":%d,"big":12345678901234567890,"z":1,"a":1.0}`, r.Method, len(b))
	})
	spellings := []string{`{"a":[1,{"c":"ä","b":1e3}],"d":null}`, " {\"d\" : null,\n\"a\":[1, {\"b\":1e3,\"c\":\"\\u00e4\"} ]}\n"}
	for _, mode := range []cache.Mode{cache.Auto, cache.Replay} {
		tr := p.open(mode)
		for _, body := range spellings {
			reply := transportDo(t, tr, "POST", server.URL+"/things", body)
			g.Expect(reply.err).NotTo(HaveOccurred())
			g.Expect(reply.status).To(Equal(http.StatusCreated))
			g.Expect(reply.header.Get("Content-Type")).To(Equal("application/json; charset=utf-8"))
			g.Expect(reply.body).To(Equal(fmt.Sprintf(`{"method":"POST","length":%d,"big":12345678901234567890,"z":1,"a":1.0}`, len(spellings[0]))))
		}
		p.close(tr)
	}
	g.Expect(calls.Load()).To(BeEquivalentTo(1))
	g.Expect(p.recording()).NotTo(ContainSubstring("r1"))
	// What does differ.
	tr := p.open(cache.Auto)
	for i, body := range []string{`{"a":1}`, `{"a":1.0}`, `{"a":"1"}`, `{"a":[1]}`, `{"a":1,"a":1}`, `[{"a":1}]`, `{"b":1}`, `{"a":"\ud800"}`, `{"a":"\ud801"}`, `{"a":1`, ``} {
		transportDo(t, tr, "POST", server.URL+"/things", body)
		g.Expect(calls.Load()).To(BeEquivalentTo(i+2), body)
	}
	p.close(tr)
}

func TestTransportMethods(t *testing.T) {
	g, p := NewWithT(t), newTransportPlace(t)
	server, calls := transportServer(t, func(w http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		if r.Method == http.MethodDelete {
			w.WriteHeader(http.StatusNoContent)
			return
		}
		w.Header().Set("Content-Type", "text/plain")
		fmt.Fprintf(w, "%s %s %s", r.Method, r.URL, b)
	})
	type call struct{ method, path, body string }
	all := []call{
		{"GET", "/x", ""},
		{"GET", "/x?b=2&a=1", ""},
		{"GET", "/y%2Fz", ""},
		{"HEAD", "/x", ""},
		{"POST", "/x", ""},
		{"POST", "/x", "text"},
		{"PUT", "/x", "text"},
		{"PATCH", "/x", "text"},
		{"DELETE", "/x", ""},
		{"OPTIONS", "/x", ""},
	}
	got := map[cache.Mode][]transportReply{}
	for _, mode := range []cache.Mode{cache.Auto, cache.Replay} {
		tr := p.open(mode)
		for _, c := range all {
			reply := transportDo(t, tr, c.method, server.URL+c.path, c.body, "Content-Type", "text/plain")
			g.Expect(reply.err).NotTo(HaveOccurred())
			reply.header = http.Header{"Content-Type": reply.header["Content-Type"], "Content-Length": reply.header["Content-Length"]}
			if c.method == "DELETE" {
				reply.header = nil
			}
			got[mode] = append(got[mode], reply)
		}
		p.close(tr)
	}
	g.Expect(got[cache.Replay]).To(Equal(got[cache.Auto]))
	g.Expect(calls.Load()).To(BeEquivalentTo(len(all)))
	tr := p.open(cache.Replay)
	g.Expect(transportDo(t, tr, "GET", "http://localhost/x?a=1&b=2", "").body).To(Equal("GET /x?b=2&a=1 "), "the order of a query does not count")
	p.close(tr)
}

func TestTransportBodies(t *testing.T) {
	binary := make([]byte, 3000)
	for i := range binary {
		binary[i] = byte(i * 7)
	}
	large := `{"text":"` + strings.Repeat("0123456789abcdeä", 5<<20/17) + `"}`
	for name, body := range map[string]struct{ kind, text string }{
		"binary":        {"application/octet-stream", string(binary)},
		"text":          {"text/plain; charset=utf-8", "a\r\n<b> & \x00\u2028\n"},
		"large":         {"application/json", large},
		"empty":         {"application/json", ""},
		"latin-1":       {"application/json", "{\"a\":\"\xe4\"}"},
		"a JSON string": {"application/json", `"text"`},
		"no vector":     {"application/json", `{"a":[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17],"b":[0.1,0.2],"c":[0.12345678901,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16.5],"$float":1}`},
	} {
		t.Run(name, func(t *testing.T) {
			g, p := NewWithT(t), newTransportPlace(t)
			server, calls := transportServer(t, func(w http.ResponseWriter, r *http.Request) {
				b, _ := io.ReadAll(r.Body)
				w.Header().Set("Content-Type", body.kind)
				w.Write(b)
			})
			for _, mode := range []cache.Mode{cache.Auto, cache.Replay} {
				tr := p.open(mode)
				reply := transportDo(t, tr, "POST", server.URL+"/echo", body.text, "Content-Type", body.kind)
				if name == "latin-1" && mode == cache.Auto {
					g.Expect(reply.body == body.text).To(BeTrue())
					g.Expect(tr.Cache.Warnings()).To(ConsistOf("a reply to POST /echo was not recorded: it is not the JSON that it claims to be"))
					p.close(tr)
					return
				}
				g.Expect(reply.err).NotTo(HaveOccurred())
				g.Expect(reply.body == body.text).To(BeTrue(), "%s", mode)
				g.Expect(reply.header.Get("Content-Type")).To(Equal(body.kind))
				p.close(tr)
			}
			g.Expect(calls.Load()).To(BeEquivalentTo(1))
		})
	}
}

func TestTransportMultipartBoundary(t *testing.T) {
	g, p := NewWithT(t), newTransportPlace(t)
	server, calls := transportServer(t, transportJSON(`{"text":"hello"}`))
	tr := p.open(cache.Auto)
	for range 2 {
		var b bytes.Buffer
		w := multipart.NewWriter(&b)
		f, _ := w.CreateFormFile("file", "a.wav")
		f.Write([]byte{0, 1, 2, 255})
		w.Close()
		g.Expect(transportDo(t, tr, "POST", server.URL+"/v1/audio", b.String(), "Content-Type", w.FormDataContentType()).err).NotTo(HaveOccurred())
	}
	p.close(tr)
	g.Expect(calls.Load()).To(BeEquivalentTo(1))
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

func TestTransportKeepsOnlyFinalReplies(t *testing.T) {
	for _, test := range []struct {
		status int
		body   string
		listed bool
		kept   bool
		warns  string
	}{
		{200, `{"a":1}`, false, true, ""},
		{202, `{"a":1}`, false, true, ""},
		{206, `{"a":1}`, false, false, ""},
		{400, `{"error":{"code":"content_filter"}}`, false, false, "its status is 400, which Transport.KeepStatus does not name"},
		{400, `{"error":{"code":"content_filter"}}`, true, true, ""},
		{404, `no`, true, true, ""},
		{422, `no`, true, true, ""},
		{401, `no`, true, false, ""},
		{403, `no`, true, false, ""},
		{408, `no`, true, false, ""},
		{409, `no`, true, false, ""},
		{425, `no`, true, false, ""},
		{429, `no`, true, false, ""},
		{500, `{"a":1}`, true, false, ""},
		{503, `no`, true, false, ""},
		{200, `{"error":{"message":"the provider is down"}}`, false, false, "it is an error"},
		{200, `{"error":null,"a":1}`, false, true, ""},
		{200, `{"jsonrpc":"2.0","id":1,"error":{"code":-32601}}`, false, true, ""},
		{200, `{"a":`, false, false, "it is not the JSON that it claims to be"},
		{200, `{"access_token":"t","expires_in":3600}`, false, false, "it grants a token, which is a secret; send logins through another client"},
	} {
		t.Run(fmt.Sprint(test.status, test.listed, test.body), func(t *testing.T) {
			g, p := NewWithT(t), newTransportPlace(t)
			server, calls := transportServer(t, func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Type", "application/json")
				w.Header().Set("Retry-After", "7")
				w.WriteHeader(test.status)
				io.WriteString(w, test.body)
			})
			tr := p.open(cache.Auto, func(tr *cache.Transport) {
				if test.listed {
					tr.KeepStatus = []int{test.status}
				}
			})
			for range 2 {
				reply := transportDo(t, tr, "GET", server.URL+"/x", "")
				g.Expect(reply.err).NotTo(HaveOccurred())
				g.Expect(reply.status).To(Equal(test.status))
				g.Expect(reply.body).To(Equal(test.body))
				if !test.kept {
					g.Expect(reply.header.Get("Retry-After")).To(Equal("7"), "it reaches the application as it came")
				}
			}
			var want []string
			if test.warns != "" {
				want = []string{"a reply to GET /x was not recorded: " + test.warns}
			}
			g.Expect(tr.Cache.Warnings()).To(Equal(want))
			p.close(tr)
			g.Expect(calls.Load() == 1).To(Equal(test.kept))
			g.Expect(p.recording() != "").To(Equal(test.kept))
		})
	}
}

func TestTransportBrokenReplyIsNotKept(t *testing.T) {
	g, p := NewWithT(t), newTransportPlace(t)
	server, calls := transportServer(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/plain")
		w.Header().Set("Content-Length", "100")
		io.WriteString(w, "half")
		w.(http.Flusher).Flush()
		panic(http.ErrAbortHandler)
	})
	tr := p.open(cache.Auto)
	for range 2 {
		reply := transportDo(t, tr, "POST", server.URL+"/x", "{}")
		g.Expect(reply.err).To(MatchError(io.ErrUnexpectedEOF))
		g.Expect(reply.body).To(Equal("half"))
	}
	p.close(tr)
	g.Expect(calls.Load()).To(BeEquivalentTo(2))
	g.Expect(p.recording()).To(BeEmpty())
	server.Close()
	tr = p.open(cache.Auto)
	g.Expect(transportDo(t, tr, "POST", server.URL+"/x", "{}").err).To(MatchError(ContainSubstring("connection refused")))
	p.close(tr)
}

func TestTransportLargerThanKept(t *testing.T) {
	g, p := NewWithT(t), newTransportPlace(t)
	piece := bytes.Repeat([]byte("x"), 1<<20)
	server, _ := transportServer(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/plain")
		for range 66 {
			w.Write(piece)
		}
	})
	tr := p.open(cache.Auto)
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			req, _ := http.NewRequestWithContext(t.Context(), "GET", server.URL+"/x", nil)
			resp, err := tr.RoundTrip(req)
			if err != nil {
				t.Error(err)
				return
			}
			defer resp.Body.Close()
			if n, err := io.Copy(io.Discard, resp.Body); n != 66<<20 || err != nil {
				t.Errorf("got %d bytes, %v", n, err)
			}
		})
	}
	wg.Wait()
	g.Expect(tr.Cache.Warnings()).To(ContainElement("a reply to GET /x was not recorded: it has more than 64 MB"))
	p.close(tr)
	g.Expect(p.recording()).To(BeEmpty())
}

func TestTransportPaidOnce(t *testing.T) {
	g, p := NewWithT(t), newTransportPlace(t)
	server, calls := transportServer(t, transportJSON(transportChat))
	tr := p.open(cache.Auto)
	client := transportOpenAI(server.URL, tr)
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() {
			resp, err := transportAsk(t.Context(), client, "s", "u")
			if err != nil || resp.Choices[0].Message.Content != "4.60 < 5 & ä" {
				t.Errorf("got %v, %v", resp, err)
			}
		})
	}
	wg.Wait()
	p.close(tr)
	g.Expect(calls.Load()).To(BeEquivalentTo(1))
}

func TestTransportErrorIsShared(t *testing.T) {
	g, p := NewWithT(t), newTransportPlace(t)
	go1 := make(chan struct{})
	server, calls := transportServer(t, func(w http.ResponseWriter, r *http.Request) {
		<-go1
		w.WriteHeader(http.StatusInternalServerError)
		io.WriteString(w, "down")
	})
	tr := p.open(cache.Auto)
	var wg sync.WaitGroup
	var started atomic.Int64
	for range 20 {
		wg.Go(func() {
			started.Add(1)
			if reply := transportDo(t, tr, "GET", server.URL+"/x", ""); reply.status != 500 || reply.body != "down" {
				t.Errorf("got %+v", reply)
			}
		})
	}
	g.Eventually(started.Load).Should(BeEquivalentTo(20))
	close(go1)
	wg.Wait()
	p.close(tr)
	g.Expect(calls.Load()).To(BeNumerically("<=", 20))
	g.Expect(p.recording()).To(BeEmpty())
}

func TestTransportContextEndsTheWait(t *testing.T) {
	g, p := NewWithT(t), newTransportPlace(t)
	arrived, release := make(chan struct{}, 9), make(chan struct{})
	server, calls := transportServer(t, func(w http.ResponseWriter, r *http.Request) {
		arrived <- struct{}{}
		select {
		case <-release:
			transportJSON(`{}`)(w, r)
		case <-r.Context().Done():
		}
	})
	tr := p.open(cache.Auto)
	get := func(ctx context.Context) error {
		req, _ := http.NewRequestWithContext(ctx, "GET", server.URL+"/x", nil)
		resp, err := tr.RoundTrip(req)
		if err == nil {
			io.Copy(io.Discard, resp.Body)
			resp.Body.Close()
		}
		return err
	}
	leader, giveUp := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	wg.Go(func() {
		if err := get(leader); !errors.Is(err, context.Canceled) {
			t.Errorf("the leader got %v", err)
		}
	})
	<-arrived
	for range 3 {
		wg.Go(func() {
			if err := get(t.Context()); err != nil {
				t.Errorf("a follower got %v", err)
			}
		})
	}
	giveUp()
	<-arrived // a follower asks for itself
	close(release)
	wg.Wait()
	p.close(tr)
	g.Expect(calls.Load()).To(BeEquivalentTo(2))
}

// transportBody is a request body that knows whether it was closed.
type transportBody struct {
	io.Reader
	closed atomic.Int64
}

func (b *transportBody) Close() error { b.closed.Add(1); return nil }

func TestTransportKeepsTheContractOfRoundTripper(t *testing.T) {
	g, p := NewWithT(t), newTransportPlace(t)
	server, _ := transportServer(t, transportJSON(`{}`))
	for _, mode := range []cache.Mode{cache.Auto, cache.Replay, cache.Off, cache.Verify, cache.Refresh} {
		tr := p.open(mode)
		body := &transportBody{Reader: strings.NewReader(`{"a":1}`)}
		req, _ := http.NewRequestWithContext(t.Context(), "POST", "http://user:pass-word-123@"+strings.TrimPrefix(server.URL, "http://")+"/x?api_key=abc", body)
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("Authorization", "Bearer abcdefghijkl")
		before := req.Clone(t.Context())
		resp, err := tr.RoundTrip(req)
		g.Expect(err).NotTo(HaveOccurred())
		resp.Body.Close()
		g.Expect(resp.Request).To(BeIdenticalTo(req))
		g.Expect(body.closed.Load()).To(BeEquivalentTo(1))
		g.Expect(req.URL).To(Equal(before.URL))
		g.Expect(req.Header).To(Equal(before.Header))
		g.Expect(req.Body).To(BeIdenticalTo(body))
		p.close(tr)
	}
	// A body that cannot be read, and no cache.
	broken := errors.New("broken pipe")
	tr := p.open(cache.Auto)
	body := &transportBody{Reader: io.MultiReader(strings.NewReader("x"), transportErrReader{broken})}
	req, _ := http.NewRequestWithContext(t.Context(), "POST", server.URL, body)
	_, err := tr.RoundTrip(req)
	g.Expect(err).To(MatchError(broken))
	g.Expect(body.closed.Load()).To(BeEquivalentTo(1))
	p.close(tr)
	body = &transportBody{Reader: strings.NewReader("x")}
	req, _ = http.NewRequestWithContext(t.Context(), "POST", server.URL, body)
	_, err = (&cache.Transport{}).RoundTrip(req)
	g.Expect(err).To(MatchError("cache: Transport.Cache is not set"))
	g.Expect(body.closed.Load()).To(BeEquivalentTo(1))
	// A body that waits for ever ends with its context.
	ctx, cancel := context.WithCancel(t.Context())
	tr = p.open(cache.Auto)
	r, w := io.Pipe()
	req, _ = http.NewRequestWithContext(ctx, "POST", server.URL, r)
	go cancel()
	_, err = tr.RoundTrip(req)
	g.Expect(err).To(MatchError(context.Canceled))
	w.Close()
	p.close(tr)
}

type transportErrReader struct{ err error }

func (r transportErrReader) Read([]byte) (int, error) { return 0, r.err }

func TestTransportBodyIsSentAgainOnADeadConnection(t *testing.T) {
	g, p := NewWithT(t), newTransportPlace(t)
	var got []string
	next := transportFunc(func(r *http.Request) (*http.Response, error) {
		for range 2 {
			b, _ := io.ReadAll(r.Body)
			got = append(got, string(b))
			r.Body, _ = r.GetBody()
		}
		return &http.Response{StatusCode: 200, Header: http.Header{}, Body: http.NoBody}, nil
	})
	tr := p.open(cache.Auto, func(tr *cache.Transport) { tr.Next = next })
	g.Expect(transportDo(t, tr, "POST", "http://example.com/x", "abc").err).NotTo(HaveOccurred())
	g.Expect(got).To(Equal([]string{"abc", "abc"}))
	p.close(tr)
}

func TestTransportGzip(t *testing.T) {
	g, p := NewWithT(t), newTransportPlace(t)
	server, calls := transportServer(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		if !strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
			io.WriteString(w, `{"zipped":false}`)
			return
		}
		w.Header().Set("Content-Encoding", "gzip")
		z := gzip.NewWriter(w)
		io.WriteString(z, `{"zipped":true}`)
		z.Close()
	})
	for _, mode := range []cache.Mode{cache.Auto, cache.Replay} {
		tr := p.open(mode)
		reply := transportDo(t, tr, "GET", server.URL+"/transparent", "")
		g.Expect(reply.body).To(Equal(`{"zipped":true}`))
		g.Expect(reply.header).NotTo(HaveKey("Content-Encoding"))
		reply = transportDo(t, tr, "GET", server.URL+"/asked", "", "Accept-Encoding", "gzip")
		g.Expect(reply.header.Get("Content-Encoding")).To(Equal("gzip"))
		z, err := gzip.NewReader(strings.NewReader(reply.body))
		g.Expect(err).NotTo(HaveOccurred())
		text, _ := io.ReadAll(z)
		g.Expect(string(text)).To(Equal(`{"zipped":true}`))
		// Recorded zipped, asked for by a client that does not unzip.
		g.Expect(transportDo(t, tr, "GET", server.URL+"/asked", "").body).To(Equal(`{"zipped":true}`))
		p.close(tr)
	}
	g.Expect(calls.Load()).To(BeEquivalentTo(2))
	g.Expect(p.recording()).To(And(ContainSubstring(`"json":{"zipped":true}`), ContainSubstring(`"base64":"`+base64.StdEncoding.EncodeToString([]byte{0x1f, 0x8b})[:2])))
}

func TestTransportRedirect(t *testing.T) {
	g, p := NewWithT(t), newTransportPlace(t)
	server, calls := transportServer(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/old" {
			http.Redirect(w, r, "/new?sig=secret-signature-1234&a=1", http.StatusTemporaryRedirect)
			return
		}
		fmt.Fprint(w, r.URL.RawQuery)
	})
	auto := p.open(cache.Auto)
	g.Expect(transportDo(t, auto, "POST", server.URL+"/old", "{}").body).To(Equal("sig=secret-signature-1234&a=1"), "a live redirect is whole")
	p.close(auto)
	g.Expect(auto.Cache.Warnings()).To(ConsistOf(ContainSubstring("POST /new was not recorded: it repeats a secret of the request")))
	g.Expect(calls.Load()).To(BeEquivalentTo(2))
	g.Expect(p.recording()).To(And(ContainSubstring(`"Location":"/new?a=1"`), Not(ContainSubstring("secret-signature"))))
}

func TestTransportModes(t *testing.T) {
	g, p := NewWithT(t), newTransportPlace(t)
	t.Setenv("RAGTEST_RUN", t.Name())
	var content atomic.Value
	content.Store("four")
	var n atomic.Int64
	server, calls := transportServer(t, func(w http.ResponseWriter, r *http.Request) {
		transportJSON(fmt.Sprintf(`{"id":"c-%d","created":%[1]d,"choices":[{"message":{"content":%q,"tool_calls":[{"id":"call-%[1]d","function":{"name":"f"}}]}}],"usage":{"ms":%[1]d}}`,
			n.Add(1), content.Load()))(w, r)
	})
	ask := func(mode cache.Mode) (string, *cache.Cache) {
		t.Helper()
		tr := p.open(mode)
		reply := transportDo(t, tr, "POST", server.URL+"/v1/chat/completions", `{"messages":[{"role":"user","content":"2+2?"}]}`)
		g.Expect(reply.err).NotTo(HaveOccurred())
		p.close(tr)
		return reply.body, tr.Cache
	}
	first, _ := ask(cache.Auto)
	same, c := ask(cache.Verify)
	g.Expect(same).To(Equal(first), "what was recorded stands")
	g.Expect(c.Counts().Verified).To(Equal(1))
	g.Expect(c.Drifts()).To(BeEmpty(), "identifiers, times and usage do not count")
	g.Expect(calls.Load()).To(BeEquivalentTo(2))

	content.Store("five")
	_, c = ask(cache.Verify)
	g.Expect(c.Drifts()).To(HaveLen(1))
	g.Expect(c.Drifts()[0].String()).To(ContainSubstring("POST /v1/chat/completions about 2+2?"))
	off, c := ask(cache.Off)
	g.Expect(off).To(ContainSubstring("five"))
	g.Expect(c.Counts()).To(Equal(cache.Counts{Asked: 1}))
	replayed, _ := ask(cache.Replay)
	g.Expect(replayed).To(Equal(first))
	refreshed, _ := ask(cache.Refresh)
	g.Expect(refreshed).To(ContainSubstring("five"))
	again, _ := ask(cache.Refresh)
	g.Expect(again).To(Equal(refreshed), "once a run")
	replayed, _ = ask(cache.Replay)
	g.Expect(replayed).To(Equal(refreshed))
}

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
