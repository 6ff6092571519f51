package ragtest_test

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	. "github.com/onsi/gomega"
	openai "github.com/sashabaranov/go-openai"

	"github.com/ragomega/ragomega/cache"
	"github.com/ragomega/ragomega/fixtures"
	"github.com/ragomega/ragomega/ragtest"
)

// body asks for claims and returns what was sent.
func body(t *testing.T, change func(*ragtest.Judge) *ragtest.Judge) []byte {
	t.Helper()
	l := newLab(t)
	l.On(fixtures.Any, fixtures.Claims())
	_, err := change(l.Judge.Judge()).CachedIn(off(t)).Measure(t.Context(), ragtest.Faithfulness, bridge)
	NewWithT(t).Expect(err).To(MatchError(ragtest.ErrUndefined))
	return l.Requests()[0].Body
}

// A request is sent in one spelling, which is what is hashed. A change of it
// would orphan every recording.
func TestRequestOnTheWire(t *testing.T) {
	const (
		user   = `{"role":"user","content":"{\"question\": \"When did the bridge open?\", \"text\": \"The bridge opened in 1932.\"}"}`
		format = `"response_format":{"type":"json_schema","json_schema":{"name":"claims","schema":{"type":"object","properties":{"claims":{"type":"array","items":{"type":"string"}}},"required":["claims"],"additionalProperties":false},"strict":true}}`
	)
	for name, test := range map[string]struct {
		change func(*ragtest.Judge) *ragtest.Judge
		want   string // with the system message as S
	}{
		"as it is": {
			func(j *ragtest.Judge) *ragtest.Judge { return j },
			`{"model":"scripted","messages":[S,` + user + `],"temperature":0,"max_tokens":2048,` + format + `}`,
		},
		"temperature, seed, tokens": {
			func(j *ragtest.Judge) *ragtest.Judge { return j.Temperature(0.2).Seed(7).MaxTokens(99) },
			`{"model":"scripted","messages":[S,` + user + `],"temperature":0.2,"seed":7,"max_tokens":99,` + format + `}`,
		},
		"no temperature is below 0": {
			func(j *ragtest.Judge) *ragtest.Judge { return j.Temperature(-1).Seed(0) },
			`{"model":"scripted","messages":[S,` + user + `],"temperature":0,"seed":0,"max_tokens":2048,` + format + `}`,
		},
		"reasoning": {
			func(j *ragtest.Judge) *ragtest.Judge { return j.Reasoning() },
			`{"model":"scripted","messages":[S,` + user + `],"max_completion_tokens":16384,` + format + `}`,
		},
		"plain JSON": {
			func(j *ragtest.Judge) *ragtest.Judge { return j.PlainJSON() },
			`{"model":"scripted","messages":[S,` + user + `],"temperature":0,"max_tokens":2048}`,
		},
		"a trial is not sent": {
			func(j *ragtest.Judge) *ragtest.Judge { return j.Trial(3) },
			`{"model":"scripted","messages":[S,` + user + `],"temperature":0,"max_tokens":2048,` + format + `}`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			sent := string(body(t, test.change))
			begin := strings.Index(sent, `{"role":"system"`)
			end := strings.Index(sent, `,{"role":"user"`)
			system := sent[begin:end]
			g.Expect(strings.Replace(sent, system, "S", 1)).To(Equal(test.want))

			var message fixtures.Message
			g.Expect(json.Unmarshal([]byte(system), &message)).To(Succeed())
			g.Expect(message.Content).To(HavePrefix("You split a text into claims.\n"))
			const schema = "\n\nThe reply must match this JSON schema:\n" + `{"type":"object","properties":{"claims":{"type":"array","items":{"type":"string"}}},"required":["claims"],"additionalProperties":false}`
			g.Expect(strings.HasSuffix(message.Content, schema)).To(Equal(name == "plain JSON"))
		})
	}
}

// The key is made from what is sent, byte by byte.
func TestKeyIsOfTheBytesSent(t *testing.T) {
	g := NewWithT(t)
	l := newLab(t)
	l.On("claims", fixtures.Claims("A")).On("verify", fixtures.Verdicts(true))
	s := bridge
	s.UserInput = "<b>ü</b> & \u2028 \x00 \xff"
	score, err := l.measure(l.Judge.Judge().Trial(2), ragtest.Faithfulness, s)
	g.Expect(err).NotTo(HaveOccurred())
	for i, x := range score.Exchanges {
		g.Expect(x.Key).To(Equal(cache.Request{Identity: "localhost", Body: l.Requests()[i].Body, Trial: 2}.Key()))
	}
	g.Expect(string(l.Requests()[0].Body)).To(ContainSubstring("<b>ü</b> &"), "people read it")
}

