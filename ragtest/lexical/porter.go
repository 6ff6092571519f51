package lexical

import "strings"

// Stem takes the endings off an English word of ASCII letters and digits in lower
// case: "relations" and "related" become "relat". It is Porter's algorithm (1980)
// with what NLTK, and through it Google's rouge_score, adds: a few irregular words,
// and rules for short words and for -bli, -fulli and -logi.
func Stem(word string) string {
	if s, ok := irregular[word]; ok {
		return s
	}
	if len(word) <= 2 {
		return word
	}
	word = plural(word)
	word = past(word)
	if stem, ok := strings.CutSuffix(word, "y"); ok && len(stem) > 1 && consonant(stem, len(stem)-1) {
		word = stem + "i"
	}
	word = derived(word)
	word = shortened(word, inflected, 0)
	word = shortened(word, bare, 1)
	return tidied(word)
}

// irregular are the words that NLTK knows by heart.
var irregular = map[string]string{
	"sky": "sky", "skies": "sky", "dying": "die", "lying": "lie", "tying": "tie",
	"news": "news", "innings": "inning", "inning": "inning", "outings": "outing", "outing": "outing",
	"cannings": "canning", "canning": "canning", "howe": "howe",
	"proceed": "proceed", "exceed": "exceed", "succeed": "succeed",
}

// plural is step 1a.
func plural(word string) string {
	switch n := len(word); {
	case strings.HasSuffix(word, "ies") && n == 4:
		return word[:n-len("s")]
	case strings.HasSuffix(word, "ies"), strings.HasSuffix(word, "sses"):
		return word[:n-len("es")]
	case strings.HasSuffix(word, "ss"):
		return word
	}
	return strings.TrimSuffix(word, "s")
}

// past is step 1b.
func past(word string) string {
	if stem, ok := strings.CutSuffix(word, "ied"); ok {
		if len(stem) == 1 {
			return stem + "ie"
		}
		return stem + "i"
	}
	if stem, ok := strings.CutSuffix(word, "eed"); ok {
		if measure(stem) > 0 {
			return stem + "ee"
		}
		return word
	}
	stem, ok := strings.CutSuffix(word, "ed")
	if !ok || !hasVowel(stem) {
		stem, ok = strings.CutSuffix(word, "ing")
	}
	if !ok || !hasVowel(stem) {
		return word
	}
	last := len(stem) - 1
	switch {
	case strings.HasSuffix(stem, "at"), strings.HasSuffix(stem, "bl"), strings.HasSuffix(stem, "iz"):
		return stem + "e"
	case last > 0 && stem[last] == stem[last-1] && consonant(stem, last):
		if strings.IndexByte("lsz", stem[last]) >= 0 {
			return stem
		}
		return stem[:last]
	case measure(stem) == 1 && endsShort(stem):
		return stem + "e"
	}
	return stem
}

// derived is step 2.
func derived(word string) string {
	if stem, ok := strings.CutSuffix(word, "ogi"); ok && strings.HasSuffix(stem, "l") { // the l counts as one of the stem's
		if measure(stem) > 0 {
			return stem + "og"
		}
		return word
	}
	if stem, ok := strings.CutSuffix(word, "alli"); ok && measure(stem) > 0 { // NLTK goes on with what is left
		return derived(stem + "al")
	}
	return shortened(word, derivations, 0)
}

// rule replaces an ending.
type rule struct{ ending, by string }

var (
	derivations = []rule{
		{"ational", "ate"},
		{"tional", "tion"},
		{"enci", "ence"},
		{"anci", "ance"},
		{"izer", "ize"},
		{"bli", "ble"},
		{"entli", "ent"},
		{"eli", "e"},
		{"ousli", "ous"},
		{"ization", "ize"},
		{"ation", "ate"},
		{"ator", "ate"},
		{"alism", "al"},
		{"iveness", "ive"},
		{"fulness", "ful"},
		{"ousness", "ous"},
		{"aliti", "al"},
		{"iviti", "ive"},
		{"biliti", "ble"},
		{"fulli", "ful"},
	}
	inflected = []rule{ // step 3
		{"icate", "ic"}, {"ative", ""}, {"alize", "al"}, {"iciti", "ic"}, {"ical", "ic"}, {"ful", ""}, {"ness", ""},
	}
	bare = []rule{ // step 4
		{"al", ""},
		{"ance", ""},
		{"ence", ""},
		{"er", ""},
		{"ic", ""},
		{"able", ""},
		{"ible", ""},
		{"ant", ""},
		{"ement", ""},
		{"ment", ""},
		{"ent", ""},
		{"ion", ""},
		{"ou", ""},
		{"ism", ""},
		{"ate", ""},
		{"iti", ""},
		{"ous", ""},
		{"ive", ""},
		{"ize", ""},
	}
)

// shortened applies the first rule whose ending a word has, if what is left has a
// measure above least, and no other.
func shortened(word string, rules []rule, least int) string {
	for _, r := range rules {
		stem, ok := strings.CutSuffix(word, r.ending)
		if !ok {
			continue
		}
		if measure(stem) <= least || r.ending == "ion" && strings.IndexByte("st", stem[len(stem)-1]) < 0 {
			return word
		}
		return stem + r.by
	}
	return word
}

// tidied is step 5.
func tidied(word string) string {
	if stem, ok := strings.CutSuffix(word, "e"); ok {
		if m := measure(stem); m > 1 || m == 1 && !endsShort(stem) {
			word = stem
		}
	}
	if strings.HasSuffix(word, "ll") && measure(word[:len(word)-1]) > 1 {
		return word[:len(word)-1]
	}
	return word
}

// consonant reports whether letter i is one.
func consonant(word string, i int) bool {
	from := i
	for from > 0 && word[from] == 'y' {
		from--
	}
	is := false
	for ; from <= i; from++ {
		is = consonantAfter(is, word[from])
	}
	return is
}

// consonantAfter reports whether a letter is a consonant: y is one where it does
// not come after one.
func consonantAfter(consonant bool, letter byte) bool {
	if letter == 'y' {
		return !consonant
	}
	return strings.IndexByte("aeiou", letter) < 0
}

// measure counts the changes from vowels to consonants.
func measure(word string) int {
	n, is := 0, false
	for i := range len(word) {
		before := is
		is = consonantAfter(before, word[i])
		if i > 0 && is && !before {
			n++
		}
	}
	return n
}

func hasVowel(word string) bool {
	is := false
	for i := range len(word) {
		if is = consonantAfter(is, word[i]); !is {
			return true
		}
	}
	return false
}

// endsShort reports whether a word ends like "hop": consonant, vowel, consonant,
// the last none of w, x and y; or is like "at".
func endsShort(word string) bool {
	n := len(word)
	if n == 2 {
		return !consonant(word, 0) && consonant(word, 1)
	}
	return n > 2 && consonant(word, n-3) && !consonant(word, n-2) && consonant(word, n-1) && strings.IndexByte("wxy", word[n-1]) < 0
}
