package agreement_test

import (
	"errors"
	"math"
	"testing"

	"github.com/ragomega/ragomega/ragtest/agreement"
	"pgregory.net/rapid"
)

func init() {
	stats["rogan_gladen"] = func(t *testing.T, v vector) (map[string]any, error) {
		var p struct{ Confidence float64 }
		var in struct {
			Human, Judge []int
			Unlabelled   []int   `json:"unlabeled_judge"`
			Resamples    [][]int `json:"resample_indices"`
		}
		v.read(t, &p, &in)
		confusion := func(at []int) (c agreement.Confusion) {
			for _, i := range at {
				switch {
				case in.Human[i] == 1 && in.Judge[i] == 1:
					c.TP++
				case in.Human[i] == 1:
					c.FN++
				case in.Judge[i] == 1:
					c.FP++
				default:
					c.TN++
				}
			}
			return c
		}
		var all []int
		for i := range in.Human {
			all = append(all, i)
		}
		passes := 0
		for _, v := range in.Unlabelled {
			passes += v
		}
		c, err := agreement.RoganGladen(confusion(all), passes, len(in.Unlabelled))
		if err != nil {
			return nil, err
		}
		var drawn []agreement.Confusion
		for _, at := range in.Resamples {
			drawn = append(drawn, confusion(at))
		}
		i, err := c.IntervalOf(p.Confidence, drawn)
		return map[string]any{
			"theta": c.Value, "theta_unclipped": c.Unclipped, "tpr": c.TPR, "tnr": c.TNR, "observed": c.Observed,
			"ci_low": i.Low, "ci_high": i.High,
		}, err
	}
	stats["ppi_mean"] = func(t *testing.T, v vector) (map[string]any, error) {
		var p struct {
			Lambda      any `json:"lam"`
			Alpha       float64
			Alternative string
		}
		var in struct {
			Human, Judge []float64
			Unlabelled   []float64 `json:"unlabeled_judge"`
		}
		v.read(t, &p, &in)
		m, err := agreement.PPIMean(in.Human, in.Judge, in.Unlabelled)
		if lambda, ok := p.Lambda.(float64); ok {
			m, err = agreement.PPIMeanWith(lambda, in.Human, in.Judge, in.Unlabelled)
		}
		if err != nil {
			return nil, err
		}
		interval := map[string]func(float64) (agreement.Interval, error){"": m.Interval, "larger": m.LowerBound, "smaller": m.UpperBound}
		i, err := interval[p.Alternative](1 - p.Alpha)
		end := func(v float64) any {
			switch {
			case math.IsInf(v, 1):
				return "Infinity"
			case math.IsInf(v, -1):
				return "-Infinity"
			}
			return v
		}
		return map[string]any{"point": m.Mean, "ci_low": end(i.Low), "ci_high": end(i.High)}, err
	}
	// The judge says nothing, so the mean is the human's alone.
	conventions["ppi_mean/constant_judge/lam=tuned"] = map[string]any{
		"point": 0.6, "ci_low": 0.17059340550788227, "ci_high": 1.0294065944921176,
	}
}

func TestRoganGladenRefuses(t *testing.T) {
	for name, c := range map[string]struct {
		labels    agreement.Confusion
		passes, n int
	}{
		"no better than chance": {agreement.Confusion{TP: 7, FN: 3, TN: 3, FP: 7}, 5, 10},
		"worse than chance":     {agreement.Confusion{TP: 2, FN: 8, TN: 5, FP: 5}, 5, 10},
	} {
		_, err := agreement.RoganGladen(c.labels, c.passes, c.n)
		var uninformative agreement.UninformativeError
		if !errors.As(err, &uninformative) || !errors.Is(err, agreement.ErrUndefined) {
			t.Errorf("%s: got %v, want an UninformativeError", name, err)
		}
	}
	good := agreement.Confusion{TP: 9, FN: 1, TN: 8, FP: 2}
	for name, err := range map[string]error{
		"no items":      second(agreement.RoganGladen(good, 0, 0)),
		"no positives":  second(agreement.RoganGladen(agreement.Confusion{TN: 3}, 1, 2)),
		"no negatives":  second(agreement.RoganGladen(agreement.Confusion{TP: 3}, 1, 2)),
		"no rate":       second(agreement.CorrectedRate{}.LangReiczigel(0.95)),
		"no rate drawn": second(agreement.CorrectedRate{}.Bootstrap(agreement.Bootstrap{}, agreement.ResampleAll)),
		"nothing clear": second(agreement.Informative(agreement.Confusion{TP: 3}, 0.95)),
	} {
		if !errors.Is(err, agreement.ErrUndefined) {
			t.Errorf("%s: got %v, want ErrUndefined", name, err)
		}
	}
	c, err := agreement.RoganGladen(good, 7, 10)
	if err != nil {
		t.Fatal(err)
	}
	for name, err := range map[string]error{
		"more passes than items": second(agreement.RoganGladen(good, 11, 10)),
		"negative":               second(agreement.RoganGladen(agreement.Confusion{TP: -1}, 1, 10)),
		"confidence":             second(c.LangReiczigel(95)),
		"draws":                  second(c.Bootstrap(agreement.Bootstrap{Draws: -1}, agreement.ResampleAll)),
		"resampling":             second(c.Bootstrap(agreement.Bootstrap{}, 7)),
	} {
		if err == nil || errors.Is(err, agreement.ErrUndefined) {
			t.Errorf("%s: got %v, want an error of the call", name, err)
		}
	}
}

