package agreement_test

import (
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/ragomega/ragomega/ragtest/agreement"
	"pgregory.net/rapid"
)

// By hand: of the 6 pairs of a positive and a negative, 4 have the positive above,
// and 1 has equal scores.
func TestAUC(t *testing.T) {
	scores := []float64{0.9, 0.6, 0.4, 0.6, 0.1}
	human := []bool{true, true, false, false, true}
	// 0.9 beats both, 0.6 beats 0.4 and ties with 0.6, 0.1 beats neither.
	if auc, err := agreement.AUC(scores, human); err != nil || math.Abs(auc-3.5/6) > 1e-15 {
		t.Errorf("got %v, %v; want 3.5 of 6", auc, err)
	}
	for name, err := range map[string]error{
		"one class": second(agreement.AUC([]float64{1, 2}, []bool{true, true})),
		"nothing":   second(agreement.AUC(nil, nil)),
	} {
		if !errors.Is(err, agreement.ErrUndefined) {
			t.Errorf("%s: got %v, want ErrUndefined", name, err)
		}
	}
	for name, err := range map[string]error{
		"lengths": second(agreement.AUC(scores, human[:3])),
		"NaN":     second(agreement.AUC([]float64{1, math.NaN()}, human[:2])),
	} {
		if err == nil || errors.Is(err, agreement.ErrUndefined) {
			t.Errorf("%s: got %v, want an error of the call", name, err)
		}
	}
}

func TestReliability(t *testing.T) {
	p := []float64{0.05, 0.15, 0.25, 0.6, 0.75, 1, 0.5}
	human := []bool{false, false, true, true, false, true, true}
	bins, err := agreement.Reliability(p, human, 4)
	want := []agreement.Bin{
		{Low: 0, High: 0.25, N: 2, Predicted: 0.1, Observed: 0},
		{Low: 0.25, High: 0.5, N: 1, Predicted: 0.25, Observed: 1},
		{Low: 0.5, High: 0.75, N: 2, Predicted: 0.55, Observed: 1},
		{Low: 0.75, High: 1, N: 2, Predicted: 0.875, Observed: 0.5},
	}
	if err != nil || !slices.Equal(bins, want) {
		t.Errorf("got %+v, %v; want %+v", bins, err, want)
	}
	if bins, err = agreement.Reliability(p[:2], human[:2], 10); err != nil || len(bins) != 2 || bins[1].Low != 0.1 {
		t.Errorf("got %+v, %v; want the two bins that have items", bins, err)
	}
	brier, err := agreement.Brier([]float64{0.5, 1, 0.2, 0}, []bool{true, true, false, true})
	if err != nil || math.Abs(brier-(0.25+0+0.04+1)/4) > 1e-15 {
		t.Errorf("got %v, %v", brier, err)
	}
	for name, err := range map[string]error{
		"reliability": second(agreement.Reliability(nil, nil, 4)),
		"Brier":       second(agreement.Brier(nil, nil)),
	} {
		if !errors.Is(err, agreement.ErrUndefined) {
			t.Errorf("%s: got %v of nothing, want ErrUndefined", name, err)
		}
	}
	for name, err := range map[string]error{
		"no bins":     second(agreement.Reliability(p, human, 0)),
		"above 1":     second(agreement.Brier([]float64{1.1}, []bool{true})),
		"below 0":     second(agreement.Reliability([]float64{-0.1}, []bool{true}, 4)),
		"NaN":         second(agreement.Brier([]float64{math.NaN()}, []bool{true})),
		"lengths":     second(agreement.Brier(p, human[:3])),
		"percentages": second(agreement.Reliability([]float64{85}, []bool{true}, 4)),
	} {
		if err == nil || errors.Is(err, agreement.ErrUndefined) {
			t.Errorf("%s: got %v, want an error of the call", name, err)
		}
	}
}

func accuracy(c agreement.Confusion) (float64, error) {
	return float64(c.TP+c.TN) / float64(c.N()), nil
}

func TestBestThreshold(t *testing.T) {
	y, n := true, false
	for name, c := range map[string]struct {
		scores          []float64
		human           []bool
		of              func(agreement.Confusion) (float64, error)
		threshold, best float64
	}{
		"separated":    {[]float64{0.25, 0.75, 0.5, 1}, []bool{n, y, n, y}, accuracy, 0.625, 1},
		"all positive": {[]float64{0.5, 0.75}, []bool{y, y}, accuracy, 0.5, 1},
		"none":         {[]float64{0.5, 0.75}, []bool{n, n}, accuracy, math.Nextafter(0.75, 1), 1},
		// From 0.25 and from 0.625 on 3 of 4 are right, elsewhere fewer.
		"two runs": {[]float64{0.25, 0.5, 0.75, 1}, []bool{y, n, y, y}, accuracy, 0.25, 0.75},
		// 2 of 3 are right from 0.5 on, where all are positive, and from 0.75 on.
		"equal scores": {[]float64{0.5, 0.5, 1}, []bool{y, n, y}, accuracy, 0.5, 2.0 / 3},
		// Precision is 1 from 0.375, 0.625 and 0.875 on, and undefined above 1.
		"middle of a run": {[]float64{0.25, 0.5, 0.75, 1}, []bool{n, y, y, y}, agreement.Confusion.Precision, 0.625, 1},
		"lower of two":    {[]float64{0.25, 0.5, 0.75}, []bool{n, y, y}, agreement.Confusion.Precision, 0.375, 1},
		// None is missed from 1 on alone, and none is false from 3.5, 4.5 and above 5 on.
		"longer run": {[]float64{1, 2, 3, 4, 5}, []bool{y, n, n, y, y}, func(c agreement.Confusion) (float64, error) {
			if c.FN == 0 || c.FP == 0 {
				return 1, nil
			}
			return 0, nil
		}, 4.5, 1},
	} {
		threshold, best, err := agreement.BestThreshold(c.scores, c.human, c.of)
		if err != nil || threshold != c.threshold || math.Abs(best-c.best) > 1e-15 {
			t.Errorf("%s: got %v with %v, %v; want %v with %v", name, threshold, best, err, c.threshold, c.best)
		}
	}
}

