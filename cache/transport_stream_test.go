package cache_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	openai "github.com/sashabaranov/go-openai"

	"github.com/ragomega/ragomega/cache"
)

func transportChunk(text, reason string) string {
	if reason == "" {
		reason = "null"
	}
	return fmt.Sprintf("data: {\"id\":\"c\",\"object\":\"chat.completion.chunk\",\"choices\":[{\"index\":0,\"delta\":{\"content\":%q},\"finish_reason\":%s}]}\n\n", text, reason)
}

const transportDone = "data: [DONE]\n\n"

// transportStreaming serves events, each flushed. An event "wait" waits for go
// on, and "break" breaks off.
func transportStreaming(goOn <-chan struct{}, kind string, events ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", kind)
		for _, e := range events {
			switch e {
			case "wait":
				select {
				case <-goOn:
				case <-r.Context().Done():
					return
				}
			case "break":
				panic(http.ErrAbortHandler)
			default:
				io.WriteString(w, e)
				w.(http.Flusher).Flush()
			}
		}
	}
}

func transportStream(ctx context.Context, c *openai.Client) (*openai.ChatCompletionStream, error) {
	return c.CreateChatCompletionStream(ctx, openai.ChatCompletionRequest{
		Model: "m", Messages: []openai.ChatCompletionMessage{{Role: "user", Content: "How many?"}},
	})
}

// transportRecv reads a stream to its end.
func transportRecv(s *openai.ChatCompletionStream) (string, error) {
	var all strings.Builder
	for {
		r, err := s.Recv()
		if errors.Is(err, io.EOF) {
			return all.String(), nil
		}
		if err != nil {
			return all.String(), err
		}
		for _, c := range r.Choices {
			all.WriteString(c.Delta.Content)
		}
	}
}

func TestTransportStreamArrivesWhileItComes(t *testing.T) {
	g, p := NewWithT(t), newTransportPlace(t)
	goOn := make(chan struct{})
	server, calls := transportServer(t, transportStreaming(goOn, "text/event-stream", transportChunk("fo", ""), "wait", transportChunk("ur", `"stop"`), transportDone))
	auto := p.open(cache.Auto)
	client := transportOpenAI(server.URL, auto)
	stream, err := transportStream(t.Context(), client)
	g.Expect(err).NotTo(HaveOccurred())
	first, err := stream.Recv()
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(first.Choices[0].Delta.Content).To(Equal("fo"), "before the stream ends")

	// Another one that asks the same gets the whole, for nothing.
	var wg sync.WaitGroup
	wg.Go(func() {
		follower, err := transportStream(t.Context(), client)
		if err != nil {
			t.Error(err)
			return
		}
		defer follower.Close()
		if text, err := transportRecv(follower); text != "four" || err != nil {
			t.Errorf("the follower got %q, %v", text, err)
		}
	})
	// And the reader can make another call meanwhile.
	g.Expect(p.recording()).To(BeEmpty())
	close(goOn)
	rest, err := transportRecv(stream)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(rest).To(Equal("ur"))
	g.Expect(stream.Close()).To(Succeed())
	g.Expect(p.recording()).To(ContainSubstring("[DONE]"), "it is recorded when Close returns")
	wg.Wait()
	p.close(auto)
	server.Close()
	g.Expect(calls.Load()).To(BeEquivalentTo(1))

	replay := p.open(cache.Replay)
	stream, err = transportStream(t.Context(), transportOpenAI(server.URL, replay))
	g.Expect(err).NotTo(HaveOccurred())
	text, err := transportRecv(stream)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(text).To(Equal("four"))
	g.Expect(stream.Close()).To(Succeed())
	p.close(replay)
}

