package ragtest

import (
	"context"
	"fmt"
	"math"
	"strings"
	"unicode/utf8"

	"github.com/ragomega/ragomega/cache"
)

// Summary tells how well Response sums up ReferenceContexts, from 0 to 1: it
// weighs what the summary has kept against how short it is. What it has kept is
// the share of questions about the text that can be answered with yes from the
// summary alone. How short it is, is the share of the text's characters that it
// saves; a summary longer than the text saves none.
//
// It needs Response and ReferenceContexts, the text in one piece or several. The
// judge finds the keyphrases of the text, writes the questions, and answers them
// without seeing the text: three calls. Each question is a verdict. No keyphrase,
// or no question, is [ErrUndefined].
//
// The score is Ragas' summarization score, with these differences: every question
// has one answer, yes or no; it has no epsilon; without the length penalty it is
// the share of questions itself, where Ragas still weighs it by half.
var Summary = summary{coefficient: 0.5}

type summary struct {
	coefficient float64 // the weight of the length
	anyLength   bool
}

// WithoutLengthPenalty returns a copy of m that scores only what the summary has
// kept.
func (m summary) WithoutLengthPenalty() summary {
	m.anyLength = true
	return m
}

// Coefficient returns a copy of m that gives the length the weight c, from 0 to
// 1, and what was kept the rest. The default is 0.5. Another value is an error of
// every measurement.
func (m summary) Coefficient(c float64) summary {
	m.coefficient = c
	return m
}

func (summary) Name() string                     { return "summary" }
func (summary) Range() (lowest, highest float64) { return 0, 1 }

func (m summary) Measure(ctx context.Context, j *Judge, s Sample) (Score, error) {
	if err := needs(m.check(), needResponse(s), needTexts("ReferenceContexts", s.ReferenceContexts)); err != nil {
		return Score{}, err
	}
	var pieces []string
	for _, c := range s.ReferenceContexts {
		if !blank(c) {
			pieces = append(pieces, c)
		}
	}
	text := strings.Join(pieces, "\n")
	questions, err := j.quiz(ctx, text)
	if err != nil {
		return Score{}, err
	}
	answers, err := j.decide(ctx, "quiz_answers", "yes", "questions", questions, question{
		data: struct {
			Summary   string   `json:"summary"`
			Questions numbered `json:"questions"`
		}{s.Response, numbered{texts: questions}},
		about: shorten(strings.Join(questions, " | "), 400),
		parts: []cache.Part{
			cache.TextPart("summary", "the summary", s.Response),
			cache.TextPart("questions", "the questions", strings.Join(questions, "\x00")),
		},
	})
	if err != nil {
		return Score{}, err
	}
	verdicts := make([]Verdict, len(questions))
	for i, a := range answers {
		verdicts[i] = Verdict{Claim: questions[i], OK: a.Yes, Reason: a.Reason}
	}
	return Score{Metric: m.Name(), Value: m.weigh(share(verdicts), s.Response, text), Verdicts: verdicts}, nil
}

func (m summary) check() error {
	if math.IsNaN(m.coefficient) || m.coefficient < 0 || m.coefficient > 1 {
		return fmt.Errorf("Summary.Coefficient: a weight from 0 to 1 is needed, not %v", m.coefficient)
	}
	return nil
}

// weigh returns the score of a summary that has kept a share of the text.
func (m summary) weigh(kept float64, summary, text string) float64 {
	if m.anyLength {
		return kept
	}
	whole := utf8.RuneCountInString(text)
	saved := 1 - float64(min(utf8.RuneCountInString(summary), whole))/float64(whole)
	return float64(kept*(1-m.coefficient)) + float64(saved*m.coefficient)
}

// quiz returns questions about a text. They depend on nothing else, so that all
// summaries of it are asked the same.
func (j *Judge) quiz(ctx context.Context, text string) ([]string, error) {
	part := cache.TextPart("text", "the reference contexts", text)
	phrases, err := j.texts(ctx, "keyphrases", "keyphrases", question{
		data: struct {
			Text string `json:"text"`
		}{text},
		about: shorten(text, 200),
		parts: []cache.Part{part},
	})
	if err != nil {
		return nil, err
	}
	if len(phrases) == 0 {
		return nil, fmt.Errorf("%w: the reference contexts have no keyphrase, so there is nothing that a summary could keep", ErrUndefined)
	}
	questions, err := j.texts(ctx, "quiz", "questions", question{
		data: struct {
			Text       string   `json:"text"`
			Keyphrases []string `json:"keyphrases"`
		}{text, phrases},
		about: shorten(strings.Join(phrases, " | "), 400),
		parts: []cache.Part{part, cache.TextPart("keyphrases", "the keyphrases", strings.Join(phrases, "\x00"))},
	})
	if err == nil && len(questions) == 0 {
		err = fmt.Errorf("%w: there is no question to ask about the reference contexts", ErrUndefined)
	}
	return questions, err
}
