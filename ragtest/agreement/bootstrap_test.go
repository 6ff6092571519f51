package agreement_test

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/ragomega/ragomega/ragtest/agreement"
	"pgregory.net/rapid"
)

func init() {
	stats["bootstrap_ci"] = bootstrapVector
	// The expectation counts equal sums as smaller where they were added in
	// another order. The ends are those of ties that count half.
	conventions["bootstrap_ci/mean_diff_90ci"] = map[string]any{
		"percentile": map[string]any{"low": 0.04845000000000003, "high": 0.12352500000000002},
		"basic":      map[string]any{"low": 0.04447499999999996, "high": 0.11954999999999996},
		"se":         0.022349743541982863,
		"theta":      0.08399999999999999,
		"bca":        map[string]any{"low": 0.04508679812852362, "high": 0.11642552304464487},
	}
}

// kappaOf is the agreement of two raters on a table of the categories from 0 to
// k-1 beyond chance, with the weights of disagreement of their distance.
func kappaOf(a, b []int, k int, weight func(distance float64) float64) func(at []int) (float64, error) {
	counts, rows, columns := make([]float64, k*k), make([]float64, k), make([]float64, k)
	return func(at []int) (float64, error) {
		clear(counts)
		clear(rows)
		clear(columns)
		for _, i := range at {
			counts[a[i]*k+b[i]]++
		}
		for i, n := range counts {
			rows[i/k] += n
			columns[i%k] += n
		}
		observed, expected := 0.0, 0.0
		for i, n := range counts {
			w := weight(math.Abs(float64(i/k - i%k)))
			observed += w * n
			expected += w * rows[i/k] * columns[i%k] / float64(len(at))
		}
		if expected == 0 {
			return 0, fmt.Errorf("kappa: %w", agreement.ErrUndefined)
		}
		return 1 - observed/expected, nil
	}
}

func unweighted(distance float64) float64 { return min(distance, 1) }

func bootstrapVector(t *testing.T, v vector) (map[string]any, error) {
	var p struct {
		Statistic  string
		Confidence float64
		Weights    string
		Labels     []float64
	}
	var in struct {
		Data      [2][]float64
		Resamples [][]int `json:"resample_indices"`
	}
	v.read(t, &p, &in)
	a, b := in.Data[0], in.Data[1]
	var statistic func(at []int) (float64, error)
	switch p.Statistic {
	case "cohen_kappa":
		var categories [2][]int
		for rater, labels := range in.Data {
			for _, l := range labels {
				categories[rater] = append(categories[rater], slices.Index(p.Labels, l))
			}
		}
		weight := map[string]func(float64) float64{
			"":          unweighted,
			"linear":    func(d float64) float64 { return d },
			"quadratic": func(d float64) float64 { return d * d },
		}[p.Weights]
		statistic = kappaOf(categories[0], categories[1], len(p.Labels), weight)
	case "mean_difference":
		statistic = func(at []int) (float64, error) {
			sum := 0.0
			for _, i := range at {
				sum += b[i] - a[i]
			}
			return sum / float64(len(at)), nil
		}
	case "spearman":
		statistic = func(at []int) (float64, error) {
			var x, y []float64
			for _, i := range at {
				x, y = append(x, a[i]), append(y, b[i])
			}
			c, err := agreement.Spearman(x, y)
			return c.R, err
		}
	default:
		t.Fatalf("no statistic %q", p.Statistic)
	}

	boot := agreement.Bootstrap{Confidence: p.Confidence}
	all := make([]int, len(a))
	for i := range all {
		all[i] = i
	}
	theta, err := statistic(all)
	if err != nil {
		return nil, err
	}
	bca, err := boot.IntervalOf(len(a), in.Resamples, statistic)
	if err != nil {
		return nil, err
	}
	boot.Percentile = true
	percentile, err := boot.IntervalOf(len(a), in.Resamples, statistic)
	if err != nil {
		return nil, err
	}
	var drawn []any
	var defined []float64
	for _, at := range in.Resamples {
		value, err := statistic(at)
		drawn = append(drawn, orUndefined(value, err))
		if err == nil {
			defined = append(defined, value)
		}
	}
	left := make([]any, len(all))
	for i := range all {
		left[i] = orUndefined(statistic(slices.Delete(slices.Clone(all), i, i+1)))
	}
	mean, square := 0.0, 0.0
	for _, x := range defined {
		mean += x / float64(len(defined))
	}
	for _, x := range defined {
		square += (x - mean) * (x - mean)
	}
	got := map[string]any{
		"theta":        theta,
		"distribution": drawn,
		"jackknife":    left,
		"percentile":   map[string]any{"low": percentile.Low, "high": percentile.High},
		"basic":        map[string]any{"low": 2*theta - percentile.High, "high": 2*theta - percentile.Low},
		"bca":          map[string]any{"low": bca.Low, "high": bca.High},
		"se":           math.Sqrt(square / float64(len(defined)-1)),
		"n_undefined":  bca.Undefined,
	}
	if bca.Method == "percentile" {
		if bca.Low != percentile.Low || bca.High != percentile.High {
			t.Errorf("got %v in place of BCa, want the percentiles %v", bca, percentile)
		}
		none := fmt.Errorf("BCa: %w", agreement.ErrUndefined)
		got["bca"] = map[string]any{"low": none, "high": none}
	}
	return got, nil
}

