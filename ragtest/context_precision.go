package ragtest

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/ragomega/ragomega/cache"
)

// ContextPrecision tells, from 0 to 1, whether the contexts that are useful to
// arrive at the reference were ranked above those that are not. It is the
// average precision of the ranking: 1 if all useful contexts come first, however
// many others follow, and 0 if none is useful.
//
// It needs UserInput, Reference and RetrievedContexts, best first. The judge is
// asked about each context alone: one call a context. A blank context is not
// useful, and nobody is asked about it. Equal contexts are one question, paid
// for once, and count at each rank.
//
// The score is Ragas' LLM context precision with reference, with these
// differences: it has no epsilon, so that a perfect ranking is exactly 1; a
// verdict is yes or no. Without a reference there is no such score:
// [ContextUtilization] is another question, and has another name.
var ContextPrecision = contextPrecision{}

type contextPrecision struct{}

func (contextPrecision) Name() string                     { return "context_precision" }
func (contextPrecision) Range() (lowest, highest float64) { return 0, 1 }

func (m contextPrecision) Measure(ctx context.Context, j *Judge, s Sample) (Score, error) {
	if err := needs(needQuestion(s), needReference(s), needContexts(s)); err != nil {
		return Score{}, err
	}
	return j.ranking(ctx, m.Name(), s, s.Reference, "the reference")
}

// ContextUtilization tells, from 0 to 1, whether the contexts that are useful to
// arrive at the answer were ranked above those that are not. It is what
// [ContextPrecision] is, judged by the answer that was given: a wrong answer
// that rests on the first context has a utilization of 1.
//
// It needs UserInput, Response and RetrievedContexts, best first; one call a
// context. The score is Ragas' LLM context precision without reference, with the
// differences that ContextPrecision has.
var ContextUtilization = contextUtilization{}

type contextUtilization struct{}

func (contextUtilization) Name() string                     { return "context_utilization" }
func (contextUtilization) Range() (lowest, highest float64) { return 0, 1 }

func (m contextUtilization) Measure(ctx context.Context, j *Judge, s Sample) (Score, error) {
	if err := needs(needQuestion(s), needResponse(s), needContexts(s)); err != nil {
		return Score{}, err
	}
	return j.ranking(ctx, m.Name(), s, s.Response, "the answer")
}

// ranking is the average precision of a sample's contexts. An answer is what
// they have to be useful for, and role is what messages call it.
func (j *Judge) ranking(ctx context.Context, metric string, s Sample, answer, role string) (Score, error) {
	verdicts := make([]Verdict, len(s.RetrievedContexts))
	err := each(ctx, len(verdicts), func(ctx context.Context, i int) error {
		document := s.RetrievedContexts[i]
		v := Verdict{Claim: shorten(document, 200), Part: fmt.Sprintf("context %d", i+1), Reason: "the context is blank"}
		if !blank(document) {
			u, err := j.useful(ctx, s.UserInput, answer, role, document)
			if err != nil {
				return err
			}
			v.OK, v.Reason, v.P, v.Overruled = u.OK, u.Reason, u.P, u.Overruled
		}
		verdicts[i] = v
		return nil
	})
	if err != nil {
		return Score{}, err
	}
	wanted := make([]bool, len(verdicts))
	for i, v := range verdicts {
		wanted[i] = v.OK
	}
	return Score{Metric: metric, Value: averagePrecision(wanted), Verdicts: verdicts}, nil
}

// use is the verdict on a document as the judge writes it.
type use struct {
	Reason string `json:"reason"`
	Useful truth  `json:"useful"`
}

const useSchema = `{"type":"object","properties":{"reason":{"type":"string"},"useful":{"type":"boolean"}},"required":["reason","useful"],"additionalProperties":false}`

// useful asks whether a document helps to arrive at an answer.
func (j *Judge) useful(ctx context.Context, question_, answer, role, document string) (Verdict, error) {
	p, err := j.prompt("useful")
	if err != nil {
		return Verdict{}, err
	}
	t, err := j.threshold(p)
	if err != nil {
		return Verdict{}, err
	}
	var u use
	var yes map[string]float64
	err = j.ask(ctx, question{
		prompt: p,
		data: struct {
			Question string `json:"question"`
			Answer   string `json:"answer"`
			Document string `json:"document"`
		}{question_, answer, document},
		schema: json.RawMessage(useSchema),
		about:  shorten(question_, 100) + " | " + shorten(document, 200),
		parts: []cache.Part{
			cache.TextPart("question", "the question", question_),
			cache.TextPart("answer", role, answer),
			cache.TextPart("document", "the context", document),
		},
		read: func(reply string) (raw json.RawMessage, err error) {
			raw, u, err = readUse(reply)
			return raw, err
		},
		weighed: func(of map[string]float64) { yes = of },
		differs: otherwise(readUse, func(a, b use) bool { return a.Useful == b.Useful }),
	})
	return t.decided(Verdict{OK: u.Useful.yes, Reason: u.Reason, P: yes["useful"]}), err
}

func readUse(reply string) (json.RawMessage, use, error) {
	var u use
	raw, err := parse(reply, &u)
	if err == nil && !u.Useful.given {
		err = &ReplyError{Kind: ErrMalformed, Want: `the field "useful"`, Got: keys(raw), Raw: reply}
	}
	return raw, u, err
}
