package lexical

import (
	"strings"
	"unicode"
)

// Lower is a text in lower case by Unicode's full rules, as Python's str.lower has
// it. What it adds to strings.ToLower is a dotted capital I, which becomes two code
// points, and a sigma that ends a word.
func Lower(text string) string {
	if !strings.Contains(text, "İ") && !strings.Contains(text, "Σ") {
		return strings.ToLower(text)
	}
	runes := []rune(text)
	var b strings.Builder
	for i, r := range runes {
		switch {
		case r == 'İ':
			b.WriteString("i̇")
		case r == 'Σ' && endsWord(runes, i):
			b.WriteRune('ς')
		default:
			b.WriteRune(unicode.ToLower(r))
		}
	}
	return b.String()
}

// endsWord reports whether a letter with a case stands before runes[i], and none
// behind it, what is ignorable not looked at: Unicode's Final_Sigma.
func endsWord(runes []rune, i int) bool {
	before, after := i-1, i+1
	for before >= 0 && ignorable(runes[before]) {
		before--
	}
	for after < len(runes) && ignorable(runes[after]) {
		after++
	}
	return before >= 0 && cased(runes[before]) && (after == len(runes) || !cased(runes[after]))
}

func cased(r rune) bool {
	return unicode.In(r, unicode.Upper, unicode.Lower, unicode.Title, unicode.Other_Uppercase, unicode.Other_Lowercase)
}

// ignorable is Unicode's Case_Ignorable.
func ignorable(r rune) bool {
	return strings.ContainsRune("'.:\u00b7\u0387\u055f\u05f4\u2018\u2019\u2024\u2027\ufe13\ufe52\ufe55\uff07\uff0e\uff1a", r) ||
		unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf, unicode.Lm, unicode.Sk)
}
