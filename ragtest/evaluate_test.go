package ragtest_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	. "github.com/onsi/gomega"
	"github.com/onsi/gomega/types"

	"github.com/ragomega/ragomega/cache"
	"github.com/ragomega/ragomega/fixtures"
	"github.com/ragomega/ragomega/ragtest"
)

// idle is a judge for metrics that ask nobody.
func idle() *ragtest.Judge {
	return ragtest.NewJudgeClient(clientFunc(answer), "in-process", "idle")
}

// numbered are n samples whose question is their number, counted from 0.
func numbered(n int) []ragtest.Sample {
	samples := make([]ragtest.Sample, n)
	for i := range samples {
		samples[i] = ragtest.Sample{Name: fmt.Sprintf("s%d", i), UserInput: fmt.Sprint(i), Tags: []string{[]string{"even", "odd"}[i%2]}}
	}
	return samples
}

func number(s ragtest.Sample) (n int) {
	_, _ = fmt.Sscan(s.UserInput, &n)
	return n
}

// metric makes one of a function of a sample's number.
func metric(name string, value func(ctx context.Context, n int) (float64, error)) ragtest.Metric {
	return ragtest.NewMetric(name, func(ctx context.Context, _ *ragtest.Judge, s ragtest.Sample) (ragtest.Score, error) {
		v, err := value(ctx, number(s))
		return ragtest.Score{Value: v}, err
	})
}

var own = metric("own", func(_ context.Context, n int) (float64, error) { return float64(n), nil })

// Whoever is first, results have the order of the samples and of the metrics;
// and at most 16 samples are under way.
func TestEvaluateKeepsTheOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := NewWithT(t)
		var now, most atomic.Int64
		slow := func(name string, plus float64) ragtest.Metric {
			return metric(name, func(_ context.Context, n int) (float64, error) {
				if c := now.Add(1); c > most.Load() {
					most.Store(c)
				}
				time.Sleep(time.Duration(100-n) * time.Millisecond)
				now.Add(-1)
				return float64(n) + plus, nil
			})
		}
		samples := numbered(100)
		samples[7].Name = ""
		r, err := idle().Evaluate(t.Context(), samples, slow("b", 0.5), slow("a", 0.25))
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(r.Judge).To(Equal("idle at in-process"))
		g.Expect(r.Metrics).To(Equal([]string{"b", "a"}))
		g.Expect(r.Results).To(HaveLen(200))
		for i, x := range r.Results {
			name, m, value := fmt.Sprintf("s%d", i/2), "b", float64(i/2)+0.5
			if i/2 == 7 {
				name = "#8"
			}
			if i%2 == 1 {
				m, value = "a", float64(i/2)+0.25
			}
			x.Inputs = "" // see TestInputsOfResults
			g.Expect(x).To(Equal(ragtest.Result{Sample: name, Tags: samples[i/2].Tags, Metric: m, Score: ragtest.Score{Metric: m, Value: value}}))
		}
		g.Expect(most.Load()).To(Equal(int64(16)))
		g.Expect(samples[7].Name).To(BeEmpty(), "the samples stay as they are")
	})
}

