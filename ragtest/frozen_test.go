package ragtest_test

import (
	"encoding/json"
	"os"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/ragomega/ragomega/cache"
	"github.com/ragomega/ragomega/ragtest"
)

// frozen are replies of real models as the first release recorded them, and the
// scores that it computed. Nothing in the folder is ever changed: whatever later
// releases do, these recordings must replay to the same scores. What is new goes
// into a folder beside it.
const frozen = "testdata/frozen/v1"

func TestFrozenRecordingsReplay(t *testing.T) {
	g := NewWithT(t)
	c, err := cache.Open(cache.Options{Dir: frozen, Mode: cache.Replay})
	g.Expect(err).NotTo(HaveOccurred())
	judge := ragtest.OpenAI("qwen2.5-coder-1.5b").Named("llama.cpp b10068").Pinned("claims/v1", "verify/v1").CachedIn(c)
	samples, err := ragtest.ReadSamples(frozen + "/samples.txt")
	g.Expect(err).NotTo(HaveOccurred())
	metrics := []ragtest.Metric{ragtest.Faithfulness, ragtest.ContextRecall}

	var scores []ragtest.Score
	for _, s := range samples {
		for _, m := range metrics {
			score, err := judge.Measure(t.Context(), m, s)
			g.Expect(err).NotTo(HaveOccurred())
			score.Exchanges = nil
			scores = append(scores, score)
		}
	}
	b, err := os.ReadFile(frozen + "/scores.json")
	g.Expect(err).NotTo(HaveOccurred())
	var want []ragtest.Score
	g.Expect(json.Unmarshal(b, &want)).To(Succeed())
	g.Expect(want).To(HaveLen(len(samples) * len(metrics)))
	g.Expect(scores).To(Equal(want))

	embedder := ragtest.OpenAIEmbedder("nomic-embed-text-v1.5").Named("llama.cpp b10068").CachedIn(c)
	vectors, err := embedder.Embed(t.Context(), "search_query: When is the depot open?", "search_document: The depot is open on Saturday.")
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(vectors).To(HaveLen(2))
	g.Expect(vectors[0]).To(HaveLen(768))
}
