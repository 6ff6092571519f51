package agreement_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/ragomega/ragomega/ragtest/agreement"
	"pgregory.net/rapid"
)

var levels = map[string]agreement.Level{
	"nominal": agreement.NominalLevel, "ordinal": agreement.OrdinalLevel, "interval": agreement.IntervalLevel, "ratio": agreement.RatioLevel,
}

func init() {
	stats["krippendorff_alpha"] = func(t *testing.T, v vector) (map[string]any, error) {
		var params struct {
			Level  string
			Domain []float64 `json:"value_domain"`
		}
		var in ratings
		v.read(t, &params, &in)
		level, ok := levels[params.Level]
		if !ok {
			t.Fatalf("no level %q", params.Level)
		}
		alpha, err := agreement.Alpha(in.matrix(), level, params.Domain...)
		return map[string]any{"alpha": alpha}, err
	}
}

// fourCoders are the ratings of Krippendorff's example, of 12 units.
func fourCoders() [][]float64 {
	m := agreement.Missing
	return [][]float64{
		{1, 2, 3, 3, 2, 1, 4, 1, 2, m, m, m},
		{1, 2, 3, 3, 2, 2, 4, 1, 2, 5, m, 3},
		{m, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, m},
		{1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, m},
	}
}

// An ordinal distance counts ratings, not places of values, which would give 0.789.
func TestAlphaLevels(t *testing.T) {
	for level, want := range map[agreement.Level]float64{
		agreement.NominalLevel: 0.743, agreement.OrdinalLevel: 0.815, agreement.IntervalLevel: 0.849, agreement.RatioLevel: 0.797,
	} {
		if got, err := agreement.Alpha(fourCoders(), level); err != nil || math.Abs(got-want) > 5e-4 {
			t.Errorf("alpha at level %d is %v, %v, want %v", level, got, err, want)
		}
	}
}

// One dissent among many ratings leaves alpha at 0. Percent agreement, the shares
// of the labels and an interval say why.
func TestAlphaOfOneDissent(t *testing.T) {
	human, judge := make([]float64, 25), make([]float64, 25)
	judge[7] = 1
	alpha, err := agreement.Alpha([][]float64{human, judge}, agreement.NominalLevel)
	if err != nil || math.Abs(alpha) > 1e-12 {
		t.Errorf("alpha is %v, %v, want 0", alpha, err)
	}
	table, err := agreement.Tabulate(human, judge)
	if err != nil {
		t.Fatal(err)
	}
	if share, err := table.Agreement(); err != nil || share != 0.96 {
		t.Errorf("agreement is %v, %v, want 0.96", share, err)
	}
	if h, j := table.Margins(); h[0] != 25 || j[0] != 24 || j[1] != 1 {
		t.Errorf("the labels are %v and %v", h, j)
	}
	i, err := agreement.AlphaInterval([][]float64{human, judge}, agreement.NominalLevel, agreement.Bootstrap{Percentile: true})
	if err != nil || i.Undefined == 0 || i.Doubtful() == "" || !(i.Low <= alpha+1e-12 && alpha <= i.High+1e-12) {
		t.Errorf("interval %v with %d of %d draws undefined (%q), %v; want one around 0 that is doubtful", i, i.Undefined, i.Draws, i.Doubtful(), err)
	}
}

// 5 raters of 10,000 units agree in 80 %, else by chance on 5 values. Alpha is
// near the 0.64 that pairs of them agree beyond chance.
func TestAlphaOfManyUnits(t *testing.T) {
	matrix := noisy(5, 10_000, func(r *rand.Rand) float64 { return float64(r.IntN(5)) })
	for level := range 4 {
		if got, err := agreement.Alpha(matrix, agreement.Level(level)); err != nil || math.Abs(got-0.64) > 0.02 {
			t.Errorf("alpha at level %d is %v, %v, want about 0.64", level, got, err)
		}
	}
}

// noisy are ratings that are the unit's own value in 80 % of cases, else any.
func noisy(raters, units int, value func(*rand.Rand) float64) [][]float64 {
	r := rand.New(rand.NewPCG(1, 2))
	matrix := make([][]float64, raters)
	for range units {
		own := value(r)
		for g := range matrix {
			if r.IntN(5) == 0 {
				matrix[g] = append(matrix[g], value(r))
			} else {
				matrix[g] = append(matrix[g], own)
			}
		}
	}
	return matrix
}

func TestAlphaRefuses(t *testing.T) {
	for want, err := range map[string]error{
		"rater 1 has 1 ratings and rater 0 has 2":                             second(agreement.Alpha([][]float64{{1, 2}, {1}}, agreement.NominalLevel)),
		"rater 0 gives unit 1 the rating 6, expected one of [1 2 3]":          second(agreement.Alpha([][]float64{{1, 6}, {1, 2}}, agreement.NominalLevel, 1, 2, 3)),
		"rater 1 gives unit 0 the rating -1, expected a number from 0":        second(agreement.Alpha([][]float64{{1, 6}, {-1, 2}}, agreement.RatioLevel)),
		"rater 0 gives unit 0 the rating +Inf, expected a number":             second(agreement.Alpha([][]float64{{math.Inf(1)}, {1}}, agreement.NominalLevel)),
		"ratings from -1e+200 to 1e+200 are no numbers":                       second(agreement.Alpha([][]float64{{1e200, 1}, {-1e200, 1}}, agreement.IntervalLevel)),
		"the confidence is 2, expected a number between 0 and 1 such as 0.95": second(agreement.AlphaInterval(fourCoders(), agreement.NominalLevel, agreement.Bootstrap{Confidence: 2})),
	} {
		if err == nil || !strings.Contains(err.Error(), want) || errors.Is(err, agreement.ErrUndefined) {
			t.Errorf("got %v, want an error that has %q", err, want)
		}
	}
}