// A result tells what was asked and expected of the system, and not what it made of
// it.
func TestInputsOfResults(t *testing.T) {
	g := NewWithT(t)
	asked := ragtest.Sample{
		UserInput: "1", Messages: []ragtest.Message{{Role: "user", Content: "Is it far?"}},
		Reference: "A", ReferenceContexts: []string{"B"}, ReferenceContextIDs: ragtest.IDs{"b"},
		ReferenceContextGrades: []int{2},
		ReferenceTopics:        []string{"C"}, Rubrics: map[string]string{"score1": "D"},
	}
	of := func(change func(s *ragtest.Sample)) string {
		s := asked
		change(&s)
		r, err := idle().Evaluate(t.Context(), []ragtest.Sample{s}, own, metric("broken", func(context.Context, int) (float64, error) { return 0, ragtest.ErrUndefined }))
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(r.Results[0].Inputs).To(MatchRegexp("^[0-9a-f]{12}$"))
		g.Expect(r.Results[1].Inputs).To(Equal(r.Results[0].Inputs), "whether or not it was measured")
		return r.Results[0].Inputs
	}
	was := of(func(*ragtest.Sample) {})
	for name, change := range map[string]func(s *ragtest.Sample){
		"name":     func(s *ragtest.Sample) { s.Name = "x" },
		"tags":     func(s *ragtest.Sample) { s.Tags = []string{"x"} },
		"answer":   func(s *ragtest.Sample) { s.Response = "x" },
		"contexts": func(s *ragtest.Sample) { s.RetrievedContexts, s.RetrievedContextIDs = []string{"x"}, ragtest.IDs{"x"} },
	} {
		g.Expect(of(change)).To(Equal(was), name)
	}
	for name, change := range map[string]func(s *ragtest.Sample){
		"question":           func(s *ragtest.Sample) { s.UserInput = "2" },
		"conversation":       func(s *ragtest.Sample) { s.Messages = nil },
		"reference":          func(s *ragtest.Sample) { s.Reference = "x" },
		"reference contexts": func(s *ragtest.Sample) { s.ReferenceContexts = nil },
		"grades":             func(s *ragtest.Sample) { s.ReferenceContextGrades = nil },
		"reference IDs":      func(s *ragtest.Sample) { s.ReferenceContextIDs = nil },
		"topics":             func(s *ragtest.Sample) { s.ReferenceTopics = nil },
		"rubrics":            func(s *ragtest.Sample) { s.Rubrics = nil },
	} {
		g.Expect(of(change)).NotTo(Equal(was), name)
	}
}

// When the context ends, what was measured stays, and the rest says why.
func TestEvaluationThatEndsEarly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := NewWithT(t)
		outage := errors.New("the night is over")
		ctx, cancel := context.WithTimeoutCause(t.Context(), 2500*time.Millisecond, outage)
		defer cancel()
		var asked atomic.Int64
		r, err := idle().Evaluate(ctx, numbered(50), metric("slow", func(ctx context.Context, n int) (float64, error) {
			asked.Add(1)
			select {
			case <-time.After(time.Second + time.Duration(n)*time.Microsecond):
				return float64(n), nil
			case <-ctx.Done():
				return 0, ctx.Err()
			}
		}))
		g.Expect(err).To(MatchError("ragtest: the evaluation was ended early, 18 of 50 measurements are missing: context deadline exceeded: the night is over"))
		g.Expect(err).To(MatchError(outage))
		g.Expect(err).To(MatchError(context.DeadlineExceeded))
		s := r.Scores(own)
		g.Expect(s.Measured).To(BeEmpty(), "there is nothing of another metric")
		s = r.Scores(metric("slow", nil))
		g.Expect(s.Measured).To(HaveLen(32))
		g.Expect(s.Unmeasured).To(HaveLen(18))
		g.Expect(s.Unmeasured).To(HaveEach(HaveField("Err", MatchError(context.DeadlineExceeded))))
		g.Expect(r.Results[49].Err.Error()).To(MatchRegexp(`^not measured: slow of sample "s49" in TestEvaluationThatEndsEarly \(evaluate_test\.go:\d+\): it was not begun: context deadline exceeded: the night is over$`))
		g.Expect(r.Results[49].Sample).To(Equal("s49"))
		g.Expect(asked.Load()).To(Equal(int64(48)))
	})
}

// A context that ends with the last measurement has prevented none.
func TestEvaluationThatEndsInTime(t *testing.T) {
	g := NewWithT(t)
	ctx, cancel := context.WithCancel(t.Context())
	r, err := idle().Evaluate(ctx, numbered(1), metric("last", func(context.Context, int) (float64, error) {
		cancel()
		return 1, nil
	}))
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(r.Scores(metric("last", nil)).Mean()).To(Equal(1.0))

	r, err = idle().Evaluate(ctx, numbered(2), own)
	g.Expect(err).To(MatchError(context.Canceled))
	g.Expect(r.Scores(own).Unmeasured).To(HaveLen(2))
}

