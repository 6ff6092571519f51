package ragtest_test

import (
	"encoding/json"
	"math"
	"testing"

	. "github.com/onsi/gomega"
	"pgregory.net/rapid"

	"github.com/ragomega/ragomega/fixtures"
	"github.com/ragomega/ragomega/ragtest"
)

// compared has an answer with one claim of three right, and a reference with
// one claim of two in the answer.
var compared = ragtest.Sample{UserInput: "q?", Response: "f1 f2 f3", Reference: "f1 f9", RetrievedContexts: []string{"c"}}

func scriptCompared(l *lab, step string) {
	split(l.Judge, step, compared.Response, []string{"1", "2", "3"})
	split(l.Judge, step, compared.Reference, []string{"1", "9"})
	raw := func(s string) (values []json.RawMessage) {
		NewWithT(l.t).Expect(json.Unmarshal([]byte(s), &values)).To(Succeed())
		return values
	}
	check(l.Judge, compared.Response, compared.Reference, raw("[true,false,false]"))
	check(l.Judge, compared.Reference, compared.Response, raw("[true,false]"))
}

func TestFactualCorrectness(t *testing.T) {
	const right, wrong, missing = 1, 2, 1
	f := func(beta float64) float64 {
		p, r := float64(right)/(right+wrong), float64(right)/(right+missing)
		return (1 + beta*beta) * (p * r) / (beta*beta*p + r)
	}
	for name, test := range map[string]struct {
		metric ragtest.Metric
		value  float64
		calls  int
		parts  []string
	}{
		"factual_correctness":           {ragtest.FactualCorrectness, f(1), 4, []string{"response", "response", "response", "reference", "reference"}},
		"factual_correctness_beta_2":    {ragtest.FactualCorrectness.Beta(2), f(2), 4, []string{"response", "response", "response", "reference", "reference"}},
		"factual_correctness_beta_0.5":  {ragtest.FactualCorrectness.Recall().Beta(0.5), f(0.5), 4, []string{"response", "response", "response", "reference", "reference"}},
		"factual_correctness_precision": {ragtest.FactualCorrectness.Beta(2).Precision(), 1.0 / 3, 2, []string{"response", "response", "response"}},
		"factual_correctness_recall":    {ragtest.FactualCorrectness.Precision().Recall(), 0.5, 2, []string{"reference", "reference"}},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			l := newLab(t)
			scriptCompared(l, "claims")
			score, err := l.measure(l.Judge.Judge(), test.metric, compared)
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(score.Metric).To(Equal(name))
			g.Expect(score.Value).To(BeNumerically("~", test.value, 1e-15))
			var parts []string
			for i, v := range score.Verdicts {
				parts = append(parts, v.Part)
				first := i == 0 || score.Verdicts[i-1].Part != v.Part
				g.Expect(v.OK).To(Equal(first), "%v", v)
				g.Expect(v.Claim).To(HavePrefix(map[string]string{"response": compared.Response, "reference": compared.Reference}[v.Part]))
			}
			g.Expect(parts).To(Equal(test.parts))
			g.Expect(l.Asked(fixtures.Any)).To(Equal(test.calls))

			replayed, err := l.measure(l.Judge.Judge(), test.metric, compared)
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(replayed.Verdicts).To(Equal(score.Verdicts))
			g.Expect(l.Asked(fixtures.Any)).To(Equal(test.calls))
		})
	}
}

// Precision and recall are parts of the F score: whoever has paid for it has
// paid for them, and for the claims of other metrics.
func TestFactualCorrectnessIsPaidForOnce(t *testing.T) {
	g := NewWithT(t)
	l := newLab(t)
	scriptCompared(l, "claims")
	for _, m := range []ragtest.Metric{ragtest.FactualCorrectness.Precision(), ragtest.FactualCorrectness, ragtest.FactualCorrectness.Recall(), ragtest.FactualCorrectness.Beta(2)} {
		_, err := l.measure(l.Judge.Judge(), m, compared)
		g.Expect(err).NotTo(HaveOccurred())
	}
	g.Expect(l.Asked(fixtures.Any)).To(Equal(4))
	l.On("verify", fixtures.Verdicts(true, true, true))
	_, err := l.measure(l.Judge.Judge(), ragtest.Faithfulness, compared)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(l.Asked("claims")).To(Equal(2))
}

func TestFactualCorrectnessGranularity(t *testing.T) {
	all := ragtest.FactualCorrectness
	for name, test := range map[string]struct {
		metric ragtest.Metric
		step   string
	}{
		"factual_correctness":                            {all.Atomicity(ragtest.Low).Atomicity(ragtest.High).Coverage(ragtest.High), "claims"},
		"factual_correctness_low_atomicity":              {all.Atomicity(ragtest.Low), "claims_coarse"},
		"factual_correctness_low_coverage":               {all.Coverage(ragtest.Low), "claims_main"},
		"factual_correctness_low_atomicity_low_coverage": {all.Coverage(ragtest.Low).Atomicity(ragtest.Low), "claims_main_coarse"},
		"factual_correctness_recall_low_coverage":        {all.Coverage(ragtest.Low).Recall(), "claims_main"},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			l := newLab(t)
			scriptCompared(l, test.step)
			score, err := l.measure(l.Judge.Judge(), test.metric, compared)
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(score.Metric).To(Equal(name))
			g.Expect(l.Asked(test.step)).To(Equal(l.Asked("verify")))
			g.Expect(l.Asked(fixtures.Any)).To(Equal(l.Asked(test.step) + l.Asked("verify")))
			for _, r := range l.Requests() {
				if r.Step == test.step {
					var data struct{ Question, Text string }
					exactly(g, r, &data, "question", "text")
				}
			}
		})
	}
}

