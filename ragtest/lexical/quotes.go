package lexical

import (
	"strings"
	"unicode/utf8"
)

// quoteMarks are straight, curly, low and reversed ones, and accents in their place.
const quoteMarks = "\"“”„‟'‘’`´"

// Quotes returns the spans of a text that stand between two quotation marks on one
// line and have at least so many words. Any mark ends what any other begins, and an
// apostrophe is one, as in Ragas: of "it's 'so'" the first span is "s", and the last
// mark begins none.
func Quotes(text string, words int) []string {
	var spans []string
	for {
		_, rest, ok := cutAtMark(text, quoteMarks)
		if !ok {
			return spans
		}
		text = rest
		span, rest, ok := cutAtMark(text, quoteMarks+"\n")
		if !ok {
			return spans
		}
		if text[len(span)] == '\n' {
			continue
		}
		text = rest
		if len(Fields(span)) >= words {
			spans = append(spans, strings.TrimFunc(span, isSpace))
		}
	}
}

// cutAtMark is strings.Cut at the first of some marks.
func cutAtMark(text, marks string) (before, after string, found bool) {
	i := strings.IndexAny(text, marks)
	if i < 0 {
		return text, "", false
	}
	_, size := utf8.DecodeRuneInString(text[i:])
	return text[:i], text[i+size:], true
}
