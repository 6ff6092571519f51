package lexical_test

import (
	"strings"
	"testing"

	"github.com/ragomega/ragomega/ragtest/lexical"
	"pgregory.net/rapid"
)

// slowDistance is Levenshtein's by the table of Wagner and Fischer (1974).
func slowDistance(a, b []rune) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i, r := range a {
		diagonal := row[0]
		row[0] = i + 1
		for j, s := range b {
			cost := diagonal
			if r != s {
				cost = min(diagonal, row[j], row[j+1]) + 1
			}
			diagonal, row[j+1] = row[j+1], cost
		}
	}
	return row[len(b)]
}

// slowCommon is the length of a longest common subsequence.
func slowCommon(a, b []string) int {
	row := make([]int, len(b)+1)
	for _, r := range a {
		diagonal := 0
		for j, s := range b {
			length := max(row[j], row[j+1])
			if r == s {
				length = diagonal + 1
			}
			diagonal, row[j+1] = row[j+1], length
		}
	}
	return row[len(b)]
}

// slowJaro looks at each pair of letters.
func slowJaro(a, b []rune) float64 {
	if len(a) == 0 && len(b) == 0 {
		return 1
	}
	reach := max(0, max(len(a), len(b))/2-1)
	inA, inB := make([]bool, len(a)), make([]bool, len(b))
	m := 0.0
	for i := range a {
		for j := max(0, i-reach); j < min(len(b), i+reach+1); j++ {
			if !inB[j] && a[i] == b[j] {
				inA[i], inB[j] = true, true
				m++
				break
			}
		}
	}
	if m == 0 {
		return 0
	}
	moved, j := 0, 0
	for i := range a {
		if !inA[i] {
			continue
		}
		for !inB[j] {
			j++
		}
		if a[i] != b[j] {
			moved++
		}
		j++
	}
	return (m/float64(len(a)) + m/float64(len(b)) + (m-float64(moved/2))/m) / 3
}

// lengths are those at which blocks of 64 and the band change, and any between.
var lengths = rapid.OneOf(rapid.IntRange(0, 140), rapid.SampledFrom([]int{0, 1, 63, 64, 65, 127, 128, 129, 191, 192, 193, 255, 256, 257, 320, 513}))

func lettersOf(alphabet string) *rapid.Generator[[]rune] {
	return rapid.Custom(func(t *rapid.T) []rune {
		n := lengths.Draw(t, "length")
		return rapid.SliceOfN(rapid.SampledFrom([]rune(alphabet)), n, n).Draw(t, "letters")
	})
}

// twoTexts are unrelated, or one is an edit of the other.
func twoTexts(t *rapid.T) (a, b []rune) {
	alphabet := rapid.SampledFrom([]string{"a", "ab", "abc", "abcdefgh", "abcdefghijklmnopqrstuvwxyz图书é\u0301👍"}).Draw(t, "alphabet")
	a = lettersOf(alphabet).Draw(t, "a")
	if rapid.Bool().Draw(t, "unrelated") {
		return a, lettersOf(alphabet).Draw(t, "b")
	}
	return a, edit(t, a, rapid.IntRange(0, 20).Draw(t, "edits"), []rune(alphabet))
}

func edit(t *rapid.T, text []rune, edits int, alphabet []rune) []rune {
	b := append([]rune(nil), text...)
	for range edits {
		i := rapid.IntRange(0, len(b)).Draw(t, "place")
		r := rapid.SampledFrom(alphabet).Draw(t, "letter")
		switch rapid.IntRange(0, 2).Draw(t, "edit") {
		case 0:
			b = append(b[:i], append([]rune{r}, b[i:]...)...)
		case 1:
			b = append(b[:i], b[min(i+1, len(b)):]...)
		case 2:
			if i < len(b) {
				b[i] = r
			}
		}
	}
	return b
}

func TestDistancesAreThoseOfSlowOnes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := twoTexts(t)
		if got, want := lexical.LevenshteinDistance(string(a), string(b)), slowDistance(a, b); got != want {
			t.Fatalf("the distance of %q and %q is %d, not %d", string(a), string(b), got, want)
		}
		if got, want := lexical.Jaro(string(a), string(b)), 1-(1-slowJaro(a, b)); got != want {
			t.Fatalf("Jaro of %q and %q is %v, not %v", string(a), string(b), got, want)
		}
	})
}

func TestCommonSubsequencesAreLongest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x, y := twoTexts(t)
		a, b := string(x), string(y)
		letters := lexical.ROUGE{Tokenize: lexical.Characters}
		s := letters.Compare(a, b)
		if want := slowCommon(lexical.Characters(a), lexical.Characters(b)); s.Shared != want {
			t.Fatalf("%q and %q share %d letters in order, not %d", a, b, s.Shared, want)
		}
		if back := letters.Compare(b, a); back.Shared != s.Shared || back.F1 != s.F1 {
			t.Fatalf("%q and %q share %d letters in order, and the other way round %d", a, b, s.Shared, back.Shared)
		}
	})
}

// TestEditsWidenTheBand compares texts for which the first band is too narrow.
func TestEditsWidenTheBand(t *testing.T) {
	for _, alphabet := range []string{"ab", "abcdefghijklmnopqrstuvwxyz    "} {
		for _, n := range []int{1000, 1087, 3000} {
			r := seeded(uint64(n))
			a := []rune(randomText(r, alphabet, n))
			for _, edits := range []int{0, 40, 65, 200, 700, n} {
				b := []rune(edited(r, string(a), alphabet, edits))
				if got, want := lexical.LevenshteinDistance(string(a), string(b)), slowDistance(a, b); got != want {
					t.Errorf("%d letters of %q after %d edits: the distance is %d, not %d", n, alphabet, edits, got, want)
				}
			}
			for _, other := range []string{strings.Repeat("z", n/2), randomText(r, alphabet, n/3), string(a[n/4:]), string(a[:n/2]) + string(a[:n/4])} {
				if got, want := lexical.LevenshteinDistance(string(a), other), slowDistance(a, []rune(other)); got != want {
					t.Errorf("%d letters of %q against %d: the distance is %d, not %d", n, alphabet, len(other), got, want)
				}
			}
		}
	}
}
