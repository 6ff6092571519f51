package matchers_test

import (
	"errors"
	"testing"

	. "github.com/onsi/gomega"

	. "github.com/ragomega/ragomega/matchers"
	"github.com/ragomega/ragomega/ragtest"
)

func diagnosed(t *testing.T, scores ...ragtest.Score) (ragtest.Diagnosis, error) {
	t.Helper()
	return ragtest.DiagnoseScores("bridge", ragtest.Thresholds{Faithfulness: 0.9, AnswerRelevance: 0.5}, scores...)
}

func TestHaveFault(t *testing.T) {
	g := NewWithT(t)
	invents := []ragtest.Score{{Metric: "faithfulness", Value: 0.5}, {Metric: "answer_relevance", Value: 0.9}}
	g.Expect(diagnosed(t, invents...)).To(HaveFault(ragtest.ReaderInvents))
	g.Expect(diagnosed(t, invents...)).NotTo(HaveFault(ragtest.NoFault))
	g.Expect(diagnosed(t, invents...)).To(BeInQuadrant(ragtest.UnfaithfulRelevant))
	d, err := diagnosed(t, invents...)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(&d).To(And(HaveFault(ragtest.ReaderInvents), Not(BeInQuadrant(ragtest.FaithfulRelevant))))
	g.Expect([]ragtest.Diagnosis{d}).To(ContainElement(HaveFault(ragtest.ReaderInvents)))

	m := HaveFault(ragtest.RetrievalMiss)
	g.Expect(m.Match(d)).To(BeFalse())
	g.Expect(m.FailureMessage(d)).To(Equal(`Expected
    bridge: reader invents; not faithful, relevant: the highest risk
      faithfulness 0.50 < 0.9
      answer_relevance 0.90 ≥ 0.5
      try: force the reader to keep to the contexts: ask for citations, give it fewer and shorter contexts, lower the temperature
to have the fault "retrieval miss"`))
	g.Expect(BeInQuadrant(ragtest.UnfaithfulRelevant).NegatedFailureMessage(d)).To(HaveSuffix("not to be not faithful, relevant: the highest risk"))
}

func TestErrorsOfHaveFault(t *testing.T) {
	g := NewWithT(t)
	for _, actual := range []any{nil, (*ragtest.Diagnosis)(nil), ragtest.Sample{}, "a"} {
		_, err := HaveFault(ragtest.NoFault).Match(actual)
		g.Expect(err).To(MatchError(ContainSubstring("expected a ragtest.Diagnosis, as ragtest.Diagnose(ctx, sample, thresholds) returns it")))
	}
	d, err := diagnosed(t, ragtest.Score{Metric: "faithfulness", Value: 1})
	g.Expect(err).NotTo(HaveOccurred())
	_, err = BeInQuadrant(ragtest.FaithfulRelevant).Match(d)
	g.Expect(err).To(MatchError(ContainSubstring("answer_relevance was not measured")))
	_, err = HaveFault(ragtest.RetrievalMiss).Match(d)
	g.Expect(err).To(MatchError(ContainSubstring("answer_relevance was not measured")), "what is not known is no other fault")
	g.Expect(d).To(HaveFault(ragtest.Undiagnosed))
	_, err = HaveFault("retrieval").Match(d)
	g.Expect(err).To(MatchError(ContainSubstring(`no fault is called "retrieval"`)))
	_, err = HaveFault(ragtest.NoFault).Match(ragtest.Diagnosis{})
	g.Expect(err).To(MatchError(ContainSubstring("the diagnosis is empty")))
	// An error beside the diagnosis fails the assertion, as everywhere in Gomega.
	var failed string
	NewGomega(func(m string, _ ...int) { failed = m }).Expect(d, errors.New("no judge")).To(HaveFault(ragtest.NoFault))
	g.Expect(failed).To(ContainSubstring("no judge"))
}
