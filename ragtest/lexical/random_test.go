package lexical_test

import "math/rand/v2"

func seeded(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 1)) }

func randomText(r *rand.Rand, alphabet string, n int) string {
	letters, text := []rune(alphabet), make([]rune, n)
	for i := range text {
		text[i] = letters[r.IntN(len(letters))]
	}
	return string(text)
}

// edited inserts, deletes or replaces letters here and there.
func edited(r *rand.Rand, text, alphabet string, edits int) string {
	at := map[int]int{}
	letters, from := []rune(alphabet), []rune(text)
	for range edits {
		at[r.IntN(len(from))] = r.IntN(3)
	}
	var to []rune
	for i, c := range from {
		what, ok := at[i]
		if !ok || what == 0 {
			to = append(to, c)
		}
		if ok && what < 2 {
			to = append(to, letters[r.IntN(len(letters))])
		}
	}
	return string(to)
}
