package ragtest_test

import (
	"context"
	"errors"
	"net/http"
	"os"
	"testing"

	. "github.com/onsi/gomega"
	openai "github.com/sashabaranov/go-openai"
	"go.uber.org/goleak"

	"github.com/ragomega/ragomega/cache"
	"github.com/ragomega/ragomega/fixtures"
	"github.com/ragomega/ragomega/ragtest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// bridge has what both metrics need.
var bridge = ragtest.Sample{
	Name:              "bridge",
	UserInput:         "When did the bridge open?",
	Response:          "The bridge opened in 1932.",
	RetrievedContexts: []string{"The bridge opened in 1932 after eight years of work."},
	Reference:         "It opened in 1932.",
}

// lab is a scripted judge and a place for its recordings, which outlives the
// caches that are opened there: each measurement is a run of its own. There is
// no store behind the recordings, as none is needed to see what was kept.
type lab struct {
	*fixtures.Judge
	t   *testing.T
	dir string
}

func newLab(t *testing.T) *lab {
	t.Helper()
	return &lab{fixtures.NewJudge(t), t, t.TempDir()}
}

func openCache(t *testing.T, o cache.Options) *cache.Cache {
	t.Helper()
	c, err := cache.Open(o)
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	t.Cleanup(func() { _ = c.Close() })
	return c
}

// off is a cache that keeps nothing and touches no file.
func off(t *testing.T) *cache.Cache {
	t.Helper()
	return openCache(t, cache.Options{Mode: cache.Off})
}

func (l *lab) cache(mode cache.Mode) *cache.Cache {
	l.t.Helper()
	return openCache(l.t, cache.Options{Dir: l.dir, Home: os.DevNull, Mode: mode})
}

// measure is a run: it opens the recordings, measures and closes them.
func (l *lab) measure(j *ragtest.Judge, m ragtest.Metric, s ragtest.Sample) (ragtest.Score, error) {
	l.t.Helper()
	c := l.cache(cache.Auto)
	score, err := j.CachedIn(c).Measure(l.t.Context(), m, s)
	NewWithT(l.t).Expect(c.Close()).To(Succeed())
	return score, err
}

// fails measures the faithfulness of bridge, which must fail, and returns the
// error. Then it makes sure that nothing bad was kept: a run with good replies
// asks again and measures, and what it measured is replayed by a third.
func (l *lab) fails(j *ragtest.Judge) error {
	l.t.Helper()
	g := NewWithT(l.t)
	score, err := l.measure(j, ragtest.Faithfulness, bridge)
	g.Expect(err).To(HaveOccurred())
	g.Expect(score).To(BeZero())

	asked := l.Asked(fixtures.Any)
	l.On("claims", fixtures.Claims("A")).On("verify", fixtures.Verdicts(true))
	score, errAgain := l.measure(l.Judge.Judge(), ragtest.Faithfulness, bridge)
	g.Expect(errAgain).NotTo(HaveOccurred())
	g.Expect(score.Fraction()).NotTo(BeEmpty())
	g.Expect(l.Asked(fixtures.Any)).To(BeNumerically(">", asked), "a run after a failure asks again")

	asked = l.Asked(fixtures.Any)
	replayed, errAgain := l.measure(l.Judge.Judge(), ragtest.Faithfulness, bridge)
	g.Expect(errAgain).NotTo(HaveOccurred())
	g.Expect(replayed.Verdicts).To(Equal(score.Verdicts))
	g.Expect(l.Asked(fixtures.Any)).To(Equal(asked), "what was measured is replayed")
	return err
}

// clientFunc is a judge within the process.
type clientFunc func(context.Context, openai.ChatCompletionRequest) (openai.ChatCompletionResponse, error)

func (f clientFunc) CreateChatCompletion(ctx context.Context, r openai.ChatCompletionRequest) (openai.ChatCompletionResponse, error) {
	return f(ctx, r)
}

// reply is what a client within the process returns.
func reply(content string) openai.ChatCompletionResponse {
	return openai.ChatCompletionResponse{Choices: []openai.ChatCompletionChoice{{
		Message:      openai.ChatCompletionMessage{Role: "assistant", Content: content},
		FinishReason: openai.FinishReasonStop,
	}}}
}

// answer answers both steps of both metrics: one claim, supported.
func answer(_ context.Context, r openai.ChatCompletionRequest) (openai.ChatCompletionResponse, error) {
	if r.ResponseFormat.JSONSchema.Name == "claims" {
		return reply(`{"claims":["A"]}`), nil
	}
	return reply(`{"1":{"reason":"r","supported":true}}`), nil
}

// doerFunc is an HTTP client within the process.
type doerFunc func(*http.Request) (*http.Response, error)

func (f doerFunc) Do(r *http.Request) (*http.Response, error) { return f(r) }

func dialled(d openai.HTTPDoer) openai.ClientConfig {
	c := openai.DefaultConfig("key")
	c.BaseURL = "http://127.0.0.1:1/v1"
	c.HTTPClient = d
	return c
}

// asError is [errors.As] for a line of Gomega.
func asError[T error](err error, target *T) bool { return errors.As(err, target) }

type ctx = context.Context

type (
	chatRequest  = openai.ChatCompletionRequest
	chatResponse = openai.ChatCompletionResponse
	apiError     = openai.APIError
	requestError = openai.RequestError
)
