package ragtest_test

import (
	"fmt"

	"github.com/ragomega/ragomega/ragtest"
)

// shares is a report of eight samples with so many of four claims supported.
func shares(supported ...int) *ragtest.Report {
	r := &ragtest.Report{Judge: "gpt at example.com", Metrics: []string{"faithfulness"}}
	for i, n := range supported {
		score := ragtest.Score{Metric: "faithfulness", Value: float64(n) / 4}
		r.Results = append(r.Results, ragtest.Result{Sample: fmt.Sprintf("q%d", i+1), Metric: "faithfulness", Score: score})
	}
	return r
}

func ExampleCompare() {
	baseline, err := shares(4, 4, 4, 4, 4, 3, 4, 4).Baseline()
	if err != nil {
		panic(err)
	}
	for _, now := range []*ragtest.Report{
		shares(3, 4, 4, 2, 4, 3, 4, 4),
		shares(3, 2, 3, 2, 3, 2, 3, 4),
	} {
		c, err := ragtest.Compare(baseline, now, 0.05, ragtest.ComparisonOptions{})
		if err != nil {
			panic(err)
		}
		m := c.Metrics[0]
		fmt.Printf("%s: %+.2f, p=%.2f, %d of %d moved; it takes about %d\n", c.Outcome(), m.Difference, m.P, m.Moved, m.N, m.Needed)
	}
	// Output:
	// cannot tell: -0.09, p=0.50, 2 of 8 moved; it takes about 111
	// worse: -0.28, p=0.02, 7 of 8 moved; it takes about 83
}
