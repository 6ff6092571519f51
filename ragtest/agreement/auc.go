package agreement

import (
	"fmt"
	"math"
)

// AUC returns the area under the receiver operating characteristic: the chance that
// an item which the human calls positive has a higher score than one which is not,
// equal scores counting half. It is 1 for scores that separate the two, and 0.5 for
// scores that say nothing. It is [ErrUndefined] without positives or negatives, and
// an error if the lengths differ or a score is NaN.
func AUC(scores []float64, human []bool) (float64, error) {
	if err := checkScores(scores, human, math.Inf(-1), math.Inf(1)); err != nil {
		return 0, err
	}
	positives, ranks := 0, 0.0
	for i, r := range Ranks(scores) {
		if human[i] {
			positives++
			ranks += r
		}
	}
	negatives := len(human) - positives
	if positives == 0 || negatives == 0 {
		return 0, undefined("AUC", "the human calls %d items positive and %d negative, and it takes both", positives, negatives)
	}
	p := float64(positives)
	return (ranks - p*(p+1)/2) / (p * float64(negatives)), nil
}

// checkScores reports scores that are not one for each item, within their range.
func checkScores(scores []float64, human []bool, low, high float64) error {
	if len(scores) != len(human) {
		return fmt.Errorf("agreement: there are %d scores and %d decisions of the human, expected one of each for every item", len(scores), len(human))
	}
	for i, s := range scores {
		if !(s >= low && s <= high) {
			return fmt.Errorf("agreement: score %d is %v, expected a number from %v to %v", i, s, low, high)
		}
	}
	return nil
}
