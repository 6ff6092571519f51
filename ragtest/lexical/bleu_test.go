package lexical_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/ragomega/ragomega/ragtest/lexical"
)

func TestBLEUIsSacrebleu(t *testing.T) {
	o := readOriginals(t)
	for _, p := range o.Pairs {
		for i, want := range p.BLEU {
			s := o.bleu(i).Compare(p.Answer, p.Reference)
			what := fmt.Sprintf("BLEU %+v", o.BLEU[i])
			p.near(t, what, s.Value, min(1, want[0]))
			p.near(t, what+" brevity", s.Brevity, want[1])
			p.equal(t, what+" answer", float64(s.Answer), want[2])
			p.equal(t, what+" reference", float64(s.Reference), want[3])
			if counts := want[4:]; len(counts) > 0 {
				for n, order := range s.Orders {
					p.equal(t, what+" shared", float64(order.Shared), counts[n])
					p.equal(t, what+" n-grams", float64(order.Answer), counts[4+n])
				}
			}
		}
	}
}

func TestBLEUHasSacrebleusPrecisions(t *testing.T) {
	var table struct {
		Details []struct {
			Reference, Response string
			Counts, Totals      [4]int
			Precisions          [4]float64
			BP                  float64
			Score               float64
		} `json:"bleu_details"`
	}
	read(t, "tokens.json", &table)
	compared := 0
	for _, d := range table.Details {
		if strings.Contains(d.Response+d.Reference, ". ") {
			continue // Ragas takes sentences apart
		}
		compared++
		p := original{Answer: d.Response, Reference: d.Reference}
		s := lexical.BLEU{}.Compare(d.Response, d.Reference)
		p.near(t, "BLEU", s.Value, min(1, d.Score/100))
		p.near(t, "brevity", s.Brevity, d.BP)
		for n, order := range s.Orders {
			if order.Shared != d.Counts[n] || order.Answer != d.Totals[n] {
				t.Errorf("%q and %q share %d of %d n-grams of order %d, not %d of %d", d.Response, d.Reference, order.Shared, order.Answer, n+1, d.Counts[n], d.Totals[n])
			}
			p.near(t, "precision", s.Precision[n], d.Precisions[n]/100)
		}
	}
	if compared < 40 {
		t.Errorf("only %d of %d were compared", compared, len(table.Details))
	}
}

func TestSmoothingHasSacrebleusWords(t *testing.T) {
	for s, want := range map[lexical.Smoothing]string{
		lexical.SmoothExp: "exp", lexical.SmoothFloor: "floor", lexical.SmoothAddK: "add-k", lexical.SmoothNone: "none",
		-1: "Smoothing(-1)", 4: "Smoothing(4)",
	} {
		if got := s.String(); got != want {
			t.Errorf("smoothing %d is %q, not %q", int(s), got, want)
		}
	}
}

func TestBLEUIsAShareForAnySmoothValue(t *testing.T) {
	for _, value := range []float64{-1, 1e-300, 7, 1e308, math.Inf(1), math.NaN()} {
		for smooth := lexical.SmoothExp; smooth <= lexical.SmoothNone; smooth++ {
			s := lexical.BLEU{Smooth: smooth, SmoothValue: value}.Compare("the library is closed", "the old library opens")
			if !(s.Value >= 0 && s.Value <= 1) {
				t.Errorf("BLEU with %v by %v is %v", smooth, value, s.Value)
			}
		}
	}
}
