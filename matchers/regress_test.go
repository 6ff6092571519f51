package matchers_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	. "github.com/onsi/gomega"
	"github.com/onsi/gomega/types"

	. "github.com/ragomega/ragomega/matchers"
	"github.com/ragomega/ragomega/ragtest"
)

// saved is a file with a baseline of r.
func saved(t *testing.T, r *ragtest.Report) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "baseline.json")
	NewWithT(t).Expect(r.SaveBaseline(file)).To(Succeed())
	return file
}

// quartersOf are n samples with a score each.
func quartersOf(n, score int) *ragtest.Report {
	scores := make([]int, n)
	for i := range scores {
		scores[i] = score
	}
	return quarters(scores...)
}

func TestOutcomesOfRegressions(t *testing.T) {
	t.Setenv("RAGTEST_BASELINE", "")
	for name, test := range map[string]struct {
		before, now         *ragtest.Report
		smallest            float64
		regressed, harmless bool
	}{
		"worse":            {quartersOf(20, 4), quartersOf(20, 3), 0.05, true, false},
		"better":           {quartersOf(20, 3), quartersOf(20, 4), 0.05, false, true},
		"few":              {quartersOf(5, 4), quartersOf(5, 3), 0.05, false, false},
		"the same, few":    {quartersOf(20, 4), quartersOf(20, 4), 0.05, false, false},
		"the same, enough": {quartersOf(20, 4), quartersOf(20, 4), 0.2, false, true},
		"a drop that may":  {quartersOf(20, 4), quartersOf(20, 3), 0.3, false, true},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			file := saved(t, test.before)
			got, err := RegressFrom(file, test.smallest).Match(test.now)
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(got).To(Equal(test.regressed))
			got, err = BeNonInferiorTo(file, test.smallest).Match(*test.now)
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(got).To(Equal(test.harmless))
		})
	}
}

// Confidence is that of both: six samples show a drop at 0.95, and not at 0.99.
func TestConfidenceOfRegressions(t *testing.T) {
	g := NewWithT(t)
	file := saved(t, quartersOf(6, 4))
	g.Expect(quartersOf(6, 3)).To(RegressFrom(file, 0.05))
	g.Expect(quartersOf(6, 3)).NotTo(RegressFrom(file, 0.05).Confidence(0.99))
}

func TestMessagesOfRegressions(t *testing.T) {
	g := NewWithT(t)
	file := saved(t, quartersOf(7, 4))
	now := quarters(3, 3, 3, 3, 3, 3, 2)
	said := `worse: 1.000 → 0.714, difference -0.286 [-0.393, -0.250] (BCa, 95%), p=0.0156 by paired permutation, n=7, 7 moved
  whether 7 of 7 were asked the same is not known: the baseline or the report has no digest of their questions
  g: 1.00 → 0.50
    claim 3: yes → no: "claim 3"
    claim 4: yes → no: "claim 4"
  a: 1.00 → 0.75
    claim 4: yes → no: "claim 4"`
	got := failure(func(g Gomega) { g.Expect(now).NotTo(RegressFrom(file, 0.05)) })
	g.Expect(got).To(ContainSubstring("not to be worse than " + file + "\nbut faithfulness is " + said))
	g.Expect(got).To(HaveSuffix("\n  and 2 more are worse\njudge: m at h"))
	got = failure(func(g Gomega) { g.Expect(now).To(BeNonInferiorTo(file, 0.05)) })
	g.Expect(got).To(ContainSubstring("to be shown not to be worse than " + file + " by 0.05\nbut faithfulness is " + said))
	got = failure(func(g Gomega) { g.Expect(quartersOf(7, 4)).To(BeNonInferiorTo(file, 0.05)) })
	g.Expect(got).To(ContainSubstring("but faithfulness cannot be told to be worse or not, by 0.05: 1.000 → 1.000, difference +0.000 [-0.410, 0.410] (Clopper-Pearson, 95%), p=1 by McNemar's mid-p, n=7, 0 moved: it takes about 72 samples"))

	m := RegressFrom(file, 0.05)
	g.Expect(m.FailureMessage(now)).To(HaveSuffix("but the report was not looked at"))
	_, err := m.Match(now)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(m.FailureMessage(quartersOf(7, 4))).To(HaveSuffix("but the matcher has looked at another report since"))
	g.Expect(m.String()).To(Equal(fmt.Sprintf("RegressFrom(%q, 0.05)", file)))
	g.Expect(m.GomegaString()).To(HavePrefix(m.String() + ", which last found that faithfulness is worse"))
	g.Expect(m.MatchMayChangeInTheFuture(now)).To(BeFalse())
}

