package matchers_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"sync"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	"github.com/onsi/gomega/types"

	"github.com/ragomega/ragomega/cache"
	. "github.com/ragomega/ragomega/matchers"
	"github.com/ragomega/ragomega/ragtest"
)

// quarters is a report of samples called a, b, … with scores in quarters.
func quarters(scores ...int) *ragtest.Report {
	r := &ragtest.Report{Judge: "m at h", Metrics: []string{"faithfulness"}}
	for i, n := range scores {
		s := ragtest.Score{Metric: "faithfulness", Value: float64(n) / 4}
		for k := range 4 {
			v := ragtest.Verdict{Claim: fmt.Sprintf("claim %d", k+1), OK: k < n}
			if !v.OK {
				v.Reason = "nobody says so"
			}
			s.Verdicts = append(s.Verdicts, v)
		}
		r.Results = append(r.Results, ragtest.Result{Sample: string(rune('a' + i)), Metric: "faithfulness", Score: s})
	}
	return r
}

// but is r with samples that were not measured.
func but(r *ragtest.Report, errs ...error) *ragtest.Report {
	for i, err := range errs {
		name := fmt.Sprintf("u%d", i+1)
		r.Results = append(r.Results, ragtest.Result{
			Sample: name, Metric: "faithfulness", Tags: []string{"hard"},
			Err: &ragtest.MeasureError{Metric: "faithfulness", Sample: name, Test: "TestX (x_test.go:1)", Err: err},
		})
	}
	return r
}

func tagged(r *ragtest.Report, tags ...string) *ragtest.Report {
	for i, tag := range tags {
		r.Results[i].Tags = []string{tag}
	}
	return r
}

var (
	errNoClaim    = fmt.Errorf("%w: the answer makes no claim", ragtest.ErrUndefined)
	errNoContexts = &ragtest.InputError{Field: "RetrievedContexts", Want: "contexts to judge by are needed, and there are none"}
)

func TestOutcomesOfReports(t *testing.T) {
	for name, test := range map[string]struct {
		report  any
		matcher *ReportMatcher
		want    bool
	}{
		"mean above":                    {quarters(4, 3), HaveMeanAbove(ragtest.Faithfulness, 0.87), true},
		"above is greater than":         {quarters(4, 3), HaveMeanAbove(ragtest.Faithfulness, 0.875), false},
		"mean, a number":                {quarters(4, 3), HaveMean(ragtest.Faithfulness, 0.875), true},
		"mean, all":                     {quarters(4, 4), HaveMean(ragtest.Faithfulness, 1), true},
		"mean, a matcher":               {quarters(4, 3), HaveMean(ragtest.Faithfulness, BeNumerically(">=", 0.875)), true},
		"mean of one":                   {quarters(3), HaveMeanAbove(ragtest.Faithfulness, 0.7), true},
		"a report, no pointer":          {*quarters(4, 3), HaveMean(ragtest.Faithfulness, 0.875), true},
		"the bound is below the mean":   {quarters(4, 4, 2, 2), HaveLowerBoundAbove(ragtest.Faithfulness, 0.5), false},
		"the bound is above":            {quarters(4, 4, 2, 2), HaveLowerBoundAbove(ragtest.Faithfulness, 0.49), true},
		"of less confidence":            {quarters(4, 4, 2, 2), HaveLowerBoundAbove(ragtest.Faithfulness, 0.6).Confidence(0.5), true},
		"two perfect samples":           {quarters(4, 4), HaveLowerBoundAbove(ragtest.Faithfulness, 0.158), true}, // (0.025)^(1/2)
		"say little":                    {quarters(4, 4), HaveLowerBoundAbove(ragtest.Faithfulness, 0.159), false},
		"two of three quarters":         {quarters(3, 3), HaveLowerBoundAbove(ragtest.Faithfulness, 0.118), true}, // 0.75·(0.025)^(1/2)
		"say less":                      {quarters(3, 3), HaveLowerBoundAbove(ragtest.Faithfulness, 0.119), false},
		"three say more":                {quarters(4, 4, 4), HaveLowerBoundAbove(ragtest.Faithfulness, 0.29), true},
		"pass rate":                     {quarters(4, 4, 4, 0), HavePassRateAbove(BeFaithful(), 0.7), true},
		"pass rate, above":              {quarters(4, 4, 4, 0), HavePassRateAbove(BeFaithful(), 0.75), false},
		"pass rate, a number":           {quarters(4, 4, 4, 0), HavePassRate(BeFaithful(), 0.75), true},
		"pass rate, a matcher":          {quarters(4, 4, 4, 0), HavePassRate(BeFaithful(), BeNumerically("<=", 0.5)), false},
		"pass above":                    {quarters(4, 3, 3, 0), HavePassRate(HaveFaithfulnessAbove(0.75), 0.25), true},
		"pass at least":                 {quarters(4, 3, 3, 0), HavePassRate(HaveScore(ragtest.Faithfulness, BeNumerically(">=", 0.75)), 0.75), true},
		"pass by verdicts":              {quarters(4, 3, 2, 0), HavePassRate(HaveRejected(ragtest.Faithfulness, "claim 4"), 0.25), true},
		"nobody passes":                 {quarters(0, 0), HavePassRate(BeFaithful(), 0), true},
		"one tag":                       {tagged(quarters(4, 0), "critical"), HaveMean(ragtest.Faithfulness, 1).ForTag("critical"), true},
		"another tag":                   {tagged(quarters(4, 0), "critical", "rare"), HaveMean(ragtest.Faithfulness, 1).ForTag("rare"), false},
		"pass rate of a tag":            {tagged(quarters(4, 0), "critical"), HavePassRate(BeFaithful(), 1).ForTag("critical"), true},
		"as many unmeasured as allowed": {but(quarters(4, 4), errNoClaim, errNoClaim), HaveMean(ragtest.Faithfulness, 1).AllowUnmeasured(2), true},
		"the rate is of the measured":   {but(quarters(4, 4), errNoClaim, errNoClaim), HavePassRate(BeFaithful(), 1).AllowUnmeasured(2), true},
		"unmeasured with another tag":   {but(tagged(quarters(4, 4), "easy"), errNoClaim), HaveMean(ragtest.Faithfulness, 1).ForTag("easy"), true},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := test.matcher.Match(test.report)
			if err != nil || got != test.want {
				t.Errorf("got %v, %v, want %v", got, err, test.want)
			}
		})
	}
}

