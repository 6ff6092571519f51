package ragtest_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/ragomega/ragomega/cache"
	"github.com/ragomega/ragomega/fixtures"
	"github.com/ragomega/ragomega/ragtest"
)

// unsure is a judge who has a claim of two supported as the trials have it: 1 is a
// yes. Each trial asks once about each of the samples in turn.
func unsure(t *testing.T, samples []ragtest.Sample, trials ...string) *fixtures.Judge {
	t.Helper()
	j := fixtures.NewJudge(t)
	for i := range samples {
		about := func(r fixtures.Request) bool { return strings.Contains(string(r.Body), fmt.Sprintf("Locker %d ", i+1)) }
		for _, said := range trials {
			j.When("claims", about, fixtures.Claims(fmt.Sprintf("Locker %d holds parcels", i+1), fmt.Sprintf("Locker %d opens at noon", i+1)))
			j.When("verify", about, fixtures.Verdicts(true, said[i] == '1'))
		}
	}
	return j
}

// The trials of two samples: one is judged as before, of the other one verdict in
// three trials is another.
func TestNoise(t *testing.T) {
	g := NewWithT(t)
	samples := lockers(2, 0)
	j := unsure(t, samples, "11", "10", "11").Judge().Named("here").Temperature(0.7).Limits(1, 0).CachedIn(off(t)).Tries(1)
	n, err := j.Noise(t.Context(), ragtest.Faithfulness, samples, 3)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(n.Samples).To(HaveLen(2))
	g.Expect(n.Samples[0]).To(Equal(ragtest.Repeated{Sample: "locker 01", Scores: []float64{1, 1, 1}, Verdicts: 6}))
	g.Expect(n.Samples[1].Scores).To(ConsistOf(1.0, 0.5, 1.0))
	g.Expect([]int{n.Verdicts, n.Flips, n.Reworded}).To(Equal([]int{12, 2, 0}))
	g.Expect(n.FlipRate()).To(BeNumerically("~", 1.0/6, 1e-15))
	// 1, 1/2 and 1 have a variance of 1/12, and the other sample of 0.
	g.Expect(n.SD).To(BeNumerically("~", math.Sqrt(1.0/24), 1e-15))
	g.Expect(n.Believable(6)).To(BeNumerically("~", 1.959963984540054*math.Sqrt(2.0/24/6), 1e-15))
	g.Expect(n.String()).To(Equal(`faithfulness by scripted at here, 3 trials of 2 samples: a verdict flips in 16.7 % (2 of 12); a score's standard deviation is 0.204
worth believing, as the judge's noise goes: 0.179 or more of 10 samples, 0.103 or more of 30 samples, 0.057 or more of 100 samples
  locker 02: from 0.50 to 1.00, 2 of 6 verdicts flip`))
}

// Trials at temperature 0 are one draw, which is said.
func TestNoiseAtTemperature0(t *testing.T) {
	g := NewWithT(t)
	samples := lockers(2, 1)
	j := literalServer(t).Judge().Named("here").CachedIn(off(t))
	n, err := j.Noise(t.Context(), ragtest.Faithfulness, samples, 2)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(n.SameDraw).To(BeTrue())
	g.Expect(n.FlipRate()).To(BeZero())
	g.Expect(n.String()).To(Equal(`faithfulness by scripted at here, 2 trials of 2 samples: a verdict flips in 0.0 % (0 of 4); a score's standard deviation is 0.000
! at temperature 0 trials are the same draw, so that this is the server's noise and not how sure the judge is: ask judge.Temperature(0.7)
worth believing, as the judge's noise goes: 0.000 or more of 10 samples, 0.000 or more of 30 samples, 0.000 or more of 100 samples`))
}

func TestErrorsOfNoise(t *testing.T) {
	g := NewWithT(t)
	j := literalServer(t).Judge().CachedIn(off(t))
	_, err := j.Noise(t.Context(), ragtest.Faithfulness, lockers(1, 0), 1)
	g.Expect(err).To(MatchError("ragtest: noise shows in 2 trials or more, not in 1"))
	_, err = j.Noise(t.Context(), nil, lockers(1, 0), 2)
	g.Expect(err).To(MatchError(ContainSubstring("expected one such as ragtest.Faithfulness")))
	_, err = (*ragtest.Judge)(nil).Noise(t.Context(), ragtest.Faithfulness, lockers(1, 0), 2)
	g.Expect(err).To(MatchError(ragtest.ErrNoJudge))
	silent := []ragtest.Sample{{Name: "silent"}}
	n, err := j.Noise(t.Context(), ragtest.Faithfulness, silent, 2)
	g.Expect(err).To(And(MatchError(ragtest.ErrUndefined), MatchError(ragtest.ErrMissingInput)))
	g.Expect(n.Unmeasured).To(HaveLen(1))
	_, err = n.FlipRate()
	g.Expect(err).To(MatchError(ragtest.ErrUndefined))
	_, err = n.Believable(0)
	g.Expect(err).To(HaveOccurred())
}

