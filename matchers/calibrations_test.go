package matchers_test

import (
	"errors"
	"fmt"
	"math"
	"sync"
	"testing"

	. "github.com/onsi/gomega"
	"github.com/onsi/gomega/types"

	. "github.com/ragomega/ragomega/matchers"
	"github.com/ragomega/ragomega/ragtest"
	"github.com/ragomega/ragomega/ragtest/agreement"
)

// pairs are labels of people and of the judge, and how often they occur.
type pairs []struct {
	human, judge float64
	times        int
}

// judgedOn is a calibration of labels on a scale, each item with contexts of its
// own.
func judgedOn(scale []float64, of pairs) *ragtest.Calibration {
	c := &ragtest.Calibration{
		Metric: "faithfulness", Step: "verify/v2", Prompt: "0a1b2c3d4e5f", Model: "m", Identity: "h", Scale: scale, Data: "d",
	}
	for _, p := range of {
		for range p.times {
			i := len(c.Items) + 1
			c.Items = append(c.Items, ragtest.Judged{
				Sample: fmt.Sprintf("s%d", i), Claim: fmt.Sprintf("claim %d", i), Length: 8, Group: i,
				Labels: []ragtest.Label{{Value: p.human}}, Judge: p.judge, Reason: "because",
			})
		}
	}
	return c
}

// binary is a calibration of yes and no: tp items to which people and the judge
// say yes, fn to which only people do, and so on.
func binary(tp, fn, fp, tn int) *ragtest.Calibration {
	return judgedOn([]float64{0, 1}, pairs{{1, 1, tp}, {1, 0, fn}, {0, 1, fp}, {0, 0, tn}})
}

// stars is a calibration of points from 1 to 3, with a weighted kappa of 0.571, a
// kappa of 0.549 and an ordinal alpha of 0.577.
func stars() *ragtest.Calibration {
	c := judgedOn([]float64{1, 2, 3}, pairs{{1, 1, 10}, {1, 2, 4}, {2, 2, 8}, {2, 3, 4}, {3, 3, 10}, {3, 1, 4}})
	c.Metric, c.Step, c.Prompt = "stars", "stars", ""
	return c
}

// numbers is a calibration of numbers, with an alpha of 0.996.
func numbers() *ragtest.Calibration {
	var of pairs
	for i := range 20 {
		off := -0.05
		if i%2 == 1 {
			off = 0.05
		}
		of = append(of, pairs{{float64(i) / 10, float64(i)/10 + off, 1}}...)
	}
	c := judgedOn(nil, of)
	c.Metric, c.Step, c.Prompt = "words", "words", ""
	return c
}

// tagItems gives some items of c a tag: those from from to below to.
func tagItems(c *ragtest.Calibration, tag string, from, to int) *ragtest.Calibration {
	for i := from; i < to; i++ {
		c.Items[i].Tags = append(c.Items[i].Tags, tag)
	}
	return c
}

// lose makes the first items of c unmeasured, each for one of the reasons.
func lose(c *ragtest.Calibration, why ...error) *ragtest.Calibration {
	for i, err := range why {
		c.Items[i].Err = err
	}
	return c
}

