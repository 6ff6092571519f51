package lexical

import "unicode/utf8"

// Levenshtein is 1 minus the share of the longer text's code points that
// [LevenshteinDistance] edits: 1 for equal texts, also if both are empty, and 0 if
// nothing is left of one in the other. It equals rapidfuzz's
// Levenshtein.normalized_similarity.
func Levenshtein(a, b string) float64 {
	return similarity(LevenshteinDistance(a, b), a, b)
}

// HammingDistance is the number of places at which a and b have different code
// points. Places that only the longer one has are different.
func HammingDistance(a, b string) int {
	d := 0
	for a != "" && b != "" {
		r, n := utf8.DecodeRuneInString(a)
		s, m := utf8.DecodeRuneInString(b)
		if r != s {
			d++
		}
		a, b = a[n:], b[m:]
	}
	return d + utf8.RuneCountInString(a) + utf8.RuneCountInString(b)
}

// Hamming is 1 minus the share of the longer text's code points that
// [HammingDistance] counts: 0 to 1, and 1 for equal texts. It equals rapidfuzz's
// Hamming.normalized_similarity with padding.
func Hamming(a, b string) float64 {
	return similarity(HammingDistance(a, b), a, b)
}

// similarity is 1 less what a distance is of the longer text.
func similarity(distance int, a, b string) float64 {
	n := max(utf8.RuneCountInString(a), utf8.RuneCountInString(b))
	if n == 0 {
		return 1
	}
	return 1 - float64(distance)/float64(n)
}
