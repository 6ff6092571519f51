package ragtest_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/ragomega/ragomega/ragtest"
)

// simulatedPair is a baseline and a report of n samples whose mean differs by drop,
// as far as the draws go. Samples differ in how well they do, and the same sample
// does not come out the same twice: that is what a comparison of nothing is of.
func simulatedPair(r *rand.Rand, n, claims int, drop float64) (*ragtest.Baseline, *ragtest.Report) {
	m := ragtest.MetricBaseline{Metric: "faithfulness"}
	report := &ragtest.Report{Metrics: []string{"faithfulness"}}
	const rate = 0.8 // the mean of a sample's share
	for i := range n {
		hard := rate + 0.2 // of most samples, the others make up for it
		if r.Float64() < 0.4 {
			hard = rate - 0.3
		}
		draw := func(keep float64) float64 {
			yes := 0
			for range claims {
				if r.Float64() < hard*keep {
					yes++
				}
			}
			return float64(yes) / float64(claims)
		}
		name := fmt.Sprintf("%04d", i)
		before := draw(1)
		m.Samples = append(m.Samples, ragtest.SampleBaseline{Sample: name, Score: &before})
		now := ragtest.Score{Value: draw(1 - drop/rate)}
		report.Results = append(report.Results, ragtest.Result{Sample: name, Metric: "faithfulness", Score: now})
	}
	return &ragtest.Baseline{Metrics: []ragtest.MetricBaseline{m}}, report
}

// outcomes returns the shares of simulated comparisons that are Worse and NotWorse,
// and of those whose mean is significantly higher.
func outcomes(t *testing.T, seed uint64, simulations, n, claims int, drop float64) (worse, notWorse, better float64) {
	t.Helper()
	var next, w, nw, b atomic.Int64
	var all sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		all.Go(func() {
			for i := next.Add(1); i <= int64(simulations); i = next.Add(1) {
				base, report := simulatedPair(rand.New(rand.NewPCG(seed, uint64(i))), n, claims, drop)
				c, err := ragtest.Compare(base, report, 0.05, ragtest.ComparisonOptions{})
				if err != nil {
					t.Error(err)
					return
				}
				switch m := c.Metrics[0]; {
				case m.Outcome == ragtest.Worse:
					w.Add(1)
				case m.Outcome == ragtest.NotWorse:
					nw.Add(1)
				}
				if m := c.Metrics[0]; m.Adjusted <= 0.05 && m.Difference > 0 {
					b.Add(1)
				}
			}
		})
	}
	all.Wait()
	of := func(c *atomic.Int64) float64 { return float64(c.Load()) / float64(simulations) }
	return of(&w), of(&nw), of(&b)
}

// Nothing is taken for a drop in at most 5 % of comparisons, and a drop of what
// matters is taken for none in about 2.5 %, the level of one side. The table is the
// one of Compare's documentation.
func TestCoverageOfComparison(t *testing.T) {
	if os.Getenv("RAGTEST_COVERAGE") == "" {
		t.Skip("simulates comparisons for a minute or more; run it with RAGTEST_COVERAGE=1 go test -v -run CoverageOfComparison ./ragtest")
	}
	const simulations = 1000
	fmt.Println("scores  n    worse: no drop  0.05  0.10  0.20  not worse: no drop  0.05")
	for _, claims := range []int{1, 4} {
		kind := map[int]string{1: "0 or 1", 4: "k of 4"}[claims]
		for _, n := range []int{6, 10, 30, 100} {
			var worse, notWorse [4]float64
			var better float64
			for i, drop := range []float64{0, 0.05, 0.10, 0.20} {
				w, nw, b := outcomes(t, uint64(1000*claims+10*n+i), simulations, n, claims, drop)
				worse[i], notWorse[i] = w, nw
				if i == 0 {
					better = b
				}
			}
			fmt.Printf("%s  %-4d %.3f           %.3f %.3f %.3f %.3f              %.3f   (higher, no drop: %.3f)\n",
				kind, n, worse[0], worse[1], worse[2], worse[3], notWorse[0], notWorse[1], better)
			if worse[0]+better > 0.06 {
				t.Errorf("%s, n=%d: of comparisons of nothing %.3f are significant, want 0.05", kind, n, worse[0]+better)
			}
			if notWorse[1] > 0.05 {
				t.Errorf("%s, n=%d: a drop of 0.05 is no drop in %.3f, want about 0.025", kind, n, notWorse[1])
			}
		}
	}
}
