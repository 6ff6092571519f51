package ragtest_test

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/ragomega/ragomega/ragtest"
)

// found is a sample with two of three relevant IDs among the first five.
var found = ragtest.Sample{
	Name: "found", Tags: []string{"lookup"}, UserInput: "Where?", Response: "It is here.", Reference: "It is there.",
	RetrievedContextIDs: ragtest.IDs{"a", "b", "c"}, ReferenceContextIDs: ragtest.IDs{"b", "c", "z"},
}

// liar says that it asks nobody, and asks.
type liar struct{}

func (liar) Name() string  { return "liar" }
func (liar) WithoutJudge() {}
func (liar) Measure(ctx context.Context, j *ragtest.Judge, s ragtest.Sample) (ragtest.Score, error) {
	claims, err := j.Claims(ctx, "", s.Response)
	return ragtest.Score{Value: float64(len(claims))}, err
}

func TestWithoutJudge(t *testing.T) {
	g := NewWithT(t)
	ragtest.Use(nil)
	score, err := ragtest.NoJudge().Measure(t.Context(), ragtest.RecallAt(5), found)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(score.String()).To(Equal(`recall_at_5 0.67 (2/3)
  ✓ 1. b
  ✓ 2. c
  ✗ 3. z
       not retrieved, among 3`))
	g.Expect(ragtest.NoJudge().String()).To(BeEmpty())
	g.Expect(ragtest.NoJudge().Named("x").String()).To(BeEmpty())

	j, err := ragtest.StandingFor(ragtest.RecallAt(5), ragtest.ROUGEL)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(j.Model()).To(BeEmpty())
	_, err = ragtest.StandingFor(ragtest.RecallAt(5), ragtest.Faithfulness)
	g.Expect(err).To(MatchError(ragtest.ErrNoJudge))
	ragtest.Use(idle())
	defer ragtest.Use(nil)
	j, err = ragtest.StandingFor(ragtest.RecallAt(5))
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(j.Model()).To(Equal("idle"))
}

// What needs a judge has none, however it is asked for.
func TestNoJudgeMeasuresNothingElse(t *testing.T) {
	g := NewWithT(t)
	ragtest.Use(nil)
	for name, m := range map[string]ragtest.Metric{
		"a metric that asks": ragtest.Faithfulness, "one that embeds": ragtest.SemanticSimilarity, "a liar": liar{},
		"a function": ragtest.NewMetric("own", func(context.Context, *ragtest.Judge, ragtest.Sample) (ragtest.Score, error) {
			return ragtest.Score{Value: 1}, nil
		}),
	} {
		_, err := ragtest.NoJudge().Measure(t.Context(), m, bridge)
		g.Expect(err).To(MatchError(ragtest.ErrNoJudge), name)
	}
	_, err := ragtest.NoJudge().Evaluate(t.Context(), []ragtest.Sample{found}, ragtest.MRR, ragtest.Faithfulness)
	g.Expect(err).To(MatchError(HavePrefix("faithfulness asks a judge: no judge: ")))
	g.Expect(err).To(MatchError(ragtest.ErrNoJudge))
	_, err = ragtest.Evaluate(t.Context(), []ragtest.Sample{found}, ragtest.MRR, ragtest.Faithfulness)
	g.Expect(err).To(MatchError(ragtest.ErrNoJudge))
	var none *ragtest.Judge
	_, err = none.Measure(t.Context(), ragtest.MRR, found)
	g.Expect(err).To(MatchError(ragtest.ErrNoJudge))
	_, err = ragtest.NoJudge().Noise(t.Context(), ragtest.MRR, []ragtest.Sample{found}, 3)
	g.Expect(err).To(MatchError(ragtest.ErrNoJudge))
	g.Expect(ragtest.NoJudge().Hint(t.Context(), bridge, ragtest.Score{Metric: "recall_at_5"})).To(BeEmpty())
}

