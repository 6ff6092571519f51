package ragtest_test

import (
	"fmt"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/ragomega/ragomega/fixtures"
	"github.com/ragomega/ragomega/ragtest"
	"github.com/ragomega/ragomega/ragtest/agreement"
)

// lenient is a calibration of a judge that says yes to nearly all, and is surer
// where it is right: P is about 0.97 for what people support, and yes but only
// about 0.7 for most of what they do not.
func lenient(contexts int) *ragtest.Calibration {
	c := judged(0, 0, 0, 0)
	for i := range 4 * contexts {
		x := ragtest.Judged{Sample: fmt.Sprint("s", i), Claim: "claim", Length: 20 + i%5, Group: i / 4, Labels: []ragtest.Label{{Value: float64(i % 2)}}, Judge: 1}
		switch spread := float64(i*7%11) / 500; {
		case i%2 == 1:
			x.P = 0.96 + spread
		case i%8 == 0:
			x.P, x.Judge = 0.2+spread, 0
		default:
			x.P = 0.7 + spread
		}
		c.Items = append(c.Items, x)
	}
	return c
}

func TestThreshold(t *testing.T) {
	g := NewWithT(t)
	c := lenient(15)
	th, err := c.Threshold()
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(th.At).To(And(BeNumerically(">", 0.72), BeNumerically("<", 0.96)))
	g.Expect(th.AUC).To(Equal(1.0))
	word, err := th.Word.Value()
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(word).To(BeNumerically("~", 8.0/30, 1e-12)) // TPR 1, TNR 8 of 30, equal classes
	held, err := th.Held.Value()
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(held).To(Equal(1.0))
	g.Expect(th.GainLow).To(BeNumerically(">", 0.2))
	parts, auc, err := c.Reliability(5)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(auc).To(Equal(1.0))
	g.Expect(parts).To(HaveExactElements(
		And(HaveField("Low", 0.2), HaveField("N", 8), HaveField("Observed", 0.0)),
		And(HaveField("Low", 0.6), HaveField("N", 22), HaveField("Observed", 0.0), HaveField("Predicted", BeNumerically("~", 0.71, 0.02))),
		And(HaveField("Low", 0.8), HaveField("N", 30), HaveField("Observed", 1.0))))
	g.Expect(c.String()).To(MatchRegexp(`P of a yes, and how often people say yes: 0\.2\d → 0\.00 \(n=8\), 0\.7\d → 0\.00 \(n=22\), 0\.9\d → 1\.00 \(n=30\); AUC 1\.00`))
	g.Expect(th.String()).To(MatchRegexp(`^verify/v2 decided at P ≥ 0\.\d+, held out kappa 1\.00, chosen on data d$`))
}

// P that says nothing gives a threshold that is best in sample, and none that is
// better held out; that is said, with the figures.
func TestThresholdThatIsNone(t *testing.T) {
	g := NewWithT(t)
	c := lenient(15)
	for i := range c.Items {
		c.Items[i].P = 0.5 + float64(i*37%101)/250
		c.Items[i].Judge = 1
	}
	th, err := c.Threshold()
	g.Expect(err).To(MatchError(ragtest.ErrNoThreshold))
	g.Expect(th).NotTo(BeNil())
	g.Expect(th.GainLow).To(BeNumerically("<=", 0))
	g.Expect(err).To(MatchError(ContainSubstring("and the judge's own word kappa 0.00")))
	l := newLab(t)
	_, err = l.Judge.Judge().Named("i").CachedIn(off(t)).Deciding(th).Measure(t.Context(), ragtest.Faithfulness, bridge)
	g.Expect(err).To(HaveOccurred(), "no judge decides by it")

	few := lenient(4)
	th, err = few.Threshold()
	g.Expect(err).To(MatchError(ragtest.ErrNoThreshold))
	g.Expect(err).To(MatchError(agreement.ErrFewLabels))
	g.Expect(th.Refused).To(ContainSubstring("it takes 10 of each"))
	g.Expect(th).NotTo(BeNil())

	without := lenient(15)
	without.Items[7].P = 0
	_, _, err = without.Reliability(5)
	g.Expect(err).To(MatchError(ContainSubstring("has no probability")))
	_, err = without.Threshold()
	g.Expect(err).To(MatchError(ContainSubstring(`the verdict on "s7" has no probability: calibrate with Judge.Probabilities`)))
	rating := lenient(15)
	rating.Scale = []float64{0, 1, 2}
	_, err = rating.Threshold()
	g.Expect(err).To(MatchError(ContainSubstring("no verdicts of yes or no")))
	oneText := lenient(15)
	for i := range oneText.Items {
		oneText.Items[i].Group = 0
	}
	_, err = oneText.Threshold()
	g.Expect(err).To(MatchError(agreement.ErrUndefined))
}

// decides is a threshold for the scripted judge.
func decides(j *ragtest.Judge, at float64, t *testing.T) *ragtest.Threshold {
	t.Helper()
	l := newLab(t)
	verifies(l.Judge)
	c, err := l.Judge.Judge().CachedIn(off(t)).Calibrate(t.Context(), ragtest.Faithfulness, claimed("a", [2]bool{true, true}))
	if err != nil {
		t.Fatal(err)
	}
	return &ragtest.Threshold{At: at, Step: c.Step, Prompt: c.Prompt, Model: c.Model, Identity: c.Identity, Data: "elsewhere", GainLow: 0.1}
}

