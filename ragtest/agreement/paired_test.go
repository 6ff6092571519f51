package agreement_test

import (
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/ragomega/ragomega/ragtest/agreement"
	"pgregory.net/rapid"
)

func init() {
	stats["mcnemar"] = func(t *testing.T, v vector) (map[string]any, error) {
		var in struct {
			A int `json:"a_only"`
			B int `json:"b_only"`
		}
		v.read(t, &struct{}{}, &in)
		c, err := agreement.McNemar(in.A, in.B)
		if err != nil {
			return nil, err
		}
		chi2, p, err := c.ChiSquared(false)
		corrected, pCorrected, errCorrected := c.ChiSquared(true)
		return map[string]any{
			"p_exact": c.Exact, "p_midp": c.MidP,
			"chi2": orUndefined(chi2, err), "p_chi2": orUndefined(p, err),
			"chi2_cc": orUndefined(corrected, errCorrected), "p_chi2_cc": orUndefined(pCorrected, errCorrected),
		}, nil
	}
	// Nothing over nothing is no statistic, with the correction either.
	conventions["mcnemar/40_0_0_10"] = map[string]any{
		"p_exact": 1.0, "p_midp": 1.0, "chi2": "NaN", "p_chi2": "NaN", "chi2_cc": "NaN", "p_chi2_cc": "NaN",
	}
	stats["sign_test"] = func(t *testing.T, v vector) (map[string]any, error) {
		s, err := agreement.SignTest(v.differences(t, &struct{}{}))
		return map[string]any{
			"positive": s.Positive, "negative": s.Negative, "M": float64(s.Positive-s.Negative) / 2, "p_two_sided": s.P,
		}, err
	}
	stats["wilcoxon"] = wilcoxonVector
	for _, id := range []string{"wilcox/asymptotic_cc", "pratt/asymptotic", "auto"} {
		conventions["wilcoxon/all_zero/"+id] = map[string]any{"statistic": 0.0, "p": 1.0}
	}
	conventions["wilcoxon/all_zero/zsplit/asymptotic"] = map[string]any{"statistic": 5.0, "p": 1.0}
	stats["paired_t"] = func(t *testing.T, v vector) (map[string]any, error) {
		var p struct{ Confidence float64 }
		var in struct{ A, B []float64 }
		v.read(t, &p, &in)
		m, err := agreement.PairedT(in.A, in.B, p.Confidence)
		if err != nil {
			return nil, err
		}
		var T any = m.T
		if math.IsInf(m.T, 1) {
			T = "Infinity"
		}
		return map[string]any{
			"t": T, "p_two_sided": m.P, "df": m.N - 1, "mean_diff": m.Mean, "sd_diff": m.SD,
			"ci_low": m.Interval.Low, "ci_high": m.Interval.High, "cohen_dz": orUndefined(m.Effect()),
		}, nil
	}
	conventions["paired_t/n1"] = nil
	stats["paired_permutation_exact"] = func(t *testing.T, v vector) (map[string]any, error) {
		f, err := agreement.Permutation(v.differences(t, &struct{}{}), 0)
		if err == nil && !f.Exact {
			t.Error("not exact")
		}
		return map[string]any{"mean": f.Mean, "p_two_sided": f.TwoSided, "p_greater": f.Greater, "p_less": f.Less}, err
	}
	conventions["paired_permutation_exact/n1"] = map[string]any{"mean": 1.5, "p_two_sided": 1.0, "p_greater": 0.5, "p_less": 1.0}
}

func (v vector) differences(t *testing.T, params any) []float64 {
	t.Helper()
	var in struct{ D []float64 }
	v.read(t, params, &in)
	return in.D
}

func wilcoxonVector(t *testing.T, v vector) (map[string]any, error) {
	var p struct {
		Zeros       string `json:"zero_method"`
		Correction  bool
		Method      string
		Alternative string
	}
	d := v.differences(t, &p)
	w := agreement.Wilcoxon{Corrected: p.Correction}
	w.Zeros = map[string]agreement.Zeros{"wilcox": agreement.DropZeros, "pratt": agreement.PrattZeros, "zsplit": agreement.SplitZeros}[p.Zeros]
	w.Method = map[string]string{"asymptotic": "normal", "exact": "exact"}[p.Method]
	s, err := w.Test(d)
	switch p.Alternative {
	case "greater":
		return map[string]any{"statistic": s.Plus, "p": s.Greater}, err
	case "less":
		return map[string]any{"statistic": s.Plus, "p": s.Less}, err
	}
	return map[string]any{"statistic": min(s.Plus, s.Minus), "p": s.TwoSided}, err
}

