package ragtest

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"

	"github.com/ragomega/ragomega/cache"
)

// AnswerRelevance tells how well the answer fits the question, from -1 to 1. A
// judge that sees only the answer writes questions that it answers; the score is
// the mean cosine of their embeddings with that of the question that was asked.
// Whether the answer is true does not matter. Good answers seldom reach 1, and
// poor ones seldom 0: how far apart they lie is up to the embedding model. The
// score is exactly 0 if the judge finds the answer evasive.
//
// It needs UserInput and Response, and a judge with an embedder, see
// [Judge.WithEmbedder]. It makes one call for all questions and one for all
// embeddings; an evasive answer needs none of these. A vector that is zero is
// [ErrBadVector].
//
// The score is Ragas' answer relevancy (Es et al., RAGAS, 2023), with these
// differences: the questions are asked for in one request, as different ones,
// where Ragas draws one question several times; a blank question is an error;
// vectors of an evasive answer are not looked at. As in Ragas, one question that
// is called no evasion is enough for all to count.
var AnswerRelevance = answerRelevance{questions: 3}

type answerRelevance struct{ questions int }

// Questions returns a copy of m with n questions for each answer; the default is
// 3. More make the score less a matter of chance.
func (m answerRelevance) Questions(n int) answerRelevance {
	m.questions = n
	return m
}

func (answerRelevance) Name() string                     { return "answer_relevance" }
func (answerRelevance) Range() (lowest, highest float64) { return -1, 1 }

func (m answerRelevance) Measure(ctx context.Context, j *Judge, s Sample) (Score, error) {
	if err := needs(needQuestion(s), needResponse(s), m.check()); err != nil {
		return Score{}, err
	}
	if _, err := j.Embedder(); err != nil {
		return Score{}, err // before the questions are paid for
	}
	verdicts, err := j.questions(ctx, s.Response, m.questions)
	if err != nil {
		return Score{}, err
	}
	if passed(verdicts) == 0 {
		return Score{Metric: m.Name(), Verdicts: verdicts}, nil
	}
	texts := []string{s.UserInput}
	for _, v := range verdicts {
		texts = append(texts, v.Claim)
	}
	vectors, err := j.vectors(ctx, texts...)
	if err != nil {
		return Score{}, err
	}
	sum := 0.0
	for i := range verdicts {
		v := &verdicts[i]
		v.Value = cosine(vectors[i+1], vectors[0])
		sum += v.Value
	}
	return Score{Metric: m.Name(), Value: sum / float64(len(verdicts)), Verdicts: verdicts}, nil
}

func (m answerRelevance) check() error {
	if m.questions < 1 {
		return fmt.Errorf("AnswerRelevance.Questions: at least 1 question is needed, not %d", m.questions)
	}
	return nil
}

// questions has the judge write n questions that a text answers. A verdict is
// about one of them, and says whether the text does not evade it.
func (j *Judge) questions(ctx context.Context, text string, n int) ([]Verdict, error) {
	p, err := j.prompt("questions")
	if err != nil {
		return nil, err
	}
	t, err := j.threshold(p)
	if err != nil {
		return nil, err
	}
	keys := numbered{texts: make([]string, n)}.keys()
	read := func(reply string) (json.RawMessage, []written, error) {
		return readEntries(reply, keys, "questions", func(w written) (want, got string) { return w.check(p) })
	}
	var verdicts []Verdict
	var evasive map[string]float64
	err = j.ask(ctx, question{
		prompt: p,
		data: struct {
			Questions int    `json:"questions"`
			Text      string `json:"text"`
		}{n, text},
		schema: entriesSchema(keys, writtenSchema),
		about:  shorten(text, 200),
		parts: []cache.Part{
			cache.TextPart("text", "the answer", text),
			{Name: "questions", Value: strconv.Itoa(n), Label: "the number of questions"},
		},
		read: func(reply string) (json.RawMessage, error) {
			raw, entries, err := read(reply)
			verdicts = nil
			for i, w := range entries {
				v := Verdict{Claim: w.Question, OK: !w.Noncommittal.yes}
				if p, ok := evasive[keys[i]+".noncommittal"]; ok {
					v.P = 1 - p
				}
				v = t.decided(v)
				if !v.OK {
					v.Reason = "the answer is evasive"
				}
				verdicts = append(verdicts, v)
			}
			return raw, err
		},
		weighed: func(yes map[string]float64) { evasive = yes },
		// Any other wording has another vector.
		differs: otherwise(read, slices.Equal),
	})
	return verdicts, err
}

const writtenSchema = `{"type":"object","properties":{"question":{"type":"string"},"noncommittal":{"type":"boolean"}},"required":["question","noncommittal"],"additionalProperties":false}`

// written is a question as the judge writes it.
type written struct {
	Question     string `json:"question"`
	Noncommittal truth  `json:"noncommittal"`
}

func (w written) check(p prompt) (want, got string) {
	switch {
	case blank(w.Question):
		return `a "question" in every entry`, "none"
	case p.shows(w.Question):
		return "questions that the text answers", "an example of the prompt"
	case !w.Noncommittal.given:
		return `"noncommittal" in every entry`, "none"
	}
	return "", ""
}
