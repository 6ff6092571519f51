package ragtest

import (
	"context"
	"fmt"
)

// FactualCorrectness compares the answer with the reference claim by claim, from
// 0 to 1. It is an F1 score: the answer's claims that the reference supports are
// right, those that it does not are wrong, and the reference's claims that the
// answer does not support are missing. Its methods choose precision or recall
// alone, another weight of the two, and how fine the claims are.
//
// It needs Response and Reference; UserInput is optional and helps to understand
// a short answer. The judge splits each text into claims and checks them against
// the other text: four calls, or two for precision or recall alone. Without
// claims of the reference, or of the answer where precision alone is asked for,
// the score is [ErrUndefined]. The F1 of an answer that makes no claim is 0, and
// nothing is checked.
//
// The score is Ragas' factual correctness, with these differences: it is not
// rounded and has no epsilon; every claim has exactly one verdict; nothing to
// count is no 0. Recall alone is the share of the reference's claims, where Ragas
// has right claims of the answer over those and the missing ones. The F score is
// as in Ragas, so it is not quite the mean of the precision and recall that are
// measured alone.
var FactualCorrectness = factualCorrectness{beta: 1}

// Level is how much of something is wanted.
type Level int

// The levels of [FactualCorrectness].
const (
	High Level = iota // the default
	Low
)

type factualCorrectness struct {
	sides     sides
	beta      float64
	atomicity Level
	coverage  Level
}

// sides are the texts whose claims are counted.
type sides int

const (
	bothSides sides = iota
	answerSide
	referenceSide
)

// Precision returns a copy that is the share of the answer's claims that the
// reference supports: two calls. What the answer leaves out does not matter.
func (m factualCorrectness) Precision() factualCorrectness {
	m.sides, m.beta = answerSide, 1
	return m
}

// Recall returns a copy that is the share of the reference's claims that the
// answer supports: two calls. What the answer says besides does not matter.
func (m factualCorrectness) Recall() factualCorrectness {
	m.sides, m.beta = referenceSide, 1
	return m
}

// Beta returns a copy that is the F-score in which recall counts b times as much
// as precision: 0.5 for answers that must not say what is wrong, 2 for those
// that must leave nothing out. A number below 0 is an error of every measurement.
func (m factualCorrectness) Beta(b float64) factualCorrectness {
	m.sides, m.beta = bothSides, b
	return m
}

// Atomicity returns a copy that splits texts into claims of one fact each, which
// is High, or, with Low, leaves together what a sentence states. Claims of High
// are those of other metrics, and paid for once.
func (m factualCorrectness) Atomicity(l Level) factualCorrectness {
	m.atomicity = l
	return m
}

// Coverage returns a copy that takes all claims of a text, which is High, or,
// with Low, only the main ones.
func (m factualCorrectness) Coverage(l Level) factualCorrectness {
	m.coverage = l
	return m
}

// Name tells scores apart that are not to be compared.
func (m factualCorrectness) Name() string {
	name := "factual_correctness"
	switch {
	case m.sides == answerSide:
		name += "_precision"
	case m.sides == referenceSide:
		name += "_recall"
	case m.beta != 1:
		name += fmt.Sprintf("_beta_%v", m.beta)
	}
	if m.atomicity == Low {
		name += "_low_atomicity"
	}
	if m.coverage == Low {
		name += "_low_coverage"
	}
	return name
}

func (factualCorrectness) Range() (lowest, highest float64) { return 0, 1 }

// prompt is the name of that which splits a text.
func (m factualCorrectness) prompt() string {
	switch {
	case m.atomicity == Low && m.coverage == Low:
		return "claims_main_coarse"
	case m.atomicity == Low:
		return "claims_coarse"
	case m.coverage == Low:
		return "claims_main"
	}
	return "claims"
}

func (m factualCorrectness) Measure(ctx context.Context, j *Judge, s Sample) (Score, error) {
	if err := needs(needResponse(s), needReference(s), checkBeta("FactualCorrectness", m.beta)); err != nil {
		return Score{}, err
	}
	response := side{part: "response", role: "the answer", text: s.Response, other: s.Reference}
	reference := side{part: "reference", role: "the reference", text: s.Reference, other: s.Response}
	var counted []*side
	if m.sides != referenceSide {
		counted = append(counted, &response)
	}
	if m.sides != answerSide {
		counted = append(counted, &reference)
	}
	err := each(ctx, len(counted), func(ctx context.Context, i int) (err error) {
		c := counted[i]
		c.claims, err = j.split(ctx, m.prompt(), s.UserInput, c.text, c.role)
		return err
	})
	if err != nil {
		return Score{}, err
	}
	if last := counted[len(counted)-1]; len(last.claims) == 0 {
		return Score{}, fmt.Errorf("%w: %s makes no claim, so there is nothing to count", ErrUndefined, last.role)
	}
	if len(counted[0].claims) == 0 {
		reference.deny("the answer makes no claim")
		counted = []*side{&reference}
	} else if err := each(ctx, len(counted), func(ctx context.Context, i int) error { return counted[i].verify(ctx, j) }); err != nil {
		return Score{}, err
	}
	score := Score{Metric: m.Name()}
	for _, c := range counted {
		score.Verdicts = append(score.Verdicts, c.verdicts...)
	}
	if m.sides == bothSides {
		tp, found := passed(response.verdicts), passed(reference.verdicts)
		score.Value = fBeta(tp, len(response.verdicts)-tp, len(reference.verdicts)-found, m.beta)
	} else {
		score.Value = share(score.Verdicts)
	}
	return score, nil
}

// side is one of the texts that are compared.
type side struct {
	part, role  string
	text, other string
	claims      []string
	verdicts    []Verdict
}

// verify has the claims checked against the other text.
func (s *side) verify(ctx context.Context, j *Judge) error {
	verdicts, err := j.verify(ctx, s.claims, []string{s.other})
	for i := range verdicts {
		verdicts[i].Part = s.part
	}
	s.verdicts = verdicts
	return err
}

// deny is verify where there is nothing to check the claims against.
func (s *side) deny(reason string) {
	for _, c := range s.claims {
		s.verdicts = append(s.verdicts, Verdict{Claim: c, Part: s.part, Reason: reason})
	}
}