// A report that does not tell fails To and NotTo alike.
func TestErrorsOfReports(t *testing.T) {
	mean, rate := HaveMeanAbove(ragtest.Faithfulness, 0.5), HavePassRateAbove(BeFaithful(), 0.5)
	noMetrics := &ragtest.Report{}
	var none *ragtest.Report
	for name, test := range map[string]struct {
		actual  any
		matcher *ReportMatcher
		want    string
	}{
		"one unmeasured": {but(quarters(4, 4), errNoClaim), mean, `HaveMeanAbove(faithfulness, 0.5): 1 of 3 samples were not measured, and AllowUnmeasured allows 0
    u1: undefined: the answer makes no claim`},
		"more than allowed": {
			but(quarters(4), errNoContexts, errNoClaim, errNoClaim, errors.New("the disk is full")), rate.AllowUnmeasured(3),
			`HavePassRateAbove(BeFaithful(), 0.5).AllowUnmeasured(3): 4 of 5 samples were not measured, and AllowUnmeasured allows 3
    u1: missing input: Sample.RetrievedContexts: contexts to judge by are needed, and there are none. Nothing was asked
    u2: undefined: the answer makes no claim
      likewise: u3
    u4: the disk is full`,
		},
		"many alike": {
			but(quarters(4), errNoClaim, errNoClaim, errNoClaim, errNoClaim, errNoClaim, errNoClaim, errNoClaim, errNoClaim), mean,
			`HaveMeanAbove(faithfulness, 0.5): 8 of 9 samples were not measured, and AllowUnmeasured allows 0
    u1: undefined: the answer makes no claim
      likewise: u2, u3, u4, u5, u6 and 2 more`,
		},
		"none measured": {but(quarters(), errNoClaim, errNoClaim), mean.AllowUnmeasured(9), `HaveMeanAbove(faithfulness, 0.5).AllowUnmeasured(9): none of 2 samples was measured
    u1: undefined: the answer makes no claim
      likewise: u2`},
		"unmeasured with the tag": {but(quarters(4), errNoClaim), mean.ForTag("hard").AllowUnmeasured(1), `HaveMeanAbove(faithfulness, 0.5).ForTag("hard").AllowUnmeasured(1): none of 1 samples was measured
    u1: undefined: the answer makes no claim`},
		"no sample":            {quarters(), mean, `HaveMeanAbove(faithfulness, 0.5): undefined: the report has no sample`},
		"no such metric":       {quarters(4), HaveMean(ragtest.ContextRecall, 1), `HaveMean(context_recall, 1): the report has no context_recall, it has faithfulness`},
		"no such pass":         {quarters(4), HavePassRate(BeCorrect(), 1), `HavePassRate(BeCorrect(), 1): the report has no answer_correctness_weights_1_0, it has faithfulness`},
		"no metrics":           {noMetrics, mean, `HaveMeanAbove(faithfulness, 0.5): the report has no faithfulness, it has nothing`},
		"no such tag":          {tagged(quarters(4, 4), "a", "b"), mean.ForTag("c"), `HaveMeanAbove(faithfulness, 0.5).ForTag("c"): no sample of the report has this tag; the tags are ["a" "b"]`},
		"no tags":              {quarters(4, 4), mean.ForTag("c"), `HaveMeanAbove(faithfulness, 0.5).ForTag("c"): no sample of the report has a tag`},
		"one sample, a bound":  {quarters(4), HaveLowerBoundAbove(ragtest.Faithfulness, 0.5), `HaveLowerBoundAbove(faithfulness, 0.5): undefined: there is no interval of faithfulness: 1 samples were measured and 0 were not`},
		"NaN":                  {quarters(4), HaveMeanAbove(ragtest.Faithfulness, math.NaN()), `HaveMeanAbove(faithfulness, NaN): the bound is NaN, expected a number`},
		"no mean is above 1":   {quarters(4), HaveMeanAbove(ragtest.Faithfulness, 1), `HaveMeanAbove(faithfulness, 1): scores lie from 0 to 1, so the bound must be at least 0 and below 1. For the highest score itself use HaveMean(…, 1)`},
		"no bound is above 1":  {quarters(4), HaveLowerBoundAbove(ragtest.Faithfulness, 1.5), `HaveLowerBoundAbove(faithfulness, 1.5): scores lie from 0 to 1, so the bound must be at least 0 and below 1. For the highest score itself use HaveMean(…, 1)`},
		"no rate is above 1":   {quarters(4), HavePassRateAbove(BeFaithful(), 1), `HavePassRateAbove(BeFaithful(), 1): rates lie from 0 to 1, so the bound must be at least 0 and below 1. For the highest rate itself use HavePassRate(…, 1)`},
		"percents":             {quarters(4), HavePassRate(BeFaithful(), 90), `HavePassRate(BeFaithful(), 90): rates lie from 0 to 1, so none is 90`},
		"below all":            {quarters(4), HaveMeanAbove(ragtest.Faithfulness, -1), `HaveMeanAbove(faithfulness, -1): scores lie from 0 to 1, so the bound must be at least 0 and below 1. For the highest score itself use HaveMean(…, 1)`},
		"a pass that cannot":   {quarters(4), HavePassRate(HaveFaithfulnessAbove(1), 1), `HavePassRate(HaveFaithfulnessAbove(1), 1): HaveFaithfulnessAbove(1): scores lie from 0 to 1, so the bound must be at least 0 and below 1. For the highest score itself use HaveScore(…, 1)`},
		"contexts":             {quarters(4), HavePassRate(BeFaithfulTo("c"), 1), `HavePassRate(BeFaithfulTo(…), 1): the report holds scores, and BeFaithfulTo(…) has contexts, a question or a judge of its own to measure by`},
		"a question":           {quarters(4), HavePassRate(BeFaithful().Asked("q"), 1), `HavePassRate(BeFaithful(), 1): the report holds scores, and BeFaithful() has contexts, a question or a judge of its own to measure by`},
		"a judge":              {quarters(4), HavePassRate(BeFaithful().Using(nil), 1), `HavePassRate(BeFaithful(), 1): the report holds scores, and BeFaithful() has contexts, a question or a judge of its own to measure by`},
		"nil pass":             {quarters(4), HavePassRate(nil, 1), `HavePassRate(<nil>, 1): nothing to look for was given, expected a metric such as ragtest.Faithfulness, or for a rate a matcher such as BeFaithful()`},
		"nil metric":           {quarters(4), HaveMeanAbove(nil, 0.5), `HaveMeanAbove(<nil metric>, 0.5): nothing to look for was given, expected a metric such as ragtest.Faithfulness, or for a rate a matcher such as BeFaithful()`},
		"no expectation":       {quarters(4), HaveMean(ragtest.Faithfulness, "x"), `HaveMean(faithfulness, x): expected a number or a matcher to hold the report against`},
		"confidence in %":      {quarters(4), mean.Confidence(95), `HaveMeanAbove(faithfulness, 0.5).Confidence(95): expected a confidence between 0 and 1, such as 0.95`},
		"confidence NaN":       {quarters(4), mean.Confidence(math.NaN()), `HaveMeanAbove(faithfulness, 0.5).Confidence(NaN): expected a confidence between 0 and 1, such as 0.95`},
		"fewer than none":      {quarters(4), mean.AllowUnmeasured(-1), `HaveMeanAbove(faithfulness, 0.5).AllowUnmeasured(-1): expected a number of at least 0`},
		"a pass that breaks":   {quarters(4, 4), HavePassRate(HaveVerdict(ragtest.Faithfulness, 5, true), 1), `HavePassRate(HaveVerdict(faithfulness, 5, true), 1): sample "a": HaveVerdict(faithfulness, 5, true): there is no verdict 5 on faithfulness, there are 4`},
		"nil":                  {nil, mean, `HaveMeanAbove(faithfulness, 0.5) expects the report of ragtest.Evaluate, got nil`},
		"nil report":           {none, mean, `HaveMeanAbove(faithfulness, 0.5) expects the report of ragtest.Evaluate, got nil`},
		"a sample":             {&moon, mean, `HaveMeanAbove(faithfulness, 0.5) is about the report of ragtest.Evaluate, got one sample (*ragtest.Sample). For a sample use HaveScoreAbove(faithfulness, 0.5)`},
		"a sample, a rate":     {"answer", rate, `HavePassRateAbove(BeFaithful(), 0.5) is about the report of ragtest.Evaluate, got one sample (string). For a sample use BeFaithful()`},
		"a sample, a number":   {moon, HaveMean(ragtest.Faithfulness, 1), `HaveMean(faithfulness, 1) is about the report of ragtest.Evaluate, got one sample (ragtest.Sample). For a sample use HaveScore(faithfulness, 1)`},
		"samples":              {[]ragtest.Sample{moon, louvre}, mean, `HaveMeanAbove(faithfulness, 0.5) is about the report of ragtest.Evaluate, got a slice of 2 ([]ragtest.Sample). Measure it first: ragtest.Evaluate(ctx, samples, …)`},
		"anything else":        {42, mean, "HaveMeanAbove(faithfulness, 0.5) is about the report of ragtest.Evaluate, got\n    <int>: 42"},
		"a matcher that can't": {quarters(4), HaveMean(ragtest.Faithfulness, BeTrue()), "HaveMean(faithfulness, BeTrue()): Expected a boolean.  Got:\n    <float64>: 1"},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			_, err := test.matcher.Match(test.actual)
			g.Expect(err).To(HaveOccurred())
			g.Expect(err.Error()).To(Equal(test.want))
			g.Expect(failure(func(g Gomega) { g.Expect(test.actual).To(test.matcher) })).To(ContainSubstring(test.want))
			g.Expect(failure(func(g Gomega) { g.Expect(test.actual).NotTo(test.matcher) })).To(ContainSubstring(test.want))
			g.Expect(test.matcher.FailureMessage(test.actual)).To(HaveSuffix("but the report was not looked at"))
		})
	}
}

