package agreement

import (
	"math"
	"math/rand/v2"
)

// Flips is what the permutation test of pairs finds.
type Flips struct {
	Mean float64 // of the differences
	// The probabilities of a mean at least as far from 0, at least as large, and at
	// most as large, if each difference could as well have the other sign.
	TwoSided, Greater, Less float64
	// Exact says that all signs were tried, Draws of them otherwise.
	Exact bool
	Draws int
}

// mostFlipped is how many differences have all of their signs tried, and flips is
// how many signs are tried of more.
const mostFlipped, flips = 16, 9_999

// Permutation tests whether pairs of scores differ, by the mean of the differences
// b-a, which [Differences] returns, under all or many of their possible signs
// (Fisher 1935). It assumes no distribution, and takes ties and zeros as they come.
//
// For up to 16 differences other than 0 all signs are tried. For more, 9,999 are
// drawn by the seed, and those that were found count among them: p is never 0.
// Means that differ by rounding alone count as equal. It is [ErrUndefined] for no
// differences, and an error if one is not a number.
func Permutation(d []float64, seed uint64) (Flips, error) {
	if err := checkDifferences("permutation test", d); err != nil {
		return Flips{}, err
	}
	var moving []float64
	sum, size := 0.0, 0.0
	for _, v := range d {
		if v != 0 {
			moving = append(moving, v)
		}
		sum += v
		size += math.Abs(v)
	}
	f := Flips{Mean: sum / float64(len(d)), Exact: len(moving) <= mostFlipped}
	tie := noise * size
	greater, less := 0, 0
	count := func(s float64) {
		f.Draws++
		if s >= sum-tie {
			greater++
		}
		if s <= sum+tie {
			less++
		}
	}
	if f.Exact {
		flipAll(moving, 0, count)
	} else {
		count(sum)
		flipSome(moving, seed, count)
	}
	f.Greater, f.Less = float64(greater)/float64(f.Draws), float64(less)/float64(f.Draws)
	f.TwoSided = min(1, 2*min(f.Greater, f.Less))
	if !f.Exact {
		f.Draws = flips
	}
	return f, nil
}

// flipAll calls count with the sum of d under each combination of signs.
func flipAll(d []float64, sum float64, count func(float64)) {
	if len(d) == 0 {
		count(sum)
		return
	}
	flipAll(d[1:], sum+d[0], count)
	flipAll(d[1:], sum-d[0], count)
}

// flipSome calls count with the sum of d under combinations that are drawn.
func flipSome(d []float64, seed uint64, count func(float64)) {
	stream := rand.NewPCG(seed, uint64(len(d)))
	for range flips {
		sum := 0.0
		var coins uint64
		for i, v := range d {
			if i%64 == 0 {
				coins = stream.Uint64()
			}
			if coins&1 == 1 {
				v = -v
			}
			sum += v
			coins >>= 1
		}
		count(sum)
	}
}
