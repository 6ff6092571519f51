package ragtest_test

import (
	"math"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"

	. "github.com/onsi/gomega"

	"github.com/ragomega/ragomega/cache"
	"github.com/ragomega/ragomega/fixtures"
	"github.com/ragomega/ragomega/ragtest"
)

// embed is a run of its own.
func (l *lab) embed(texts ...string) ([][]float64, error) {
	l.t.Helper()
	c := l.cache(cache.Auto)
	v, err := l.Judge.Embedder().CachedIn(c).Embed(l.t.Context(), texts...)
	NewWithT(l.t).Expect(c.Close()).To(Succeed())
	return v, err
}

// Vectors belong to texts by their index, whatever the order.
func TestEmbedInOrder(t *testing.T) {
	for name, data := range map[string]string{
		"sorted":           `{"index":0,"embedding":[1,0]},{"index":1,"embedding":[0,1]},{"index":2,"embedding":[0.5,-2]}`,
		"in a mess":        `{"index":2,"embedding":[0.5,-2]},{"index":0,"embedding":[1,0]},{"index":1,"embedding":[0,1]}`,
		"without an index": `{"embedding":[1,0]},{"embedding":[0,1]},{"embedding":[0.5,-2]}`,
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			l := newLab(t)
			l.On(fixtures.Embeddings, fixtures.Raw(200, `{"data":[`+data+`]}`))
			for range 2 {
				v, err := l.embed("a", "b", "c")
				g.Expect(err).NotTo(HaveOccurred())
				g.Expect(v).To(Equal([][]float64{{1, 0}, {0, 1}, {0.5, -2}}))
			}
			g.Expect(l.Asked(fixtures.Any)).To(Equal(1))
			g.Expect(string(l.Requests()[0].Body)).To(Equal(`{"model":"scripted","input":["a","b","c"],"encoding_format":"float"}`))
		})
	}
}

// What is no list of vectors for the texts is an error, and is not kept.
func TestBadVectors(t *testing.T) {
	for name, test := range map[string]struct{ body, want string }{
		"an index twice":       {`{"data":[{"index":1,"embedding":[1]},{"index":1,"embedding":[1]}]}`, "bad vector: index 1 is out of range or came twice for 2 texts"},
		"an index too high":    {`{"data":[{"index":0,"embedding":[1]},{"index":2,"embedding":[1]}]}`, "bad vector: index 2 is out of range or came twice for 2 texts"},
		"an index below":       {`{"data":[{"index":0,"embedding":[1]},{"index":-1,"embedding":[1]}]}`, "bad vector: index -1 is out of range or came twice for 2 texts"},
		"too few":              {`{"data":[{"index":0,"embedding":[1]}]}`, "bad vector: 1 vectors came for 2 texts"},
		"too many":             {`{"data":[{"index":0,"embedding":[1]},{"index":1,"embedding":[1]},{"index":2,"embedding":[1]}]}`, "bad vector: 3 vectors came for 2 texts"},
		"none":                 {`{"data":[]}`, "bad vector: 0 vectors came for 2 texts"},
		"an empty one":         {`{"data":[{"index":0,"embedding":[1]},{"index":1,"embedding":[]}]}`, "bad vector: it is empty"},
		"null":                 {`{"data":[{"index":0,"embedding":[1]},{"index":1,"embedding":null}]}`, "bad vector: it is empty"},
		"different dimensions": {`{"data":[{"index":0,"embedding":[1,2]},{"index":1,"embedding":[1]}]}`, "bad vector: vector 2 has 1 dimensions, vector 1 has 2"},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			l := newLab(t)
			l.On(fixtures.Embeddings, fixtures.Raw(200, test.body))
			_, err := l.embed("a", "b")
			g.Expect(err).To(MatchError(ragtest.ErrBadVector))
			g.Expect(err.Error()).To(Equal(test.want))

			l.On(fixtures.Embeddings, fixtures.Vectors([]float64{1}, []float64{2}))
			v, err := l.embed("a", "b")
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(v).To(Equal([][]float64{{1}, {2}}))
			g.Expect(l.Requests()[1].Input()).To(Equal([]string{"a", "b"}))
		})
	}
}

