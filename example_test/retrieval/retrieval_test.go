package retrieval

import (
	"fmt"
	"net/http"
	"slices"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/ragomega/ragomega/example_test/assistant"
	. "github.com/ragomega/ragomega/matchers"
	"github.com/ragomega/ragomega/ragtest"
)

// search puts all questions to the retriever, with one thing changed, or nil.
func search(t *testing.T, change func(*assistant.Config)) []ragtest.Sample {
	t.Helper()
	config := assistant.Config{K: 5, EmbedURL: "http://words", Client: &http.Client{Transport: newWords(t)}}
	if change != nil {
		change(&config)
	}
	retriever, err := assistant.New(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	samples, err := ragtest.ReadSamples("testdata/questions.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	for i := range samples {
		chunks, err := retriever.Retrieve(t.Context(), samples[i].UserInput)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range chunks {
			samples[i].RetrievedContexts = append(samples[i].RetrievedContexts, c.Text)
			samples[i].RetrievedContextIDs = append(samples[i].RetrievedContextIDs, c.ID)
		}
	}
	return samples
}

// fits is a metric of this suite: whether what was retrieved fits into the prompt.
var fits = ragtest.NewCheck("fits", func(s ragtest.Sample) (ragtest.Score, error) {
	const most, found = 2000, "%d bytes of contexts fit into %d"
	size := 0
	for _, c := range s.RetrievedContexts {
		size += len(c)
	}
	return ragtest.Share(ragtest.Verdict{Claim: fmt.Sprintf(found, size, most), OK: size <= most})
})

// byTag is what the retriever does today. The thresholds below leave it some room.
const byTag = `tag             recall_at_3   hit_rate_at_3  mrr           ndcg_at_5     fits
all             0.660 (n=27)  0.778 (n=27)   0.700 (n=27)  0.674 (n=27)  1.000 (n=27)
lookup          1.000 (n=10)  1.000 (n=10)   0.900 (n=10)  0.926 (n=10)  1.000 (n=10)
multi-document  0.476 (n=7)   0.857 (n=7)    0.814 (n=7)   0.623 (n=7)   1.000 (n=7)
paraphrase      0.450 (n=10)  0.500 (n=10)   0.420 (n=10)  0.457 (n=10)  1.000 (n=10)`

func TestRetriever(t *testing.T) {
	g := NewWithT(t)
	report, err := ragtest.Evaluate(t.Context(), search(t, nil),
		ragtest.RecallAt(3), ragtest.HitRateAt(3), ragtest.MRR, ragtest.NDCG.At(5), fits)
	g.Expect(err).NotTo(HaveOccurred())
	t.Log("\n" + report.TagTable())

	g.Expect(report).To(HaveMeanAbove(ragtest.RecallAt(3), 0.6))
	g.Expect(report).To(HaveMeanAbove(ragtest.MRR, 0.65))
	g.Expect(report).To(HaveMeanAbove(ragtest.NDCG.At(5), 0.6))
	g.Expect(report).To(HavePassRateAbove(HaveHitAt(3), 0.7))
	g.Expect(report).To(HavePassRate(HaveScore(fits, 1), 1))

	// The mean hides what a search for words is bad at.
	g.Expect(report).NotTo(HaveMeanAbove(ragtest.RecallAt(3), 0.6).ForEachTag())
	g.Expect(report).To(HaveMeanAbove(ragtest.RecallAt(3), 0.4).ForEachTag())
	g.Expect(report).To(HavePassRate(HaveHitAt(3), 1).ForTag("lookup"))

	g.Expect(report.TagTable()).To(Equal(byTag), "if it is better now, raise the thresholds")
}

// Every lookup by itself: a failure shows at which rank the paragraph is.
func TestLookups(t *testing.T) {
	for _, s := range search(t, nil) {
		if slices.Contains(s.Tags, "lookup") {
			t.Run(s.Name, func(t *testing.T) {
				g := NewWithT(t)
				g.Expect(s).To(HaveHitAt(2))
				g.Expect(s).To(HaveRecallAtAbove(3, 0.9))
			})
		}
	}
}

// pinned returns a ranker that puts a chunk first, as one does with an advertisement.
func pinned(id string) func(string, []assistant.Chunk) []assistant.Chunk {
	return func(_ string, chunks []assistant.Chunk) []assistant.Chunk {
		at := slices.IndexFunc(chunks, func(c assistant.Chunk) bool { return c.ID == id })
		c := chunks[at]
		return slices.Insert(slices.Delete(chunks, at, at+1), 0, c)
	}
}

// Each metric is blind to some faults: recall to the order of what was found, and MRR
// to all that comes after the first hit.
func TestFaults(t *testing.T) {
	metrics := []ragtest.Metric{ragtest.RecallAt(5), ragtest.PrecisionAt(1), ragtest.MRR, ragtest.NDCG.At(5)}
	gates := []float64{0.65, 0.5, 0.65, 0.62}
	for _, fault := range []struct {
		name   string
		change func(*assistant.Config)
		means  [4]float64 // by metric
		passes [4]bool    // the gate of each
	}{
		{"none", nil, [4]float64{0.741, 0.593, 0.700, 0.674}, [4]bool{true, true, true, true}},
		{"the five are reversed", func(c *assistant.Config) {
			c.Rank = func(_ string, chunks []assistant.Chunk) []assistant.Chunk {
				slices.Reverse(chunks[:5])
				return chunks
			}
		}, [4]float64{0.741, 0.111, 0.291, 0.380}, [4]bool{true, false, false, false}},
		{"an advertisement comes first", func(c *assistant.Config) { c.Rank = pinned("plus#1") }, [4]float64{0.691, 0.037, 0.377, 0.451}, [4]bool{true, false, false, false}},
		{"the best one is lost", func(c *assistant.Config) {
			c.Rank = func(_ string, chunks []assistant.Chunk) []assistant.Chunk { return chunks[1:] }
		}, [4]float64{0.315, 0.296, 0.343, 0.272}, [4]bool{false, false, false, false}},
		{"two in place of five", func(c *assistant.Config) { c.K = 2 }, [4]float64{0.617, 0.593, 0.685, 0.615}, [4]bool{false, true, true, false}},
	} {
		t.Run(fault.name, func(t *testing.T) {
			g := NewWithT(t)
			report, err := ragtest.Evaluate(t.Context(), search(t, fault.change), metrics...)
			g.Expect(err).NotTo(HaveOccurred())
			for i, m := range metrics {
				g.Expect(report).To(HaveMean(m, BeNumerically("~", fault.means[i], 0.0006)))
				g.Expect(HaveMeanAbove(m, gates[i]).Match(report)).To(Equal(fault.passes[i]), m.Name())
			}
		})
	}
}