// Reports and samples are not taken for each other.
func TestASampleMatcherNamesThoseOfReports(t *testing.T) {
	g := NewWithT(t)
	for _, r := range []any{quarters(4), *quarters(4)} {
		_, err := BeFaithful().Match(r)
		g.Expect(err).To(MatchError(`BeFaithful() judges one sample, got a report of many. Of a report ask HavePassRateAbove(BeFaithful(), …) or HaveMeanAbove(faithfulness, …)`))
	}
}

// What kept the samples from being measured can be told by errors.Is, and what
// may pass does not end Eventually.
func TestUnmeasuredSamplesKeepTheirErrors(t *testing.T) {
	g := NewWithT(t)
	_, err := HaveMean(ragtest.Faithfulness, 1).Match(but(quarters(4), errNoContexts, &cache.MissError{}))
	g.Expect(err).To(MatchError(ragtest.ErrMissingInput))
	g.Expect(err).To(MatchError(cache.ErrMiss))
	g.Expect(err).NotTo(MatchError(ragtest.ErrUndefined))
	began := time.Now()
	message := failure(func(g Gomega) {
		g.Eventually(func() *ragtest.Report { return but(quarters(4), errNoClaim) }).WithTimeout(time.Hour).Should(HaveMean(ragtest.Faithfulness, 1))
	})
	g.Expect(message).To(MatchRegexp(`^Told to stop trying after [\d.]+s\.\nHaveMean\(faithfulness, 1\): 1 of 2 samples were not measured`))
	g.Expect(time.Since(began)).To(BeNumerically("<", time.Minute))
}

