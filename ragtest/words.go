package ragtest

import (
	"strings"
	"unicode"
)

// words returns the words of a text that carry its content, as far as that can
// be told without knowing the language: words with a digit, and those of four
// letters and more, by their first four, so that most endings do not matter.
// Scripts that do not part words give every two neighbouring letters.
func words(text string) map[string]bool {
	found := map[string]bool{}
	var word []rune
	digits := false
	end := func() {
		if digits {
			found[string(word)] = true
		} else if len(word) >= 4 {
			found[string(word[:4])] = true
		}
		word, digits = word[:0], false
	}
	var before rune
	for _, r := range text {
		if unparted(r) {
			end()
			if unparted(before) {
				found[string([]rune{before, r})] = true
			}
		} else if unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) && len(word) > 0 {
			word = append(word, unicode.ToLower(r))
			digits = digits || unicode.IsDigit(r)
		} else {
			end()
		}
		before = r
	}
	end()
	return found
}

// unparted reports whether r is of a script that is written without spaces. The
// sign for a long vowel belongs to two of them, so Unicode gives it to none.
func unparted(r rune) bool {
	return r == 'ー' || unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar)
}

// shared counts the words of a that are in b.
func shared(a, b map[string]bool) int {
	n := 0
	for w := range a {
		if b[w] {
			n++
		}
	}
	return n
}

// nearest returns the sentence of the contexts that has most of a claim's words,
// or "" if none has any: what a reader wants to see beside a claim that is not
// supported. Numbers count twice, as claims are often wrong in those.
func nearest(claim string, contexts []string) string { return newIndex(contexts).nearest(claim) }

// index has the words of each sentence of contexts, to look for many claims.
type index []indexed

type indexed struct {
	sentence string
	words    map[string]bool
}

func newIndex(contexts []string) index {
	var x index
	for _, c := range contexts {
		for _, s := range sentences(c) {
			x = append(x, indexed{s, words(s)})
		}
	}
	return x
}

func (x index) nearest(claim string) string {
	want := words(claim)
	best, most := "", 0
	for _, s := range x {
		n := 0
		for w := range s.words {
			if want[w] {
				n++
			}
			if want[w] && strings.ContainsFunc(w, unicode.IsDigit) {
				n++
			}
		}
		if n > most {
			best, most = s.sentence, n
		}
	}
	return best
}

// sentences parts a text for people to read: it may part an abbreviation.
func sentences(text string) []string {
	var parts []string
	runes := []rune(text)
	from := 0
	for i, r := range runes {
		atEnd := i+1 == len(runes) || unicode.IsSpace(runes[i+1])
		if r == '\n' || strings.ContainsRune(".!?", r) && atEnd || strings.ContainsRune("。！？", r) {
			parts = append(parts, strings.TrimSpace(string(runes[from:i+1])))
			from = i + 1
		}
	}
	return append(parts, strings.TrimSpace(string(runes[from:])))
}

// foreign says why a claim cannot be one that the text makes, or "". A claim may
// take words from the question to be understood alone. One that has all its
// words from there, and less than half of them also from the text, is the
// question's, unless the text is short or agrees with the question.
func foreign(claim, text, question map[string]bool, agrees bool) string {
	fromText, fromQuestion := shared(claim, text), shared(claim, question)
	switch {
	case len(claim) == 0 || len(text) == 0:
		return "" // nothing to tell by
	case fromText+fromQuestion == 0:
		return "has no word in common with the text"
	case len(text) < 4 || agrees:
		return ""
	case fromQuestion == len(claim) && 2*fromText < len(claim):
		return "says only what the question says"
	}
	return ""
}

// agrees reports whether a text begins like "Yes, …" or "No. …": with a short
// word and a mark behind it, whatever the language. Such a text may claim all
// that it was asked.
func agrees(text string) bool {
	n := 0
	for _, r := range strings.TrimSpace(text) {
		if !unicode.IsLetter(r) && !unicode.IsMark(r) {
			return 0 < n && n <= 5 && unicode.IsPunct(r)
		}
		n++
	}
	return false
}
