package ragtest

import (
	"context"

	"github.com/ragomega/ragomega/cache"
)

// Criteria returns a metric that gives an integer by your words, such as "Score
// 0 to 5 by how friendly the response is". It has no range, as only your words
// know it. A rubric that says what each score means is a better scale: see
// [Rubric].
//
// It needs Response. Whatever else the sample has is shown too, under its name in
// JSON: user_input, retrieved_contexts, reference and reference_contexts. The
// definition is sent beside the texts, as data. One call, or one a vote. A vote
// is a verdict: its Value is the integer, and it is a yes if it is the score. A
// blank name or definition is an error of every measurement.
//
// The score is Ragas' simple criteria, with these differences: nothing is asked
// without an answer; Votes counts votes, where Ragas' strictness takes the first.
func Criteria(name, definition string) criteria {
	return criteria{name: name, definition: definition, votes: 1}
}

type criteria struct {
	name, definition string
	votes            int
}

// Votes returns a copy of m that asks n times, in parallel, and takes the most
// frequent integer, of equally frequent ones the smallest. Each vote is a draw of
// its own, see [Judge.Trial], and is kept under its own key. A judge of
// temperature 0 votes at temperature 0.3, as its votes would all be the same.
func (m criteria) Votes(n int) criteria {
	m.votes = n
	return m
}

func (m criteria) Name() string { return m.name }

func (m criteria) Measure(ctx context.Context, j *Judge, s Sample) (Score, error) {
	if err := needs(checkOwn("Criteria", m.name, m.definition, m.votes), needResponse(s)); err != nil {
		return Score{}, err
	}
	texts := show(s)
	q := question{
		data: struct {
			Criteria string `json:"criteria"`
			shown
		}{m.definition, texts},
		about: shorten(m.definition, 200) + " | " + shorten(texts.Response, 200),
		parts: append([]cache.Part{cache.TextPart("criteria", "the definition", m.definition)}, texts.parts()...),
	}
	verdicts, err := j.vote(ctx, m.votes, func(ctx context.Context, j *Judge) (Verdict, error) {
		r, err := j.rate(ctx, "criteria", nil, q)
		return Verdict{Claim: m.definition, Value: float64(r.Value), Reason: r.Reason}, err
	})
	if err != nil {
		return Score{}, err
	}
	value := mostFrequent(verdicts)
	for i := range verdicts {
		verdicts[i].OK = verdicts[i].Value == value
	}
	return Score{Metric: m.Name(), Value: value, Verdicts: verdicts}, nil
}

// mostFrequent returns the value that most verdicts have, of several the
// smallest.
func mostFrequent(verdicts []Verdict) float64 {
	count := map[float64]int{}
	most := verdicts[0].Value
	for _, v := range verdicts {
		count[v.Value]++
	}
	for value, n := range count {
		if n > count[most] || n == count[most] && value < most {
			most = value
		}
	}
	return most
}