// A client within the process gets the same in go-openai's terms.
func TestRequestOfAClient(t *testing.T) {
	g := NewWithT(t)
	var got []chatRequest
	record := clientFunc(func(c ctx, r chatRequest) (chatResponse, error) {
		got = append(got, r)
		return answer(c, r)
	})
	j := ragtest.NewJudgeClient(record, "here", "m").CachedIn(off(t))
	for _, j := range []*ragtest.Judge{j.Temperature(0.2).Seed(7), j.Reasoning()} {
		_, err := j.Measure(t.Context(), ragtest.Faithfulness, bridge)
		g.Expect(err).NotTo(HaveOccurred())
	}
	seed := 7
	for i, want := range []chatRequest{
		{Model: "m", Temperature: 0.2, Seed: &seed, MaxTokens: 2048}, //nolint:staticcheck
		{Model: "m", MaxCompletionTokens: 16384},
	} {
		r := got[2*i+1]
		g.Expect(r.Messages).To(HaveLen(2))
		g.Expect(r.ResponseFormat.JSONSchema.Name).To(Equal("verify"))
		g.Expect(r.ResponseFormat.JSONSchema.Strict).To(BeTrue())
		r.Messages, r.ResponseFormat = nil, nil
		g.Expect(r).To(Equal(want))
	}
}

// What a judge is configured with shows in whom it asks, and in what it is
// called.
func TestIdentity(t *testing.T) {
	config := func(base string) openai.ClientConfig {
		c := openai.DefaultConfig("key")
		c.BaseURL = base
		return c
	}
	azure := openai.DefaultAzureConfig("key", "https://Team.openai.azure.com/")
	azure.AzureModelMapperFunc = func(string) string { return "judge.v1-prod" }
	for _, test := range []struct {
		judge *ragtest.Judge
		want  string
	}{
		{ragtest.OpenAI("m"), "api.openai.com"},
		{ragtest.OpenAI("m").Named("x"), "x"},
		{ragtest.NewJudge(config("https://api.openai.com/v1"), "m"), "api.openai.com"},
		{ragtest.NewJudge(config("http://localhost:8080/v1"), "m"), "localhost"},
		{ragtest.NewJudge(config("http://127.0.0.1:11434/v1"), "m"), "localhost"},
		{ragtest.NewJudge(config("http://127.8.9.1/v1"), "m"), "localhost"},
		{ragtest.NewJudge(config("http://[::1]:9/v1"), "m"), "localhost"},
		{ragtest.NewJudge(config("http://judge.localhost/v1"), "m"), "localhost"},
		{ragtest.NewJudge(config("https://Judge.Example:8443/v1"), "m"), "judge.example:8443"},
		{ragtest.NewJudge(config("https://user:secret@judge.example/v1"), "m"), "judge.example"},
		{ragtest.NewJudge(azure, "gpt-4o"), "team.openai.azure.com/judge.v1-prod"},
		{ragtest.NewJudgeClient(clientFunc(answer), "here", "m"), "here"},
	} {
		if got := test.judge.Identity(); got != test.want {
			t.Errorf("identity %q, want %q", got, test.want)
		}
	}
	NewWithT(t).Expect(ragtest.OpenAI("m").String()).To(Equal("m at api.openai.com"))
}

func TestAzure(t *testing.T) {
	g := NewWithT(t)
	l := newLab(t)
	l.On("claims", fixtures.Claims("A")).On("verify", fixtures.Verdicts(true))
	config := openai.DefaultAzureConfig("azure-key", strings.TrimSuffix(l.BaseURL(), "/v1"))
	config.APIVersion = "2024-10-21"
	config.AzureModelMapperFunc = func(string) string { return "judge.v1-prod" }
	j := ragtest.NewJudge(config, "gpt-4o").Reasoning()
	g.Expect(j.Identity()).To(Equal("localhost/judge.v1-prod"))
	score, err := l.measure(j, ragtest.Faithfulness, bridge)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(score.Judge).To(Equal("gpt-4o at localhost/judge.v1-prod"))
	for _, r := range l.Requests() {
		g.Expect(r.Path).To(Equal("/openai/deployments/judge.v1-prod/chat/completions"))
		g.Expect(r.Query.Get("api-version")).To(Equal("2024-10-21"))
		g.Expect(r.Header.Get("Api-Key")).To(Equal("azure-key"))
		g.Expect(r.Header.Get("Authorization")).To(BeEmpty())
		g.Expect(string(r.Body)).To(ContainSubstring(`"max_completion_tokens":`))
		g.Expect(string(r.Body)).NotTo(ContainSubstring(`"max_tokens"`))
	}
}

