package agreement

import "fmt"

// Interval is a range that holds what is estimated with a given confidence.
type Interval struct {
	Low, High  float64
	Confidence float64 // above 0 and below 1: 0.95
	Method     string  // how it was found: "Wilson", "BCa", "percentile", "analytic", …

	// Degenerate says that the interval has no width, though data like these can
	// come out otherwise: all labels agree, or a rater always says the same. It is
	// an artefact of few data, no certainty.
	Degenerate bool
	// Draws are the samples of the data that a bootstrap rests on, and Undefined
	// those of them whose statistic was undefined, which are left out.
	Draws, Undefined int
}

// Doubtful says why the interval should not be relied on, or "".
func (i Interval) Doubtful() string {
	switch {
	case i.Degenerate:
		return "the interval has no width, which is for lack of data: others like these would give another value"
	case i.Draws > 0 && float64(i.Undefined) > 0.05*float64(i.Draws):
		return fmt.Sprintf("the statistic was undefined in %d of %d draws, which the interval leaves out", i.Undefined, i.Draws)
	}
	return ""
}

// String shows the ends with two digits: "[0.23, 0.75]".
func (i Interval) String() string { return fmt.Sprintf("[%.2f, %.2f]", i.Low, i.High) }
