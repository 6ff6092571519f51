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

// unparted reports whether r is of a script that is written without spaces.
func unparted(r rune) bool {
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar)
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
// supported.
func nearest(claim string, contexts []string) string {
	want := words(claim)
	best, most := "", 0
	for _, c := range contexts {
		for _, s := range sentences(c) {
			if n := shared(want, words(s)); n > most {
				best, most = s, n
			}
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
// take words from the question to be understood alone, but it has to say
// something of the text.
func foreign(claim, text, question map[string]bool) string {
	fromText := shared(claim, text)
	switch {
	case len(claim) == 0 || len(text) == 0:
		return "" // nothing to tell by
	case fromText == 0 && shared(claim, question) == 0:
		return "has no word in common with the text"
	case len(text) < 4:
		return "" // "Yes, that is right." makes a claim of the question's words
	}
	for w := range claim {
		if text[w] && !question[w] {
			return "" // it says something that the question does not
		}
	}
	if fromText < len(claim) && shared(claim, question) > fromText {
		return "says only what the question says"
	}
	return ""
}
