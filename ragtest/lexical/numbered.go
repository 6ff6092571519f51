package lexical

// numbered gives the elements of two lists numbers from 0, equal ones the same, and
// returns how many there are.
func numbered[T comparable](a, b []T) (x, y []int32, n int) {
	numbers := map[T]int32{}
	number := func(list []T) []int32 {
		in := make([]int32, len(list))
		for i, e := range list {
			k, ok := numbers[e]
			if !ok {
				k = int32(len(numbers))
				numbers[e] = k
			}
			in[i] = k
		}
		return in
	}
	x, y = number(a), number(b)
	return x, y, len(numbers)
}

// numberedLetters is numbered for the code points of two texts. Those below 256 are
// looked up in a table, for most texts have no others.
func numberedLetters(a, b string) (x, y []int32, n int) {
	var latin [256]int32 // the number and 1
	others := map[rune]int32{}
	var lists [2][]int32
	for i, text := range [2]string{a, b} {
		list := make([]int32, 0, len(text))
		for _, r := range text {
			k := int32(0)
			if r < 256 {
				k = latin[r]
			} else {
				k = others[r]
			}
			if k == 0 {
				n++
				k = int32(n)
				if r < 256 {
					latin[r] = k
				} else {
					others[r] = k
				}
			}
			list = append(list, k-1)
		}
		lists[i] = list
	}
	return lists[0], lists[1], n
}

// places sorts the places of a list of numbers below n by what is there: k is at
// at[from[k]:from[k+1]], in order.
func places(list []int32, n int) (at, from []int32) {
	from = make([]int32, n+2)
	for _, k := range list {
		from[k+2]++
	}
	for k := range n {
		from[k+2] += from[k+1]
	}
	at = make([]int32, len(list))
	for i, k := range list {
		at[from[k+1]] = int32(i)
		from[k+1]++
	}
	return at, from[:n+1]
}