func TestTransportStreamIsReplayedByEvents(t *testing.T) {
	for kind, events := range map[string][]string{
		"text/event-stream; charset=utf-8": {": hello\n\n", "event: message_start\ndata: {\"type\":\"message_start\"}\n\n", "data: 1\r\ndata: 2\r\n\r\n", "event: message_stop\ndata: {\"type\":\"message_stop\"}\n\n\n", "data: tail"},
		"application/x-ndjson":             {"{\"response\":\"fo\",\"done\":false}\n", "{\"response\":\"ur\",\"done\":true}\n", "{}"},
	} {
		t.Run(kind, func(t *testing.T) {
			g, p := NewWithT(t), newTransportPlace(t)
			server, _ := transportServer(t, transportStreaming(nil, kind, events...))
			for _, mode := range []cache.Mode{cache.Auto, cache.Replay} {
				tr := p.open(mode)
				req, _ := http.NewRequestWithContext(t.Context(), "GET", server.URL+"/events", nil)
				resp, err := tr.RoundTrip(req)
				g.Expect(err).NotTo(HaveOccurred())
				g.Expect(resp.Header.Get("Content-Type")).To(Equal(kind))
				g.Expect(resp.ContentLength).To(BeEquivalentTo(-1))
				var got []string
				buf := make([]byte, 1<<16)
				for err == nil {
					var n int
					if n, err = resp.Body.Read(buf); n > 0 {
						got = append(got, string(buf[:n]))
					}
				}
				g.Expect(err).To(Equal(io.EOF))
				g.Expect(resp.Body.Close()).To(Succeed())
				g.Expect(strings.Join(got, "")).To(Equal(strings.Join(events, "")))
				if mode == cache.Replay && kind == "application/x-ndjson" {
					g.Expect(got).To(Equal(events))
				} else if mode == cache.Replay {
					g.Expect(got).To(Equal([]string{events[0], events[1], events[2], strings.TrimSuffix(events[3], "\n"), "\n" + events[4]}))
				}
				p.close(tr)
			}
		})
	}
}

func TestTransportStreamThatIsNotWholeIsNotKept(t *testing.T) {
	one := transportChunk("fo", "")
	for name, test := range map[string]struct {
		kind   string
		events []string
		breaks bool
		warns  string
	}{
		"broken":                 {"text/event-stream", []string{one, "break"}, true, ""},
		"broken after the words": {"text/event-stream", []string{transportChunk("four", `"stop"`), "break"}, true, ""},
		"ended early":            {"text/event-stream", []string{one}, false, "the stream ended without its last event"},
		"error event":            {"text/event-stream", []string{one, "data: {\"error\":{\"message\":\"overloaded\"}}\n\n", transportDone}, false, "the stream ended in an error"},
		"named error":            {"text/event-stream", []string{"event: message_start\ndata: {}\n\n", "event: error\ndata: {}\n\n"}, false, "the stream ended in an error"},
		"messages":               {"text/event-stream", []string{"event: message_start\ndata: {\"type\":\"message_start\"}\n\n", "event: content_block_delta\ndata: {}\n\n"}, false, "the stream ended without its last event"},
		"responses":              {"text/event-stream", []string{"data: {\"type\":\"response.created\"}\n\n"}, false, "the stream ended without its last event"},
		"lines":                  {"application/x-ndjson", []string{"{\"response\":\"fo\",\"done\":false}\n"}, false, "the stream ended without its last event"},
		"error line":             {"application/x-ndjson", []string{"{\"response\":\"fo\",\"done\":false}\n{\"error\":\"out of memory\"}\n"}, false, "the stream ended in an error"},
	} {
		t.Run(name, func(t *testing.T) {
			g, p := NewWithT(t), newTransportPlace(t)
			server, calls := transportServer(t, transportStreaming(nil, test.kind, test.events...))
			tr := p.open(cache.Auto)
			for range 2 {
				reply := transportDo(t, tr, "POST", server.URL+"/stream", "{}")
				g.Expect(reply.body).To(Equal(strings.TrimSuffix(strings.Join(test.events, ""), "break")))
				if test.breaks {
					g.Expect(reply.err).To(MatchError(io.ErrUnexpectedEOF))
				} else {
					g.Expect(reply.err).NotTo(HaveOccurred())
				}
			}
			var want []string
			if test.warns != "" {
				want = []string{"a reply to POST /stream was not recorded: " + test.warns}
			}
			g.Expect(tr.Cache.Warnings()).To(Equal(want))
			p.close(tr)
			g.Expect(calls.Load()).To(BeEquivalentTo(2))
			g.Expect(p.recording()).To(BeEmpty())
		})
	}
}

