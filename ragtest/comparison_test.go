package ragtest_test

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/ragomega/ragomega/fixtures"
	"github.com/ragomega/ragomega/ragtest"
)

// literalServer takes each sentence for a claim, and a claim for supported if a
// document has it word for word.
func literalServer(t *testing.T) *fixtures.Judge {
	t.Helper()
	return fixtures.NewJudge(t).Otherwise(func(r fixtures.Request) fixtures.Reply {
		var data struct {
			Text      string
			Documents []string
			Claims    map[string]string
		}
		if err := r.Data(&data); err != nil {
			return fixtures.Error(400, "unexpected", err.Error())
		}
		if r.Step == "claims" {
			return fixtures.Claims(strings.Split(strings.TrimSuffix(data.Text, "."), ". ")...)
		}
		said := make([]bool, len(data.Claims))
		for i := range said {
			said[i] = strings.Contains(strings.Join(data.Documents, "\n"), data.Claims[fmt.Sprint(i+1)])
		}
		return fixtures.Verdicts(said...)
	})
}

// lockers are n samples of two claims each, of which the first so many have one that
// is invented.
func lockers(n, invented int) []ragtest.Sample {
	samples := make([]ragtest.Sample, n)
	for i := range samples {
		samples[i] = ragtest.Sample{
			Name: fmt.Sprintf("locker %02d", i+1), UserInput: fmt.Sprintf("What is locker %d for?", i+1), Reference: "Parcels.",
			Response:          fmt.Sprintf("Locker %d holds parcels. Locker %d opens at noon.", i+1, i+1),
			RetrievedContexts: []string{fmt.Sprintf("Locker %d holds parcels. Locker %d opens at noon.", i+1, i+1)},
		}
		if i < invented {
			samples[i].Response = fmt.Sprintf("Locker %d holds parcels. Locker %d opens at midnight.", i+1, i+1)
		}
	}
	return samples
}

func evaluated(t *testing.T, j *ragtest.Judge, samples []ragtest.Sample, metrics ...ragtest.Metric) *ragtest.Report {
	t.Helper()
	r, err := j.CachedIn(off(t)).Tries(1).Evaluate(t.Context(), samples, metrics...)
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	return r
}

// A baseline is a file to be read in a diff.
func TestBaselineFile(t *testing.T) {
	g := NewWithT(t)
	file := filepath.Join(t.TempDir(), "new", "baseline.json")
	samples := lockers(2, 1)
	samples[1].Tags = []string{"open", "late"}
	samples = append(samples, ragtest.Sample{Name: "a silent one", UserInput: "Is it far?"})
	j := literalServer(t).Judge().Named("here")
	g.Expect(evaluated(t, j, samples, ragtest.Faithfulness).SaveBaseline(file)).To(Succeed())
	text, err := os.ReadFile(file)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(string(text)).To(Equal(`{"metrics":[
{"metric":"faithfulness","judge":"scripted at here","steps":["claims/v2","verify/v2"],"samples":[
 {"sample":"a silent one","inputs":"` + inputs(t, file, "a silent one") + `","unmeasured":"missing_input"},
 {"sample":"locker 01","inputs":"` + inputs(t, file, "locker 01") + `","score":0.5,"verdicts":[{"ok":true,"claim":"Locker 1 holds parcels"},{"ok":false,"claim":"Locker 1 opens at midnight"}]},
 {"sample":"locker 02","tags":["late","open"],"inputs":"` + inputs(t, file, "locker 02") + `","score":1,"verdicts":[{"ok":true,"claim":"Locker 2 holds parcels"},{"ok":true,"claim":"Locker 2 opens at noon"}]}
]}
]}
`))
	g.Expect(inputs(t, file, "locker 01")).To(HaveLen(12))

	by := func(name string, score float64) *ragtest.Report {
		return &ragtest.Report{Metrics: []string{name}, Results: []ragtest.Result{{Sample: "x", Metric: name, Score: ragtest.Score{Value: score}}}}
	}
	g.Expect(by("zeal", 1).SaveBaseline(file)).To(Succeed())
	g.Expect(by("brevity", 0.25).SaveBaseline(file)).To(Succeed())
	g.Expect(by("zeal", 0.5).SaveBaseline(file)).To(Succeed())
	merged, err := os.ReadFile(file)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(string(merged)).To(And(
		HavePrefix("{\"metrics\":[\n{\"metric\":\"brevity\",\"samples\":[\n {\"sample\":\"x\",\"score\":0.25}\n]},\n{\"metric\":\"faithfulness\""),
		HaveSuffix(",\n{\"metric\":\"zeal\",\"samples\":[\n {\"sample\":\"x\",\"score\":0.5}\n]}\n]}\n"),
		ContainSubstring(strings.TrimPrefix(strings.TrimSuffix(string(text), "\n]}\n"), "{\"metrics\":[\n")),
	), "what another test wrote stays")
	left, err := os.ReadDir(filepath.Dir(file))
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(left).To(HaveLen(1), "no file is left behind")
}

