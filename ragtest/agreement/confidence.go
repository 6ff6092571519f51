package agreement

import "fmt"

// checkConfidence reports a confidence that none can have.
func checkConfidence(confidence float64) error {
	if !(confidence > 0 && confidence < 1) {
		return fmt.Errorf("agreement: the confidence is %v, expected a number between 0 and 1 such as 0.95", confidence)
	}
	return nil
}

// normalBound is how many standard deviations from the mean a normal variable
// stays within with the given confidence: 1.96 for 0.95.
func normalBound(confidence float64) float64 { return -normalQuantile((1 - confidence) / 2) }