func TestOutcomesOfCalibrations(t *testing.T) {
	good := func() *ragtest.Calibration { return binary(54, 6, 9, 51) } // kappa 0.75, TPR 0.9, TNR 0.85
	for name, test := range map[string]struct {
		actual  any
		matcher *CalibrationMatcher
		want    bool
	}{
		// 188 of 200 labels are yes: always to say so agrees with 94 %.
		"91 % agree, and kappa is -0.04": {binary(182, 6, 12, 0), HaveKappaAbove(0.6), false},
		"nor is it above chance":         {binary(182, 6, 12, 0), HaveKappaAbove(0).OnPoint(), false},
		"its TPR is 0.97":                {binary(182, 6, 12, 0), HaveTPRAbove(0.9), true},
		"its TNR is 0":                   {binary(182, 6, 12, 0), HaveTNRAbove(0), false},
		"kappa":                          {good(), HaveKappaAbove(0.5), true},
		"the lower end, not the point":   {good(), HaveKappaAbove(0.7), false},
		"the point":                      {good(), HaveKappaAbove(0.7).OnPoint(), true},
		"a calibration, no pointer":      {*good(), HaveKappaAbove(0.5), true},
		// Wilson's lower ends: 54 of 60, 0.7985; 51 of 60, 0.7389, and with 90 % 0.7592.
		"TPR":                            {good(), HaveTPRAbove(0.79), true},
		"TPR, its lower end":             {good(), HaveTPRAbove(0.8), false},
		"TPR, the point":                 {good(), HaveTPRAbove(0.8).OnPoint(), true},
		"above is greater than":          {good(), HaveTPRAbove(0.9).OnPoint(), false},
		"TNR":                            {good(), HaveTNRAbove(0.73), true},
		"TNR, its lower end":             {good(), HaveTNRAbove(0.75), false},
		"with less confidence":           {good(), HaveTNRAbove(0.75).Confidence(0.9), true},
		"TPR of few negatives":           {binary(20, 2, 3, 2), HaveTPRAbove(0.7), true},
		"TNR of few positives":           {binary(2, 2, 1, 21), HaveTNRAbove(0.7), true},
		"TPR of a perfect judge":         {binary(20, 0, 0, 20), HaveTPRAbove(0.8), true},
		"kappa of one, the point":        {binary(20, 0, 0, 20), HaveKappaAbove(0.9).OnPoint(), true},
		"a constant judge, the point":    {binary(20, 0, 20, 0), HaveKappaAbove(0).OnPoint(), false},
		"a constant judge, its TNR":      {binary(20, 0, 20, 0), HaveTNRAbove(0), false},
		"alpha of yes and no, 0.7509":    {good(), HaveAlphaAbove(0.75).OnPoint(), true},
		"alpha of yes and no, not 0.751": {good(), HaveAlphaAbove(0.751).OnPoint(), false},
		"alpha, its lower end":           {good(), HaveAlphaAbove(0.7), false},
		"weighted kappa, 0.5714":         {stars(), HaveWeightedKappaAbove(0.571).OnPoint(), true},
		"weighted kappa, not 0.572":      {stars(), HaveWeightedKappaAbove(0.572).OnPoint(), false},
		"weighted kappa, its lower end":  {stars(), HaveWeightedKappaAbove(0.5), false},
		"kappa of a scale, 0.5489":       {stars(), HaveKappaAbove(0.548).OnPoint(), true},
		"kappa of a scale, not 0.549":    {stars(), HaveKappaAbove(0.549).OnPoint(), false},
		"alpha of a scale, 0.5768":       {stars(), HaveAlphaAbove(0.576).OnPoint(), true},
		"alpha of a scale, not 0.577":    {stars(), HaveAlphaAbove(0.577).OnPoint(), false},
		"alpha of numbers, 0.9964":       {numbers(), HaveAlphaAbove(0.996).OnPoint(), true},
		"alpha of numbers, not 0.997":    {numbers(), HaveAlphaAbove(0.997).OnPoint(), false},
		"alpha of numbers, lower end":    {numbers(), HaveAlphaAbove(0.98), true},
		"one tag":                        {tagItems(good(), "a", 0, 54), HaveTPRAbove(0.9).ForTag("a"), true},
		"another tag":                    {tagItems(good(), "b", 42, 60), HaveTPRAbove(0.7).ForTag("b").OnPoint(), false},
		"as many unmeasured as allowed":  {lose(good(), errDown, errDown), HaveTPRAbove(0.79).AllowUnmeasured(2), true},
		"which are left out":             {lose(good(), errDown, errDown), HaveTPRAbove(0.899).AllowUnmeasured(2).OnPoint(), false},
		"unmeasured without the tag":     {tagItems(lose(good(), errDown), "c", 1, 60), HaveTPRAbove(0.7).ForTag("c"), true},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := test.matcher.Match(test.actual)
			if err != nil || got != test.want {
				t.Errorf("got %v, %v, want %v", got, err, test.want)
			}
		})
	}
}