func inputs(t *testing.T, file, sample string) string {
	t.Helper()
	b, err := ragtest.ReadBaseline(file)
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	for _, m := range b.Metrics {
		for _, s := range m.Samples {
			if s.Sample == sample && s.Inputs != "" {
				return s.Inputs
			}
		}
	}
	return ""
}

func TestFilesThatAreNoBaseline(t *testing.T) {
	for name, test := range map[string]struct{ text, want string }{
		"no JSON":           {"x", "is no baseline: invalid character"},
		"merged":            {"{\"metrics\":[\n<<<<<<< ours\n", "has the marks of a merge: settle it, or write it anew. For that: RAGTEST_BASELINE=update CI= go test -run '^TestFilesThatAreNoBaseline$' ./ragtest"},
		"nothing":           {`{}`, "it has no metrics"},
		"no name":           {`{"metrics":[{"samples":[{"sample":"a","score":1}]}]}`, "metric 1 has no name"},
		"no samples":        {`{"metrics":[{"metric":"m"}]}`, "m has no samples"},
		"twice a metric":    {`{"metrics":[{"metric":"m","samples":[{"sample":"a","score":1}]},{"metric":"m","samples":[{"sample":"a","score":1}]}]}`, "it has m twice"},
		"twice a sample":    {`{"metrics":[{"metric":"m","samples":[{"sample":"a","score":1},{"sample":"a","score":1}]}]}`, `there are two results of sample "a" by m`},
		"no score":          {`{"metrics":[{"metric":"m","samples":[{"sample":"a"}]}]}`, `sample "a" of m: expected either a score or why it was not measured`},
		"a nameless sample": {`{"metrics":[{"metric":"m","samples":[{"score":1}]}]}`, "a sample of m has no name"},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			file := filepath.Join(t.TempDir(), "b.json")
			g.Expect(os.WriteFile(file, []byte(test.text), 0o666)).To(Succeed())
			_, err := ragtest.ReadBaseline(file)
			g.Expect(err).To(MatchError(ContainSubstring(test.want)))
			err = (&ragtest.Report{Metrics: []string{"n"}, Results: []ragtest.Result{{Sample: "a", Metric: "n"}}}).SaveBaseline(file)
			g.Expect(err).To(MatchError(ContainSubstring("Nothing was written")))
			g.Expect(os.ReadFile(file)).To(BeEquivalentTo(test.text))
		})
	}
}

// reportOf is a report of samples 00, 01, … with these scores.
func reportOf(metric string, scores ...float64) *ragtest.Report {
	r := &ragtest.Report{Metrics: []string{metric}}
	for i, v := range scores {
		r.Results = append(r.Results, ragtest.Result{Sample: fmt.Sprintf("%02d", i), Metric: metric, Score: ragtest.Score{Metric: metric, Value: v}})
	}
	return r
}

