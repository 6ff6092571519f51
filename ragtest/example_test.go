package ragtest_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/ragomega/ragomega/ragtest"
)

// brevity is a metric that asks nobody: the share of an answer's words that a
// reader has time for.
var brevity = ragtest.NewMetric("brevity", func(_ context.Context, _ *ragtest.Judge, s ragtest.Sample) (ragtest.Score, error) {
	n := len(strings.Fields(s.Response))
	if n == 0 {
		return ragtest.Score{}, fmt.Errorf("%w: there is no answer", ragtest.ErrUndefined)
	}
	return ragtest.Score{Value: min(1, 5/float64(n))}, nil
})

func ExampleJudge_Evaluate() {
	judge := ragtest.OpenAI("gpt-4o-mini-2024-07-18") // of TestMain, where ragtest.Evaluate finds it
	report, err := judge.Evaluate(context.Background(), []ragtest.Sample{
		{Name: "hours", Tags: []string{"critical"}, Response: "It opens at 7."},
		{Name: "fees", Tags: []string{"critical"}, Response: "There are none, as far as we can tell you."},
		{Name: "plants", Response: "Yes."},
		{Name: "pets"},
	}, brevity)
	if err != nil {
		panic(err)
	}
	fmt.Println(report)
	fmt.Println(report.ForTag("critical").Scores(brevity))
	scores := report.Scores(brevity)
	for _, r := range scores.Worst(1) {
		fmt.Printf("worst: %s %.2f\n", r.Sample, r.Score.Value)
	}
	for _, r := range scores.Unmeasured {
		fmt.Printf("not measured: %s: %v\n", r.Sample, errors.Unwrap(r.Err))
	}
	// Output:
	// brevity 0.833 [0.500, 1.000], median 1.000, from 0.500 to 1.000, n=3, 1 not measured
	// judge: gpt-4o-mini-2024-07-18 at api.openai.com, uncalibrated
	// brevity 0.750 [0.500, 1.000], median 0.750, from 0.500 to 1.000, n=2
	// worst: fees 0.50
	// not measured: pets: undefined: there is no answer
}

// t is the *testing.T of a test.
var t *testing.T

func ExampleEachSample() {
	// In func TestAnswers(t *testing.T):
	ragtest.EachSample(t, "testdata/samples.jsonl", func(t *testing.T, s ragtest.Sample) {
		t.Parallel()
		NewWithT(t).Expect(brevity.Measure(t.Context(), nil, s)).To(HaveField("Value", BeNumerically(">", 0.5)))
	})
	// One of them: go test -run 'TestAnswers/bridge'
}

func ExampleEntries() {
	_ = Describe("the assistant", func() {
		DescribeTable("is brief where it matters", func(ctx SpecContext, s ragtest.Sample) {
			Expect(brevity.Measure(ctx, nil, s)).To(HaveField("Value", BeNumerically(">", 0.5)))
		}, ragtest.Entries("testdata/samples.jsonl", func(s ragtest.Sample) TableEntry {
			return Entry(s.Name, s, Label(s.Tags...))
		}, "critical"))
	})
	// One of them: ginkgo --focus 'is brief where it matters bridge'
}