// Items of one text are drawn together, so that of few texts less is known.
func TestAlphaDrawsTextsWhole(t *testing.T) {
	g := NewWithT(t)
	alone, together := binary(54, 6, 9, 51), binary(54, 6, 9, 51)
	for i := range together.Items {
		together.Items[i].Group = i / 15
	}
	g.Expect(alone).To(HaveAlphaAbove(0.62))
	g.Expect(together).NotTo(HaveAlphaAbove(0.62))
	g.Expect(together).To(HaveAlphaAbove(0.62).OnPoint())
}

// A calibration that does not tell fails To and NotTo alike.
func TestErrorsOfCalibrations(t *testing.T) {
	kappa := HaveKappaAbove(0.6)
	var none *ragtest.Calibration
	divided := binary(1, 0, 0, 0)
	divided.Items[0].Labels = []ragtest.Label{{Rater: "a", Value: 1}, {Rater: "b", Value: 0}}
	for name, test := range map[string]struct {
		actual  any
		matcher *CalibrationMatcher
		want    string
	}{
		"few labels": {binary(91, 3, 6, 0), kappa, `HaveKappaAbove(0.6): too few labels: 94 items are labelled 1 and 6 are labelled 0; it takes 10 of each to decide by an interval, and 60 of each for a rate to within 0.1
    n=100, agreement 0.91 [0.84, 0.95], kappa -0.04 [`},
		"few labels, the point":   {binary(91, 3, 6, 0), kappa.OnPoint(), `HaveKappaAbove(0.6).OnPoint(): too few labels: 94 items are labelled 1 and 6 are labelled 0`},
		"few labels, alpha":       {binary(91, 3, 6, 0), HaveAlphaAbove(0.6), `HaveAlphaAbove(0.6): too few labels: 94 items`},
		"few negatives":           {binary(91, 3, 6, 0), HaveTNRAbove(0.6), "HaveTNRAbove(0.6): too few labels: 6 items are labelled 0; it takes 10 to decide by their rate\n    n=100, "},
		"few positives":           {binary(8, 1, 5, 20), HaveTPRAbove(0.6).OnPoint(), `HaveTPRAbove(0.6).OnPoint(): too few labels: 9 items are labelled 1; it takes 10 to decide by their rate`},
		"no positives":            {binary(0, 0, 5, 20), HaveTPRAbove(0.6), `HaveTPRAbove(0.6): too few labels: 0 items are labelled 1`},
		"few with the tag":        {tagItems(binary(54, 6, 9, 51), "a", 55, 75), kappa.ForTag("a"), `HaveKappaAbove(0.6).ForTag("a"): too few labels: 5 items are labelled 1 and 15 are labelled 0`},
		"few on a scale":          {judgedOn([]float64{1, 2, 3}, pairs{{1, 1, 9}, {2, 2, 9}, {1, 2, 30}}), HaveWeightedKappaAbove(0.6), `HaveWeightedKappaAbove(0.6): too few labels: 39 of 48 items are labelled 1 and 9 otherwise`},
		"a constant judge":        {binary(20, 0, 20, 0), kappa, `HaveKappaAbove(0.6): kappa is 0.00 [0.00, 0.00], whose lower end is nothing to go by: it is the same in every draw of these items, which does not show how far it may vary. OnPoint() goes by the point`},
		"what is known of it":     {binary(20, 0, 20, 0), kappa, `! constant judge: the judge says 1 of all 40 items, so that it tells nothing apart`},
		"a judge without error":   {binary(20, 0, 0, 20), kappa, `HaveKappaAbove(0.6): kappa is 1.00 [1.00, 1.00], whose lower end is nothing to go by: the judge errs on none of these items, which does not show how seldom it errs. Label more, and harder ones. OnPoint() goes by the point`},
		"weights of yes and no":   {binary(54, 6, 9, 51), HaveWeightedKappaAbove(0.6), `HaveWeightedKappaAbove(0.6): the labels are yes and no, between which there is nothing to weight. Use HaveKappaAbove`},
		"weights of numbers":      {numbers(), HaveWeightedKappaAbove(0.6), `HaveWeightedKappaAbove(0.6): the labels are numbers, which are no points of a scale. Use HaveAlphaAbove`},
		"kappa of numbers":        {numbers(), kappa, `HaveKappaAbove(0.6): the labels are numbers, of which two are hardly ever the same, so there is no kappa. Use HaveAlphaAbove`},
		"TPR of a scale":          {stars(), HaveTPRAbove(0.6), `HaveTPRAbove(0.6): the labels are points of a scale, and not yes or no. Use HaveWeightedKappaAbove`},
		"TNR of numbers":          {numbers(), HaveTNRAbove(0.6), `HaveTNRAbove(0.6): the labels are numbers, and not yes or no. Use HaveAlphaAbove`},
		"one unmeasured":          {lose(binary(54, 6, 9, 51), errDown), kappa, "HaveKappaAbove(0.6): 1 of 120 samples were not measured, and AllowUnmeasured allows 0\n    s1: the judge is down"},
		"none measured":           {lose(binary(2, 0, 0, 0), errDown, errDown), kappa.AllowUnmeasured(2), "HaveKappaAbove(0.6).AllowUnmeasured(2): none of 2 samples was measured\n    s1: the judge is down\n      likewise: s2"},
		"no item":                 {&ragtest.Calibration{}, kappa, `HaveKappaAbove(0.6): undefined: the calibration has no item`},
		"people are divided":      {divided, kappa, `HaveKappaAbove(0.6): undefined: no item has both a label that people agree on and a verdict (1 are divided, 0 not measured)`},
		"no such tag":             {tagItems(tagItems(binary(54, 6, 9, 51), "b", 0, 3), "a", 3, 5), kappa.ForTag("c"), `HaveKappaAbove(0.6).ForTag("c"): no item of the calibration has this tag; the tags are ["a" "b"]`},
		"no tags":                 {binary(54, 6, 9, 51), kappa.ForTag("c"), `HaveKappaAbove(0.6).ForTag("c"): no item of the calibration has a tag`},
		"NaN":                     {stars(), HaveKappaAbove(math.NaN()), `HaveKappaAbove(NaN): the bound is NaN, expected a number`},
		"no kappa is above 1":     {stars(), HaveKappaAbove(1), `HaveKappaAbove(1): chance alone gives 0 and full agreement 1, so the bound must be at least 0 and below 1`},
		"a kappa below chance":    {stars(), HaveWeightedKappaAbove(-0.1), `HaveWeightedKappaAbove(-0.1): chance alone gives 0 and full agreement 1, so the bound must be at least 0 and below 1`},
		"percents":                {stars(), HaveTPRAbove(90), `HaveTPRAbove(90): rates lie from 0 to 1, so the bound must be at least 0 and below 1`},
		"confidence in %":         {stars(), kappa.Confidence(95), `HaveKappaAbove(0.6).Confidence(95): expected a confidence between 0 and 1, such as 0.95`},
		"confidence NaN":          {stars(), kappa.Confidence(math.NaN()), `HaveKappaAbove(0.6).Confidence(NaN): expected a confidence between 0 and 1, such as 0.95`},
		"fewer than none":         {stars(), kappa.AllowUnmeasured(-1), `HaveKappaAbove(0.6).AllowUnmeasured(-1): expected a number of at least 0`},
		"nil":                     {nil, kappa, `HaveKappaAbove(0.6) expects the calibration of judge.Calibrate, got nil`},
		"nil calibration":         {none, kappa, `HaveKappaAbove(0.6) expects the calibration of judge.Calibrate, got nil`},
		"a judge":                 {exampleJudge(), kappa, `HaveKappaAbove(0.6) is about the calibration of a judge, got the judge itself (literal at in-process). Calibrate it first: judge.Calibrate(ctx, metric, labelled)`},
		"a report":                {quarters(4), kappa, `HaveKappaAbove(0.6) is about the calibration of a judge, got the report of samples. Of that ask HaveMeanAbove, or HaveCorrectedMeanAbove(metric, calibration, …)`},
		"a report, no pointer":    {*quarters(4), kappa, `HaveKappaAbove(0.6) is about the calibration of a judge, got the report of samples.`},
		"a sample":                {moon, kappa, `HaveKappaAbove(0.6) is about the calibration of a judge, got one sample (ragtest.Sample). Have people label many, and calibrate the judge by them: judge.Calibrate(ctx, metric, labelled)`},
		"an answer":               {"yes", HaveTPRAbove(0.5), `HaveTPRAbove(0.5) is about the calibration of a judge, got one sample (string).`},
		"labelled samples":        {[]ragtest.Labelled{{}, {}}, kappa, `HaveKappaAbove(0.6) is about the calibration of a judge, got 2 labelled samples. Have them judged first: judge.Calibrate(ctx, metric, labelled)`},
		"a calibration of claims": {&ragtest.ClaimCalibration{}, kappa, `HaveKappaAbove(0.6) is about the calibration of a judge, got that of its claims, which are no verdicts. Hold what its Rates returns against numbers`},
		"anything else":           {42, kappa, "HaveKappaAbove(0.6) is about the calibration of a judge, got\n    <int>: 42"},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			_, err := test.matcher.Match(test.actual)
			g.Expect(err).To(HaveOccurred())
			g.Expect(err.Error()).To(ContainSubstring(test.want))
			g.Expect(failure(func(g Gomega) { g.Expect(test.actual).To(test.matcher) })).To(ContainSubstring(test.want))
			g.Expect(failure(func(g Gomega) { g.Expect(test.actual).NotTo(test.matcher) })).To(ContainSubstring(test.want))
			g.Expect(test.matcher.FailureMessage(test.actual)).To(HaveSuffix("but the calibration was not looked at"))
		})
	}
}