func TestJudgeThatDecidesByThreshold(t *testing.T) {
	g := NewWithT(t)
	l := newLab(t)
	l.On("claims", fixtures.Claims("The bridge opened.", "It opened in 1932.", "The bridge is red.")).
		On("verify", fixtures.Probable("supported", 0.97, 0.75, 0.125))
	j := l.Judge.Judge()
	th := decides(j, 0.9, t)
	s, err := l.measure(j.Deciding(th), ragtest.Faithfulness, bridge)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(s.Value).To(Equal(1.0 / 3))
	g.Expect(s.Verdicts[1]).To(And(HaveField("OK", false), HaveField("Overruled", true)))
	g.Expect(s.Verdicts[1].Quote).NotTo(BeEmpty(), "what it fails by is looked up, as for any other no")
	g.Expect(s.Verdicts[2]).To(And(HaveField("OK", false), HaveField("Overruled", false)))
	g.Expect(s.String()).To(ContainSubstring("✗ 2. It opened in 1932. (the judge's word is yes, at P 0.750)"))
	// The same replies, by the judge's word.
	s, err = l.measure(j.Probabilities(), ragtest.Faithfulness, bridge)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(s.Value).To(Equal(2.0 / 3))
	g.Expect(l.Asked("verify")).To(Equal(1))

	for name, of := range map[string]struct {
		change func(*ragtest.Threshold)
		judge  *ragtest.Judge
		want   string
	}{
		"no gain":        {func(t *ragtest.Threshold) { t.GainLow = 0 }, j, "what it gains in kappa may be as low as 0.00"},
		"refused":        {func(t *ragtest.Threshold) { t.Refused = "too few" }, j, "no threshold that is known to be better: too few"},
		"each alone":     {func(*ragtest.Threshold) {}, j.PerClaim(), "the threshold is void: it was chosen for claims that are checked together, and here they are each alone"},
		"another model":  {func(t *ragtest.Threshold) { t.Model = "other" }, j, "the threshold is void: it was chosen for other at localhost, and this is scripted at localhost"},
		"another prompt": {func(*ragtest.Threshold) {}, j.Prompted("verify/v2", "Judge."), "the threshold is void: it was chosen for another text than that of prompt verify/v2 (own)"},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			changed := *th
			of.change(&changed)
			_, err := l.measure(of.judge.Deciding(&changed), ragtest.Faithfulness, bridge)
			g.Expect(err).To(MatchError(ContainSubstring(of.want)))
		})
	}
	_, err = l.measure(j.Deciding(nil), ragtest.Faithfulness, bridge)
	g.Expect(err).To(MatchError(ContainSubstring("was given no threshold")))
	g.Expect(l.Asked("verify")).To(Equal(1))
}

// A threshold is calibrated like a judge: on other data than it was chosen on, and
// if it does worse there than the judge's word, that is said.
func TestThresholdOnOtherData(t *testing.T) {
	g := NewWithT(t)
	l := newLab(t)
	j := l.Judge.Judge().CachedIn(off(t))
	th := decides(j, 0.9, t)
	set := claimed("a", append(times(5, [2]bool{true, true}), times(5, [2]bool{false, false})...)...)
	p := []float64{0.95, 0.8, 0.8, 0.8, 0.8, 0.1, 0.1, 0.1, 0.1, 0.1}
	l.On("verify", fixtures.Probable("supported", p...))
	c, err := j.Deciding(th).Calibrate(t.Context(), ragtest.Faithfulness, set)
	g.Expect(err).NotTo(HaveOccurred())
	a, err := c.Agreement()
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(a.Confusion).To(Equal(agreement.Confusion{TP: 1, FN: 4, TN: 5}))
	g.Expect(c.String()).To(And(
		ContainSubstring("verify/v2 of faithfulness by scripted at localhost, verify/v2 decided at P ≥ 0.9, chosen on data elsewhere"),
		ContainSubstring("! the threshold is not known to be better than the judge's word here, so do not decide by it: difference of kappa -0.80")))
	_, err = c.Threshold()
	g.Expect(err).To(MatchError(ContainSubstring("has decided verify/v2 by a threshold already")))

	// What it says of the deciding judge it does not say of the other.
	l.On("claims", fixtures.Claims("The bridge opened."), fixtures.Claims("The bridge opened.")).
		On("verify", fixtures.Probable("supported", 0.95), fixtures.Probable("supported", 0.95))
	s, err := j.Deciding(th).Calibrated(c).Measure(t.Context(), ragtest.Faithfulness, bridge)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(s.Calibration).To(Equal("verify/v2 TPR .20 TNR 1.00, n=10"))
	s, err = j.Probabilities().Calibrated(c).Measure(t.Context(), ragtest.Faithfulness, bridge)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(s.Calibration).To(Equal("calibration of verify/v2 is void: it is of verdicts by a threshold"))

	// The mean of a report by the deciding judge is corrected by its own calibration only.
	report, err := j.Probabilities().Evaluate(t.Context(), []ragtest.Sample{bridge}, ragtest.Faithfulness)
	g.Expect(err).NotTo(HaveOccurred())
	_, err = report.Corrected(ragtest.Faithfulness, c)
	g.Expect(err).To(MatchError(ContainSubstring("the calibration is void for the report's judge: it is of verdicts by a threshold")))

	th.Data = c.Data
	l.On("verify", fixtures.Probable("supported", p...))
	_, err = j.Deciding(th).Calibrate(t.Context(), ragtest.Faithfulness, set)
	g.Expect(err).To(MatchError(ContainSubstring("the threshold was chosen on these labelled samples")))
}
