package system

import (
	"testing"

	. "github.com/onsi/gomega"

	"github.com/ragomega/ragomega/ragtest"
)

// A ranker that grows worse is seen by context precision at once, while the
// answer is still good: the chunk that it needs slides from rank 1 to 8, and is
// still among the eight that the chat model reads. Whoever watches answers alone
// learns of it when K is made smaller.
func TestContextPrecisionFallsBeforeFaithfulness(t *testing.T) {
	g := NewWithT(t)
	judge, err := ragtest.Standing()
	g.Expect(err).NotTo(HaveOccurred())
	var precision, faithfulness []float64
	for _, rank := range []int{1, 2, 3, 5, 8} {
		c := config(t)
		c.K, c.Rank = 8, moved(rank, "plus#3")
		s := ask(t, build(t, c), question(t, "cancel-yearly-plus"))
		p, err := judge.Measure(t.Context(), ragtest.ContextPrecision, s)
		g.Expect(err).NotTo(HaveOccurred())
		f, err := judge.Measure(t.Context(), ragtest.Faithfulness, s)
		g.Expect(err).NotTo(HaveOccurred())
		t.Logf("rank %d: context precision %.3f, faithfulness %.3f: %s", rank, p.Value, f.Value, s.Response)
		precision, faithfulness = append(precision, p.Value), append(faithfulness, f.Value)
	}
	g.Expect(precision).To(Equal([]float64{1, 1.0 / 2, 1.0 / 3, 1.0 / 5, 1.0 / 8}))
	g.Expect(faithfulness).To(HaveEach(1.0))
}
