package ragtest

import (
	"testing"

	. "github.com/onsi/gomega"
	"pgregory.net/rapid"
)

func TestAveragePrecision(t *testing.T) {
	g := NewWithT(t)
	for _, test := range []struct {
		wanted []bool
		want   float64
	}{
		{nil, 0},
		{[]bool{false, false}, 0},
		{[]bool{true}, 1},
		{[]bool{true, true, true}, 1},
		{[]bool{true, false, false}, 1},
		{[]bool{false, true}, 0.5},
		{[]bool{true, false, true}, 0.8333333333333333},
		{[]bool{false, false, false, true}, 0.25},
	} {
		g.Expect(averagePrecision(test.wanted)).To(Equal(test.want), "%v", test.wanted)
	}
}

// What moves up a place in the ranking never lowers it, and what follows the
// last one wanted does not matter.
func TestAveragePrecisionIsAboutRank(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := NewWithT(t)
		wanted := rapid.SliceOfN(rapid.Bool(), 1, 30).Draw(t, "wanted")
		p := averagePrecision(wanted)
		g.Expect(p).To(And(BeNumerically(">=", 0), BeNumerically("<=", 1)))
		g.Expect(averagePrecision(append(wanted, false))).To(Equal(p))
		for i := 1; i < len(wanted); i++ {
			if wanted[i] && !wanted[i-1] {
				wanted[i], wanted[i-1] = false, true
				g.Expect(averagePrecision(wanted)).To(BeNumerically(">", p))
				return
			}
		}
	})
}
