package page

import (
	"slices"
	"strings"
	"unicode"
)

// span is a part of an answer that unsupported claims were found in, by their
// numbers; text without claims is a span too.
type span struct {
	Text   string
	Claims []int
}

// token is a word of a text, or a letter of a script that does not divide words.
type token struct {
	word     string
	from, to int // bytes
}

// tokens are the words of a text in lower case.
func tokens(text string) []token {
	var all []token
	from := -1
	end := func(to int) {
		if from >= 0 {
			all = append(all, token{strings.ToLower(text[from:to]), from, to})
		}
		from = -1
	}
	for i, r := range text {
		switch {
		case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai):
			end(i)
			to := i + len(string(r))
			all = append(all, token{text[i:to], i, to})
		case unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r):
			if from < 0 {
				from = i
			}
		default:
			end(i)
		}
	}
	end(len(text))
	return all
}

// inMark is which share of a claim's words must be in a sentence for the claim to
// be found there. Claims are reworded so that they can be read alone: a pronoun
// becomes a name, half a sentence becomes a whole one.
const inMark = 0.6

// locate returns the part of the answer, in bytes, that says what a claim does: in
// the sentence with most of its words, from the first of them to the last. All
// numbers of the claim must be there. It is false if no sentence will do: a wrong
// mark is worse than none.
func locate(text string, sentences [][]token, claim string) (from, to int, ok bool) {
	words := map[string]bool{}
	for _, t := range tokens(claim) {
		words[t.word] = true
	}
	if len(words) == 0 {
		return 0, 0, false
	}
	best := 0
	for _, sentence := range sentences {
		found := map[string]bool{}
		first, last := -1, -1
		for i, t := range sentence {
			if words[t.word] {
				found[t.word] = true
				if first < 0 {
					first = i
				}
				last = i
			}
		}
		if len(found) <= best || float64(len(found)) < inMark*float64(len(words)) || !hasNumbers(found, words) {
			continue
		}
		best, from, to = len(found), sentence[first].from, sentence[last].to
	}
	return from, to, best > 0
}

func hasNumbers(found, words map[string]bool) bool {
	for w := range words {
		if !found[w] && strings.ContainsFunc(w, unicode.IsDigit) {
			return false
		}
	}
	return true
}

// sentences divides the tokens of a text where sentences end. A point within a
// number ends none.
func sentences(text string) (all [][]token) {
	words := tokens(text)
	from := 0
	for i := range words {
		next := len(text)
		if i+1 < len(words) {
			next = words[i+1].from
		}
		between := text[words[i].to:next]
		ends := strings.ContainsAny(between, "\n!?。！？") || strings.Contains(between, ". ")
		if ends || i == len(words)-1 {
			all = append(all, words[from:i+1])
			from = i + 1
		}
	}
	return all
}

// mark divides an answer into spans by the claims, which have numbers, and returns
// the numbers of those that were not found in it.
func mark(text string, claims map[int]string) (spans []span, unfound []int) {
	var numbers []int
	for n := range claims {
		numbers = append(numbers, n)
	}
	slices.Sort(numbers)
	type place struct {
		from, to int
		claims   []int
	}
	var places []place
	inText := sentences(text)
	for _, n := range numbers {
		from, to, ok := locate(text, inText, claims[n])
		if !ok {
			unfound = append(unfound, n)
			continue
		}
		places = append(places, place{from, to, []int{n}})
	}
	slices.SortStableFunc(places, func(a, b place) int { return a.from - b.from })
	var apart []place
	for _, p := range places {
		if k := len(apart) - 1; k >= 0 && p.from < apart[k].to {
			apart[k].to = max(apart[k].to, p.to)
			apart[k].claims = append(apart[k].claims, p.claims...)
			continue
		}
		apart = append(apart, p)
	}
	at := 0
	for _, p := range apart {
		if p.from > at {
			spans = append(spans, span{Text: text[at:p.from]})
		}
		slices.Sort(p.claims)
		spans = append(spans, span{text[p.from:p.to], p.claims})
		at = p.to
	}
	if at < len(text) {
		spans = append(spans, span{Text: text[at:]})
	}
	return spans, unfound
}
