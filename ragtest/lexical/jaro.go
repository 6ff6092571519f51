package lexical

import "slices"

// Jaro is the similarity of Jaro (1989), made for short texts such as names: the
// mean of the shares of a's and of b's code points that match, and of the matches
// that come in the same order. Code points match if they are equal and no further
// apart than half the longer text. From 0 to 1: 1 for equal texts, also if both are
// empty. It equals 1 less rapidfuzz's normalized distance, which may differ from its
// similarity in the last bit, and takes time in proportion to the texts' length.
func Jaro(a, b string) float64 {
	x, y, letters := numberedLetters(a, b)
	return 1 - (1 - jaro(x, y, letters)) // as a distance rounds it
}

// JaroWinkler is [Jaro] raised for texts that begin alike (Winkler 1990): where it
// is above 0.7, each of the first four code points that are the same takes away a
// tenth of what it lacks to 1. From 0 to 1. It equals 1 less rapidfuzz's normalized
// distance.
func JaroWinkler(a, b string) float64 {
	x, y, letters := numberedLetters(a, b)
	s := jaro(x, y, letters)
	if s > 0.7 {
		alike := 0
		for alike < min(4, len(x), len(y)) && x[alike] == y[alike] {
			alike++
		}
		s += float64(float64(alike) * 0.1 * (1 - s))
	}
	return 1 - (1 - min(s, 1))
}

func jaro(a, b []int32, letters int) float64 {
	if len(a) == 0 && len(b) == 0 {
		return 1
	}
	inA, inB := matches(a, b, letters)
	m := len(inA)
	if m == 0 {
		return 0
	}
	moved := 0
	for i, letter := range inA {
		if letter != inB[i] {
			moved++
		}
	}
	n := float64(m)
	s := n / float64(len(a))
	s += n / float64(len(b))
	s += float64(m-moved/2) / n
	return s / 3
}

// matches returns the letters that match, in the order of a and in that of b. Each
// of a takes the first one of b within reach that is not taken. As what is within
// reach only moves on, those of b that are passed over are passed for good: it is
// enough to go once through the places of each letter. The same match if a and b
// change places.
func matches(a, b []int32, letters int) (inA, inB []int32) {
	reach := max(0, max(len(a), len(b))/2-1)
	at, from := places(b, letters)
	next := slices.Clone(from)
	taken := make([]bool, len(b))
	inA = make([]int32, 0, min(len(a), len(b)))
	for i, letter := range a {
		k, end := next[letter], from[letter+1]
		for k < end && int(at[k]) < i-reach {
			k++
		}
		if k < end && int(at[k]) <= i+reach {
			taken[at[k]] = true
			inA = append(inA, letter)
			k++
		}
		next[letter] = k
	}
	inB = make([]int32, 0, len(inA))
	for j, letter := range b {
		if taken[j] {
			inB = append(inB, letter)
		}
	}
	return inA, inB
}
