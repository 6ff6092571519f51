package ragtest_test

import (
	"context"
	"fmt"
	"math"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/ragomega/ragomega/cache"
	"github.com/ragomega/ragomega/fixtures"
	"github.com/ragomega/ragomega/ragtest"
)

// verifies has a judge say of every claim what its text ends with: "… yes".
func verifies(j *fixtures.Judge) *fixtures.Judge {
	return j.Otherwise(func(r fixtures.Request) fixtures.Reply {
		var data struct {
			Claims map[string]string `json:"claims"`
		}
		if r.Step != "verify" || r.Data(&data) != nil {
			return fixtures.Error(http.StatusBadRequest, "unexpected", r.Step)
		}
		said := make([]bool, len(data.Claims))
		for i := range said {
			said[i] = strings.HasSuffix(data.Claims[strconv.Itoa(i+1)], "yes")
		}
		return fixtures.Verdicts(said...)
	})
}

// claimed are claims with people's labels, and what the judge is to say of them.
func claimed(context string, of ...[2]bool) (all []ragtest.Labelled) {
	for i, x := range of {
		human, judge := 0.0, "no"
		if x[0] {
			human = 1
		}
		if x[1] {
			judge = "yes"
		}
		all = append(all, ragtest.Labelled{
			Sample: ragtest.Sample{Name: fmt.Sprintf("%s %d", context, i+1), Response: fmt.Sprintf("claim %d %s", i+1, judge), RetrievedContexts: []string{context}},
			Labels: []ragtest.Label{{Value: human}},
		})
	}
	return all
}

func times(n int, x [2]bool) (all [][2]bool) {
	for range n {
		all = append(all, x)
	}
	return all
}

// Claims with the same contexts are one request, of at most ten; the verdicts come
// back to their labels, whatever the order.
func TestCalibrateAsTheMetricAsks(t *testing.T) {
	g := NewWithT(t)
	l := newLab(t)
	verifies(l.Judge)
	a := claimed("a", append(times(11, [2]bool{true, true}), [2]bool{false, true})...)
	b := claimed("b", [2]bool{true, false}, [2]bool{false, false})
	mixed := append([]ragtest.Labelled{b[0]}, append(a, b[1])...)
	j := l.Judge.Judge().CachedIn(l.cache(cache.Auto))
	c, err := j.Calibrate(t.Context(), ragtest.Faithfulness, mixed)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(l.Asked("verify")).To(Equal(3), "ten and two of a, two of b")
	g.Expect(c.Items).To(HaveLen(14))
	for i, x := range c.Items {
		g.Expect(x.Err).NotTo(HaveOccurred())
		g.Expect(x.Sample).To(Equal(mixed[i].Sample.Name))
		g.Expect(x.Judge == 1).To(Equal(strings.HasSuffix(mixed[i].Sample.Response, "yes")))
		g.Expect(x.Group).To(Equal(map[bool]int{true: 0, false: 1}[strings.HasPrefix(x.Sample, "b")]))
	}
	found, err := c.Agreement()
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(found.Confusion.TP).To(Equal(11))
	g.Expect(found.Confusion.FP).To(Equal(1))
	g.Expect(found.Confusion.FN).To(Equal(1))
	g.Expect(found.Confusion.TN).To(Equal(1))
	g.Expect(c.Disagreements()).To(HaveLen(2))
	g.Expect(c.Tokens).To(Equal(ragtest.Tokens{In: 30, Out: 15}))
	g.Expect(c.Step).To(Equal("verify/v2"))

	// Again it costs nothing, and is the same; each claim alone is another matter.
	again, err := j.Calibrate(t.Context(), ragtest.Faithfulness, mixed)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(l.Asked("verify")).To(Equal(3))
	g.Expect(again).To(Equal(c))
	_, err = j.PerClaim().Calibrate(t.Context(), ragtest.Faithfulness, mixed)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(l.Asked("verify")).To(Equal(3 + 14))
	// Context recall is the same step, of claims of the reference.
	for i := range mixed {
		mixed[i].Sample.Reference, mixed[i].Sample.Response = mixed[i].Sample.Response, ""
	}
	recall, err := j.Calibrate(t.Context(), ragtest.ContextRecall, mixed)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(l.Asked("verify")).To(Equal(3+14), "the requests are those of faithfulness")
	g.Expect(recall.Items[0].Judge).To(Equal(c.Items[0].Judge))
}

