package ragtest

import (
	"context"

	"github.com/ragomega/ragomega/ragtest/lexical"
)

// Similarities of Response and Reference letter by letter, from 0 to 1. Nobody is
// asked, and blank texts are texts: two empty ones are alike. A letter is a Unicode
// code point, and nothing is normalised. They tell how a text is spelled, not what it
// means: "is" and "is not" are near. They are Ragas' non-LLM string similarity.
var (
	// LevenshteinSimilarity is 1 minus the share of the longer text that has to be
	// inserted, deleted or replaced; see [lexical.Levenshtein]. Texts of 10,000 letters
	// take milliseconds. Of a million they do if they have much in common, and about a
	// minute if they have nothing, as each letter of one is compared with each of the
	// other; the end of a context does not stop it.
	LevenshteinSimilarity = stringSimilarity{name: "levenshtein"}
	// HammingSimilarity is the share of places at which both have the same letter; see
	// [lexical.Hamming].
	HammingSimilarity = stringSimilarity{name: "hamming"}
	// JaroSimilarity is made for short texts such as names; see [lexical.Jaro].
	JaroSimilarity = stringSimilarity{name: "jaro"}
	// JaroWinklerSimilarity is the same with more weight on how the texts begin; see
	// [lexical.JaroWinkler].
	JaroWinklerSimilarity = stringSimilarity{name: "jaro_winkler"}
)

type stringSimilarity struct {
	ofTexts
	name string
}

// of is how alike two texts are.
func (m stringSimilarity) of(a, b string) float64 {
	switch m.name {
	case "hamming":
		return lexical.Hamming(a, b)
	case "jaro":
		return lexical.Jaro(a, b)
	case "jaro_winkler":
		return lexical.JaroWinkler(a, b)
	}
	return lexical.Levenshtein(a, b)
}

func (m stringSimilarity) Name() string { return m.name + "_similarity" }

func (m stringSimilarity) Measure(_ context.Context, _ *Judge, s Sample) (Score, error) {
	value := m.of(s.Reference, s.Response)
	v := Verdict{
		Claim: "the answer is the reference", OK: value == 1,
		Value: value, Reason: parting(s.Response, s.Reference),
	}
	return Score{Metric: m.Name(), Weighed: true, Value: value, Verdicts: []Verdict{v}}, nil
}
