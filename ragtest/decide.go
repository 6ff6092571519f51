package ragtest

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
)

// decision is a yes or no on one of several items.
type decision struct {
	Reason string
	Yes    bool
}

// decide asks for a yes or no on each item, in one request. The entries of the
// reply have it in field; what the items are is called in the plural. q lacks the
// prompt and all about the reply; its data shows the items by their numbers.
func (j *Judge) decide(ctx context.Context, prompt, field, what string, items []string, q question) ([]decision, error) {
	p, err := j.prompt(prompt)
	if err != nil {
		return nil, err
	}
	asked := numbered{texts: items}.keys()
	read := func(reply string) (json.RawMessage, []decision, error) {
		return readDecisions(reply, asked, field, what)
	}
	var decisions []decision
	q.prompt = p
	q.schema = entriesSchema(asked, fmt.Sprintf(
		`{"type":"object","properties":{"reason":{"type":"string"},%[1]q:{"type":"boolean"}},"required":["reason",%[1]q],"additionalProperties":false}`, field))
	q.read = func(reply string) (raw json.RawMessage, err error) {
		raw, decisions, err = read(reply)
		return raw, err
	}
	q.differs = otherwise(read, func(a, b []decision) bool {
		return slices.EqualFunc(a, b, func(a, b decision) bool { return a.Yes == b.Yes })
	})
	err = j.ask(ctx, q)
	return decisions, err
}

func readDecisions(reply string, asked []string, field, what string) (json.RawMessage, []decision, error) {
	raw, entries, err := readEntries(reply, asked, what, func(e map[string]json.RawMessage) (want, got string) {
		if _, ok := e[field]; !ok {
			return fmt.Sprintf("%q in every entry", field), "none"
		}
		if _, ok := readTruth(e[field]); !ok {
			return fmt.Sprintf("true or false for %q", field), cut(string(e[field]), 80)
		}
		return "", ""
	})
	if err != nil {
		return nil, nil, err
	}
	decisions := make([]decision, len(entries))
	for i, e := range entries {
		decisions[i].Yes, _ = readTruth(e[field])
		_ = json.Unmarshal(e["reason"], &decisions[i].Reason) // a verdict without a reason is one
	}
	return raw, decisions, nil
}
