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