func manyOf(v float64, n int) []float64 {
	all := make([]float64, n)
	for i := range all {
		all[i] = v
	}
	return all
}

func baselineOf(t *testing.T, r *ragtest.Report) *ragtest.Baseline {
	t.Helper()
	b, err := r.Baseline()
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	return b
}

func TestOutcomesOfComparisons(t *testing.T) {
	high, low := manyOf(0.75, 20), manyOf(0.25, 20)
	mixed := append(manyOf(0.75, 10), manyOf(0.25, 10)...) // some up, some down
	for name, test := range map[string]struct {
		before, now []float64
		smallest    float64
		want        ragtest.Outcome
		p           float64
		test        string
	}{
		"all drop":                         {high, low, 0.05, ragtest.Worse, 0.0002, "paired permutation"},
		"all rise":                         {low, high, 0.05, ragtest.NotWorse, 0.0002, "paired permutation"},
		"as many drop as rise":             {mixed, append(manyOf(0.25, 10), manyOf(0.75, 10)...), 0.05, ragtest.CannotTell, 1, "paired permutation"},
		"six drop":                         {manyOf(0.75, 6), manyOf(0.25, 6), 0.05, ragtest.Worse, 0.03125, "paired permutation"},
		"five of six drop":                 {manyOf(0.75, 6), append(manyOf(0.25, 5), 0.75), 0.05, ragtest.CannotTell, 0.0625, "paired permutation"},
		"five of six fail":                 {manyOf(1, 6), append(manyOf(0, 5), 1), 0.05, ragtest.CannotTell, 0.03125, "McNemar's mid-p"},
		"six of six fail":                  {manyOf(1, 6), manyOf(0, 6), 0.05, ragtest.Worse, 0.015625, "McNemar's mid-p"},
		"nothing moves, six":               {manyOf(0.75, 6), manyOf(0.75, 6), 0.05, ragtest.CannotTell, 1, "paired permutation"},
		"nothing moves, 71":                {manyOf(0.75, 71), manyOf(0.75, 71), 0.05, ragtest.CannotTell, 1, "paired permutation"},
		"nothing moves, 72":                {manyOf(0.75, 72), manyOf(0.75, 72), 0.05, ragtest.NotWorse, 1, "paired permutation"},
		"a drop that does not matter":      {manyOf(0.75, 20), manyOf(0.74, 20), 0.05, ragtest.NotWorse, 0.0002, "paired permutation"},
		"the same drop, where it matters":  {manyOf(0.75, 20), manyOf(0.74, 20), 0.005, ragtest.Worse, 0.0002, "paired permutation"},
		"a drop of just what matters":      {manyOf(0.75, 20), manyOf(0.5, 20), 0.25, ragtest.Worse, 0.0002, "paired permutation"},
		"one sample":                       {[]float64{0.75}, []float64{0.25}, 0.05, ragtest.CannotTell, 1, "paired permutation"},
		"one sample, whatever is asked of": {[]float64{0.75}, []float64{0.75}, 0.99, ragtest.NotWorse, 1, "paired permutation"},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			c, err := ragtest.Compare(baselineOf(t, reportOf("m", test.before...)), reportOf("m", test.now...), test.smallest, ragtest.ComparisonOptions{})
			g.Expect(err).NotTo(HaveOccurred())
			m := c.Metrics[0]
			g.Expect(c.Outcome()).To(Equal(test.want), "%v", c)
			g.Expect(m.P).To(BeNumerically("~", test.p, 1e-12))
			g.Expect(m.Test).To(Equal(test.test))
			g.Expect(m.N).To(Equal(len(test.now)))
			g.Expect(math.IsNaN(m.Difference)).To(BeFalse())
		})
	}
}

