package ragtest

import (
	"encoding/json"
	"fmt"
)

// verifyV1 is the form of verify/v1: a list of verdicts, each with the number of
// its claim and a quote.
func verifyV1(claims, contexts []string) question {
	type claim struct {
		Number int    `json:"claim"`
		Text   string `json:"text"`
	}
	data := struct {
		Documents []string `json:"documents"`
		Claims    []claim  `json:"claims"`
	}{Documents: contexts}
	for i, c := range claims {
		data.Claims = append(data.Claims, claim{i + 1, c})
	}
	return question{data: data, schema: verifyV1Schema(len(claims))}
}

// verifyV1Schema asks for n verdicts. The judge writes the fields in this order:
// it looks for the words, compares, and only then decides.
func verifyV1Schema(n int) json.RawMessage {
	return json.RawMessage(fmt.Sprintf(`{"type":"object","properties":{"verdicts":{"type":"array","minItems":%d,"maxItems":%d,"items":{"type":"object",`+
		`"properties":{"claim":{"type":"integer"},"quote":{"type":"string"},"reason":{"type":"string"},"supported":{"type":"boolean"}},`+
		`"required":["claim","quote","reason","supported"],"additionalProperties":false}}},"required":["verdicts"],"additionalProperties":false}`, n, n))
}

func readVerdictsV1(reply string, claims []string) (json.RawMessage, []Verdict, error) {
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
