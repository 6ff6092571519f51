package agreement_test

import (
	"errors"
	"math"
	"testing"

	"github.com/ragomega/ragomega/ragtest/agreement"
	"gonum.org/v1/gonum/mathext"
)

func init() {
	stats["norm_ppf"] = func(t *testing.T, v vector) (map[string]any, error) {
		var in struct{ P float64 }
		v.read(t, &struct{}{}, &in)
		return map[string]any{"z": agreement.NormalQuantile(in.P)}, nil
	}
	stats["beta_ppf"] = func(t *testing.T, v vector) (map[string]any, error) {
		var in struct{ A, B, Q float64 }
		v.read(t, &struct{}{}, &in)
		return map[string]any{"x": mathext.InvRegIncBeta(in.A, in.B, in.Q)}, nil
	}
	stats["t_sf2"] = func(t *testing.T, v vector) (map[string]any, error) {
		var in struct{ T, DF float64 }
		v.read(t, &struct{}{}, &in)
		return map[string]any{"p_two_sided": agreement.StudentTwoSided(in.T, in.DF)}, nil
	}
	stats["quantile_linear"] = func(t *testing.T, v vector) (map[string]any, error) {
		var in struct {
			X []float64
			Q float64
		}
		v.read(t, &struct{}{}, &in)
		value, err := agreement.Quantile(in.X, in.Q)
		return map[string]any{"value": value}, err
	}
	stats["rank_average"] = func(t *testing.T, v vector) (map[string]any, error) {
		var in struct{ X []float64 }
		v.read(t, &struct{}{}, &in)
		return map[string]any{"ranks": agreement.Ranks(in.X)}, nil
	}
}

// Quantiles are what the distributions have at them, on both sides and far out.
func TestQuantilesInvert(t *testing.T) {
	for _, p := range []float64{1e-12, 1e-6, 0.01, 0.025, 0.3, 0.4999, 0.5, 0.6, 0.975, 0.999} {
		if got := agreement.NormalCDF(agreement.NormalQuantile(p)); math.Abs(got-p) > 1e-13*p {
			t.Errorf("normal: got %v of the quantile of %v", got, p)
		}
		for _, df := range []float64{1, 2, 7, 30, 1000} {
			// Both tails beyond the quantile, which is below 0 for p below one half.
			want := 2 * min(p, 1-p)
			if got := agreement.StudentTwoSided(agreement.StudentQuantile(p, df), df); p >= 1e-6 && math.Abs(got-want) > 1e-9*want {
				t.Errorf("t with %v: got %v of the quantile of %v, want %v", df, got, p, want)
			}
			if got := 1 - agreement.FisherUpper(agreement.FisherQuantile(p, df, 5), df, 5); p > 1e-6 && math.Abs(got-p) > 1e-9 {
				t.Errorf("F with %v and 5: got %v of the quantile of %v", df, got, p)
			}
		}
	}
	if got := agreement.NormalQuantile(0); !math.IsInf(got, -1) {
		t.Errorf("got %v as the quantile of 0", got)
	}
	if got := agreement.NormalQuantile(1); !math.IsInf(got, 1) {
		t.Errorf("got %v as the quantile of 1", got)
	}
	if a, b := agreement.FisherUpper(9, 1, 8), agreement.StudentTwoSided(3, 8); math.Abs(a-b) > 1e-12 {
		t.Errorf("F with 1 and 8 has %v at 9, and t with 8 has %v at 3", a, b)
	}
}

func TestQuantileOfNothing(t *testing.T) {
	if _, err := agreement.Quantile(nil, 0.5); !errors.Is(err, agreement.ErrUndefined) {
		t.Errorf("got %v, want ErrUndefined", err)
	}
	for _, q := range []float64{-0.1, 1.1, math.NaN()} {
		if _, err := agreement.Quantile([]float64{1}, q); err == nil || errors.Is(err, agreement.ErrUndefined) {
			t.Errorf("%v: got %v, want an error of the call", q, err)
		}
	}
	if _, err := agreement.Quantile([]float64{1, math.NaN()}, 0.5); err == nil {
		t.Error("got a quantile of NaN")
	}
}