// With few samples a comparison says so, and how many it takes.
func TestSixSamplesCannotTell(t *testing.T) {
	g := NewWithT(t)
	j := literalServer(t).Judge().Named("here")
	b, err := evaluated(t, j, lockers(6, 0), ragtest.Faithfulness).Baseline()
	g.Expect(err).NotTo(HaveOccurred())
	c, err := ragtest.Compare(b, evaluated(t, j, lockers(6, 2), ragtest.Faithfulness), 0.05, ragtest.ComparisonOptions{Metrics: []ragtest.Metric{ragtest.Faithfulness}})
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(c.Outcome()).To(Equal(ragtest.CannotTell))
	g.Expect(c.String()).To(Equal(`faithfulness cannot be told to be worse or not, by 0.05: 1.000 → 0.833, difference -0.167 [-0.777, 0.459] (Clopper-Pearson, 95%), p=0.5 by paired permutation, n=6, 2 moved: it takes about 212 samples
  locker 01: 1.00 → 0.50
    claim 2: supported → unsupported: "Locker 1 opens at midnight", nearest to what was "Locker 1 opens at noon"
  locker 02: 1.00 → 0.50
    claim 2: supported → unsupported: "Locker 2 opens at midnight", nearest to what was "Locker 2 opens at noon"
judge: scripted at here`))
}

// Less of some metrics is better, and what is shown is the scores as they are.
func TestComparisonOfLowerIsBetter(t *testing.T) {
	g := NewWithT(t)
	b := baselineOf(t, reportOf("m", manyOf(0.25, 20)...))
	b.Metrics[0].LowerIsBetter = true
	c, err := ragtest.Compare(b, reportOf("m", manyOf(0.75, 20)...), 0.05, ragtest.ComparisonOptions{})
	g.Expect(err).NotTo(HaveOccurred())
	m := c.Metrics[0]
	g.Expect(m.Outcome).To(Equal(ragtest.Worse))
	g.Expect([]float64{m.Before, m.Now, m.Difference}).To(Equal([]float64{0.25, 0.75, -0.5}))
	g.Expect(c.String()).To(HavePrefix("m is worse: 0.250 → 0.750, difference -0.500 (turned, as lower is better) [-0.500, -0.500]"))
	c, err = ragtest.Compare(b, reportOf("m", manyOf(0.05, 20)...), 0.05, ragtest.ComparisonOptions{})
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(c.Outcome()).To(Equal(ragtest.NotWorse))
}

func both(a, b *ragtest.Report) *ragtest.Report {
	return &ragtest.Report{Metrics: append(a.Metrics, b.Metrics...), Results: append(a.Results, b.Results...)}
}

// Several metrics are several chances of a false alarm.
func TestComparisonOfSeveralMetrics(t *testing.T) {
	g := NewWithT(t)
	before := both(reportOf("a", manyOf(0.75, 6)...), reportOf("b", manyOf(0.75, 6)...))
	now := both(reportOf("a", manyOf(0.25, 6)...), reportOf("b", manyOf(0.75, 6)...))
	c, err := ragtest.Compare(baselineOf(t, before), now, 0.05, ragtest.ComparisonOptions{})
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect([]float64{c.Metrics[0].P, c.Metrics[0].Adjusted, c.Metrics[1].Adjusted}).To(Equal([]float64{0.03125, 0.0625, 1}))
	g.Expect(c.Outcome()).To(Equal(ragtest.CannotTell))
	c, err = ragtest.Compare(baselineOf(t, before), reportOf("a", manyOf(0.25, 6)...), 0.05, ragtest.ComparisonOptions{})
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(c.Outcome()).To(Equal(ragtest.Worse), "of one metric")
	g.Expect(c.OnlyBefore).To(Equal([]string{"b"}))
	g.Expect(c.String()).To(HaveSuffix("in the baseline only: b"))
}

