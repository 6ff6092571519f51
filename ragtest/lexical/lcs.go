package lexical

import "slices"

// common finds a longest common subsequence of two lists of so many symbols, and
// returns which elements of each are in it. It takes about len(x)·len(y)/32 steps,
// and memory in proportion to their length: each half of x is aligned with a part of
// y (Hirschberg 1975), and where to part y is found for 64 elements at a time
// (Crochemore et al. 2001).
func common(x, y []int32, symbols int) (inX, inY []bool) {
	s := subsequence{
		rowsWith: make([]uint64, symbols),
		carry:    make([]uint8, len(x)),
		inX:      make([]bool, len(x)), inY: make([]bool, len(y)),
	}
	s.find(x, y, 0, 0)
	return s.inX, s.inY
}

type subsequence struct {
	rowsWith []uint64 // by symbol; 0 between uses
	carry    []uint8
	inX, inY []bool
}

// find marks what x and y, which begin at i of the one list and j of the other, have in common.
func (s *subsequence) find(x, y []int32, i, j int) {
	for len(x) > 0 && len(y) > 0 && x[0] == y[0] {
		s.inX[i], s.inY[j] = true, true
		x, y, i, j = x[1:], y[1:], i+1, j+1
	}
	for len(x) > 0 && len(y) > 0 && x[len(x)-1] == y[len(y)-1] {
		x, y = x[:len(x)-1], y[:len(y)-1]
		s.inX[i+len(x)], s.inY[j+len(y)] = true, true
	}
	if len(x) == 0 || len(y) == 0 {
		return
	}
	if len(x) == 1 {
		if k := slices.Index(y, x[0]); k >= 0 {
			s.inX[i], s.inY[j+k] = true, true
		}
		return
	}
	half := len(x) / 2
	before := s.lengths(x[:half], y)
	after := s.lengths(backwards(x[half:]), backwards(y))
	best, cut := -1, 0
	for k := range before {
		if n := int(before[k] + after[len(y)-k]); n > best {
			best, cut = n, k
		}
	}
	if best == 0 {
		return
	}
	s.find(x[:half], y[:cut], i, j)
	s.find(x[half:], y[cut:], i+half, j+cut)
}

// lengths returns how long the longest common subsequence of x and y[:k] is, for
// each k from 0 to len(y). A block is 64 elements of y; a bit of row is 0 where one
// more of them makes it longer.
func (s *subsequence) lengths(x, y []int32) []int32 {
	lengths := make([]int32, len(y)+1)
	carry := s.carry[:len(x)]
	clear(carry)
	for from := 0; from < len(y); from += 64 {
		block := y[from:min(from+64, len(y))]
		for i, e := range block {
			s.rowsWith[e] |= 1 << i
		}
		row := ^uint64(0)
		for k, e := range x {
			u := row & s.rowsWith[e]
			sum := row + u
			over := sum < row
			sum += uint64(carry[k])
			over = over || sum < uint64(carry[k])
			carry[k] = 0
			if over {
				carry[k] = 1
			}
			row = sum | (row - u)
		}
		for i, e := range block {
			s.rowsWith[e] = 0
			lengths[from+i+1] = lengths[from+i] + int32(^row>>i&1)
		}
	}
	return lengths
}

func backwards(list []int32) []int32 {
	r := slices.Clone(list)
	slices.Reverse(r)
	return r
}
