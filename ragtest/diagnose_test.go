package ragtest_test

import (
	"errors"
	"math"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/ragomega/ragomega/fixtures"
	"github.com/ragomega/ragomega/ragtest"
)

// low is what the tests of diagnoses call low.
var low = ragtest.Thresholds{ContextRecall: 0.8, ContextPrecision: 0.7, Faithfulness: 0.9, AnswerRelevance: 0.6, AnswerCorrectness: 0.6}

// scoresOf are the scores of a sample by the metrics of a diagnosis.
func scoresOf(recall, precision, faithfulness, relevance, correctness float64) []ragtest.Score {
	var scores []ragtest.Score
	for i, name := range []string{"context_recall", "context_precision", "faithfulness", "answer_relevance", "answer_correctness"} {
		scores = append(scores, ragtest.Score{Metric: name, Value: []float64{recall, precision, faithfulness, relevance, correctness}[i]})
	}
	scores[3].Verdicts = []ragtest.Verdict{{Claim: "When does it open?", OK: true}}
	return scores
}

// The first surface that broke is the fault; what follows from it is named too.
func TestDiagnose(t *testing.T) {
	evasive := scoresOf(1, 1, 1, 0, 0.1)
	evasive[3].Verdicts = []ragtest.Verdict{{Claim: "a?", Reason: "the answer is evasive"}, {Claim: "b?"}}
	ranked := scoresOf(1, 0.2, 1, 0.9, 0.9)
	ranked[1].Verdicts = []ragtest.Verdict{{}, {}, {}, {}, {OK: true}, {}}
	useless := scoresOf(1, 0, 1, 0.9, 0.9)
	useless[1].Verdicts = []ragtest.Verdict{{}, {}}
	stale := scoresOf(0.5, 1, 1, 0.9, 0.4)
	stale[0].Verdicts = []ragtest.Verdict{
		{Claim: "A ticket costs 15 euros.", Quote: "A ticket costs 12 euros; children travel free."},
		{Claim: "The ferry leaves at noon.", OK: true},
	}
	missed := scoresOf(0.5, 1, 1, 0.9, 0.4)
	missed[0].Verdicts = []ragtest.Verdict{{Claim: "A ticket costs 15 euros.", Quote: "The ferry leaves at 7 a.m."}, {Claim: "It is blue.", Quote: "It was painted."}}
	related := scoresOf(0.5, 1, 1, 0.9, 0.7)
	related[0].Verdicts = []ragtest.Verdict{{Claim: "Other parcels wait for 120 hours.", Quote: "A chilled parcel waits for 14 hours."}}
	staleAndInvented := scoresOf(0.5, 1, 0.2, 0.9, 0.4)
	staleAndInvented[0].Verdicts = stale[0].Verdicts
	for name, of := range map[string]struct {
		scores   []ragtest.Score
		fault    ragtest.Fault
		also     []ragtest.Fault
		quadrant ragtest.Quadrant
		evidence string
	}{
		"healthy":            {scoresOf(1, 0.9, 1, 0.9, 0.8), ragtest.NoFault, nil, ragtest.FaithfulRelevant, "context_recall 1.00 ≥ 0.8"},
		"at the thresholds":  {scoresOf(0.8, 0.7, 0.9, 0.6, 0.6), ragtest.NoFault, nil, ragtest.FaithfulRelevant, "faithfulness 0.90 ≥ 0.9"},
		"retrieval miss":     {missed, ragtest.RetrievalMiss, nil, ragtest.FaithfulRelevant, "A ticket costs 15 euros."},
		"missed and made up": {scoresOf(0.2, 1, 0.3, 0.9, 0.2), ragtest.RetrievalMiss, []ragtest.Fault{ragtest.ReaderInvents}, ragtest.UnfaithfulRelevant, "context_recall 0.20 < 0.8"},
		"ranking":            {ranked, ragtest.BadRanking, nil, ragtest.FaithfulRelevant, "useful at rank 5 of 6"},
		"nothing of use":     {useless, ragtest.BadRanking, nil, ragtest.FaithfulRelevant, "none of 2 contexts is useful"},
		"reader":             {scoresOf(1, 1, 0.5, 0.9, 0.5), ragtest.ReaderInvents, []ragtest.Fault{ragtest.IgnoresContext}, ragtest.UnfaithfulRelevant, "faithfulness 0.50 < 0.9"},
		"off topic":          {scoresOf(1, 1, 1, 0.2, 0.1), ragtest.OffTopic, []ragtest.Fault{ragtest.IgnoresContext}, ragtest.FaithfulIrrelevant, "it answers: When does it open?"},
		"evasive":            {evasive, ragtest.Evasive, []ragtest.Fault{ragtest.IgnoresContext}, ragtest.FaithfulIrrelevant, "answer_relevance 0.00 < 0.6"},
		"both low":           {scoresOf(1, 1, 0.1, 0.2, 0.1), ragtest.ReaderInvents, []ragtest.Fault{ragtest.OffTopic, ragtest.IgnoresContext}, ragtest.UnfaithfulIrrelevant, "faithfulness"},
		"stale":              {stale, ragtest.WrongSource, nil, ragtest.FaithfulRelevant, `expected "A ticket costs 15 euros.", and the contexts say "A ticket costs 12 euros; children travel free."`},
		"of something else":  {related, ragtest.RetrievalMiss, nil, ragtest.FaithfulRelevant, "Other parcels wait for 120 hours."},
		"stale and invented": {staleAndInvented, ragtest.RetrievalMiss, []ragtest.Fault{ragtest.ReaderInvents}, ragtest.UnfaithfulRelevant, "context_recall"},
		"evidence ignored":   {scoresOf(1, 1, 1, 0.9, 0.2), ragtest.IgnoresContext, nil, ragtest.FaithfulRelevant, "answer_correctness 0.20 < 0.6"},
		"without recall":     {scoresOf(1, 1, 1, 0.9, 0.2)[1:], ragtest.Undiagnosed, nil, ragtest.FaithfulRelevant, "context_recall was not measured"},
		"not enough":         {scoresOf(1, 1, 1, 0.9, 0.9)[:4], ragtest.Undiagnosed, nil, ragtest.FaithfulRelevant, "answer_correctness was not measured"},
		"one low of few":     {scoresOf(1, 1, 0.3, 0.9, 0.9)[2:3], ragtest.ReaderInvents, nil, ragtest.NoQuadrant, "answer_relevance was not measured"},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			d, err := ragtest.DiagnoseScores("s", low, of.scores...)
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(d.Fault).To(Equal(of.fault))
			g.Expect(d.Also).To(Equal(of.also))
			g.Expect(d.Quadrant).To(Equal(of.quadrant))
			g.Expect(d.Evidence).To(ContainElement(ContainSubstring(of.evidence)))
			if of.fault == ragtest.NoFault || of.fault == ragtest.Undiagnosed {
				g.Expect(d.Lever).To(BeEmpty())
			} else {
				g.Expect(d.Lever).NotTo(BeEmpty())
			}
		})
	}
	_, err := ragtest.DiagnoseScores("s", ragtest.Thresholds{}, scoresOf(1, 1, 1, 1, 1)...)
	NewWithT(t).Expect(err).To(MatchError(ContainSubstring("there are no thresholds to diagnose by")))
	_, err = ragtest.DiagnoseScores("s", ragtest.Thresholds{Faithfulness: math.NaN()}, scoresOf(1, 1, 0, 1, 1)...)
	NewWithT(t).Expect(err).To(MatchError(ContainSubstring("a threshold is NaN")))
	// A metric without a threshold is not looked at, and not missed.
	d, err := ragtest.DiagnoseScores("s", ragtest.Thresholds{Faithfulness: 0.9}, scoresOf(0, 0, 1, 0, 0)...)
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	NewWithT(t).Expect(d.Fault).To(Equal(ragtest.NoFault))
}