// What the judge gave no verdict on is counted, not guessed; so are divided raters.
func TestCalibrateSetsAside(t *testing.T) {
	g := NewWithT(t)
	l := newLab(t)
	verifies(l.Judge).When("verify", func(r fixtures.Request) bool { return strings.Contains(string(r.Body), "broken") },
		fixtures.Text("no JSON"), fixtures.Text("no JSON"))
	set := append(claimed("a", [2]bool{true, true}, [2]bool{false, false}), claimed("broken", [2]bool{true, true}, [2]bool{true, true})...)
	set[1].Labels = append(set[1].Labels, ragtest.Label{Rater: "ada", Value: 1})
	c, err := l.Judge.Judge().CachedIn(off(t)).Calibrate(t.Context(), ragtest.Faithfulness, set)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(c.Compared()).To(HaveLen(1))
	g.Expect(c.Divided()).To(HaveLen(1))
	g.Expect(c.Unmeasured()).To(HaveLen(2))
	g.Expect(c.Unmeasured()[0].Err).To(MatchError(ragtest.ErrMalformed))
	g.Expect(c.Unmeasured()[1].Err).To(MatchError(ContainSubstring(`sample "broken 2"`)))
	g.Expect(c.String()).To(And(
		ContainSubstring("set aside: 1, as the raters are divided"),
		ContainSubstring(`not measured: 2, the first because of: not measured: faithfulness of sample "broken 1"`)))
	none := *c
	none.Items = c.Items[1:]
	_, err = none.Agreement()
	g.Expect(err).To(MatchError(ragtest.ErrUndefined))
	g.Expect(err).To(MatchError(ContainSubstring("1 are divided, 2 not measured")))
	g.Expect(none.Rates()).To(Equal("undefined"))
}

// A calibration is no measurement of a sample: no result file and no score board
// has it.
func TestCalibrateIsNoResult(t *testing.T) {
	g := NewWithT(t)
	file := filepath.Join(t.TempDir(), "results.jsonl")
	t.Setenv("RAGTEST_RESULTS", file)
	l := newLab(t)
	verifies(l.Judge)
	_, err := l.Judge.Judge().CachedIn(off(t)).Calibrate(t.Context(), ragtest.Faithfulness, claimed("a", [2]bool{true, true}))
	g.Expect(err).NotTo(HaveOccurred())
	_, err = os.Stat(file)
	g.Expect(err).To(MatchError(os.ErrNotExist))
}

