package agreement

import "math"

// Band is a word for a range of kappa, by somebody. Such words are conventions
// without a theory: what is enough depends on what the labels are for. A band is of
// the estimate, which few labels leave open; hold the low end of an interval
// against a number instead.
type Band struct {
	Name   string // "" where the source has none
	Source string // who has put it so
}

// String shows the name and the source: "moderate (Landis and Koch 1977)".
func (b Band) String() string {
	if b.Name == "" {
		return "unnamed (" + b.Source + ")"
	}
	return b.Name + " (" + b.Source + ")"
}

// LandisKoch returns the band of Landis and Koch (The measurement of observer
// agreement for categorical data, 1977): poor below 0, slight to 0.2, fair to 0.4,
// moderate to 0.6, substantial to 0.8 and almost perfect to 1. The upper ends
// belong to the band, of a kappa that is not rounded: 0.205 is fair.
func LandisKoch(kappa float64) Band {
	b := Band{Source: "Landis and Koch 1977"}
	switch {
	case math.IsNaN(kappa) || kappa > 1:
	case kappa < 0:
		b.Name = "poor"
	case kappa <= 0.2:
		b.Name = "slight"
	case kappa <= 0.4:
		b.Name = "fair"
	case kappa <= 0.6:
		b.Name = "moderate"
	case kappa <= 0.8:
		b.Name = "substantial"
	default:
		b.Name = "almost perfect"
	}
	return b
}

// Yan returns the band of Eugene Yan (Product Evals in Three Simple Steps, 2025),
// for judges: substantial from 0.4 to 0.6 and excellent above 0.7. What is below
// 0.4, and above 0.6 up to 0.7, has no name there.
func Yan(kappa float64) Band {
	b := Band{Source: "Yan 2025"}
	switch {
	case kappa >= 0.4 && kappa <= 0.6:
		b.Name = "substantial"
	case kappa > 0.7 && kappa <= 1:
		b.Name = "excellent"
	}
	return b
}