// 0.55 and 0.55 are better than chance on 20 labels of each class by luck; 0.9 and
// 0.85 are not.
func TestInformative(t *testing.T) {
	if ok, err := agreement.Informative(agreement.Confusion{TP: 11, FN: 9, TN: 11, FP: 9}, 0.95); ok || err != nil {
		t.Errorf("got %v, %v of a weak judge", ok, err)
	}
	labels := agreement.Confusion{TP: 18, FN: 2, TN: 17, FP: 3}
	if ok, err := agreement.Informative(labels, 0.95); !ok || err != nil {
		t.Errorf("got %v, %v of a good judge", ok, err)
	}
	i, err := agreement.InformednessInterval(labels, 0.95)
	if want, _ := agreement.NewcombeDifference(18, 20, 3, 20, 0.95); err != nil || i != want {
		t.Errorf("got %+v, %v; want %+v", i, err, want)
	}
}

// By hand, with z of 2: 72 of 104 is q', 19 of 22 and 18 of 22 are TPR' and TNR'.
func TestLangReiczigel(t *testing.T) {
	c, err := agreement.RoganGladen(agreement.Confusion{TP: 18, FN: 2, TN: 17, FP: 3}, 70, 100)
	if err != nil {
		t.Fatal(err)
	}
	i, err := c.LangReiczigel(2*agreement.NormalCDF(2) - 1)
	rate := (72.0/104 + 18.0/22 - 1) / (15.0 / 22)
	vp, vn := 19.0/22*3/22/22, 18.0/22*4/22/22
	shift := 8 * (rate*vp - (1-rate)*vn)
	half := 2 / (15.0 / 22) * math.Sqrt(72.0/104*32/104/104+rate*rate*vp+(1-rate)*(1-rate)*vn)
	if err != nil || math.Abs(i.Low-(rate+shift-half)) > 1e-9 || math.Abs(i.High-min(1, rate+shift+half)) > 1e-9 {
		t.Errorf("got %+v, %v; want %v to %v", i, err, rate+shift-half, rate+shift+half)
	}
}

// Both sets are drawn unless judgy's interval is asked for, which is narrower.
func TestRoganGladenBootstrap(t *testing.T) {
	c, err := agreement.RoganGladen(agreement.Confusion{TP: 72, FN: 8, TN: 17, FP: 3}, 37, 50)
	if err != nil {
		t.Fatal(err)
	}
	interval := func(r agreement.Resampling) agreement.Interval {
		i, err := c.Bootstrap(agreement.Bootstrap{Seed: 1}, r)
		if err != nil || !(i.Low <= c.Value && c.Value <= i.High) || i.Method != "percentile" || i.Draws != 2000 {
			t.Errorf("got %+v, %v about %v", i, err, c.Value)
		}
		if again, _ := c.Bootstrap(agreement.Bootstrap{Seed: 1}, r); again != i {
			t.Errorf("got %+v, then %+v", i, again)
		}
		return i
	}
	all, within, judgy := interval(agreement.ResampleAll), interval(agreement.ResampleWithinClass), interval(agreement.JudgyCompatible)
	if judgy.High-judgy.Low > 0.9*(all.High-all.Low) || judgy.High-judgy.Low > 0.9*(within.High-within.Low) {
		t.Errorf("got %v of all, %v within the classes, and %v of the labels alone", all, within, judgy)
	}
	// With a few labels of one class some draws have none.
	few, err := agreement.RoganGladen(agreement.Confusion{TP: 28, FN: 0, TN: 1, FP: 1}, 150, 200)
	if err != nil {
		t.Fatal(err)
	}
	i, err := few.Bootstrap(agreement.Bootstrap{}, agreement.ResampleAll)
	if err != nil || i.Undefined < 200 || i.Doubtful() == "" {
		t.Errorf("got %+v, %v; want draws that are left out", i, err)
	}
	// Of many items the share is drawn at once, as wide as of just fewer.
	width := func(n int) float64 {
		c, err := agreement.RoganGladen(agreement.Confusion{TP: 10, TN: 10}, n*7/10, n)
		if err != nil {
			t.Fatal(err)
		}
		i, err := c.Bootstrap(agreement.Bootstrap{}, agreement.ResampleWithinClass)
		if err != nil {
			t.Fatal(err)
		}
		return i.High - i.Low
	}
	if few, many := width(10_000), width(10_010); math.Abs(few-many) > 0.1*few {
		t.Errorf("got a width of %v and %v", few, many)
	}
}

