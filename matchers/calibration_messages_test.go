package matchers_test

import (
	"fmt"
	"testing"
	"time"

	. "github.com/onsi/gomega"

	. "github.com/ragomega/ragomega/matchers"
	"github.com/ragomega/ragomega/ragtest"
)

// A message about a calibration has percent agreement beside what it hides, the
// table, and the items that speak against the judge.
func TestMessagesOfCalibrations(t *testing.T) {
	for name, test := range map[string]struct {
		assert func(g Gomega)
		want   string
	}{
		"HaveKappaAbove, of a majority": {
			func(g Gomega) { g.Expect(binary(182, 6, 12, 0)).To(HaveKappaAbove(0.6)) },
			`Expected
    <*ragtest.Calibration>: verify/v2 of faithfulness by m at h, prompt 0a1b2c3d4e5f, 200 items
to have kappa above 0.6 at the lower end of the 95% interval
but the lower end is -0.07, as kappa is -0.04 [-0.07, -0.02]
    n=200, agreement 0.91 [0.86, 0.94], kappa -0.04 [-0.07, -0.02], TPR 0.97 [0.93, 0.99], TNR 0.00 [0.00, 0.24]
    human \ judge  positive  negative  total
    positive            182         6    188
    negative             12         0     12
    total               194         6    200
    ! imbalance: 188 of 200 items are labelled 1: who always says so agrees in 94 %, with kappa 0
the worst disagreements
    s183: people 1, judge 0: claim 183
       because
    s184: people 1, judge 0: claim 184
       because
    s185: people 1, judge 0: claim 185
       because
    s186: people 1, judge 0: claim 186
       because
    s187: people 1, judge 0: claim 187
       because
    and 13 more`,
		},
		"HaveTNRAbove, of a tag, some unmeasured and divided": {
			func(g Gomega) {
				c := tagItems(binary(54, 0, 2, 18), "a", 0, 74)
				c.Items[0].Err = errDown
				c.Items[1].Labels = []ragtest.Label{{Rater: "a", Value: 1}, {Rater: "b", Value: 0}}
				c.PerClaim = true
				g.Expect(*c).To(HaveTNRAbove(0.9).ForTag("a").AllowUnmeasured(1).OnPoint())
			},
			`Expected
    <ragtest.Calibration>: verify/v2 of faithfulness by m at h, each claim alone, prompt 0a1b2c3d4e5f, 74 items
to have TNR above 0.9 among the items tagged "a" at the point estimate
but TNR is 0.90 [0.70, 0.97]
    n=72, agreement 0.97 [0.90, 0.99], kappa 0.93 [0.76, 1.00], TPR 1.00 [0.93, 1.00], TNR 0.90 [0.70, 0.97]
    human \ judge  positive  negative  total
    positive             52         0     52
    negative              2        18     20
    total                54        18     72
set aside, as people are divided: 1
not measured, and left out: 1
    s1: the judge is down
no by people, yes by the judge
    s55: people 0, judge 1: claim 55
       because
    s56: people 0, judge 1: claim 56
       because`,
		},
		"not HaveTPRAbove": {
			func(g Gomega) { g.Expect(binary(20, 0, 0, 20)).NotTo(HaveTPRAbove(0.5).Confidence(0.9)) },
			`Expected
    <*ragtest.Calibration>: verify/v2 of faithfulness by m at h, prompt 0a1b2c3d4e5f, 40 items
not to have TPR above 0.5 at the lower end of the 90% interval
but the lower end is 0.88, as TPR is 1.00 [0.88, 1.00]
    n=40, agreement 1.00 [0.94, 1.00], kappa 1.00 [1.00, 1.00], TPR 1.00 [0.88, 1.00], TNR 1.00 [0.88, 1.00]
    human \ judge  positive  negative  total
    positive             20         0     20
    negative              0        20     20
    total                20        20     40
    ! doubtful interval: kappa: the interval has no width, which is for lack of data: others like these would give another value`,
		},
		"HaveTPRAbove, hardly below": {
			func(g Gomega) { g.Expect(binary(20, 10, 0, 0)).To(HaveTPRAbove(0.667).OnPoint()) },
			`Expected
    <*ragtest.Calibration>: verify/v2 of faithfulness by m at h, prompt 0a1b2c3d4e5f, 30 items
to have TPR above 0.667 at the point estimate
but TPR is 0.6666666666666666 [0.49, 0.81]`,
		},
		"HaveWeightedKappaAbove": {
			func(g Gomega) { g.Expect(stars()).To(HaveWeightedKappaAbove(0.6)) },
			`
    human \ judge   1   2   3  total
    1              10   4   0     14
    2               0   8   4     12
    3               4   0  10     14
    total          14  12  14     40
the worst disagreements
    s37: people 3, judge 1: claim 37
       because`,
		},
		"not HaveAlphaAbove": {
			func(g Gomega) { g.Expect(numbers()).NotTo(HaveAlphaAbove(0.5)) },
			`Expected
    <*ragtest.Calibration>: words by m at h, 20 items
not to have alpha above 0.5 at the lower end of the 95% interval
but the lower end is 0.99, as alpha is 1.00 [0.99, 1.00]
    n=20, ICC 1.00 [1.00, 1.00], difference 0.00 [-0.02, 0.02], Spearman's rho 0.99 [0.96, 1.00]`,
		},
		"BeNotWorseThan": {
			func(g Gomega) {
				g.Expect(judging(of200, "small", every(50, 1))).To(BeNotWorseThan(judging(of200, "large", every(100, 2)), 0.01))
			},
			`Expected
    <*ragtest.Calibration>: verify/v2 of faithfulness by small at h, prompt 0a1b2c3d4e5f, 200 items
to trail large at h by less than 0.01 of kappa at the lower end of the 95% interval
but the lower end is -0.07, as the difference of kappa is -0.02 [-0.07, 0.03]
    small at h: kappa 0.96 [0.91, 0.99]
    large at h: kappa 0.98 [0.95, 1.00]
    difference of kappa -0.02 [-0.07, 0.03]
    with each other: kappa 0.94 [0.89, 0.98]
    only the first right: 2, only the second: 4, p 0.453, n=200
    human \ judge  positive  negative  total
    positive             98         2    100
    negative              2        98    100
    total               100       100    200
what only the other has right
    s2: people 1, judge 0: claim 2
       because
    s52: people 1, judge 0: claim 52
       because
    s102: people 0, judge 1: claim 102
       because
    s152: people 0, judge 1: claim 152
       because`,
		},
		"HaveCorrectedMeanAbove": {
			func(g Gomega) {
				g.Expect(quarters(4, 3, 3, 2)).To(HaveCorrectedMeanAbove(ragtest.Faithfulness, binary(90, 10, 15, 85), 0.9))
			},
			`Expected
    <*ragtest.Report | 0x…>: 4 samples
        faithfulness 0.750 [0.562, 0.938], median 0.750, from 0.500 to 1.000, n=4
        judge: m at h, uncalibrated
to have a corrected mean of faithfulness above 0.9 at the lower end of the 95% interval
but the lower end is 0.55, as the corrected mean is 0.80 [0.55, 1.00]
    faithfulness 0.800 [0.55, 1.00] corrected, 0.750 by the judge (TPR 0.90, TNR 0.85 of 200 items), n=4
    corrected by verify/v2 of faithfulness by m at h, prompt 0a1b2c3d4e5f, 200 items
the worst
    d: faithfulness 0.50 (2/4)
      ✗ 3. claim 3
           nobody says so
      ✗ 4. claim 4
           nobody says so`,
		},
		"not HaveCorrectedMeanAbove": {
			func(g Gomega) {
				g.Expect(tagged(quarters(4, 3, 3, 2), "a", "a", "a", "a")).NotTo(HaveCorrectedMeanAbove(ragtest.Faithfulness, binary(90, 10, 15, 85), 0.5).ForTag("a").OnPoint())
			},
			`
not to have a corrected mean of faithfulness above 0.5 among the samples tagged "a" at the point estimate
but the corrected mean is 0.80 [`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			got := pointer.ReplaceAllString(failure(test.assert), "0x…")
			g.Expect(got).To(ContainSubstring(test.want))
		})
	}
}

