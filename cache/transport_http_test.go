package cache_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/ragomega/ragomega/cache"
)

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
	g.Expect(p.recording()).To(And(ContainSubstring(`"json":{"zipped":true}`), ContainSubstring(`"base64":"H4sI`)))
}

func TestTransportRedirect(t *testing.T) {
	g, p := NewWithT(t), newTransportPlace(t)
	server, calls := transportServer(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/old":
			http.Redirect(w, r, "/new?sig=secret-signature-1234&a=1", http.StatusTemporaryRedirect)
			return
		case "/moved":
			http.Redirect(w, r, "/there", http.StatusFound)
			return
		}
		fmt.Fprint(w, r.URL.RawQuery)
	})
	auto := p.open(cache.Auto)
	g.Expect(transportDo(t, auto, "GET", server.URL+"/moved", "").body).To(BeEmpty())
	g.Expect(transportDo(t, auto, "POST", server.URL+"/old", "{}").body).To(Equal("sig=secret-signature-1234&a=1"), "a live redirect is whole")
	p.close(auto)
	g.Expect(auto.Cache.Warnings()).To(ConsistOf(ContainSubstring("POST /new was not recorded: it repeats a secret of the request")))
	replay := p.open(cache.Replay)
	g.Expect(transportDo(t, replay, "GET", server.URL+"/moved", "").status).To(Equal(http.StatusOK))
	p.close(replay)
	g.Expect(calls.Load()).To(BeEquivalentTo(4))
	g.Expect(p.recording()).To(And(ContainSubstring(`"Location":"/new?a=1"`), Not(ContainSubstring("secret-signature"))))
}