// What a metric cannot measure is no reason to end, and the result has it.
func TestEvaluateTellsWhatIsNotMeasured(t *testing.T) {
	g := NewWithT(t)
	l := newLab(t)
	l.Otherwise(func(r fixtures.Request) fixtures.Reply {
		if r.Step == "claims" {
			return fixtures.Claims("The bridge opened in 1932.")
		}
		return fixtures.Verdicts(true)
	})
	lacking := bridge
	lacking.Name, lacking.RetrievedContexts = "lacking", nil
	another := bridge
	another.Name, another.Response = "another", "The bridge was opened in 1932."
	evaluate := func(mode cache.Mode, samples ...ragtest.Sample) *ragtest.Report {
		c := l.cache(mode)
		r, err := l.Judge.Judge().CachedIn(c).Evaluate(t.Context(), samples, ragtest.Faithfulness, ragtest.ContextRecall)
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(c.Close()).To(Succeed())
		return r
	}
	asked := evaluate(cache.Auto, bridge, lacking)
	g.Expect(asked.Scores(ragtest.Faithfulness).Unmeasured).To(HaveExactElements(And(
		HaveField("Sample", "lacking"), HaveField("Score", BeZero()), HaveField("Err", MatchError(ragtest.ErrMissingInput)))))
	g.Expect(asked.Scores(ragtest.Faithfulness).Mean()).To(Equal(1.0))
	g.Expect(asked.String()).To(HavePrefix("faithfulness 1.000, median 1.000, from 1.000 to 1.000, n=1, 1 not measured\ncontext_recall 1.000,"))

	calls := l.Asked(fixtures.Any)
	replayed := evaluate(cache.Replay, bridge, another)
	g.Expect(l.Asked(fixtures.Any)).To(Equal(calls))
	g.Expect(replayed.Results[0].Score.Verdicts).To(Equal(asked.Results[0].Score.Verdicts))
	err := replayed.Results[2].Err
	g.Expect(err).To(MatchError(cache.ErrMiss))
	g.Expect(err.Error()).To(MatchRegexp(`^not measured: faithfulness of sample "another" in TestEvaluateTellsWhatIsNotMeasured \(evaluate_test\.go:\d+\): `), "though another goroutine measures")
	g.Expect(err.Error()).To(HaveSuffix("To record it: RAGTEST_CACHE=auto CI= go test -run '^TestEvaluateTellsWhatIsNotMeasured$' ./ragtest"))
}

// How many calls are in flight is for the judge's limits to say.
func TestEvaluateKeepsTheJudgesLimits(t *testing.T) {
	g := NewWithT(t)
	var now, most atomic.Int64
	j := ragtest.NewJudgeClient(clientFunc(func(ctx context.Context, r chatRequest) (chatResponse, error) {
		if c := now.Add(1); c > most.Load() {
			most.Store(c)
		}
		defer now.Add(-1)
		time.Sleep(time.Millisecond)
		return answer(ctx, r)
	}), "in-process", "m").CachedIn(off(t)).Limits(2, 0)
	var samples []ragtest.Sample
	for i := range 20 {
		s := bridge
		s.Name, s.Response = fmt.Sprint(i), fmt.Sprintf("The bridge opened in %d.", i)
		samples = append(samples, s)
	}
	r, err := j.Evaluate(t.Context(), samples, ragtest.Faithfulness)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(r.Scores(ragtest.Faithfulness).Measured).To(HaveLen(20))
	g.Expect(most.Load()).To(Equal(int64(2)))
}

