package agreement_test

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/ragomega/ragomega/ragtest/agreement"
	"pgregory.net/rapid"
)

// labels is the input of vectors of two raters.
type labels struct{ A, B []int }

func init() {
	stats["percent_agreement"] = func(t *testing.T, v vector) (map[string]any, error) {
		value, err := read(t, v, &struct{}{}).Agreement()
		return map[string]any{"value": value}, err
	}
	stats["confusion_matrix"] = func(t *testing.T, v vector) (map[string]any, error) {
		var params struct{ Labels []int }
		matrix := [][]float64{}
		for _, row := range read(t, v, &params, &params.Labels).Counts {
			matrix = append(matrix, floats(row))
		}
		return map[string]any{"matrix": matrix}, nil
	}
	stats["mcc"] = func(t *testing.T, v vector) (map[string]any, error) {
		value, err := read(t, v, &struct{}{}).MCC()
		return map[string]any{"mcc": value}, err
	}
}

// read tabulates the labels of a vector, on the scale if one is read.
func read(t *testing.T, v vector, params any, scale ...*[]int) agreement.Table {
	t.Helper()
	var in labels
	v.read(t, params, &in)
	return tabulate(t, in.A, in.B, *append(scale, new([]int))[0]...)
}

func tabulate(t testing.TB, human, judge []int, scale ...int) agreement.Table {
	t.Helper()
	table, err := agreement.Tabulate(human, judge, scale...)
	if err != nil {
		t.Fatal(err)
	}
	return table
}

func floats(x []int) []float64 {
	f := make([]float64, len(x))
	for i, v := range x {
		f[i] = float64(v)
	}
	return f
}

func TestTabulate(t *testing.T) {
	human := []string{"good", "bad", "good", "fair", "good"}
	judge := []string{"good", "good", "fair", "fair", "good"}
	table, err := agreement.Tabulate(human, judge, "bad", "fair", "good", "great")
	if err != nil {
		t.Fatal(err)
	}
	want := strings.Join([]string{
		`human \ judge  bad  fair  good  great  total`,
		`bad              0     0     1      0      1`,
		`fair             0     1     0      0      1`,
		`good             0     1     2      0      3`,
		`great            0     0     0      0      0`,
		`total            0     2     3      0      5`,
	}, "\n")
	if got := table.String(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if table, err = agreement.Tabulate(human, judge); err != nil || strings.Join(table.Categories, " ") != "bad fair good" {
		t.Errorf("without a scale the categories are %v, %v; want those that occur, sorted", table.Categories, err)
	}
}

func TestTabulateRefuses(t *testing.T) {
	for want, err := range map[string]error{
		"2 labels of the human and 1 of the judge":                               second(agreement.Tabulate([]int{1, 2}, []int{1})),
		"item 1 is 6 to the judge, which is not on the scale of 1, 2, 3":         second(agreement.Tabulate([]int{1, 2}, []int{1, 6}, 1, 2, 3)),
		`item 0 is "Pass" to the human, which is not on the scale of fail, pass`: second(agreement.Tabulate([]string{"Pass"}, []string{"pass"}, "fail", "pass")),
		"the scale has 2, expected labels that can be told apart, each once":     second(agreement.Tabulate([]int{1}, []int{1}, 1, 2, 2)),
		"the scale has NaN":                     second(agreement.Tabulate([]float64{math.NaN()}, []float64{1})),
		"row 1 of the table has 1 counts":       second(agreement.Table{Counts: [][]int{{1, 2}, {3}}}.Kappa()),
		"row 0, column 1 of the table is -2":    second(agreement.Table{Counts: [][]int{{1, -2}, {3, 4}}}.MCC()),
		"the table has 1 categories and 2 rows": second(agreement.Table{Categories: []string{"a"}, Counts: [][]int{{1, 2}, {3, 4}}}.Agreement()),
	} {
		if err == nil || !strings.Contains(err.Error(), want) || errors.Is(err, agreement.ErrUndefined) {
			t.Errorf("got %v, want an error that has %q", err, want)
		}
	}
}

// second is the error of a call.
func second[V any](_ V, err error) error { return err }

func TestNothingIsUndefined(t *testing.T) {
	var none agreement.Table
	for name, err := range map[string]error{
		"agreement": second(none.Agreement()), "kappa": second(none.Kappa()), "maximum": second(none.KappaMax()),
		"error": second(none.KappaError(agreement.Linear, 0.95)), "mcc": second(none.MCC()),
		"TPR": second(agreement.Confusion{}.TPR()), "informedness": second(agreement.Confusion{}.Informedness()),
		"PABAK": second(agreement.Confusion{}.PABAK()), "balanced": second(agreement.Confusion{TP: 3}.BalancedAccuracy()),
	} {
		if !errors.Is(err, agreement.ErrUndefined) {
			t.Errorf("%s of nothing: got %v, want ErrUndefined", name, err)
		}
	}
}

// The counts of a table are all labels, and its margins those of each rater.
func TestTableCountsAll(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		human, judge := drawLabels(r)
		table := tabulate(t, human, judge, 0, 1, 2, 3)
		if table.N() != len(human) {
			r.Fatalf("%d items in the table, want %d", table.N(), len(human))
		}
		h, j := table.Margins()
		for c := range 4 {
			if h[c] != count(human, c) || j[c] != count(judge, c) {
				r.Fatalf("margins %v and %v are not those of %v and %v", h, j, human, judge)
			}
		}
	})
}

func count(labels []int, label int) (n int) {
	for _, l := range labels {
		if l == label {
			n++
		}
	}
	return n
}

// drawLabels draws labels from 0 to 3 of two raters.
func drawLabels(r *rapid.T) (human, judge []int) {
	n := rapid.IntRange(1, 40).Draw(r, "items")
	human = rapid.SliceOfN(rapid.IntRange(0, 3), n, n).Draw(r, "human")
	judge = rapid.SliceOfN(rapid.IntRange(0, 3), n, n).Draw(r, "judge")
	return human, judge
}
