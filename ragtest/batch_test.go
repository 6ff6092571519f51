package ragtest_test

import (
	"context"
	"fmt"
	"sync"
	"testing"

	. "github.com/onsi/gomega"
	openai "github.com/sashabaranov/go-openai"

	"github.com/ragomega/ragomega/cache"
	"github.com/ragomega/ragomega/ragtest"
)

// counting embeds every text as its length, and counts how often it is asked
// for each.
type counting struct {
	mu    sync.Mutex
	asked map[string]int
	calls int
}

func (c *counting) CreateEmbeddings(_ context.Context, r openai.EmbeddingRequestConverter) (openai.EmbeddingResponse, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.calls++
	var resp openai.EmbeddingResponse
	for i, t := range r.Convert().Input.([]string) {
		c.asked[t]++
		resp.Data = append(resp.Data, openai.Embedding{Index: i, Embedding: []float32{float32(len(t)), 1}})
	}
	return resp, nil
}

func TestBatchesThatOverlapPayForNoTextTwice(t *testing.T) {
	g := NewWithT(t)
	c, err := cache.Open(cache.Options{Dir: t.TempDir(), Home: t.TempDir(), Mode: cache.Auto})
	g.Expect(err).NotTo(HaveOccurred())
	client := &counting{asked: map[string]int{}}
	e := ragtest.NewEmbedderClient(client, "here", "m").CachedIn(c)
	texts := make([]string, 40)
	for i := range texts {
		texts[i] = fmt.Sprintf("text %d", i)
	}
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			mine := append(append([]string{}, texts[5*i:]...), texts[:5*i]...)
			vectors, err := e.Embed(t.Context(), mine...)
			if err != nil {
				t.Error(err)
				return
			}
			for j, v := range vectors {
				if v[0] != float64(len(mine[j])) {
					t.Errorf("%s: got %v", mine[j], v)
				}
			}
		})
	}
	wg.Wait()
	for _, text := range texts {
		g.Expect(client.asked[text]).To(Equal(1), text)
	}
	g.Expect(c.Close()).To(Succeed())
}

func TestBatchesAreCut(t *testing.T) {
	g := NewWithT(t)
	c, err := cache.Open(cache.Options{Dir: t.TempDir(), Home: t.TempDir(), Mode: cache.Auto})
	g.Expect(err).NotTo(HaveOccurred())
	client := &counting{asked: map[string]int{}}
	texts := make([]string, 600)
	for i := range texts {
		texts[i] = fmt.Sprint(i)
	}
	_, err = ragtest.NewEmbedderClient(client, "here", "m").CachedIn(c).Embed(t.Context(), texts...)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(client.calls).To(Equal(3), "256 texts a request")
	g.Expect(client.asked).To(HaveLen(600))
	g.Expect(c.Close()).To(Succeed())
}