func TestTransportStreamClosedEarly(t *testing.T) {
	open := func(t *testing.T, tr *cache.Transport, ctx context.Context, url string) (*bufio.Reader, io.Closer) {
		t.Helper()
		req, _ := http.NewRequestWithContext(ctx, "GET", url+"/stream", nil)
		resp, err := tr.RoundTrip(req)
		if err != nil {
			t.Fatal(err)
		}
		return bufio.NewReader(resp.Body), resp.Body
	}
	t.Run("at the finish reason", func(t *testing.T) {
		g, p := NewWithT(t), newTransportPlace(t)
		goOn := make(chan struct{})
		server, _ := transportServer(t, transportStreaming(goOn, "text/event-stream", transportChunk("four", `"stop"`), "wait", transportDone))
		tr := p.open(cache.Auto)
		r, body := open(t, tr, t.Context(), server.URL)
		_, err := r.ReadString('\n')
		g.Expect(err).NotTo(HaveOccurred())
		time.AfterFunc(20*time.Millisecond, func() { close(goOn) })
		g.Expect(body.Close()).To(Succeed())
		g.Expect(body.Close()).To(Succeed())
		_, err = body.(io.Reader).Read(make([]byte, 1))
		g.Expect(err).To(MatchError(http.ErrBodyReadAfterClose))
		p.close(tr)
		g.Expect(p.recording()).To(ContainSubstring("[DONE]"))
	})
	t.Run("at the last event, while the server holds on", func(t *testing.T) {
		g, p := NewWithT(t), newTransportPlace(t)
		server, _ := transportServer(t, transportStreaming(nil, "text/event-stream", transportChunk("four", `"stop"`), transportDone, "wait"))
		tr := p.open(cache.Auto)
		stream, err := transportStream(t.Context(), transportOpenAI(server.URL, tr))
		g.Expect(err).NotTo(HaveOccurred())
		text, err := transportRecv(stream)
		g.Expect(text, err).To(Equal("four"))
		g.Expect(stream.Close()).To(Succeed()) // with more to wait for, it would not be kept
		p.close(tr)
		g.Expect(p.recording()).To(ContainSubstring("[DONE]"))
	})
	t.Run("in the middle", func(t *testing.T) {
		g, p := NewWithT(t), newTransportPlace(t)
		server, calls := transportServer(t, transportStreaming(nil, "text/event-stream", transportChunk("fo", ""), "wait"))
		tr := p.open(cache.Auto)
		_, body := open(t, tr, t.Context(), server.URL)
		ctx, cancel := context.WithCancel(t.Context())
		var wg sync.WaitGroup
		wg.Go(func() { // a follower, which then asks for itself
			_, body := open(t, tr, ctx, server.URL)
			cancel()
			body.Close()
		})
		g.Expect(body.Close()).To(Succeed())
		wg.Wait()
		g.Expect(tr.Cache.Warnings()).To(ContainElement("a reply to GET /stream was not recorded: the application closed the stream before its end"))
		p.close(tr)
		g.Expect(calls.Load()).To(BeNumerically(">=", 2))
		g.Expect(p.recording()).To(BeEmpty())
	})
	t.Run("by its context", func(t *testing.T) {
		g, p := NewWithT(t), newTransportPlace(t)
		server, _ := transportServer(t, transportStreaming(nil, "text/event-stream", transportChunk("fo", ""), "wait"))
		tr := p.open(cache.Auto)
		ctx, cancel := context.WithCancel(t.Context())
		r, body := open(t, tr, ctx, server.URL)
		cancel()
		_, err := io.ReadAll(r)
		g.Expect(err).To(MatchError(context.Canceled))
		g.Expect(body.Close()).To(Succeed())
		p.close(tr)
		g.Expect(p.recording()).To(BeEmpty())
	})
	t.Run("by its context, after the last event", func(t *testing.T) {
		g, p := NewWithT(t), newTransportPlace(t)
		server, _ := transportServer(t, transportStreaming(nil, "text/event-stream", transportChunk("four", `"stop"`), transportDone, "wait"))
		tr := p.open(cache.Auto)
		ctx, cancel := context.WithCancel(t.Context())
		stream, err := transportStream(ctx, transportOpenAI(server.URL, tr))
		g.Expect(err).NotTo(HaveOccurred())
		_, err = transportRecv(stream)
		g.Expect(err).NotTo(HaveOccurred())
		cancel()
		g.Expect(stream.Close()).To(Succeed())
		g.Eventually(p.recording).Should(ContainSubstring("[DONE]"))
		p.close(tr)
	})
}

