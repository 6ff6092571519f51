package main

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/ragomega/ragomega/cache"
)

// exchange is one line of a recording, and where it stands.
type exchange struct {
	File string `json:"file,omitempty"`
	Line int    `json:"line,omitempty"`
	cache.Exchange
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
