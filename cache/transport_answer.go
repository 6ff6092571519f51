package cache

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"unicode/utf8"
)

// answer is a response as it is kept: one of the last four fields has its body.
type answer struct {
	Status int               `json:"status"`
	Header map[string]string `json:"header,omitempty"`
	JSON   json.RawMessage   `json:"json,omitempty"`
	Packed json.RawMessage   `json:"packed,omitempty"` // JSON with vectors in base64, see packVectors
	Text   string            `json:"text,omitempty"`
	Bytes  []byte            `json:"base64,omitempty"`
}

// keptHeaders are the response headers that are recorded. Others tell of the
// server, the day and the account, or set cookies.
var keptHeaders = []string{"Content-Type", "Content-Encoding", "Content-Language", "Content-Disposition", "Location"}

func newAnswer(req *http.Request, status int, header http.Header, data []byte, secrets []string) answer {
	a := answer{Status: status}
	keep := func(name, value string) {
		if value == "" {
			return
		}
		if a.Header == nil {
			a.Header = map[string]string{}
		}
		a.Header[name] = hide(value, secrets)
	}
	for _, name := range keptHeaders {
		value := header.Get(name)
		if name == "Location" {
			value = withoutSecrets(value)
		}
		keep(name, value)
	}
	if req.Method == http.MethodHead {
		keep("Content-Length", header.Get("Content-Length"))
	}
	switch {
	case len(data) == 0:
	case isJSON(mediaType(header.Get("Content-Type"))) && isPlainJSON(data):
		if packed, ok := packVectors(data); ok {
			a.Packed = packed
		} else {
			a.JSON = data
		}
	case utf8.Valid(data):
		a.Text = string(data)
	default:
		a.Bytes = data
	}
	return a
}

// encode writes a without escapes for HTML, so that it can be read.
func (a answer) encode() ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(a)
	return bytes.TrimRight(b.Bytes(), "\n"), err
}

func decodeAnswer(value json.RawMessage) (answer, error) {
	var a answer
	if err := json.Unmarshal(value, &a); err != nil {
		return a, fmt.Errorf("cache: the recorded reply is no HTTP response: %w", err)
	}
	return a, nil
}

// body returns the body, byte for byte but for the white space of JSON and the
// spelling of packed numbers.
func (a answer) body() ([]byte, error) {
	switch {
	case a.Packed != nil:
		return unpackVectors(a.Packed)
	case a.JSON != nil:
		return a.JSON, nil
	case a.Text != "":
		return []byte(a.Text), nil
	}
	return a.Bytes, nil
}

// response makes what a client gets who asked req.
func (a answer) response(req *http.Request) (*http.Response, error) {
	data, err := a.body()
	if err != nil {
		return nil, err
	}
	header := make(http.Header, len(a.Header)+1)
	for name, value := range a.Header {
		header.Set(name, value)
	}
	unzipped := false
	if header.Get("Content-Encoding") == "gzip" && req.Header.Get("Accept-Encoding") == "" {
		// Recorded by a client that unzips for itself; this one leaves it to its
		// transport.
		if text, ok := plain(header, data); ok {
			data, unzipped = text, true
			header.Del("Content-Encoding")
		}
	}
	kind := mediaType(header.Get("Content-Type"))
	switch {
	case req.Method == http.MethodHead:
		length, err := strconv.ParseInt(header.Get("Content-Length"), 10, 64)
		if err != nil {
			length = -1
		}
		return newResponse(req, a.Status, header, http.NoBody, length), nil
	case isStream(kind):
		return newResponse(req, a.Status, header, io.NopCloser(&eventReader{kind: kind, later: data}), -1), nil
	}
	header.Set("Content-Length", strconv.Itoa(len(data)))
	resp := newResponse(req, a.Status, header, newBody(data), int64(len(data)))
	resp.Uncompressed = unzipped
	return resp, nil
}

func newResponse(req *http.Request, status int, header http.Header, body io.ReadCloser, length int64) *http.Response {
	return &http.Response{
		Status:     strings.TrimSpace(fmt.Sprintf("%d %s", status, http.StatusText(status))),
		StatusCode: status,
		Proto:      "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: header, Body: body, ContentLength: length, Request: req,
	}
}

// plain returns a body without its encoding, and whether it could take it off.
func plain(header http.Header, data []byte) ([]byte, bool) {
	switch header.Get("Content-Encoding") {
	case "", "identity":
		return data, true
	case "gzip":
		z, err := gzip.NewReader(bytes.NewReader(data))
		if err != nil {
			return data, false
		}
		text, err := io.ReadAll(io.LimitReader(z, 4*mostKept))
		return text, err == nil
	}
	return data, false
}