// In And, Or and HaveEach a matcher goes by its name, and by what it last found.
func TestCalibrationMatchersAmongOthers(t *testing.T) {
	g := NewWithT(t)
	c := binary(54, 6, 9, 51)
	g.Expect(c).To(And(HaveKappaAbove(0.6), HaveTPRAbove(0.7), Not(HaveTNRAbove(0.8))))
	g.Expect([]*ragtest.Calibration{c, c}).To(HaveEach(HaveKappaAbove(0.6)))
	message := failure(func(g Gomega) { g.Expect(c).To(Or(HaveTPRAbove(0.9), HaveTNRAbove(0.9).OnPoint())) })
	g.Expect(message).To(HaveSuffix("To satisfy at least one of these matchers: [HaveTPRAbove(0.9) HaveTNRAbove(0.9).OnPoint()]"))
	message = failure(func(g Gomega) { g.Expect([]any{c}).To(HaveEach(HaveTPRAbove(0.9).OnPoint())) })
	g.Expect(message).To(ContainSubstring("HaveTPRAbove(0.9).OnPoint(), which last found that TPR is 0.90 [0.80, 0.95]\n"))
	r := quarters(4, 3, 3, 2)
	mean := HaveCorrectedMeanAbove(ragtest.Faithfulness, binary(90, 10, 15, 85), 0.5)
	g.Expect(r).To(And(mean, Not(HaveCorrectedMeanAbove(ragtest.Faithfulness, binary(90, 10, 15, 85), 0.9))))
	g.Expect(mean.GomegaString()).To(HavePrefix("HaveCorrectedMeanAbove(faithfulness, m at h, 0.5), which last found that the lower end is 0.55"))
}

