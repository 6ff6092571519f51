package lexical

// Jaro is the similarity of Jaro (1989), made for short texts such as names: the
// mean of the shares of a's and of b's code points that match, and of the matches
// that come in the same order. Code points match if they are equal and no further
// apart than half the longer text. From 0 to 1: 1 for equal texts, also if both are
// empty. It equals rapidfuzz's, and takes time in proportion to the texts' length.
func Jaro(a, b string) float64 {
	return 1 - (1 - jaro([]rune(a), []rune(b))) // as rapidfuzz rounds it
}

// JaroWinkler is [Jaro] raised for texts that begin alike (Winkler 1990): where it
// is above 0.7, each of the first four code points that are the same takes away a
// tenth of what it lacks to 1. From 0 to 1. It equals rapidfuzz's.
func JaroWinkler(a, b string) float64 {
	x, y := []rune(a), []rune(b)
	s := jaro(x, y)
	if s > 0.7 {
		alike := 0
		for alike < min(4, len(x), len(y)) && x[alike] == y[alike] {
			alike++
		}
		s += float64(float64(alike) * 0.1 * (1 - s))
	}
	return 1 - (1 - min(s, 1))
}

func jaro(a, b []rune) float64 {
	if len(a) == 0 && len(b) == 0 {
		return 1
	}
	inA, inB := matches(a, b)
	m := len(inA)
	if m == 0 {
		return 0
	}
	moved := 0
	for i, r := range inA {
		if r != inB[i] {
			moved++
		}
	}
	n := float64(m)
	s := n / float64(len(a))
	s += n / float64(len(b))
	s += float64(m-moved/2) / n
	return s / 3
}

// matches returns the code points that match, in the order of a and in that of b.
// Each of a takes the first one of b within reach that is not taken. As what is
// within reach only moves on, those of b that are passed over are passed for good,
// so that a queue for each code point does.
func matches(a, b []rune) (inA, inB []rune) {
	reach := max(len(a), len(b))/2 - 1
	if reach < 0 {
		reach = 0
	}
	places := map[rune][]int{} // in b, not yet passed
	for j, r := range b {
		places[r] = append(places[r], j)
	}
	taken := make([]bool, len(b))
	for i, r := range a {
		at := places[r]
		for len(at) > 0 && at[0] < i-reach {
			at = at[1:]
		}
		if len(at) > 0 && at[0] <= i+reach {
			taken[at[0]] = true
			inA = append(inA, r)
			at = at[1:]
		}
		if len(at) < len(places[r]) {
			places[r] = at
		}
	}
	for j, r := range b {
		if taken[j] {
			inB = append(inB, r)
		}
	}
	return inA, inB
}
