package ragtest

import (
	"context"
	"fmt"
	"strings"

	"github.com/ragomega/ragomega/ragtest/lexical"
)

// ChrF compares Response with Reference by their letters in n-grams of one to six,
// from 0 to 1: an F score in which what is missing counts twice as much as what is
// too much. It needs no words, so it does for any script and for short answers, and
// an ending that differs costs little. White space is left out. See
// [lexical.ChrF.Compare].
//
// Nobody is asked. A blank text has 0. The verdicts are of the orders, with n-grams
// that only one of the texts has.
//
// It is sacrebleu's chrF2 over 100, and so is Ragas'.
var ChrF = chrf{}

type chrf struct {
	ofTexts
	name    string
	options lexical.ChrF
}

// PlusPlus returns a copy of m that compares single words and pairs of them besides:
// chrF++ (Popović 2017).
func (m chrf) PlusPlus() chrf { return m.With("plus_plus", lexical.ChrF{WordOrder: 2}) }

// With returns a copy of m that computes as o says, under a name of its own: scores
// of two ways are not to be compared.
func (m chrf) With(name string, o lexical.ChrF) chrf { return chrf{name: "_" + name, options: o} }

func (m chrf) Name() string { return "chrf" + m.name }

func (m chrf) Measure(_ context.Context, _ *Judge, s Sample) (Score, error) {
	c := m.options.Compare(s.Response, s.Reference)
	score := Score{Metric: m.Name(), Weighed: true, Value: c.Value}
	for i, o := range c.Orders {
		if i > 0 && o.Answer == 0 && o.Reference == 0 {
			continue // both are shorter
		}
		what := fmt.Sprintf("%d-grams of letters", o.Order)
		if i >= c.Chars {
			what = fmt.Sprintf("%d-grams of words", o.Order)
		}
		v := Verdict{
			Claim: fmt.Sprintf("%s: %d shared, of %d in the answer and %d in the reference", what, o.Shared, o.Answer, o.Reference),
			OK:    o.Shared > 0 && o.Shared == o.Answer && o.Shared == o.Reference,
		}
		var reasons []string
		for _, r := range []string{listed("missing from the answer", o.Missing), listed("beyond the reference", o.Extra)} {
			if r != "" {
				reasons = append(reasons, r)
			}
		}
		v.Reason = strings.Join(reasons, "; ")
		score.Verdicts = append(score.Verdicts, v)
	}
	return score, nil
}