func TestDiagnosisString(t *testing.T) {
	g := NewWithT(t)
	scores := scoresOf(1, 1, 0.5, 0.9, 0.5)
	scores[2].Verdicts = []ragtest.Verdict{{Claim: "It opened in 1932.", OK: true}, {Claim: "It is red."}}
	d, err := ragtest.DiagnoseScores("bridge", low, scores...)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(d.String()).To(Equal(`bridge: reader invents (also evidence ignored); not faithful, relevant: the highest risk
  context_recall 1.00 ≥ 0.8
  context_precision 1.00 ≥ 0.7
  faithfulness 0.50 < 0.9
  answer_relevance 0.90 ≥ 0.6
  answer_correctness 0.50 < 0.6
  It is red.
  try: force the reader to keep to the contexts: ask for citations, give it fewer and shorter contexts, lower the temperature`))
}

func TestDiagnoseReport(t *testing.T) {
	g := NewWithT(t)
	r := &ragtest.Report{}
	add := func(sample, tag string, scores []ragtest.Score) {
		for _, s := range scores {
			r.Results = append(r.Results, ragtest.Result{Sample: sample, Tags: []string{tag}, Metric: s.Metric, Score: s})
		}
	}
	add("a", "prices", scoresOf(0.1, 1, 1, 1, 0.9))
	add("b", "prices", scoresOf(1, 1, 1, 1, 1))
	add("c", "times", scoresOf(1, 1, 0, 1, 1))
	r.Results = append(r.Results, ragtest.Result{Sample: "d", Tags: []string{"times"}, Metric: "faithfulness", Err: errors.New("refused\nat length")})
	all, err := r.Diagnose(low)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(all.Count()).To(Equal(map[ragtest.Fault]int{ragtest.RetrievalMiss: 1, ragtest.NoFault: 1, ragtest.ReaderInvents: 1, ragtest.Undiagnosed: 1}))
	g.Expect(all.String()).To(Equal("retrieval miss 1, reader invents 1, not enough to diagnose 1, none 1\n" +
		"  a: retrieval miss; faithful and relevant\n  c: reader invents; not faithful, relevant: the highest risk\n  d: not enough to diagnose"))
	g.Expect(all[3].Evidence).To(ContainElement("faithfulness is missing: refused"))
	part, err := r.ForTag("times").Diagnose(low)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(part).To(HaveLen(2))
	_, err = r.Diagnose(ragtest.Thresholds{})
	g.Expect(err).To(HaveOccurred())
}

// Only what there are thresholds for is measured.
func TestDiagnoseMeasures(t *testing.T) {
	g := NewWithT(t)
	l := newLab(t)
	l.On("claims", fixtures.Claims("The bridge opened in 1932.")).On("verify", fixtures.Verdicts(false))
	j := l.Judge.Judge().CachedIn(off(t))
	d, err := j.Diagnose(t.Context(), bridge, ragtest.Thresholds{Faithfulness: 1})
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(d.Fault).To(Equal(ragtest.ReaderInvents))
	g.Expect(d.Sample).To(Equal("bridge"))
	g.Expect(l.Requests()).To(HaveLen(2))
	// What cannot be measured is said, and no fault made up.
	without := bridge
	without.Reference = ""
	d, err = j.Diagnose(t.Context(), without, ragtest.Thresholds{ContextRecall: 0.8})
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(d.Fault).To(Equal(ragtest.Undiagnosed))
	g.Expect(d.Evidence).To(HaveExactElements(ContainSubstring("context_recall is missing: not measured: context_recall of sample \"bridge\"")))
	_, err = j.Diagnose(t.Context(), bridge, ragtest.Thresholds{})
	g.Expect(err).To(HaveOccurred())
}
