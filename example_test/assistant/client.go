package assistant

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strings"

	"github.com/sashabaranov/go-openai"
)

func newClient(config Config, baseURL string) *openai.Client {
	client := *http.DefaultClient
	if config.Client != nil {
		client = *config.Client
	}
	if client.Transport == nil {
		client.Transport = http.DefaultTransport
	}
	client.Transport = zeroTemperature{client.Transport}
	c := openai.DefaultConfig(config.APIKey)
	c.BaseURL = strings.TrimSuffix(baseURL, "/")
	c.HTTPClient = &client
	return openai.NewClientWithConfig(c)
}

// zeroTemperature sets "temperature": 0 in every chat completion request.
//
// ChatCompletionRequest omits a zero Temperature, which leaves the choice to
// the server. The usual stand-in, math.SmallestNonzeroFloat32, is not 0 to
// every server: llama.cpp's gives another answer for it than for 0.
type zeroTemperature struct{ base http.RoundTripper }

func (t zeroTemperature) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.Body == nil || !strings.HasSuffix(req.URL.Path, "/chat/completions") {
		return t.base.RoundTrip(req)
	}
	data, err := io.ReadAll(req.Body)
	req.Body.Close()
	if err != nil {
		return nil, err
	}
	var body map[string]json.RawMessage
	if err := json.Unmarshal(data, &body); err != nil {
		return nil, err
	}
	body["temperature"] = json.RawMessage("0")
	if data, err = json.Marshal(body); err != nil {
		return nil, err
	}
	req = req.Clone(req.Context())
	req.ContentLength = int64(len(data))
	req.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(data)), nil }
	req.Body, _ = req.GetBody()
	return t.base.RoundTrip(req)
}