// The same seed draws the same, another one something else, and the figures are
// laid down.
func TestBootstrapIsReproducible(t *testing.T) {
	d := []float64{0.1, -0.2, 0.4, 0.3, 0, 0.9, 0.2, -0.1}
	zero := make([]float64, len(d))
	first, err := agreement.Bootstrap{Seed: 7}.Difference(zero, d)
	if err != nil {
		t.Fatal(err)
	}
	if again, _ := (agreement.Bootstrap{Seed: 7}).Difference(zero, d); again != first {
		t.Errorf("got %+v, then %+v", first, again)
	}
	if other, _ := (agreement.Bootstrap{Seed: 8, Draws: 50}).Difference(zero, d); other.Low == first.Low && other.High == first.High {
		t.Errorf("got %v with another seed too", other)
	}
	if first.Method != "BCa" || first.Draws != 2000 || first.Confidence != 0.95 || first.Undefined != 0 || first.Degenerate {
		t.Errorf("got %+v", first)
	}
}

func TestBootstrapFallsBack(t *testing.T) {
	labels := func(n int, ones ...int) []int {
		l := make([]int, n)
		for _, i := range ones {
			l[i] = 1
		}
		return l
	}
	perfect := labels(20, 0, 1, 2, 3, 4, 5, 6, 7, 8)
	i, err := agreement.Bootstrap{}.Interval(20, kappaOf(perfect, perfect, 2, unweighted))
	if err != nil || i.Method != "percentile" || !i.Degenerate || i.Low != 1 || i.High != 1 {
		t.Errorf("got %+v, %v where nothing varies", i, err)
	}
	// Without the only 1 kappa is undefined, and so it is in draws without it.
	one := labels(20, 3)
	i, err = agreement.Bootstrap{}.Interval(20, kappaOf(one, one, 2, unweighted))
	if err != nil || i.Method != "percentile" || i.Undefined < 500 || i.Undefined > 900 || i.Doubtful() == "" {
		t.Errorf("got %+v, %v where draws are undefined", i, err)
	}
	_, err = agreement.Bootstrap{}.Interval(20, kappaOf(labels(20), labels(20), 2, unweighted))
	if !errors.Is(err, agreement.ErrUndefined) {
		t.Errorf("got %v of an undefined statistic", err)
	}
	// The largest value is above all draws, or equal to them.
	largest := func(at []int) (float64, error) { return float64(slices.Max(at)), nil }
	if i, err = (agreement.Bootstrap{}).Interval(5, largest); err != nil || i.High != 4 {
		t.Errorf("got %+v, %v", i, err)
	}
	beyond := func(at []int) (float64, error) {
		if slices.IsSorted(at) && len(slices.Compact(slices.Clone(at))) >= 4 {
			return 9, nil // only of all, or of all but one
		}
		return float64(at[0]), nil
	}
	if i, err = (agreement.Bootstrap{Seed: 3, Draws: 20}).Interval(5, beyond); err != nil || i.Method != "percentile" {
		t.Errorf("got %+v, %v where all draws are on one side", i, err)
	}
}