// The first example of https://en.wikipedia.org/wiki/McNemar's_test.
func TestMcNemarOfWikipedia(t *testing.T) {
	c, err := agreement.McNemar(121, 59)
	if err != nil {
		t.Fatal(err)
	}
	chi2, p, err := c.ChiSquared(false)
	if err != nil || math.Abs(chi2-21.35) > 0.01 || p >= 0.001 {
		t.Errorf("got %v with p %v, %v; want 21.35 with p below 0.001", chi2, p, err)
	}
}

// No outcome of fewer than 6 samples that differ is below 0.05.
func TestMcNemarNeedsSix(t *testing.T) {
	for n := range 6 {
		for a := range n + 1 {
			if c, err := agreement.McNemar(a, n-a); err != nil || c.Exact < 0.05 {
				t.Errorf("%d and %d: got %v, %v", a, n-a, c.Exact, err)
			}
		}
	}
	if c, err := agreement.McNemar(0, 6); err != nil || c.Exact != 0.03125 {
		t.Errorf("0 and 6: got %v, %v; want 1/32", c.Exact, err)
	}
	// The two ways to count meet.
	below, err := agreement.McNemar(460, 540)
	above, err2 := agreement.McNemar(461, 540)
	if err != nil || err2 != nil || !(below.Exact < above.Exact && above.Exact < 1.1*below.Exact && below.MidP < above.MidP && above.MidP < 1.1*below.MidP) {
		t.Errorf("got %+v of 1,000 samples and %+v of 1,001, %v, %v", below, above, err, err2)
	}
	if _, err := agreement.McNemar(-1, 6); err == nil || errors.Is(err, agreement.ErrUndefined) {
		t.Errorf("got %v for a negative count, want an error of the call", err)
	}
}

// Ties are counted as they are: of 1, 1 and 2, the signs of which make 8 sums of
// the ranks 1.5, 1.5 and 3, the one observed, 6, is the largest.
func TestWilcoxonExactWithTies(t *testing.T) {
	s, err := agreement.Wilcoxon{}.Test([]float64{1, 1, 2})
	if err != nil || s.Method != "exact" || s.Plus != 6 || s.Greater != 0.125 || s.TwoSided != 0.25 || s.Less != 1 {
		t.Errorf("got %+v, %v", s, err)
	}
	// 1.5 less 1.5 and 3: sums above 0 of 1.5, 4.5 and so on. 3 of 8 are at most 1.5.
	s, err = agreement.Wilcoxon{Method: "exact"}.Test([]float64{1, -1, -2})
	if err != nil || s.Plus != 1.5 || s.Minus != 4.5 || s.Less != 0.375 || s.Greater != 0.875 || s.TwoSided != 0.75 {
		t.Errorf("got %+v, %v", s, err)
	}
	if _, err := (agreement.Wilcoxon{Method: "auto"}).Test([]float64{1}); err == nil {
		t.Error("got no error for an unknown method")
	}
}

// The one-sided p of the normal distribution, corrected: 21 is 10.5 above the
// middle of 6 ranks, whose variance is 22.75.
func TestWilcoxonCorrectedOneSided(t *testing.T) {
	s, err := agreement.Wilcoxon{Method: "normal", Corrected: true}.Test([]float64{1, 2, 3, 4, 5, 6})
	if err != nil {
		t.Fatal(err)
	}
	greater, less := agreement.NormalCDF(-10/math.Sqrt(22.75)), agreement.NormalCDF(11/math.Sqrt(22.75))
	if math.Abs(s.Greater-greater) > 1e-12 || math.Abs(s.Less-less) > 1e-12 || math.Abs(s.TwoSided-2*greater) > 1e-12 {
		t.Errorf("got %+v, want %v and %v", s, greater, less)
	}
}

func TestPairedTWithoutVariance(t *testing.T) {
	same := []float64{0.1, 0.2, 0.7}
	m, err := agreement.PairedT(same, same, 0.95)
	if err != nil || m.T != 0 || m.P != 1 || !m.Interval.Degenerate {
		t.Errorf("got %+v, %v of equal scores; want p of 1", m, err)
	}
	// 0.1 less, each rounded in its own way.
	m, err = agreement.PairedT([]float64{0.3, 0.4, 0.8}, []float64{0.2, 0.3, 0.7}, 0.95)
	if err != nil || !math.IsInf(m.T, -1) || m.P != 0 || m.SD != 0 {
		t.Errorf("got %+v, %v of equal differences; want T of -Inf", m, err)
	}
	if _, err := m.Effect(); !errors.Is(err, agreement.ErrUndefined) {
		t.Errorf("got %v, want ErrUndefined", err)
	}
	if _, err := agreement.PairedT(same, same[:2], 0.95); err == nil || errors.Is(err, agreement.ErrUndefined) {
		t.Errorf("got %v for lists of other lengths, want an error of the call", err)
	}
	if _, err := agreement.PairedT(same, same, 95); err == nil || errors.Is(err, agreement.ErrUndefined) {
		t.Errorf("got %v for a confidence of 95, want an error of the call", err)
	}
}