// The whole road, with a sample that cannot be measured and one that can be only
// by a metric of which less is better.
func TestEvaluateAndAsk(t *testing.T) {
	g := NewWithT(t)
	standing(t)
	words := wordCount{}
	r, err := ragtest.Evaluate(t.Context(), []ragtest.Sample{moon, louvre, {Name: "empty"}}, ragtest.Faithfulness, words)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(r).To(HaveMean(ragtest.Faithfulness, 0.75).AllowUnmeasured(1))
	g.Expect(r).To(HaveMean(words, BeNumerically("<", 5)))
	g.Expect(r).To(HavePassRate(HaveScore(words, BeNumerically("<=", 5)), BeNumerically("~", 0.67, 0.01)))
	message := failure(func(g Gomega) { g.Expect(r).NotTo(HaveMean(words, BeNumerically("<", 5))) })
	g.Expect(message).To(HaveSuffix("the worst\n    moon: words 8.00\n    louvre: words 5.00"), "the longest first, and not the best")
}

// wordCount is a metric of which less is better.
type wordCount struct{}

func (wordCount) Name() string                     { return "words" }
func (wordCount) Range() (lowest, highest float64) { return 0, 100 }
func (wordCount) LowerIsBetter()                   {}
func (wordCount) Measure(_ context.Context, _ *ragtest.Judge, s ragtest.Sample) (ragtest.Score, error) {
	n := 0
	for range strings.FieldsSeq(s.Response) {
		n++
	}
	return ragtest.Score{Value: float64(n)}, nil
}

