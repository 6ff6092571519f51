package lexical_test

import (
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/ragomega/ragomega/ragtest/lexical"
)

// seeds adds pairs of texts that have something to stumble over.
func seeds(f *testing.F) {
	texts := []string{
		"", " ", "a", "The lift costs $1,000.50.", "the Lift cost 1,000.5 dollars - isn't it?", "-\n<skipped>&amp;lt;",
		"图书馆星期日不开放。", "cafe\u0301 Größe ﬁn İΣ ΑΣ", "👨‍👩‍👧🇩🇪👍🏽 ok", "اَلْعَرَبِيَّةُ שָׁלוֹם", "\xff\xf0\x9f\x91", "a\x1c\u0085\u00a0\u3000b",
		"'so' “said” `x´ „y\n\"", strings.Repeat("ab", 70), strings.Repeat("b", 65) + "a", " \u0301", "relational generalizations happily",
	}
	for i, a := range texts {
		f.Add(a, a, texts[(i+1)%len(texts)])
		f.Add(a, texts[(i+3)%len(texts)], a+" "+texts[(i+5)%len(texts)])
	}
}

// scores are all of a pair, by name.
func scores(a, b string) map[string]float64 {
	s := map[string]float64{
		"Levenshtein": lexical.Levenshtein(a, b),
		"Hamming":     lexical.Hamming(a, b),
		"Jaro":        lexical.Jaro(a, b),
		"JaroWinkler": lexical.JaroWinkler(a, b),
		"chrF":        lexical.ChrF{}.Compare(a, b).Value,
		"chrF++":      lexical.ChrF{WordOrder: 2}.Compare(a, b).Value,
		"chrF1":       lexical.ChrF{Beta: 1, WordOrder: 1}.Compare(a, b).Value,
		"chrF1 space": lexical.ChrF{Beta: 1, KeepWhitespace: true}.Compare(a, b).Value,
		"chrF eps":    lexical.ChrF{EpsilonSmoothing: true}.Compare(a, b).Value,
		"chrF 0.3":    lexical.ChrF{Beta: 0.3, CharOrder: 2}.Compare(a, b).Value,
	}
	for i, n := range []int{0, 1, 2} {
		r := lexical.ROUGE{N: n}.Compare(a, b)
		name := []string{"ROUGE-L", "ROUGE-1", "ROUGE-2"}[i]
		s[name], s[name+" precision"], s[name+" recall"] = r.F1, r.Precision(), r.Recall()
		r = lexical.ROUGE{N: n, Tokenize: lexical.UnicodeWords}.Compare(a, b)
		s[name+" unicode"] = r.F1
	}
	for smooth := lexical.SmoothExp; smooth <= lexical.SmoothNone; smooth++ {
		for _, effective := range []bool{false, true} {
			name := "BLEU " + smooth.String()
			if effective {
				name += " effective"
			}
			b := lexical.BLEU{Smooth: smooth, EffectiveOrder: effective, Lowercase: effective}.Compare(a, b)
			s[name], s[name+" brevity"] = b.Value, b.Brevity
		}
	}
	s["BLEU char"] = lexical.BLEU{Tokenize: lexical.Characters}.Compare(a, b).Value
	s["BLEU unicode"] = lexical.BLEU{Tokenize: lexical.UnicodeTokens}.Compare(a, b).Value
	return s
}

func FuzzScoresAreShares(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, a, b, _ string) {
		forth, back := scores(a, b), scores(b, a)
		for name, v := range forth {
			if math.IsNaN(v) || v < 0 || v > 1 {
				t.Errorf("%s of %q and %q is %v", name, a, b, v)
			}
		}
		if lexical.JaroWinkler(a, b) < lexical.Jaro(a, b) {
			t.Errorf("a common beginning lowers Jaro of %q and %q", a, b)
		}
		for _, name := range []string{
			"Levenshtein", "Hamming", "Jaro", "JaroWinkler", "chrF1", "chrF1 space", "ROUGE-L", "ROUGE-1", "ROUGE-2", "ROUGE-L unicode", "ROUGE-1 unicode",
		} {
			if math.Float64bits(forth[name]) != math.Float64bits(back[name]) {
				t.Errorf("%s of %q and %q is %v, and the other way round %v", name, a, b, forth[name], back[name])
			}
		}
		for _, name := range []string{"ROUGE-L", "ROUGE-1", "ROUGE-2"} {
			if forth[name+" precision"] != back[name+" recall"] {
				t.Errorf("the precision of %s of %q and %q is %v, and the other way round the recall %v", name, a, b, forth[name+" precision"], back[name+" recall"])
			}
		}
		whole := scores(string([]rune(a)), string([]rune(b)))
		if !reflect.DeepEqual(forth, whole) {
			t.Errorf("%q and %q have other scores if their bytes that are not UTF-8 are replaced", a, b)
		}
	})
}

func FuzzEqualTextsHaveOne(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, a, _, _ string) {
		// 1 if there are as many tokens, else 0.
		one := func(tokens, least int) float64 {
			if tokens >= least {
				return 1
			}
			return 0
		}
		got := scores(a, a)
		words, tokens, chars := len(lexical.ASCIIWords(a)), len(lexical.Tokens13a(a)), len(lexical.Characters(a))
		for name, want := range map[string]float64{
			"Levenshtein": 1, "Hamming": 1, "Jaro": 1, "JaroWinkler": 1,
			"ROUGE-L": one(words, 1), "ROUGE-1": one(words, 1), "ROUGE-2": one(words, 2),
			"ROUGE-1 unicode": one(len(lexical.UnicodeWords(a)), 1),
			"BLEU exp":        one(tokens, 4), "BLEU floor": one(tokens, 4), "BLEU none": one(tokens, 4), "BLEU add-k": one(tokens, 1),
			"BLEU exp effective": one(tokens, 1), "BLEU add-k effective": one(tokens, 1), "BLEU char": one(chars, 4),
			"chrF": one(chars, 1), "chrF++": one(chars, 1), "chrF1": one(chars, 1), "chrF eps": min(one(chars, 1), float64(min(chars, 6))/6),
		} {
			if math.Abs(got[name]-want) > 1e-15 || want == 1 && got[name] != 1 {
				t.Errorf("%s of %q and itself is %v, not %v", name, a, got[name], want)
			}
		}
	})
}

