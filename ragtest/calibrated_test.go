package ragtest_test

import (
	"fmt"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/ragomega/ragomega/cache"
	"github.com/ragomega/ragomega/fixtures"
	"github.com/ragomega/ragomega/ragtest"
)

// judged is a calibration of yes and no with these counts, ten items of a context.
func judged(tp, fn, fp, tn int) *ragtest.Calibration {
	c := &ragtest.Calibration{Metric: "faithfulness", Step: "verify/v2", Prompt: "p", Model: "m", Identity: "i", Scale: []float64{0, 1}, Data: "d"}
	add := func(n int, human, judge float64) {
		for range n {
			i := len(c.Items)
			c.Items = append(c.Items, ragtest.Judged{
				Sample: fmt.Sprint("s", i), Claim: fmt.Sprint("claim ", i), Length: 20 + i%7, Group: i,
				Labels: []ragtest.Label{{Value: human}}, Judge: judge, Reason: "because",
			})
		}
	}
	add(tp, 1, 1)
	add(fn, 1, 0)
	add(fp, 0, 1)
	add(tn, 0, 0)
	return c
}

// What a judge measures says how far it is known to agree with people, in the
// steps that the score rests on.
func TestCalibratedJudge(t *testing.T) {
	g := NewWithT(t)
	l := newLab(t)
	l.On("claims", fixtures.Claims("The bridge opened in 1932."))
	set := claimed("a", append(append(append(times(27, [2]bool{true, true}), times(3, [2]bool{true, false})...), times(7, [2]bool{false, true})...), times(13, [2]bool{false, false})...)...)
	c, err := verifies(l.Judge).Judge().CachedIn(off(t)).Calibrate(t.Context(), ragtest.Faithfulness, set)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(c.Rates()).To(Equal("TPR .90 TNR .65, n=50"))

	j := l.Judge.Judge().CachedIn(l.cache(cache.Auto))
	s, err := j.Measure(t.Context(), ragtest.Faithfulness, bridge)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(s.Calibration).To(BeEmpty())
	g.Expect(s.String()).To(ContainSubstring("judge: scripted at localhost, uncalibrated; claims/v2, verify/v2"))
	s, err = j.Calibrated(c).Measure(t.Context(), ragtest.Faithfulness, bridge)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(s.String()).To(ContainSubstring("judge: scripted at localhost, verify/v2 TPR .90 TNR .65, n=50; claims/v2, verify/v2"))
	report, err := j.Calibrated(c).Evaluate(t.Context(), []ragtest.Sample{bridge}, ragtest.Faithfulness)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(report.String()).To(HaveSuffix("judge: scripted at localhost, verify/v2 TPR .90 TNR .65, n=50"))
	g.Expect(report.ForTag("none").Calibration).To(Equal(report.Calibration))

	// Of other judges, and of other prompts, it says nothing, and that is said.
	for name, of := range map[string]struct {
		judge *ragtest.Judge
		want  string
	}{
		"another judge":  {j.Named("elsewhere"), "calibration of verify/v2 is void: it is of scripted at localhost"},
		"another text":   {j.Prompted("verify/v2", "Judge."), "calibration of verify/v2 is void: it is of prompt verify/v2, and this is verify/v2 (own)"},
		"each alone":     {j.PerClaim(), "calibration of verify/v2 is void: it is of claims that are checked together, and here they are each alone"},
		"no probability": {j, "verify/v2 TPR .90 TNR .65, n=50"},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			l.On("claims", fixtures.Claims("The bridge opened in 1932."))
			s, err := of.judge.Calibrated(c).Measure(t.Context(), ragtest.Faithfulness, bridge)
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(s.Calibration).To(HavePrefix(of.want))
		})
	}
	t.Run("another version", func(t *testing.T) {
		g := NewWithT(t)
		l := newLab(t)
		l.On("claims", fixtures.Claims("The bridge opened in 1932.")).On("verify", fixtures.Text(`{"verdicts":[{"claim":1,"quote":"q","reason":"r","supported":true}]}`))
		s, err := l.Judge.Judge().Pinned("verify/v1").CachedIn(off(t)).Calibrated(c).Measure(t.Context(), ragtest.Faithfulness, bridge)
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(s.Calibration).To(Equal("calibration of verify/v2 is void: it is of prompt verify/v2, and this is verify/v1"))
	})
	t.Run("another own text", func(t *testing.T) {
		g := NewWithT(t)
		l := newLab(t)
		verifies(l.Judge)
		own := l.Judge.Judge().Prompted("verify/v2", "Judge.").CachedIn(off(t))
		c, err := own.Calibrate(t.Context(), ragtest.Faithfulness, set)
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(c.Step).To(Equal("verify/v2 (own)"))
		l.On("claims", fixtures.Claims("The bridge opened in 1932."), fixtures.Claims("The bridge opened in 1932."))
		s, err := own.Calibrated(c).Measure(t.Context(), ragtest.Faithfulness, bridge)
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(s.Calibration).To(Equal("verify/v2 (own) TPR .90 TNR .65, n=50"))
		s, err = own.Prompted("verify/v2", "Decide.").Calibrated(c).Measure(t.Context(), ragtest.Faithfulness, bridge)
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(s.Calibration).To(Equal("calibration of verify/v2 (own) is void: the text of prompt verify/v2 (own) is another"))
	})
	t.Run("another step", func(t *testing.T) {
		g := NewWithT(t)
		l := newLab(t)
		l.On("useful", fixtures.Text(`{"reason":"r","useful":true}`))
		s, err := l.Judge.Judge().CachedIn(off(t)).Calibrated(c).Measure(t.Context(), ragtest.ContextUtilization, bridge)
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(s.String()).To(ContainSubstring("uncalibrated"))
	})
}

