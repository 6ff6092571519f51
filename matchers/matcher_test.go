package matchers_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	"github.com/onsi/gomega/types"

	. "github.com/ragomega/ragomega/matchers"
	"github.com/ragomega/ragomega/ragtest"
)

func TestOutcomes(t *testing.T) {
	standing(t)
	for name, test := range map[string]struct {
		actual  any
		matcher types.GomegaMatcher
		want    bool
	}{
		"every claim supported":             {louvre, BeFaithful(), true},
		"one claim not":                     {moon, BeFaithful(), false},
		"above is greater than":             {moon, HaveFaithfulnessAbove(0.5), false},
		"above":                             {moon, HaveFaithfulnessAbove(0.49), true},
		"recall":                            {moon, HaveContextRecallAbove(0.4), true},
		"at least, by a matcher":            {moon, HaveScore(ragtest.Faithfulness, BeNumerically(">=", 0.5)), true},
		"equal, by a number":                {moon, HaveScore(ragtest.Faithfulness, 0.5), true},
		"equal, by an int":                  {louvre, HaveScore(ragtest.Faithfulness, 1), true},
		"contexts in place of the sample's": {moon, BeFaithfulTo("He was born in Texas", "Armstrong walked first"), true},
		"bytes":                             {[]byte("The Louvre is in Paris."), BeFaithfulTo("The Louvre is in Paris."), true},
		"a type of its own":                 {answer("The Louvre is in Paris."), BeFaithfulTo("The Louvre is in Paris."), true},
		"a sampler":                         {row{louvre}, BeFaithful(), true},
		"a pointer to a sampler":            {&row{moon}, BeFaithful(), false},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := test.matcher.Match(test.actual)
			if err != nil || got != test.want {
				t.Errorf("got %v, %v, want %v", got, err, test.want)
			}
		})
	}
}

type answer string

type row struct{ s ragtest.Sample }

func (r row) RAGSample() ragtest.Sample { return r.s }

func TestErrors(t *testing.T) {
	l := standing(t)
	without := moon
	without.RetrievedContexts = nil
	noReference := moon
	noReference.Reference = " \u200b"
	never := ragtest.NewMetric("never", func(context.Context, *ragtest.Judge, ragtest.Sample) (ragtest.Score, error) {
		return ragtest.Score{Value: math.NaN()}, nil
	})
	var nilSample *ragtest.Sample
	for name, test := range map[string]struct {
		actual  any
		matcher types.GomegaMatcher
		want    string
	}{
		"no contexts":           {without, BeFaithful(), `missing input: Sample.RetrievedContexts: contexts to judge by are needed, and there are none. Nothing was asked`},
		"blank contexts":        {moon, BeFaithfulTo("", "\u00a0"), `contexts to judge by are needed, and all 2 are blank. Nothing was asked`},
		"no documents given":    {moon, BeFaithfulTo(), `contexts to judge by are needed, and there are none`},
		"a string alone":        {"The Louvre is in Paris.", BeFaithful(), `there are none`},
		"no reference":          {noReference, HaveContextRecallAbove(0.1), `missing input: Sample.Reference: an answer known to be good is needed, and it is blank`},
		"blank answer":          {"\n", BeFaithfulTo("c"), `missing input: Sample.Response: an answer to judge is needed, and it is blank`},
		"nil":                   {nil, BeFaithful(), `BeFaithful() expects an answer (a string) or a ragtest.Sampler, got nil`},
		"nil pointer":           {nilSample, BeFaithful(), `BeFaithful() expects an answer (a string) or a ragtest.Sampler, got nil`},
		"a number":              {42, BeFaithfulTo("c"), "BeFaithfulTo(…) expects an answer (a string) or a ragtest.Sampler, got\n    <int>: 42"},
		"a slice":               {[]ragtest.Sample{moon, louvre}, BeFaithful(), `BeFaithful() judges one sample, got 2 of them ([]ragtest.Sample). To judge each use HaveEach(BeFaithful()); to judge them together ragtest.Evaluate, and HaveMeanAbove or HavePassRateAbove on its report`},
		"NaN":                   {moon, HaveFaithfulnessAbove(math.NaN()), `HaveFaithfulnessAbove(NaN): the bound is NaN, expected a number`},
		"infinity":              {moon, HaveScoreAbove(never, math.Inf(-1)), `the bound is -Inf, expected a number`},
		"nothing is above 1":    {moon, HaveContextRecallAbove(1), `HaveContextRecallAbove(1): scores lie from 0 to 1, so the bound must be at least 0 and below 1. For the highest score itself use HaveScore(…, 1)`},
		"everything is above":   {moon, HaveFaithfulnessAbove(-0.1), `must be at least 0`},
		"nothing is 100":        {moon, HaveScore(ragtest.Faithfulness, 100), `HaveScore(faithfulness, 100): scores lie from 0 to 1, so none is 100`},
		"no number":             {moon, HaveScore(ragtest.Faithfulness, "x"), `HaveScore(faithfulness, x): expected a number or a matcher to hold the score against`},
		"nil expected":          {moon, HaveScore(ragtest.Faithfulness, nil), `HaveScore(faithfulness, <nil>): expected a number or a matcher`},
		"using nobody":          {moon, BeFaithful().Using(nil), `BeFaithful(): Using was given no judge`},
		"no metric":             {moon, HaveScoreAbove(nil, 0.5), `no metric was given`},
		"a metric without one":  {moon, HaveScore(never, BeNumerically(">", 0)), `undefined: the metric returned NaN, which is no score`},
		"an expectation of NaN": {moon, HaveScoreAbove(never, 0.1), `the metric returned NaN`},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			l.calls.Store(0)
			_, err := test.matcher.Match(test.actual)
			g.Expect(err).To(MatchError(ContainSubstring(test.want)))
			g.Expect(l.calls.Load()).To(BeZero(), "nothing is asked")
			for _, polarity := range []func(Gomega){
				func(g Gomega) { g.Expect(test.actual).To(test.matcher) },
				func(g Gomega) { g.Expect(test.actual).NotTo(test.matcher) },
			} {
				g.Expect(failure(polarity)).NotTo(BeEmpty(), "an error fails To and NotTo alike")
			}
		})
	}
}