// Without 0.25 or 1 the others separate at 0.625. Without 0.75 they do at 0.75, the
// middle of 0.5 and 1, which calls it positive. Without 0.5 they do at 0.5, which
// calls it positive too, and is wrong, though the threshold of all items is not.
func TestCrossThreshold(t *testing.T) {
	scores, human := []float64{0.25, 0.5, 0.75, 1}, []bool{false, false, true, true}
	decisions, threshold, err := agreement.CrossThreshold(scores, human, nil, accuracy)
	if want := []bool{false, true, true, true}; err != nil || threshold != 0.625 || !slices.Equal(decisions, want) {
		t.Errorf("got %v with %v, %v; want %v with 0.625", decisions, threshold, err, want)
	}
	// Each half of these is decided by the other: 0.25 and 1 from 0.625 on, and
	// 0.5 and 0.75 from 0.625 on.
	decisions, threshold, err = agreement.CrossThreshold(scores, human, []int{7, 3, 3, 7}, accuracy)
	if err != nil || threshold != 0.625 || !slices.Equal(decisions, human) {
		t.Errorf("got %v with %v, %v; want %v with 0.625", decisions, threshold, err, human)
	}
}

func TestThresholdRefuses(t *testing.T) {
	scores, human := []float64{0.25, 0.5}, []bool{false, true}
	broken := errors.New("broken")
	fail := func(agreement.Confusion) (float64, error) { return 0, broken }
	threshold := func(scores []float64, human []bool, of func(agreement.Confusion) (float64, error)) error {
		_, _, err := agreement.BestThreshold(scores, human, of)
		return err
	}
	cross := func(groups []int, of func(agreement.Confusion) (float64, error)) error {
		_, _, err := agreement.CrossThreshold(scores, human, groups, of)
		return err
	}
	for name, err := range map[string]error{
		"nothing":        threshold(nil, nil, accuracy),
		"one class":      threshold(scores, []bool{true, true}, agreement.Confusion.TNR),
		"one group":      cross([]int{1, 1}, accuracy),
		"one class left": cross(nil, agreement.Confusion.Informedness),
	} {
		if !errors.Is(err, agreement.ErrUndefined) {
			t.Errorf("%s: got %v, want ErrUndefined", name, err)
		}
	}
	for name, err := range map[string]error{
		"lengths":  threshold(scores, human[:1], accuracy),
		"infinite": threshold([]float64{0, math.Inf(1)}, human, accuracy),
		"NaN":      threshold([]float64{0, math.NaN()}, human, accuracy),
		"groups":   cross([]int{1}, accuracy),
	} {
		if err == nil || errors.Is(err, agreement.ErrUndefined) {
			t.Errorf("%s: got %v, want an error of the call", name, err)
		}
	}
	if err := threshold(scores, human, fail); !errors.Is(err, broken) {
		t.Errorf("got %v, want the error of the statistic", err)
	}
}

// No threshold is better than the best, one among several has what is said of it,
// and no item is decided by its own label.
func TestThresholdProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 12).Draw(t, "n")
		scores := rapid.SliceOfN(rapid.Map(rapid.IntRange(0, 6), func(i int) float64 { return float64(i) }), n, n).Draw(t, "scores")
		human := rapid.SliceOfN(rapid.Bool(), n, n).Draw(t, "human")
		at := func(threshold float64) float64 {
			judge := make([]bool, n)
			for i, s := range scores {
				judge[i] = s >= threshold
			}
			c, err := agreement.ConfusionOf(human, judge)
			if err != nil {
				t.Fatal(err)
			}
			v, _ := accuracy(c)
			return v
		}
		threshold, best, err := agreement.BestThreshold(scores, human, accuracy)
		if err != nil || math.Abs(at(threshold)-best) > 1e-12 {
			t.Fatalf("got %v with %v, %v; it has %v", threshold, best, err, at(threshold))
		}
		for x := -0.25; x < 7; x += 0.25 {
			if at(x) > best+1e-12 {
				t.Fatalf("got %v with %v, and %v has %v", threshold, best, x, at(x))
			}
		}
		groups := rapid.SliceOfN(rapid.IntRange(0, 3), n, n).Draw(t, "groups")
		decisions, _, err := agreement.CrossThreshold(scores, human, groups, accuracy)
		if errors.Is(err, agreement.ErrUndefined) {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		for i, g := range groups {
			if g == groups[0] {
				human[i] = !human[i]
			}
		}
		others, _, err := agreement.CrossThreshold(scores, human, groups, accuracy)
		if err != nil {
			t.Fatal(err)
		}
		for i, g := range groups {
			if g == groups[0] && decisions[i] != others[i] {
				t.Fatalf("item %d is decided %v, and %v with other labels of its own group", i, decisions[i], others[i])
			}
		}
		auc, err := agreement.AUC(scores, human)
		if errors.Is(err, agreement.ErrUndefined) {
			return
		}
		pairs, above := 0.0, 0.0
		for i := range scores {
			for j := range scores {
				if human[i] && !human[j] {
					pairs++
					if scores[i] > scores[j] {
						above++
					} else if scores[i] == scores[j] {
						above += 0.5
					}
				}
			}
		}
		if err != nil || math.Abs(auc-above/pairs) > 1e-12 {
			t.Fatalf("got an AUC of %v, %v; want %v", auc, err, above/pairs)
		}
	})
}