// Ginkgo reads messages while a matcher is at work, and a matcher may be shared:
// the race detector watches, also inside of And and Or.
func TestReportMatchersAreSafeForConcurrentUse(t *testing.T) {
	standing(t)
	inner := func() types.GomegaMatcher {
		return Or(BeNumerically(">", 0.5), And(BeNumerically("<", 0.2), Not(BeZero())))
	}
	rate, mean, one := HavePassRate(HaveScore(ragtest.Faithfulness, inner()), 1), HaveMean(ragtest.Faithfulness, inner()), HaveScore(ragtest.Faithfulness, inner())
	a, b := quarters(4, 3), quarters(2, 1)
	var wg sync.WaitGroup
	for i := range 8 {
		r, s := a, louvre
		if i%2 == 0 {
			r, s = b, moon
		}
		wg.Go(func() {
			for range 20 {
				for _, m := range []*ReportMatcher{rate, mean, rate.ForTag("x")} {
					_, _ = m.Match(r)
					_, _, _ = m.FailureMessage(r), m.NegatedFailureMessage(r), m.GomegaString()
				}
				ok, err := one.Match(s)
				if err != nil || ok != (s.Name == "louvre") {
					t.Errorf("got %v, %v for %s", ok, err, s.Name)
				}
			}
		})
	}
	wg.Wait()
}
