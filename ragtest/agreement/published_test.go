package agreement_test

import (
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/ragomega/ragomega/ragtest/agreement"
)

// figure is a statistic in print.
type figure struct {
	ID         string  `json:"id"`
	Kind       string  `json:"kind"`
	Input      printed `json:"input"`
	Expected   any     `json:"expected"`
	Recomputed any     `json:"recomputed"` // with more digits
	Tolerance  float64 `json:"tolerance"`
}

// printed is the input of a figure, one of these.
type printed struct {
	Table   [][]int
	Weights string
	Y1, Y2  []any

	Raters  [][]*float64
	Yes     []int `json:"units_by_yes_of_3"`
	CSV     string
	Columns []string

	Ratings [][]int // units of the categories that raters chose
	Counts  [][]int

	TP, FP, FN, TN int
	N, Agree       int
	V2             int `json:"v2_agree"`
	Cuts           []float64
}

// published has a function for each kind of figure. It returns what is printed, and
// what is recomputed where that is more.
var published = map[string]func(t *testing.T, in printed) any{
	"cohen-kappa":    func(t *testing.T, in printed) any { return orUndefined(in.table(t).Kappa()) },
	"weighted-kappa": func(t *testing.T, in printed) any { return orUndefined(in.table(t).WeightedKappa(weights[in.Weights])) },
	"scott-pi": func(t *testing.T, in printed) any {
		human, judge := apart(in.table(t))
		return valueOf(agreement.ScottPi([][]float64{human, judge}, []float64{0, 1, 2}))
	},
	"gwet-ac1": func(t *testing.T, in printed) any {
		human, judge := apart(in.table(t))
		return valueOf(agreement.AC1([][]float64{human, judge}, []float64{0, 1, 2}))
	},
	"fleiss": func(_ *testing.T, in printed) any {
		counts := make([][]int, len(in.Ratings))
		for i, unit := range in.Ratings {
			counts[i] = make([]int, 5)
			for _, category := range unit {
				counts[i][category-1]++
			}
		}
		return orUndefined(agreement.Fleiss(counts))
	},
	"fleiss-and-free-marginal": func(_ *testing.T, in printed) any {
		return map[string]any{"fixed": orUndefined(agreement.Fleiss(in.Counts)), "free": orUndefined(agreement.Randolph(in.Counts))}
	},
	"krippendorff-nominal":  alphaAt(agreement.NominalLevel),
	"krippendorff-ordinal":  alphaAt(agreement.OrdinalLevel),
	"krippendorff-interval": alphaAt(agreement.IntervalLevel),
	"calibration": func(_ *testing.T, in printed) any {
		if in.N > 0 { // how the agreement divides is not printed, and does not matter
			return map[string]any{
				"v1":     orUndefined(agreement.Confusion{TP: in.Agree - 9, TN: 9, FP: in.FP, FN: in.FN}.Accuracy()),
				"v1_TPR": orUndefined(agreement.Confusion{TP: in.Agree - 9, TN: 9, FP: in.FP, FN: in.FN}.TPR()),
				"v2":     orUndefined(agreement.Confusion{TP: in.V2, FN: in.N - in.V2}.Accuracy()),
			}
		}
		c := agreement.Confusion{TP: in.TP, FP: in.FP, FN: in.FN, TN: in.TN}
		return map[string]any{
			"agreement": orUndefined(c.Table().Agreement()), "kappa": orUndefined(c.Table().Kappa()),
			"TPR": orUndefined(c.TPR()), "TNR": orUndefined(c.TNR()), "precision": orUndefined(c.Precision()), "F1": orUndefined(c.F1()),
		}
	},
	"correlation": func(t *testing.T, in printed) any {
		columns := column(t, in.CSV, in.Columns...)
		table, err := agreement.Tabulate(columns[0], columns[1], -2, -1, 0, 1, 2)
		if err != nil {
			t.Fatal(err)
		}
		percent := func(c agreement.Correlation, err error) any { return orUndefined(100*c.R, err) }
		return map[string]any{
			"pearson": percent(agreement.Pearson(columns[0], columns[1])), "spearman": percent(agreement.Spearman(columns[0], columns[1])),
			"kappa":           orUndefined(table.Kappa()),
			"kappa_linear":    orUndefined(table.WeightedKappa(agreement.Linear)),
			"kappa_quadratic": orUndefined(table.WeightedKappa(agreement.Quadratic)),
			"alpha_ordinal":   orUndefined(agreement.Alpha(columns, agreement.OrdinalLevel)),
			"alpha_interval":  orUndefined(agreement.Alpha(columns, agreement.IntervalLevel)),
		}
	},
	"labels": func(t *testing.T, in printed) any {
		bands := []any{"<0 " + agreement.LandisKoch(math.Nextafter(in.Cuts[0], -1)).Name}
		for i, low := range in.Cuts[1:] {
			low, high := in.Cuts[i], low
			above := low + 0.01
			if i == 0 {
				above = low // which is named with the band above it
			}
			if a, b := agreement.LandisKoch(above), agreement.LandisKoch(high); a != b {
				t.Errorf("%v is %v and %v is %v", above, a, high, b)
			}
			bands = append(bands, fmt.Sprintf("%s-%s %s", short(above), short(high), agreement.LandisKoch(high).Name))
		}
		return bands
	},
}

