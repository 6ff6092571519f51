package ragtest

import (
	"context"
	"fmt"
	"strings"
)

// step is what labels of a metric are about.
type step struct {
	metric   Metric
	prompt   string // its name; "" for the metric as a whole
	most     int    // items in one request
	needs    func(Sample) error
	together func(Sample) string // the same for items that belong together, and go into one request up to most; "" for none
	claim    func(Sample) string // what is judged
	// judge returns a verdict for each sample. Its Value is what is held against
	// the label, 1 or 0 for a yes or no.
	judge func(context.Context, *Judge, []Sample) (Score, error)
}

// calibrated is a metric of which a step is calibrated rather than its scores.
type calibrated interface{ step() step }

func stepOf(m Metric) step {
	if c, ok := m.(calibrated); ok {
		s := c.step()
		s.metric = m
		return s
	}
	return step{
		metric: m, most: 1,
		needs:    func(Sample) error { return nil },
		together: func(s Sample) string { return strings.Join(s.RetrievedContexts, "\x00") },
		claim:    func(s Sample) string { return s.Response },
		judge: func(ctx context.Context, j *Judge, s []Sample) (Score, error) {
			score, err := m.Measure(ctx, j, s[0])
			if err == nil {
				err = score.check()
			}
			if err != nil {
				return Score{}, err
			}
			v := Verdict{Value: score.Value}
			for _, of := range score.Verdicts {
				if v.Reason == "" || !of.OK {
					v.Reason, v.Quote, v.P = of.Reason, of.Quote, of.P
				}
			}
			if len(score.Verdicts) != 1 {
				v.P = 0 // of no single verdict
			}
			return Score{Verdicts: []Verdict{v}}, nil
		},
	}
}

// inOneRequest is how many claims are checked together: as many as an answer of
// some length makes.
const inOneRequest = 10

func (faithfulness) step() step       { return verification(needResponse, response) }
func (factualCorrectness) step() step { return verification(needResponse, response) }
func (contextRecall) step() step      { return verification(needReference, reference) }

func response(s Sample) string  { return s.Response }
func reference(s Sample) string { return s.Reference }

// verification is the step "verify" of claims that stand in a field of samples.
func verification(need func(Sample) error, claim func(Sample) string) step {
	return step{
		prompt: "verify", most: inOneRequest, claim: claim,
		needs:    func(s Sample) error { return needs(need(s), needContexts(s)) },
		together: func(s Sample) string { return strings.Join(s.RetrievedContexts, "\x00") },
		judge: func(ctx context.Context, j *Judge, samples []Sample) (Score, error) {
			claims := make([]string, len(samples))
			for i, s := range samples {
				claims[i] = claim(s)
			}
			verdicts, err := j.verify(ctx, claims, samples[0].RetrievedContexts)
			return Score{Verdicts: asNumbers(verdicts)}, err
		},
	}
}

func (contextPrecision) step() step {
	return usefulness(func(s Sample) error { return needs(needQuestion(s), needReference(s), needContexts(s)) }, reference, "the reference")
}

func (contextUtilization) step() step {
	return usefulness(func(s Sample) error { return needs(needQuestion(s), needResponse(s), needContexts(s)) }, response, "the answer")
}

// usefulness is the step "useful" of samples with one context.
func usefulness(need func(Sample) error, answer func(Sample) string, role string) step {
	one := func(s Sample) error {
		if n := len(s.RetrievedContexts); n > 1 {
			return &InputError{Field: "RetrievedContexts", Want: fmt.Sprintf("one context, which the label is about; it has %d", n)}
		}
		return nil
	}
	return step{
		prompt: "useful", most: 1,
		needs:    func(s Sample) error { return needs(need(s), one(s)) },
		together: func(s Sample) string { return s.UserInput + "\x00" + answer(s) },
		claim:    func(s Sample) string { return s.RetrievedContexts[0] },
		judge: func(ctx context.Context, j *Judge, samples []Sample) (Score, error) {
			s := samples[0]
			score, err := j.ranking(ctx, "", s, answer(s), role)
			return Score{Verdicts: asNumbers(score.Verdicts)}, err
		},
	}
}

func (m answerRelevance) step() step {
	return step{
		prompt: "questions", most: 1, claim: response, needs: needResponse,
		together: func(s Sample) string { return s.Response },
		judge: func(ctx context.Context, j *Judge, samples []Sample) (Score, error) {
			verdicts, err := j.questions(ctx, samples[0].Response, m.questions)
			if err != nil {
				return Score{}, err
			}
			v := Verdict{OK: passed(verdicts) > 0}
			word := false // the judge's own
			for _, of := range verdicts {
				word = word || of.OK != of.Overruled
				v.P = max(v.P, of.P)
				v.Reason = of.Reason
			}
			v.Overruled = v.OK != word
			return Score{Verdicts: asNumbers([]Verdict{v})}, nil
		},
	}
}

// asNumbers gives verdicts the values that labels are compared with.
func asNumbers(verdicts []Verdict) []Verdict {
	for i, v := range verdicts {
		verdicts[i].Value = 0
		if v.OK {
			verdicts[i].Value = 1
		}
	}
	return verdicts
}
