package agreement_test

import (
	"errors"
	"math"
	"testing"

	"github.com/ragomega/ragomega/ragtest/agreement"
	"pgregory.net/rapid"
)

func init() {
	type correlate func(x, y []float64) (agreement.Correlation, error)
	vectors := func(name string, of correlate) func(t *testing.T, v vector) (map[string]any, error) {
		return func(t *testing.T, v vector) (map[string]any, error) {
			var p struct{ Method string }
			x, y := v.pairs(t, &p)
			c, err := of(x, y)
			if err != nil {
				return nil, err
			}
			got := map[string]any{name: c.R, "p_two_sided": orUndefined(c.P())}
			if p.Method == "exact" {
				got["p_two_sided"] = orUndefined(agreement.KendallExact(x, y))
			}
			return got, nil
		}
	}
	stats["pearson"] = vectors("r", agreement.Pearson)
	stats["spearman"] = vectors("rho", agreement.Spearman)
	stats["kendall_tau_b"] = vectors("tau", agreement.KendallB)
	stats["kendall_tau_c"] = vectors("tau", agreement.KendallC)
	conventions["kendall_tau_b/n2_up"] = map[string]any{"tau": 1.0, "p_two_sided": "NaN"}
	conventions["kendall_tau_b/n2_down"] = map[string]any{"tau": -1.0, "p_two_sided": "NaN"}
}

// pairs reads x and y, whose nulls are NaNs.
func (v vector) pairs(t *testing.T, params any) (x, y []float64) {
	t.Helper()
	var in struct{ X, Y []*float64 }
	v.read(t, params, &in)
	numbers := func(list []*float64) []float64 {
		out := make([]float64, len(list))
		for i, p := range list {
			out[i] = math.NaN()
			if p != nil {
				out[i] = *p
			}
		}
		return out
	}
	return numbers(in.X), numbers(in.Y)
}

// Pairs that miss a number are left out, and N says how many are left.
func TestCorrelationOfMissing(t *testing.T) {
	nan := math.NaN()
	x, y := []float64{1, nan, 2, 3, 5}, []float64{1, 2, nan, 2, 4}
	for name, of := range map[string]func(x, y []float64) (agreement.Correlation, error){
		"Pearson": agreement.Pearson, "Spearman": agreement.Spearman, "KendallB": agreement.KendallB, "KendallC": agreement.KendallC,
	} {
		c, err := of(x, y)
		if err != nil || c.N != 3 {
			t.Errorf("%s: got %+v, %v; want N of 3", name, c, err)
		}
		if _, err := of(x, y[:4]); err == nil || errors.Is(err, agreement.ErrUndefined) {
			t.Errorf("%s: got %v for lists of other lengths, want an error of the call", name, err)
		}
		if c, err := of(x[3:], y[3:]); err != nil || math.Abs(c.R-1) > 1e-12 {
			t.Errorf("%s: got %v, %v of two pairs, want 1", name, c.R, err)
		} else if _, err := c.P(); !errors.Is(err, agreement.ErrUndefined) {
			t.Errorf("%s: got %v for p of two pairs, want ErrUndefined", name, err)
		}
	}
	if _, err := agreement.KendallExact([]float64{1, 1, 2}, []float64{1, 2, 3}); !errors.Is(err, agreement.ErrUndefined) {
		t.Errorf("got %v for the exact p of ties, want ErrUndefined", err)
	}
	if _, err := agreement.Pearson([]float64{1, math.Inf(1)}, []float64{1, 2}); err == nil || errors.Is(err, agreement.ErrUndefined) {
		t.Errorf("got %v for an infinite number, want an error of the call", err)
	}
}

// A correlation turns around with one side, does not depend on which side is
// which, and stays within its range.
func TestCorrelationProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 12).Draw(t, "n")
		x := rapid.SliceOfN(rapid.Map(rapid.IntRange(-3, 3), func(i int) float64 { return float64(i) }), n, n).Draw(t, "x")
		y := rapid.SliceOfN(rapid.Map(rapid.IntRange(-3, 3), func(i int) float64 { return float64(i) }), n, n).Draw(t, "y")
		turned := make([]float64, n)
		for i := range y {
			turned[i] = -y[i]
		}
		for name, of := range map[string]func(x, y []float64) (agreement.Correlation, error){
			"Pearson": agreement.Pearson, "Spearman": agreement.Spearman, "KendallB": agreement.KendallB, "KendallC": agreement.KendallC,
		} {
			c, err := of(x, y)
			if errors.Is(err, agreement.ErrUndefined) {
				continue
			}
			if err != nil || !(math.Abs(c.R) <= 1) {
				t.Fatalf("%s: got %+v, %v", name, c, err)
			}
			other, _ := of(y, x)
			down, _ := of(x, turned)
			if math.Abs(c.R-other.R) > 1e-12 || math.Abs(c.R+down.R) > 1e-12 {
				t.Fatalf("%s: got %v, %v with the sides exchanged and %v with one turned", name, c.R, other.R, down.R)
			}
			if p, err := c.P(); err == nil && !(p >= 0 && p <= 1) {
				t.Fatalf("%s: p is %v", name, p)
			}
		}
	})
}
