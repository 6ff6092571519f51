package ragtest

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/ragomega/ragomega/cache"
)

// claims splits a text into the claims that it makes. The question completes
// what a short text leaves out; it may be empty. role is what messages call the
// text. The request depends on nothing else, so whichever metrics need the
// claims of a text, they are asked for once.
func (j *Judge) claims(ctx context.Context, question_, text, role string) ([]string, error) {
	return j.split(ctx, "claims", question_, text, role)
}

// split is claims with the prompt of that name.
func (j *Judge) split(ctx context.Context, prompt, question_, text, role string) ([]string, error) {
	p, err := j.prompt(prompt)
	if err != nil {
		return nil, err
	}
	data := struct {
		Question string `json:"question,omitempty"`
		Text     string `json:"text"`
	}{question_, text}
	parts := []cache.Part{cache.TextPart("text", role, text)}
	if question_ != "" {
		parts = append(parts, cache.TextPart("question", "the question", question_))
	}
	var claims []string
	err = j.ask(ctx, question{
		prompt: p,
		data:   data,
		schema: json.RawMessage(claimsSchema),
		about:  shorten(text, 200),
		parts:  parts,
		read: func(reply string) (raw json.RawMessage, err error) {
			raw, claims, err = readClaims(reply)
			if err == nil && (p.name != "claims" || p.version > 1) {
				err = checkClaims(claims, text, question_, p, reply)
			}
			return raw, err
		},
	})
	if err != nil {
		return nil, err
	}
	return claims, nil
}

// checkClaims rejects claims that the text cannot have made. Replies to claims/v1
// were recorded without this check.
func checkClaims(claims []string, text, question string, p prompt, reply string) error {
	inText, inQuestion, agrees := words(text), words(question), agrees(text)
	for i, c := range claims {
		why := foreign(words(c), inText, inQuestion, agrees)
		switch {
		case strings.Contains(text, c): // then the text says it, whatever else does
			continue
		case p.shows(c):
			why = "is an example of the prompt"
		case asks(c):
			why = "is a question"
		}
		if why != "" {
			return &ReplyError{Kind: ErrMalformed, Want: "claims that the text makes", Got: fmt.Sprintf("claim %d (%q), which %s", i+1, shorten(c, 200), why), Raw: reply}
		}
	}
	return nil
}

// asks reports whether a claim is a question, which claims nothing.
func asks(claim string) bool {
	r, _ := utf8.DecodeLastRuneInString(strings.TrimSpace(claim))
	return strings.ContainsRune("?？؟", r)
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
