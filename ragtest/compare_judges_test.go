package ragtest_test

import (
	"testing"

	. "github.com/onsi/gomega"

	"github.com/ragomega/ragomega/ragtest"
)

// by is a calibration of another judge on the items of judged(50, 10, 10, 50).
func by(model string, wrong func(i int) bool) *ragtest.Calibration {
	c := judged(60, 0, 0, 60)
	c.Model = model
	for i := range c.Items {
		if wrong(i) {
			c.Items[i].Judge = 1 - c.Items[i].Judge
		}
	}
	return c
}

func TestCompareJudges(t *testing.T) {
	g := NewWithT(t)
	large, small := by("large", func(i int) bool { return i%20 == 0 }), by("small", func(i int) bool { return i%3 == 0 })
	c, err := ragtest.CompareJudges(large, small)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect([]int{c.N, c.OnlyA, c.OnlyB}).To(Equal([]int{120, 38, 4})) // 6 and 40 wrong, 2 of them both
	a, err := c.KappaA.Value()
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(a).To(BeNumerically("~", 0.9, 1e-12))
	b, err := c.KappaB.Value()
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(b).To(BeNumerically("~", 1-2*40.0/120, 1e-12))
	d, err := c.Difference.Value()
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(d).To(BeNumerically("~", a-b, 1e-12))
	g.Expect(c.P).To(BeNumerically("<", 1e-6))
	g.Expect(c.NotWorse(0.1)).To(BeTrue())
	turned, err := ragtest.CompareJudges(small, large)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(turned.NotWorse(0.1)).To(BeFalse())
	g.Expect(turned.String()).To(And(ContainSubstring("small at i: kappa 0.33"), ContainSubstring("only the first right: 4, only the second: 38")))

	// Items that one of them did not decide are left out for both.
	part := by("part", func(i int) bool { return i%20 == 0 })
	part.Items = part.Items[:100]
	c, err = ragtest.CompareJudges(large, part)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(c.N).To(Equal(100))

	other := by("other", func(int) bool { return false })
	other.Data = "of others"
	_, err = ragtest.CompareJudges(large, other)
	g.Expect(err).To(MatchError(ContainSubstring("expected the same")))
	_, err = ragtest.CompareJudges(large, nil)
	g.Expect(err).To(HaveOccurred())
}

func TestCheapest(t *testing.T) {
	g := NewWithT(t)
	guess := by("guess", func(i int) bool { return i%2 == 0 })
	small := by("small", func(i int) bool { return i%15 == 1 })
	large := by("large", func(i int) bool { return i%20 == 0 })
	c, err := ragtest.Cheapest(0.2, guess, small, large)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(c.Model).To(Equal("small"))
	c, err = ragtest.Cheapest(0.01, guess, small, large)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(c.Model).To(Equal("large"), "the labels do not show that the small one is as good as that")
	_, err = ragtest.Cheapest(0.2, guess)
	g.Expect(err).To(MatchError(ContainSubstring("even the best judge, guess at i, is not known to be better than chance")))
	_, err = ragtest.Cheapest(0, small)
	g.Expect(err).To(MatchError(ContainSubstring("above 0 that does not matter")))
	_, err = ragtest.Cheapest(0.1)
	g.Expect(err).To(HaveOccurred())
	elsewhere := by("elsewhere", func(int) bool { return false })
	elsewhere.Data = "of others"
	_, err = ragtest.Cheapest(0.1, small, elsewhere)
	g.Expect(err).To(MatchError(ContainSubstring("expected the same")))
	twice := by("twice", func(int) bool { return false })
	twice.Items[1].Sample = twice.Items[0].Sample
	_, err = ragtest.CompareJudges(small, twice)
	g.Expect(err).To(MatchError(ContainSubstring(`two items are called "s0"`)))
	few := judged(30, 0, 0, 5)
	_, err = ragtest.Cheapest(0.1, few)
	g.Expect(err).To(MatchError(ContainSubstring("it takes 10 of each")))
}
