package matchers_test

import (
	"errors"
	"fmt"
	"testing"

	. "github.com/onsi/gomega"

	. "github.com/ragomega/ragomega/matchers"
	"github.com/ragomega/ragomega/ragtest"
)

// A message about a report says how sure its number is, what it leaves out, and
// which sentences are at fault.
func TestMessagesOfReports(t *testing.T) {
	for name, test := range map[string]struct {
		assert func(g Gomega)
		want   string
	}{
		"HaveMeanAbove": {
			func(g Gomega) { g.Expect(quarters(4, 2, 4, 2)).To(HaveMeanAbove(ragtest.Faithfulness, 0.75)) },
			`Expected
    <*ragtest.Report | 0x…>: 4 samples
        faithfulness 0.750 [0.500, 1.000], median 0.750, from 0.500 to 1.000, n=4
        judge: m at h, uncalibrated
to have a mean of faithfulness above 0.75
but the mean is 0.750, with a 95% interval from 0.500 to 1.000, n=4
the worst
    b: faithfulness 0.50 (2/4)
      ✗ 3. claim 3
           nobody says so
      ✗ 4. claim 4
           nobody says so
    d: faithfulness 0.50 (2/4)
      ✗ 3. claim 3
           nobody says so
      ✗ 4. claim 4
           nobody says so`,
		},
		"not HaveMeanAbove": {
			func(g Gomega) { g.Expect(quarters(4, 4)).NotTo(HaveMeanAbove(ragtest.Faithfulness, 0.75)) },
			`Expected
    <*ragtest.Report | 0x…>: 2 samples
        faithfulness 1.000 [1.000, 1.000], median 1.000, from 1.000 to 1.000, n=2
        judge: m at h, uncalibrated
not to have a mean of faithfulness above 0.75
but the mean is 1.000, with a 95% interval from 1.000 to 1.000, n=2`,
		},
		"HaveMean, of a tag": {
			func(g Gomega) {
				g.Expect(tagged(quarters(3, 4), "critical")).To(HaveMean(ragtest.Faithfulness, 1).ForTag("critical"))
			},
			`Expected
    <*ragtest.Report | 0x…>: 2 samples
        faithfulness 0.875 [0.750, 1.000], median 0.875, from 0.750 to 1.000, n=2
        judge: m at h, uncalibrated
to have a mean of faithfulness of 1 among the samples tagged "critical"
but the mean is 0.750, n=1
the worst
    a: faithfulness 0.75 (3/4)
      ✗ 4. claim 4
           nobody says so`,
		},
		"not HaveMean": {
			func(g Gomega) {
				g.Expect(quarters(3)).NotTo(HaveMean(ragtest.Faithfulness, BeNumerically("~", 0.8, 0.1)))
			},
			`Expected
    <*ragtest.Report | 0x…>: 1 sample
        faithfulness 0.750, median 0.750, from 0.750 to 0.750, n=1
        judge: m at h, uncalibrated
not to have a mean of faithfulness that satisfies ~ 0.8, 0.1
but the mean is 0.750, n=1
the worst
    a: faithfulness 0.75 (3/4)
      ✗ 4. claim 4
           nobody says so`,
		},
		"HaveMeanAbove, hardly below": {
			func(g Gomega) { g.Expect(quarters(4, 2, 2)).To(HaveMeanAbove(ragtest.Faithfulness, 0.667)) },
			`Expected
    <*ragtest.Report | 0x…>: 3 samples
        faithfulness 0.667 [0.500, 1.000], median 0.500, from 0.500 to 1.000, n=3
        judge: m at h, uncalibrated
to have a mean of faithfulness above 0.667
but the mean is 0.6666666666666666, with a 95% interval from 0.500 to 1.000, n=3
the worst
    b: faithfulness 0.50 (2/4)
      ✗ 3. claim 3
           nobody says so
      ✗ 4. claim 4
           nobody says so
    c: faithfulness 0.50 (2/4)
      ✗ 3. claim 3
           nobody says so
      ✗ 4. claim 4
           nobody says so`,
		},
		"HaveLowerBoundAbove": {
			func(g Gomega) { g.Expect(quarters(4, 2, 4, 2)).To(HaveLowerBoundAbove(ragtest.Faithfulness, 0.5)) },
			`Expected
    <*ragtest.Report | 0x…>: 4 samples
        faithfulness 0.750 [0.500, 1.000], median 0.750, from 0.500 to 1.000, n=4
        judge: m at h, uncalibrated
to have a lower bound of faithfulness above 0.5
but the lower bound is 0.500, as the mean is 0.750, with a 95% interval from 0.500 to 1.000, n=4
the worst
    b: faithfulness 0.50 (2/4)
      ✗ 3. claim 3
           nobody says so
      ✗ 4. claim 4
           nobody says so
    d: faithfulness 0.50 (2/4)
      ✗ 3. claim 3
           nobody says so
      ✗ 4. claim 4
           nobody says so`,
		},
		"not HaveLowerBoundAbove": {
			func(g Gomega) {
				g.Expect(quarters(4, 4, 4, 4)).NotTo(HaveLowerBoundAbove(ragtest.Faithfulness, 0.4).Confidence(0.9))
			},
			`Expected
    <*ragtest.Report | 0x…>: 4 samples
        faithfulness 1.000 [1.000, 1.000], median 1.000, from 1.000 to 1.000, n=4
        judge: m at h, uncalibrated
not to have a lower bound of faithfulness above 0.4
but the lower bound is 0.473, as all 4 scores are 1, and more of them leave less open, n=4`,
		},
		"HavePassRateAbove, some unmeasured": {
			func(g Gomega) {
				g.Expect(but(quarters(4, 2, 2, 4), errNoClaim, errors.New("the disk is full"))).
					To(HavePassRateAbove(BeFaithful(), 0.5).AllowUnmeasured(2))
			},
			`Expected
    <*ragtest.Report | 0x…>: 6 samples
        faithfulness 0.750 [0.500, 1.000], median 0.750, from 0.500 to 1.000, n=4, 2 not measured
        judge: m at h, uncalibrated
to have a pass rate of BeFaithful() above 0.5
but the pass rate is 0.500 (2/4), with a 95% interval from 0.000 to 1.000, n=4
not measured, and left out: 2
    u1: undefined: the answer makes no claim
    u2: the disk is full
the worst that do not pass
    b: faithfulness 0.50 (2/4)
      ✗ 3. claim 3
           nobody says so
      ✗ 4. claim 4
           nobody says so
    c: faithfulness 0.50 (2/4)
      ✗ 3. claim 3
           nobody says so
      ✗ 4. claim 4
           nobody says so`,
		},
		"not HavePassRateAbove": {
			func(g Gomega) { g.Expect(quarters(4, 4)).NotTo(HavePassRateAbove(HaveFaithfulnessAbove(0.5), 0.5)) },
			`Expected
    <*ragtest.Report | 0x…>: 2 samples
        faithfulness 1.000 [1.000, 1.000], median 1.000, from 1.000 to 1.000, n=2
        judge: m at h, uncalibrated
not to have a pass rate of HaveFaithfulnessAbove(0.5) above 0.5
but the pass rate is 1.000 (2/2), with a 95% interval from 1.000 to 1.000, n=2`,
		},
		"HavePassRate, many fail": {
			func(g Gomega) { g.Expect(quarters(3, 3, 4, 3, 2, 3, 3, 3, 3)).To(HavePassRate(BeFaithful(), 1)) },
			`Expected
    <*ragtest.Report | 0x…>: 9 samples
        faithfulness 0.750 [0.667, 0.833], median 0.750, from 0.500 to 1.000, n=9
        judge: m at h, uncalibrated
to have a pass rate of BeFaithful() of 1
but the pass rate is 0.111 (1/9), with a 95% interval from 0.000 to 0.444, n=9
the worst that do not pass
    e: faithfulness 0.50 (2/4)
      ✗ 3. claim 3
           nobody says so
      ✗ 4. claim 4
           nobody says so
    a: faithfulness 0.75 (3/4)
      ✗ 4. claim 4
           nobody says so
    b: faithfulness 0.75 (3/4)
      ✗ 4. claim 4
           nobody says so
    d: faithfulness 0.75 (3/4)
      ✗ 4. claim 4
           nobody says so
    f: faithfulness 0.75 (3/4)
      ✗ 4. claim 4
           nobody says so
    and 3 more`,
		},
		"not HavePassRate": {
			func(g Gomega) {
				g.Expect(quarters(4)).NotTo(HavePassRate(HaveScore(ragtest.Faithfulness, BeNumerically(">=", 0.75)), BeNumerically(">", 0.9)))
			},
			`Expected
    <*ragtest.Report | 0x…>: 1 sample
        faithfulness 1.000, median 1.000, from 1.000 to 1.000, n=1
        judge: m at h, uncalibrated
not to have a pass rate of HaveScore(faithfulness, BeNumerically(">=", 0.75)) that satisfies > 0.9
but the pass rate is 1.000 (1/1), n=1`,
		},
		"in Or": {
			func(g Gomega) {
				g.Expect(quarters(4)).To(Or(HaveMean(ragtest.Faithfulness, 0), HavePassRate(BeFaithful(), 0).AllowUnmeasured(1)))
			},
			`Expected
    <*ragtest.Report | 0x…>: 1 sample
        faithfulness 1.000, median 1.000, from 1.000 to 1.000, n=1
        judge: m at h, uncalibrated
To satisfy at least one of these matchers: [HaveMean(faithfulness, 0) HavePassRate(BeFaithful(), 0).AllowUnmeasured(1)]`,
		},
		"in HaveEach": {
			func(g Gomega) { g.Expect([]any{quarters(4)}).To(HaveEach(HaveMean(ragtest.Faithfulness, 0))) },
			`Expected
    <[]interface {} | len:1, cap:1>: [
        1 sample
            faithfulness 1.000, median 1.000, from 1.000 to 1.000, n=1
            judge: m at h, uncalibrated,
    ]
to contain element matching
    <*matchers.ReportMatcher | 0x…>: HaveMean(faithfulness, 0), which last found that the mean is 1.000, n=1`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			got := pointer.ReplaceAllString(failure(test.assert), "0x…")
			g.Expect(got).To(Equal(test.want))
		})
	}
}