// What cannot be compared fails To and NotTo alike.
func TestErrorsOfRegressions(t *testing.T) {
	all := quartersOf(20, 4)
	file := saved(t, all)
	lost := func(r *ragtest.Report, n int) *ragtest.Report {
		for i := range n {
			r.Results[i].Err, r.Results[i].Score = errNoClaim, ragtest.Score{}
		}
		return r
	}
	unmeasuredBefore := saved(t, lost(quartersOf(20, 4), 2))
	other := quartersOf(20, 4)
	for i := range other.Results {
		other.Results[i].Score.Judge = "another at h"
	}
	more := quartersOf(20, 4)
	more.Metrics = append(more.Metrics, "context_recall")
	more.Results = append(more.Results, ragtest.Result{Sample: "a", Metric: "context_recall", Score: ragtest.Score{Value: 1}})
	missing := filepath.Join(t.TempDir(), "none.json")
	for name, test := range map[string]struct {
		actual  any
		matcher types.GomegaMatcher
		is      error
		want    string
	}{
		"no file":           {all, RegressFrom(missing, 0.05), ragtest.ErrNoBaseline, "there is no file " + missing + ". To write it: RAGTEST_BASELINE=update CI= go test -run '^TestErrorsOfRegressions$' ./matchers, and commit it"},
		"another judge":     {other, RegressFrom(file, 0.05), ragtest.ErrOtherJudge, "the baseline of faithfulness is by nobody, and the report by another at h"},
		"unmeasured":        {lost(quartersOf(20, 4), 2), RegressFrom(file, 0.05), ragtest.ErrUndefined, "2 of 20 samples were not measured, and AllowUnmeasured allows 0"},
		"too many":          {lost(quartersOf(20, 4), 2), RegressFrom(file, 0.05).AllowUnmeasured(1), ragtest.ErrUndefined, "2 of 20 samples were not measured, and AllowUnmeasured allows 1"},
		"none measured":     {lost(quartersOf(20, 4), 20), RegressFrom(file, 0.05).AllowUnmeasured(20), ragtest.ErrUndefined, "none of 20 samples was measured"},
		"unmeasured before": {all, RegressFrom(unmeasuredBefore, 0.05), nil, "2 of 20 samples of the baseline have no counterpart by faithfulness, and AllowUnmeasured allows 0\n    not measured in the baseline: a, b\nIf that is meant, write the baseline anew with RAGTEST_BASELINE=update"},
		"removed":           {quartersOf(13, 4), RegressFrom(file, 0.05), nil, "7 of 20 samples of the baseline have no counterpart by faithfulness, and AllowUnmeasured allows 0\n    removed since: n, o, p, q, r and 2 more"},
		"a new metric":      {more, RegressFrom(file, 0.05), ragtest.ErrNoBaseline, "it has no context_recall. ForMetrics chooses what is compared"},
		"no such metric":    {all, RegressFrom(file, 0.05).ForMetrics(ragtest.ContextRecall), nil, "the report has no context_recall, it has faithfulness"},
		"no such tag":       {all, RegressFrom(file, 0.05).ForTag("x"), nil, "no sample of the report has a tag"},
		"a nil metric":      {all, RegressFrom(file, 0.05).ForMetrics(nil), nil, "expected metrics such as ragtest.Faithfulness"},
		"no metrics":        {all, RegressFrom(file, 0.05).ForMetrics([]ragtest.Metric{}...), nil, "expected metrics such as ragtest.Faithfulness"},
		"no name":           {all, RegressFrom("", 0.05), nil, "expected the name of a file"},
		"nothing matters":   {all, BeNonInferiorTo(file, 0), nil, "expected the smallest difference that matters, a number above 0 such as 0.05"},
		"confidence in %":   {all, RegressFrom(file, 0.05).Confidence(95), nil, "expected a confidence between 0 and 1"},
		"fewer than none":   {all, RegressFrom(file, 0.05).AllowUnmeasured(-1), nil, "expected a number of at least 0"},
		"a sample":          {moon, RegressFrom(file, 0.05), nil, "is about the report of ragtest.Evaluate, got one sample (ragtest.Sample)"},
		"nil":               {nil, RegressFrom(file, 0.05), nil, "expects the report of ragtest.Evaluate, got nil"},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			_, err := test.matcher.Match(test.actual)
			g.Expect(err).To(HaveOccurred())
			if test.is != nil {
				g.Expect(errors.Is(err, test.is)).To(BeTrue(), "%v", err)
			}
			g.Expect(err.Error()).To(ContainSubstring(test.want))
			g.Expect(failure(func(g Gomega) { g.Expect(test.actual).NotTo(test.matcher) })).To(ContainSubstring(test.want))
		})
	}
	g := NewWithT(t)
	g.Expect(lost(quartersOf(20, 3), 2)).To(RegressFrom(file, 0.05).AllowUnmeasured(2))
	g.Expect(all).NotTo(RegressFrom(unmeasuredBefore, 0.05).AllowUnmeasured(2))
	g.Expect(more).NotTo(RegressFrom(file, 0.05).ForMetrics(ragtest.Faithfulness))
}

