package lexical

import (
	"math/bits"
	"unicode/utf8"
)

// LevenshteinDistance is the least number of code points to insert, delete or
// replace that makes b of a.
//
// It takes len(a)·len(b)/64 steps for texts that have nothing in common, and about
// len(a)·distance/32 for texts that have much (Myers 1999, Hyyrö 2003, within
// Ukkonen's band), and memory in proportion to their length.
func LevenshteinDistance(a, b string) int {
	x, y, symbols := numberedLetters(apart(a, b))
	if len(x) > len(y) {
		x, y = y, x
	}
	// An alignment of cost t strays no further than t from the diagonal. Texts that are
	// compared often are alike, so that a narrow band is enough; of a wide one little is
	// left out.
	for t := max(64, len(y)-len(x)); ; t *= 4 {
		if t > len(y)/8 {
			t = len(y)
		}
		if d := bandedDistance(x, y, symbols, t); d <= t {
			return d
		}
	}
}

// apart cuts off what two texts have in common at both ends: no best alignment
// changes it. It cuts between code points.
func apart(a, b string) (x, y string) {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	for n > 0 && !(begins(a[n:]) && begins(b[n:])) {
		n--
	}
	a, b = a[n:], b[n:]
	for n = 0; n < min(len(a), len(b)) && a[len(a)-1-n] == b[len(b)-1-n]; {
		n++
	}
	for n > 0 && !begins(a[len(a)-n:]) {
		n--
	}
	return a[:len(a)-n], b[:len(b)-n]
}

// begins reports whether a text, cut out of another, has the whole of its first code
// point.
func begins(text string) bool { return text == "" || utf8.RuneStart(text[0]) }

// How the cost changes from one column to the next, in the lowest row of a block.
const (
	rises uint8 = 1
	falls uint8 = 2
)

// by is a change in numbers.
func by(change uint8) int { return int(change&rises) - int(change/falls) }

// bandedDistance is the cost of the best alignment of x (rows) and y (columns) that
// strays no further than t from the diagonal, or if that is more than t, any number
// above t. x is not the longer one. Rows are dealt with in blocks of 64, a bit for
// each: two words tell in which rows of a column the cost is one more (up) or less
// (down) than in the row above.
func bandedDistance(x, y []int32, symbols, t int) int {
	if len(x) == 0 {
		return len(y)
	}
	change := make([]uint8, len(y)) // in the row above the block; in row 0 each column costs 1 more
	for i := range change {
		change[i] = rises
	}
	rowsWith := make([]uint64, symbols) // of the block, by symbol
	corner := 0                         // the cost in the row above the block, left of its first column
	for top := 0; ; top += 64 {
		block := x[top:min(top+64, len(x))]
		for i, s := range block {
			rowsWith[s] |= 1 << i
		}
		first, end := max(0, top-t), min(len(y), top+64+t)
		last := top+64 >= len(x)
		above := corner // in the last column
		if last || top%1024 == 0 && t < len(y) {
			lowest := corner
			for _, c := range change[first:end] {
				above += by(c)
				lowest = min(lowest, above)
			}
			if lowest > t {
				return lowest // as costs only grow on the way
			}
		}
		up, down := sweep(y[first:end], change[first:end], rowsWith)
		if last {
			rows := ^uint64(0) >> (64 - len(block))
			return above + bits.OnesCount64(up&rows) - bits.OnesCount64(down&rows)
		}
		for _, s := range block {
			rowsWith[s] = 0
		}
		corner += 64
		for _, c := range change[first:max(0, top+64-t)] {
			corner += by(c)
		}
	}
}

// sweep goes through the columns of a block, given how the cost changes in the row
// above, and leaves there how it changes in the lowest row. It returns up and down
// of the last column.
func sweep(columns []int32, change []uint8, rowsWith []uint64) (up, down uint64) {
	up = ^uint64(0)
	change = change[:len(columns)]
	for j, s := range columns {
		plus, minus := uint64(change[j]&rises), uint64(change[j]/falls)
		equal := rowsWith[s]
		vertical := equal | down
		equal |= minus
		diagonal := (((equal & up) + up) ^ up) | equal
		risen := down | ^(diagonal | up)
		fallen := up & diagonal
		change[j] = uint8(risen>>63 | fallen>>63<<1)
		risen = risen<<1 | plus
		fallen = fallen<<1 | minus
		up = fallen | ^(vertical | risen)
		down = risen & vertical
	}
	return up, down
}
