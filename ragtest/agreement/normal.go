package agreement

import "math"

// normalCDF is the probability that a standard normal variable is at most z.
func normalCDF(z float64) float64 { return 0.5 * math.Erfc(-z/math.Sqrt2) }

// normalQuantile is the z that a standard normal variable is at most with
// probability p: -Inf for 0 and +Inf for 1. Erfcinv alone is 4e-7 off where p is
// 1e-12, so a step of Halley's method follows it.
func normalQuantile(p float64) float64 {
	if p > 0.5 {
		return -normalQuantile(1 - p) // the lower tail has the digits
	}
	z := -math.Sqrt2 * math.Erfcinv(2*p)
	if p <= 0 || z == 0 {
		return z
	}
	u := (normalCDF(z) - p) * math.Sqrt(2*math.Pi) * math.Exp(z*z/2)
	return z - u/(1+float64(z*u)/2)
}

// normalTwoSided is the probability of a standard normal variable at least as far
// from 0 as z.
func normalTwoSided(z float64) float64 { return math.Erfc(math.Abs(z) / math.Sqrt2) }
