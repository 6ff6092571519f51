package lexical

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/clipperhouse/uax29/v2/words"
)

// Tokenizer parts a text into tokens, of which n-grams are made.
type Tokenizer func(text string) []string

// UnicodeWords are the words of a text in lower case, by the word boundaries of
// Unicode (UAX #29), in any script: "Größe" is one, and each Han character is. What
// has neither a letter nor a digit is left out.
func UnicodeWords(text string) []string {
	return segments(Lower(text), func(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) })
}

// UnicodeTokens are the words of a text, and what stands between them but for white
// space, by the word boundaries of Unicode (UAX #29): "¿Qué?" is "¿", "Qué", "?".
func UnicodeTokens(text string) []string {
	return segments(valid(text), func(r rune) bool { return !isSpace(r) })
}

// segments are the pieces between word boundaries that have a rune that counts.
func segments(text string, counts func(rune) bool) []string {
	var list []string
	for parts := words.FromString(text); parts.Next(); {
		if s := parts.Value(); strings.ContainsFunc(s, counts) {
			list = append(list, strings.TrimFunc(s, isSpace)) // a mark may combine with a space
		}
	}
	return list
}

// Fields are the pieces of a text between white space, as Python's str.split has
// them.
func Fields(text string) []string { return strings.FieldsFunc(valid(text), isSpace) }

// Characters are the code points of a text but for white space.
func Characters(text string) []string {
	text = valid(text)
	var list []string
	for i, r := range text {
		if !isSpace(r) {
			list = append(list, text[i:i+utf8.RuneLen(r)])
		}
	}
	return list
}

// isSpace reports whether Python's str.split parts words there: at the white space
// of Unicode, and at four separators of ASCII.
func isSpace(r rune) bool { return unicode.IsSpace(r) || 0x1c <= r && r <= 0x1f }

// ASCIIWords are the words of a text as Google's rouge_score has them: in lower
// case, of the letters a to z and digits, all else being a space. Words of more than
// three letters are stemmed, see [Stem]. A text in another script has none.
func ASCIIWords(text string) []string {
	return strings.FieldsFunc(Lower(text), func(r rune) bool { return !('a' <= r && r <= 'z' || '0' <= r && r <= '9') })
}

// valid is a text with U+FFFD for each byte that is not UTF-8.
func valid(text string) string {
	if utf8.ValidString(text) {
		return text
	}
	return string([]rune(text))
}