// A score near the threshold is decided by the majority of more trials, whichever
// side it is on; one that is far from it stands. Half of the claims is 0.5.
func TestConfirmed(t *testing.T) {
	for name, test := range map[string]struct {
		at     float64
		said   string // of the first look and of the trials
		want   float64
		trials int
	}{
		"far":                   {0.2, "0", 0.5, 0},
		"fails, and is right":   {0.6, "0001", 0.5, 3},
		"fails, and is wrong":   {0.6, "0110", 1, 3},
		"passes, and is wrong":  {0.9, "1010", 0.5, 3},
		"passes, and is right":  {0.9, "1101", 1, 3},
		"the first has no vote": {0.6, "0011", 1, 3},
		"just within":           {0.75, "1000", 0.5, 3},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			samples := lockers(1, 0)
			f := unsure(t, samples, strings.Split(test.said, "")...)
			l := &lab{f, t, t.TempDir()}
			m := ragtest.Confirmed(ragtest.Faithfulness, test.at, 0.25, 3)
			j := f.Judge().Named("here").Limits(1, 0)
			score, err := l.measure(j, m, samples[0])
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(score.Value).To(Equal(test.want))
			g.Expect(f.Asked("verify")).To(Equal(1 + test.trials))
			g.Expect(score.Verdicts).To(HaveLen(2 + map[bool]int{true: 4}[test.trials > 0]))

			c := l.cache(cache.Replay)
			again, err := j.CachedIn(c).Measure(t.Context(), m, samples[0])
			g.Expect(err).NotTo(HaveOccurred(), "trials are recorded")
			g.Expect(again.Verdicts).To(Equal(score.Verdicts))
		})
	}
}

// The message tells that there was a second look.
func TestConfirmedIsSaid(t *testing.T) {
	g := NewWithT(t)
	samples := lockers(1, 0)
	j := unsure(t, samples, "0", "1", "1", "1").Judge().Named("here").Limits(1, 0).CachedIn(off(t))
	score, err := j.Measure(t.Context(), ragtest.Confirmed(ragtest.Faithfulness, 0.6, 0.2, 3), samples[0])
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(score.String()).To(Equal(`faithfulness_confirmed_3_within_0.2_of_0.6 1.00
  ✓ 1. Locker 1 holds parcels
  ✓ 2. Locker 1 opens at noon
  ✗ 3. first look, which has no vote: faithfulness 0.5 (1/2)
       it is not better than 0.6
  ✓ 4. trial 1 of 3: faithfulness 1 (2/2)
  ✓ 5. trial 2 of 3: faithfulness 1 (2/2)
  ✓ 6. trial 3 of 3: faithfulness 1 (2/2)
judge: scripted at here, uncalibrated; 4 claims/v2, 4 verify/v2; asked`))
}

func TestConfirmedOfWhat(t *testing.T) {
	g := NewWithT(t)
	j := literalServer(t).Judge().CachedIn(off(t))
	for want, m := range map[string]ragtest.Metric{
		"there is no metric to confirm":  ragtest.Confirmed(nil, 0.5, 0.1, 3),
		"the number of trials is 2":      ragtest.Confirmed(ragtest.Faithfulness, 0.5, 0.1, 2),
		"the number of trials is 1":      ragtest.Confirmed(ragtest.Faithfulness, 0.5, 0.1, 1),
		"scores within 0 of 0.5":         ragtest.Confirmed(ragtest.Faithfulness, 0.5, 0, 3),
		"scores within 0.1 of NaN":       ragtest.Confirmed(ragtest.Faithfulness, math.NaN(), 0.1, 3),
		"the number of trials is 4":      ragtest.Confirmed(ragtest.NoiseSensitivity, 0.5, 0.1, 4),
		"scores within NaN of 0.5":       ragtest.Confirmed(ragtest.Faithfulness, 0.5, math.NaN(), 3),
		"scores within -0.1 of 0.5":      ragtest.Confirmed(ragtest.Faithfulness, 0.5, -0.1, 3),
		"scores within 0.1 of +Inf":      ragtest.Confirmed(ragtest.Faithfulness, math.Inf(1), 0.1, 3),
		"scores within +Inf of 0.5":      ragtest.Confirmed(ragtest.Faithfulness, 0.5, math.Inf(1), 3),
		"the number of trials is -1":     ragtest.Confirmed(ragtest.Faithfulness, 0.5, 0.1, -1),
		"the number of trials is 100000": ragtest.Confirmed(ragtest.Faithfulness, 0.5, 0.1, 100000),
	} {
		_, err := j.Measure(t.Context(), m, lockers(1, 0)[0])
		g.Expect(err).To(MatchError(ContainSubstring(want)))
	}
	_, lower := ragtest.Confirmed(ragtest.NoiseSensitivity, 0.5, 0.1, 3).(interface{ LowerIsBetter() })
	g.Expect(lower).To(BeTrue())
	_, lower = ragtest.Confirmed(ragtest.Faithfulness, 0.5, 0.1, 3).(interface{ LowerIsBetter() })
	g.Expect(lower).To(BeFalse())
}
