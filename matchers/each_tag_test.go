package matchers_test

import (
	"testing"

	. "github.com/onsi/gomega"

	. "github.com/ragomega/ragomega/matchers"
	"github.com/ragomega/ragomega/ragtest"
)

// Every tag has to satisfy what is expected, and what is allowed is allowed in each.
func TestOutcomesOfEachTag(t *testing.T) {
	recall := ragtest.RecallAt(2)
	twoOut := append([]ragtest.Sample{unlabelled("six", "lookup"), unlabelled("seven", "list")}, byType...)
	for name, test := range map[string]struct {
		samples []ragtest.Sample
		matcher *ReportMatcher
		want    bool
	}{
		"all":                        {byType, HaveMeanAbove(recall, 0.2).ForEachTag(), true},
		"all but one":                {byType, HaveMeanAbove(recall, 0.25).ForEachTag(), false},
		"the mean of all is above":   {byType, HaveMeanAbove(recall, 0.6), true},
		"and the least is not":       {byType, HaveMeanAbove(recall, 0.6).ForEachTag(), false},
		"those without a tag":        {[]ragtest.Sample{byType[0], retrieved("x", nil, "c")}, HaveMeanAbove(recall, 0.4).ForEachTag(), false},
		"one in two groups":          {byType[1:2], HaveMean(recall, 1).ForEachTag(), true},
		"a rate":                     {byType, HavePassRateAbove(HaveHitAt(2), 0.4).ForEachTag(), true},
		"a rate that is not reached": {byType, HavePassRateAbove(HaveHitAt(2), 0.5).ForEachTag(), false},
		"one out in each of two":     {twoOut, HaveMeanAbove(recall, 0.2).ForEachTag().AllowUnmeasured(1), true},
		"a lower bound of each":      {byType[:2], HaveLowerBoundAbove(recall, 0.1).ForTag("lookup"), true},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := test.matcher.Match(recalled(t, test.samples...))
			if err != nil || got != test.want {
				t.Errorf("got %v, %v, want %v", got, err, test.want)
			}
		})
	}
}

