package matchers_test

import (
	"testing"
	"time"

	. "github.com/onsi/gomega"

	. "github.com/ragomega/ragomega/matchers"
	"github.com/ragomega/ragomega/ragtest"
)

func TestSingleVerdicts(t *testing.T) {
	standing(t)
	texasTwice := moon
	texasTwice.Response = "He was born in Texas. Texas is big. Armstrong walked first."
	for name, test := range map[string]struct {
		sample  ragtest.Sample
		matcher *Matcher
		want    bool
	}{
		"the claim at fault":          {moon, HaveRejected(ragtest.Faithfulness, ContainSubstring("Texas")), true},
		"in its own words":            {moon, HaveRejected(ragtest.Faithfulness, "He was born in Texas"), true},
		"not quite its words":         {moon, HaveRejected(ragtest.Faithfulness, "He was born in Texas."), false},
		"another claim":               {moon, HaveRejected(ragtest.Faithfulness, ContainSubstring("walked")), false},
		"this and another":            {moon, HaveRejected(ragtest.Faithfulness, ContainSubstring("Texas"), ContainSubstring("walked")), false},
		"one matcher for two claims":  {texasTwice, HaveRejected(ragtest.Faithfulness, ContainSubstring("Texas")), true},
		"one of two claims":           {texasTwice, HaveRejected(ragtest.Faithfulness, ContainSubstring("born")), false},
		"two matchers for one claim":  {moon, HaveRejected(ragtest.Faithfulness, HavePrefix("He"), HaveSuffix("Texas")), true},
		"nothing is rejected":         {louvre, HaveRejected(ragtest.Faithfulness, Not(BeEmpty())), false},
		"what is missing":             {moon, HaveRejected(ragtest.AnswerCorrectness.Weights(1, 0), ContainSubstring("Texas"), ContainSubstring("1969")), true},
		"a context":                   {louvre, HaveRejected(ragtest.ContextPrecision, ContainSubstring("1793")), true},
		"the first context is useful": {louvre, HaveVerdict(ragtest.ContextPrecision, 1, true), true},
		"and the second is not":       {louvre, HaveVerdict(ragtest.ContextPrecision, 2, false), true},
		"the first is not":            {misranked, HaveVerdict(ragtest.ContextPrecision, 1, true), false},
		"a matcher for a verdict":     {moon, HaveVerdict(ragtest.ContextRecall, 2, HaveField("Quote", ContainSubstring("in 1969"))), true},
		"all verdicts":                {moon, HaveVerdicts(ragtest.ContextRecall, HaveExactElements(HaveField("OK", true), HaveField("OK", false))), true},
		"not all verdicts":            {moon, HaveVerdicts(ragtest.ContextRecall, HaveEach(HaveField("OK", true))), false},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := test.matcher.Match(test.sample)
			if err != nil || got != test.want {
				t.Errorf("got %v, %v, want %v", got, err, test.want)
			}
		})
	}
}

// What says nothing of a verdict is an error, of To and NotTo alike.
func TestErrorsOfSingleVerdicts(t *testing.T) {
	l := standing(t)
	for name, test := range map[string]struct {
		matcher *Matcher
		want    string
		asks    bool
	}{
		"nothing expected":       {HaveRejected(ragtest.Faithfulness), `HaveRejected(faithfulness): expected at least one matcher or text; that nothing is rejected says BeFaithful, or HaveScore(…, 1)`, false},
		"a number expected":      {HaveRejected(ragtest.Faithfulness, "x", 1), `HaveRejected(faithfulness, "x"): expected matchers and texts, got 1 (int)`, false},
		"no matcher":             {HaveVerdicts(ragtest.Faithfulness, nil), `HaveVerdicts(faithfulness, <nil>): expected a matcher to hold the verdicts against`, false},
		"neither yes nor no":     {HaveVerdict(ragtest.Faithfulness, 1, "yes"), `HaveVerdict(faithfulness, 1, yes): expected true, false or a matcher for the verdict`, false},
		"verdict 0":              {HaveVerdict(ragtest.Faithfulness, 0, true), `HaveVerdict(faithfulness, 0, true): verdicts are counted from 1`, false},
		"no metric":              {HaveRejected(nil, "x"), `no metric was given`, false},
		"verdict 3 of 2":         {HaveVerdict(ragtest.Faithfulness, 3, true), `HaveVerdict(faithfulness, 3, true): there is no verdict 3 on faithfulness, there are 2`, true},
		"no verdicts":            {HaveVerdicts(third, Not(ContainElement(1))), `HaveVerdicts(third, Not(ContainElement(1))): the metric gives no verdicts`, false},
		"none to reject":         {HaveRejected(third, "x"), `HaveRejected(third, "x"): the metric gives no verdicts`, false},
		"a matcher that cannot":  {HaveVerdicts(ragtest.Faithfulness, BeNumerically(">", 1)), "HaveVerdicts(faithfulness, BeNumerically(\">\", 1)): Expected a number.", true},
		"a regexp that is none":  {HaveRejected(ragtest.Faithfulness, MatchRegexp("(")), `HaveRejected(faithfulness, MatchRegexp("(")): RegExp match failed to compile`, true},
		"a score of other kinds": {HaveScore(ragtest.Faithfulness, ContainSubstring("1")), `HaveScore(faithfulness, ContainSubstring("1")): ContainSubstring matcher requires a string`, true},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			l.calls.Store(0)
			_, err := test.matcher.Match(moon)
			g.Expect(err).To(MatchError(HavePrefix(test.want)))
			g.Expect(l.calls.Load() > 0).To(Equal(test.asks), "the judge is asked")
			g.Expect(failure(func(g Gomega) { g.Expect(moon).To(test.matcher) })).To(HavePrefix(test.want))
			g.Expect(failure(func(g Gomega) { g.Expect(moon).NotTo(test.matcher) })).To(HavePrefix(test.want))
			g.Expect(failure(func(g Gomega) {
				g.Eventually(func() ragtest.Sample { return moon }).WithTimeout(time.Hour).Should(test.matcher)
			})).To(ContainSubstring("Told to stop trying"), "no further attempt mends it")
		})
	}
}
