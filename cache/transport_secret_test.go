package cache_test

import (
	"errors"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/ragomega/ragomega/cache"
)

// transportSecrets are what no file and no message may hold.
var transportSecrets = []string{
	"sk-authorization-1", "api-key-header-2", "x-api-key-header-3", "cookie-value-4", "org-organization-5", "proj-project-6",
	"query-key-7", "query-api-key-8", "query-token-9", "query-signature-10", "query-code-11", "userinfo-name-12", "userinfo-password-13",
	"basic-password-14", "set-cookie-value-15", "body-api-key-16", "granted-token-17", "custom-token-header-18", "proxy-auth-19",
	"response-header-20", "query-client-secret-21", "goog-api-key-22", "form-secret-23", "location-sig-24", "password-field-25",
}

func TestTransportWritesNoSecrets(t *testing.T) {
	g, p := NewWithT(t), newTransportPlace(t)
	t.Setenv("RAGTEST_RUN", t.Name())
	server, _ := transportServer(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Set-Cookie", "session=set-cookie-value-15")
		w.Header().Set("X-Account", "response-header-20")
		switch r.URL.Path {
		case "/v1/echo": // as a proxy for debugging does
			w.Header().Set("Content-Type", "text/plain")
			r.Write(w)
		case "/v1/login":
			transportJSON(`{"access_token":"granted-token-17"}`)(w, r)
		case "/v1/moved":
			w.Header().Set("Location", "/v1/chat/completions?sig=location-sig-24")
			w.WriteHeader(http.StatusFound)
		case "/v1/stream":
			transportStreaming(nil, "text/event-stream", "data: 1\n\n")(w, r)
		case "/v1/missing":
			http.Error(w, "no such model for sk-authorization-1", http.StatusNotFound)
		default:
			transportJSON(transportChat)(w, r)
		}
	})
	host := strings.TrimPrefix(server.URL, "http://")
	query := "?key=query-key-7&api_key=query-api-key-8&token=query-token-9&X-Amz-Signature=query-signature-10&code=query-code-11&Client-Secret=query-client-secret-21&model=m"
	call := func(tr *cache.Transport, method, path, kind, body string) transportReply {
		req, err := http.NewRequestWithContext(t.Context(), method, "http://userinfo-name-12:userinfo-password-13@"+host+path+query, strings.NewReader(body))
		g.Expect(err).NotTo(HaveOccurred())
		for name, value := range map[string]string{
			"Authorization": "Bearer sk-authorization-1", "api-key": "api-key-header-2", "X-Api-Key": "x-api-key-header-3",
			"Cookie": "a=b; session=cookie-value-4", "OpenAI-Organization": "org-organization-5", "OpenAI-Project": "proj-project-6",
			"X-Custom-Token": "custom-token-header-18", "Proxy-Authorization": "Basic proxy-auth-19", "X-Goog-Api-Key": "goog-api-key-22",
			"X-Tenant": "t1", "Content-Type": kind,
		} {
			req.Header.Set(name, value)
		}
		if path == "/v1/basic" {
			req.SetBasicAuth("u", "basic-password-14")
		}
		resp, err := (&http.Client{Transport: tr, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}).Do(req)
		if err != nil {
			return transportReply{err: err}
		}
		defer resp.Body.Close()
		b, err := io.ReadAll(resp.Body)
		return transportReply{resp.StatusCode, resp.Header, string(b), err}
	}
	chat := `{"model":"m","api_key":"body-api-key-16","password":"password-field-25","messages":[{"role":"user","content":"My key is sk-authorization-1."}]}`
	careless := func(tr *cache.Transport) {
		tr.KeepStatus = []int{404}
		// A hook that lets everything in must not let secrets in.
		tr.Normalize = func(c *cache.Call) {
			for name, values := range c.Header {
				c.Also[name] = strings.Join(values, ",")
			}
		}
	}
	var messages []string
	all := func(mode cache.Mode) {
		tr := p.open(mode, careless)
		for _, c := range [][3]string{
			{"POST", "/v1/chat/completions", chat},
			{"POST", "/v1/basic", strings.Replace(chat, "sk-authorization-1", "basic-password-14", 1)},
			{"POST", "/v1/stream", chat},
			{"GET", "/v1/echo", ""},
			{"POST", "/v1/login", "client_secret=form-secret-23"},
			{"GET", "/v1/moved", ""},
			{"GET", "/v1/missing", ""},
			{"GET", "/v1/sk-authorization-1/send", ""},
		} {
			kind := "application/json"
			if c[1] == "/v1/login" {
				kind = "application/x-www-form-urlencoded"
			}
			reply := call(tr, c[0], c[1], kind, c[2])
			var miss *cache.MissError
			if errors.As(reply.err, &miss) {
				messages = append(messages, miss.Error(), miss.Request.About, miss.Nearest)
				for _, d := range miss.Differs {
					messages = append(messages, d.String())
				}
			} else {
				g.Expect(reply.err).NotTo(HaveOccurred())
			}
		}
		p.close(tr)
		messages = append(messages, tr.Cache.Warnings()...)
		for _, d := range tr.Cache.Drifts() {
			messages = append(messages, d.String())
		}
	}
	for _, mode := range []cache.Mode{cache.Auto, cache.Replay, cache.Verify, cache.Refresh} {
		all(mode)
	}
	tr := p.open(cache.Replay, careless)
	var miss *cache.MissError
	g.Expect(errors.As(call(tr, "POST", "/v1/chat/completions", "application/json", strings.Replace(chat, "My", "Your", 1)).err, &miss)).To(BeTrue())
	messages = append(messages, miss.Error())
	g.Expect(miss.Differs).To(HaveLen(1))
	p.close(tr)

	g.Expect(messages).To(ContainElement(ContainSubstring("My key is ….")), "the test does see them hidden")
	g.Expect(strings.Count(p.recording(), "\n")).To(BeNumerically(">=", 5))
	for _, secret := range transportSecrets {
		for _, m := range messages {
			g.Expect(m).NotTo(ContainSubstring(secret))
		}
		for _, dir := range []string{p.dir, p.home} {
			g.Expect(filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
				if err != nil || e.IsDir() {
					return err
				}
				b, err := os.ReadFile(path)
				if strings.Contains(string(b), secret) {
					t.Errorf("%s holds %s", path, secret)
				}
				return err
			})).To(Succeed())
		}
	}
}

