package agreement_test

import (
	"errors"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/ragomega/ragomega/ragtest/agreement"
)

// withZeros has n values that are 1, but for one 0 in every so many.
func withZeros(n, every int) []float64 {
	x := slices.Repeat([]float64{1}, n)
	for i := 0; i < n; i += every {
		x[i] = 0
	}
	return x
}

// The ends were computed with numpy and scipy: by the same formula, and as BCa
// intervals of 400,000 draws, whose ends are multiples of 1/1400.
func TestMeanInterval(t *testing.T) {
	for _, of := range []struct {
		x                   []float64
		low, high           float64
		lowDrawn, highDrawn float64
	}{
		{x: withZeros(1400, 20), low: 0.937581483354477, high: 0.9605501644939916, lowDrawn: 0.93785714, highDrawn: 0.96071429},
		{x: withZeros(1400, 200), low: 0.9899692260317638, high: 0.9978829754385435, lowDrawn: 0.99, highDrawn: 0.99785714},
		{x: withZeros(1400, 700), low: 0.9948206067660856, high: 0.9998684258682748, lowDrawn: 0.995, highDrawn: 1},
		{x: withZeros(1400, 1400), low: 0.9955134169566183, high: 1, lowDrawn: 0.99571429, highDrawn: 1},
	} {
		i, err := agreement.MeanInterval(of.x, 0.95)
		if err != nil {
			t.Fatal(err)
		}
		closeTo(t, "low", i.Low, of.low, 1e-12)
		closeTo(t, "high", i.High, of.high, 1e-12)
		closeTo(t, "low of the bootstrap", i.Low, of.lowDrawn, 1.0/1400)
		closeTo(t, "high of the bootstrap", i.High, of.highDrawn, 1.0/1400)
		if i.Degenerate || i.Method != "analytic" || i.Confidence != 0.95 {
			t.Errorf("got %+v", i)
		}
	}
}

func TestMeanIntervalOfEqualValues(t *testing.T) {
	i, err := agreement.MeanInterval(slices.Repeat([]float64{0.1}, 2000), 0.95)
	if err != nil || !i.Degenerate || i.Low != 0.1 || i.High != 0.1 {
		t.Errorf("got %+v, %v", i, err)
	}
}

func TestMeanIntervalErrors(t *testing.T) {
	for _, x := range [][]float64{nil, {1}} {
		if _, err := agreement.MeanInterval(x, 0.95); !errors.Is(err, agreement.ErrUndefined) {
			t.Errorf("%v: %v", x, err)
		}
		if _, err := (agreement.Bootstrap{}).Mean(x); !errors.Is(err, agreement.ErrUndefined) {
			t.Errorf("%v: %v", x, err)
		}
	}
	_, err := agreement.MeanInterval([]float64{1, math.NaN()}, 0.95)
	if err == nil || err.Error() != "agreement: value 1 is NaN, expected a number; leave out what was not measured" {
		t.Error(err)
	}
	if _, err := agreement.MeanInterval([]float64{0, 1}, 95); err == nil || errors.Is(err, agreement.ErrUndefined) {
		t.Error(err)
	}
}

// However far single values are from the others, the interval holds the mean and
// grows with the confidence, and turns around with the values.
func TestMeanIntervalHoldsTheMean(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		x := slices.Repeat([]float64{0.5}, rapid.IntRange(1, 2000).Draw(rt, "same"))
		x = append(x, rapid.SliceOfN(rapid.Float64Range(-100, 100), 1, 20).Draw(rt, "others")...)
		sum := 0.0
		turned := make([]float64, len(x))
		for i, v := range x {
			sum += v
			turned[i] = -v
		}
		m, eps := sum/float64(len(x)), 1e-9
		before := agreement.Interval{Low: m, High: m}
		for _, confidence := range []float64{0.5, 0.9, 0.95, 0.99, 0.999, 0.999999} {
			i, err := agreement.MeanInterval(x, confidence)
			if err != nil {
				rt.Fatal(err)
			}
			if i.Low > before.Low+eps || i.High < before.High-eps {
				rt.Fatalf("mean %v, at %v: %v, and %v with less confidence", m, confidence, i, before)
			}
			before = i
			other, err := agreement.MeanInterval(turned, confidence)
			if err != nil || math.Abs(other.Low+i.High) > eps || math.Abs(other.High+i.Low) > eps {
				rt.Fatalf("%v and %v turned around, %v", i, other, err)
			}
		}
	})
}
