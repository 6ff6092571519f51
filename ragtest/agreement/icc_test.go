package agreement_test

import (
	"errors"
	"maps"
	"math"
	"strings"
	"testing"

	"github.com/ragomega/ragomega/ragtest/agreement"
	"pgregory.net/rapid"
)

var forms = []agreement.ICCForm{
	agreement.OneWaySingle, agreement.AgreementSingle, agreement.ConsistencySingle,
	agreement.OneWayMean, agreement.AgreementMean, agreement.ConsistencyMean,
}

func init() {
	stats["icc"] = func(t *testing.T, v vector) (map[string]any, error) {
		var params struct{ Confidence float64 }
		var in struct {
			Ratings [][]float64 `json:"ratings_by_target"`
		}
		v.read(t, &params, &in)
		a, err := agreement.ICC(in.Ratings)
		if err != nil {
			return nil, err
		}
		all := map[string]any{}
		for _, f := range forms {
			test, errTest := a.Test(f)
			i, errInterval := a.Interval(f, params.Confidence)
			all[f.String()] = map[string]any{
				"icc": orUndefined(a.Value(f)), "F": orUndefined(test.F, errTest),
				"ci_low": orUndefined(i.Low, errInterval), "ci_high": orUndefined(i.High, errInterval),
			}
		}
		return all, nil
	}
	form := func(icc, f, low, high any) map[string]any {
		return map[string]any{"icc": icc, "F": f, "ci_low": low, "ci_high": high}
	}
	const undefined, infinite = "NaN", "Infinity"
	// The raters agree but for a constant: the data show no error to judge by.
	conventions["icc/constant_bias"] = map[string]any{
		"ICC(1,1)": form(0.8181818181818182, 10.0, 0.15022609914157045, 0.9788683378191685),
		"ICC(A,1)": form(5.0/6, infinite, undefined, undefined),
		"ICC(C,1)": form(1.0, infinite, undefined, undefined),
		"ICC(1,k)": form(0.9, 10.0, 0.2612114248732249, 0.9893213399916642),
		"ICC(A,k)": form(10.0/11, infinite, undefined, undefined),
		"ICC(C,k)": form(1.0, infinite, undefined, undefined),
	}
	perfect := map[string]any{}
	for _, f := range forms {
		perfect[f.String()] = form(1.0, infinite, undefined, undefined)
	}
	conventions["icc/perfect"] = perfect
	// The units do not differ: their means have no variance to take a share of.
	still := map[string]any{
		"ICC(1,1)": form(-1.0, 0.0, -1.0, -1.0), "ICC(C,1)": form(-1.0, 0.0, -1.0, -1.0),
		"ICC(A,1)": form(-2.0, 0.0, undefined, undefined),
		"ICC(1,k)": form(undefined, 0.0, undefined, undefined), "ICC(A,k)": form(undefined, 0.0, undefined, undefined), "ICC(C,k)": form(undefined, 0.0, undefined, undefined),
	}
	conventions["icc/no_target_variance"] = still
	reversed := maps.Clone(still)
	reversed["ICC(A,1)"] = form(-10.0/9, 0.0, -10.0/9, -10.0/9)
	conventions["icc/reversed"] = reversed
	// The formulas, with 30 digits.
	conventions["icc/two_targets"] = map[string]any{
		"ICC(1,1)": form(0.8571428571428571, 13.0, -0.49520766773162905, 0.9998075905526962),
		"ICC(A,1)": form(0.865979381443299, 169.0, -0.022241898228876605, 0.9997702981165556),
		"ICC(C,1)": form(0.9882352941176471, 169.0, -0.5861844426770078, 0.9999817313797879),
		"ICC(1,k)": form(0.9230769230769231, 13.0, -1.9620253164556936, 0.9999037860201088),
		"ICC(A,k)": form(0.9281767955801105, 169.0, -0.04549570735049364, 0.9998851358660239),
		"ICC(C,k)": form(0.9940828402366864, 169.0, -2.8330710738333975, 0.9999908656064576),
	}
}

func TestICCUndefined(t *testing.T) {
	for name, ratings := range map[string][][]float64{"nothing": nil, "one unit": {{1, 2}}, "one rater": {{1}, {2}}} {
		if _, err := agreement.ICC(ratings); !errors.Is(err, agreement.ErrUndefined) {
			t.Errorf("%s: got %v, want ErrUndefined", name, err)
		}
	}
	a, err := agreement.ICC([][]float64{{0.1, 0.1, 0.1}, {0.1, 0.1, 0.1}, {0.1, 0.1, 0.1}})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range forms {
		for _, err := range []error{second(a.Value(f)), second(a.Test(f)), second(a.Interval(f, 0.95))} {
			if !errors.Is(err, agreement.ErrUndefined) {
				t.Errorf("%v of equal ratings: got %v, want ErrUndefined", f, err)
			}
		}
	}
}

