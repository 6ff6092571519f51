package lexical_test

import (
	"testing"

	"github.com/ragomega/ragomega/ragtest/lexical"
)

func TestStemIsNLTK(t *testing.T) {
	var made, given [][2]string
	read(t, "stems.json", &made)
	var table struct {
		Stems [][2]string `json:"porter_nltk_extensions"`
	}
	read(t, "tokens.json", &table)
	given = table.Stems
	if len(made) < 6000 || len(given) < 300 {
		t.Fatalf("%d and %d words: the tables are not whole", len(made), len(given))
	}
	for _, p := range append(made, given...) {
		if got := lexical.Stem(p[0]); got != p[1] {
			t.Errorf("the stem of %q is %q, not %q", p[0], got, p[1])
		}
	}
}
