package agreement_test

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/ragomega/ragomega/ragtest/agreement"
	"pgregory.net/rapid"
)

func init() {
	of := func(compute func(ratings [][]float64, categories []float64, w agreement.Weights) (agreement.Coefficient, error)) func(t *testing.T, v vector) (map[string]any, error) {
		return func(t *testing.T, v vector) (map[string]any, error) {
			var params struct {
				Categories []float64
				Weights    string
				Confidence float64
			}
			var in ratings
			v.read(t, &params, &in)
			c, err := compute(in.matrix(), params.Categories, weights[params.Weights])
			if err != nil {
				return nil, err
			}
			i, err := c.Interval(params.Confidence)
			return map[string]any{
				"value": c.Value, "pa": c.Observed, "pe": c.Chance, "se": orUndefined(c.SE()),
				"ci_low": orUndefined(i.Low, err), "ci_high": orUndefined(i.High, err),
			}, nil
		}
	}
	unweighted := func(compute func([][]float64, []float64) (agreement.Coefficient, error)) func(*testing.T, vector) (map[string]any, error) {
		return of(func(ratings [][]float64, categories []float64, _ agreement.Weights) (agreement.Coefficient, error) {
			return compute(ratings, categories)
		})
	}
	stats["gwet_ac1"] = unweighted(agreement.AC1)
	stats["gwet_ac2"] = of(agreement.AC2)
	stats["scott_pi"] = unweighted(agreement.ScottPi)
	stats["fleiss_kappa_raw"] = unweighted(agreement.FleissRaw)
	stats["brennan_prediger"] = unweighted(agreement.BrennanPrediger)
	stats["conger_kappa"] = unweighted(agreement.Conger)

	// One unit has a value and no standard error.
	one := func(value, observed, chance float64) map[string]any {
		return map[string]any{"value": value, "pa": observed, "pe": chance, "se": "NaN", "ci_low": "NaN", "ci_high": "NaN"}
	}
	conventions["gwet_ac1/n1_agree"] = one(1, 1, 0)
	conventions["gwet_ac1/n1_disagree"] = one(-1, 0, 0.5)
	conventions["brennan_prediger/n1_agree"] = one(1, 1, 0.5)
	conventions["brennan_prediger/n1_disagree"] = one(-1, 0, 0.5)
	conventions["scott_pi/n1_disagree"] = one(-1, 0, 0.5)
}

// ratings is the input of vectors of many raters, null where one is missing.
type ratings struct {
	Raters [][]*float64 `json:"ratings_by_rater"`
}

func (r ratings) matrix() [][]float64 { return filled(r.Raters) }

func filled(rows [][]*float64) [][]float64 {
	matrix := make([][]float64, len(rows))
	for i, row := range rows {
		for _, v := range row {
			if v == nil {
				v = &agreement.Missing
			}
			matrix[i] = append(matrix[i], *v)
		}
	}
	return matrix
}

// valueOf is the value of a coefficient, or the error in its place.
func valueOf(c agreement.Coefficient, err error) any { return orUndefined(c.Value, err) }

func TestCoefficientRefuses(t *testing.T) {
	binary := []float64{0, 1}
	for want, err := range map[string]error{
		"rater 1 has 1 ratings and rater 0 has 2":                      second(agreement.AC1([][]float64{{0, 1}, {1}}, binary)),
		"rater 1 gives unit 0 the rating 2, which is none of the":      second(agreement.Conger([][]float64{{0, 1}, {2, 1}}, binary)),
		"the categories are [1], expected 2 or more":                   second(agreement.BrennanPrediger([][]float64{{1}, {1}}, []float64{1})),
		"the categories are [1 1], expected 2 or more different":       second(agreement.AC1([][]float64{{1}, {1}}, []float64{1, 1})),
		"Scott's pi is of 2 raters, and there are 3; use FleissRaw":    second(agreement.ScottPi([][]float64{{0}, {1}, {1}}, binary)),
		"the confidence is 95, expected a number between 0 and 1 such": second(agreement.Coefficient{Units: 9}.Interval(95)),
	} {
		if err == nil || !strings.Contains(err.Error(), want) || errors.Is(err, agreement.ErrUndefined) {
			t.Errorf("got %v, want an error that has %q", err, want)
		}
	}
}

func TestCoefficientUndefined(t *testing.T) {
	for name, err := range map[string]error{
		"no raters":    second(agreement.AC1(nil, []float64{0, 1})),
		"no pair":      second(agreement.AC1([][]float64{{0, agreement.Missing}, {agreement.Missing, 1}}, []float64{0, 1})),
		"nothing":      second(agreement.Conger([][]float64{{agreement.Missing}, {agreement.Missing}}, []float64{0, 1})),
		"one category": second(agreement.FleissRaw([][]float64{{1, 1, 1}, {1, 1, agreement.Missing}, {1, 1, 1}}, []float64{0, 1})),
		"Conger":       second(agreement.Conger([][]float64{{1, 1}, {1, 1}}, []float64{0, 1})),
	} {
		if !errors.Is(err, agreement.ErrUndefined) {
			t.Errorf("%s: got %v, want ErrUndefined", name, err)
		}
	}
}