func TestTransportKeysDoNotDependOnCredentials(t *testing.T) {
	g, p := NewWithT(t), newTransportPlace(t)
	server, calls := transportServer(t, transportJSON(`{"a":1}`))
	auto := p.open(cache.Auto)
	transportDo(t, auto, "POST", server.URL+"/x?key=AIzaSyOfTheLaptop&v=1", `{"api_key":"tvly-1234567890","q":"?"}`, "Authorization", "Bearer abcdefghijkl")
	p.close(auto)
	replay := p.open(cache.Replay)
	g.Expect(transportDo(t, replay, "POST", server.URL+"/x?key=dummy&v=1", `{"api_key":"none","q":"?"}`).body).To(Equal(`{"a":1}`))
	g.Expect(transportDo(t, replay, "POST", "http://u:p@localhost/x?v=1&apiKey=another-one", `{"q":"?"}`).body).To(Equal(`{"a":1}`))
	p.close(replay)
	g.Expect(calls.Load()).To(BeEquivalentTo(1))
}

func TestTransportRefusesToTakeDataForASecret(t *testing.T) {
	g, p := NewWithT(t), newTransportPlace(t)
	server, _ := transportServer(t, func(w http.ResponseWriter, r *http.Request) {
		transportJSON(`"`+r.URL.Query().Get("key")+`"`)(w, r)
	})
	tr := p.open(cache.Auto)
	g.Expect(transportDo(t, tr, "GET", server.URL+"/kv?key=a", "").body).To(Equal(`"a"`))
	g.Expect(transportDo(t, tr, "GET", server.URL+"/kv?key=a", "").body).To(Equal(`"a"`))
	g.Expect(transportDo(t, tr, "GET", server.URL+"/kv?key=b", "").err).To(MatchError(And(
		ContainSubstring(`two requests GET /kv differ only in the query parameter "key"`), ContainSubstring("Call.Also"))))
	p.close(tr)
	tr = p.open(cache.Auto, func(tr *cache.Transport) {
		tr.Normalize = func(c *cache.Call) { c.Also["key"] = c.URL.Query().Get("key") }
	})
	g.Expect(transportDo(t, tr, "GET", server.URL+"/kv?key=a", "").body).To(Equal(`"a"`))
	g.Expect(transportDo(t, tr, "GET", server.URL+"/kv?key=b", "").body).To(Equal(`"b"`))
	p.close(tr)
	tr = p.open(cache.Auto, func(tr *cache.Transport) {
		tr.Normalize = func(c *cache.Call) { c.URL.RawQuery = "" }
	})
	g.Expect(transportDo(t, tr, "GET", server.URL+"/one?key=a", "").body).To(Equal(`"a"`))
	g.Expect(transportDo(t, tr, "GET", server.URL+"/one?key=b", "").body).To(Equal(`"a"`))
	p.close(tr)
}
