package lexical

import (
	"slices"
	"strings"
)

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

// overlaps compares an answer and a reference, whose tokens are numbers below so
// many, by their n-grams of each order from 1 to most. The texts write what begins
// at a token.
func overlaps(answer, reference []int32, tokens, most int, inAnswer, inReference text) []Overlap {
	x, y, kinds := answer, reference, tokens
	all := make([]Overlap, 0, most)
	for n := 1; n <= most; n++ {
		if n > 1 {
			x, y, kinds = longer(x, y, kinds, answer[min(n-1, len(answer)):], reference[min(n-1, len(reference)):], tokens)
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

// longer numbers n-grams, from the numbers of those that are shorter by one, which
// are below so many, and the tokens that come behind them. So long ones cost no more
// than short ones. Those that begin with the same shorter one are dealt with
// together, so that the token tells them apart.
func longer(x, y []int32, shorter int, behindX, behindY []int32, tokens int) (longX, longY []int32, kinds int) {
	x, y = x[:len(behindX)], y[:len(behindY)]
	begin, behind := slices.Concat(x, y), slices.Concat(behindX, behindY)
	long := make([]int32, len(begin))
	at, from := places(begin, shorter)
	number := make([]int32, tokens) // and 1, of the n-gram that ends in a token
	for b := range shorter {
		before := int32(kinds) // numbers above are of those that begin alike
		for _, i := range at[from[b]:from[b+1]] {
			last := behind[i]
			if number[last] <= before {
				kinds++
				number[last] = int32(kinds)
			}
			long[i] = number[last] - 1
		}
	}
	return long[:len(x)], long[len(x):], kinds
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