// short is a number as in print: ".20".
func short(x float64) string {
	if x == 0 || x == 1 {
		return fmt.Sprint(x)
	}
	return strings.TrimPrefix(fmt.Sprintf("%.2f", x), "0")
}

func (in printed) table(t *testing.T) agreement.Table {
	if in.Table != nil {
		return agreement.Table{Counts: in.Table}
	}
	text := func(labels []any) (all []string) {
		for _, l := range labels {
			all = append(all, fmt.Sprint(l))
		}
		return all
	}
	table, err := agreement.Tabulate(text(in.Y1), text(in.Y2))
	if err != nil {
		t.Fatal(err)
	}
	return table
}

func alphaAt(level agreement.Level) func(t *testing.T, in printed) any {
	return func(t *testing.T, in printed) any {
		matrix := filled(in.Raters)
		if in.CSV != "" {
			matrix = column(t, in.CSV, "wid_0", "wid_1", "wid_2")
		}
		for yes, units := range in.Yes {
			for range units {
				for len(matrix) < 3 {
					matrix = append(matrix, nil)
				}
				for g := range matrix {
					rating := 0.0
					if g < yes {
						rating = 1
					}
					matrix[g] = append(matrix[g], rating)
				}
			}
		}
		return orUndefined(agreement.Alpha(matrix, level))
	}
}

// column reads columns of numbers, Missing where there is none.
func column(t *testing.T, file string, names ...string) [][]float64 {
	t.Helper()
	f, err := os.Open(filepath.Join("testdata", file))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	columns := make([][]float64, len(names))
	for i, name := range names {
		at := slices.Index(rows[0], name)
		for _, row := range rows[1:] {
			value := agreement.Missing
			if row[at] != "" {
				if value, err = strconv.ParseFloat(row[at], 64); err != nil {
					t.Fatal(err)
				}
			}
			columns[i] = append(columns[i], value)
		}
	}
	return columns
}

func TestPublished(t *testing.T) {
	text, err := os.ReadFile("testdata/published.json")
	if err != nil {
		t.Fatal(err)
	}
	var figures []figure
	if err := json.Unmarshal(text, &figures); err != nil {
		t.Fatal(err)
	}
	for _, f := range figures {
		t.Run(f.ID, func(t *testing.T) {
			compute, ok := published[f.Kind]
			if !ok {
				t.Fatalf("no figure of the kind %q", f.Kind)
			}
			got := compute(t, f.Input)
			if f.Expected == "undefined" {
				if err, ok := got.(error); !ok || !errors.Is(err, agreement.ErrUndefined) {
					t.Errorf("got %v, want ErrUndefined", got)
				}
				return
			}
			meets(t, f.Expected, got, f.Tolerance)
			// Those of names were rounded to 6 digits.
			if _, named := f.Recomputed.(map[string]any); named {
				meets(t, f.Recomputed, got, 5.1e-7)
			} else if f.Recomputed != nil {
				meets(t, f.Recomputed, got, 1e-12)
			}
		})
	}
}

// meets holds figures against those that are expected, to an absolute tolerance.
func meets(t *testing.T, want, got any, tolerance float64) {
	t.Helper()
	switch want := want.(type) {
	case map[string]any:
		for name, w := range want {
			value, ok := got.(map[string]any)[name]
			if !ok {
				t.Errorf("%s was not computed", name)
				continue
			}
			meets(t, w, value, tolerance)
		}
	case float64:
		if g, ok := got.(float64); !ok || !(math.Abs(g-want) <= tolerance) {
			t.Errorf("got %v, want %v", got, want)
		}
	default:
		compare(t, "", want, got, 0)
	}
}