// Samples that belong together are not as good as so many.
func TestComparisonInClusters(t *testing.T) {
	g := NewWithT(t)
	b, now := baselineOf(t, reportOf("m", manyOf(0.75, 10)...)), reportOf("m", manyOf(0.25, 10)...)
	of := func(sample string) string { return map[bool]string{true: "first", false: "second"}[sample < "05"] }
	c, err := ragtest.Compare(b, now, 0.05, ragtest.ComparisonOptions{Cluster: of})
	g.Expect(err).NotTo(HaveOccurred())
	m := c.Metrics[0]
	g.Expect([]int{m.N, m.Clusters, m.Moved}).To(Equal([]int{10, 2, 2}))
	g.Expect([]float64{m.P, m.Difference}).To(Equal([]float64{0.5, -0.5}))
	g.Expect(m.Outcome).To(Equal(ragtest.CannotTell))
	c, err = ragtest.Compare(b, now, 0.05, ragtest.ComparisonOptions{Cluster: func(s string) string { return s }})
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(c.Outcome()).To(Equal(ragtest.Worse), "each its own")
}

// No sample is left out without a word.
func TestComparisonListsWhatHasNoPair(t *testing.T) {
	g := NewWithT(t)
	before, now := lockers(9, 0), lockers(9, 0)
	before[0].RetrievedContexts = nil // not measured then
	now[1].RetrievedContexts = nil    // not measured now
	now[2].UserInput = "Who holds parcels?"
	now[3].Reference = "Letters."
	now[4].Name = "a new one" // for one that is gone
	now[5].Response = "Locker 6 holds parcels."
	j := literalServer(t).Judge()
	b, err := evaluated(t, j, before, ragtest.Faithfulness).Baseline()
	g.Expect(err).NotTo(HaveOccurred())
	r := evaluated(t, j, now, ragtest.Faithfulness)
	c, err := ragtest.Compare(b, r, 0.05, ragtest.ComparisonOptions{})
	g.Expect(err).NotTo(HaveOccurred())
	m := c.Metrics[0]
	g.Expect(m.UnmeasuredBefore).To(Equal([]string{"locker 01"}))
	g.Expect(m.Unmeasured).To(HaveLen(1))
	g.Expect(m.Unmeasured[0].Err).To(MatchError(ragtest.ErrMissingInput))
	g.Expect(m.Changed).To(Equal([]string{"locker 03", "locker 04"}))
	g.Expect(m.Removed).To(Equal([]string{"locker 05"}))
	g.Expect(m.Added).To(Equal([]string{"a new one"}))
	g.Expect(m.Unpaired()).To(Equal([]string{"locker 02", "locker 01", "locker 05", "locker 03", "locker 04"}))
	g.Expect([]int{m.N, m.Unchecked}).To(Equal([]int{4, 0}))
	g.Expect(c.String()).To(ContainSubstring(`
  not measured now: 1 (locker 02)
  not measured in the baseline: 1 (locker 01)
  removed since: 1 (locker 05)
  another question or reference than in the baseline: 2 (locker 03, locker 04)
  added since: 1 (a new one)`))

	for i := range r.Results {
		r.Results[i].Inputs = ""
	}
	c, err = ragtest.Compare(b, r, 0.05, ragtest.ComparisonOptions{})
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(c.Metrics[0].Unchecked).To(Equal(6))
	g.Expect(c.String()).To(ContainSubstring("whether 6 of 6 were asked the same is not known: the baseline or the report has no digest of their questions"))
}

// Scores of two judges are not compared.
func TestComparisonOfOtherJudges(t *testing.T) {
	j := literalServer(t)
	samples := lockers(2, 0)
	b, err := evaluated(t, j.Judge().Named("here"), samples, ragtest.Faithfulness).Baseline()
	if err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		by   *ragtest.Judge
		want string
	}{
		"another endpoint": {j.Judge().Named("there"), "the baseline of faithfulness is by scripted at here, and the report by scripted at there"},
		"another model":    {ragtest.NewJudge(j.Config(), "other").Named("here"), "the baseline of faithfulness is by scripted at here, and the report by other at here"},
		"another prompt":   {j.Judge().Named("here").Pinned("claims/v1"), "the baseline of faithfulness is by the prompt claims/v2, and the report by claims/v1"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := ragtest.Compare(b, evaluated(t, test.by, samples, ragtest.Faithfulness), 0.05, ragtest.ComparisonOptions{})
			NewWithT(t).Expect(err).To(And(MatchError(ragtest.ErrOtherJudge), MatchError(ContainSubstring(test.want))))
		})
	}
}