// Components that are no finite float32 are no JSON that can be decoded: an
// error that is not tried again, as the server meant what it sent.
func TestNoNumberInAVector(t *testing.T) {
	for _, component := range []string{"NaN", "Infinity", "1e39", `"x"`} {
		synctest.Test(t, func(t *testing.T) {
			g := NewWithT(t)
			s := &server{answers: []func(*http.Request) (*http.Response, error){status(200, `{"data":[{"index":0,"embedding":[`+component+`]}]}`)}}
			_, err := ragtest.NewEmbedder(dialled(s), "m").CachedIn(off(t)).Embed(t.Context(), "x")
			var call *ragtest.CallError
			g.Expect(asError(err, &call)).To(BeTrue(), "%v", err)
			g.Expect(err.Error()).To(HavePrefix("call to m at localhost failed: status 200: the answer cannot be read ("))
			g.Expect(s.asked).To(HaveLen(1), component)
		})
	}
}

// Vectors are what the server sent, to the last bit of a float32, and are
// computed with as float64.
func TestVectorsAreExact(t *testing.T) {
	g := NewWithT(t)
	l := newLab(t)
	l.On(fixtures.Embeddings, fixtures.Raw(200, `{"data":[{"index":0,"embedding":[3e38,-3e38,0.1,1e-45,0]}]}`))
	for range 2 {
		v, err := l.embed("x")
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(v).To(Equal([][]float64{{float64(float32(3e38)), -float64(float32(3e38)), float64(float32(0.1)), math.SmallestNonzeroFloat32, 0}}))
		g.Expect(math.IsInf(v[0][0]*v[0][0], 0)).To(BeFalse())
	}
	g.Expect(l.Asked(fixtures.Any)).To(Equal(1))
}

// A batch is one call for what is not known, each text once; what is kept is
// kept for each text.
func TestEmbedAsksForWhatIsNotKnown(t *testing.T) {
	g := NewWithT(t)
	l := newLab(t)
	l.On(fixtures.Embeddings,
		fixtures.Vectors([]float64{1}, []float64{2}),
		fixtures.Vectors([]float64{3}, []float64{4}))
	v, err := l.embed("b", "d", "b")
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(v).To(Equal([][]float64{{1}, {2}, {1}}))

	v, err = l.embed("a", "b", "c", "d", "a")
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(v).To(Equal([][]float64{{3}, {1}, {4}, {2}, {3}}))

	v, err = l.embed("d", "c")
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(v).To(Equal([][]float64{{2}, {4}}))

	g.Expect(l.Asked(fixtures.Any)).To(Equal(2))
	g.Expect(l.Requests()[0].Input()).To(Equal([]string{"b", "d"}))
	g.Expect(l.Requests()[1].Input()).To(Equal([]string{"a", "c"}))

	v, err = l.embed()
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(v).To(BeEmpty())
}

// What another package has paid for is in the store, and is not asked for again
// either.
func TestEmbedKnowsTheStore(t *testing.T) {
	g := NewWithT(t)
	l := newLab(t)
	home := t.TempDir()
	l.On(fixtures.Embeddings, fixtures.Vectors([]float64{1}, []float64{2}), fixtures.Vectors([]float64{3}, []float64{4}))
	embed := func(texts ...string) [][]float64 { // as a package of its own
		c := openCache(t, cache.Options{Dir: t.TempDir(), Home: home, Mode: cache.Auto})
		v, err := l.Judge.Embedder().CachedIn(c).Embed(t.Context(), texts...)
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(c.Close()).To(Succeed())
		return v
	}
	g.Expect(embed("b", "d")).To(Equal([][]float64{{1}, {2}}))
	g.Expect(embed("a", "b", "c", "d")).To(Equal([][]float64{{3}, {1}, {4}, {2}}))
	g.Expect(l.Asked(fixtures.Any)).To(Equal(2))
	g.Expect(l.Requests()[1].Input()).To(Equal([]string{"a", "c"}))
}

