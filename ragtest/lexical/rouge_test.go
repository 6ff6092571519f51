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

// Orders that no text has cost nothing.
func TestLongestOrders(t *testing.T) {
	s := lexical.ROUGE{N: 1 << 30}.Compare("a b", "a b")
	if s.F1 != 0 || s.Order != 1<<30 || s.Answer != 0 {
		t.Errorf("got %+v", s)
	}
	c := lexical.ChrF{CharOrder: 1 << 30, WordOrder: 1 << 30}.Compare("a b", "a b")
	if c.Value != 1 || len(c.Orders) != 200 {
		t.Errorf("got %v of %d orders", c.Value, len(c.Orders))
	}
}
