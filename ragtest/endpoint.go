package ragtest

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"sync"
	"time"

	openai "github.com/sashabaranov/go-openai"
)

// endpoint is where a model is asked: what judges and embedders have in common.
type endpoint struct {
	model    string
	identity string
	named    bool // by the user
	timeout  time.Duration
	tries    int
	limits   *limits
	// dial makes the connection. It is called for a live call and never
	// otherwise, so that a replay cannot reach a server or need a key.
	dial func() (connection, error)
}

// connection is an open endpoint.
type connection struct {
	chat       Client
	embeddings EmbeddingClient
	host       string // of the base URL; "" if there is none
}

const (
	defaultTimeout  = 2 * time.Minute
	defaultTries    = 6
	defaultInFlight = 16
)

func newEndpoint(identity, model string) endpoint {
	return endpoint{
		model: model, identity: identity,
		timeout: defaultTimeout, tries: defaultTries, limits: newLimits(defaultInFlight, 0),
	}
}

const openAIHost = "api.openai.com"

func openAIEndpoint(model string) endpoint {
	e := newEndpoint(openAIHost, model)
	e.dial = kept(func() (connection, error) {
		key, base := os.Getenv("OPENAI_API_KEY"), os.Getenv("OPENAI_BASE_URL")
		if key == "" && base == "" {
			return connection{}, fmt.Errorf("%w: set OPENAI_API_KEY, and OPENAI_BASE_URL for a compatible server", ErrNoKey)
		}
		config := openai.DefaultConfig(key)
		if base != "" {
			config.BaseURL = base
		}
		// As many connections are kept as calls may be in flight; Close lets go
		// of them.
		// Somebody's own transport in place of the default one is left alone.
		if t, ok := http.DefaultTransport.(*http.Transport); ok {
			t = t.Clone()
			t.MaxIdleConnsPerHost = defaultInFlight
			config.HTTPClient = &http.Client{Transport: t}
			atClose(t.CloseIdleConnections)
		}
		return connect(config), nil
	})
	return e
}

func configEndpoint(config openai.ClientConfig, model string) endpoint {
	e := newEndpoint(identity(config, model), model)
	e.dial = kept(func() (connection, error) { return connect(config), nil })
	return e
}

// kept makes a connection once, but not an error: a key may be set later.
func kept(dial func() (connection, error)) func() (connection, error) {
	var mu sync.Mutex
	var made *connection
	return func() (connection, error) {
		mu.Lock()
		defer mu.Unlock()
		if made != nil {
			return *made, nil
		}
		c, err := dial()
		if err == nil {
			made = &c
		}
		return c, err
	}
}

func connect(config openai.ClientConfig) connection {
	if config.HTTPClient == nil {
		config.HTTPClient = http.DefaultClient
	}
	config.HTTPClient = wire{config.HTTPClient}
	client := openai.NewClientWithConfig(config)
	return connection{chat: wired{client}, embeddings: client, host: host(config.BaseURL)}
}

// wired is a client over a wire, which sends its own bytes. go-openai gets no
// parameters to object to: what a model takes is for the server to say, which
// knows models that are newer than the client.
type wired struct{ client *openai.Client }

func (w wired) CreateChatCompletion(ctx context.Context, r openai.ChatCompletionRequest) (openai.ChatCompletionResponse, error) {
	return w.client.CreateChatCompletion(ctx, openai.ChatCompletionRequest{Model: r.Model})
}

// open dials, and refuses a server that the identity does not name: a variable
// in somebody's shell must not make a recording say who did not answer.
func (e endpoint) open() (connection, error) {
	if e.identity == "" {
		return connection{}, fmt.Errorf("the endpoint of %s has no name, so that its replies could not be told from those of another. Give it one with Named", e.model)
	}
	c, err := e.dial()
	if err != nil {
		return c, err
	}
	if !e.named && c.host != "" && e.identity == openAIHost && c.host != openAIHost {
		return c, fmt.Errorf("OPENAI_BASE_URL leads to %s, but replies would be recorded as %s's. Give the endpoint a name: add .Named(%q) to it", c.host, openAIHost, c.host)
	}
	return c, nil
}

// identity names the endpoint of config. Azure serves a model as a deployment,
// which may be of any version: its name belongs to the identity.
func identity(config openai.ClientConfig, model string) string {
	id := host(config.BaseURL)
	switch config.APIType {
	case openai.APITypeAzure, openai.APITypeAzureAD:
		id += "/" + config.GetAzureDeploymentByModel(model)
	}
	return id
}

func host(base string) string {
	u, err := url.Parse(base)
	if err != nil || u.Host == "" {
		return base
	}
	if name := u.Hostname(); name == "localhost" || strings.HasSuffix(name, ".localhost") || net.ParseIP(name).IsLoopback() {
		return "localhost"
	}
	return strings.ToLower(u.Host)
}

// call makes one call with a timeout, within the limits and the budget, as often
// as need be.
func call[T any](ctx context.Context, e endpoint, do func(context.Context) (T, error)) (T, error) {
	var zero T
	b, err := budgetOfRun()
	if err != nil {
		return zero, err
	}
	return retry(ctx, e, func() (T, error) {
		done, err := e.limits.enter(ctx)
		if err != nil {
			return zero, err
		}
		defer done()
		if err := b.take(ctx); err != nil {
			return zero, err
		}
		defer underway.call()()
		ctx, cancel := context.WithTimeoutCause(ctx, e.timeout, errTimeout)
		defer cancel()
		return do(ctx)
	})
}

// answered counts what an answer cost, whether or not it is of use.
func answered(in, out int) {
	underway.answered(in + out)
	if b, err := budgetOfRun(); err == nil {
		b.spend(in + out)
	}
}

// errTimeout is why the context of a call ended, if it was not the caller's.
var errTimeout = errors.New("no answer within the timeout")