// A sample that was asked something else is no evidence of anything.
func TestRegressionsOfChangedSamples(t *testing.T) {
	g := NewWithT(t)
	asked := func(r *ragtest.Report) *ragtest.Report {
		for i, x := range r.Results {
			r.Results[i].Inputs = "digest of " + x.Sample
		}
		return r
	}
	file := saved(t, asked(quartersOf(8, 4)))
	now := asked(quartersOf(8, 3))
	g.Expect(now).To(RegressFrom(file, 0.05))
	now.Results[1].Inputs = "another"
	_, err := RegressFrom(file, 0.05).Match(now)
	g.Expect(err).To(MatchError(ContainSubstring("1 of 8 samples of the baseline have no counterpart by faithfulness, and AllowUnmeasured allows 0\n    another question or reference: b")))
	g.Expect(now).To(RegressFrom(file, 0.05).AllowUnmeasured(1))
}

// A tag has its own comparison, and paraphrases are not so many samples.
func TestPartsOfRegressions(t *testing.T) {
	g := NewWithT(t)
	report := func(score int) *ragtest.Report {
		r := quartersOf(20, 4)
		for i := range 6 {
			r.Results[i].Tags = []string{"critical"}
			r.Results[i].Score.Value = float64(score) / 4
		}
		return r
	}
	file := saved(t, report(4))
	g.Expect(report(3)).To(RegressFrom(file, 0.05).ForTag("critical"))
	g.Expect(report(3)).To(RegressFrom(file, 0.05))
	pairs := func(sample string) string { return string((sample[0]-'a')/2 + 'a') }
	g.Expect(report(3)).NotTo(RegressFrom(file, 0.05).InClusters(pairs))
}

// RAGTEST_BASELINE=update has the matchers write, in one way or the other, and not
// on a build server.
func TestUpdateOfBaselines(t *testing.T) {
	g := NewWithT(t)
	t.Setenv("RAGTEST_BASELINE", "update")
	file := filepath.Join(t.TempDir(), "testdata", "baseline.json")
	t.Setenv("CI", "true")
	for _, m := range []*RegressionMatcher{RegressFrom(file, 0.05), BeNonInferiorTo(file, 0.05)} {
		_, err := m.Match(quartersOf(6, 4))
		g.Expect(errors.Is(err, ragtest.ErrNotOnCI)).To(BeTrue(), "%v", err)
	}
	g.Expect(file).NotTo(BeAnExistingFile())

	t.Setenv("CI", "")
	tagged := quartersOf(6, 4)
	tagged.Results[2].Tags = []string{"critical"}
	g.Expect(tagged).NotTo(RegressFrom(file, 0.05).ForTag("critical"))
	g.Expect(tagged).To(BeNonInferiorTo(file, 0.05).ForTag("critical"))
	text, err := os.ReadFile(file)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(strings.Count(string(text), `"sample"`)).To(Equal(6), "all of the report")

	broken := but(quartersOf(6, 4), errNoClaim)
	_, err = RegressFrom(file, 0.05).Match(broken)
	g.Expect(err).To(MatchError(ContainSubstring("1 of 7 samples were not measured")))
	g.Expect(os.ReadFile(file)).To(Equal(text), "a broken run is no baseline")
}