func TestASharedReportMatcherDoesNotMixReportsUp(t *testing.T) {
	g := NewWithT(t)
	shared := HaveMean(ragtest.Faithfulness, 1)
	a, b := quarters(1), quarters(2)
	for _, r := range []*ragtest.Report{a, b} {
		_, err := shared.Match(r)
		g.Expect(err).NotTo(HaveOccurred())
	}
	g.Expect(shared.FailureMessage(a)).To(HaveSuffix("\nbut the matcher has looked at another report since"))
	g.Expect(shared.FailureMessage(b)).To(ContainSubstring("but the mean is 0.500, n=1"))
	g.Expect(shared.ForTag("x").FailureMessage(b)).To(HaveSuffix("\nbut the report was not looked at"), "a copy has looked at nothing")
}

func TestNamesOfReportMatchers(t *testing.T) {
	g := NewWithT(t)
	for want, m := range map[string]fmt.Stringer{
		`HaveMeanAbove(faithfulness, 0.8)`:                                         HaveMeanAbove(ragtest.Faithfulness, 0.8),
		`HaveMean(faithfulness, 1)`:                                                HaveMean(ragtest.Faithfulness, 1),
		`HaveMean(faithfulness, BeNumerically("<", 1))`:                            HaveMean(ragtest.Faithfulness, BeNumerically("<", 1)),
		`HaveLowerBoundAbove(faithfulness, 0.8).Confidence(0.9)`:                   HaveLowerBoundAbove(ragtest.Faithfulness, 0.8).Confidence(0.9),
		`HavePassRateAbove(BeFaithful(), 0.8).ForTag("a").AllowUnmeasured(3)`:      HavePassRateAbove(BeFaithful(), 0.8).ForTag("a").AllowUnmeasured(3),
		`HavePassRate(HaveScore(faithfulness, BeNumerically(">=", 0.5)), 1)`:       HavePassRate(HaveScore(ragtest.Faithfulness, BeNumerically(">=", 0.5)), 1),
		`HaveVerdict(context_precision, 1, true)`:                                  HaveVerdict(ragtest.ContextPrecision, 1, true),
		`HaveVerdicts(faithfulness, HaveEach(HaveField("OK", true)))`:              HaveVerdicts(ragtest.Faithfulness, HaveEach(HaveField("OK", true))),
		`HaveRejected(faithfulness, ContainSubstring("a"), "b")`:                   HaveRejected(ragtest.Faithfulness, ContainSubstring("a"), "b"),
		`HaveScore(faithfulness, Or(BeZero(), HaveScore(context_recall, 1)))`:      HaveScore(ragtest.Faithfulness, Or(BeZero(), HaveScore(ragtest.ContextRecall, 1))),
		`HaveVerdicts(faithfulness, ConsistOf(Equal(1), nil, "a", Satisfy(func)))`: HaveVerdicts(ragtest.Faithfulness, ConsistOf(Equal(1), nil, "a", Satisfy(func(int) bool { return true }))),
	} {
		g.Expect(m.String()).To(Equal(want))
	}
}