// A metric that panics ends the evaluation where its caller sees it, when the
// others under way have ended. Nothing more is begun.
func TestMetricThatPanics(t *testing.T) {
	for name, test := range map[string]struct {
		value any
		is    types.GomegaMatcher
	}{
		"with an error": {errDown, MatchError(errDown)},
		"with a text":   {"no such field", MatchError(ContainSubstring(`ragtest: broken panicked on sample "s3": no such field`))},
		"with nil":      {nil, MatchError(ContainSubstring("panic called with nil argument"))},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				g := NewWithT(t)
				var begun, done atomic.Int64
				defer func() {
					err, ok := recover().(error)
					g.Expect(ok).To(BeTrue())
					g.Expect(err).To(test.is)
					g.Expect(err).To(MatchError(And(ContainSubstring("broken panicked on sample \"s3\""), ContainSubstring("evaluate_test.go"))), "the stack is the metric's")
					g.Expect([]int64{begun.Load(), done.Load()}).To(Equal([]int64{16, 15}))
				}()
				_, _ = idle().Evaluate(t.Context(), numbered(100), metric("broken", func(_ context.Context, n int) (float64, error) {
					begun.Add(1)
					time.Sleep(time.Duration(n) * time.Millisecond) // 0 to 2 make place for 16 to 18
					if n == 3 {
						panic(test.value)
					}
					if n < 3 {
						time.Sleep(time.Second)
					}
					done.Add(1)
					return 1, nil
				}))
				t.Error("it returned")
			})
		})
	}
}

var errDown = errors.New("down")

// t.FailNow in a metric ends the test, not only a goroutine: a score that was
// never measured must not be taken for a 0.
func TestMetricThatFailsTheTest(t *testing.T) {
	g := NewWithT(t)
	ended, returned := make(chan struct{}), false
	go func() {
		defer close(ended)
		_, _ = idle().Evaluate(t.Context(), numbered(3), metric("failing", func(context.Context, int) (float64, error) {
			runtime.Goexit() // as FailNow does
			return 1, nil
		}))
		returned = true
	}()
	<-ended
	g.Expect(returned).To(BeFalse())
}

func TestEvaluateRefuses(t *testing.T) {
	twice := append(numbered(3), ragtest.Sample{Name: "s1"})
	place := []ragtest.Sample{{Name: "#2"}, {}}
	for name, test := range map[string]struct {
		samples []ragtest.Sample
		metrics []ragtest.Metric
		want    string
	}{
		"no samples":        {nil, []ragtest.Metric{own}, "ragtest: there are no samples to evaluate"},
		"no metrics":        {numbered(1), nil, "ragtest: there is no metric to evaluate, expected one such as ragtest.Faithfulness"},
		"a nil metric":      {numbered(1), []ragtest.Metric{own, nil}, "ragtest: metric 2 is nil"},
		"a name twice":      {twice, []ragtest.Metric{own}, `ragtest: samples 2 and 4 are both called "s1"; names must differ, as results are told apart by them`},
		"a place as a name": {place, []ragtest.Metric{own}, `ragtest: samples 1 and 2 are both called "#2"; names must differ, as results are told apart by them`},
		"a metric twice":    {numbered(1), []ragtest.Metric{own, ragtest.Faithfulness, own}, `ragtest: two metrics are called "own"; names must differ, as results are told apart by them`},
	} {
		t.Run(name, func(t *testing.T) {
			r, err := idle().Evaluate(t.Context(), test.samples, test.metrics...)
			NewWithT(t).Expect(err).To(MatchError(test.want))
			NewWithT(t).Expect(r).To(BeNil())
		})
	}
	_, err := ragtest.Evaluate(t.Context(), numbered(1), own)
	NewWithT(t).Expect(err).To(MatchError(ragtest.ErrNoJudge))
	_, err = (&ragtest.Judge{}).Evaluate(t.Context(), numbered(1), own)
	NewWithT(t).Expect(err).To(MatchError(ragtest.ErrNoJudge))
}

// lower is a metric of which less is better.
type lower struct{ ragtest.Metric }

func (lower) LowerIsBetter() {}