func TestTestsOfDifferencesRefuse(t *testing.T) {
	tests := map[string]func(d []float64) error{
		"sign":        func(d []float64) error { _, err := agreement.SignTest(d); return err },
		"signed-rank": func(d []float64) error { _, err := agreement.Wilcoxon{}.Test(d); return err },
		"permutation": func(d []float64) error { _, err := agreement.Permutation(d, 1); return err },
	}
	for name, test := range tests {
		if err := test(nil); !errors.Is(err, agreement.ErrUndefined) {
			t.Errorf("%s: got %v of nothing, want ErrUndefined", name, err)
		}
		for _, v := range []float64{math.NaN(), math.Inf(1)} {
			if err := test([]float64{1, v}); err == nil || errors.Is(err, agreement.ErrUndefined) {
				t.Errorf("%s: got %v of %v, want an error of the call", name, err, v)
			}
		}
	}
}

// What is drawn for many differences is near what all signs give for few, the
// same for the same seed, and never 0.
func TestPermutationDraws(t *testing.T) {
	d := []float64{0.3, -0.1, 0.2, 0.4, -0.3, 0.5, 0.1, 0.2, -0.2, 0.6, 0.1, -0.4, 0.3, 0.2, 0.1, -0.1}
	exact, err := agreement.Permutation(append(d, 0, 0, 0), 1)
	if err != nil || !exact.Exact || exact.Draws != 1<<16 {
		t.Fatalf("got %+v, %v", exact, err)
	}
	// A difference of next to nothing changes nothing, and makes 17 of them.
	more := append(slices.Clone(d), 1e-14)
	drawn, err := agreement.Permutation(more, 1)
	if err != nil || drawn.Exact || drawn.Draws != 9999 || math.Abs(drawn.TwoSided-exact.TwoSided) > 0.015 {
		t.Errorf("got %+v, %v; want near %+v", drawn, err, exact)
	}
	if again, _ := agreement.Permutation(more, 1); again != drawn {
		t.Errorf("got %+v, then %+v", drawn, again)
	}
	up := make([]float64, 200)
	for i := range up {
		up[i] = 1
	}
	if f, err := agreement.Permutation(up, 1); err != nil || f.TwoSided != 2.0/10_000 || f.Less != 1 {
		t.Errorf("got %+v, %v; want the one that was found among 10,000", f, err)
	}
}

// Probabilities are above 0 and at most 1, and turn around with the differences.
func TestPairedProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := rapid.SliceOfN(rapid.Map(rapid.IntRange(-4, 4), func(i int) float64 { return float64(i) / 10 }), 1, 20).Draw(t, "d")
		turned := make([]float64, len(d))
		for i := range d {
			turned[i] = -d[i]
		}
		check := func(name string, two, greater, less, otherTwo, otherGreater, otherLess float64) {
			for _, p := range []float64{two, greater, less} {
				if !(p > 0 && p <= 1) {
					t.Fatalf("%s: p is %v", name, p)
				}
			}
			if math.Abs(two-otherTwo) > 1e-12 || math.Abs(greater-otherLess) > 1e-12 || math.Abs(less-otherGreater) > 1e-12 {
				t.Fatalf("%s: got %v, %v, %v, and turned around %v, %v, %v", name, two, greater, less, otherTwo, otherGreater, otherLess)
			}
		}
		for _, w := range []agreement.Wilcoxon{{}, {Method: "exact"}, {Method: "exact", Zeros: agreement.PrattZeros}, {Method: "exact", Zeros: agreement.SplitZeros}, {Method: "normal", Corrected: true}} {
			a, err := w.Test(d)
			b, err2 := w.Test(turned)
			if err != nil || err2 != nil {
				t.Fatal(err, err2)
			}
			check("signed ranks", a.TwoSided, a.Greater, a.Less, b.TwoSided, b.Greater, b.Less)
		}
		a, err := agreement.Permutation(d, 1)
		if err != nil {
			t.Fatal(err)
		}
		if b, _ := agreement.Permutation(turned, 1); a.Exact {
			check("permutation", a.TwoSided, a.Greater, a.Less, b.TwoSided, b.Greater, b.Less)
		} else {
			check("permutation", a.TwoSided, a.Greater, a.Less, a.TwoSided, a.Less, a.Greater)
		}
		s, err := agreement.SignTest(d)
		if err != nil {
			t.Fatal(err)
		}
		c, err := agreement.McNemar(s.Positive, s.Negative)
		if err != nil || c.Exact != s.P || !(c.MidP > 0 && c.MidP <= c.Exact) {
			t.Fatalf("got %+v of the signs, and %+v of the counts, %v", s, c, err)
		}
	})
}