// Items of a cluster are drawn together.
func TestBootstrapClusters(t *testing.T) {
	clusters := []int{9, 4, 9, 4, 4}
	seen := map[int]bool{}
	i, err := agreement.Bootstrap{Clusters: clusters}.Interval(5, func(at []int) (float64, error) {
		count := make([]int, 5)
		for _, i := range at {
			count[i]++
		}
		if count[0] != count[2] || count[1] != count[3] || count[3] != count[4] {
			t.Fatalf("drew %v", at)
		}
		seen[len(at)] = true
		return float64(count[0]), nil
	})
	if err != nil || i.Low != 0 || i.High != 2 {
		t.Errorf("got %+v, %v", i, err)
	}
	for _, n := range []int{2, 3, 4, 5, 6} { // one alone in the jackknife, or two drawn
		if !seen[n] {
			t.Errorf("no draw of %d items: %v", n, seen)
		}
	}
	if _, err := (agreement.Bootstrap{Clusters: []int{1, 1, 1}}).Interval(3, nil); !errors.Is(err, agreement.ErrUndefined) {
		t.Errorf("got %v for one cluster, want ErrUndefined", err)
	}
}

func TestBootstrapRefuses(t *testing.T) {
	one := func([]int) (float64, error) { return 1, nil }
	broken := errors.New("broken")
	for name, refused := range map[string]func() error{
		"confidence": func() error { _, err := agreement.Bootstrap{Confidence: 95}.Interval(3, one); return err },
		"draws":      func() error { _, err := agreement.Bootstrap{Draws: -1}.Interval(3, one); return err },
		"clusters":   func() error { _, err := agreement.Bootstrap{Clusters: []int{1}}.Interval(3, one); return err },
		"negative":   func() error { _, err := agreement.Bootstrap{}.Interval(-3, one); return err },
		"NaN": func() error {
			_, err := agreement.Bootstrap{}.Interval(3, func([]int) (float64, error) { return math.NaN(), nil })
			return err
		},
		"lengths": func() error {
			_, err := agreement.Bootstrap{}.Difference(make([]float64, 3), make([]float64, 4))
			return err
		},
		"no number": func() error {
			_, err := agreement.Bootstrap{}.Difference([]float64{1, math.NaN()}, []float64{1, 2})
			return err
		},
	} {
		if err := refused(); err == nil || errors.Is(err, agreement.ErrUndefined) {
			t.Errorf("%s: got %v, want an error of the call", name, err)
		}
	}
	_, err := agreement.Bootstrap{}.Interval(3, func(at []int) (float64, error) {
		if at[0] != 0 {
			return 0, broken
		}
		return 1, nil
	})
	if !errors.Is(err, broken) {
		t.Errorf("got %v, want the error of the statistic", err)
	}
	for n := range 2 {
		if _, err := (agreement.Bootstrap{}).Interval(n, one); !errors.Is(err, agreement.ErrUndefined) {
			t.Errorf("got %v for %d items, want ErrUndefined", err, n)
		}
	}
}

// The interval of a mean lies within the values, and its lower end below the
// upper one; that of more confidence holds it.
func TestBootstrapProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := rapid.SliceOfN(rapid.Float64Range(-10, 10), 2, 15).Draw(t, "x")
		b := agreement.Bootstrap{Draws: 200, Seed: rapid.Uint64().Draw(t, "seed"), Percentile: rapid.Bool().Draw(t, "percentile")}
		i, err := b.Difference(make([]float64, len(x)), x)
		if err != nil {
			t.Fatal(err)
		}
		if !(slices.Min(x)-1e-9 <= i.Low && i.Low <= i.High && i.High <= slices.Max(x)+1e-9) {
			t.Fatalf("got %+v", i)
		}
		b.Confidence = 0.99
		wider, err := b.Difference(make([]float64, len(x)), x)
		if err != nil || wider.Low > i.Low || wider.High < i.High {
			t.Fatalf("got %+v of 99 %% and %+v of 95 %%, %v", wider, i, err)
		}
	})
}

func BenchmarkKappaInterval(b *testing.B) {
	human, judge := make([]int, 1000), make([]int, 1000)
	for i := range human {
		human[i], judge[i] = min(i%5, 1), min(i%7, 1)
	}
	kappa := kappaOf(human, judge, 2, unweighted)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := (agreement.Bootstrap{}).Interval(len(human), kappa); err != nil {
			b.Fatal(err)
		}
	}
}