// The interval is of the units, and holds the estimate.
func TestAlphaInterval(t *testing.T) {
	i, err := agreement.AlphaInterval(fourCoders(), agreement.OrdinalLevel, agreement.Bootstrap{})
	if err != nil || !(i.Low < 0.815 && 0.815 < i.High && i.High <= 1) || i.Degenerate {
		t.Errorf("got %v, %v", i, err)
	}
	again, err := agreement.AlphaInterval(fourCoders(), agreement.OrdinalLevel, agreement.Bootstrap{})
	if err != nil || again != i {
		t.Errorf("got %v, %v the second time, want %v", again, err, i)
	}
	if _, err := agreement.AlphaInterval([][]float64{{1, 1}, {1, 1}}, agreement.NominalLevel, agreement.Bootstrap{}); !errors.Is(err, agreement.ErrUndefined) {
		t.Errorf("got %v of ratings of one value, want ErrUndefined", err)
	}
}

// The order of the units and of the raters does not matter, nor units with one
// rating. Alpha is at most 1, and 1 for full agreement on two values.
func TestAlphaProperties(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		matrix := drawRatings(r)
		level := agreement.Level(rapid.IntRange(0, 3).Draw(r, "level"))
		one, err := agreement.Alpha(matrix, level)
		other, err2 := agreement.Alpha(shuffled(r, matrix), level)
		same(r, one, err, other, err2)
		if err == nil && one > 1 {
			r.Fatalf("alpha is %v", one)
		}

		more := make([][]float64, len(matrix))
		for g := range matrix {
			more[g] = append(append(more[g], matrix[g]...), agreement.Missing)
		}
		more[0][len(matrix[0])] = 3
		other, err2 = agreement.Alpha(more, level, 0, 1, 2, 3)
		same(r, one, err, other, err2)

		full, err := agreement.Alpha([][]float64{matrix[0], matrix[0]}, level)
		if err == nil && full != 1 || err != nil && !errors.Is(err, agreement.ErrUndefined) {
			r.Fatalf("alpha of full agreement is %v, %v", full, err)
		}
	})
}

// Alpha is 1 less the mean squared distance of ratings of a unit over that of any
// two ratings. It is the same whether the pairs are counted or gone through.
func TestAlphaPairByPair(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		matrix := drawRatings(r)
		level := agreement.Level(rapid.IntRange(0, 3).Draw(r, "level"))
		got, err := agreement.Alpha(matrix, level)
		want, ok := pairByPair(matrix, level)
		if ok != (err == nil) || ok && !(math.Abs(got-want) < 1e-9) {
			r.Fatalf("got %v, %v, want %v, %v", got, err, want, ok)
		}
	})
}

func pairByPair(matrix [][]float64, level agreement.Level) (float64, bool) {
	var units [][]float64
	var all []float64
	for i := range matrix[0] {
		var unit []float64
		for g := range matrix {
			if !math.IsNaN(matrix[g][i]) {
				unit = append(unit, matrix[g][i])
			}
		}
		if len(unit) > 1 {
			units, all = append(units, unit), append(all, unit...)
		}
	}
	distance := func(a, b float64) float64 {
		a, b = min(a, b), max(a, b)
		switch {
		case a == b:
			return 0
		case level == agreement.NominalLevel:
			return 1
		case level == agreement.IntervalLevel:
			return b - a
		case level == agreement.RatioLevel:
			return (b - a) / (b + a)
		}
		between := 0.0
		for _, v := range all {
			switch {
			case v == a || v == b:
				between += 0.5
			case a < v && v < b:
				between++
			}
		}
		return between
	}
	observed, expected := 0.0, 0.0
	for _, unit := range units {
		for i, a := range unit {
			for j, b := range unit {
				if i != j {
					observed += distance(a, b) * distance(a, b) / float64(len(unit)-1)
				}
			}
		}
	}
	for _, a := range all {
		for _, b := range all {
			expected += distance(a, b) * distance(a, b) / float64(len(all)-1)
		}
	}
	return 1 - observed/expected, expected > 0
}

// 10 raters of 10,000 units: with 5 values, and with one for each unit and each of
// 20,000 dissents.
func BenchmarkAlpha(b *testing.B) {
	for _, data := range []struct {
		name  string
		value func(*rand.Rand) float64
	}{
		{"5 values", func(r *rand.Rand) float64 { return float64(r.IntN(5)) }},
		{"all different", func(r *rand.Rand) float64 { return r.Float64() }},
	} {
		matrix := noisy(10, 10_000, data.value)
		for name, level := range levels {
			b.Run(data.name+"/"+name, func(b *testing.B) {
				for b.Loop() {
					if _, err := agreement.Alpha(matrix, level); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