func TestReportForTag(t *testing.T) {
	g := NewWithT(t)
	less := lower{metric("less", func(_ context.Context, n int) (float64, error) { return float64(n), nil })}
	r, err := idle().Evaluate(t.Context(), append(numbered(5), ragtest.Sample{Name: "untagged", UserInput: "9"}), own, less)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(r.Tags()).To(Equal([]string{"even", "odd"}))
	g.Expect(r.ForTag("odd").Scores(own).Values()).To(Equal([]float64{1, 3}))
	g.Expect(r.ForTag("odd").Tags()).To(Equal([]string{"odd"}))
	g.Expect(r.ForTag("even").Scores(less).Worst(1)).To(HaveExactElements(HaveField("Sample", "s4")))
	g.Expect(r.Scores(less).Worst(2)).To(HaveExactElements(HaveField("Sample", "untagged"), HaveField("Sample", "s4")))
	for _, report := range []*ragtest.Report{r, r.ForTag("odd"), r.ForTag("none")} {
		g.Expect(report.String()).To(MatchRegexp(`(?s)^own[^\n]*[^r]\nless[^\n]*, lower is better\njudge: idle at in-process, uncalibrated$`))
	}
	_, err = r.ForTag("none").Scores(own).Mean()
	g.Expect(err).To(MatchError(ragtest.ErrUndefined))
}

// bridges are n samples with different answers.
func bridges(n int) []ragtest.Sample {
	samples := make([]ragtest.Sample, n)
	for i := range samples {
		samples[i] = bridge
		samples[i].Name, samples[i].Response = fmt.Sprintf("bridge %d", i), fmt.Sprintf("The bridge %d opened in 1932.", i)
	}
	return samples
}

// However many samples there are, the goroutines are as many.
func TestEvaluateTenThousandSamples(t *testing.T) {
	g := NewWithT(t)
	before := runtime.NumGoroutine()
	var most atomic.Int64
	r, err := idle().Evaluate(t.Context(), numbered(10_000), metric("own", func(_ context.Context, n int) (float64, error) {
		if c := int64(runtime.NumGoroutine()); c > most.Load() {
			most.Store(c)
		}
		return float64(n), nil
	}))
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(r.Scores(own).Mean()).To(Equal(4999.5))
	g.Expect(most.Load()).To(BeNumerically("<", before+100), "16, and connections of other tests that come and go")
}

// A replay is linear in time, and what it keeps is the results: on two busy cores
// a sample takes 0.2 ms, 18.6 kB that are freed again and 0.5 kB that are kept, of
// 100 samples (0.9 kB kept), 1,000 or 10,000.
func BenchmarkEvaluate(b *testing.B) {
	dir := b.TempDir()
	open := func(mode cache.Mode) *cache.Cache {
		c, err := cache.Open(cache.Options{Dir: dir, Home: "/dev/null", Mode: mode})
		if err != nil {
			b.Fatal(err)
		}
		return c
	}
	samples := bridges(10_000)
	evaluate := func(c *cache.Cache, n int) *ragtest.Report {
		r, err := ragtest.NewJudgeClient(clientFunc(answer), "in-process", "m").CachedIn(c).Evaluate(b.Context(), samples[:n], ragtest.Faithfulness)
		if err != nil {
			b.Fatal(err)
		}
		if left := len(r.Scores(ragtest.Faithfulness).Unmeasured); left > 0 {
			b.Fatalf("%d are not measured: %v", left, r.Scores(ragtest.Faithfulness).Unmeasured[0].Err)
		}
		return r
	}
	c := open(cache.Auto)
	evaluate(c, len(samples))
	if err := c.Close(); err != nil {
		b.Fatal(err)
	}
	for _, n := range []int{100, 1000, 10_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			c := open(cache.Replay)
			evaluate(c, 1) // reads the recording
			var before, after runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&before)
			var r *ragtest.Report
			for b.Loop() {
				r = evaluate(c, n)
			}
			runtime.ReadMemStats(&after)
			allocated := float64(after.TotalAlloc-before.TotalAlloc) / float64(b.N)
			runtime.GC()
			runtime.ReadMemStats(&after)
			runtime.KeepAlive(r)
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/sample")
			b.ReportMetric(allocated/float64(n), "B/sample")
			b.ReportMetric((float64(after.HeapAlloc)-float64(before.HeapAlloc))/float64(n), "kept-B/sample")
			if err := c.Close(); err != nil {
				b.Fatal(err)
			}
		})
	}
}
