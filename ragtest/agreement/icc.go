package agreement

import (
	"fmt"
	"math"
)

// ICCForm is a form of the intraclass correlation, with the name that McGraw and
// Wong (Forming Inferences About Some Intraclass Correlation Coefficients, 1996)
// give it.
type ICCForm int

const (
	// AgreementSingle is ICC(A,1): of single ratings, where a rater who is too high
	// throughout disagrees. It is the one for a judge's scores.
	AgreementSingle ICCForm = iota
	// ConsistencySingle is ICC(C,1): of single ratings, where that does not matter.
	ConsistencySingle
	// OneWaySingle is ICC(1,1): of single ratings by raters who differ from unit to
	// unit.
	OneWaySingle
	// AgreementMean is ICC(A,k), that of the means of all raters.
	AgreementMean
	// ConsistencyMean is ICC(C,k), that of the means of all raters.
	ConsistencyMean
	// OneWayMean is ICC(1,k), that of the means of all raters.
	OneWayMean
)

// String returns the name: "ICC(A,1)".
func (f ICCForm) String() string {
	switch f {
	case AgreementSingle:
		return "ICC(A,1)"
	case ConsistencySingle:
		return "ICC(C,1)"
	case OneWaySingle:
		return "ICC(1,1)"
	case AgreementMean:
		return "ICC(A,k)"
	case ConsistencyMean:
		return "ICC(C,k)"
	case OneWayMean:
		return "ICC(1,k)"
	}
	return fmt.Sprintf("ICCForm(%d)", int(f))
}

// Intraclass is the analysis of variance that intraclass correlations come from:
// the mean squares of ratings of which every rater gave one to every unit.
type Intraclass struct {
	Units, Raters int

	Between  float64 // units: MSB
	Judges   float64 // raters: MSJ
	Residual float64 // what neither explains: MSE
	Within   float64 // units, of raters and residual together: MSW
}

// ICC analyses ratings: a row for each unit and in it one of each rater, in the
// same order. They have to be complete; [Alpha] at IntervalLevel takes missing
// ones.
//
// It is [ErrUndefined] for fewer than 2 units or 2 raters.
func ICC(ratings [][]float64) (Intraclass, error) {
	if len(ratings) < 2 || len(ratings[0]) < 2 {
		raters := 0
		if len(ratings) > 0 {
			raters = len(ratings[0])
		}
		return Intraclass{}, undefined("ICC", "it takes 2 units and 2 raters, and there are %d and %d", len(ratings), raters)
	}
	n, k := float64(len(ratings)), float64(len(ratings[0]))
	units, raters := make([]float64, len(ratings)), make([]float64, len(ratings[0]))
	grand, largest := 0.0, 0.0
	for i, row := range ratings {
		if len(row) != len(raters) {
			return Intraclass{}, fmt.Errorf("agreement: unit %d has %d ratings and unit 0 has %d, expected one of every rater", i, len(row), len(raters))
		}
		for j, x := range row {
			if math.IsNaN(x) || math.IsInf(x, 0) {
				return Intraclass{}, fmt.Errorf("agreement: unit %d has the rating %v of rater %d, expected a number; leave the unit out, or use Alpha", i, x, j)
			}
			units[i] += x / k
			raters[j] += x / n
			grand += x / (n * k)
			largest = max(largest, math.Abs(x))
		}
	}
	var between, judges, residual float64
	for i, row := range ratings {
		between += float64(k * square(units[i]-grand))
		for j, x := range row {
			residual += square(x - units[i] - raters[j] + grand)
		}
	}
	for _, mean := range raters {
		judges += float64(n * square(mean-grand))
	}
	// What rounding leaves of a sum that is 0 is none of the variance.
	clean := func(sum float64) float64 {
		if sum <= n*k*square(noise*largest) {
			return 0
		}
		return sum
	}
	between, judges, residual = clean(between), clean(judges), clean(residual)
	return Intraclass{
		Units: len(ratings), Raters: len(raters),
		Between:  between / (n - 1),
		Judges:   judges / (k - 1),
		Residual: residual / ((n - 1) * (k - 1)),
		Within:   (judges + residual) / (n * (k - 1)),
	}, nil
}

func square(x float64) float64 { return x * x }