func TestLengthBias(t *testing.T) {
	g := NewWithT(t)
	c := judged(30, 0, 15, 15)
	for i := range c.Items {
		x := &c.Items[i]
		x.Length = 50 + i%3
		if h, _ := x.Human(); h == 0 && x.Judge == 1 {
			x.Length = 200 + i // what is long passes
		}
	}
	bands := c.ByLength(3)
	g.Expect(bands).To(HaveLen(3))
	n := 0
	for i, b := range bands {
		n += b.N
		g.Expect(b.From).To(BeNumerically("<=", b.To))
		if i > 0 {
			g.Expect(b.From).To(BeNumerically(">", bands[i-1].To), "items of one length stay together")
		}
	}
	g.Expect(n).To(Equal(60))
	g.Expect(bands[0].Right).To(Equal(1.0))
	last := bands[2]
	g.Expect(last.Right).To(BeNumerically("<", 0.5))
	g.Expect(last.Judge).To(BeNumerically(">", last.Human))
	bias, err := c.LengthBias()
	g.Expect(err).NotTo(HaveOccurred())
	low, err := bias.Lower()
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(low).To(BeNumerically(">", 0.5))
	g.Expect(c.String()).To(ContainSubstring("! length bias: longer texts get more than people give them"))

	right := judged(30, 0, 0, 30)
	bias, err = right.LengthBias()
	g.Expect(err).NotTo(HaveOccurred())
	_, err = bias.Value()
	g.Expect(err).To(HaveOccurred(), "without errors there is nothing that could depend on length")
	g.Expect(right.String()).NotTo(ContainSubstring("length bias"))
	g.Expect((&ragtest.Calibration{}).ByLength(3)).To(BeEmpty())
}

