package lexical_test

import (
	"encoding/json"
	"math"
	"os"
	"testing"

	"github.com/ragomega/ragomega/ragtest/lexical"
)

// originals are texts with the scores of the Python originals; see testdata/README.md.
type originals struct {
	BLEU []struct {
		Tokenize  string
		Lowercase bool
		Smooth    string  `json:"smooth_method"`
		Value     float64 `json:"smooth_value"`
		Effective bool    `json:"use_effective_order"`
	}
	ChrF []struct {
		CharOrder        int `json:"char_order"`
		WordOrder        int `json:"word_order"`
		Beta             float64
		RemoveWhitespace *bool `json:"remove_whitespace"`
		EpsSmoothing     bool  `json:"eps_smoothing"`
	}
	Pairs []original
}

type original struct {
	Answer, Reference    string
	Levenshtein, Hamming [2]float64 // distance and similarity
	Jaro                 float64
	JaroWinkler          float64     `json:"jaro_winkler"`
	BLEU                 [][]float64 // score, brevity, tokens; and mostly matches and n-grams of each order
	ChrF                 []float64
	ROUGE                [3][3]float64 // precision, recall and F of rouge1, rouge2 and rougeL
}

func read(t testing.TB, name string, into any) {
	t.Helper()
	b, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b, into); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
}

func readOriginals(t testing.TB) originals {
	var o originals
	read(t, "originals.json", &o)
	if len(o.Pairs) < 500 || len(o.BLEU) == 0 || len(o.ChrF) == 0 {
		t.Fatalf("%d pairs with %d and %d options: the table is not whole", len(o.Pairs), len(o.BLEU), len(o.ChrF))
	}
	return o
}

func (o originals) bleu(i int) lexical.BLEU {
	p := o.BLEU[i]
	return lexical.BLEU{
		Tokenize:       map[string]lexical.Tokenizer{"char": lexical.Characters, "none": lexical.Fields}[p.Tokenize],
		Lowercase:      p.Lowercase,
		EffectiveOrder: p.Effective,
		SmoothValue:    p.Value,
		Smooth: map[string]lexical.Smoothing{
			"floor": lexical.SmoothFloor, "add-k": lexical.SmoothAddK, "none": lexical.SmoothNone,
		}[p.Smooth],
	}
}

func (o originals) chrf(i int) lexical.ChrF {
	p := o.ChrF[i]
	return lexical.ChrF{
		CharOrder: p.CharOrder, WordOrder: p.WordOrder, Beta: p.Beta,
		KeepWhitespace:   p.RemoveWhitespace != nil && !*p.RemoveWhitespace,
		EpsilonSmoothing: p.EpsSmoothing,
	}
}

// equal fails unless a score is the original's to the last bit.
func (p original) equal(t *testing.T, what string, got, want float64) {
	t.Helper()
	if math.Float64bits(got) != math.Float64bits(want) {
		t.Errorf("%s of %q and %q is %v, not %v", what, p.Answer, p.Reference, got, want)
	}
}

// near is for what goes through logarithms, which differ in the last bit.
func (p original) near(t *testing.T, what string, got, want float64) {
	t.Helper()
	if !(math.Abs(got-want) <= 1e-12) {
		t.Errorf("%s of %q and %q is %v, not %v", what, p.Answer, p.Reference, got, want)
	}
}

func (p original) blank() bool {
	return len(lexical.Fields(p.Answer)) == 0 || len(lexical.Fields(p.Reference)) == 0
}
