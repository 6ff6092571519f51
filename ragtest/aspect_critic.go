package ragtest

import (
	"context"
	"encoding/json"

	"github.com/ragomega/ragomega/cache"
)

// AspectCritic returns a metric that decides one yes or no by your words, such
// as "Is the answer polite?": 1 is a yes, 0 a no.
//
//	polite := ragtest.AspectCritic("polite", "Is the response polite?").Votes(3)
//
// It needs Response. Whatever else the sample has is shown too, under its name in
// JSON: user_input, retrieved_contexts, reference and reference_contexts. The
// definition is sent beside the texts, as data; it only says what to judge. One
// call, or one a vote. A blank name or definition is an error of every
// measurement.
//
// The score is Ragas' aspect critic, with these differences: a verdict is yes or
// no; nothing is asked without an answer; Votes counts votes, where Ragas'
// strictness takes the first.
func AspectCritic(name, definition string) aspectCritic {
	return aspectCritic{name: name, definition: definition, votes: 1}
}

type aspectCritic struct {
	name, definition string
	votes            int
}

// Votes returns a copy of m that asks n times, in parallel, and takes the
// majority; an even n is raised by one. Each vote is a draw of its own, see
// [Judge.Trial], and is kept under its own key. A judge of temperature 0 votes at
// temperature 0.3, as its votes would all be the same.
func (m aspectCritic) Votes(n int) aspectCritic {
	m.votes = n
	return m
}

func (m aspectCritic) Name() string                     { return m.name }
func (m aspectCritic) Range() (lowest, highest float64) { return 0, 1 }

func (m aspectCritic) Measure(ctx context.Context, j *Judge, s Sample) (Score, error) {
	if err := needs(checkOwn("AspectCritic", m.name, m.definition, m.votes), needResponse(s)); err != nil {
		return Score{}, err
	}
	verdicts, err := j.vote(ctx, m.votes|1, func(ctx context.Context, j *Judge) (Verdict, error) {
		return j.aspect(ctx, m.definition, show(s))
	})
	if err != nil {
		return Score{}, err
	}
	value := 0.0
	if 2*passed(verdicts) > len(verdicts) {
		value = 1
	}
	return Score{Metric: m.Name(), Value: value, Verdicts: verdicts}, nil
}

// opinion is the verdict on an aspect as the judge writes it.
type opinion struct {
	Reason  string `json:"reason"`
	Verdict truth  `json:"verdict"`
}

const opinionSchema = `{"type":"object","properties":{"reason":{"type":"string"},"verdict":{"type":"boolean"}},"required":["reason","verdict"],"additionalProperties":false}`

// aspect asks for one vote.
func (j *Judge) aspect(ctx context.Context, definition string, texts shown) (Verdict, error) {
	p, err := j.prompt("aspect")
	if err != nil {
		return Verdict{}, err
	}
	var o opinion
	err = j.ask(ctx, question{
		prompt: p,
		data: struct {
			Aspect string `json:"aspect"`
			shown
		}{definition, texts},
		schema: json.RawMessage(opinionSchema),
		about:  shorten(definition, 200) + " | " + shorten(texts.Response, 200),
		parts:  append([]cache.Part{cache.TextPart("aspect", "the definition", definition)}, texts.parts()...),
		read: func(reply string) (raw json.RawMessage, err error) {
			raw, o, err = readOpinion(reply)
			return raw, err
		},
		differs: otherwise(readOpinion, func(a, b opinion) bool { return a.Verdict == b.Verdict }),
	})
	return Verdict{Claim: definition, OK: o.Verdict.yes, Reason: o.Reason}, err
}

func readOpinion(reply string) (json.RawMessage, opinion, error) {
	var o opinion
	raw, err := parse(reply, &o)
	if err == nil && !o.Verdict.given {
		err = &ReplyError{Kind: ErrMalformed, Want: `the field "verdict"`, Got: keys(raw), Raw: reply}
	}
	return raw, o, err
}
