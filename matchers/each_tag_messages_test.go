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
    four: hit_rate_at_2 0.00
      ✗ 1. a
           not retrieved, among 2
      ✗ 2. b
           not retrieved, among 2
the worst that do not pass of rare
    four: hit_rate_at_2 0.00
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
        six: undefined: there are no ReferenceContextIDs, so there is nothing to find
    ✓ lookup: the mean is 1.000, with a 95% interval from 1.000 to 1.000, n=2
    not measured, and left out: 1
        seven: undefined: there are no ReferenceContextIDs, so there is nothing to find
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
