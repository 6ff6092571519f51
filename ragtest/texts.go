package ragtest

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
)

// texts asks for a list of texts, such as the topics of a conversation: the reply
// has it in field. q lacks the prompt and all about the reply.
func (j *Judge) texts(ctx context.Context, prompt, field string, q question) ([]string, error) {
	p, err := j.prompt(prompt)
	if err != nil {
		return nil, err
	}
	sent, err := marshal(q.data)
	if err != nil {
		return nil, err
	}
	var texts []string
	q.prompt = p
	q.schema = json.RawMessage(fmt.Sprintf(
		`{"type":"object","properties":{%[1]q:{"type":"array","items":{"type":"string"}}},"required":[%[1]q],"additionalProperties":false}`, field))
	q.read = func(reply string) (raw json.RawMessage, err error) {
		raw, texts, err = readTexts(reply, field, p, string(sent))
		return raw, err
	}
	err = j.ask(ctx, q)
	return texts, err
}

func readTexts(reply, field string, p prompt, sent string) (json.RawMessage, []string, error) {
	var r map[string]json.RawMessage
	raw, err := parse(reply, &r)
	if err != nil {
		return nil, nil, err
	}
	malformed := func(want, got string) error {
		return &ReplyError{Kind: ErrMalformed, Want: want, Got: got, Raw: reply}
	}
	if r[field] == nil || string(r[field]) == "null" {
		return nil, nil, malformed(fmt.Sprintf("the field %q", field), keys(raw))
	}
	var texts []string
	if err := json.Unmarshal(r[field], &texts); err != nil {
		return nil, nil, malformed(fmt.Sprintf("a list of texts in %q", field), cut(string(r[field]), 80))
	}
	for i, t := range texts {
		switch {
		case blank(t): // a null is one, too
			return nil, nil, malformed(fmt.Sprintf("a text for each of %q", field), fmt.Sprintf("none for number %d", i+1))
		case p.shows(t) && !strings.Contains(sent, t):
			return nil, nil, malformed(fmt.Sprintf("%q of what was sent", field), fmt.Sprintf("number %d (%q), which is an example of the prompt", i+1, t))
		}
	}
	return raw, texts, nil
}
