package ragtest_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/ragomega/ragomega/ragtest"
)

// retrievalMetric returns the metric by the name that the table has for it.
func retrievalMetric(t *testing.T, name string) ragtest.Metric {
	t.Helper()
	base, at, cut := strings.Cut(name, "_at_")
	var k int
	if cut {
		if _, err := fmt.Sscan(at, &k); err != nil {
			t.Fatal(err)
		}
	}
	switch {
	case base == "recall":
		return ragtest.RecallAt(k)
	case base == "precision":
		return ragtest.PrecisionAt(k)
	case base == "hit_rate":
		return ragtest.HitRateAt(k)
	case base == "mrr" && cut:
		return ragtest.MRR.At(k)
	case base == "mrr":
		return ragtest.MRR
	case base == "map" && cut:
		return ragtest.MAP.At(k)
	case base == "map":
		return ragtest.MAP
	case base == "ndcg" && cut:
		return ragtest.NDCG.At(k)
	case base == "ndcg":
		return ragtest.NDCG
	case base == "ndcg_exponential" && cut:
		return ragtest.NDCG.Exponential().At(k)
	case base == "ndcg_exponential":
		return ragtest.NDCG.Exponential()
	}
	t.Fatalf("no metric is called %q", name)
	return nil
}

// Rankings have the scores that trec_eval and ranx give them; see
// testdata/retrieval/README.md.
func TestRetrievalAtRank(t *testing.T) {
	g := NewWithT(t)
	text, err := os.ReadFile(filepath.Join("testdata", "retrieval", "values.json"))
	g.Expect(err).NotTo(HaveOccurred())
	var cases []struct {
		ID        string
		Retrieved ragtest.IDs
		Reference ragtest.IDs
		Grades    []int
		Expected  map[string]float64
	}
	g.Expect(json.Unmarshal(text, &cases)).To(Succeed())
	n := 0
	for _, c := range cases {
		s := ragtest.Sample{RetrievedContextIDs: c.Retrieved, ReferenceContextIDs: c.Reference, ReferenceContextGrades: c.Grades}
		for name, want := range c.Expected {
			n++
			m := retrievalMetric(t, name)
			score, err := ragtest.NoJudge().Measure(t.Context(), m, s)
			g.Expect(err).NotTo(HaveOccurred(), "%s of %s", name, c.ID)
			g.Expect(score.Metric).To(Equal(name))
			if strings.HasPrefix(name, "map") || strings.HasPrefix(name, "ndcg") { // sums, which others take in another order
				g.Expect(score.Value).To(BeNumerically("~", want, 1e-12), "%s of %s", name, c.ID)
			} else {
				g.Expect(score.Value).To(Equal(want), "%s of %s", name, c.ID)
			}
			g.Expect(score.Verdicts).NotTo(BeEmpty())
		}
	}
	g.Expect(n).To(BeNumerically(">", 11000))
}