// The vignette of irrCAC prints the standard errors of two abstractors, too. Its
// functions of tables divide by the units, those of ratings by one less.
func TestAbstractors(t *testing.T) {
	table := agreement.Table{Counts: [][]int{{13, 0, 0}, {0, 20, 7}, {0, 4, 56}}}
	kappa, err := table.KappaError(agreement.Unweighted, 0.95)
	if err != nil {
		t.Fatal(err)
	}
	meets(t, 0.05891072, kappa.SE, 5e-9)
	human, judge := apart(table)
	for want, compute := range map[float64]func([][]float64, []float64) (agreement.Coefficient, error){
		0.05905473: agreement.ScottPi, 0.05891072: agreement.Conger,
	} {
		c, err := compute([][]float64{human, judge}, []float64{0, 1, 2})
		if err != nil {
			t.Fatal(err)
		}
		se, err := c.SE()
		meets(t, want, orUndefined(se*math.Sqrt(99.0/100), err), 5e-9)
	}
}

// A judge that calls nearly all pass agrees with 91 % of labels of which 94 % are,
// and catches none of the failures.
func TestAgreementByPrevalence(t *testing.T) {
	c := agreement.Confusion{TP: 91, FN: 3, FP: 6, TN: 0} // positive: pass
	table := c.Table()
	human, judge := apart(table)
	for _, x := range []struct {
		name      string
		got       any
		want, tol float64
	}{
		{"agreement", orUndefined(table.Agreement()), 0.91, 1e-12},
		{"TNR", orUndefined(c.TNR()), 0, 0},
		{"kappa", orUndefined(table.Kappa()), -0.042, 5e-4},
		{"MCC", orUndefined(table.MCC()), -0.044, 5e-4},
		{"alpha", orUndefined(agreement.Alpha([][]float64{human, judge}, agreement.NominalLevel)), -0.042, 5e-3},
		{"AC1", valueOf(agreement.AC1([][]float64{human, judge}, []float64{0, 1})), 0.902, 5e-4},
		{"PABAK", orUndefined(c.PABAK()), 0.82, 1e-12},
	} {
		if got, ok := x.got.(float64); !ok || math.Abs(got-x.want) > x.tol {
			t.Errorf("%s is %v, want %v", x.name, x.got, x.want)
		}
	}
}

// apart returns the labels of a table as the numbers of the categories.
func apart(t agreement.Table) (human, judge []float64) {
	for i, row := range t.Counts {
		for j, n := range row {
			for range n {
				human, judge = append(human, float64(i)), append(judge, float64(j))
			}
		}
	}
	return human, judge
}

// A judge that is a point too high never agrees. Weights that grow with the
// distance forgive it, and a rank correlation sees nothing.
func TestJudgeOnePointTooHigh(t *testing.T) {
	var human, judge []int
	for score := 1; score <= 4; score++ {
		for range 5 {
			human, judge = append(human, score), append(judge, score+1)
		}
	}
	table := tabulate(t, human, judge, 1, 2, 3, 4, 5)
	for _, x := range []struct {
		name      string
		got       any
		want, tol float64
	}{
		{"agreement", orUndefined(table.Agreement()), 0, 0},
		{"kappa", orUndefined(table.Kappa()), -0.23, 5e-3},
		{"quadratic kappa", orUndefined(table.WeightedKappa(agreement.Quadratic)), 0.71, 5e-3},
		{"rank correlation", spearman(human, judge), 1, 1e-12},
	} {
		if got, ok := x.got.(float64); !ok || math.Abs(got-x.want) > x.tol {
			t.Errorf("%s is %v, want %v", x.name, x.got, x.want)
		}
	}
}

func spearman(human, judge []int) any {
	c, err := agreement.Spearman(floats(human), floats(judge))
	return orUndefined(c.R, err)
}

// The same agreement of 85 % gives a kappa of 0.70 where the labels are balanced,
// and of 0.32 where 90 % are alike (Feinstein and Cicchetti, High Agreement but Low
// Kappa, 1990).
func TestKappaDependsOnPrevalence(t *testing.T) {
	for want, counts := range map[float64][][]int{0.70: {{40, 9}, {6, 45}}, 0.32: {{80, 10}, {5, 5}}} {
		table := agreement.Table{Counts: counts}
		meets(t, 0.85, orUndefined(table.Agreement()), 1e-12)
		meets(t, want, orUndefined(table.Kappa()), 5e-3)
	}
}