// The environment is read for a live call, and never for a replay.
func TestKeyFromTheEnvironment(t *testing.T) {
	g := NewWithT(t)
	l := newLab(t)
	j := ragtest.OpenAI("m").Named("judge")
	l.On("claims", fixtures.Claims("A")).On("verify", fixtures.Verdicts(true))
	t.Setenv("OPENAI_API_KEY", "the-key")
	t.Setenv("OPENAI_BASE_URL", l.BaseURL())
	_, err := l.measure(j, ragtest.Faithfulness, bridge)
	g.Expect(err).NotTo(HaveOccurred())
	for _, r := range l.Requests() {
		g.Expect(r.Header.Get("Authorization")).To(Equal("Bearer the-key"))
	}

	t.Setenv("OPENAI_API_KEY", "")
	t.Setenv("OPENAI_BASE_URL", "")
	fresh := ragtest.OpenAI("m").Named("judge")
	_, err = l.measure(fresh, ragtest.Faithfulness, bridge)
	g.Expect(err).NotTo(HaveOccurred(), "what is recorded needs no key")

	s := bridge
	s.Response = "Another answer."
	_, err = l.measure(fresh, ragtest.Faithfulness, s)
	g.Expect(err).To(MatchError(ragtest.ErrNoKey))
	g.Expect(err.Error()).To(HavePrefix(`not measured: faithfulness of sample "bridge" in TestKeyFromTheEnvironment (main_test.go:`))
	g.Expect(err.Error()).To(HaveSuffix("): no API key: set OPENAI_API_KEY, and OPENAI_BASE_URL for a compatible server\n" +
		"  Nothing was asked. To record with a key of your own: OPENAI_API_KEY=… RAGTEST_CACHE=auto CI= go test -run '^TestKeyFromTheEnvironment$' ./ragtest"))

	t.Setenv("OPENAI_API_KEY", "late-key")
	t.Setenv("OPENAI_BASE_URL", l.BaseURL())
	l.On("claims", fixtures.Claims())
	_, err = l.measure(fresh, ragtest.Faithfulness, s)
	g.Expect(err).To(MatchError(ragtest.ErrUndefined), "a key that is set later is used")
}

// A variable in somebody's shell must not make a recording name a server that
// did not answer.
func TestBaseURLThatIsNotOpenAIs(t *testing.T) {
	g := NewWithT(t)
	l := newLab(t)
	t.Setenv("OPENAI_API_KEY", "the-key")
	t.Setenv("OPENAI_BASE_URL", l.BaseURL())
	_, err := l.measure(ragtest.OpenAI("m"), ragtest.Faithfulness, bridge)
	g.Expect(err).To(HaveOccurred())
	g.Expect(err.Error()).To(HaveSuffix(": OPENAI_BASE_URL leads to localhost, but replies would be recorded as api.openai.com's. " +
		`Give the endpoint a name: add .Named("localhost") to it`))
	g.Expect(l.Asked(fixtures.Any)).To(BeZero())
	_, err = ragtest.OpenAIEmbedder("m").CachedIn(off(t)).Embed(t.Context(), "x")
	g.Expect(err).To(MatchError(ContainSubstring(`add .Named("localhost") to it`)))
}

// Other requests of a client that shares ours go through untouched.
func TestServerThatRedirectsOrAsksTwice(t *testing.T) {
	g := NewWithT(t)
	var bodies []string
	j := ragtest.NewJudge(dialled(doerFunc(func(r *http.Request) (*http.Response, error) {
		for range 2 { // as a transport does that meets a dead connection
			b, err := r.GetBody()
			if err != nil {
				return nil, err
			}
			text, _ := io.ReadAll(b)
			bodies = append(bodies, string(text))
		}
		g.Expect(r.ContentLength).To(Equal(int64(len(bodies[0]))))
		return says(`{"claims":[]}`)(r)
	})), "m").CachedIn(off(t))
	_, err := j.Measure(t.Context(), ragtest.Faithfulness, bridge)
	g.Expect(err).To(MatchError(ragtest.ErrUndefined))
	g.Expect(bodies).To(HaveLen(2))
	g.Expect(bodies[1]).To(Equal(bodies[0]))
	g.Expect(bodies[0]).To(HavePrefix(`{"model":"m",`))
}

type roundTripper doerFunc

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// A test may have put a transport of its own in place of the default one.
func TestTransportInPlaceOfTheDefault(t *testing.T) {
	g := NewWithT(t)
	t.Setenv("OPENAI_API_KEY", "key")
	t.Setenv("OPENAI_BASE_URL", "")
	before := http.DefaultTransport
	defer func() { http.DefaultTransport = before }()
	http.DefaultTransport = roundTripper(says(`{"claims":[]}`))
	_, err := ragtest.OpenAI("m").CachedIn(off(t)).Measure(t.Context(), ragtest.Faithfulness, bridge)
	g.Expect(err).To(MatchError(ragtest.ErrUndefined))
}
