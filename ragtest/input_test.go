package ragtest_test

import (
	"math"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/ragomega/ragomega/fixtures"
	"github.com/ragomega/ragomega/ragtest"
)

// What a metric needs and does not get is an error before anything is asked.
func TestMissingInput(t *testing.T) {
	without := func(change func(*ragtest.Sample)) ragtest.Sample {
		s := bridge
		change(&s)
		return s
	}
	contexts := func(c ...string) ragtest.Sample {
		return without(func(s *ragtest.Sample) { s.RetrievedContexts = c })
	}
	const noContexts = "missing input: Sample.RetrievedContexts: contexts to judge by are needed, and "
	for name, test := range map[string]struct {
		metric ragtest.Metric
		sample ragtest.Sample
		field  string
		text   string
	}{
		"no contexts":         {ragtest.Faithfulness, contexts(), "RetrievedContexts", noContexts + "there are none. Nothing was asked"},
		"an empty context":    {ragtest.Faithfulness, contexts(""), "RetrievedContexts", noContexts + "all 1 are blank. Nothing was asked"},
		"white space":         {ragtest.Faithfulness, contexts("  \n\t", "\r\n"), "RetrievedContexts", noContexts + "all 2 are blank. Nothing was asked"},
		"a zero-width space":  {ragtest.Faithfulness, contexts("\u200b", "\ufeff"), "RetrievedContexts", noContexts + "all 2 are blank. Nothing was asked"},
		"a no-break space":    {ragtest.Faithfulness, contexts("\u00a0"), "RetrievedContexts", noContexts + "all 1 are blank. Nothing was asked"},
		"recall, no contexts": {ragtest.ContextRecall, contexts(), "RetrievedContexts", noContexts + "there are none. Nothing was asked"},
		"recall, blank":       {ragtest.ContextRecall, contexts("\x00", "\u00a0\u200b"), "RetrievedContexts", noContexts + "all 2 are blank. Nothing was asked"},
		"blank answer": {
			ragtest.Faithfulness, without(func(s *ragtest.Sample) { s.Response = " \u200b" }), "Response",
			"missing input: Sample.Response: an answer to judge is needed, and it is blank. Nothing was asked",
		},
		"no reference": {
			ragtest.ContextRecall, without(func(s *ragtest.Sample) { s.Reference = "" }), "Reference",
			"missing input: Sample.Reference: an answer known to be good is needed, and it is blank. Nothing was asked",
		},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			l := newLab(t)
			score, err := l.measure(l.Judge.Judge(), test.metric, test.sample)
			g.Expect(score).To(BeZero())
			g.Expect(err).To(MatchError(ragtest.ErrMissingInput))
			var input *ragtest.InputError
			g.Expect(err).To(BeAssignableToTypeOf(&ragtest.MeasureError{}))
			g.Expect(asError(err, &input)).To(BeTrue())
			g.Expect(input.Field).To(Equal(test.field))
			g.Expect(input.Error()).To(Equal(test.text))
			g.Expect(l.Asked(fixtures.Any)).To(BeZero())
		})
	}
}

// A blank context among others is sent as it is: documents keep their places.
func TestBlankContextAmongOthersIsSent(t *testing.T) {
	g := NewWithT(t)
	l := newLab(t)
	l.On("claims", fixtures.Claims("A")).On("verify", fixtures.Verdicts(true))
	s := bridge
	s.RetrievedContexts = []string{"", "text"}
	_, err := l.measure(l.Judge.Judge(), ragtest.Faithfulness, s)
	g.Expect(err).NotTo(HaveOccurred())
	var data struct{ Documents []string }
	g.Expect(l.Requests()[1].Data(&data)).To(Succeed())
	g.Expect(data.Documents).To(Equal([]string{"", "text"}))
}

// A text without a claim has no score, and nothing is asked of verdicts.
func TestNoClaimIsUndefined(t *testing.T) {
	for metric, text := range map[ragtest.Metric]string{
		ragtest.Faithfulness:  "undefined: the answer makes no claim, so there is nothing to look for in the contexts",
		ragtest.ContextRecall: "undefined: the reference makes no claim, so there is nothing to look for in the contexts",
	} {
		t.Run(metric.Name(), func(t *testing.T) {
			g := NewWithT(t)
			l := newLab(t)
			l.On("claims", fixtures.Claims())
			_, err := l.measure(l.Judge.Judge(), metric, bridge)
			g.Expect(err).To(MatchError(ragtest.ErrUndefined))
			g.Expect(err.Error()).To(HaveSuffix(": " + text))
			g.Expect(l.Asked("verify")).To(BeZero())

			// The judge has answered, so it is not asked again.
			_, err = l.measure(l.Judge.Judge(), metric, bridge)
			g.Expect(err).To(MatchError(ragtest.ErrUndefined))
			g.Expect(l.Asked(fixtures.Any)).To(Equal(1))
		})
	}
}

// A metric of a user's own that computes no number has no score.
func TestNoNumberIsNoScore(t *testing.T) {
	for _, v := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		m := ragtest.NewMetric("broken", func(_ ctx, _ *ragtest.Judge, _ ragtest.Sample) (ragtest.Score, error) {
			return ragtest.Score{Value: v}, nil
		})
		_, err := ragtest.NewJudgeClient(clientFunc(answer), "here", "m").Measure(t.Context(), m, bridge)
		NewWithT(t).Expect(err).To(MatchError(ragtest.ErrUndefined), "%v", v)
	}
}
