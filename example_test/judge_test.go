package example_test

import (
	"errors"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	. "github.com/onsi/gomega"

	"github.com/ragomega/ragomega/fixtures"
	. "github.com/ragomega/ragomega/matchers"
	"github.com/ragomega/ragomega/ragtest"
	"github.com/ragomega/ragomega/ragtest/agreement"
)

// calibrated holds a judge against people's labels: whether it finds that a text
// supports a claim, which is the step that faithfulness and context recall rest
// on. The replies are recorded like any others.
func calibrated(t *testing.T, model string, labelled []ragtest.Labelled) *ragtest.Calibration {
	t.Helper()
	judge := ragtest.OpenAI(model).Named("llama.cpp b10068").Limits(1, 0).Timeout(10 * time.Minute)
	c, err := judge.Probabilities().Calibrate(t.Context(), ragtest.Faithfulness, labelled)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// expertQA are the sentences of ExpertQA without the one that the larger judge never
// ends its reply on: what is not recorded would be asked for.
func expertQA() []ragtest.Labelled {
	return slices.DeleteFunc(fixtures.ExpertQA60(), func(l ragtest.Labelled) bool { return l.Sample.Name == "expertqa60:59" })
}

const large, small = "qwen2.5-coder-1.5b", "qwen2.5-coder-0.5b"

// The judge of this suite tells claims that a text supports from others better
// than chance, by the lower end of what 40 labels leave open. That it is good is
// more than they show, though the point looks it.
func TestJudgeIsBetterThanChance(t *testing.T) {
	g := NewWithT(t)
	c := calibrated(t, large, fixtures.Claims40())
	g.Expect(c).To(HaveKappaAbove(0.2))
	g.Expect(c).NotTo(HaveKappaAbove(0.4))
	g.Expect(c).To(HaveKappaAbove(0.4).OnPoint())
	g.Expect(c).To(HaveTPRAbove(0.7))
	g.Expect(c).NotTo(HaveTNRAbove(0.5), "of claims that no text supports it lets a third pass, or more")

	// Sentences of experts' answers are harder.
	c = calibrated(t, large, expertQA())
	g.Expect(c).To(HaveKappaAbove(0))
	g.Expect(c).NotTo(HaveKappaAbove(0.3))
}

// The smaller model is no judge. It agrees with people in half of the cases, as a
// coin does.
func TestSmallJudgeIsNone(t *testing.T) {
	g := NewWithT(t)
	c := calibrated(t, small, fixtures.Claims40())
	g.Expect(c).NotTo(HaveKappaAbove(0))
	g.Expect(c).NotTo(HaveTNRAbove(0.2))
	g.Expect(calibrated(t, small, expertQA())).NotTo(HaveKappaAbove(0.1))

	compared, err := ragtest.CompareJudges(calibrated(t, large, fixtures.Claims40()), c)
	g.Expect(err).NotTo(HaveOccurred())
	low, err := compared.Difference.Lower()
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(low).To(BeNumerically(">", 0), "the larger one is better on the same claims")
}

// How sure the judge is tells more than its word, in principle. Held out, no
// threshold on it is shown to be better here, on either data, so none is used.
func TestNoThresholdIsBetter(t *testing.T) {
	g := NewWithT(t)
	for _, labelled := range [][]ragtest.Labelled{fixtures.Claims40(), expertQA()} {
		threshold, err := calibrated(t, large, labelled).Threshold()
		g.Expect(err).To(MatchError(ragtest.ErrNoThreshold))
		g.Expect(threshold.AUC).To(BeNumerically(">", 0.7))
	}
}

// What is known of the judge stands beside what it measures, and is void for
// another judge.
func TestCalibrationStandsBesideScores(t *testing.T) {
	g := NewWithT(t)
	c := calibrated(t, large, fixtures.Claims40())
	judge, err := ragtest.Standing()
	g.Expect(err).NotTo(HaveOccurred())
	score, err := judge.Calibrated(c).Measure(t.Context(), ragtest.Faithfulness, sample(t, "student-discount"))
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(score.String()).To(ContainSubstring("verify/v2 TPR .95 TNR .65, n=40"))
	score, err = judge.Calibrated(calibrated(t, small, fixtures.Claims40())).Measure(t.Context(), ragtest.Faithfulness, sample(t, "student-discount"))
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(score.String()).To(ContainSubstring("calibration of verify/v2 is void: it is of qwen2.5-coder-0.5b"))
}

// TestOutputOfTheDocs holds what docs/judges.md and README show against what is
// printed. UPDATE_MESSAGES=1 writes docs/judges.md anew.
func TestOutputOfTheDocs(t *testing.T) {
	g := NewWithT(t)
	good, weak := calibrated(t, large, fixtures.Claims40()), calibrated(t, small, fixtures.Claims40())
	expert := calibrated(t, large, expertQA())
	samples, err := ragtest.ReadSamples("testdata/samples.jsonl")
	g.Expect(err).NotTo(HaveOccurred())
	report, err := ragtest.Evaluate(t.Context(), samples[:22], ragtest.Faithfulness)
	g.Expect(err).NotTo(HaveOccurred())
	compared, err := ragtest.CompareJudges(good, weak)
	g.Expect(err).NotTo(HaveOccurred())
	_, none := good.Threshold()
	g.Expect(none).To(HaveOccurred())
	corrected, err := report.Corrected(ragtest.Faithfulness, good)
	g.Expect(err).NotTo(HaveOccurred())
	_, cannot := report.Corrected(ragtest.Faithfulness, weak)
	g.Expect(errors.Is(cannot, ragtest.ErrCannotCorrect)).To(BeTrue())
	failure := func(m OmegaMatcher) (message string) {
		NewGomega(func(text string, _ ...int) { message = text }).Expect(good).To(m)
		return message
	}
	counts, err := ragtest.CountLabels(fixtures.Claims40(), 0.8, 0.1)
	g.Expect(err).NotTo(HaveOccurred())
	few, err := agreement.Compare([]float64{1, 1, 1, 1, 1, 1, 1, 1, 0}, []float64{1, 1, 1, 1, 1, 1, 1, 1, 1}, agreement.Options{})
	g.Expect(err).NotTo(HaveOccurred())
	outputs := map[string]string{
		"large": good.String(), "small": weak.String(), "expert": expert.String(), "compared": compared.String(),
		"threshold": none.Error(), "corrected": corrected.String(), "cannot": cannot.Error(),
		"failure": failure(HaveKappaAbove(0.6)), "counts": counts.String(), "few": few.Gate().Error(),
	}
	const file = "../docs/judges.md"
	page, err := os.ReadFile(file)
	g.Expect(err).NotTo(HaveOccurred())
	was := strings.ReplaceAll(string(page), "\r\n", "\n")
	text := was
	for name, output := range outputs {
		begin, end := "<!-- "+name+" -->\n", "<!-- /"+name+" -->"
		before, rest, ok := strings.Cut(text, begin)
		g.Expect(ok).To(BeTrue(), "docs/judges.md does not show %q", name)
		_, after, ok := strings.Cut(rest, end)
		g.Expect(ok).To(BeTrue())
		text = before + begin + "```\n" + lineNumber.ReplaceAllString(pointer.ReplaceAllString(output, ""), "_test.go:1") + "\n```\n" + end + after
	}
	if os.Getenv("UPDATE_MESSAGES") != "" {
		g.Expect(os.WriteFile(file, []byte(text), 0o644)).To(Succeed())
		return
	}
	g.Expect(was).To(Equal(text))
	shows(t, failure(HaveKappaAbove(0.6)))
}
