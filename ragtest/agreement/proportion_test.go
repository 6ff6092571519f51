package agreement_test

import (
	"errors"
	"math"
	"testing"

	"github.com/ragomega/ragomega/ragtest/agreement"
	"pgregory.net/rapid"
)

type proportion func(successes, n int, confidence float64) (agreement.Interval, error)

var proportions = map[string]proportion{
	"wilson":          agreement.Wilson,
	"wilson_cc":       agreement.WilsonCorrected,
	"clopper_pearson": agreement.ClopperPearson,
	"jeffreys":        agreement.Jeffreys,
	"agresti_coull":   agreement.AgrestiCoull,
	"wald":            agreement.Wald,
}

func init() {
	for name, of := range proportions {
		stats["proportion_ci_"+name] = func(t *testing.T, v vector) (map[string]any, error) {
			var p struct{ Confidence float64 }
			var in struct{ Successes, N int }
			v.read(t, &p, &in)
			i, err := of(in.Successes, in.N, p.Confidence)
			return map[string]any{"low": i.Low, "high": i.High}, err
		}
	}
}

// Newcombe, Two-sided confidence intervals for the single proportion, Statistics
// in Medicine 17, 1998, table I: method 3.
func TestWilsonOfNewcombe(t *testing.T) {
	for _, c := range []struct {
		successes, n int
		low, high    float64
	}{
		{81, 263, 0.2553, 0.3662},
		{15, 148, 0.0624, 0.1605},
		{0, 20, 0, 0.1611},
		{1, 29, 0.0061, 0.1718},
	} {
		i, err := agreement.Wilson(c.successes, c.n, 0.95)
		if err != nil || math.Abs(i.Low-c.low) > 6e-5 || math.Abs(i.High-c.high) > 6e-5 {
			t.Errorf("%d of %d: got %v to %v, %v; want %v to %v", c.successes, c.n, i.Low, i.High, err, c.low, c.high)
		}
	}
}

// Newcombe, Interval estimation for the difference between independent
// proportions, Statistics in Medicine 17, 1998, table II: method 10.
func TestDifferenceOfNewcombe(t *testing.T) {
	i, err := agreement.NewcombeDifference(56, 70, 48, 80, 0.95)
	if err != nil || math.Abs(i.Low-0.0524) > 6e-5 || math.Abs(i.High-0.3339) > 6e-5 || i.Method != "Newcombe" {
		t.Errorf("got %+v, %v; want 0.0524 to 0.3339", i, err)
	}
	for _, n := range [][2]int{{0, 80}, {70, 0}} {
		if _, err := agreement.NewcombeDifference(0, n[0], 0, n[1], 0.95); !errors.Is(err, agreement.ErrUndefined) {
			t.Errorf("got %v for %v, want ErrUndefined", err, n)
		}
	}
}

func TestProportionRefuses(t *testing.T) {
	for name, of := range proportions {
		for _, c := range []struct {
			successes, n int
			confidence   float64
		}{{3, 2, 0.95}, {-1, 2, 0.95}, {1, -2, 0.95}, {1, 2, 0}, {1, 2, 1}, {1, 2, 95}, {1, 2, math.NaN()}} {
			if i, err := of(c.successes, c.n, c.confidence); err == nil || errors.Is(err, agreement.ErrUndefined) {
				t.Errorf("%s: got %v, %v for %+v, want an error of the call", name, i, err, c)
			}
		}
	}
	if i, err := agreement.Wald(7, 7, 0.95); err != nil || !i.Degenerate || i.Doubtful() == "" {
		t.Errorf("got %+v, %v of Wald without a failure", i, err)
	}
}

// An interval holds the proportion that was observed, has its ends at 0 and 1
// where nothing else was observed, is that of failures turned around, and grows
// with the confidence.
func TestProportionProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 400).Draw(t, "n")
		x := rapid.IntRange(0, n).Draw(t, "successes")
		confidence := rapid.Float64Range(0.5, 0.99).Draw(t, "confidence")
		p := float64(x) / float64(n)
		for name, of := range proportions {
			i, err := of(x, n, confidence)
			if err != nil || !(0 <= i.Low && i.Low <= i.High && i.High <= 1) {
				t.Fatalf("%s: got %+v, %v", name, i, err)
			}
			if name != "jeffreys" && !(i.Low <= p && p <= i.High) {
				t.Fatalf("%s: got %+v, which is without %v", name, i, p)
			}
			if exact := name == "wilson" || name == "wilson_cc" || name == "clopper_pearson"; exact && (x == 0 && i.Low != 0 || x == n && i.High != 1) {
				t.Fatalf("%s: got %+v for %d of %d", name, i, x, n)
			}
			turned, err := of(n-x, n, confidence)
			if err != nil || math.Abs(turned.Low-(1-i.High)) > 1e-9 || math.Abs(turned.High-(1-i.Low)) > 1e-9 {
				t.Fatalf("%s: got %+v, and %+v of the failures, %v", name, i, turned, err)
			}
			wider, err := of(x, n, confidence+0.005)
			if err != nil || wider.Low > i.Low || wider.High < i.High {
				t.Fatalf("%s: got %+v, and %+v of more confidence, %v", name, i, wider, err)
			}
		}
	})
}

// The difference of two proportions holds what was observed, and turns around
// with them.
func TestDifferenceProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n1, n2 := rapid.IntRange(1, 100).Draw(t, "n1"), rapid.IntRange(1, 100).Draw(t, "n2")
		x1, x2 := rapid.IntRange(0, n1).Draw(t, "x1"), rapid.IntRange(0, n2).Draw(t, "x2")
		d := float64(x1)/float64(n1) - float64(x2)/float64(n2)
		i, err := agreement.NewcombeDifference(x1, n1, x2, n2, 0.95)
		if err != nil || !(-1 <= i.Low && i.Low <= d && d <= i.High && i.High <= 1) {
			t.Fatalf("got %+v, %v; want it to hold %v", i, err, d)
		}
		if o, _ := agreement.NewcombeDifference(x2, n2, x1, n1, 0.95); math.Abs(o.Low+i.High) > 1e-12 || math.Abs(o.High+i.Low) > 1e-12 {
			t.Fatalf("got %+v, and %+v with the sides exchanged", i, o)
		}
	})
}
