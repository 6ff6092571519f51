package lexical_test

import (
	"testing"

	"github.com/ragomega/ragomega/ragtest/lexical"
)

func TestEditDistancesAreRapidfuzz(t *testing.T) {
	for _, p := range readOriginals(t).Pairs {
		p.equal(t, "Levenshtein distance", float64(lexical.LevenshteinDistance(p.Answer, p.Reference)), p.Levenshtein[0])
		p.equal(t, "Levenshtein", lexical.Levenshtein(p.Answer, p.Reference), p.Levenshtein[1])
		p.equal(t, "Hamming distance", float64(lexical.HammingDistance(p.Answer, p.Reference)), p.Hamming[0])
		p.equal(t, "Hamming", lexical.Hamming(p.Answer, p.Reference), p.Hamming[1])
		p.equal(t, "Jaro", lexical.Jaro(p.Answer, p.Reference), p.Jaro)
		p.equal(t, "Jaro-Winkler", lexical.JaroWinkler(p.Answer, p.Reference), p.JaroWinkler)
	}
}

// TestDistancesAreOfCodePoints is about those that begin or end with the same bytes.
func TestDistancesAreOfCodePoints(t *testing.T) {
	texts := []string{
		"é", "è", "aé", "éa", "\u00e9\u0301", "ũ", "ĩ", "図", "圖", "€", "x€", "€x", "\xe2\x82", "\xe2\x82x", "\x82\xac", "x\x82\xac", "\xac", "a\xac", "\xe2", "", "\xff\xff",
		"\x80\x80\x80", "\xf0\x9f\x91\x8d", "\xf0\x9f\x91\x8e", "\ufffd", "\ufffd\ufffd",
	}
	for _, a := range texts {
		for _, b := range texts {
			if got, want := lexical.LevenshteinDistance(a, b), slowDistance([]rune(a), []rune(b)); got != want {
				t.Errorf("the distance of %q and %q is %d, not %d", a, b, got, want)
			}
		}
	}
}