func TestFactualCorrectnessWithoutClaims(t *testing.T) {
	const answer, reference = "the answer", "the reference"
	all := ragtest.FactualCorrectness
	for name, test := range map[string]struct {
		metric    ragtest.Metric
		without   []string
		undefined string // whose claims are missed, or "" for a score of 0
	}{
		"F1, no answer":        {all, []string{answer}, ""},
		"F1, no reference":     {all, []string{reference}, reference},
		"F1, neither":          {all, []string{answer, reference}, reference},
		"precision, no answer": {all.Precision(), []string{answer}, answer},
		"recall, no reference": {all.Recall(), []string{reference}, reference},
		"precision, neither":   {all.Precision(), []string{answer, reference}, answer},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			l := newLab(t)
			for _, role := range test.without {
				split(l.Judge, "claims", map[string]string{answer: compared.Response, reference: compared.Reference}[role], nil)
			}
			scriptCompared(l, "claims")
			score, err := l.measure(l.Judge.Judge(), test.metric, compared)
			g.Expect(l.Asked("verify")).To(BeZero())
			if test.undefined != "" {
				g.Expect(err).To(MatchError(ragtest.ErrUndefined))
				g.Expect(err).To(MatchError(HaveSuffix(": " + test.undefined + " makes no claim, so there is nothing to count")))
				return
			}
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(score.Value).To(BeZero())
			g.Expect(score.Verdicts).To(HaveLen(2))
			for _, v := range score.Verdicts {
				g.Expect(v.OK).To(BeFalse())
				g.Expect(v.Part).To(Equal("reference"))
				g.Expect(v.Reason).To(Equal("the answer makes no claim"))
			}
		})
	}
}

func TestFactualCorrectnessWithABadBeta(t *testing.T) {
	for _, beta := range []float64{-1, math.NaN(), math.Inf(1), math.Inf(-1), 1e200} {
		g := NewWithT(t)
		l := newLab(t)
		_, err := l.measure(l.Judge.Judge(), ragtest.FactualCorrectness.Beta(beta), compared)
		g.Expect(err).To(MatchError(ContainSubstring("FactualCorrectness.Beta: a number of at least 0 is needed, not ")), "%v", beta)
		g.Expect(l.Asked(fixtures.Any)).To(BeZero())
	}
	g := NewWithT(t)
	g.Expect(ragtest.FactualCorrectness.Beta(math.NaN()).Precision()).To(Equal(ragtest.FactualCorrectness.Precision()), "which has no beta")
	g.Expect(ragtest.FactualCorrectness.Beta(-1).Recall()).To(Equal(ragtest.FactualCorrectness.Recall()))
	score, err := wordsJudge(t).Measure(t.Context(), ragtest.FactualCorrectness.Beta(0), compared)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(score.Value).To(Equal(1.0/3), "precision alone counts")
}

func TestFactualCorrectnessNeeds(t *testing.T) {
	for _, m := range []ragtest.Metric{ragtest.FactualCorrectness, ragtest.FactualCorrectness.Precision(), ragtest.FactualCorrectness.Recall()} {
		expectNeeds(t, m, compared, "Response", "Reference")
	}
}

// The contexts have nothing to do with it, a claim that the reference has raises
// precision, one that it lacks lowers it, and equal texts are entirely correct.
func TestFactualCorrectnessIsOfSets(t *testing.T) {
	j := wordsJudge(t)
	all := ragtest.FactualCorrectness
	rapid.Check(t, func(rt *rapid.T) {
		g := NewWithT(rt)
		s := wordsSample(rt)
		measure := func(m ragtest.Metric, s ragtest.Sample) float64 {
			score, err := j.Measure(t.Context(), m, s)
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(score.Value).To(And(BeNumerically(">=", 0), BeNumerically("<=", 1)))
			return score.Value
		}
		answer, reference := wordsOf(s.Response), wordsOf(s.Reference)
		right := float64(common(answer, reference))
		p, r := right/float64(len(answer)), right/float64(len(reference))
		g.Expect(measure(all.Precision(), s)).To(Equal(p))
		g.Expect(measure(all.Recall(), s)).To(Equal(r))
		f := measure(all, s)
		if right == 0 {
			g.Expect(f).To(BeZero())
		} else {
			g.Expect(f).To(BeNumerically("~", 2/(1/p+1/r), 1e-12), "where each claim has one counterpart")
		}

		other, wrong, equal := s, s, s
		other.RetrievedContexts = nil
		g.Expect(measure(all, other)).To(Equal(f))
		wrong.Response += " wrong0"
		g.Expect(measure(all.Precision(), wrong)).To(BeNumerically("<=", p))
		g.Expect(measure(all, wrong)).To(BeNumerically("<=", f))
		equal.Response = s.Reference
		g.Expect(measure(all, equal)).To(Equal(1.0))
		better := s
		for _, w := range reference {
			if common([]string{w}, answer) == 0 {
				better.Response += " " + w
				g.Expect(measure(all, better)).To(BeNumerically(">", f))
				g.Expect(measure(all.Recall(), better)).To(BeNumerically(">", r))
				break
			}
		}
	})
}
