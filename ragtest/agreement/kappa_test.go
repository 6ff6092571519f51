package agreement_test

import (
	"errors"
	"math"
	"testing"

	"github.com/ragomega/ragomega/ragtest/agreement"
	"pgregory.net/rapid"
)

// weights are the names of the vectors.
var weights = map[string]agreement.Weights{"": agreement.Unweighted, "linear": agreement.Linear, "quadratic": agreement.Quadratic, "ordinal": agreement.Ordinal}

func init() {
	stats["cohen_kappa"] = func(t *testing.T, v vector) (map[string]any, error) {
		var params struct {
			Weights string
			Labels  []int
			Sample  []float64 `json:"sample_weight"`
		}
		table := read(t, v, &params, &params.Labels)
		if params.Sample != nil {
			table = weighted(t, v, params.Labels, params.Sample)
		}
		kappa, err := table.WeightedKappa(weights[params.Weights])
		return map[string]any{"kappa": kappa}, err
	}
	stats["kappa_se"] = func(t *testing.T, v vector) (map[string]any, error) {
		var params struct {
			Weights    string
			Confidence float64
		}
		var in struct{ Table [][]int }
		v.read(t, &params, &in)
		table := agreement.Table{Counts: in.Table}
		e, err := table.KappaError(weights[params.Weights], params.Confidence)
		if err != nil {
			return nil, err
		}
		if e.Interval.Degenerate != (e.SE == 0) {
			t.Errorf("the standard error is %v and the interval says Degenerate: %v", e.SE, e.Interval.Degenerate)
		}
		return map[string]any{
			"kappa": e.Kappa, "var": e.Var, "se": e.SE, "var0": e.Var0, "se0": e.SE0,
			"ci_low": e.Interval.Low, "ci_high": e.Interval.High,
			"z": orUndefined(e.Z()), "p_two_sided": orUndefined(e.P()), "kappa_max": orUndefined(table.KappaMax()),
		}, nil
	}
	// Variances that are 0, and rounding in the library.
	conventions["kappa_se/disjoint_classes/linear"] = map[string]any{
		"kappa": 0.0, "var": 0.0, "se": 0.0, "ci_low": 0.0, "ci_high": 0.0, "var0": 0.0, "se0": 0.0,
		"z": "NaN", "p_two_sided": "NaN", "kappa_max": 0.0,
	}
	conventions["kappa_se/ordinal_reversed/quadratic"] = map[string]any{
		"kappa": -1.0, "var": 0.0, "se": 0.0, "ci_low": -1.0, "ci_high": -1.0, "var0": 0.05, "se0": math.Sqrt(0.05),
		"z": -math.Sqrt(20), "p_two_sided": math.Erfc(math.Sqrt(10)), "kappa_max": 1.0,
	}
}

// weighted counts each item by its weight, in halves: kappa is the same if all
// counts are multiplied.
func weighted(t *testing.T, v vector, scale []int, weights []float64) agreement.Table {
	var in labels
	v.read(t, &struct{}{}, &in)
	var human, judge []int
	for i, w := range weights {
		if 2*w != math.Trunc(2*w) {
			t.Fatalf("the weight %v is no multiple of 0.5", w)
		}
		for range int(2 * w) {
			human, judge = append(human, in.A[i]), append(judge, in.B[i])
		}
	}
	return tabulate(t, human, judge, scale...)
}

func TestKappaErrorNeedsConfidence(t *testing.T) {
	for _, confidence := range []float64{0, 1, 95, math.NaN()} {
		if _, err := (agreement.Table{Counts: [][]int{{4, 1}, {2, 3}}}).KappaError(agreement.Unweighted, confidence); err == nil || errors.Is(err, agreement.ErrUndefined) {
			t.Errorf("got %v for a confidence of %v, want an error", err, confidence)
		}
	}
}

// A human who gives one label has a kappa of 0 without error, which rounding would
// leave a little of.
func TestKappaErrorOfConstant(t *testing.T) {
	e, err := (agreement.Table{Counts: [][]int{{5, 7}, {0, 0}}}).KappaError(agreement.Unweighted, 0.95)
	if err != nil || e.Kappa != 0 || e.SE != 0 || e.SE0 != 0 || !e.Interval.Degenerate {
		t.Errorf("got %+v, %v", e, err)
	}
	if _, err := e.P(); !errors.Is(err, agreement.ErrUndefined) {
		t.Errorf("got %v of the test, want ErrUndefined", err)
	}
}

// Which rater is the human does not matter.
func TestKappaIsSymmetric(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		human, judge := drawLabels(r)
		w := rapid.SampledFrom([]agreement.Weights{agreement.Unweighted, agreement.Linear, agreement.Quadratic, agreement.Ordinal}).Draw(r, "weights")
		one, err := tabulate(t, human, judge, 0, 1, 2, 3).WeightedKappa(w)
		other, err2 := tabulate(t, judge, human, 0, 1, 2, 3).WeightedKappa(w)
		same(r, one, err, other, err2)
	})
}

// What the categories are called does not matter without weights.
func TestKappaIgnoresNames(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		human, judge := drawLabels(r)
		names := rapid.Permutation([]int{0, 1, 2, 3}).Draw(r, "names")
		renamed := func(labels []int) (other []int) {
			for _, l := range labels {
				other = append(other, names[l])
			}
			return other
		}
		one, other := tabulate(t, human, judge, 0, 1, 2, 3), tabulate(t, renamed(human), renamed(judge), 0, 1, 2, 3)
		k, err := one.Kappa()
		k2, err2 := other.Kappa()
		same(r, k, err, k2, err2)
		m, err := one.MCC()
		m2, err2 := other.MCC()
		same(r, m, err, m2, err2)
	})
}

// Kappa is at most what the margins allow, which is at most 1. Full agreement on
// two categories is 1, on one it is undefined.
func TestKappaBounds(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		human, judge := drawLabels(r)
		table := tabulate(t, human, judge, 0, 1, 2, 3)
		kappa, err := table.Kappa()
		most, err2 := table.KappaMax()
		if (err == nil) != (err2 == nil) || err == nil && (kappa < -1 || kappa > most+1e-12 || most > 1) {
			r.Fatalf("kappa is %v, %v and its maximum %v, %v", kappa, err, most, err2)
		}
		full := tabulate(t, human, human, 0, 1, 2, 3)
		if e, err := full.KappaError(agreement.Quadratic, 0.95); err == nil && !(e.SE == 0 && e.Interval.Degenerate && e.Interval.Low == 1 && e.Interval.High == 1) {
			r.Fatalf("full agreement has %+v", e)
		}
		kappa, err = full.Kappa()
		if constant := count(human, human[0]) == len(human); constant != errors.Is(err, agreement.ErrUndefined) || !constant && kappa != 1 {
			r.Fatalf("kappa of full agreement is %v, %v", kappa, err)
		}
	})
}

// same fails unless both are undefined, or nearly equal.
func same(r *rapid.T, a float64, err error, b float64, err2 error) {
	r.Helper()
	if errors.Is(err, agreement.ErrUndefined) != errors.Is(err2, agreement.ErrUndefined) || (err == nil) != (err2 == nil) ||
		err == nil && !(math.Abs(a-b) < 1e-9) {
		r.Fatalf("%v, %v and %v, %v differ", a, err, b, err2)
	}
}
