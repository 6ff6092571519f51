package agreement

import "math"

// studentPower is the chance that the two-sided t test of pairs finds the mean
// difference effect, in standard deviations of the differences. It is the integral
// of the normal test's over the standard deviation that the pairs could show,
// whose square is of a chi-squared distribution, by Simpson's rule; right to about
// 1e-9.
func studentPower(effect, pairs, alpha float64) float64 {
	df := pairs - 1
	critical := -studentQuantile(alpha/2, df)
	shift := effect * math.Sqrt(pairs)
	const steps = 600
	reach := 9 / math.Sqrt(2*df) // standard deviations from 1
	from, to := math.Max(0, 1-reach), 1+reach
	// Densities are relative to the one at 1, and add up to what divides them.
	power, total := 0.0, 0.0
	for i := range steps + 1 {
		s := from + (to-from)*float64(i)/steps
		weight := 2.0
		switch {
		case i == 0 || i == steps:
			weight = 1
		case i%2 == 1:
			weight = 4
		}
		density := weight * math.Exp((df-1)*math.Log(s)-df*(s*s-1)/2)
		if s == 0 {
			density = 0
			if df == 1 {
				density = weight * math.Exp(0.5)
			}
		}
		total += density
		power += density * (normalCDF(shift-float64(critical*s)) + normalCDF(-shift-float64(critical*s)))
	}
	return power / total
}
