package agreement_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/ragomega/ragomega/ragtest/agreement"
	"pgregory.net/rapid"
)

func init() {
	of := func(compute func([][]int) (float64, error)) func(t *testing.T, v vector) (map[string]any, error) {
		return func(t *testing.T, v vector) (map[string]any, error) {
			var in struct{ Counts [][]int }
			v.read(t, &struct{}{}, &in)
			value, err := compute(in.Counts)
			return map[string]any{"kappa": value}, err
		}
	}
	stats["fleiss_kappa"] = of(agreement.Fleiss)
	stats["randolph_kappa"] = of(agreement.Randolph)
}

func TestFleissRefuses(t *testing.T) {
	for want, counts := range map[string][][]int{
		"unit 1 has counts of 1 categories and unit 0 of 2": {{3, 0}, {3}},
		"category 1 of unit 0 was chosen -1 times":          {{3, -1}},
	} {
		for _, err := range []error{second(agreement.Fleiss(counts)), second(agreement.Randolph(counts))} {
			if err == nil || !strings.Contains(err.Error(), want) || errors.Is(err, agreement.ErrUndefined) {
				t.Errorf("got %v, want an error that has %q", err, want)
			}
		}
	}
	for _, err := range []error{second(agreement.Fleiss(nil)), second(agreement.Randolph([][]int{{3}, {3}})), second(agreement.Fleiss([][]int{{0, 0}}))} {
		if !errors.Is(err, agreement.ErrUndefined) {
			t.Errorf("got %v, want ErrUndefined", err)
		}
	}
}

// Who gave which rating does not matter to Fleiss' kappa.
func TestFleissIsFleissRaw(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		raters, units := rapid.IntRange(2, 5).Draw(r, "raters"), rapid.IntRange(1, 12).Draw(r, "units")
		matrix := rapid.SliceOfN(rapid.SliceOfN(rapid.SampledFrom([]float64{0, 1, 2}), units, units), raters, raters).Draw(r, "ratings")
		counts := make([][]int, units)
		for i := range counts {
			counts[i] = make([]int, 3)
			for g := range matrix {
				counts[i][int(matrix[g][i])]++
			}
		}
		raw, err := agreement.FleissRaw(matrix, []float64{0, 1, 2})
		kappa, err2 := agreement.Fleiss(counts)
		same(r, raw.Value, err, kappa, err2)
		raw, err = agreement.BrennanPrediger(matrix, []float64{0, 1, 2})
		kappa, err2 = agreement.Randolph(counts)
		same(r, raw.Value, err, kappa, err2)
	})
}
