package ragtest

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/ragomega/ragomega/cache"
)

// verify has the judge check every claim against the contexts, in one request.
// The verdicts come in the order of the claims, one for each.
func (j *Judge) verify(ctx context.Context, claims, contexts []string) ([]Verdict, error) {
	type numbered struct {
		Number int    `json:"claim"`
		Text   string `json:"text"`
	}
	data := struct {
		Documents []string   `json:"documents"`
		Claims    []numbered `json:"claims"`
	}{Documents: contexts}
	for i, c := range claims {
		data.Claims = append(data.Claims, numbered{i + 1, c})
	}
	about := strings.Join(claims, " | ")
	parts := []cache.Part{cache.TextPart("claims", "the claims", strings.Join(claims, "\x00"))}
	for i, c := range contexts {
		name := fmt.Sprintf("context %d", i+1)
		parts = append(parts, cache.TextPart(name, name, c))
	}
	var verdicts []Verdict
	err := j.ask(ctx, question{
		step:   "verify",
		data:   data,
		schema: verifySchema(len(claims)),
		about:  shorten(about, 400),
		parts:  parts,
		read: func(reply string) (raw json.RawMessage, err error) {
			raw, verdicts, err = readVerdicts(reply, claims)
			return raw, err
		},
		differs: func(recorded, now json.RawMessage) bool {
			_, before, errBefore := readVerdicts(string(recorded), claims)
			_, after, errAfter := readVerdicts(string(now), claims)
			return errBefore != nil || errAfter != nil ||
				!slices.EqualFunc(before, after, func(a, b Verdict) bool { return a.OK == b.OK })
		},
	})
	if err != nil {
		return nil, err
	}
	return verdicts, nil
}

// verifySchema asks for n verdicts. The judge writes the fields in this order:
// it looks for the words, compares, and only then decides.
func verifySchema(n int) json.RawMessage {
	return json.RawMessage(fmt.Sprintf(`{"type":"object","properties":{"verdicts":{"type":"array","minItems":%d,"maxItems":%d,"items":{"type":"object",`+
		`"properties":{"claim":{"type":"integer"},"quote":{"type":"string"},"reason":{"type":"string"},"supported":{"type":"boolean"}},`+
		`"required":["claim","quote","reason","supported"],"additionalProperties":false}}},"required":["verdicts"],"additionalProperties":false}`, n, n))
}

func readVerdicts(reply string, claims []string) (json.RawMessage, []Verdict, error) {
	var r struct {
		Verdicts *[]struct {
			Claim     *int            `json:"claim"`
			Quote     string          `json:"quote"`
			Reason    string          `json:"reason"`
			Supported json.RawMessage `json:"supported"`
		} `json:"verdicts"`
	}
	raw, err := parse(reply, &r)
	if err != nil {
		return nil, nil, err
	}
	malformed := func(want, got string) error {
		return &ReplyError{Kind: ErrMalformed, Want: want, Got: got, Raw: reply}
	}
	if r.Verdicts == nil {
		return nil, nil, malformed(`the field "verdicts"`, keys(raw))
	}
	yes := make([]bool, len(*r.Verdicts))
	for i, v := range *r.Verdicts {
		if v.Claim == nil || v.Supported == nil {
			return nil, nil, malformed(`"claim" and "supported" in every verdict`, fmt.Sprintf("not both in verdict %d", i+1))
		}
		var ok bool
		if yes[i], ok = readTruth(v.Supported); !ok {
			return nil, nil, malformed(`true or false for "supported"`, fmt.Sprintf("%s in verdict %d", cut(string(v.Supported), 80), i+1))
		}
	}
	miscounted := func(got string) error {
		return &ReplyError{Kind: ErrMiscounted, Want: fmt.Sprintf("one verdict for each of %d claims", len(claims)), Got: got, Raw: reply}
	}
	if len(*r.Verdicts) != len(claims) {
		return nil, nil, miscounted(fmt.Sprint(len(*r.Verdicts)))
	}
	verdicts := make([]Verdict, len(claims))
	given := make([]bool, len(claims))
	for i, v := range *r.Verdicts {
		n := *v.Claim
		switch {
		case n < 1 || n > len(claims):
			return nil, nil, miscounted(fmt.Sprintf("one for claim %d, which was not asked about", n))
		case given[n-1]:
			return nil, nil, miscounted(fmt.Sprintf("two for claim %d", n))
		}
		given[n-1] = true
		verdicts[n-1] = Verdict{Claim: claims[n-1], OK: yes[i], Quote: v.Quote, Reason: v.Reason}
	}
	return raw, verdicts, nil
}
