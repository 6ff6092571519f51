package bench

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/ragomega/ragomega/cache"
	. "github.com/ragomega/ragomega/matchers"
	"github.com/ragomega/ragomega/ragtest"
)

// The suite under test is set up by these. Without the first it is skipped.
const (
	envN       = "RAGTEST_BENCH_N"       // how many samples
	envDataset = "RAGTEST_BENCH_DATASET" // the file to read them from
	envDir     = "RAGTEST_BENCH_DIR"     // the folder of the recording
)

func TestMain(m *testing.M) {
	if os.Getenv(envN) == "" {
		os.Exit(m.Run())
	}
	// The recording lies outside the package: it is no part of the repository.
	c, err := cache.Open(cache.Options{Dir: os.Getenv(envDir)})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	ragtest.Use(ragtest.OpenAI("bench").Named("bench").CachedIn(c))
	code := ragtest.Run(m)
	if err := c.Close(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

// TestBench judges every sample by both metrics. The judge's verdicts mean
// nothing, so any score will do.
func TestBench(t *testing.T) {
	if os.Getenv(envN) == "" {
		t.Skip(envN + " is not set; see README.md")
	}
	g := NewWithT(t)
	n, err := strconv.Atoi(os.Getenv(envN))
	g.Expect(err).NotTo(HaveOccurred())
	samples, err := ragtest.ReadSamples(os.Getenv(envDataset))
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(len(samples)).To(BeNumerically(">=", n))
	for _, s := range samples[:n] {
		t.Run(s.Name, func(t *testing.T) {
			t.Parallel()
			g := NewWithT(t)
			g.Expect(s).To(HaveScore(ragtest.Faithfulness, BeNumerically(">=", 0)))
			g.Expect(s).To(HaveScore(ragtest.ContextRecall, BeNumerically(">=", 0)))
		})
	}
}

func TestSamplesAreTheSameEveryTime(t *testing.T) {
	g := NewWithT(t)
	long := Samples(200)
	g.Expect(Samples(50)).To(Equal(long[:50]))
	texts, words := map[string]bool{}, map[string]int{}
	for i, s := range long {
		texts[s.Response] = true
		words["answer"] += len(strings.Fields(s.Response))
		words["reference"] += len(strings.Fields(s.Reference))
		for _, c := range s.RetrievedContexts {
			words["context"] += len(strings.Fields(c))
		}
		if i%10 == 9 {
			again := s
			again.Name = long[i-1].Name
			g.Expect(again).To(Equal(long[i-1]))
		}
	}
	g.Expect(texts).To(HaveLen(180))
	g.Expect(words["answer"] / 200).To(BeNumerically("~", 89, 2))
	g.Expect(words["reference"] / 200).To(BeNumerically("~", 44, 2))
	g.Expect(words["context"] / 600).To(BeNumerically("~", 44, 2))
}
