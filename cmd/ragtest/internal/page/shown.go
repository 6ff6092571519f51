package page

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/ragomega/ragomega/ragtest"
)

// mostShown is how much of a text is in the page, in bytes.
const mostShown = 100_000

// clip cuts a text that nobody reads to its end.
func clip(text string) string {
	if len(text) <= mostShown {
		return text
	}
	cut := mostShown
	for cut > 0 && text[cut]&0xC0 == 0x80 {
		cut--
	}
	return text[:cut] + fmt.Sprintf("… [%d more bytes are left out]", len(text)-cut)
}

func shown(text string) string { return Visible(clip(text)) }

// Visible makes visible what would hide in a text, or act in a terminal: control
// characters, and those that change the direction of the text around them, are
// written as [U+001B]. Tabs and ends of lines stay.
func Visible(text string) string {
	if strings.IndexFunc(text, hides) < 0 {
		return text
	}
	var b strings.Builder
	for _, r := range text {
		if hides(r) {
			fmt.Fprintf(&b, "[U+%04X]", r)
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

func hides(r rune) bool {
	switch {
	case r == '\n' || r == '\t' || r == '\r':
		return false
	case r >= 0x202A && r <= 0x202E, r >= 0x2066 && r <= 0x2069, r == 0x2028, r == 0x2029:
		return true
	}
	return unicode.IsControl(r)
}

func digits2(v float64) string { return plus(fmt.Sprintf("%.2f", v)) }
func digits3(v float64) string { return plus(fmt.Sprintf("%.3f", v)) }

// signed has a sign, and a minus that is as wide as the plus.
func signed(v float64) string {
	if s := fmt.Sprintf("%.3f", v); s == "0.000" || s == "-0.000" {
		return "0.000"
	}
	return strings.Replace(fmt.Sprintf("%+.3f", v), "-", "−", 1)
}

func plus(s string) string { return strings.Replace(s, "-", "−", 1) }

// faultName is a fault where it stands alone.
func faultName(f ragtest.Fault) string {
	if f == ragtest.NoFault {
		return "no fault"
	}
	return string(f)
}
