package agreement_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/ragomega/ragomega/ragtest/agreement"
)

// simulations is how many samples each setting is simulated with. A coverage of
// 0.95 is found within 0.011 of it in 19 of 20 settings.
const simulations = 1500

func needsCoverage(t *testing.T) {
	t.Helper()
	if os.Getenv("RAGTEST_COVERAGE") == "" {
		t.Skip("simulates labels for a minute or more; run it with RAGTEST_COVERAGE=1 go test -v -run Coverage ./ragtest/agreement")
	}
}

// simulate runs one simulation after another on all processors, each on a stream of
// its own, and returns the share of those that each of the intervals covers.
func simulate(setting uint64, intervals int, run func(r *rand.Rand) []bool) []float64 {
	counts := make([]atomic.Int64, intervals)
	var next atomic.Int64
	var all sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		all.Go(func() {
			for i := next.Add(1); i <= simulations; i = next.Add(1) {
				for k, covered := range run(rand.New(rand.NewPCG(setting, uint64(i)))) {
					if covered {
						counts[k].Add(1)
					}
				}
			}
		})
	}
	all.Wait()
	shares := make([]float64, intervals)
	for k := range shares {
		shares[k] = float64(counts[k].Load()) / simulations
	}
	return shares
}

func covers(i agreement.Interval, err error, truth float64) bool {
	if err != nil && !errors.Is(err, agreement.ErrUndefined) {
		panic(err)
	}
	return err == nil && i.Low <= truth && truth <= i.High
}

func flip(r *rand.Rand, p float64) int {
	if r.Float64() < p {
		return 1
	}
	return 0
}

// The intervals of kappa hold the true one: human and judge pass equally many, and
// agree as kappa says. A sample without an interval, of one class, is one that does
// not hold it.
func TestCoverageOfKappa(t *testing.T) {
	needsCoverage(t)
	fmt.Println("kappa  pass rate  n    rarer class  BCa    percentile  analytic")
	for i, c := range []struct {
		kappa, rate float64
		n           int
	}{
		{0.80, 0.50, 30},
		{0.80, 0.50, 50},
		{0.69, 0.80, 50},
		{0.69, 0.80, 100},
		{0.48, 0.94, 50},
		{0.48, 0.94, 100},
		{0.48, 0.94, 200},
		{0.85, 0.90, 50},
		{0.85, 0.90, 100},
		{0.85, 0.90, 200},
	} {
		both := c.rate*c.rate + c.kappa*c.rate*(1-c.rate)
		shares := simulate(uint64(i), 3, func(r *rand.Rand) []bool {
			human, judge := make([]int, c.n), make([]int, c.n)
			for i := range human {
				switch u := r.Float64(); {
				case u < both:
					human[i], judge[i] = 1, 1
				case u < c.rate:
					human[i] = 1
				case u < 2*c.rate-both:
					judge[i] = 1
				}
			}
			kappa := kappaOf(human, judge, 2, unweighted)
			bca, err := agreement.Bootstrap{Seed: r.Uint64()}.Interval(c.n, kappa)
			percentile, err2 := agreement.Bootstrap{Seed: r.Uint64(), Percentile: true}.Interval(c.n, kappa)
			table, err3 := agreement.Tabulate(human, judge, 0, 1)
			if err3 != nil {
				panic(err3)
			}
			analytic, err3 := table.KappaError(agreement.Unweighted, 0.95)
			return []bool{
				covers(bca, err, c.kappa), covers(percentile, err2, c.kappa), covers(analytic.Interval, err3, c.kappa),
			}
		})
		rarer := float64(c.n) * min(c.rate, 1-c.rate)
		fmt.Printf("%.2f   %.2f       %-4d %-12.0f %.3f  %.3f       %.3f\n", c.kappa, c.rate, c.n, rarer, shares[0], shares[1], shares[2])
		if rarer >= 10-1e-9 && shares[0] < 0.93 {
			t.Errorf("kappa %v at %v of %d: BCa covers %v, want 0.93", c.kappa, c.rate, c.n, shares[0])
		}
	}
}

// The intervals of the judge's rates, and of the rate that is corrected for them,
// hold the true ones: labels and other items are random samples of the same items.
func TestCoverageOfCorrections(t *testing.T) {
	needsCoverage(t)
	fmt.Println("rate  TPR   TNR   labels  items  rarer class  Wilson TPR  TNR    Lang-Reiczigel  all    judgy")
	for i, c := range []struct {
		rate, tpr, tnr float64
		labels, items  int
	}{
		{0.80, 0.90, 0.85, 100, 50},
		{0.80, 0.90, 0.85, 100, 200},
		{0.80, 0.90, 0.85, 100, 2000},
		{0.80, 0.90, 0.85, 200, 100},
		{0.94, 0.95, 0.80, 50, 500},
		{0.94, 0.95, 0.80, 100, 500},
		{0.94, 0.95, 0.80, 200, 500},
		{0.98, 0.95, 0.80, 100, 500},
	} {
		shares := simulate(100+uint64(i), 5, func(r *rand.Rand) []bool {
			var labels agreement.Confusion
			for range c.labels {
				switch {
				case flip(r, c.rate) == 0:
					correct := flip(r, c.tnr)
					labels.TN += correct
					labels.FP += 1 - correct
				default:
					correct := flip(r, c.tpr)
					labels.TP += correct
					labels.FN += 1 - correct
				}
			}
			passes := 0
			for range c.items {
				passes += flip(r, c.rate*c.tpr+(1-c.rate)*(1-c.tnr))
			}
			tpr, err := agreement.Wilson(labels.TP, labels.Positives(), 0.95)
			tnr, err2 := agreement.Wilson(labels.TN, labels.Negatives(), 0.95)
			covered := []bool{covers(tpr, err, c.tpr), covers(tnr, err2, c.tnr), false, false, false}
			corrected, err := agreement.RoganGladen(labels, passes, c.items)
			if err != nil {
				return covered
			}
			lr, err := corrected.LangReiczigel(0.95)
			covered[2] = covers(lr, err, c.rate)
			for k, resampling := range []agreement.Resampling{agreement.ResampleAll, agreement.JudgyCompatible} {
				drawn, err := corrected.Bootstrap(agreement.Bootstrap{Seed: r.Uint64(), Draws: 400}, resampling)
				covered[3+k] = covers(drawn, err, c.rate)
			}
			return covered
		})
		rarer := float64(c.labels) * min(c.rate, 1-c.rate)
		fmt.Printf("%.2f  %.2f  %.2f  %-7d %-6d %-12.0f %.3f       %.3f  %.3f           %.3f  %.3f\n",
			c.rate, c.tpr, c.tnr, c.labels, c.items, rarer, shares[0], shares[1], shares[2], shares[3], shares[4])
		for k, name := range []string{"Wilson of TPR", "Wilson of TNR", "Lang-Reiczigel"} {
			if rarer >= 10-1e-9 && shares[k] < 0.93 {
				t.Errorf("%+v: %s covers %v, want 0.93", c, name, shares[k])
			}
		}
	}
}