// Reports and calibrations are not taken for each other.
func TestAReportMatcherNamesThoseOfCalibrations(t *testing.T) {
	g := NewWithT(t)
	_, err := HaveMeanAbove(ragtest.Faithfulness, 0.5).Match(stars())
	g.Expect(err).To(MatchError(`HaveMeanAbove(faithfulness, 0.5) is about the report of ragtest.Evaluate, got the calibration of a judge. Of that ask HaveKappaAbove, HaveTPRAbove or HaveTNRAbove`))
}

// What a calibration lacks can be told by errors.Is.
func TestErrorsOfCalibrationsAreKept(t *testing.T) {
	g := NewWithT(t)
	for want, test := range map[error]struct {
		actual  any
		matcher types.GomegaMatcher
	}{
		agreement.ErrFewLabels: {binary(91, 3, 6, 0), HaveKappaAbove(0.6)},
		ragtest.ErrUndefined:   {&ragtest.Calibration{}, HaveKappaAbove(0.6)},
		errDown:                {lose(binary(54, 6, 9, 51), errDown), HaveKappaAbove(0.6)},
	} {
		_, err := test.matcher.Match(test.actual)
		g.Expect(err).To(MatchError(want))
		_, err = Not(test.matcher).Match(test.actual)
		g.Expect(err).To(MatchError(want), "in Not")
		_, err = And(test.matcher, test.matcher).Match(test.actual)
		g.Expect(err).To(MatchError(want), "in And")
		_, err = Or(test.matcher, test.matcher).Match(test.actual)
		g.Expect(errors.Is(err, want)).To(BeTrue(), "in Or")
	}
}

// Ginkgo reads messages while a matcher is at work, and a matcher may be shared:
// the race detector watches.
func TestCalibrationMatchersAreSafeForConcurrentUse(t *testing.T) {
	shared := HaveTPRAbove(0.8)
	good, bad := binary(60, 0, 9, 51), binary(30, 30, 9, 51)
	var wg sync.WaitGroup
	for i := range 4 {
		c, want := good, true
		if i%2 == 0 {
			c, want = bad, false
		}
		wg.Go(func() {
			for range 3 {
				if ok, err := shared.Match(c); err != nil || ok != want {
					t.Errorf("got %v, %v, want %v", ok, err, want)
				}
				_, _, _ = shared.FailureMessage(c), shared.NegatedFailureMessage(c), shared.GomegaString()
				_ = shared.OnPoint().Confidence(0.9).AllowUnmeasured(1)
			}
		})
	}
	wg.Wait()
}
