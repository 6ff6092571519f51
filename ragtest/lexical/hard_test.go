package lexical_test

import (
	"strings"
	"testing"

	"github.com/ragomega/ragomega/ragtest/lexical"
)

// hard are long texts of one kind. What compares each letter or token with each would
// take minutes.
func hard(size int) map[string]string {
	r := seeded(7)
	var han strings.Builder
	for i := range 3000 {
		han.WriteRune(rune(0x4e00 + i))
	}
	fill := func(s string) string { return strings.Repeat(s, size/len(s)) }
	return map[string]string{
		"one letter":      fill("a"),
		"random letters":  randomText(r, "abcdefghijklmnopqrstuvwxyz    ", size),
		"random, no gaps": randomText(r, "abcdefghijklmnopqrstuvwxyz0123456789", size),
		"Chinese":         randomText(r, han.String(), size/3),
		"one quote":       fill("'"),
		"quotes":          fill("\"a b c\"“d\n’"),
		"spaces":          fill(" "),
		"combining marks": "e" + fill("\u0301"),
		"emoji":           fill("👨‍👩‍👧🇩🇪👍🏽"),
		"points":          fill(".,"),
		"escapes":         fill("&amp;"),
		"skipped":         fill("<skip<skipped>ped>-\n"),
		"sigmas":          fill("Σ'"),
		"y":               fill("y"),
		"endings":         fill("ational"),
		"not UTF-8":       fill("\xff"),
	}
}

func TestLongTextsTakeTimeByTheirLength(t *testing.T) {
	size := 1 << 17
	if testing.Short() {
		size = 1 << 16
	}
	for name, text := range hard(size) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			other := "x" + text[:len(text)/2] + "y z" + text[len(text)/2:]
			for _, s := range []struct {
				metric string
				value  float64
			}{
				{"Hamming", lexical.Hamming(text, other)},
				{"Jaro-Winkler", lexical.JaroWinkler(text, other)},
				{"BLEU", lexical.BLEU{Lowercase: true}.Compare(text, other).Value},
				{"BLEU of words", lexical.BLEU{Tokenize: lexical.UnicodeTokens}.Compare(text, other).Value},
				{"chrF++", lexical.ChrF{WordOrder: 2}.Compare(text, other).Value},
				{"ROUGE-1", lexical.ROUGE{N: 1}.Compare(text, other).F1},
				{"ROUGE-2", lexical.ROUGE{N: 2, Tokenize: lexical.Fields}.Compare(text, other).F1},
			} {
				if !(s.value >= 0 && s.value <= 1) {
					t.Errorf("%s is %v", s.metric, s.value)
				}
			}
			for _, span := range lexical.Quotes(text, 3) {
				if span != "a b c" {
					t.Fatalf("a quote is %q", span)
				}
			}
			if s := lexical.Stem(text); len(s) > len(text)+1 {
				t.Errorf("a stem has %d letters of %d", len(s), len(text))
			}
		})
	}
}

// TestLevenshteinOfLongTexts compares a megabyte with a copy that has a few edits.
func TestLevenshteinOfLongTexts(t *testing.T) {
	const size = 1 << 20
	text := randomText(seeded(8), "abcdefghijklmnopqrstuvwxyz    ", size)
	for _, p := range []struct {
		name  string
		other string
		want  int
	}{
		{"itself", text, 0},
		{"replaced", strings.Repeat("#", 7) + text[7:size-3] + "###", 10},
		{"replaced within", text[:1000] + "#" + text[1001:size/2] + "##" + text[size/2+2:size-9] + "#" + text[size-8:], 4},
		{"shifted", "##" + text[:size/3] + text[size/3+1:] + "#", 4},
		{"cut", text[5 : size-20], 25},
		{"longer", text[:size/2] + strings.Repeat("#", 200) + text[size/2:], 200},
	} {
		if got := lexical.LevenshteinDistance(text, p.other); got != p.want {
			t.Errorf("%s: the distance is %d, not %d", p.name, got, p.want)
		}
		if got, want := lexical.Levenshtein(p.other, text), 1-float64(p.want)/float64(max(size, len(p.other))); got != want {
			t.Errorf("%s: the similarity is %v, not %v", p.name, got, want)
		}
	}
	one := strings.Repeat("a", size)
	if got := lexical.LevenshteinDistance(one, one[:size-100]); got != 100 {
		t.Errorf("one letter: the distance is %d, not 100", got)
	}
}

// TestLongestSubsequenceOfLongTexts is of many words, and of one long word.
func TestLongestSubsequenceOfLongTexts(t *testing.T) {
	text := randomText(seeded(9), "abcdefghijklmnopqrstuvwxyz    ", 100_000)
	words := len(lexical.ASCIIWords(text))
	s := lexical.ROUGE{}.Compare(text, "# "+text+" zzzzzz")
	if s.Shared != words || s.Reference != words+1 {
		t.Errorf("%d of %d words are shared, not %d of %d", s.Shared, s.Reference, words, words+1)
	}
	if s := (lexical.ROUGE{}).Compare(strings.Repeat("a", 1<<20), strings.Repeat("a", 1<<20)); s.F1 != 1 {
		t.Errorf("a word of a megabyte has %v against itself", s.F1)
	}
}
