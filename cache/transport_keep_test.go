package cache_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/ragomega/ragomega/cache"
)

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
