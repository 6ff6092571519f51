package ragtest_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/ragomega/ragomega/ragtest"
)

var (
	_ ragtest.TB = (*testing.T)(nil)
	_ ragtest.TB = (*testing.B)(nil)
	_ ragtest.TB = ginkgo.FullGinkgoTInterface(nil) // what GinkgoT() returns
	_ ragtest.TB = (*fakeTB)(nil)

	_ interface {
		AddReportEntryVisibilityFailureOrVerbose(string, ...any)
	} = ginkgo.FullGinkgoTInterface(nil)
	_ interface {
		ReportMetric(float64, string)
	} = (*testing.B)(nil)
)

// fakeB is a benchmark that is watched.
type fakeB struct {
	*fakeTB
	metrics map[string]float64
}

func (f fakeB) ReportMetric(n float64, unit string) { f.metrics[unit] = n }

// fakeSpec is Ginkgo's test.
type fakeSpec struct {
	*fakeTB
	entries map[string]any
}

func (f fakeSpec) AddReportEntryVisibilityFailureOrVerbose(name string, args ...any) {
	f.entries[name] = args[0]
}

// printing is a test whose output is read.
type printing struct {
	*fakeTB
	out strings.Builder
}

func (p *printing) Output() io.Writer { return &p.out }

// fixed is a metric whose scores are the answers.
var fixed = ragtest.NewMetric("fixed at", func(_ ctx, _ *ragtest.Judge, s ragtest.Sample) (score ragtest.Score, err error) {
	if _, err := fmt.Sscan(s.Response, &score.Value); err != nil {
		return score, fmt.Errorf("%w: %q", ragtest.ErrUndefined, s.Response)
	}
	score.Verdicts = []ragtest.Verdict{{Claim: "the answer is a number", OK: score.Value > 0.5, Reason: "it is what it is"}}
	return score, nil
})

func answering(name, score string) ragtest.Sample {
	return ragtest.Sample{Name: name, Response: score, Tags: []string{"tagged"}}
}

func TestForReportsToATest(t *testing.T) {
	g, tb := NewWithT(t), &printing{fakeTB: newFakeTB()}
	_, err := (&flaky{}).judge(t).For(tb).Assert(t.Context(), fixed, answering("low", "0.25"))
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(tb.attrs).To(Equal(map[string]string{"ragtest.fixed_at": "0.2500"}))
	g.Expect(tb.out.String()).To(Equal("low: fixed at 0.25\n  ✗ 1. the answer is a number\n       it is what it is\n"))
}

func TestForReportsToASpec(t *testing.T) {
	g, tb := NewWithT(t), fakeSpec{newFakeTB(), map[string]any{}}
	_, err := (&flaky{}).judge(t).For(tb).Assert(t.Context(), fixed, answering("low", "0.25"))
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(tb.attrs).To(BeEmpty(), "an attribute is an entry too")
	entry := tb.entries["ragtest.fixed_at"]
	g.Expect(fmt.Sprint(entry)).To(Equal("low: fixed at 0.25\n  ✗ 1. the answer is a number\n       it is what it is"))
	g.Expect(json.Marshal(entry)).To(MatchJSON(`{"sample": "low", "metric": "fixed at", "value": 0.25, "verdicts": [
		{"claim": "the answer is a number", "ok": false, "reason": "it is what it is"}]}`))

	j := (&flaky{}).judge(t).For(tb)
	_, err = j.Assert(t.Context(), ragtest.Faithfulness, bridge)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(json.Marshal(tb.entries["ragtest.faithfulness"])).To(And(
		ContainSubstring(`"judge":"m at here"`),
		MatchRegexp(`"exchanges":\[\{"step":"claims/v\d+","key":"[0-9a-f]{32}","source":"asked","tokens":\{"in":\d+,"out":\d+\}\},`)))
}

func TestForReportsToABenchmark(t *testing.T) {
	g, tb := NewWithT(t), fakeB{newFakeTB(), map[string]float64{}}
	j := (&flaky{}).judge(t).For(tb)
	for _, s := range []string{"0.25", "0.75", "0.5"} {
		_, err := j.Assert(t.Context(), fixed, answering("a", s))
		g.Expect(err).NotTo(HaveOccurred())
	}
	g.Expect(tb.metrics).To(Equal(map[string]float64{"fixed_at": 0.5}))
	g.Expect(tb.attrs).To(BeEmpty(), "a benchmark repeats itself")

	r := testing.Benchmark(func(b *testing.B) {
		judge := j.For(b)
		for b.Loop() {
			_, _ = judge.Assert(b.Context(), fixed, answering("a", "0.75"))
		}
	})
	g.Expect(r.Extra).To(HaveKeyWithValue("fixed_at", 0.75))
}

// An evaluation is reported by its means.
func TestForReportsEvaluations(t *testing.T) {
	g := NewWithT(t)
	samples := []ragtest.Sample{answering("a", "0.25"), answering("b", "0.5"), answering("c", "none")}
	tb := newFakeTB()
	_, err := (&flaky{}).judge(t).For(tb).Evaluate(t.Context(), samples, fixed, ragtest.Faithfulness)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(tb.attrs).To(Equal(map[string]string{
		"ragtest.fixed_at.mean": "0.3750", "ragtest.fixed_at.unmeasured": "1", "ragtest.faithfulness.unmeasured": "3",
	}))

	b := fakeB{newFakeTB(), map[string]float64{}}
	_, err = (&flaky{}).judge(t).For(b).Evaluate(t.Context(), samples[:2], fixed)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(b.metrics).To(Equal(map[string]float64{"fixed_at": 0.375}))
}

// What is no number never becomes a score, as no report could hold it.
func TestAVerdictIsANumber(t *testing.T) {
	g := NewWithT(t)
	zero := 0.0
	bad := ragtest.NewMetric("bad", func(ctx, *ragtest.Judge, ragtest.Sample) (ragtest.Score, error) {
		return ragtest.Score{Value: 1, Verdicts: []ragtest.Verdict{{OK: true}, {OK: true, Value: zero / zero}}}, nil
	})
	_, err := (&flaky{}).judge(t).Measure(t.Context(), bad, bridge)
	g.Expect(errors.Is(err, ragtest.ErrUndefined)).To(BeTrue())
	g.Expect(err).To(MatchError(HaveSuffix("undefined: the metric returned NaN as the value of verdict 2, which is none")))
}
