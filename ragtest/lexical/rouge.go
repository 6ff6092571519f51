package lexical

// ROUGE says how [ROUGE.Compare] computes. Its zero value is ROUGE-L as Google's
// rouge_score has it.
type ROUGE struct {
	// N is the order of the n-grams: 1 for ROUGE-1, 2 for ROUGE-2. 0 is ROUGE-L, the
	// longest common subsequence: words that come in the same order in both texts, with
	// others in between or not.
	N int
	// Tokenize makes words; nil is [ASCIIWords], compared by their [Stem] if they have
	// more than three letters.
	Tokenize Tokenizer
}

// ROUGEScore are the scores of an answer, and what they were computed from: n-grams,
// or for ROUGE-L words, of which those are shared that are in the subsequence. Words
// are shown as they are, not their stems.
type ROUGEScore struct {
	Overlap
	F1 float64 // the harmonic mean of precision and recall; 0 if both are
}

// Compare returns the ROUGE scores of an answer (Lin 2004), each from 0 to 1. They
// equal those of Google's rouge_score with its stemmer. A text without words, or with
// fewer than N, has 0, also against itself: with [ASCIIWords] that is any text in
// another script than Latin, for which there is [UnicodeWords].
func (o ROUGE) Compare(answer, reference string) ROUGEScore {
	x, y := o.words(answer), o.words(reference)
	stemX, stemY := x, y
	if o.Tokenize == nil {
		stemX, stemY = stems(x), stems(y)
	}
	numbersX, numbersY, kinds := numbered(stemX, stemY)
	var s ROUGEScore
	switch {
	case o.N > max(len(x), len(y)):
		s.Overlap = Overlap{Order: o.N}
	case o.N > 0:
		s.Overlap = overlaps(numbersX, numbersY, kinds, o.N, wordsOf(x), wordsOf(y))[o.N-1]
	default:
		s.Overlap = inOrder(numbersX, numbersY, kinds, wordsOf(x), wordsOf(y))
	}
	if p, r := s.Precision(), s.Recall(); p+r > 0 {
		s.F1 = 2 * p * r / (p + r)
	}
	return s
}

func (o ROUGE) words(text string) []string {
	if o.Tokenize == nil {
		return ASCIIWords(text)
	}
	return o.Tokenize(text)
}

func stems(words []string) []string {
	list := make([]string, len(words))
	for i, w := range words {
		list[i] = w
		if len(w) > 3 {
			list[i] = Stem(w)
		}
	}
	return list
}

// inOrder compares two texts of words of so many kinds by a longest common
// subsequence.
func inOrder(x, y []int32, kinds int, inAnswer, inReference text) Overlap {
	inX, inY := common(x, y, kinds)
	o := Overlap{
		Order: 1, Answer: len(x), Reference: len(y),
		Missing: listed(y, kinds, func(i int) bool { return !inY[i] }, 1, inReference),
		Extra:   listed(x, kinds, func(i int) bool { return !inX[i] }, 1, inAnswer),
	}
	for _, in := range inX {
		if in {
			o.Shared++
		}
	}
	return o
}
