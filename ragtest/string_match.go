package ragtest

import (
	"context"
	"fmt"
	"strings"
)

// ExactMatch is 1 if Response is Reference to the letter, and else 0, with nothing
// left out of account: neither case nor white space nor how a letter with an accent
// is composed. Nobody is asked, and blank texts are texts. The verdict says where the
// two part. It is Ragas' exact match.
var ExactMatch = exactMatch{}

type exactMatch struct{ ofTexts }

func (exactMatch) Name() string { return "exact_match" }

func (m exactMatch) Measure(_ context.Context, _ *Judge, s Sample) (Score, error) {
	v := Verdict{Claim: "the answer is the reference", OK: s.Response == s.Reference, Reason: parting(s.Response, s.Reference)}
	return Score{Metric: m.Name(), Value: share([]Verdict{v}), Verdicts: []Verdict{v}}, nil
}

// parting says where an answer and a reference begin to differ, "" if they do not.
// Letters that look alike are told apart by their code points.
func parting(answer, reference string) string {
	if answer == reference {
		return ""
	}
	x, y := []rune(answer), []rune(reference)
	i := 0
	for i < min(len(x), len(y)) && x[i] == y[i] {
		i++
	}
	if i == len(x) && i == len(y) {
		return "they differ in bytes that are not UTF-8"
	}
	return fmt.Sprintf("from letter %d on the answer has %s and the reference %s", i+1, from(x, i), from(y, i))
}

// from shows a text from letter i on.
func from(text []rune, i int) string {
	const most = 30
	switch rest := text[i:]; {
	case len(rest) == 0:
		return "nothing more"
	case rest[0] < 0x80 && len(rest) > most:
		return fmt.Sprintf("%q", string(rest[:most])+"…")
	case rest[0] < 0x80:
		return fmt.Sprintf("%q", string(rest))
	default:
		return fmt.Sprintf("%q (%U)", string(rest[:min(most, len(rest))]), rest[0])
	}
}

// StringPresence is 1 if Response has Reference in it, to the letter, and else 0: for
// answers that must name a number or a word. It needs Reference; nobody is asked. It
// is Ragas' string presence, but that a blank reference, which is in any text, is an
// [InputError].
var StringPresence = stringPresence{}

type stringPresence struct{ ofTexts }

func (stringPresence) Name() string { return "string_presence" }

func (m stringPresence) Measure(_ context.Context, _ *Judge, s Sample) (Score, error) {
	if err := needReference(s); err != nil {
		return Score{}, err
	}
	v := Verdict{Claim: s.Reference, OK: strings.Contains(s.Response, s.Reference)}
	if !v.OK {
		v.Reason = "the answer does not have it"
		v.Quote = nearest(s.Reference, []string{s.Response})
	}
	return Score{Metric: m.Name(), Value: share([]Verdict{v}), Verdicts: []Verdict{v}}, nil
}
