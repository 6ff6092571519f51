package ragtest

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// shorten is the simple way: all words, one space between, cut at a letter.
func TestShortenIsTheSimpleWay(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.StringOfN(rapid.SampledFrom([]rune("ab  \n\t\u00a0é日👩\u200d")), 0, 30, -1).Draw(t, "s")
		most := rapid.IntRange(1, 12).Draw(t, "most")
		want := strings.Join(strings.Fields(s), " ")
		if r := []rune(want); len(r) > most {
			want = string(r[:most-1]) + "…"
		}
		if got := shorten(s, most); got != want {
			t.Fatalf("shorten(%q, %d) = %q, want %q", s, most, got, want)
		}
	})
}