func FuzzDistances(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, a, b, c string) {
		if len(a) < 200 && len(b) < 200 { // over the ends of blocks
			a, b = strings.Repeat(a, 1+len(c)%7), strings.Repeat(b, 1+len(c)/7%7)
		}
		for name, distance := range map[string]func(a, b string) int{"Levenshtein": lexical.LevenshteinDistance, "Hamming": lexical.HammingDistance} {
			ab, bc, ac := distance(a, b), distance(b, c), distance(a, c)
			if ac > ab+bc {
				t.Errorf("%s: %q is %d from %q, but only %d+%d by way of %q", name, a, ac, c, ab, bc, b)
			}
			if (ab == 0) != slices.Equal([]rune(a), []rune(b)) {
				t.Errorf("%s: %q is %d from %q", name, a, ab, b)
			}
		}
		x, y := []rune(a), []rune(b)
		d := lexical.LevenshteinDistance(a, b)
		if h := lexical.HammingDistance(a, b); d > h {
			t.Errorf("the Levenshtein distance of %q and %q is %d, and Hamming's only %d", a, b, d, h)
		}
		if len(x)*len(y) < 1e6 {
			if want := slowDistance(x, y); d != want {
				t.Errorf("the distance of %q and %q is %d, not %d", a, b, d, want)
			}
			if got, want := lexical.Jaro(a, b), 1-(1-slowJaro(x, y)); got != want {
				t.Errorf("Jaro of %q and %q is %v, not %v", a, b, got, want)
			}
		}
	})
}

func FuzzOverlaps(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, a, b, _ string) {
		var all []lexical.Overlap
		for n := range 4 {
			all = append(all, lexical.ROUGE{N: n, Tokenize: lexical.Characters}.Compare(a, b).Overlap)
		}
		all = append(all, lexical.BLEU{}.Compare(a, b).Orders...)
		all = append(all, lexical.ChrF{WordOrder: 2}.Compare(a, b).Orders...)
		for _, o := range all {
			if o.Shared > min(o.Answer, o.Reference) {
				t.Errorf("%q and %q share more n-grams than one of them has: %+v", a, b, o)
			}
			for _, side := range []struct {
				shown lexical.Shown
				left  int
			}{{o.Missing, o.Reference - o.Shared}, {o.Extra, o.Answer - o.Shared}} {
				if side.shown.All > side.left || (side.shown.All == 0) != (side.left == 0) || len(side.shown.First) != min(10, side.shown.All) {
					t.Errorf("%q and %q: %d n-grams are not shared, and shown are %+v", a, b, side.left, side.shown)
				}
			}
		}
		if x, y := lexical.Characters(a), lexical.Characters(b); len(x)*len(y) < 1e6 {
			if want := slowCommon(x, y); all[0].Shared != want {
				t.Errorf("%q and %q share %d letters in order, not %d", a, b, all[0].Shared, want)
			}
		}
	})
}

func FuzzTokens(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, text, _, _ string) {
		if got, want := lexical.Tokens13a(text), tokens13a(text); !slices.Equal(got, want) {
			t.Errorf("%q has the tokens %q, not %q", text, got, want)
		}
		letters := strings.Join(lexical.Fields(text), "")
		for name, tokens := range map[string][]string{"characters": lexical.Characters(text), "tokens": lexical.UnicodeTokens(text)} {
			joined := strings.Join(lexical.Fields(strings.Join(tokens, " ")), "")
			if joined != letters {
				t.Errorf("the %s of %q are %q", name, text, tokens)
			}
		}
		for _, list := range [][]string{lexical.Tokens13a(text), lexical.Fields(text), lexical.ASCIIWords(text), lexical.UnicodeWords(text), lexical.UnicodeTokens(text)} {
			for _, token := range list {
				if f := lexical.Fields(token); len(f) == 0 || !strings.HasPrefix(token, f[0]) || !strings.HasSuffix(token, f[len(f)-1]) {
					t.Errorf("%q has the token %q", text, token)
				}
			}
		}
		for _, w := range lexical.ASCIIWords(text) {
			if s := lexical.Stem(w); s == "" || len(s) > len(w)+1 {
				t.Errorf("the stem of %q is %q", w, s)
			}
		}
		lexical.Stem(text)
	})
}

func FuzzQuotes(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, text, _, _ string) {
		all := lexical.Quotes(text, 0)
		for words := range 4 {
			spans := lexical.Quotes(text, words)
			want := slices.DeleteFunc(slices.Clone(all), func(s string) bool { return len(lexical.Fields(s)) < words })
			if !slices.Equal(spans, want) {
				t.Errorf("%q has the quotes %q of %d words, and of all %q these: %q", text, spans, words, all, want)
			}
		}
		for _, s := range all {
			if !strings.Contains(text, s) || strings.ContainsAny(s, "\n\"“”„‟'‘’`´") {
				t.Errorf("%q has the quote %q", text, s)
			}
		}
	})
}
