package ragtest_test

import (
	"encoding/json"
	"slices"
	"testing"

	. "github.com/onsi/gomega"
	"pgregory.net/rapid"

	"github.com/ragomega/ragomega/fixtures"
	"github.com/ragomega/ragomega/ragtest"
)

// noisy has an answer of four claims: the reference has the first, a relevant
// context the second, an irrelevant one the third, and nothing the fourth.
var noisy = ragtest.Sample{
	UserInput:         "q?",
	Response:          "f1 f2 f3 f4",
	Reference:         "f1 f9",
	RetrievedContexts: []string{"f1 f2", "f3", "f2 f9"},
}

func TestNoiseSensitivity(t *testing.T) {
	g := NewWithT(t)
	j := wordsJudge(t)
	score, err := j.Measure(t.Context(), ragtest.NoiseSensitivity, noisy)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(score.Metric).To(Equal("noise_sensitivity"))
	g.Expect(score.Value).To(Equal(0.25))
	g.Expect(score.Verdicts).To(Equal([]ragtest.Verdict{
		{Claim: "f1", OK: true, Reason: "the reference supports it"},
		{Claim: "f2", Quote: "f1 f2", Reason: "follows contexts 1 and 3, which the reference rests on, but the reference does not say it"},
		{Claim: "f3", OK: true, Quote: "f3", Reason: "follows context 2, which the reference does not rest on"},
		{Claim: "f4", OK: true, Reason: "neither the reference nor a context supports it: that is no noise"},
	}))

	score, err = j.Measure(t.Context(), ragtest.IrrelevantNoiseSensitivity, noisy)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(score.Metric).To(Equal("noise_sensitivity_irrelevant"))
	g.Expect(score.Value).To(Equal(0.25))
	var ok []bool
	for _, v := range score.Verdicts {
		ok = append(ok, v.OK)
	}
	g.Expect(ok).To(Equal([]bool{true, true, false, true}))
	g.Expect(score.Verdicts[2].Reason).To(Equal("follows context 2, which the reference does not rest on"))
}

// What both find is asked for once, and faithfulness finds the claims there.
func TestNoiseSensitivityAsksForEachTextAlone(t *testing.T) {
	g := NewWithT(t)
	l := newLab(t)
	s := noisy
	s.RetrievedContexts = []string{"f1 f2", "\u200b", "f3"}
	split(l.Judge, "claims", s.Response, []string{"1", "2"})
	split(l.Judge, "claims", s.Reference, []string{"1"})
	no := []json.RawMessage{json.RawMessage("false"), json.RawMessage("false")}
	for _, c := range []string{s.RetrievedContexts[0], s.RetrievedContexts[2]} {
		check(l.Judge, s.Reference, c, no[:1])
		check(l.Judge, s.Response, c, no)
	}
	check(l.Judge, s.Response, s.Reference, no)
	score, err := l.measure(l.Judge.Judge(), ragtest.NoiseSensitivity, s)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(l.Asked("claims")).To(Equal(2))
	g.Expect(l.Asked("verify")).To(Equal(2*2+1), "nobody is asked about a blank context")
	for _, r := range l.Requests()[2:] {
		var data struct {
			Documents []string
			Claims    map[string]string
		}
		exactly(g, r, &data, "documents", "claims")
		g.Expect(data.Documents).To(HaveLen(1))
	}

	replayed, err := l.measure(l.Judge.Judge(), ragtest.NoiseSensitivity, s)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(replayed.Verdicts).To(Equal(score.Verdicts))
	_, err = l.measure(l.Judge.Judge(), ragtest.IrrelevantNoiseSensitivity, s)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(l.Asked(fixtures.Any)).To(Equal(7))
	l.On("verify", fixtures.Verdicts(true, true))
	_, err = l.measure(l.Judge.Judge(), ragtest.Faithfulness, s)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(l.Asked("claims")).To(Equal(2))
}

func TestNoiseSensitivityIsUndefinedWithoutClaims(t *testing.T) {
	for role, text := range map[string]string{"the reference": noisy.Reference, "the answer": noisy.Response} {
		t.Run(role, func(t *testing.T) {
			g := NewWithT(t)
			l := newLab(t)
			split(l.Judge, "claims", text, nil)
			l.On("claims", fixtures.Claims("f1"))
			_, err := l.measure(l.Judge.Judge(), ragtest.NoiseSensitivity, noisy)
			g.Expect(err).To(MatchError(ragtest.ErrUndefined))
			g.Expect(err).To(MatchError(HaveSuffix(": undefined: " + role + " makes no claim, so there is nothing to compare")))
			g.Expect(l.Asked("verify")).To(BeZero())
		})
	}
}

func TestNoiseSensitivityNeeds(t *testing.T) {
	for _, m := range []ragtest.Metric{ragtest.NoiseSensitivity, ragtest.IrrelevantNoiseSensitivity} {
		expectNeeds(t, m, noisy, "UserInput", "Response", "Reference", "RetrievedContexts")
		_, lower := m.(interface{ LowerIsBetter() })
		NewWithT(t).Expect(lower).To(BeTrue())
	}
	_, lower := ragtest.Metric(ragtest.Faithfulness).(interface{ LowerIsBetter() })
	NewWithT(t).Expect(lower).To(BeFalse())
}

// Both are shares of the claims that the reference does not support, and no
// claim counts in both. The order of the contexts does not matter, nor whether
// claims are checked one by one.
func TestNoiseSensitivityCountsEachClaimOnce(t *testing.T) {
	j := wordsJudge(t)
	rapid.Check(t, func(rt *rapid.T) {
		g := NewWithT(rt)
		s := wordsSample(rt)
		measure := func(j *ragtest.Judge, m ragtest.Metric, s ragtest.Sample) float64 {
			score, err := j.Measure(t.Context(), m, s)
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(score.Verdicts).To(HaveLen(len(wordsOf(s.Response))))
			return score.Value
		}
		reference := wordsOf(s.Reference)
		relevant, irrelevant := 0, 0
		for _, claim := range wordsOf(s.Response) {
			in := func(useful bool) bool {
				return slices.ContainsFunc(s.RetrievedContexts, func(c string) bool {
					return slices.Contains(wordsOf(c), claim) && common(reference, wordsOf(c)) > 0 == useful
				})
			}
			switch {
			case slices.Contains(reference, claim):
			case in(true):
				relevant++
			case in(false):
				irrelevant++
			}
		}
		n := float64(len(wordsOf(s.Response)))
		g.Expect(measure(j, ragtest.NoiseSensitivity, s)).To(Equal(float64(relevant) / n))
		g.Expect(measure(j, ragtest.IrrelevantNoiseSensitivity, s)).To(Equal(float64(irrelevant) / n))

		s.RetrievedContexts = slices.Clone(s.RetrievedContexts)
		slices.Reverse(s.RetrievedContexts)
		g.Expect(measure(j.PerClaim(), ragtest.NoiseSensitivity, s)).To(Equal(float64(relevant) / n))
	})
}
