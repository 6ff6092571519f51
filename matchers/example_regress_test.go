package matchers_test

import (
	"context"
	"os"
	"path/filepath"

	. "github.com/onsi/gomega"

	. "github.com/ragomega/ragomega/matchers"
	"github.com/ragomega/ragomega/ragtest"
)

// exampleBaseline is a file with what the samples of these examples scored when all
// answers were good. In a test it is testdata/baseline.json, written by
// RAGTEST_BASELINE=update.
func exampleBaseline() (file string, remove func()) {
	good := append([]ragtest.Sample{}, samples...)
	good[0].Response = "A parcel waits for 48 hours."
	report, err := ragtest.Evaluate(context.Background(), good, ragtest.Faithfulness)
	if err != nil {
		panic(err)
	}
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		panic(err)
	}
	file = filepath.Join(dir, "baseline.json")
	if err := report.SaveBaseline(file); err != nil {
		panic(err)
	}
	return file, func() { _ = os.RemoveAll(dir) }
}

func ExampleRegressFrom() {
	useExampleJudge()
	g := NewWithT(t)
	file, remove := exampleBaseline()
	defer remove()

	report, err := ragtest.Evaluate(context.Background(), samples, ragtest.Faithfulness)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(report).NotTo(RegressFrom(file, 0.05)) // three samples show nothing
	// Output:
}

func ExampleBeNonInferiorTo() {
	useExampleJudge()
	g := NewWithT(t)
	file, remove := exampleBaseline()
	defer remove()

	report, err := ragtest.Evaluate(context.Background(), samples, ragtest.Faithfulness)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(report).NotTo(BeNonInferiorTo(file, 0.05), "three samples prove nothing")
	// Output:
}
