package agreement

import (
	"fmt"
	"math"
)

// RatersComparison is what more than two raters have in common, or two with gaps.
type RatersComparison struct {
	Raters, N int // N counts the units that at least two raters rated
	// Agreement is the share of pairs of ratings of a unit that are equal: the
	// headline, and never enough.
	Agreement Estimate
	// Point is Krippendorff's alpha at the level of the ratings.
	Point    Estimate
	Warnings []Warning
}

// CompareRaters compares what any number of raters said of the same units, by
// Krippendorff's alpha. Each slice is of one rater, in the order of the units, with
// [Missing] where the rater did not say. Intervals are found over units.
//
// A single unit that is rated otherwise among many that are not gives an alpha of
// about 0: that is right, as the ratings show no unit twice that raters tell apart,
// and the warnings say so.
func CompareRaters(ratings [][]float64, level Level, b Bootstrap) (RatersComparison, error) {
	c := RatersComparison{Raters: len(ratings)}
	units, err := unitsOf(ratings)
	if err != nil {
		return RatersComparison{}, err
	}
	var values []float64
	same, pairs := make([]int, units), make([]int, units)
	for u := range units {
		var said []float64
		for _, r := range ratings {
			if !math.IsNaN(r[u]) {
				said = append(said, r[u])
			}
		}
		for i := range said {
			for _, other := range said[:i] {
				pairs[u]++
				if other == said[i] {
					same[u]++
				}
			}
		}
		if len(said) > 1 {
			c.N++
			values = append(values, said...)
		}
	}
	share := func(at []int) (float64, error) {
		equal, of := 0, 0
		for _, u := range at {
			equal, of = equal+same[u], of+pairs[u]
		}
		if of == 0 {
			return 0, undefined("agreement", "no unit has two ratings")
		}
		return float64(equal) / float64(of), nil
	}
	value, err := share(all(units))
	c.Agreement, err = estimate("agreement", value, err, func() (Interval, error) { return b.Interval(units, share) })
	if err != nil {
		return RatersComparison{}, err
	}
	alpha, err := Alpha(ratings, level)
	c.Point, err = estimate("alpha", alpha, err, func() (Interval, error) { return AlphaInterval(ratings, level, b) })
	if err != nil {
		return RatersComparison{}, err
	}
	c.warn(values, level)
	return c, nil
}

func (c *RatersComparison) warn(values []float64, level Level) {
	warn := func(k WarningKind, text string, args ...any) {
		c.Warnings = append(c.Warnings, Warning{k, fmt.Sprintf(text, args...)})
	}
	common, most := mode(values)
	switch {
	case c.N < EnoughLabels:
		warn(FewLabels, "%d units have two ratings, and no figure of fewer than %d says much", c.N, EnoughLabels)
	case level != IntervalLevel && level != RatioLevel && len(values)-most < EnoughLabels:
		warn(FewLabels, "%d of %d ratings are %v and %d are others; it takes %d to decide by an interval", most, len(values), common, len(values)-most, EnoughLabels)
	}
	if most < len(values) && 5*most >= 4*len(values) {
		warn(Imbalance, "%d of %d ratings are %v, so that two raters are likely to say the same by chance", most, len(values), common)
	}
	if i, err := c.Point.Interval(); err == nil && i.Doubtful() != "" {
		warn(DoubtfulInterval, "alpha: %s", i.Doubtful())
	}
}

// Gate is that of [Comparison.Gate].
func (c RatersComparison) Gate() error { return gate(c.Warnings) }
