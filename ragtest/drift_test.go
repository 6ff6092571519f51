package ragtest_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/ragomega/ragomega/cache"
	"github.com/ragomega/ragomega/fixtures"
	"github.com/ragomega/ragomega/ragtest"
)

// In verify mode a judge that decides as recorded has not drifted, whatever
// words it finds for it.
func TestVerifyReportsOtherVerdictsOnly(t *testing.T) {
	g := NewWithT(t)
	dir, home := t.TempDir(), t.TempDir()
	open := func(mode cache.Mode) *cache.Cache {
		c, err := cache.Open(cache.Options{Dir: dir, Home: home, Mode: mode})
		g.Expect(err).NotTo(HaveOccurred())
		return c
	}
	verdicts := func(reason string, supported ...bool) fixtures.Reply {
		entries := map[string]any{}
		for i, s := range supported {
			entries[fmt.Sprint(i+1)] = map[string]any{"reason": reason, "supported": s}
		}
		b, err := json.Marshal(entries)
		g.Expect(err).NotTo(HaveOccurred())
		return fixtures.Text(string(b))
	}
	server := fixtures.NewJudge(t).
		On("claims", fixtures.Claims("a", "b"), fixtures.Claims("a", "b"), fixtures.Claims("a", "b")).
		On("verify", verdicts("one", true, false), verdicts("another", true, false), verdicts("a third", true, true))
	sample := ragtest.Sample{Name: "s", Response: "r", RetrievedContexts: []string{"c"}}
	measure := func(c *cache.Cache) string {
		t.Helper()
		score, err := server.Judge().CachedIn(c).Measure(t.Context(), ragtest.Faithfulness, sample)
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(c.Close()).To(Succeed())
		return score.Fraction()
	}
	g.Expect(measure(open(cache.Auto))).To(Equal("1/2"))
	same := open(cache.Verify)
	g.Expect(measure(same)).To(Equal("1/2"))
	g.Expect(same.Drifts()).To(BeEmpty())
	drifted := open(cache.Verify)
	g.Expect(measure(drifted)).To(Equal("1/2"), "the run comes out as recorded")
	g.Expect(drifted.Drifts()).To(HaveLen(1))
	g.Expect(drifted.Drifts()[0].Request.Step).To(Equal("verify/v2"))
}

func TestVectorsThatDifferByRoundingSettleThemselves(t *testing.T) {
	g := NewWithT(t)
	base := t.TempDir()
	var merged []byte
	for i, v := range [][]float64{{0.6, 0.8}, {0.6000001, 0.8}} {
		dir := filepath.Join(base, fmt.Sprint(i))
		c, err := cache.Open(cache.Options{Dir: dir, Home: dir + "-home", Mode: cache.Auto})
		g.Expect(err).NotTo(HaveOccurred())
		server := fixtures.NewJudge(t).On(fixtures.Embeddings, fixtures.Vectors(v))
		_, err = server.Embedder().CachedIn(c).Embed(t.Context(), "text")
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(c.Close()).To(Succeed())
		merged = append(merged, mustRead(t, dir+"/embeddings.jsonl")...)
	}
	dir := filepath.Join(base, fmt.Sprint(2))
	g.Expect(os.MkdirAll(dir, 0o755)).To(Succeed())
	g.Expect(os.WriteFile(dir+"/embeddings.jsonl", merged, 0o644)).To(Succeed())
	c, err := cache.Open(cache.Options{Dir: dir, Mode: cache.Replay})
	g.Expect(err).NotTo(HaveOccurred())
	vectors, err := fixtures.NewJudge(t).Embedder().CachedIn(c).Embed(t.Context(), "text")
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(vectors[0][0]).To(BeNumerically("~", 0.6, 1e-6))

	// Vectors of two models are a conflict.
	other := fixtures.NewJudge(t).On(fixtures.Embeddings, fixtures.Vectors([]float64{0.8, 0.6}))
	o, err := cache.Open(cache.Options{Dir: filepath.Join(base, fmt.Sprint(3)), Home: filepath.Join(base, fmt.Sprint(4)), Mode: cache.Auto})
	g.Expect(err).NotTo(HaveOccurred())
	_, err = other.Embedder().CachedIn(o).Embed(t.Context(), "text")
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(o.Close()).To(Succeed())
	g.Expect(os.WriteFile(dir+"/embeddings.jsonl", append(merged, mustRead(t, filepath.Join(base, fmt.Sprint(3))+"/embeddings.jsonl")...), 0o644)).To(Succeed())
	c, err = cache.Open(cache.Options{Dir: dir, Mode: cache.Replay})
	g.Expect(err).NotTo(HaveOccurred())
	_, err = fixtures.NewJudge(t).Embedder().CachedIn(c).Embed(t.Context(), "text")
	var conflict *cache.ConflictError
	g.Expect(err).To(BeAssignableToTypeOf(conflict))
}

func mustRead(t *testing.T, file string) []byte {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return b
}