// A calibration is what it is, so Eventually does not wait for another one; given
// a function it holds each that it returns.
func TestEventuallyOfCalibrations(t *testing.T) {
	g := NewWithT(t)
	bad, good := binary(30, 30, 9, 51), binary(54, 6, 9, 51)
	began := time.Now()
	message := failure(func(g Gomega) { g.Eventually(bad).WithTimeout(time.Hour).Should(HaveKappaAbove(0.6)) })
	g.Expect(message).To(ContainSubstring("No future change is possible"))
	message = failure(func(g Gomega) {
		g.Eventually(func() *ragtest.Calibration { return binary(91, 3, 6, 0) }).WithTimeout(time.Hour).Should(HaveKappaAbove(0.6))
	})
	g.Expect(message).To(MatchRegexp(`^Told to stop trying after [\d.]+s\.\nHaveKappaAbove\(0\.6\): too few labels`))
	message = failure(func(g Gomega) {
		g.Eventually(func() *ragtest.Report { return quarters(4) }).WithTimeout(time.Hour).Should(HaveCorrectedMeanAbove(ragtest.Faithfulness, good, 0.5))
	})
	g.Expect(message).To(ContainSubstring("cannot be corrected"))
	g.Expect(time.Since(began)).To(BeNumerically("<", time.Minute))
	n := 0
	g.Eventually(func() *ragtest.Calibration {
		if n++; n < 3 {
			return bad
		}
		return good
	}).Should(HaveKappaAbove(0.6))
	g.Expect(n).To(Equal(3))
}

func TestASharedCalibrationMatcherDoesNotMixThemUp(t *testing.T) {
	g := NewWithT(t)
	shared := HaveTPRAbove(0.95).OnPoint()
	a, b := binary(20, 20, 0, 20), binary(20, 5, 0, 20)
	for _, c := range []*ragtest.Calibration{a, b} {
		_, err := shared.Match(c)
		g.Expect(err).NotTo(HaveOccurred())
	}
	g.Expect(shared.FailureMessage(a)).To(HaveSuffix("\nbut the matcher has looked at another calibration since"))
	g.Expect(shared.FailureMessage(b)).To(ContainSubstring("but TPR is 0.80"))
	g.Expect(shared.FailureMessage(*b)).To(ContainSubstring("but TPR is 0.80"), "a copy is the same")
	g.Expect(shared.ForTag("x").FailureMessage(b)).To(HaveSuffix("\nbut the calibration was not looked at"), "a copy of the matcher has looked at nothing")
	mean := HaveCorrectedMeanAbove(ragtest.Faithfulness, binary(90, 10, 15, 85), 0.9)
	for range 2 {
		_, err := mean.Match(quarters(4, 3))
		g.Expect(err).NotTo(HaveOccurred())
	}
	g.Expect(mean.FailureMessage(quarters(4, 3))).To(HaveSuffix("\nbut the matcher has looked at another report since"))
}

func TestNamesOfCalibrationMatchers(t *testing.T) {
	g := NewWithT(t)
	decided := binary(1, 0, 0, 0)
	decided.Decided = &ragtest.Threshold{At: 0.93}
	for want, m := range map[string]fmt.Stringer{
		`HaveKappaAbove(0.6)`:                                                     HaveKappaAbove(0.6),
		`HaveWeightedKappaAbove(0.6).OnPoint()`:                                   HaveWeightedKappaAbove(0.6).OnPoint(),
		`HaveAlphaAbove(0.667).Confidence(0.9)`:                                   HaveAlphaAbove(0.667).Confidence(0.9),
		`HaveTPRAbove(0.8).ForTag("a").AllowUnmeasured(2)`:                        HaveTPRAbove(0.8).ForTag("a").AllowUnmeasured(2),
		`HaveTNRAbove(0)`:                                                         HaveTNRAbove(0),
		`BeNotWorseThan(m at h, at P ≥ 0.93, 0.1)`:                                BeNotWorseThan(decided, 0.1),
		`HaveCorrectedMeanAbove(faithfulness, m at h, 0.8).OnPoint().ForTag("a")`: HaveCorrectedMeanAbove(ragtest.Faithfulness, stars(), 0.8).OnPoint().ForTag("a"),
	} {
		g.Expect(m.String()).To(Equal(want))
	}
}
