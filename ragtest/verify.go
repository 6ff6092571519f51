package ragtest

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/ragomega/ragomega/cache"
)

// PerClaim returns a copy of j that checks every claim in a request of its own,
// where otherwise all claims of a text are checked in one. That costs a call a
// claim, and sends the contexts each time; in return no claim's verdict depends
// on the others, and a claim that comes back in another answer is not asked
// about again.
func (j *Judge) PerClaim() *Judge {
	c := *j
	c.perClaim = true
	return &c
}

// MaxClaims returns a copy of j that checks at most n claims of a text, spread
// evenly over it, in [Faithfulness] and [ContextRecall]; 0, the default, is all.
// Judges do worse on a long list of claims, and the longer the answer, the more
// of it is likely to be called supported. How many claims were left out stands
// beside the score.
func (j *Judge) MaxClaims(n int) *Judge {
	c := *j
	c.most = max(n, 0)
	return &c
}

// clipped returns the claims that are to be checked, and how many are not.
func (j *Judge) clipped(claims []string) (checked []string, left int) {
	if j.most == 0 || len(claims) <= j.most {
		return claims, 0
	}
	for i := range j.most {
		checked = append(checked, claims[i*len(claims)/j.most])
	}
	return checked, len(claims) - j.most
}

// verify has the judge check every claim against the contexts. The verdicts come
// in the order of the claims, one for each.
func (j *Judge) verify(ctx context.Context, claims, contexts []string) ([]Verdict, error) {
	if !j.perClaim {
		return j.verifyAll(ctx, claims, contexts)
	}
	verdicts := make([]Verdict, len(claims))
	err := each(ctx, len(claims), func(ctx context.Context, i int) error {
		v, err := j.verifyAll(ctx, claims[i:i+1], contexts)
		if err == nil {
			verdicts[i] = v[0]
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return verdicts, nil
}

// verifyAll is one request.
func (j *Judge) verifyAll(ctx context.Context, claims, contexts []string) ([]Verdict, error) {
	p, err := j.prompt("verify")
	if err != nil {
		return nil, err
	}
	t, err := j.threshold(p)
	if err != nil {
		return nil, err
	}
	if j.probabilities && p.version == 1 {
		return nil, fmt.Errorf("the verdicts of prompt %s have no probabilities: leave out Judge.Probabilities, or use verify/v2", p)
	}
	q, form := verifyV2(claims, contexts), readVerdictsV2
	if p.version == 1 {
		q, form = verifyV1(claims, contexts), readVerdictsV1
	}
	read := func(reply string) (json.RawMessage, []Verdict, error) {
		raw, verdicts, err := form(reply, claims)
		for i, v := range verdicts {
			if p.version > 1 && p.shows(v.Reason) {
				err = &ReplyError{Kind: ErrMalformed, Want: "a reason for each verdict", Got: fmt.Sprintf("for claim %d that of an example of the prompt (%q)", i+1, shorten(v.Reason, 200)), Raw: reply}
			}
		}
		return raw, verdicts, err
	}
	q.prompt = p
	q.about = shorten(strings.Join(claims, " | "), 400)
	q.parts = append([]cache.Part{cache.TextPart("claims", "the claims", strings.Join(claims, "\x00"))}, textParts("context", contexts)...)
	var verdicts []Verdict
	q.read = func(reply string) (raw json.RawMessage, err error) {
		raw, verdicts, err = read(reply)
		return raw, err
	}
	var yes map[string]float64
	if p.version > 1 {
		q.weighed = func(of map[string]float64) { yes = of }
	}
	q.differs = otherwise(read, func(a, b []Verdict) bool {
		return slices.EqualFunc(a, b, func(a, b Verdict) bool { return a.OK == b.OK })
	})
	if err := j.ask(ctx, q); err != nil {
		return nil, err
	}
	for i, v := range verdicts {
		if v.P = yes[strconv.Itoa(i+1)+".supported"]; j.probabilities && v.P == 0 {
			return nil, &ReplyError{Kind: ErrMalformed, Step: p.String(), Want: "a probability for each verdict", Got: fmt.Sprintf("none for claim %d", i+1)}
		}
		v = t.decided(v)
		if !v.OK && v.Quote == "" {
			v.Quote = nearest(v.Claim, contexts)
		}
		verdicts[i] = v
	}
	return verdicts, nil
}

// verifyV2 is the form of verify/v2 and its like: an entry for each claim, with
// the reason before the verdict.
func verifyV2(claims, contexts []string) question {
	n := numbered{texts: claims}
	data := struct {
		Documents []string `json:"documents"`
		Claims    numbered `json:"claims"`
	}{contexts, n}
	return question{data: data, schema: entriesSchema(n.keys(), findingSchema)}
}

const findingSchema = `{"type":"object","properties":{"reason":{"type":"string"},"supported":{"type":"boolean"}},"required":["reason","supported"],"additionalProperties":false}`

// finding is a verdict as the judge writes it.
type finding struct {
	Reason    string `json:"reason"`
	Supported truth  `json:"supported"`
}

func (f finding) check() (want, got string) {
	if !f.Supported.given {
		return `"supported" in every entry`, "none"
	}
	return "", ""
}

func readVerdictsV2(reply string, claims []string) (json.RawMessage, []Verdict, error) {
	raw, found, err := readEntries(reply, numbered{texts: claims}.keys(), "claims", finding.check)
	if err != nil {
		return nil, nil, err
	}
	verdicts := make([]Verdict, len(found))
	for i, f := range found {
		verdicts[i] = Verdict{Claim: claims[i], OK: f.Supported.yes, Reason: f.Reason}
	}
	return raw, verdicts, nil
}
