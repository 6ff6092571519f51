package ragtest

import (
	"math"
	"testing"

	. "github.com/onsi/gomega"
	"pgregory.net/rapid"
)

func TestFBeta(t *testing.T) {
	g := NewWithT(t)
	for _, test := range []struct {
		tp, fp, fn int
		beta, want float64
	}{
		{1, 0, 0, 1, 1},
		{0, 0, 0, 1, 0},
		{0, 3, 2, 1, 0},
		{1, 0, 1, 1, 2.0 / 3},
		{1, 0, 3, 2, 5.0 / 17},
		{1, 3, 0, 2, 5.0 / 8},
		{2, 0, 2, 0, 1},
	} {
		g.Expect(fBeta(test.tp, test.fp, test.fn, test.beta)).To(BeNumerically("~", test.want, 1e-15), "%+v", test)
	}
}

// It lies between precision and recall, and nears recall as beta grows.
func TestFBetaIsAMean(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := NewWithT(t)
		count := rapid.IntRange(0, 50)
		tp, fp, fn := count.Draw(t, "tp"), count.Draw(t, "fp"), count.Draw(t, "fn")
		beta := rapid.Float64Range(0, 1e6).Draw(t, "beta")
		f := fBeta(tp, fp, fn, beta)
		if tp == 0 {
			g.Expect(f).To(BeZero())
			return
		}
		p, r := float64(tp)/float64(tp+fp), float64(tp)/float64(tp+fn)
		g.Expect(f).To(BeNumerically(">=", math.Min(p, r)-1e-12))
		g.Expect(f).To(BeNumerically("<=", math.Max(p, r)+1e-12))
		g.Expect(fBeta(tp, fp, fn, 1e6)).To(BeNumerically("~", r, 1e-6))
	})
}