func TestAnErrorNamesTheTest(t *testing.T) {
	g := NewWithT(t)
	l := standing(t)
	_, err := BeFaithful().Match(ragtest.Sample{Name: "empty", Response: "r"})
	g.Expect(err).To(MatchError(MatchRegexp(`^not measured: faithfulness of sample "empty" in TestAnErrorNamesTheTest \(matcher_test\.go:\d+\): missing input`)))
	t.Run("sub test", func(t *testing.T) {
		_, err := BeFaithful().Using(l.judge(t).For(&fakeT{T: t})).Match(ragtest.Sample{Response: "r"})
		NewWithT(t).Expect(err).To(MatchError(MatchRegexp(`of sample "r" in TestAnErrorNamesTheTest/sub_test \(matcher_test\.go:\d+\): missing`)))
	})
}

func TestNoJudge(t *testing.T) {
	g := NewWithT(t)
	ragtest.Use(nil)
	_, err := BeFaithful().Match(moon)
	g.Expect(err).To(MatchError(ragtest.ErrNoJudge))
	g.Expect(err).To(MatchError(`faithfulness was not measured: no judge: call ragtest.Use(ragtest.OpenAI("…")) in TestMain or BeforeSuite, or give the matcher one with Using`))
	began := time.Now()
	message := failure(func(g Gomega) { g.Eventually(moon).WithTimeout(time.Hour).Should(BeFaithful()) })
	g.Expect(message).To(ContainSubstring("no judge: call ragtest.Use"))
	g.Expect(time.Since(began)).To(BeNumerically("<", time.Minute), "it does not poll for what will not change")
}

func TestEventuallyShowsTheErrorAlone(t *testing.T) {
	g := NewWithT(t)
	standing(t)
	message := failure(func(g Gomega) {
		g.Eventually(func() string { return "r" }).WithTimeout(time.Hour).Should(BeFaithful())
	})
	g.Expect(message).To(MatchRegexp(`^Told to stop trying after [\d.]+s\.\nnot measured: faithfulness of sample "r" in .*: missing input: Sample.RetrievedContexts: contexts to judge by are needed, and there are none. Nothing was asked$`))
}

func TestOptionsAreCopies(t *testing.T) {
	g := NewWithT(t)
	standing(t)
	shared := BeFaithful()
	down := (&literal{err: errDown}).judge(t)
	_, err := shared.Using(down).Match(louvre)
	g.Expect(err).To(MatchError(errDown))
	ok, err := shared.Match(louvre)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(ok).To(BeTrue())

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = shared.WithContext(ctx).Match(louvre)
	g.Expect(err).To(MatchError(context.Canceled))
}

func TestASharedMatcherDoesNotMixSamplesUp(t *testing.T) {
	g := NewWithT(t)
	standing(t)
	shared := BeFaithful()
	for _, s := range []ragtest.Sample{moon, louvre} {
		_, err := shared.Match(s)
		g.Expect(err).NotTo(HaveOccurred())
	}
	g.Expect(shared.FailureMessage(moon)).NotTo(ContainSubstring("The Louvre is in Paris"))
	g.Expect(shared.FailureMessage(louvre)).To(ContainSubstring("The Louvre is in Paris"))
	_, err := shared.Match(ragtest.Sample{})
	g.Expect(err).To(HaveOccurred())
	g.Expect(shared.FailureMessage(louvre)).To(HaveSuffix("but it was not measured"))
}

