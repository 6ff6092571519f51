package agreement_test

import (
	"errors"
	"math"
	"testing"

	"github.com/ragomega/ragomega/ragtest/agreement"
	"pgregory.net/rapid"
)

var adjustments = map[string]func(p []float64) ([]float64, error){
	"bonferroni": agreement.Bonferroni,
	"holm":       agreement.Holm,
	"hommel":     agreement.Hommel,
	"fdr_bh":     agreement.BenjaminiHochberg,
	"fdr_by":     agreement.BenjaminiYekutieli,
}

func init() {
	stats["multiple_testing"] = func(t *testing.T, v vector) (map[string]any, error) {
		var p struct {
			Method string
			Alpha  float64
		}
		var in struct{ P []float64 }
		v.read(t, &p, &in)
		adjusted, err := adjustments[p.Method](in.P)
		return map[string]any{"adjusted": adjusted, "reject": agreement.Reject(adjusted, p.Alpha)}, err
	}
	conventions["multiple_testing/boundary/fdr_bh"] = map[string]any{
		"adjusted": []any{0.05, 0.0375, 0.0375}, "reject": []any{true, true, true},
	}
}

func TestAdjustmentsRefuse(t *testing.T) {
	for name, adjust := range adjustments {
		for _, p := range []float64{-0.1, 1.1, math.NaN()} {
			if _, err := adjust([]float64{0.5, p}); err == nil || errors.Is(err, agreement.ErrUndefined) {
				t.Errorf("%s: got %v of %v, want an error of the call", name, err, p)
			}
		}
	}
}

// No p becomes smaller, their order stays, and the methods that assume less reject
// less.
func TestAdjustmentProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := rapid.SliceOfN(rapid.Float64Range(0, 1), 0, 12).Draw(t, "p")
		adjusted := map[string][]float64{}
		for name, adjust := range adjustments {
			a, err := adjust(p)
			if err != nil || len(a) != len(p) {
				t.Fatalf("%s: got %v, %v", name, a, err)
			}
			adjusted[name] = a
			for i := range p {
				if !(a[i] >= p[i] && a[i] <= 1) {
					t.Fatalf("%s: got %v of %v", name, a[i], p[i])
				}
				for j := range p {
					if p[i] < p[j] && a[i] > a[j] {
						t.Fatalf("%s: got %v of %v and %v of %v", name, a[i], p[i], a[j], p[j])
					}
				}
			}
		}
		for _, order := range [][2]string{{"hommel", "holm"}, {"holm", "bonferroni"}, {"fdr_bh", "hommel"}, {"fdr_bh", "fdr_by"}} {
			for i := range p {
				if less, more := adjusted[order[0]][i], adjusted[order[1]][i]; less > more+1e-12 {
					t.Fatalf("got %v by %s and %v by %s", less, order[0], more, order[1])
				}
			}
		}
	})
}
