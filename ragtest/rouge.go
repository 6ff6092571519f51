package ragtest

import (
	"context"

	"github.com/ragomega/ragomega/ragtest/lexical"
)

// ROUGE compares Response with Reference by their words, from 0 to 1: the F1 score
// of the answer's that the reference has (precision) and the reference's that the
// answer has (recall); its methods choose one of the two. See [lexical.ROUGE.Compare].
//
// Nobody is asked. Words are compared in lower case and, if they are English, without
// their endings; only the letters a to z and digits make words, so that a text in
// another script has 0, even against itself: for those there is Unicode. The verdicts
// are of precision and recall, with the words that are missing.
//
// They equal Google's rouge_score with its stemmer, which Ragas uses; ROUGE-2 is not
// in Ragas.
var (
	// ROUGE1 compares single words, in any order.
	ROUGE1 = rouge{name: "rouge_1", what: "words", n: 1}
	// ROUGE2 compares pairs of neighbouring words.
	ROUGE2 = rouge{name: "rouge_2", what: "2-grams", n: 2}
	// ROUGEL compares words that come in the same order in both, with others in between
	// or not.
	ROUGEL = rouge{name: "rouge_l", what: "words", how: ", in the same order"}
)

type rouge struct {
	ofTexts
	name    string
	side    string // "" is F1
	what    string // is compared
	how     string
	n       int
	unicode bool
}

// Precision returns a copy of m that is the share of the answer's words alone.
func (m rouge) Precision() rouge {
	m.side = "_precision"
	return m
}

// Recall returns a copy of m that is the share of the reference's words alone.
func (m rouge) Recall() rouge {
	m.side = "_recall"
	return m
}

// Unicode returns a copy of m whose words are those of [lexical.UnicodeWords], for
// text in any script. Nothing is stemmed.
func (m rouge) Unicode() rouge {
	m.unicode = true
	return m
}

func (m rouge) Name() string {
	if m.unicode {
		return m.name + "_unicode" + m.side
	}
	return m.name + m.side
}

func (m rouge) Measure(_ context.Context, _ *Judge, s Sample) (Score, error) {
	options := lexical.ROUGE{N: m.n}
	if m.unicode {
		options.Tokenize = lexical.UnicodeWords
	}
	r := options.Compare(s.Response, s.Reference)
	answer, reference := ofAnswer(r.Overlap, m.what, m.how), ofReference(r.Overlap, m.what, m.how)
	if !m.unicode && !blank(s.Response) && r.Answer == 0 {
		answer.Reason = "it has no words of the letters a to z; for other scripts there is Unicode"
	}
	if !m.unicode && !blank(s.Reference) && r.Reference == 0 {
		reference.Reason = "it has no words of the letters a to z; for other scripts there is Unicode"
	}
	score := Score{Metric: m.Name(), Weighed: true}
	switch m.side {
	case "_precision":
		score.Value, score.Verdicts = r.Precision(), []Verdict{answer}
	case "_recall":
		score.Value, score.Verdicts = r.Recall(), []Verdict{reference}
	default:
		score.Value, score.Verdicts = r.F1, []Verdict{answer, reference}
	}
	return score, nil
}