func TestErrorsOfComparisons(t *testing.T) {
	r := reportOf("m", 1, 1)
	b := baselineOf(t, r)
	lost := reportOf("m", 1)
	lost.Results[0].Err = errors.New("lost")
	twice := both(r, r)
	twice.Metrics = twice.Metrics[:1]
	two := reportOf("m", 1, 1)
	two.Results[0].Score.Judge, two.Results[1].Score.Judge = "a at x", "b at x"
	for name, test := range map[string]struct {
		b        *ragtest.Baseline
		r        *ragtest.Report
		smallest float64
		o        ragtest.ComparisonOptions
		is       error
		want     string
	}{
		"nothing matters":       {b: b, r: r, want: "the smallest difference that matters is 0, expected a number above 0"},
		"NaN matters":           {b: b, r: r, smallest: math.NaN(), want: "is NaN, expected a number above 0"},
		"confidence in %":       {b: b, r: r, smallest: 0.1, o: ragtest.ComparisonOptions{Confidence: 95}, want: "the confidence is 95"},
		"a nil metric":          {b: b, r: r, smallest: 0.1, o: ragtest.ComparisonOptions{Metrics: []ragtest.Metric{nil}}, want: "a metric to compare is nil"},
		"no baseline":           {r: r, smallest: 0.1, is: ragtest.ErrNoBaseline},
		"no report":             {b: b, smallest: 0.1, is: ragtest.ErrNoBaseline},
		"an empty report":       {b: b, r: &ragtest.Report{}, smallest: 0.1, is: ragtest.ErrUndefined},
		"no pair":               {b: b, r: lost, smallest: 0.1, is: ragtest.ErrUndefined, want: "no sample was measured by m before and now\n  not measured now: 1 (00)\n  removed since: 1 (01)"},
		"two results":           {b: b, r: twice, smallest: 0.1, want: `there are two results of sample "00" by m`},
		"two judges":            {b: b, r: two, smallest: 0.1, is: ragtest.ErrOtherJudge},
		"no common metric":      {b: b, r: reportOf("n", 1), smallest: 0.1, is: ragtest.ErrUndefined, want: "it has m, and the report n"},
		"not in the report":     {b: b, r: r, smallest: 0.1, o: ragtest.ComparisonOptions{Metrics: []ragtest.Metric{ragtest.Faithfulness}}, want: "the report has no faithfulness, it has m"},
		"not in the baseline":   {b: b, r: reportOf("faithfulness", 1), smallest: 0.1, o: ragtest.ComparisonOptions{Metrics: []ragtest.Metric{ragtest.Faithfulness}}, is: ragtest.ErrNoBaseline, want: "it has no faithfulness"},
		"a tag that nobody has": {b: b, r: r, smallest: 0.1, o: ragtest.ComparisonOptions{Tag: "t"}, is: ragtest.ErrUndefined, want: `no sample of the report has the tag "t"`},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			_, err := ragtest.Compare(test.b, test.r, test.smallest, test.o)
			g.Expect(err).To(MatchError(ContainSubstring(test.want)))
			if test.is != nil {
				g.Expect(err).To(MatchError(test.is))
			}
		})
	}
}