// How a calibration reads.
func TestCalibrationString(t *testing.T) {
	g := NewWithT(t)
	c := judged(54, 6, 9, 51)
	for i := range c.Items {
		c.Items[i].Labels = append(c.Items[i].Labels, c.Items[i].Labels[0])
		c.Items[i].Labels[0].Rater, c.Items[i].Labels[1].Rater = "ada", "bob"
		if i < 40 {
			c.Items[i].Tags = []string{"easy"}
		}
	}
	c.Items[0].Labels[1].Value = 0
	g.Expect(c.String()).To(Equal(`verify/v2 of faithfulness by m at i
  n=119, agreement 0.87 [0.80, 0.92], kappa 0.75 [0.62, 0.85], TPR 0.90 [0.80, 0.95], TNR 0.85 [0.74, 0.92]
  human \ judge  positive  negative  total
  positive             53         6     59
  negative              9        51     60
  total                62        57    119
  set aside: 1, as the raters are divided
  people among themselves: alpha 0.98
  length: 20 to 26 letters, median 23
    20 to 22 letters: right 0.88, yes by people 0.51, by the judge 0.51, n=51
    23 to 24 letters: right 0.88, yes by people 0.50, by the judge 0.56, n=34
    25 to 26 letters: right 0.85, yes by people 0.47, by the judge 0.50, n=34
  easy: TPR 1.00 TNR undefined, n=39, median length 23
  disagreements: 15
    s54: people 1, judge 0: claim 54
       because
    s55: people 1, judge 0: claim 55
       because
    s56: people 1, judge 0: claim 56
       because
    s57: people 1, judge 0: claim 57
       because
    s58: people 1, judge 0: claim 58
       because
    and 10 more`))
}

func TestMaxClaims(t *testing.T) {
	g := NewWithT(t)
	l := newLab(t)
	var claims []string
	for i := range 9 {
		claims = append(claims, fmt.Sprintf("claim %d of 9 about the bridge", i+1))
	}
	l.On("claims", fixtures.Claims(claims...)).On("verify", fixtures.Verdicts(true, false, true), fixtures.Verdicts(make([]bool, 9)...))
	j := l.Judge.Judge().Prompted("claims/v1", "Split.").CachedIn(l.cache(cache.Auto))
	s, err := j.MaxClaims(3).Measure(t.Context(), ragtest.Faithfulness, bridge)
	g.Expect(err).NotTo(HaveOccurred())
	var checked []string
	for _, v := range s.Verdicts {
		checked = append(checked, v.Claim)
	}
	g.Expect(checked).To(Equal([]string{claims[0], claims[3], claims[6]}), "from all of the answer")
	g.Expect(s.Clipped).To(Equal(6))
	g.Expect(s.String()).To(HavePrefix("faithfulness 0.67 (2/3), with 6 more claims left unchecked"))
	g.Expect(s.Evidence()).To(HavePrefix("faithfulness 0.67 (2/3), with 6 more claims left unchecked"))
	s, err = j.Measure(t.Context(), ragtest.Faithfulness, bridge)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(s.Verdicts).To(HaveLen(9))
	g.Expect(s.Clipped).To(BeZero())
	g.Expect(l.Asked("claims")).To(Equal(1))
	s, err = j.MaxClaims(9).Measure(t.Context(), ragtest.Faithfulness, bridge)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(s.Clipped).To(BeZero())
	g.Expect(l.Asked("verify")).To(Equal(2), "nothing was left out, so it is the same request")
}

// What is said beside every score needs no interval, and is the same as with one.
func TestRatesOfOtherLabels(t *testing.T) {
	g := NewWithT(t)
	c := judged(0, 0, 0, 0)
	c.Scale = []float64{1, 2, 3, 4, 5}
	for i := range 25 {
		human := float64(1 + i%5)
		c.Items = append(c.Items, ragtest.Judged{Sample: fmt.Sprint(i), Group: i, Labels: []ragtest.Label{{Value: human}}, Judge: min(human+float64(i%2), 5)})
	}
	a, err := c.Agreement()
	g.Expect(err).NotTo(HaveOccurred())
	kappa, err := a.Point.Value()
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(c.Rates()).To(Equal(fmt.Sprintf("weighted kappa .%02.0f, n=25", 100*kappa)))
	c.Scale = nil
	a, err = c.Agreement()
	g.Expect(err).NotTo(HaveOccurred())
	icc, err := a.Point.Value()
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(c.Rates()).To(Equal(fmt.Sprintf("ICC .%02.0f, n=25", 100*icc)))
	c.Items = nil
	g.Expect(c.Rates()).To(Equal("undefined"))
}