func TestErrorsOfEachTag(t *testing.T) {
	mean := HaveMeanAbove(ragtest.RecallAt(2), 0.5)
	const nothingToFind = "undefined: there are no ReferenceContextIDs, so there is nothing to find"
	for name, test := range map[string]struct {
		samples []ragtest.Sample
		matcher *ReportMatcher
		want    string
	}{
		"no tags": {byType[4:], mean.ForEachTag(), `HaveMeanAbove(recall_at_2, 0.5).ForEachTag(): no sample of the report has a tag`},
		"an empty tag": {
			[]ragtest.Sample{{Name: "e", Tags: []string{""}, RetrievedContextIDs: ragtest.IDs{"a"}, ReferenceContextIDs: ragtest.IDs{"a"}}},
			mean.ForEachTag(),
			`HaveMeanAbove(recall_at_2, 0.5).ForEachTag(): no sample of the report has a tag`,
		},
		"one tag": {byType, mean.ForTag("list").ForEachTag(), `HaveMeanAbove(recall_at_2, 0.5).ForTag("list").ForEachTag(): expected one tag or each, not both`},
		"each, and then one": {
			byType, mean.ForEachTag().ForTag("list"),
			`HaveMeanAbove(recall_at_2, 0.5).ForEachTag().ForTag("list"): expected one tag or each, not both`,
		},
		"no such metric": {byType, HaveMean(ragtest.MRR, 1).ForEachTag(), `HaveMean(mrr, 1).ForEachTag(): the report has no mrr, it has recall_at_2, hit_rate_at_2`},
		"none of a tag measured": {
			append([]ragtest.Sample{unlabelled("six", "odd"), unlabelled("seven", "odd")}, byType...), mean.ForEachTag().AllowUnmeasured(9),
			"HaveMeanAbove(recall_at_2, 0.5).ForEachTag().AllowUnmeasured(9): tag odd: none of 2 samples was measured\n    six: " + nothingToFind + "\n      likewise: seven",
		},
		"one of a tag not measured": {
			append([]ragtest.Sample{unlabelled("six", "lookup")}, byType...), mean.ForEachTag(),
			"HaveMeanAbove(recall_at_2, 0.5).ForEachTag(): tag lookup: 1 of 3 samples were not measured, and AllowUnmeasured allows 0\n    six: " + nothingToFind,
		},
		"one without a tag not measured": {
			append([]ragtest.Sample{unlabelled("six")}, byType...), mean.ForEachTag(),
			"HaveMeanAbove(recall_at_2, 0.5).ForEachTag(): samples without a tag: 1 of 2 samples were not measured, and AllowUnmeasured allows 0\n    six: " + nothingToFind,
		},
		"a bound of one sample": {
			[]ragtest.Sample{byType[0], byType[2], byType[3]},
			HaveLowerBoundAbove(ragtest.RecallAt(2), 0.1).ForEachTag(),
			`HaveLowerBoundAbove(recall_at_2, 0.1).ForEachTag(): tag lookup: undefined: there is no interval of recall_at_2: 1 samples were measured and 0 were not`,
		},
		"a matcher that can't": {byType, HaveMean(ragtest.RecallAt(2), BeTrue()).ForEachTag(), "HaveMean(recall_at_2, BeTrue()).ForEachTag(): tag list: Expected a boolean.  Got:\n    <float64>: 0.25"},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			r := recalled(t, test.samples...)
			_, err := test.matcher.Match(r)
			g.Expect(err).To(HaveOccurred())
			g.Expect(err.Error()).To(Equal(test.want))
			g.Expect(failure(func(g Gomega) { g.Expect(r).To(test.matcher) })).To(ContainSubstring(test.want))
			g.Expect(failure(func(g Gomega) { g.Expect(r).NotTo(test.matcher) })).To(ContainSubstring(test.want))
			g.Expect(test.matcher.FailureMessage(r)).To(HaveSuffix("but the report was not looked at"))
		})
	}
}

// An option makes a copy, which has not looked at anything.
func TestNamesOfEachTag(t *testing.T) {
	g := NewWithT(t)
	r := recalled(t, byType...)
	mean := HaveMeanAbove(ragtest.RecallAt(2), 0.6)
	each := mean.ForEachTag()
	g.Expect(each.String()).To(Equal("HaveMeanAbove(recall_at_2, 0.6).ForEachTag()"))
	g.Expect(each.GomegaString()).To(Equal(each.String()))
	g.Expect(each.Match(r)).To(BeFalse())
	g.Expect(mean.Match(r)).To(BeTrue(), "it is as it was")
	g.Expect(each.String()).To(Equal("HaveMeanAbove(recall_at_2, 0.6).ForEachTag()"))
	g.Expect(each.GomegaString()).To(HavePrefix("HaveMeanAbove(recall_at_2, 0.6).ForEachTag(), which last found that 2 of 4 tags fall short\n    ✗ list: "))
	g.Expect(each.Confidence(0.9).GomegaString()).To(Equal("HaveMeanAbove(recall_at_2, 0.6).ForEachTag().Confidence(0.9)"))
}

// It stands where others do.
func TestPositionsOfEachTag(t *testing.T) {
	good, bad := recalled(t, byType[:2]...), recalled(t, byType...)
	m := HaveMeanAbove(ragtest.RecallAt(2), 0.6).ForEachTag()
	for where, p := range positions {
		t.Run(where, func(t *testing.T) {
			for r, holds := range map[*ragtest.Report]bool{good: true, bad: false} {
				message := failure(func(g Gomega) { p.assert(g, r, m) })
				if (message == "") != (p.unreached || holds != p.negative) {
					t.Errorf("of one that holds: %v, it says\n%s", holds, message)
				}
			}
		})
	}
}
