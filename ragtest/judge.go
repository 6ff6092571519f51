package ragtest

import (
	"context"
	"math"
	"time"

	openai "github.com/sashabaranov/go-openai"

	"github.com/ragomega/ragomega/cache"
)

// Client is the one method of go-openai's client that a judge needs, so that a
// judge within the process is a small type. What it gets as a temperature of 0
// is a temperature of 0.
type Client interface {
	CreateChatCompletion(context.Context, openai.ChatCompletionRequest) (openai.ChatCompletionResponse, error)
}

// Judge asks a chat model for verdicts. Its methods that set something return a
// changed copy, so that a judge can be shared; copies share one connection and
// one set of limits. A Judge is safe for concurrent use.
type Judge struct {
	endpoint
	sampling sampling
	plain    bool
	embedder *Embedder
	trial    int
	pins     []pin // prompts that were chosen
	perClaim bool
	most     int // claims of a text that are checked; 0 is all

	onlyKnown bool // ask nobody

	probabilities bool // of verdicts are asked for
	thresholds    []*Threshold
	calibrations  []*Calibration
	test          *binding
	cache         *cache.Cache // nil: the test package's
}

// sampling is what decides how a model draws its reply. All of it is sent, and
// is part of the key.
type sampling struct {
	temperature *float64 // nil: not sent
	seed        *int
	maxTokens   int
	reasoning   bool // the limit is sent as max_completion_tokens
}

// defaultMaxTokens bounds replies. It is part of every key, so it stays.
const defaultMaxTokens = 2048

// OpenAI returns a judge for a model behind the OpenAI API or a compatible
// server. The key is read from OPENAI_API_KEY and the base URL from
// OPENAI_BASE_URL, and only when a call has to be made: what is recorded needs
// neither. A base URL that is not OpenAI's needs a name, see [Judge.Named].
func OpenAI(model string) *Judge {
	return newJudge(openAIEndpoint(model))
}

// NewJudge returns a judge for a model behind any endpoint that go-openai can be
// configured for, such as Azure or a server of your own. Its identity is the
// host of the base URL, see [Judge.Named].
func NewJudge(config openai.ClientConfig, model string) *Judge {
	return newJudge(configEndpoint(config, model))
}

// NewJudgeClient returns a judge that asks through client. The identity tells
// its replies from those of other endpoints, see [Judge.Named].
func NewJudgeClient(client Client, identity, model string) *Judge {
	e := newEndpoint(identity, model)
	e.dial = func() (connection, error) { return connection{chat: client}, nil }
	return newJudge(e)
}

func newJudge(e endpoint) *Judge {
	zero := 0.0
	return &Judge{endpoint: e, sampling: sampling{temperature: &zero, maxTokens: defaultMaxTokens}}
}

// Named returns a copy of j whose endpoint is called identity. It is part of
// every key: replies of one endpoint are never taken for those of another, even
// if their models have the same name. By default it is the host of the base
// URL, and "localhost" for every loopback address and port, so that a laptop
// and a build server agree.
func (j *Judge) Named(identity string) *Judge {
	c := *j
	c.identity, c.named = identity, true
	return &c
}

// Model returns the model's name.
func (j *Judge) Model() string { return j.model }

// Identity returns what the endpoint is called; see [Judge.Named].
func (j *Judge) Identity() string { return j.identity }

// String returns the model and the endpoint; "" of [NoJudge].
func (j *Judge) String() string {
	if j.nobody() && j.model == "" {
		return ""
	}
	return j.model + " at " + j.identity
}

// Reasoning returns a copy of j for a model that thinks before it answers: no
// temperature is sent, and the limit on tokens as max_completion_tokens, with
// room for the thoughts.
func (j *Judge) Reasoning() *Judge {
	c := *j
	c.sampling.temperature = nil
	c.sampling.reasoning = true
	c.sampling.maxTokens = max(c.sampling.maxTokens, 8*defaultMaxTokens)
	return &c
}

// PlainJSON returns a copy of j for a server without JSON schemas, or whose
// strict mode refuses a keyword of ours (minItems and maxItems are the rarest):
// the schema is put into the text of the request.
func (j *Judge) PlainJSON() *Judge {
	c := *j
	c.plain = true
	return &c
}

// Temperature returns a copy of j that draws replies at temperature t, from 0,
// which is the default. A value that is no number or below 0 is 0.
func (j *Judge) Temperature(t float64) *Judge {
	if math.IsNaN(t) || t < 0 {
		t = 0
	}
	c := *j
	c.sampling.temperature = &t
	return &c
}

// Seed returns a copy of j that sends a seed, for servers that heed it.
func (j *Judge) Seed(seed int) *Judge {
	c := *j
	c.sampling.seed = &seed
	return &c
}

// MaxTokens returns a copy of j whose replies may have n tokens; the default is
// 2048. A reply that is cut off is an [ErrTruncated].
func (j *Judge) MaxTokens(n int) *Judge {
	c := *j
	c.sampling.maxTokens = n
	return &c
}

// Trial returns a copy of j whose replies are the n-th independent draw of the
// same requests, counted from 0. Each is kept under a key of its own.
func (j *Judge) Trial(n int) *Judge {
	c := *j
	c.trial = n
	return &c
}

// Trials returns n copies of j, one for each of the independent draws 0 to n-1.
// They differ only where the model's replies do: at temperature 0 that is
// seldom.
func (j *Judge) Trials(n int) []*Judge {
	judges := make([]*Judge, n)
	for i := range judges {
		judges[i] = j.Trial(i)
	}
	return judges
}

// Limits returns a copy of j with limits of its own: so many calls in flight
// (the default is 16), and so many begun a minute (0, the default, is no
// limit).
func (j *Judge) Limits(inFlight, perMinute int) *Judge {
	c := *j
	c.limits = newLimits(inFlight, perMinute)
	return &c
}

// Timeout returns a copy of j that gives up on a call after d; the default is
// two minutes. A call that was given up is tried again, see [Judge.Tries].
func (j *Judge) Timeout(d time.Duration) *Judge {
	c := *j
	c.timeout = d
	return &c
}

// Tries returns a copy of j that makes a call at most n times if it fails for a
// reason that may pass: status 408, 409, 429 or 5xx, a broken connection, a
// timeout. The default is 6, with growing pauses, or those that the server asks
// for.
func (j *Judge) Tries(n int) *Judge {
	c := *j
	c.tries = max(n, 1)
	return &c
}

// WithEmbedder returns a copy of j for metrics that compare embeddings. The
// embedder may live elsewhere than the judge.
func (j *Judge) WithEmbedder(e *Embedder) *Judge {
	c := *j
	c.embedder = e
	return &c
}

// Embedder returns the embedder that j was given.
func (j *Judge) Embedder() (*Embedder, error) {
	if j.embedder == nil {
		return nil, errNoEmbedder
	}
	return j.embedder, nil
}

// CachedIn returns a copy of j whose exchanges are kept in c rather than in the
// cache of the test package.
func (j *Judge) CachedIn(c *cache.Cache) *Judge {
	k := *j
	k.cache = c
	return &k
}
