package agreement_test

import (
	"strings"
	"testing"

	"github.com/ragomega/ragomega/ragtest/agreement"
	"pgregory.net/rapid"
)

func init() {
	stats["confusion_binary"] = func(t *testing.T, v vector) (map[string]any, error) {
		var params struct{ Positive int }
		var in struct{ Human, Judge []int }
		v.read(t, &params, &in)
		c := confusion(t, in.Human, in.Judge, params.Positive)
		return map[string]any{
			"tp": c.TP, "fp": c.FP, "fn": c.FN, "tn": c.TN,
			"tpr": orUndefined(c.TPR()), "tnr": orUndefined(c.TNR()),
			"precision": orUndefined(c.Precision()), "npv": orUndefined(c.NPV()), "f1": orUndefined(c.F1()),
			"accuracy": orUndefined(c.Accuracy()), "balanced_accuracy": orUndefined(c.BalancedAccuracy()),
		}, nil
	}
	stats["pabak"] = func(t *testing.T, v vector) (map[string]any, error) {
		var in labels
		v.read(t, &struct{}{}, &in)
		value, err := confusion(t, in.A, in.B, 1).PABAK()
		return map[string]any{"pabak": value}, err
	}
}

func confusion(t testing.TB, human, judge []int, positive int) agreement.Confusion {
	t.Helper()
	decisions := func(labels []int) (d []bool) {
		for _, l := range labels {
			d = append(d, l == positive)
		}
		return d
	}
	c, err := agreement.ConfusionOf(decisions(human), decisions(judge))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestConfusion(t *testing.T) {
	c := agreement.Confusion{TP: 40, FN: 2, FP: 3, TN: 5}
	if c.Positives() != 42 || c.Negatives() != 8 || c.Minority() != 8 || c.N() != 50 {
		t.Errorf("%d positive, %d negative, %d of the rarer, %d in all", c.Positives(), c.Negatives(), c.Minority(), c.N())
	}
	if j, err := c.Informedness(); err != nil || !near(j, 40.0/42+5.0/8-1) {
		t.Errorf("informedness is %v, %v", j, err)
	}
	want := strings.Join([]string{
		`human \ judge  positive  negative  total`,
		`positive             40         2     42`,
		`negative              3         5      8`,
		`total                43         7     50`,
	}, "\n")
	if c.String() != want {
		t.Errorf("got\n%s\nwant\n%s", c, want)
	}
	if _, err := agreement.ConfusionOf([]bool{true}, nil); err == nil || !strings.Contains(err.Error(), "1 decisions of the human and 0 of the judge") {
		t.Errorf("got %v for decisions of different items", err)
	}
}

func near(a, b float64) bool { return a-b < 1e-12 && b-a < 1e-12 }

// What the other class is called positive for, the rates change places.
func TestConfusionTurned(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		draw := rapid.IntRange(0, 20)
		c := agreement.Confusion{TP: draw.Draw(r, "TP"), FP: draw.Draw(r, "FP"), FN: draw.Draw(r, "FN"), TN: draw.Draw(r, "TN")}
		turned := agreement.Confusion{TP: c.TN, FP: c.FN, FN: c.FP, TN: c.TP}
		a, err := c.TPR()
		b, err2 := turned.TNR()
		same(r, a, err, b, err2)
		a, err = c.Precision()
		b, err2 = turned.NPV()
		same(r, a, err, b, err2)
		a, err = c.Informedness()
		b, err2 = turned.Informedness()
		same(r, a, err, b, err2)
		a, err = c.Table().MCC()
		b, err2 = turned.Table().MCC()
		same(r, a, err, b, err2)
		a, err = c.Table().Agreement()
		b, err2 = turned.Accuracy()
		same(r, a, err, b, err2)
	})
}