// A judge who always says "pass" of labels of which 80 % are agrees with 80 %. Kappa
// shows that it says nothing. AC1 does not.
func TestConstantJudge(t *testing.T) {
	human := []float64{1, 1, 1, 0, 1, 0, 1, 1, 1, 1}
	judge := []float64{1, 1, 1, 1, 1, 1, 1, 1, 1, 1}
	c, err := agreement.AC1([][]float64{human, judge}, []float64{0, 1})
	if err != nil || math.Abs(c.Value-0.756) > 5e-4 {
		t.Errorf("AC1 is %v, %v, want 0.756", c.Value, err)
	}
	kappa, err := (agreement.Table{Counts: [][]int{{0, 2}, {0, 8}}}).Kappa()
	if err != nil || kappa != 0 {
		t.Errorf("kappa is %v, %v, want 0", kappa, err)
	}
}

// For two raters who rate all, Conger's kappa is Cohen's, and the coefficient of
// Brennan and Prediger for two categories is PABAK.
func TestCoefficientsOfTwo(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		human, judge := drawLabels(r)
		conger, err := agreement.Conger([][]float64{floats(human), floats(judge)}, []float64{0, 1, 2, 3})
		kappa, err2 := tabulate(t, human, judge, 0, 1, 2, 3).Kappa()
		same(r, conger.Value, err, kappa, err2)

		for i := range human {
			human[i], judge[i] = human[i]/2, judge[i]/2
		}
		bp, err := agreement.BrennanPrediger([][]float64{floats(human), floats(judge)}, []float64{0, 1})
		pabak, err2 := confusion(t, human, judge, 1).PABAK()
		same(r, bp.Value, err, pabak, err2)
	})
}

// The order of the raters, of the units and of the categories does not matter, and
// full agreement is 1.
func TestCoefficientsIgnoreOrder(t *testing.T) {
	compute := map[string]func([][]float64, []float64) (agreement.Coefficient, error){
		"AC1": agreement.AC1, "FleissRaw": agreement.FleissRaw, "BrennanPrediger": agreement.BrennanPrediger, "Conger": agreement.Conger,
		"AC2": func(m [][]float64, c []float64) (agreement.Coefficient, error) {
			return agreement.AC2(m, c, agreement.Quadratic)
		},
	}
	rapid.Check(t, func(r *rapid.T) {
		matrix := drawRatings(r)
		name := rapid.SampledFrom([]string{"AC1", "AC2", "FleissRaw", "BrennanPrediger", "Conger"}).Draw(r, "coefficient")
		one, err := compute[name](matrix, []float64{0, 1, 2, 3})
		other, err2 := compute[name](shuffled(r, matrix), []float64{2, 0, 3, 1})
		same(r, one.Value, err, other.Value, err2)
		if err == nil {
			a, err := one.SE()
			b, err2 := other.SE()
			same(r, a, err, b, err2)
			if one.Value > 1+1e-12 || one.Value < -1/(1-one.Chance) {
				r.Fatalf("%s is %v", name, one.Value)
			}
		}
		full := [][]float64{matrix[0], matrix[0]}
		if c, err := compute[name](full, []float64{0, 1, 2, 3}); err == nil && !(math.Abs(c.Value-1) < 1e-9) {
			r.Fatalf("%s of full agreement is %v", name, c.Value)
		}
	})
}

// drawRatings draws ratings from 0 to 3, some of them missing.
func drawRatings(r *rapid.T) [][]float64 {
	raters, units := rapid.IntRange(2, 5).Draw(r, "raters"), rapid.IntRange(1, 12).Draw(r, "units")
	rating := rapid.SampledFrom([]float64{0, 1, 2, 3, 0, 1, 2, 3, agreement.Missing})
	return rapid.SliceOfN(rapid.SliceOfN(rating, units, units), raters, raters).Draw(r, "ratings")
}

// shuffled are the same ratings with the raters and the units in another order.
func shuffled(r *rapid.T, matrix [][]float64) [][]float64 {
	order := make([]int, len(matrix[0]))
	for i := range order {
		order[i] = i
	}
	order = rapid.Permutation(order).Draw(r, "order of units")
	other := make([][]float64, len(matrix))
	for g, row := range rapid.Permutation(matrix).Draw(r, "order of raters") {
		for _, i := range order {
			other[g] = append(other[g], row[i])
		}
	}
	return other
}
