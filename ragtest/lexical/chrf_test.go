package lexical_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/ragomega/ragomega/ragtest/lexical"
)

func TestChrFIsSacrebleu(t *testing.T) {
	o := readOriginals(t)
	for _, p := range o.Pairs {
		for i, want := range p.ChrF {
			if p.blank() {
				want = 0
			}
			p.equal(t, fmt.Sprintf("chrF %+v", o.ChrF[i]), o.chrf(i).Compare(p.Answer, p.Reference).Value, min(1, want))
		}
	}
}

func TestChrFOfUnusualOptions(t *testing.T) {
	const answer, reference = "the library", "the old library"
	var precision, recall float64
	for _, n := range (lexical.ChrF{}).Compare(answer, reference).Orders {
		precision += n.Precision() / 6
		recall += n.Recall() / 6
	}
	for beta, want := range map[float64]float64{
		1e-200: precision, 1e200: recall, math.Inf(1): recall,
		0: lexical.ChrF{Beta: 2}.Compare(answer, reference).Value, -1: lexical.ChrF{Beta: 2}.Compare(answer, reference).Value,
	} {
		if got := (lexical.ChrF{Beta: beta}).Compare(answer, reference).Value; !(math.Abs(got-want) < 1e-12) {
			t.Errorf("with beta %v chrF is %v, not %v", beta, got, want)
		}
	}
	s := lexical.ChrF{CharOrder: 3, WordOrder: 2}.Compare(answer, reference)
	if s.Chars != 3 || len(s.Orders) != 5 || s.Orders[2].Order != 3 || s.Orders[4].Order != 2 {
		t.Errorf("3 orders of code points and 2 of words are %+v", s)
	}
}