// What changed is told claim by claim, and context by context.
func TestFlips(t *testing.T) {
	verdicts := func(part string, claims ...string) (v []ragtest.Verdict) {
		for i, c := range claims {
			x := ragtest.Verdict{Claim: strings.TrimSuffix(c, "!"), OK: !strings.HasSuffix(c, "!"), Part: part}
			if part == "context" {
				x.Part = fmt.Sprintf("context %d", i+1)
			}
			v = append(v, x)
		}
		return v
	}
	for name, test := range map[string]struct {
		step        string
		before, now []ragtest.Verdict
		want        []string
	}{
		"nothing":       {"verify/v2", verdicts("", "A b", "C d!"), verdicts("", "A b", "C d!"), nil},
		"in an order":   {"verify/v2", verdicts("", "A b", "C d!"), verdicts("", "C d!", "A b"), nil},
		"a flip":        {"verify/v2", verdicts("", "A b", "C d"), verdicts("", "A b", "C d!"), []string{`claim 2: supported → unsupported: "C d"`}},
		"the good way":  {"verify/v2", verdicts("", "A b!"), verdicts("", "A b"), []string{`claim 1: unsupported → supported: "A b"`}},
		"moved, a flip": {"verify/v2", verdicts("", "A b", "C d"), verdicts("", "C d!", "A b"), []string{`claim 1 (2 before): supported → unsupported: "C d"`}},
		"reworded": {
			"verify/v2", verdicts("", "The museum opens at nine o'clock"), verdicts("", "The museum opens at ten o'clock!"),
			[]string{`claim 1: supported → unsupported: "The museum opens at ten o'clock", nearest to what was "The museum opens at nine o'clock"`},
		},
		"new and gone": {
			"", verdicts("", "Parcels wait for two days", "Plus members pay less"), verdicts("", "Dogs bark!", "Parcels wait for two days"),
			[]string{`claim 1 is new: no: "Dogs bark"`, `claim 2 is gone: it was yes: "Plus members pay less"`},
		},
		"equal ones": {"verify/v2", verdicts("", "A b", "A b"), verdicts("", "A b", "A b!"), []string{`claim 2: supported → unsupported: "A b"`}},
		"of two texts": {
			"compare/v2", append(verdicts("answer", "A b"), verdicts("reference", "A b")...), append(verdicts("answer", "A b"), verdicts("reference", "A b!")...),
			[]string{`reference 2: found → not found: "A b"`},
		},
		"contexts": {
			"useful/v1", verdicts("context", "Lockers are open", "Dogs bark!", "Parcels wait"), verdicts("context", "Dogs bark!", "Cats purr!", "Lockers are open"),
			[]string{
				`context 2 is new: not useful: "Cats purr"`,
				`context from rank 1 to 3: useful: "Lockers are open"`,
				`context 3 is gone: it was useful: "Parcels wait"`,
			},
		},
		"a context is judged otherwise": {
			"useful/v1", verdicts("context", "Lockers are open"), verdicts("context", "Lockers are open!"),
			[]string{`context at rank 1: useful → not useful: "Lockers are open"`},
		},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			of := func(v []ragtest.Verdict) *ragtest.Report {
				r := reportOf("m", 1)
				r.Results[0].Score.Verdicts = v
				if test.step != "" {
					r.Results[0].Score.Exchanges = []ragtest.Exchange{{Step: test.step}}
				}
				return r
			}
			c, err := ragtest.Compare(baselineOf(t, of(test.before)), of(test.now), 0.05, ragtest.ComparisonOptions{})
			g.Expect(err).NotTo(HaveOccurred())
			var got []string
			for _, f := range c.Metrics[0].Pairs[0].Flips {
				got = append(got, f.String())
			}
			g.Expect(got).To(Equal(test.want))
		})
	}
}

// Of simulated comparisons of nothing hardly any is taken for a drop, and of drops
// that can be found most are; the figures are those of the same draws every time.
func TestComparisonsOfNothing(t *testing.T) {
	g := NewWithT(t)
	for _, n := range []int{6, 10, 30} {
		for _, claims := range []int{1, 4} {
			worse, _, better := outcomes(t, 7, 200, n, claims, 0)
			g.Expect(worse+better).To(BeNumerically("<=", 0.05), "n=%d, %d claims", n, claims)
		}
	}
	worse, notWorse, _ := outcomes(t, 7, 50, 30, 4, 0.4)
	g.Expect(worse).To(BeNumerically(">", 0.9))
	g.Expect(notWorse).To(BeZero())
}
