package agreement

import (
	"fmt"
	"math"
	"slices"
)

// Zeros says what the signed-rank test makes of differences of 0.
type Zeros int

const (
	DropZeros  Zeros = iota // before ranking, as Wilcoxon did
	PrattZeros              // after ranking (Pratt 1959)
	SplitZeros              // rank them, and give half of the ranks to either sign
)

// Wilcoxon is the signed-rank test of differences (Wilcoxon 1945). What it tests is
// that they are symmetric about 0, not that their mean is 0, and scores of a judge
// have many ties and zeros: prefer [Permutation].
//
// The zero value drops zeros and chooses the distribution as scipy does: the exact
// one for up to 50 differences without ties or zeros, the exact one given the ties
// for up to 13, and otherwise the normal one.
type Wilcoxon struct {
	Zeros     Zeros
	Method    string // "exact" or "normal"; "" chooses
	Corrected bool   // correct the normal distribution for continuity
}

// SignedRanks is what the signed-rank test finds.
type SignedRanks struct {
	Plus, Minus float64 // sums of the ranks of the differences above and below 0
	N           int     // differences that were ranked
	Method      string  // "exact" or "normal"

	// The probabilities of sums at least this unequal, of a Plus at least this large,
	// and of one at most this large, if the differences are symmetric about 0. They
	// are 1 if all differences are 0.
	TwoSided, Greater, Less float64
}

// Test tests differences. Equal ones share their mean rank; they have to be equal
// to the last bit, so round what was computed. It is [ErrUndefined] for no
// differences, and an error if one is not a number or the method is not known. The
// time the exact distribution takes grows with the cube of the number of
// differences.
func (w Wilcoxon) Test(d []float64) (SignedRanks, error) {
	if err := checkDifferences("signed-rank test", d); err != nil {
		return SignedRanks{}, err
	}
	nonZero := slices.DeleteFunc(slices.Clone(d), func(v float64) bool { return v == 0 })
	ranked := d
	if w.Zeros == DropZeros {
		ranked = nonZero
	}
	sizes := make([]float64, len(ranked))
	for i, v := range ranked {
		sizes[i] = math.Abs(v)
	}
	s := SignedRanks{N: len(ranked), TwoSided: 1, Greater: 1, Less: 1}
	var signed []float64 // ranks that could be of either sign
	for i, r := range Ranks(sizes) {
		switch v := ranked[i]; {
		case v > 0:
			s.Plus += r
			signed = append(signed, r)
		case v < 0:
			s.Minus += r
			signed = append(signed, r)
		case w.Zeros == SplitZeros:
			s.Plus += r / 2
			s.Minus += r / 2
		}
	}
	var err error
	if s.Method, err = w.method(d, sizes, len(nonZero)); err != nil || len(nonZero) == 0 {
		return s, err
	}
	if s.Method == "exact" {
		s.exact(signed)
	} else {
		s.normal(signed, sizes, len(ranked)-len(nonZero), w)
	}
	return s, nil
}

func (w Wilcoxon) method(d, sizes []float64, nonZero int) (string, error) {
	switch w.Method {
	case "exact", "normal":
		return w.Method, nil
	case "":
		plain := nonZero == len(d) && len(ties(sizes)) == 0
		if len(d) <= 13 || plain && len(d) <= 50 {
			return "exact", nil
		}
		return "normal", nil
	}
	return "", fmt.Errorf(`agreement: the method of the signed-rank test is %q, expected "exact", "normal" or ""`, w.Method)
}

// exact counts the signs that the ranks could have. Twice a rank is a whole
// number, even of ties.
func (s *SignedRanks) exact(signed []float64) {
	total, plus := 0, s.Plus-s.Minus
	for _, r := range signed {
		total += int(2 * r)
		plus += r
	}
	observed := int(plus) // twice the sum of the signed ranks above 0
	share := make([]float64, total+1)
	share[0] = 1
	reached := 0
	for _, r := range signed {
		r := int(2 * r)
		for i := reached + r; i >= 0; i-- {
			share[i] /= 2
			if i >= r {
				share[i] += share[i-r] / 2
			}
		}
		reached += r
	}
	s.Greater, s.Less = 0, 0
	for i, p := range share {
		if i >= observed {
			s.Greater += p
		}
		if i <= observed {
			s.Less += p
		}
	}
	s.Greater, s.Less = min(s.Greater, 1), min(s.Less, 1)
	s.TwoSided = min(1, 2*min(s.Greater, s.Less))
}

// normal approximates the distribution with the variance of what is tied.
func (s *SignedRanks) normal(signed, sizes []float64, zeros int, w Wilcoxon) {
	n, z := float64(s.N), float64(zeros)
	middle, spread := n*(n+1)/4, n*(n+1)*(2*n+1)
	if w.Zeros == PrattZeros {
		middle -= z * (z + 1) / 4
		spread -= z * (z + 1) * (2*z + 1)
		sizes = slices.DeleteFunc(slices.Clone(sizes), func(v float64) bool { return v == 0 })
	}
	for _, t := range ties(sizes) {
		spread -= (t*t*t - t) / 2
	}
	sd := math.Sqrt(spread / 24)
	off := s.Plus - middle
	two, greater, less := off, off, off
	if w.Corrected {
		two -= math.Copysign(0.5, off)
		if off == 0 {
			two = 0
		}
		greater -= 0.5
		less += 0.5
	}
	s.TwoSided, s.Greater, s.Less = normalTwoSided(two/sd), normalCDF(-greater/sd), normalCDF(less/sd)
}