// In the other modes the batch is what Do would ask for.
func TestEmbedInOtherModes(t *testing.T) {
	g := NewWithT(t)
	l := newLab(t)
	l.On(fixtures.Embeddings, fixtures.Vectors([]float64{1}, []float64{2}))
	_, err := l.embed("a", "b")
	g.Expect(err).NotTo(HaveOccurred())
	embed := func(mode cache.Mode, texts ...string) ([][]float64, error) {
		c := l.cache(mode)
		defer c.Close()
		return l.Judge.Embedder().CachedIn(c).Embed(t.Context(), texts...)
	}

	v, err := embed(cache.Replay, "b", "a")
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(v).To(Equal([][]float64{{2}, {1}}))
	_, err = embed(cache.Replay, "b", "c")
	g.Expect(err).To(MatchError(cache.ErrMiss))
	g.Expect(l.Asked(fixtures.Any)).To(Equal(1))

	for _, mode := range []cache.Mode{cache.Refresh, cache.Verify, cache.Off} {
		l.On(fixtures.Embeddings, fixtures.Vectors([]float64{1}, []float64{2}))
		_, err = embed(mode, "a", "b")
		g.Expect(err).NotTo(HaveOccurred(), string(mode))
		requests := l.Requests()
		g.Expect(requests[len(requests)-1].Input()).To(Equal([]string{"a", "b"}), string(mode))
	}
	g.Expect(l.Asked(fixtures.Any)).To(Equal(4))
}

// Dimensions must agree across what is replayed and what is asked for, too.
func TestDimensionsAcrossRuns(t *testing.T) {
	g := NewWithT(t)
	l := newLab(t)
	l.On(fixtures.Embeddings, fixtures.Vectors([]float64{1, 2}), fixtures.Vectors([]float64{1}))
	_, err := l.embed("a")
	g.Expect(err).NotTo(HaveOccurred())
	_, err = l.embed("a", "b")
	g.Expect(err).To(MatchError(ragtest.ErrBadVector))
	g.Expect(err.Error()).To(Equal("bad vector: text 2 has 1 dimensions, text 1 has 2"))
}

// An embedder is named and keyed as a judge is; errors of the server are the
// same.
func TestEmbedderIdentity(t *testing.T) {
	g := NewWithT(t)
	l := newLab(t)
	l.On(fixtures.Embeddings, fixtures.Vectors([]float64{1}), fixtures.Vectors([]float64{2}), fixtures.Error(401, "invalid_api_key", "bad key"))
	e := l.Judge.Embedder().CachedIn(l.cache(cache.Auto))
	for i, e := range []*ragtest.Embedder{e, e.Named("other"), e} {
		v, err := e.Embed(t.Context(), "x")
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(v).To(Equal([][][]float64{{{1}}, {{2}}, {{1}}}[i]))
	}
	_, err := e.Embed(t.Context(), "y")
	g.Expect(err).To(MatchError("call to scripted at localhost failed: status 401 (invalid_api_key): bad key"))
	g.Expect(e.Model()).To(Equal("scripted"))

	_, err = l.Judge.Judge().Embedder()
	g.Expect(err).To(MatchError(ContainSubstring("WithEmbedder(ragtest.OpenAIEmbedder(")))
	with, err := l.Judge.Judge().WithEmbedder(e).Embedder()
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(with).To(BeIdenticalTo(e))
}

// A long text is embedded whole.
func TestEmbedALongText(t *testing.T) {
	g := NewWithT(t)
	l := newLab(t)
	l.On(fixtures.Embeddings, fixtures.Vectors([]float64{1}))
	long := strings.Repeat("é", 100_000)
	_, err := l.embed(long)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(l.Requests()[0].Input()).To(Equal([]string{long}))
}
