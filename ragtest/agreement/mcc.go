package agreement

import "math"

// MCC returns the Matthews correlation coefficient (1975), for more than two
// categories R_K (Gorodkin 2004): the correlation of the two raters' labels, from
// -1 or somewhat above, to 1. Unlike precision and F1 it is the same whichever
// category is called positive.
//
// It is [ErrUndefined] if a rater uses a single category, where scikit-learn
// returns 0.
func (t Table) MCC() (float64, error) {
	n, err := t.items("MCC")
	if err != nil {
		return 0, err
	}
	human, judge := t.Margins()
	var both, humans, judges float64 // of whole numbers, so without rounding
	for i := range human {
		h, j := float64(human[i]), float64(judge[i])
		both += float64(h * j)
		humans += float64(h * h)
		judges += float64(j * j)
	}
	square := float64(n * n)
	if humans == square || judges == square {
		return 0, undefined("MCC", "a rater says the same of all %v items", n)
	}
	return (float64(t.agreed()*n) - both) / (math.Sqrt(square-humans) * math.Sqrt(square-judges)), nil
}