func TestICCRefuses(t *testing.T) {
	for want, err := range map[string]error{
		"unit 1 has 1 ratings and unit 0 has 2":                second(agreement.ICC([][]float64{{1, 2}, {1}})),
		"unit 1 has the rating NaN of rater 0":                 second(agreement.ICC([][]float64{{1, 2}, {agreement.Missing, 3}})),
		"there is no ICCForm(9)":                               second(agreement.Intraclass{Units: 3, Raters: 2, Between: 1}.Value(9)),
		"the confidence is 0, expected a number between 0 and": second(agreement.Intraclass{Units: 3, Raters: 2, Between: 1}.Interval(agreement.AgreementSingle, 0)),
	} {
		if err == nil || !strings.Contains(err.Error(), want) || errors.Is(err, agreement.ErrUndefined) {
			t.Errorf("got %v, want an error that has %q", err, want)
		}
	}
}

// The P of the test is that of F, and the interval without width says so.
func TestICCTest(t *testing.T) {
	a, err := agreement.ICC([][]float64{{1, 1}, {2, 2}, {3, 3}})
	if err != nil {
		t.Fatal(err)
	}
	if test, err := a.Test(agreement.AgreementSingle); err != nil || !math.IsInf(test.F, 1) || test.P != 0 || test.DF1 != 2 || test.DF2 != 2 {
		t.Errorf("got %+v, %v", test, err)
	}
	if a, err = agreement.ICC([][]float64{{1, 2}, {2, 1}, {1, 2}, {2, 1}}); err != nil {
		t.Fatal(err)
	}
	if test, err := a.Test(agreement.OneWaySingle); err != nil || test.F != 0 || test.P != 1 || test.DF1 != 3 || test.DF2 != 4 {
		t.Errorf("got %+v, %v", test, err)
	}
	if i, err := a.Interval(agreement.ConsistencySingle, 0.95); err != nil || !i.Degenerate {
		t.Errorf("got %+v, %v, want a degenerate interval", i, err)
	}
	if _, err := a.Interval(agreement.AgreementSingle, 0.95); !errors.Is(err, agreement.ErrUndefined) || !strings.Contains(err.Error(), "neither the units nor the raters differ") {
		t.Errorf("got %v", err)
	}
	// Sums of tenths are not exact, and their errors are no disagreement.
	if a, err = agreement.ICC([][]float64{{0.3, 0.3, 0.3, 0.3}, {0.9, 0.9, 0.9, 0.9}, {0.1, 0.1, 0.1, 0.1}, {0.4, 0.4, 0.4, 0.4}}); err != nil {
		t.Fatal(err)
	}
	if a.Residual != 0 || a.Judges != 0 || a.Within != 0 {
		t.Errorf("got %+v of raters who agree", a)
	}
	// The approximate interval of agreement can miss a value below 0.
	if a, err = agreement.ICC([][]float64{{1, 1, 5}, {1, 1, 5}, {1, 5, 2}}); err != nil {
		t.Fatal(err)
	}
	if v, err := a.Value(agreement.AgreementSingle); err != nil || !near(v, -4.0/11) {
		t.Errorf("got %v, %v, want -0.36", v, err)
	}
	if i, err := a.Interval(agreement.AgreementSingle, 0.95); !errors.Is(err, agreement.ErrUndefined) {
		t.Errorf("got %v, %v, want ErrUndefined", i, err)
	}
	// F with 2 and 2 degrees of freedom is at least f by chance in 1/(1+f) of cases.
	if a, err = agreement.ICC([][]float64{{1, 2}, {3, 3}, {5, 4}}); err != nil {
		t.Fatal(err)
	}
	if test, err := a.Test(agreement.ConsistencySingle); err != nil || !near(test.F, 9) || !near(test.P, 0.1) {
		t.Errorf("got %+v, %v, want an F of 9 and a P of 0.1", test, err)
	}
}

// Another origin and unit of the scale change nothing, nor does a constant added to
// one rater where only consistency counts. The interval holds the value.
func TestICCProperties(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		raters, units := rapid.IntRange(2, 4).Draw(r, "raters"), rapid.IntRange(3, 10).Draw(r, "units")
		rows := rapid.SliceOfN(rapid.SliceOfN(rapid.IntRange(1, 5), raters, raters), units, units).Draw(r, "ratings")
		var plain, moved, biased [][]float64
		for _, row := range rows {
			x, y, z := floats(row), floats(row), floats(row)
			for j := range y {
				y[j] = 3 + 2*y[j]
			}
			z[0] += 4
			plain, moved, biased = append(plain, x), append(moved, y), append(biased, z)
		}
		a, b, c := analysed(r, plain), analysed(r, moved), analysed(r, biased)
		for _, f := range forms {
			v, err := a.Value(f)
			w, err2 := b.Value(f)
			same(r, v, err, w, err2)
			if f == agreement.ConsistencySingle || f == agreement.ConsistencyMean {
				w, err2 = c.Value(f)
				same(r, v, err, w, err2)
			}
			if i, err := a.Interval(f, 0.95); err == nil && !(i.Low <= v+1e-9 && v <= i.High+1e-9) {
				r.Fatalf("%v is %v, outside %v", f, v, i)
			}
		}
	})
}

func analysed(r *rapid.T, ratings [][]float64) agreement.Intraclass {
	a, err := agreement.ICC(ratings)
	if err != nil {
		r.Fatal(err)
	}
	return a
}