func TestTheContextOfTheTestEndsACall(t *testing.T) {
	g := NewWithT(t)
	t.Cleanup(func() { _ = ragtest.Close() }) // forget the failure
	l := &literal{gate: make(chan struct{})}
	ctx, cancel := context.WithCancelCause(t.Context())
	gaveUp := errors.New("the spec is over")
	cancel(gaveUp)
	_, err := BeFaithful().Using(l.judge(t)).WithContext(ctx).Match(moon)
	g.Expect(err).To(MatchError(context.Canceled))
}

// Ginkgo reads the message of a matcher from another goroutine while it runs;
// the race detector watches.
func TestMessageIsReadWhileTheJudgeIsAsked(t *testing.T) {
	l := standing(t)
	l.gate = make(chan struct{})
	m := BeFaithful()
	done := make(chan struct{})
	go func() {
		defer close(done)
		for range 100 {
			_, _ = m.FailureMessage(moon), m.GomegaString()
		}
		close(l.gate)
		for range 100 {
			_, _ = m.NegatedFailureMessage(moon), m.GomegaString()
		}
	}()
	if _, err := m.Match(moon); err != nil {
		t.Error(err)
	}
	<-done
}

func TestNamesInOtherMatchers(t *testing.T) {
	g := NewWithT(t)
	standing(t)
	for want, m := range map[string]fmt.Stringer{
		"BeFaithful()":                                     BeFaithful(),
		"BeFaithfulTo(…)":                                  BeFaithfulTo("c"),
		"HaveFaithfulnessAbove(0.8)":                       HaveFaithfulnessAbove(0.8),
		"HaveContextRecallAbove(0.8)":                      HaveContextRecallAbove(0.8),
		"HaveScoreAbove(faithfulness, 0)":                  HaveScoreAbove(ragtest.Faithfulness, 0),
		"HaveScore(faithfulness, 1)":                       HaveScore(ragtest.Faithfulness, 1),
		`HaveScore(context_recall, BeNumerically(">", 0))`: HaveScore(ragtest.ContextRecall, BeNumerically(">", 0)),
		"HaveFaithfulnessAbove(0.3333333)":                 HaveFaithfulnessAbove(0.3333333),
	} {
		g.Expect(m.String()).To(Equal(want))
	}
	g.Expect(failure(func(g Gomega) { g.Expect(moon).To(Or(HaveContextRecallAbove(0.9), BeFaithful())) })).
		To(HaveSuffix("To satisfy at least one of these matchers: [HaveContextRecallAbove(0.9) BeFaithful()]"))
	g.Expect(failure(func(g Gomega) { g.Expect([]ragtest.Sample{louvre, moon}).To(HaveEach(BeFaithful())) })).
		To(ContainSubstring("BeFaithful(), which last measured\n        faithfulness 0.50 (1/2)"))
}

// Scores that no sample can have, and thresholds that mean nothing, are refused
// by each of the five, before anybody is asked.
func TestBoundsOfTheFive(t *testing.T) {
	l := standing(t)
	for name, test := range map[string]struct {
		matcher func(float64) *Matcher
		lowest  float64
	}{
		"HaveFaithfulnessAbove":      {HaveFaithfulnessAbove, 0},
		"HaveAnswerRelevanceAbove":   {HaveAnswerRelevanceAbove, -1},
		"HaveContextPrecisionAbove":  {HaveContextPrecisionAbove, 0},
		"HaveContextRecallAbove":     {HaveContextRecallAbove, 0},
		"HaveAnswerCorrectnessAbove": {HaveAnswerCorrectnessAbove, -0.25},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			for _, bad := range []float64{1, 1.5, 80, math.Nextafter(test.lowest, -2), math.NaN(), math.Inf(1), math.Inf(-1)} {
				l.calls.Store(0)
				_, err := test.matcher(bad).Match(louvre)
				g.Expect(err).To(MatchError(HavePrefix(fmt.Sprintf("%s(%v): ", name, bad))))
				g.Expect(l.calls.Load()).To(BeZero())
			}
			g.Expect(test.matcher(test.lowest).Match(louvre)).To(BeTrue())
			g.Expect(test.matcher(0.5).Match(louvre)).To(BeTrue())
			g.Expect(test.matcher(0.5).String()).To(Equal(name + "(0.5)"))
		})
	}
}

// Only the metrics that compare embeddings need an embedder.
func TestWithoutAnEmbedder(t *testing.T) {
	g := NewWithT(t)
	l := &literal{}
	judge := l.judge(t).WithEmbedder(nil)
	g.Expect(BeCorrect().Using(judge).Match(louvre)).To(BeTrue())
	g.Expect(BeCorrect().Using(judge).Match(moon)).To(BeFalse())
	l.calls.Store(0)
	for _, m := range []*Matcher{HaveAnswerCorrectnessAbove(0.5), HaveAnswerRelevanceAbove(0.5)} {
		_, err := m.Using(judge).Match(louvre)
		g.Expect(err).To(MatchError(ContainSubstring("no embedder: this metric compares embeddings, so give the judge one with WithEmbedder")))
	}
	g.Expect(l.calls.Load()).To(BeZero(), "nothing is paid for in vain")
}
