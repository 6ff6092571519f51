package agreement_test

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/ragomega/ragomega/ragtest/agreement"
)

// labelsOf repeats pairs of labels of the human and the judge.
func labelsOf(counts map[[2]float64]int) (human, judge []float64) {
	var pairs [][2]float64
	for p := range counts {
		pairs = append(pairs, p)
	}
	slices.SortFunc(pairs, func(a, b [2]float64) int { return slices.Compare(a[:], b[:]) })
	for _, p := range pairs {
		for range counts[p] {
			human, judge = append(human, p[0]), append(judge, p[1])
		}
	}
	return human, judge
}

func mustCompare(t *testing.T, human, judge []float64, o agreement.Options) agreement.Comparison {
	t.Helper()
	c, err := agreement.Compare(human, judge, o)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func value(t *testing.T, e agreement.Estimate) float64 {
	t.Helper()
	v, err := e.Value()
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func closeTo(t *testing.T, what string, got, want, by float64) {
	t.Helper()
	if !(math.Abs(got-want) <= by) {
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}

func kinds(warnings []agreement.Warning) (k []agreement.WarningKind) {
	for _, w := range warnings {
		k = append(k, w.Kind)
	}
	return k
}

func wantWarnings(t *testing.T, c agreement.Comparison, want ...agreement.WarningKind) {
	t.Helper()
	got := kinds(c.Warnings)
	for _, k := range want {
		if !slices.Contains(got, k) {
			t.Errorf("no warning of %q among %v", k, c.Warnings)
		}
	}
	for _, k := range got {
		if !slices.Contains(want, k) {
			t.Errorf("a warning of %q: %v", k, c.Warnings)
		}
	}
}

// A judge that passes nearly everything agrees in 91 % of labels of which 94 % are
// a pass, and catches none of the failures.
func TestCompareSeesThroughAgreement(t *testing.T) {
	human, judge := labelsOf(map[[2]float64]int{{1, 1}: 91, {1, 0}: 3, {0, 1}: 6})
	c := mustCompare(t, human, judge, agreement.Options{})
	if c.Kind != agreement.BinaryLabels || c.N != 100 {
		t.Errorf("got %v, n=%d", c.Kind, c.N)
	}
	closeTo(t, "agreement", value(t, c.Agreement), 0.91, 0)
	closeTo(t, "kappa", value(t, c.Point), -0.042, 0.0005)
	closeTo(t, "TPR", value(t, c.TPR), 91.0/94, 0)
	closeTo(t, "TNR", value(t, c.TNR), 0, 0)
	wantWarnings(t, c, agreement.FewLabels, agreement.Imbalance)
	if err := c.Gate(); !errors.Is(err, agreement.ErrFewLabels) || !strings.Contains(err.Error(), "94 items are labelled 1 and 6 are labelled 0") {
		t.Error(err)
	}
	low, err := c.Point.Lower()
	if err != nil || low > 0 {
		t.Errorf("the lower bound is %v, %v", low, err)
	}
}

// Enough labels of both classes, and a judge worth its name: nothing to warn of.
func TestCompareWithoutWarnings(t *testing.T) {
	human, judge := labelsOf(map[[2]float64]int{{1, 1}: 54, {1, 0}: 6, {0, 1}: 9, {0, 0}: 51})
	c := mustCompare(t, human, judge, agreement.Options{})
	wantWarnings(t, c)
	if err := c.Gate(); err != nil {
		t.Error(err)
	}
	closeTo(t, "kappa", value(t, c.Kappa), 0.75, 1e-12)
	i, err := c.Kappa.Interval()
	if err != nil || i.Method != "BCa" || !(i.Low > 0.5 && i.Low < 0.75 && i.High > 0.75 && i.High < 0.9) {
		t.Errorf("got %+v, %v", i, err)
	}
	if s := c.TPR.String(); s != "TPR 0.90 [0.80, 0.95]" { // Wilson's, 54 of 60
		t.Error(s)
	}
}

// A judge that answers the middle of the scale unless an answer is far from it:
// it ranks well, and its labels are mostly not people's.
func TestCompareRanksAlone(t *testing.T) {
	human, judge := labelsOf(map[[2]float64]int{
		{1, 1}: 4, {1, 2}: 16, {2, 3}: 18, {2, 2}: 2, {3, 3}: 20, {4, 3}: 6, {4, 4}: 14, {5, 4}: 16, {5, 5}: 4,
	})
	c := mustCompare(t, human, judge, agreement.Options{Scale: []float64{1, 2, 3, 4, 5}})
	rho, kappa := value(t, c.Spearman), value(t, c.Kappa)
	if !(rho > 0.8 && rho < 0.95) || !(kappa > 0.2 && kappa < 0.5) {
		t.Errorf("rho %v and kappa %v are not what this test is about", rho, kappa)
	}
	if c.Kind != agreement.OrdinalLabels || c.Point.Name != "weighted kappa" {
		t.Errorf("got %v by %s", c.Kind, c.Point.Name)
	}
	wantWarnings(t, c, agreement.RankOnly)
	if text := c.Warnings[0].Text; !strings.Contains(text, "the judge mostly answers the majority class, 3, in 44 of 100 items") {
		t.Error(text)
	}
}

func TestCompareFindsAnOffset(t *testing.T) {
	human, judge := labelsOf(map[[2]float64]int{{1, 2}: 15, {2, 3}: 15, {3, 4}: 15, {4, 5}: 15})
	c := mustCompare(t, human, judge, agreement.Options{Scale: []float64{1, 2, 3, 4, 5}})
	closeTo(t, "agreement", value(t, c.Agreement), 0, 0)
	closeTo(t, "rho", value(t, c.Spearman), 1, 1e-12)
	closeTo(t, "difference", value(t, c.Difference), 1, 0)
	// That the judge never says 1 is part of the offset; that the differences are
	// all the same is what makes the intervals doubtful.
	wantWarnings(t, c, agreement.RankOnly, agreement.Offset, agreement.UnusedScale, agreement.DoubtfulInterval)

	numbers, higher := []float64{}, []float64{}
	for i := range 40 {
		x := float64(i*i%41) / 41
		numbers, higher = append(numbers, x), append(higher, x+0.3+float64(i%5)/100)
	}
	c = mustCompare(t, numbers, higher, agreement.Options{})
	if c.Kind != agreement.ContinuousLabels || c.Point.Name != "ICC" {
		t.Errorf("got %v by %s", c.Kind, c.Point.Name)
	}
	wantWarnings(t, c, agreement.Offset)
	if icc := value(t, c.Point); !(icc < 0.75) {
		t.Errorf("ICC(A,1) is %v for a judge who is 0.3 too high", icc)
	}
}

func TestCompareConstantRaters(t *testing.T) {
	human, judge := labelsOf(map[[2]float64]int{{1, 1}: 40, {0, 1}: 20})
	c := mustCompare(t, human, judge, agreement.Options{})
	closeTo(t, "kappa", value(t, c.Kappa), 0, 0)
	wantWarnings(t, c, agreement.ConstantJudge, agreement.DoubtfulInterval)

	human, judge = labelsOf(map[[2]float64]int{{1, 1}: 40})
	c = mustCompare(t, human, judge, agreement.Options{})
	if _, err := c.Kappa.Value(); !errors.Is(err, agreement.ErrUndefined) {
		t.Errorf("kappa is %v", err)
	}
	if _, err := c.TNR.Value(); !errors.Is(err, agreement.ErrUndefined) {
		t.Errorf("TNR is %v", err)
	}
	if s := c.Kappa.String(); s != "kappa undefined" {
		t.Error(s)
	}
	closeTo(t, "agreement", value(t, c.Agreement), 1, 0)
	wantWarnings(t, c, agreement.FewLabels, agreement.ConstantJudge, agreement.ConstantHuman)
}

func TestCompareKinds(t *testing.T) {
	human, judge := labelsOf(map[[2]float64]int{{1, 1}: 30, {0, 0}: 30, {0, 1}: 5})
	c := mustCompare(t, human, judge, agreement.Options{Spearman: true})
	wantWarnings(t, c, agreement.RankOnBinary)

	// On a declared scale of five points, 0 and 1 are points.
	if c := mustCompare(t, human, judge, agreement.Options{Scale: []float64{0, 1, 2, 3, 4}}); c.Kind != agreement.OrdinalLabels {
		t.Error(c.Kind)
	}
	// 1 and 5 are no neighbours, whatever lies between them is used or not.
	one, five := labelsOf(map[[2]float64]int{{1, 1}: 20, {2, 2}: 10, {5, 5}: 20, {5, 2}: 10, {1, 2}: 10})
	whole := mustCompare(t, one, five, agreement.Options{})
	stated := mustCompare(t, one, five, agreement.Options{Scale: []float64{1, 2, 3, 4, 5}})
	closeTo(t, "the scale that whole numbers are of", value(t, whole.Point), value(t, stated.Point), 0)
	if c := mustCompare(t, []float64{0, 100000, 7}, []float64{0, 100000, 8}, agreement.Options{}); c.Kind != agreement.ContinuousLabels {
		t.Errorf("a scale of 100,001 points was made up: %v", c.Kind)
	}
	nominal := mustCompare(t, one, five, agreement.Options{Kind: agreement.NominalLabels})
	closeTo(t, "nominal", value(t, nominal.Point), value(t, stated.Kappa), 1e-15)
	if _, err := nominal.Spearman.Value(); !errors.Is(err, agreement.ErrUndefined) {
		t.Errorf("categories have a rank correlation: %v", err)
	}
}

func TestCompareRefuses(t *testing.T) {
	nan := math.NaN()
	for name, of := range map[string]struct {
		human, judge []float64
		options      agreement.Options
		want         string
	}{
		"lengths":     {[]float64{1}, []float64{1, 0}, agreement.Options{}, "1 labels of the human and 2 of the judge"},
		"nothing":     {nil, nil, agreement.Options{}, "there are no labels"},
		"no number":   {[]float64{1, nan}, []float64{1, 0}, agreement.Options{}, "item 1 has the label NaN"},
		"not binary":  {[]float64{2}, []float64{1}, agreement.Options{Kind: agreement.BinaryLabels}, "binary labels are 0 and 1"},
		"off scale":   {[]float64{6}, []float64{1}, agreement.Options{Scale: []float64{1, 2, 3, 4, 5}}, "not on the scale"},
		"no scale":    {[]float64{1.5}, []float64{1}, agreement.Options{Kind: agreement.OrdinalLabels}, "the scale that they are points of"},
		"no kind":     {[]float64{1}, []float64{1}, agreement.Options{Kind: "yes"}, `no kind of labels is called "yes"`},
		"confidence":  {[]float64{1, 0}, []float64{1, 0}, agreement.Options{Bootstrap: agreement.Bootstrap{Confidence: 95}}, "confidence"},
		"in clusters": {[]float64{1, 0}, []float64{1, 1}, agreement.Options{Bootstrap: agreement.Bootstrap{Clusters: []int{1}}}, "clusters of 1 items"},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := agreement.Compare(of.human, of.judge, of.options); err == nil || !strings.Contains(err.Error(), of.want) {
				t.Errorf("got %v, want an error about %q", err, of.want)
			}
		})
	}
}

// One rating that differs among many gives an alpha of about 0, and the comparison
// says what stands beside it.
func TestCompareRatersOfOneKind(t *testing.T) {
	ratings := [][]float64{make([]float64, 25), make([]float64, 25)}
	ratings[1][7] = 1
	c, err := agreement.CompareRaters(ratings, agreement.NominalLevel, agreement.Bootstrap{})
	if err != nil {
		t.Fatal(err)
	}
	closeTo(t, "agreement", value(t, c.Agreement), 24.0/25, 0)
	closeTo(t, "alpha", value(t, c.Point), 0, 1e-12)
	for _, k := range []agreement.WarningKind{agreement.FewLabels, agreement.Imbalance} {
		if !slices.Contains(kinds(c.Warnings), k) {
			t.Errorf("no warning of %q among %v", k, c.Warnings)
		}
	}
	if err := c.Gate(); !errors.Is(err, agreement.ErrFewLabels) {
		t.Error(err)
	}
}

func TestCompareRatersWithGaps(t *testing.T) {
	no := agreement.Missing
	c, err := agreement.CompareRaters([][]float64{{1, 2, 3, no, 2}, {1, 2, 3, 4, no}, {no, 2, 2, no, no}}, agreement.OrdinalLevel, agreement.Bootstrap{})
	if err != nil {
		t.Fatal(err)
	}
	if c.N != 3 || c.Raters != 3 {
		t.Errorf("got %d units of %d raters, want 3 of 3", c.N, c.Raters)
	}
	closeTo(t, "agreement", value(t, c.Agreement), 5.0/7, 1e-15)
	if _, err := agreement.CompareRaters([][]float64{{1, no}, {no, 2}}, agreement.NominalLevel, agreement.Bootstrap{}); err != nil {
		t.Error(err) // undefined, which the estimates say
	}
}

func TestKappaDifference(t *testing.T) {
	human, good := labelsOf(map[[2]float64]int{{1, 1}: 45, {1, 0}: 5, {0, 1}: 5, {0, 0}: 45})
	bad := slices.Clone(good)
	for i := range bad {
		if i%3 == 0 {
			bad[i] = 1 - human[i]
		}
	}
	d, err := agreement.KappaDifference(human, good, bad, agreement.Bootstrap{})
	if err != nil {
		t.Fatal(err)
	}
	a, b := mustCompare(t, human, good, agreement.Options{}), mustCompare(t, human, bad, agreement.Options{})
	closeTo(t, "difference", value(t, d), value(t, a.Kappa)-value(t, b.Kappa), 1e-15)
	if low, err := d.Lower(); err != nil || !(low > 0) {
		t.Errorf("the lower bound is %v, %v", low, err)
	}
	same, err := agreement.KappaDifference(human, good, good, agreement.Bootstrap{})
	if err != nil {
		t.Fatal(err)
	}
	if i, err := same.Interval(); err != nil || !i.Degenerate || value(t, same) != 0 {
		t.Errorf("a rater differs from itself by %v, %v", i, err)
	}
	if _, err := agreement.KappaDifference(human, good, good[1:], agreement.Bootstrap{}); err == nil {
		t.Error("labels of fewer items were accepted")
	}
}

// What two judges score in published comparisons is named as the sources name it.
func TestBandsOfPublishedKappas(t *testing.T) {
	for kappa, want := range map[float64][2]string{
		0.84: {"almost perfect", "excellent"},
		0.79: {"substantial", "excellent"},
		0.62: {"substantial", ""},
	} {
		if got := [2]string{agreement.LandisKoch(kappa).Name, agreement.Yan(kappa).Name}; got != want {
			t.Errorf("%v is %q, want %q", kappa, got, want)
		}
	}
}