func TestCalibrateOtherSteps(t *testing.T) {
	g := NewWithT(t)
	l := newLab(t)
	j := l.Judge.Judge().CachedIn(off(t))
	label := func(v float64, s ragtest.Sample) ragtest.Labelled {
		return ragtest.Labelled{Sample: s, Labels: []ragtest.Label{{Value: v}}}
	}
	chunk := ragtest.Sample{Name: "chunk", UserInput: "When?", Reference: "In 1932.", RetrievedContexts: []string{"It opened in 1932."}}
	l.On("useful", fixtures.Text(`{"reason":"it has the year","useful":true}`))
	c, err := j.Calibrate(t.Context(), ragtest.ContextPrecision, []ragtest.Labelled{label(0, chunk)})
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(c.Step).To(Equal("useful/v1"))
	g.Expect(c.Items[0]).To(And(HaveField("Judge", 1.0), HaveField("Claim", "It opened in 1932."), HaveField("Reason", "it has the year")))

	// Of several questions one that is answered is enough for an answer to commit
	// itself.
	evasive, commits := ragtest.Sample{Name: "evasive", Response: "I cannot say."}, ragtest.Sample{Name: "commits", Response: "In 1932."}
	l.When("questions", func(r fixtures.Request) bool { return strings.Contains(string(r.Body), "cannot") },
		fixtures.Text(`{"1":{"question":"a?","noncommittal":true},"2":{"question":"b?","noncommittal":true}}`))
	l.On("questions", fixtures.Text(`{"1":{"question":"a?","noncommittal":true},"2":{"question":"b?","noncommittal":false}}`))
	c, err = j.Calibrate(t.Context(), ragtest.AnswerRelevance.Questions(2), []ragtest.Labelled{label(0, evasive), label(1, commits)})
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect([]float64{c.Items[0].Judge, c.Items[1].Judge}).To(Equal([]float64{0, 1}))
	g.Expect(c.Disagreements()).To(BeEmpty())

	// Any other metric is held against its labels as a whole: yes or no, points of a
	// scale, numbers.
	metric := func(values ...float64) ragtest.Metric {
		return ranged{ragtest.NewMetric("mine", func(_ context.Context, _ *ragtest.Judge, s ragtest.Sample) (ragtest.Score, error) {
			at, _ := strconv.Atoi(s.Name)
			return ragtest.Score{Value: values[at]}, nil
		})}
	}
	set := func(values ...float64) (all []ragtest.Labelled) {
		for i, v := range values {
			all = append(all, label(v, ragtest.Sample{Name: strconv.Itoa(i), Response: "r"}))
		}
		return all
	}
	for name, of := range map[string]struct {
		human, judge []float64
		scale        []float64
		kind         string
	}{
		"binary":     {[]float64{1, 0, 1}, []float64{1, 1, 0}, []float64{0, 1}, "binary"},
		"ordinal":    {[]float64{1, 5, 3}, []float64{1, 4, 3}, []float64{0, 1, 2, 3, 4, 5}, "ordinal"},
		"continuous": {[]float64{1, 5, 2.5}, []float64{1, 4, 3}, nil, "continuous"},
	} {
		c, err := j.Calibrate(t.Context(), metric(of.judge...), set(of.human...))
		g.Expect(err).NotTo(HaveOccurred(), name)
		g.Expect(c.Scale).To(Equal(of.scale), name)
		a, err := c.Agreement()
		g.Expect(err).NotTo(HaveOccurred(), name)
		g.Expect(string(a.Kind)).To(Equal(of.kind), name)
		g.Expect(c.Step).To(Equal("mine"), name)
		g.Expect(c.Prompt).To(BeEmpty(), name)
	}
}

// What is no number is not measured, and samples without names or contexts are each
// their own.
func TestCalibrateAsAWhole(t *testing.T) {
	g := NewWithT(t)
	m := ranged{ragtest.NewMetric("mine", func(_ context.Context, _ *ragtest.Judge, s ragtest.Sample) (ragtest.Score, error) {
		if s.Response == "none" {
			return ragtest.Score{Value: math.NaN()}, nil
		}
		return ragtest.Score{Value: float64(len(s.Response)) / 10}, nil
	})}
	set := []ragtest.Labelled{{Sample: ragtest.Sample{Response: "none"}, Labels: []ragtest.Label{{Value: 1}}}}
	for i := range 12 {
		set = append(set, ragtest.Labelled{Sample: ragtest.Sample{Response: strings.Repeat("x", i)}, Labels: []ragtest.Label{{Value: float64(i) / 9}}})
	}
	c, err := newLab(t).Judge.Judge().CachedIn(off(t)).Calibrate(t.Context(), m, set)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(c.Unmeasured()).To(HaveLen(1))
	g.Expect(c.Unmeasured()[0].Err).To(MatchError(ragtest.ErrUndefined))
	a, err := c.Agreement()
	g.Expect(err).NotTo(HaveOccurred())
	_, err = a.Point.Interval()
	g.Expect(err).NotTo(HaveOccurred(), "twelve samples are twelve groups")
	g.Expect(c.Save(filepath.Join(t.TempDir(), "c.json"))).To(Succeed())
}

// ranged is a metric with scores from 0 to 5.
type ranged struct{ ragtest.Metric }

func (ranged) Range() (lowest, highest float64) { return 0, 5 }

