package agreement

// Signs counts differences by their sign.
type Signs struct {
	Positive, Negative, Zero int
	// P is the probability of numbers at least this unequal if both signs are as
	// likely, two-sided and exact. It is 1 if all differences are 0.
	P float64
}

// SignTest tests whether the median of differences is 0 by their signs alone,
// leaving out those of 0. It is [ErrUndefined] for no differences, and an error if
// one is not a number.
func SignTest(d []float64) (Signs, error) {
	if err := checkDifferences("sign test", d); err != nil {
		return Signs{}, err
	}
	var s Signs
	for _, v := range d {
		switch {
		case v > 0:
			s.Positive++
		case v < 0:
			s.Negative++
		default:
			s.Zero++
		}
	}
	s.P = fairTwoSided(s.Positive+s.Negative, min(s.Positive, s.Negative))
	return s, nil
}
