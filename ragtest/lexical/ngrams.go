package lexical

import "strings"

// Overlap counts the n-grams of one order that an answer and a reference have, and
// those that they share: one that is twice in the one text and once in the other is
// shared once.
type Overlap struct {
	Order     int
	Answer    int // n-grams of the answer
	Reference int
	Shared    int
	Missing   Shown // that the reference has, or has more often
	Extra     Shown // that the answer has, or has more often
}

// Shown are the first of some n-grams, in their order in the text, each once, and
// how many there are.
type Shown struct {
	First []string // at most 10
	All   int
}

// mostShown keeps evidence short: a text of a megabyte has a million n-grams.
const mostShown = 10

// Precision is the share of the answer's n-grams that the reference has; 0 if there
// are none.
func (o Overlap) Precision() float64 { return ratio(o.Shared, o.Answer) }

// Recall is the share of the reference's n-grams that the answer has; 0 if there are
// none.
func (o Overlap) Recall() float64 { return ratio(o.Shared, o.Reference) }

func ratio(n, of int) float64 { return float64(n) / float64(max(of, 1)) }

// overlaps compares an answer and a reference by their n-grams of each order from 1
// to most. An n-gram is known by the number of the one before its last token, and
// that token, so that long ones cost no more than short ones. The texts write what
// begins at a token.
func overlaps[T comparable](answer, reference []T, most int, inAnswer, inReference text) []Overlap {
	x, y, kinds := numbered(answer, reference)
	tokensX, tokensY := x, y
	var all []Overlap
	for n := 1; n <= most; n++ {
		if n > 1 {
			x, y, kinds = numbered(longer(x, tokensX, n), longer(y, tokensY, n))
		}
		more := make([]int32, kinds) // how often the reference has it more than the answer
		for _, g := range y {
			more[g]++
		}
		shared := 0
		for _, g := range x {
			if more[g] > 0 {
				shared++
			}
			more[g]--
		}
		all = append(all, Overlap{
			Order: n, Answer: len(x), Reference: len(y), Shared: shared,
			Missing: listed(y, kinds, func(i int) bool { return more[y[i]] > 0 }, n, inReference),
			Extra:   listed(x, kinds, func(i int) bool { return more[x[i]] < 0 }, n, inAnswer),
		})
	}
	return all
}

// text writes the n-gram of n tokens that begins at token i.
type text func(i, n int) string

// wordsOf is a text of words.
func wordsOf(list []string) text {
	return func(i, n int) string { return strings.Join(list[i:i+n], " ") }
}

// gram is an n-gram: the number of what comes before its last token, and that of
// the token.
type gram struct{ before, last int32 }

// longer makes n-grams of those that are shorter by one.
func longer(shorter, tokens []int32, n int) []gram {
	grams := make([]gram, max(0, len(tokens)-n+1))
	for i := range grams {
		grams[i] = gram{shorter[i], tokens[i+n-1]}
	}
	return grams
}

// listed shows those of grams, each of n tokens, that are wanted by their place.
func listed(grams []int32, kinds int, wanted func(i int) bool, n int, in text) Shown {
	var s Shown
	seen := make([]bool, kinds)
	for i, g := range grams {
		if seen[g] || !wanted(i) {
			continue
		}
		seen[g] = true
		if s.All++; s.All <= mostShown {
			s.First = append(s.First, in(i, n))
		}
	}
	return s
}