// Value returns the intraclass correlation: 1 for full agreement, 0 where units
// differ no more than by chance, and below 0 for less.
//
// It is [ErrUndefined] if the estimate of the variance that it is a share of is
// not above 0: all ratings are equal, or, for a form of means, the units do not
// differ.
func (a Intraclass) Value(f ICCForm) (float64, error) {
	n, k := float64(a.Units), float64(a.Raters)
	var units, total float64 // variance of the units, and of all, each times a factor
	switch f {
	case AgreementSingle:
		units, total = a.Between-a.Residual, a.Between+float64((k-1)*a.Residual)+float64(k*(a.Judges-a.Residual)/n)
	case ConsistencySingle:
		units, total = a.Between-a.Residual, a.Between+float64((k-1)*a.Residual)
	case OneWaySingle:
		units, total = a.Between-a.Within, a.Between+float64((k-1)*a.Within)
	case AgreementMean:
		units, total = a.Between-a.Residual, a.Between+(a.Judges-a.Residual)/n
	case ConsistencyMean:
		units, total = a.Between-a.Residual, a.Between
	case OneWayMean:
		units, total = a.Between-a.Within, a.Between
	default:
		return 0, fmt.Errorf("agreement: there is no %v", f)
	}
	if total <= noise*k*(a.Between+a.Judges+a.Residual+a.Within) {
		return 0, undefined(f.String(), "the units differ too little for a share of the variance to be theirs")
	}
	return units / total, nil
}

// ICCTest is the F test of whether units differ at all.
type ICCTest struct {
	F        float64 // +Inf if raters agree but for a constant
	DF1, DF2 float64
	P        float64 // of an F at least as large by chance
}

// Test returns the F test of a form. It is [ErrUndefined] if all ratings are
// equal.
func (a Intraclass) Test(f ICCForm) (ICCTest, error) {
	n, k := float64(a.Units), float64(a.Raters)
	t, within := ICCTest{DF1: n - 1, DF2: (n - 1) * (k - 1)}, a.Residual
	if f == OneWaySingle || f == OneWayMean {
		t.DF2, within = n*(k-1), a.Within
	}
	if within == 0 && a.Between == 0 {
		return ICCTest{}, undefined("F of "+f.String(), "the units do not differ, nor do the raters")
	}
	t.F = a.Between / within
	t.P = fisherUpper(t.F, t.DF1, t.DF2)
	return t, nil
}

// Interval returns the interval of McGraw and Wong. It is [ErrUndefined] if the
// value is, or its F is infinite. For agreement it is an approximation, and
// undefined where that fails: it would miss a value below 0.
func (a Intraclass) Interval(f ICCForm, confidence float64) (Interval, error) {
	if err := checkConfidence(confidence); err != nil {
		return Interval{}, err
	}
	value, err := a.Value(f)
	if err != nil {
		return Interval{}, err
	}
	t, err := a.Test(f)
	if err != nil {
		return Interval{}, err
	}
	if math.IsInf(t.F, 1) {
		return Interval{}, undefined("interval of "+f.String(), "the raters agree on all units, so the data show no error to judge it by")
	}
	upper := (1 + confidence) / 2
	k := float64(a.Raters)
	i := Interval{Confidence: confidence, Method: "F"}
	switch f {
	case AgreementSingle, AgreementMean:
		if i.Low, i.High, err = a.agreement(upper); err != nil {
			return Interval{}, err
		}
		if f == AgreementMean {
			i.Low, i.High = i.Low*k/(1+float64(i.Low*(k-1))), i.High*k/(1+float64(i.High*(k-1)))
		}
	default:
		low, high := t.F/fisherQuantile(upper, t.DF1, t.DF2), t.F*fisherQuantile(upper, t.DF2, t.DF1)
		i.Low, i.High = (low-1)/(low+k-1), (high-1)/(high+k-1)
		if f == ConsistencyMean || f == OneWayMean {
			i.Low, i.High = 1-1/low, 1-1/high
		}
	}
	if slack := noise * math.Abs(value); !(i.Low <= value+slack && value-slack <= i.High) {
		return Interval{}, undefined("interval of "+f.String(), "the units differ less than by chance, and the approximation gives %v for a value of %.2f", i, value)
	}
	i.Degenerate = i.High-i.Low <= noise*math.Abs(i.High)
	return i, nil
}

// agreement returns the ends for ICC(A,1), whose degrees of freedom are
// approximate (Satterthwaite).
func (a Intraclass) agreement(upper float64) (low, high float64, err error) {
	n, k := float64(a.Units), float64(a.Raters)
	value, err := a.Value(AgreementSingle)
	if err != nil {
		return 0, 0, err
	}
	judges := float64(k * value * (a.Judges / a.Residual))
	rest := float64(n*(1+float64((k-1)*value))) - float64(k*value)
	df := (n - 1) * (k - 1) * square(judges+rest) / (float64((n-1)*square(judges)) + square(rest))
	if !(df > 0) {
		return 0, 0, undefined("interval of "+AgreementSingle.String(), "neither the units nor the raters differ")
	}
	fLow, fHigh := fisherQuantile(upper, n-1, df), fisherQuantile(upper, df, n-1)
	other := float64(k*a.Judges) + float64((float64(k*n)-k-n)*a.Residual)
	low = n * (a.Between - float64(fLow*a.Residual)) / (float64(fLow*other) + float64(n*a.Between))
	high = n * (float64(fHigh*a.Between) - a.Residual) / (other + float64(n*fHigh*a.Between))
	return low, high, nil
}