func TestTransportStreamsConcurrently(t *testing.T) {
	g, p := NewWithT(t), newTransportPlace(t)
	server, calls := transportServer(t, transportStreaming(nil, "text/event-stream", transportChunk("fo", ""), transportChunk("ur", `"stop"`), transportDone))
	tr := p.open(cache.Auto)
	client := transportOpenAI(server.URL, tr)
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() {
			stream, err := transportStream(t.Context(), client)
			if err != nil {
				t.Error(err)
				return
			}
			defer stream.Close()
			if text, err := transportRecv(stream); text != "four" || err != nil {
				t.Errorf("got %q, %v", text, err)
			}
		})
	}
	wg.Wait()
	p.close(tr)
	g.Expect(calls.Load()).To(BeEquivalentTo(1))
}

func TestTransportStreamVerified(t *testing.T) {
	g, p := NewWithT(t), newTransportPlace(t)
	pieces := []string{"fo", "ur"}
	server, _ := transportServer(t, func(w http.ResponseWriter, r *http.Request) {
		var all []string
		for _, s := range pieces {
			all = append(all, transportChunk(s, ""))
		}
		transportStreaming(nil, "text/event-stream", append(all, transportChunk("", `"stop"`), transportDone)...)(w, r)
	})
	ask := func(mode cache.Mode) (string, *cache.Cache) {
		tr := p.open(mode)
		stream, err := transportStream(t.Context(), transportOpenAI(server.URL, tr))
		g.Expect(err).NotTo(HaveOccurred())
		text, err := transportRecv(stream)
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(stream.Close()).To(Succeed())
		p.close(tr)
		return text, tr.Cache
	}
	ask(cache.Auto)
	pieces = []string{"f", "o", "ur"}
	_, c := ask(cache.Verify)
	g.Expect(c.Drifts()).To(BeEmpty(), "the same text in other pieces")
	pieces = []string{"five"}
	text, c := ask(cache.Verify)
	g.Expect(text).To(Equal("four"), "what was recorded stands")
	g.Expect(c.Drifts()).To(HaveLen(1))
}

func TestTransportStreamBackPressure(t *testing.T) {
	g, p := NewWithT(t), newTransportPlace(t)
	// More than any buffer on the way holds: the stream must be whole for the
	// cache although its reader waits for another call.
	event := "data: " + strings.Repeat("x", 1<<20) + "\n\n"
	var events []string
	for range 10 {
		events = append(events, event)
	}
	server, _ := transportServer(t, transportStreaming(nil, "text/event-stream", events...))
	tr := p.open(cache.Auto)
	req, _ := http.NewRequestWithContext(t.Context(), "GET", server.URL+"/stream", nil)
	resp, err := tr.RoundTrip(req)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(transportDo(t, tr, "GET", server.URL+"/stream", "").body == strings.Join(events, "")).To(BeTrue())
	b, err := io.ReadAll(resp.Body)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(string(b) == strings.Join(events, "")).To(BeTrue())
	g.Expect(resp.Body.Close()).To(Succeed())
	p.close(tr)
}
