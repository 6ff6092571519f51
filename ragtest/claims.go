package ragtest

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/ragomega/ragomega/cache"
)

// claims splits a text into the claims that it makes. The question completes
// what a short text leaves out; it may be empty. role is what messages call the
// text. The request depends on nothing else, so whichever metrics need the
// claims of a text, they are asked for once.
func (j *Judge) claims(ctx context.Context, question_, text, role string) ([]string, error) {
	data := struct {
		Question string `json:"question,omitempty"`
		Text     string `json:"text"`
	}{question_, text}
	parts := []cache.Part{cache.TextPart("text", role, text)}
	if question_ != "" {
		parts = append(parts, cache.TextPart("question", "the question", question_))
	}
	var claims []string
	err := j.ask(ctx, question{
		step:   "claims",
		data:   data,
		schema: json.RawMessage(claimsSchema),
		about:  shorten(text, 200),
		parts:  parts,
		read: func(reply string) (raw json.RawMessage, err error) {
			raw, claims, err = readClaims(reply)
			return raw, err
		},
	})
	if err != nil {
		return nil, err
	}
	return claims, nil
}

const claimsSchema = `{"type":"object","properties":{"claims":{"type":"array","items":{"type":"string"}}},"required":["claims"],"additionalProperties":false}`

func readClaims(reply string) (json.RawMessage, []string, error) {
	var r struct {
		Claims *[]*string `json:"claims"`
	}
	raw, err := parse(reply, &r)
	if err != nil {
		return nil, nil, err
	}
	if r.Claims == nil {
		return nil, nil, &ReplyError{Kind: ErrMalformed, Want: `the field "claims"`, Got: keys(raw), Raw: reply}
	}
	claims := []string{}
	for i, c := range *r.Claims {
		if c == nil || blank(*c) {
			return nil, nil, &ReplyError{Kind: ErrMalformed, Want: "a text for each claim", Got: fmt.Sprintf("none for claim %d", i+1), Raw: reply}
		}
		claims = append(claims, *c)
	}
	return raw, claims, nil
}
