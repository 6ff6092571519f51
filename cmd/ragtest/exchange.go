package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/ragomega/ragomega/cache"
)

// exchange is one line of a recording, as package cache documents it. The tests
// hold this reading against recordings that the library made.
type exchange struct {
	File     string            `json:"file,omitempty"`
	Line     int               `json:"line,omitempty"`
	Key      string            `json:"k"`
	Step     string            `json:"step"`
	Identity string            `json:"by"`
	Trial    int               `json:"trial,omitempty"`
	About    string            `json:"about,omitempty"`
	Reply    json.RawMessage   `json:"reply"`
	Served   json.RawMessage   `json:"served,omitempty"`
	Parts    map[string]string `json:"parts,omitempty"`
	Request  string            `json:"request"`
	Sum      string            `json:"sum"`
}

const (
	sumBegin = `,"sum":"`
	sumEnd   = `"}`
	sumLen   = 16
)

// readExchange reads a line, and says what is wrong with it. As much as can be
// read is returned all the same.
func readExchange(text []byte) (exchange, error) {
	var x exchange
	errJSON := json.Unmarshal(text, &x)
	x.File, x.Line = "", 0
	at := len(text) - len(sumBegin) - sumLen - len(sumEnd)
	if at <= 0 || !bytes.HasPrefix(text[at:], []byte(sumBegin)) || !bytes.HasSuffix(text, []byte(sumEnd)) {
		return x, errors.New("torn: it does not end in a checksum")
	}
	if sum, got := string(text[at+len(sumBegin):at+len(sumBegin)+sumLen]), digest(text[:at])[:sumLen]; got != sum {
		return x, fmt.Errorf("changed after it was recorded: its checksum is %s, its content gives %s", sum, got)
	}
	if errJSON != nil {
		return x, fmt.Errorf("not JSON: %w", errJSON)
	}
	if _, err := cache.ParseKey(x.Key); err != nil {
		return x, err
	}
	if want := keyOf(x.Identity, x.Request, x.Trial); want != x.Key {
		return x, fmt.Errorf("has key %s, but its identity, request and trial give %s", x.Key, want)
	}
	if b, err := hex.DecodeString(x.Request); err != nil || len(b) != sha256.Size {
		return x, fmt.Errorf("its request is %q, expected the SHA-256 of one", cut(x.Request, 80))
	}
	return x, nil
}

func digest(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// textDigest is what parts have of a text.
func textDigest(text string) string { return digest([]byte(text))[:12] }

// keyOf is the key of a request whose body is known by its digest; see
// [cache.Request.Key].
func keyOf(identity, request string, trial int) string {
	h := sha256.New()
	for _, field := range []string{"ragtest/1", identity, request, fmt.Sprint(trial)} {
		_ = binary.Write(h, binary.BigEndian, uint64(len(field)))
		h.Write([]byte(field))
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// tokens returns what the reply cost, if the line tells.
func (x exchange) tokens() tokens {
	var t tokens
	_ = json.Unmarshal(x.Served, &t)
	return t
}

type tokens struct {
	In  int `json:"in"`
	Out int `json:"out"`
}

func (t tokens) String() string { return fmt.Sprintf("%d+%d tokens", t.In, t.Out) }

// stepName is the step without its version: "verify" of "verify/v2 (own)". The step
// of the application's calls, "POST /v1/chat/completions", has none.
func stepName(step string) string {
	if strings.Contains(step, " /") {
		return step
	}
	name, _, _ := strings.Cut(step, "/")
	return name
}

// isVector reports whether the reply is an embedding.
func (x exchange) isVector() bool { return stepName(x.Step) == "embed" }
