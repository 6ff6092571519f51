package agreement

import "fmt"

// Bin is what became of the items with probabilities in a range.
type Bin struct {
	Low, High float64 // the range, without High unless it is 1
	N         int
	Predicted float64 // the mean probability
	Observed  float64 // the share that the human calls positive
}

// Reliability groups items by the probability of being positive that a judge gives
// them, in bins of equal width from 0 to 1, and returns those that have any. A judge
// is calibrated if what is observed in each is what was predicted. It is
// [ErrUndefined] without items, and an error if the lengths differ, a probability is
// not from 0 to 1, or there is no bin.
func Reliability(p []float64, human []bool, bins int) ([]Bin, error) {
	if err := checkProbabilities("reliability", p, human); err != nil {
		return nil, err
	}
	if bins < 1 {
		return nil, fmt.Errorf("agreement: there are %d bins, expected at least 1", bins)
	}
	all := make([]Bin, bins)
	for i, v := range p {
		b := &all[min(int(v*float64(bins)), bins-1)]
		b.N++
		b.Predicted += v
		if human[i] {
			b.Observed++
		}
	}
	var used []Bin
	for i, b := range all {
		if b.N == 0 {
			continue
		}
		b.Low, b.High = float64(i)/float64(bins), float64(i+1)/float64(bins)
		b.Predicted /= float64(b.N)
		b.Observed /= float64(b.N)
		used = append(used, b)
	}
	return used, nil
}

// Brier returns the mean squared distance of the probabilities from what the human
// decides, 1 for positive (Brier 1950): from 0, the best, to 1. Always saying 0.5
// has 0.25. Its errors are those of [Reliability].
func Brier(p []float64, human []bool) (float64, error) {
	if err := checkProbabilities("Brier score", p, human); err != nil {
		return 0, err
	}
	sum := 0.0
	for i, v := range p {
		if human[i] {
			v = 1 - v
		}
		sum += float64(v * v)
	}
	return sum / float64(len(p)), nil
}

func checkProbabilities(statistic string, p []float64, human []bool) error {
	if err := checkScores(p, human, 0, 1); err != nil {
		return err
	}
	if len(p) == 0 {
		return undefined(statistic, "there are no items")
	}
	return nil
}