func TestCalibrateRefuses(t *testing.T) {
	ok := claimed("a", [2]bool{true, true})
	change := func(f func(*ragtest.Labelled)) []ragtest.Labelled {
		l := ok[0]
		f(&l)
		return []ragtest.Labelled{l}
	}
	for name, of := range map[string]struct {
		metric ragtest.Metric
		set    []ragtest.Labelled
		want   string
	}{
		"no metric":    {nil, ok, "there is no metric to calibrate"},
		"no samples":   {ragtest.Faithfulness, nil, "there are no labelled samples"},
		"no label":     {ragtest.Faithfulness, change(func(l *ragtest.Labelled) { l.Labels = nil }), `"a 1": it has no label`},
		"half a yes":   {ragtest.Faithfulness, change(func(l *ragtest.Labelled) { l.Labels = []ragtest.Label{{Value: 0.5}} }), `the label is 0.5, expected 1 for yes or 0 for no: the step "verify" decides`},
		"no contexts":  {ragtest.Faithfulness, change(func(l *ragtest.Labelled) { l.Sample.RetrievedContexts = nil }), "Sample.RetrievedContexts"},
		"no reference": {ragtest.ContextRecall, ok, "Sample.Reference"},
		"off scale":    {ragtest.AspectCritic("polite", "Is it polite?"), change(func(l *ragtest.Labelled) { l.Labels = []ragtest.Label{{Value: 2}} }), "the label is 2, expected a score of polite, from 0 to 1"},
		"two contexts": {ragtest.ContextUtilization, change(func(l *ragtest.Labelled) {
			l.Sample.UserInput, l.Sample.RetrievedContexts = "q", []string{"a", "b"}
		}), "one context, which the label is about; it has 2"},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			l := newLab(t)
			_, err := l.Judge.Judge().CachedIn(off(t)).Calibrate(t.Context(), of.metric, of.set)
			g.Expect(err).To(MatchError(ContainSubstring(of.want)))
			g.Expect(l.Requests()).To(BeEmpty(), "nothing is asked")
		})
	}
	g := NewWithT(t)
	twice := claimed("a", [2]bool{true, true}, [2]bool{true, true})
	twice[1].Sample.Name = twice[0].Sample.Name
	_, err := newLab(t).Judge.Judge().CachedIn(off(t)).Calibrate(t.Context(), ragtest.Faithfulness, twice)
	g.Expect(err).To(MatchError(ContainSubstring(`are both called "a 1"`)))
	_, err = (*ragtest.Judge)(nil).Calibrate(t.Context(), ragtest.Faithfulness, ok)
	g.Expect(err).To(MatchError(ragtest.ErrNoJudge))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	l := newLab(t)
	_, err = verifies(l.Judge).Judge().CachedIn(off(t)).Calibrate(ctx, ragtest.Faithfulness, ok)
	g.Expect(err).To(MatchError(context.Canceled))
}

// A calibration outlives the run, with what was not measured.
func TestSavedCalibration(t *testing.T) {
	g := NewWithT(t)
	l := newLab(t)
	verifies(l.Judge).When("verify", func(r fixtures.Request) bool { return strings.Contains(string(r.Body), "broken") },
		fixtures.Text("no JSON"), fixtures.Text("no JSON"))
	set := append(claimed("a", times(3, [2]bool{true, false})...), claimed("broken", [2]bool{true, true})...)
	c, err := l.Judge.Judge().CachedIn(off(t)).Calibrate(t.Context(), ragtest.Faithfulness, set)
	g.Expect(err).NotTo(HaveOccurred())
	file := filepath.Join(t.TempDir(), "new", "calibration.json")
	g.Expect(c.Save(file)).To(Succeed())
	back, err := ragtest.ReadCalibration(file)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(back.String()).To(Equal(c.String()))
	g.Expect(back.Items[3].Err).To(MatchError(c.Items[3].Err.Error()))
	back.Items[3].Err = c.Items[3].Err
	g.Expect(back).To(Equal(c))
	text, err := os.ReadFile(file)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(strings.Count(string(text), "\n")).To(Equal(1+4+1), "a line for each item")

	_, err = ragtest.ReadCalibration(file + "x")
	g.Expect(err).To(MatchError(os.ErrNotExist))
	g.Expect(os.WriteFile(file, []byte("{}"), 0o600)).To(Succeed())
	_, err = ragtest.ReadCalibration(file)
	g.Expect(err).To(MatchError(ContainSubstring("is no calibration: expected a step, a model and items")))
	g.Expect(os.WriteFile(file, []byte("{"), 0o600)).To(Succeed())
	_, err = ragtest.ReadCalibration(file)
	g.Expect(err).To(MatchError(ContainSubstring("is no calibration")))
}
