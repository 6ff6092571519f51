package lexical

import (
	"math"
	"strings"
	"unicode/utf8"
)

// ChrF says how [ChrF.Compare] computes. Its zero value is what sacrebleu does by
// default, chrF2.
type ChrF struct {
	CharOrder int // the longest n-grams of code points, at most 100; 0 is 6
	// WordOrder is the longest n-grams of words, at most 100, which are compared besides:
	// 2 is chrF2++. 0 is none.
	WordOrder      int
	Beta           float64 // recall counts so many times as much as precision; 0 is 2, and with 1 texts may change places
	KeepWhitespace bool    // in n-grams of code points
	// EpsilonSmoothing averages the F scores of the orders, with a tiny number for those
	// without n-grams, as the original chrF++.py does, rather than take the F score of
	// the averages over the orders that both texts have. So a text that is shorter than
	// the longest n-grams has less than 1 against itself.
	EpsilonSmoothing bool
}

// mostOrders keeps a slip from comparing n-grams that no text has for hours.
const mostOrders = 100

// ChrFScore is a score and what it was computed from.
type ChrFScore struct {
	Value  float64   // 0 to 1
	Orders []Overlap // of code points from 1 up, then of words
	Chars  int       // how many of Orders are of code points
}

// Compare returns the chrF score of an answer (Popović 2015): the F score of its
// n-grams of code points. It equals sacrebleu's for one text and one reference, but
// is between 0 and 1. A blank text has 0, also against itself.
func (o ChrF) Compare(answer, reference string) ChrFScore {
	a, b := o.letters(answer), o.letters(reference)
	x, y, letters := numberedLetters(a, b)
	chars := 6
	if o.CharOrder > 0 {
		chars = min(o.CharOrder, mostOrders)
	}
	s := ChrFScore{Orders: overlaps(x, y, letters, chars, lettersOf(a), lettersOf(b)), Chars: chars}
	if o.WordOrder > 0 {
		v, w := punctuated(answer), punctuated(reference)
		x, y, words := numbered(v, w)
		s.Orders = append(s.Orders, overlaps(x, y, words, min(o.WordOrder, mostOrders), wordsOf(v), wordsOf(w))...)
	}
	if blank(answer) || blank(reference) {
		return s
	}
	s.Value = o.f(s.Orders)
	return s
}

// f sums up in the order of sacrebleu, product by product, for the same bits.
func (o ChrF) f(orders []Overlap) float64 {
	b2 := 4.0
	if o.Beta > 0 {
		b2 = min(float64(o.Beta*o.Beta), 1e300) // a product of it must not be infinite
	}
	const epsilon = 1e-16
	sum, meanP, meanR, both := 0.0, 0.0, 0.0, 0
	for _, n := range orders {
		p, r := epsilon, epsilon
		if n.Answer > 0 && n.Reference > 0 {
			p = n.Precision()
		}
		if n.Reference > 0 {
			r = n.Recall()
		}
		if d := float64(b2*p) + r; d > 0 {
			sum += float64(float64((1+b2)*p)*r) / d
		} else {
			sum += epsilon
		}
		if n.Answer > 0 && n.Reference > 0 {
			meanP += p
			meanR += r
			both++
		}
	}
	if o.EpsilonSmoothing {
		return math.Min(1, 100*sum/float64(len(orders))/100)
	}
	if both == 0 {
		return 0
	}
	meanP /= float64(both)
	meanR /= float64(both)
	if meanP+meanR == 0 {
		return 0
	}
	f := float64(float64((1+b2)*meanP) * meanR)
	f /= float64(b2*meanP) + meanR
	return min(1, 100*f/100)
}

func (o ChrF) letters(text string) string {
	if o.KeepWhitespace {
		return text
	}
	return strings.Join(Fields(text), "")
}

// punctuated are the fields of a text, a mark of ASCII at the end of one, or else at
// its beginning, being one by itself.
func punctuated(text string) []string {
	var list []string
	mark := func(b byte) bool { return strings.IndexByte("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~", b) >= 0 }
	for _, w := range Fields(text) {
		last := len(w) - 1
		switch {
		case utf8.RuneCountInString(w) == 1:
			list = append(list, w)
		case mark(w[last]):
			list = append(list, w[:last], w[last:])
		case mark(w[0]):
			list = append(list, w[:1], w[1:])
		default:
			list = append(list, w)
		}
	}
	return list
}

func lettersOf(s string) text {
	list := []rune(s)
	return func(i, n int) string { return string(list[i : i+n]) }
}

func blank(text string) bool { return strings.TrimFunc(text, isSpace) == "" }
