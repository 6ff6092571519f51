package matchers_test

import (
	"math"
	"testing"

	. "github.com/onsi/gomega"

	. "github.com/ragomega/ragomega/matchers"
	"github.com/ragomega/ragomega/ragtest"
	"github.com/ragomega/ragomega/ragtest/agreement"
)

// forty is a report with a mean of 0.8 by the judge that binary is of: half of the
// samples have 3 of 4 verdicts, a tenth 2 and the others 4.
func forty() *ragtest.Report {
	var scores []int
	for i := range 40 {
		scores = append(scores, []int{3, 3, 3, 3, 3, 4, 2, 3, 4, 4}[i%10])
	}
	return quarters(scores...)
}

func TestCorrectedMeans(t *testing.T) {
	// The mean is 32/40. TPR 0.9 and TNR 0.85 make it (0.8+0.85-1)/0.75, 0.8667.
	c := binary(90, 10, 15, 85)
	for name, test := range map[string]struct {
		actual  any
		matcher *CorrectedMatcher
		want    bool
	}{
		"the point":              {forty(), HaveCorrectedMeanAbove(ragtest.Faithfulness, c, 0.866).OnPoint(), true},
		"the point, not above":   {forty(), HaveCorrectedMeanAbove(ragtest.Faithfulness, c, 0.867).OnPoint(), false},
		"the lower end":          {forty(), HaveCorrectedMeanAbove(ragtest.Faithfulness, c, 0.7), true},
		"the lower end, below":   {forty(), HaveCorrectedMeanAbove(ragtest.Faithfulness, c, 0.85), false},
		"a report, no pointer":   {*forty(), HaveCorrectedMeanAbove(ragtest.Faithfulness, c, 0.7), true},
		"samples with a tag":     {tagged(forty(), "a", "a", "a"), HaveCorrectedMeanAbove(ragtest.Faithfulness, c, 0.79).ForTag("a").OnPoint(), true},
		"their corrected mean":   {tagged(forty(), "a", "a", "a"), HaveCorrectedMeanAbove(ragtest.Faithfulness, c, 0.81).ForTag("a").OnPoint(), false},
		"a judge without errors": {forty(), HaveCorrectedMeanAbove(ragtest.Faithfulness, binary(50, 0, 0, 50), 0.7), true},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := test.matcher.Match(test.actual)
			if err != nil || got != test.want {
				t.Errorf("got %v, %v, want %v", got, err, test.want)
			}
		})
	}
}

func TestErrorsOfCorrectedMeans(t *testing.T) {
	c := binary(90, 10, 15, 85)
	mean := HaveCorrectedMeanAbove(ragtest.Faithfulness, c, 0.8)
	another := binary(90, 10, 15, 85)
	another.Model = "n"
	for name, test := range map[string]struct {
		actual  any
		matcher *CorrectedMatcher
		want    string
	}{
		"a useless judge":   {forty(), HaveCorrectedMeanAbove(ragtest.Faithfulness, binary(60, 40, 60, 40), 0.8), `HaveCorrectedMeanAbove(faithfulness, m at h, 0.8): cannot be corrected: TPR 0.60 and TNR 0.40 of 200 items leave open whether the judge is better than chance`},
		"on the point":      {forty(), HaveCorrectedMeanAbove(ragtest.Faithfulness, binary(60, 40, 60, 40), 0.8).OnPoint(), `cannot be corrected`},
		"few labels":        {forty(), HaveCorrectedMeanAbove(ragtest.Faithfulness, binary(90, 4, 1, 5), 0.8), `cannot be corrected: too few labels: 94 items are labelled 1 and 6 are labelled 0`},
		"another judge":     {forty(), HaveCorrectedMeanAbove(ragtest.Faithfulness, another, 0.8), `HaveCorrectedMeanAbove(faithfulness, n at h, 0.8): cannot be corrected: the report is by m at h, and the calibration is of n at h`},
		"one unmeasured":    {but(forty(), errNoClaim), mean, `cannot be corrected: 40 samples were measured by faithfulness and 1 were not, expected at least 2 and all`},
		"another metric":    {forty(), HaveCorrectedMeanAbove(ragtest.ContextRecall, c, 0.8), `HaveCorrectedMeanAbove(context_recall, m at h, 0.8): the report has no context_recall, it has faithfulness`},
		"no share":          {&ragtest.Report{Metrics: []string{"answer_relevance"}}, HaveCorrectedMeanAbove(ragtest.AnswerRelevance, c, 0.8), `cannot be corrected: answer_relevance is no plain share of verdicts`},
		"no such tag":       {tagged(forty(), "a"), mean.ForTag("c"), `HaveCorrectedMeanAbove(faithfulness, m at h, 0.8).ForTag("c"): no sample of the report has this tag; the tags are ["a"]`},
		"the same verdicts": {quarters(4, 4, 4), HaveCorrectedMeanAbove(ragtest.Faithfulness, binary(50, 0, 0, 50), 0.8), `the corrected mean is 1.00 [1.00, 1.00], whose lower end is nothing to go by: the judge errs on none of these items`},
		"nil metric":        {forty(), HaveCorrectedMeanAbove(nil, c, 0.8), `HaveCorrectedMeanAbove(<nil metric>, m at h, 0.8): nothing to look for was given, expected ragtest.Faithfulness or ragtest.ContextRecall`},
		"nil calibration":   {forty(), HaveCorrectedMeanAbove(ragtest.Faithfulness, nil, 0.8), `HaveCorrectedMeanAbove(faithfulness, <nil>, 0.8): nothing to correct by was given, expected the calibration of the report's judge`},
		"NaN":               {forty(), HaveCorrectedMeanAbove(ragtest.Faithfulness, c, math.NaN()), `HaveCorrectedMeanAbove(faithfulness, m at h, NaN): the bound is NaN, expected a number`},
		"percents":          {forty(), HaveCorrectedMeanAbove(ragtest.Faithfulness, c, 80), `HaveCorrectedMeanAbove(faithfulness, m at h, 80): means lie from 0 to 1, so the bound must be at least 0 and below 1`},
		"nil":               {nil, mean, `HaveCorrectedMeanAbove(faithfulness, m at h, 0.8) expects the report of ragtest.Evaluate, got nil`},
		"a calibration":     {c, mean, `HaveCorrectedMeanAbove(faithfulness, m at h, 0.8) is about the report of ragtest.Evaluate, got the calibration of a judge. Of that ask HaveKappaAbove, HaveTPRAbove or HaveTNRAbove`},
		"a sample":          {moon, mean, `got one sample (ragtest.Sample). For a sample use HaveScoreAbove(faithfulness, 0.8)`},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			_, err := test.matcher.Match(test.actual)
			g.Expect(err).To(MatchError(ContainSubstring(test.want)))
			g.Expect(failure(func(g Gomega) { g.Expect(test.actual).To(test.matcher) })).To(ContainSubstring(test.want))
			g.Expect(failure(func(g Gomega) { g.Expect(test.actual).NotTo(test.matcher) })).To(ContainSubstring(test.want))
			g.Expect(test.matcher.FailureMessage(test.actual)).To(HaveSuffix("but the report was not looked at"))
		})
	}
	g := NewWithT(t)
	_, err := HaveCorrectedMeanAbove(ragtest.Faithfulness, binary(90, 4, 1, 5), 0.8).Match(forty())
	g.Expect(err).To(MatchError(ragtest.ErrCannotCorrect))
	g.Expect(err).To(MatchError(agreement.ErrFewLabels))
}