// A report names a judge only if one was asked for.
func TestReportWithoutJudge(t *testing.T) {
	g := NewWithT(t)
	ragtest.Use(nil)
	r, err := ragtest.Evaluate(t.Context(), []ragtest.Sample{found}, ragtest.RecallAt(1), ragtest.MRR)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(r.GomegaString()).To(Equal(`1 sample
recall_at_1 0.000, median 0.000, from 0.000 to 0.000, n=1
mrr 0.500, median 0.500, from 0.500 to 0.500, n=1`))

	j := idle()
	with, err := j.Evaluate(t.Context(), []ragtest.Sample{found}, ragtest.RecallAt(1), ragtest.MRR)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(with.Judge).To(BeEmpty())
	mixed, err := j.Evaluate(t.Context(), numbered(1), own, ragtest.MRR)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(mixed.Judge).To(Equal("idle at in-process"))
}

// Scores that nobody judged are comparable whoever judges the rest.
func TestBaselineWithoutJudge(t *testing.T) {
	g := NewWithT(t)
	before, err := ragtest.NoJudge().Evaluate(t.Context(), []ragtest.Sample{found}, ragtest.RecallAt(3))
	g.Expect(err).NotTo(HaveOccurred())
	b, err := before.Baseline()
	g.Expect(err).NotTo(HaveOccurred())
	s := found
	s.RetrievedContextIDs = ragtest.IDs{"a"}
	after, err := idle().Evaluate(t.Context(), []ragtest.Sample{s}, ragtest.RecallAt(3))
	g.Expect(err).NotTo(HaveOccurred())
	c, err := ragtest.Compare(b, after, 0.1, ragtest.ComparisonOptions{})
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(c.String()).To(ContainSubstring("recall_at_3"))
	g.Expect(c.String()).NotTo(ContainSubstring("judge"))
}

func TestResultsWithoutJudge(t *testing.T) {
	g := NewWithT(t)
	file := filepath.Join(t.TempDir(), "results.jsonl")
	g.Expect(resultsOf(t, file, func() {
		_, _ = idle().Measure(t.Context(), ragtest.RecallAt(5), found)
		_, _ = ragtest.NoJudge().For(newFakeTB()).Measure(t.Context(), ragtest.ExactMatch, found)
	})).To(Succeed())
	records, err := ragtest.ReadResults(file)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(records).To(HaveLen(2))
	for _, r := range records {
		g.Expect([]string{r.Model, r.Identity}).To(Equal([]string{"", ""}))
		g.Expect(r.Result().Score.Judge).To(BeEmpty())
		g.Expect(r.Result().Score.Verdicts).NotTo(BeEmpty())
		g.Expect(r.Exchanges).To(BeEmpty())
	}
	g.Expect(records[1].Test).To(Equal("TestOuter/inner_case"))
}

func TestTableOfScoresWithoutJudge(t *testing.T) {
	g := NewWithT(t)
	g.Expect(table(t, func(j *ragtest.Judge) {
		_, _ = j.Measure(t.Context(), fixed, answering("a", "1"))
		_, _ = idle().Measure(t.Context(), fixed, answering("a", "1"))
		_, _ = j.Measure(t.Context(), ragtest.RecallAt(5), found)
	})).To(And(
		ContainSubstring("  recall_at_5 "),
		Not(ContainSubstring("recall_at_5 by")),
		ContainSubstring("fixed at by idle at in-process")))
}

func TestNewCheck(t *testing.T) {
	g := NewWithT(t)
	odd := errors.New("odd")
	cites := ragtest.NewCheck("cites", func(s ragtest.Sample) (ragtest.Score, error) {
		if s.Response == "" {
			return ragtest.Score{}, odd
		}
		return ragtest.Share(ragtest.Verdict{Claim: "the answer names its source", OK: strings.Contains(s.Response, "[1]")})
	})
	score, err := ragtest.NoJudge().Measure(t.Context(), cites, ragtest.Sample{Response: "It is so [1]."})
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(score.String()).To(Equal("cites 1.00 (1/1)\n  ✓ 1. the answer names its source"))
	_, err = ragtest.NoJudge().Measure(t.Context(), ragtest.NewCheck("none", nil), found)
	g.Expect(err).To(MatchError(ContainSubstring("none: NewCheck was given no function")))
	_, err = ragtest.NoJudge().Measure(t.Context(), cites, ragtest.Sample{Name: "empty"})
	g.Expect(err).To(MatchError(odd))
	g.Expect(err).To(MatchError(ContainSubstring(`not measured: cites of sample "empty"`)))
}
