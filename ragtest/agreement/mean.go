package agreement

import "math"

// mean is that of at least one value.
func mean(x []float64) float64 {
	sum := 0.0
	for _, v := range x {
		sum += v
	}
	return sum / float64(len(x))
}

// squares is the sum of the squared deviations of x from its mean.
func squares(x []float64) float64 {
	m, sum := mean(x), 0.0
	for _, v := range x {
		sum += float64((v - m) * (v - m))
	}
	return sum
}

// largest is the largest distance of x and y from 0, by which to tell a
// difference from the noise of a sum.
func largest(x []float64, y ...float64) float64 {
	m := 0.0
	for _, v := range x {
		m = max(m, math.Abs(v))
	}
	for _, v := range y {
		m = max(m, math.Abs(v))
	}
	return m
}
