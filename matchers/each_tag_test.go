package matchers_test

import (
	"testing"

	. "github.com/onsi/gomega"

	. "github.com/ragomega/ragomega/matchers"
	"github.com/ragomega/ragomega/ragtest"
)

// retrieved is a sample whose relevant IDs are a and b.
func retrieved(name string, tags []string, ids ...string) ragtest.Sample {
	return ragtest.Sample{Name: name, Tags: tags, RetrievedContextIDs: ids, ReferenceContextIDs: ragtest.IDs{"a", "b"}}
}

// unlabelled is one of which nobody knows what is relevant.
func unlabelled(name string, tags ...string) ragtest.Sample {
	return ragtest.Sample{Name: name, Tags: tags, RetrievedContextIDs: ragtest.IDs{"a"}}
}

// byType has samples of two types, one rare sample of each, and one without a tag.
var byType = []ragtest.Sample{
	retrieved("one", []string{"lookup"}, "a", "b"),
	retrieved("two", []string{"lookup", "rare"}, "a", "b"),
	retrieved("three", []string{"list"}, "a", "c"),
	retrieved("four", []string{"list", "rare"}, "c", "d"),
	retrieved("five", nil, "b", "a"),
}

func recalled(t *testing.T, samples ...ragtest.Sample) *ragtest.Report {
	t.Helper()
	r, err := ragtest.NoJudge().Evaluate(t.Context(), samples, ragtest.RecallAt(2), ragtest.HitRateAt(2))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

const byTypeShown = `Expected
    <*ragtest.Report | 0x…>: 5 samples
        recall_at_2 0.700 [0.200, 1.000], median 1.000, from 0.000 to 1.000, n=5
        hit_rate_at_2 0.800 [0.200, 1.000], median 1.000, from 0.000 to 1.000, n=5
`

// A message has a line for each tag, and what speaks against those that fall short.
func TestMessagesOfEachTag(t *testing.T) {
	r := recalled(t, byType...)
	for name, test := range map[string]struct {
		assert func(g Gomega)
		want   string
	}{
		"HaveMeanAbove": {
			func(g Gomega) { g.Expect(r).To(HaveMeanAbove(ragtest.RecallAt(2), 0.5).ForEachTag()) },
			byTypeShown + `to have a mean of recall_at_2 above 0.5 for each tag
but 2 of 4 tags fall short
    ✗ list: the mean is 0.250, with a 95% interval from 0.000 to 0.500, n=2
    ✓ lookup: the mean is 1.000, with a 95% interval from 1.000 to 1.000, n=2
    ✗ rare: the mean is 0.500, with a 95% interval from 0.000 to 1.000, n=2
    ✓ (no tag): the mean is 1.000, n=1
the worst of list
    four: recall_at_2 0.00 (0/2)
      ✗ 1. a
           not retrieved, among 2
      ✗ 2. b
           not retrieved, among 2
    three: recall_at_2 0.50 (1/2)
      ✗ 2. b
           not retrieved, among 2
the worst of rare
    four: recall_at_2 0.00 (0/2)
      ✗ 1. a
           not retrieved, among 2
      ✗ 2. b
           not retrieved, among 2`,
		},
		"not HaveMeanAbove": {
			func(g Gomega) { g.Expect(r).NotTo(HaveMeanAbove(ragtest.RecallAt(2), 0.2).ForEachTag()) },
			byTypeShown + `not to have a mean of recall_at_2 above 0.2 for each tag
but 0 of 4 tags fall short
    ✓ list: the mean is 0.250, with a 95% interval from 0.000 to 0.500, n=2
    ✓ lookup: the mean is 1.000, with a 95% interval from 1.000 to 1.000, n=2
    ✓ rare: the mean is 0.500, with a 95% interval from 0.000 to 1.000, n=2
    ✓ (no tag): the mean is 1.000, n=1`,
		},
		"HaveMean, a matcher, and nothing speaks against": {
			func(g Gomega) {
				g.Expect(recalled(t, byType[:1]...)).To(HaveMean(ragtest.RecallAt(2), BeNumerically("<", 0.5)).ForEachTag())
			},
			`Expected
    <*ragtest.Report | 0x…>: 1 sample
        recall_at_2 1.000, median 1.000, from 1.000 to 1.000, n=1
        hit_rate_at_2 1.000, median 1.000, from 1.000 to 1.000, n=1
to have a mean of recall_at_2 that satisfies < 0.5 for each tag
but 1 of 1 tags fall short
    ✗ lookup: the mean is 1.000, n=1`,
		},
		"HavePassRate": {
			func(g Gomega) { g.Expect(r).To(HavePassRate(HaveHitAt(2), 1).ForEachTag()) },
			byTypeShown + `to have a pass rate of HaveHitAt(2) of 1 for each tag
but 2 of 4 tags fall short
    ✗ list: the pass rate is 0.500 (1/2), with a 95% interval from 0.000 to 1.000, n=2
    ✓ lookup: the pass rate is 1.000 (2/2), with a 95% interval from 1.000 to 1.000, n=2
    ✗ rare: the pass rate is 0.500 (1/2), with a 95% interval from 0.000 to 1.000, n=2
    ✓ (no tag): the pass rate is 1.000 (1/1), n=1
the worst that do not pass of list
    four: hit_rate_at_2 0.00 (0/2)
      ✗ 1. a
           not retrieved, among 2
      ✗ 2. b
           not retrieved, among 2
the worst that do not pass of rare
    four: hit_rate_at_2 0.00 (0/2)
      ✗ 1. a
           not retrieved, among 2
      ✗ 2. b
           not retrieved, among 2`,
		},
		"HaveLowerBoundAbove": {
			func(g Gomega) {
				g.Expect(recalled(t, byType[:4]...)).To(HaveLowerBoundAbove(ragtest.RecallAt(2), 0.1).ForEachTag())
			},
			`Expected
    <*ragtest.Report | 0x…>: 4 samples
        recall_at_2 0.625 [0.125, 1.000], median 0.750, from 0.000 to 1.000, n=4
        hit_rate_at_2 0.750 [0.000, 1.000], median 1.000, from 0.000 to 1.000, n=4
to have a lower bound of recall_at_2 above 0.1 for each tag
but 2 of 3 tags fall short
    ✗ list: the lower bound is 0.000, as the mean is 0.250, with a 95% interval from 0.000 to 0.500, n=2
    ✓ lookup: the lower bound is 0.158, as all 2 scores are 1, and more of them leave less open, n=2
    ✗ rare: the lower bound is 0.000, as the mean is 0.500, with a 95% interval from 0.000 to 1.000, n=2
the worst of list
    four: recall_at_2 0.00 (0/2)
      ✗ 1. a
           not retrieved, among 2
      ✗ 2. b
           not retrieved, among 2
    three: recall_at_2 0.50 (1/2)
      ✗ 2. b
           not retrieved, among 2
the worst of rare
    four: recall_at_2 0.00 (0/2)
      ✗ 1. a
           not retrieved, among 2
      ✗ 2. b
           not retrieved, among 2`,
		},
		"some unmeasured": {
			func(g Gomega) {
				some := append([]ragtest.Sample{unlabelled("six", "list"), unlabelled("seven", "lookup")}, byType[:4]...)
				g.Expect(recalled(t, some...)).To(HaveMean(ragtest.RecallAt(2), 1).ForEachTag().AllowUnmeasured(1))
			},
			`Expected
    <*ragtest.Report | 0x…>: 6 samples
        recall_at_2 0.625 [0.125, 1.000], median 0.750, from 0.000 to 1.000, n=4, 2 not measured
        hit_rate_at_2 0.750 [0.000, 1.000], median 1.000, from 0.000 to 1.000, n=4, 2 not measured
to have a mean of recall_at_2 of 1 for each tag
but 2 of 3 tags fall short
    ✗ list: the mean is 0.250, with a 95% interval from 0.000 to 0.500, n=2
    not measured, and left out: 1
        six: undefined: no ID of ReferenceContextIDs is relevant, so there is nothing to find
    ✓ lookup: the mean is 1.000, with a 95% interval from 1.000 to 1.000, n=2
    not measured, and left out: 1
        seven: undefined: no ID of ReferenceContextIDs is relevant, so there is nothing to find
    ✗ rare: the mean is 0.500, with a 95% interval from 0.000 to 1.000, n=2
the worst of list
    four: recall_at_2 0.00 (0/2)
      ✗ 1. a
           not retrieved, among 2
      ✗ 2. b
           not retrieved, among 2
    three: recall_at_2 0.50 (1/2)
      ✗ 2. b
           not retrieved, among 2
the worst of rare
    four: recall_at_2 0.00 (0/2)
      ✗ 1. a
           not retrieved, among 2
      ✗ 2. b
           not retrieved, among 2`,
		},
		"those without a tag": {
			func(g Gomega) {
				g.Expect(recalled(t, byType[0], retrieved("six", nil, "c"))).To(HaveMeanAbove(ragtest.RecallAt(2), 0.5).ForEachTag())
			},
			`Expected
    <*ragtest.Report | 0x…>: 2 samples
        recall_at_2 0.500 [0.000, 1.000], median 0.500, from 0.000 to 1.000, n=2
        hit_rate_at_2 0.500 [0.000, 1.000], median 0.500, from 0.000 to 1.000, n=2
to have a mean of recall_at_2 above 0.5 for each tag
but 1 of 2 tags fall short
    ✓ lookup: the mean is 1.000, n=1
    ✗ (no tag): the mean is 0.000, n=1
the worst without a tag
    six: recall_at_2 0.00 (0/2)
      ✗ 1. a
           not retrieved, among 1
      ✗ 2. b
           not retrieved, among 1`,
		},
		"in Or": {
			func(g Gomega) {
				g.Expect(r).To(Or(HaveMean(ragtest.RecallAt(2), 0), HavePassRate(HaveHitAt(2), 1).ForEachTag().AllowUnmeasured(1)))
			},
			byTypeShown + `To satisfy at least one of these matchers: [HaveMean(recall_at_2, 0) HavePassRate(HaveHitAt(2), 1).ForEachTag().AllowUnmeasured(1)]`,
		},
		"in HaveEach": {
			func(g Gomega) {
				g.Expect([]any{recalled(t, byType[2])}).To(HaveEach(HaveMean(ragtest.RecallAt(2), 1).ForEachTag()))
			},
			`Expected
    <[]interface {} | len:1, cap:1>: [
        1 sample
            recall_at_2 0.500, median 0.500, from 0.500 to 0.500, n=1
            hit_rate_at_2 1.000, median 1.000, from 1.000 to 1.000, n=1,
    ]
to contain element matching
    <*matchers.ReportMatcher | 0x…>: HaveMean(recall_at_2, 1).ForEachTag(), which last found that 1 of 1 tags fall short
            ✗ list: the mean is 0.500, n=1
        the worst of list
            three: recall_at_2 0.50 (1/2)
              ✗ 2. b
                   not retrieved, among 2`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			got := pointer.ReplaceAllString(failure(test.assert), "0x…")
			NewWithT(t).Expect(got).To(Equal(test.want))
		})
	}
}

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
	const nothingToFind = "undefined: no ID of ReferenceContextIDs is relevant, so there is nothing to find"
	for name, test := range map[string]struct {
		samples []ragtest.Sample
		matcher *ReportMatcher
		want    string
	}{
		"no tags": {byType[4:], mean.ForEachTag(), `HaveMeanAbove(recall_at_2, 0.5).ForEachTag(): no sample of the report has a tag`},
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