// The rate and the ends of its interval are shares, and of a judge without error
// there is nothing to correct.
func TestRoganGladenProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		count := rapid.IntRange(0, 40)
		labels := agreement.Confusion{TP: count.Draw(t, "TP"), FN: count.Draw(t, "FN"), FP: count.Draw(t, "FP"), TN: count.Draw(t, "TN")}
		n := rapid.IntRange(1, 300).Draw(t, "n")
		passes := rapid.IntRange(0, n).Draw(t, "passes")
		c, err := agreement.RoganGladen(labels, passes, n)
		if errors.Is(err, agreement.ErrUndefined) {
			return
		}
		if err != nil || !(c.Value >= 0 && c.Value <= 1) {
			t.Fatalf("got %+v, %v", c, err)
		}
		if labels.FN+labels.FP == 0 && math.Abs(c.Value-c.Observed) > 1e-12 {
			t.Fatalf("got %+v of a judge without error", c)
		}
		i, err := c.LangReiczigel(0.95)
		if errors.Is(err, agreement.ErrUndefined) {
			return
		}
		if err != nil || !(0 <= i.Low && i.Low <= i.High && i.High <= 1) {
			t.Fatalf("got %+v, %v", i, err)
		}
	})
}

func TestPPIRefuses(t *testing.T) {
	one, two := []float64{1}, []float64{1, 0}
	for name, err := range map[string]error{
		"no labels":     second(agreement.PPIMean(nil, nil, two)),
		"no unlabelled": second(agreement.PPIMean(two, two, nil)),
		"no mean":       second(agreement.PPI{}.Interval(0.95)),
	} {
		if !errors.Is(err, agreement.ErrUndefined) {
			t.Errorf("%s: got %v, want ErrUndefined", name, err)
		}
	}
	m, err := agreement.PPIMean(two, two, two)
	if err != nil {
		t.Fatal(err)
	}
	for name, err := range map[string]error{
		"lengths":          second(agreement.PPIMean(one, two, two)),
		"NaN":              second(agreement.PPIMean(two, two, []float64{math.NaN()})),
		"lambda":           second(agreement.PPIMeanWith(2, two, two, two)),
		"confidence":       second(m.Interval(95)),
		"lower confidence": second(m.LowerBound(95)),
		"upper confidence": second(m.UpperBound(0)),
	} {
		if err == nil || errors.Is(err, agreement.ErrUndefined) {
			t.Errorf("%s: got %v, want an error of the call", name, err)
		}
	}
}

// The weight is within its range, the mean within its interval, and without the
// judge it is that of the labels.
func TestPPIProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 20).Draw(t, "n")
		score := rapid.Float64Range(0, 1)
		human := rapid.SliceOfN(score, n, n).Draw(t, "human")
		judge := rapid.SliceOfN(score, n, n).Draw(t, "judge")
		unlabelled := rapid.SliceOfN(score, 1, 40).Draw(t, "unlabelled")
		m, err := agreement.PPIMean(human, judge, unlabelled)
		if err != nil || !(m.Lambda >= 0 && m.Lambda <= 1) {
			t.Fatalf("got %+v, %v", m, err)
		}
		i, err := m.Interval(0.95)
		if err != nil || !(i.Low <= m.Mean && m.Mean <= i.High) {
			t.Fatalf("got %+v of %+v, %v", i, m, err)
		}
		alone, err := agreement.PPIMeanWith(0, human, judge, unlabelled)
		if err != nil {
			t.Fatal(err)
		}
		sum := 0.0
		for _, h := range human {
			sum += h
		}
		if math.Abs(alone.Mean-sum/float64(n)) > 1e-12 {
			t.Fatalf("got %v without the judge, want the mean of the labels %v", alone.Mean, sum/float64(n))
		}
	})
}
