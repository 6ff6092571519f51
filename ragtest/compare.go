package ragtest

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/ragomega/ragomega/cache"
)

// compare has the judge look for every claim of the answer in the reference's,
// and the other way round. The verdicts are the answer's, then the reference's,
// each in the order of the claims. Where one of the two makes no claim, none is
// found, and nobody is asked.
func (j *Judge) compare(ctx context.Context, question_ string, answer, reference []string) ([]Verdict, error) {
	a, r := numbered{"a", answer}, numbered{"r", reference}
	verdicts := make([]Verdict, 0, len(answer)+len(reference))
	for _, c := range answer {
		verdicts = append(verdicts, Verdict{Claim: c, Part: "answer", Reason: "the reference makes no claim"})
	}
	for _, c := range reference {
		verdicts = append(verdicts, Verdict{Claim: c, Part: "reference", Reason: "the answer makes no claim"})
	}
	if len(answer) == 0 || len(reference) == 0 {
		return verdicts, nil
	}
	p, err := j.prompt("compare")
	if err != nil {
		return nil, err
	}
	keys := slices.Concat(a.keys(), r.keys())
	read := func(reply string) (json.RawMessage, []match, error) {
		return readEntries(reply, keys, "claims", match.check)
	}
	err = j.ask(ctx, question{
		prompt: p,
		data: struct {
			Question  string   `json:"question"`
			Answer    numbered `json:"answer"`
			Reference numbered `json:"reference"`
		}{question_, a, r},
		schema: entriesSchema(keys, matchSchema),
		about:  shorten("answer: "+strings.Join(answer, " | "), 200) + "; " + shorten("reference: "+strings.Join(reference, " | "), 200),
		parts: []cache.Part{
			cache.TextPart("question", "the question", question_),
			cache.TextPart("answer", "the claims of the answer", strings.Join(answer, "\x00")),
			cache.TextPart("reference", "the claims of the reference", strings.Join(reference, "\x00")),
		},
		read: func(reply string) (json.RawMessage, error) {
			raw, matches, err := read(reply)
			for i, m := range matches {
				verdicts[i].OK, verdicts[i].Reason = m.Found.yes, m.Reason
			}
			return raw, err
		},
		differs: otherwise(read, func(a, b []match) bool {
			return slices.EqualFunc(a, b, func(a, b match) bool { return a.Found == b.Found })
		}),
	})
	if err != nil {
		return nil, err
	}
	return verdicts, nil
}

const matchSchema = `{"type":"object","properties":{"reason":{"type":"string"},"found":{"type":"boolean"}},"required":["reason","found"],"additionalProperties":false}`

// match is what the judge writes of one claim.
type match struct {
	Reason string `json:"reason"`
	Found  truth  `json:"found"`
}

func (m match) check() (want, got string) {
	if !m.Found.given {
		return `"found" in every entry`, "none"
	}
	return "", ""
}
