package lexical_test

import (
	"testing"

	"github.com/ragomega/ragomega/ragtest/lexical"
)

func TestROUGEIsRougeScore(t *testing.T) {
	for _, p := range readOriginals(t).Pairs {
		for i, n := range []int{1, 2, 0} {
			s := lexical.ROUGE{N: n}.Compare(p.Answer, p.Reference)
			what := []string{"rouge1", "rouge2", "rougeL"}[i]
			p.equal(t, what+" precision", s.Precision(), p.ROUGE[i][0])
			p.equal(t, what+" recall", s.Recall(), p.ROUGE[i][1])
			p.equal(t, what+" F1", s.F1, p.ROUGE[i][2])
		}
	}
}
