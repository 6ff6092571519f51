package ragtest_test

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"

	. "github.com/onsi/gomega"
	openai "github.com/sashabaranov/go-openai"

	"github.com/ragomega/ragomega/cache"
	"github.com/ragomega/ragomega/fixtures"
	"github.com/ragomega/ragomega/ragtest"
)

// measureEmbedded is measure with an embedder.
func (l *lab) measureEmbedded(m ragtest.Metric, s ragtest.Sample) (ragtest.Score, error) {
	l.t.Helper()
	c := l.cache(cache.Auto)
	score, err := l.Judge.Judge().CachedIn(c).WithEmbedder(l.Judge.Embedder().CachedIn(c)).Measure(l.t.Context(), m, s)
	NewWithT(l.t).Expect(c.Close()).To(Succeed())
	return score, err
}

// embedded are the metrics that compare embeddings, each with the replies that
// lead it to them. Both texts that are compared are in bridge.
var embedded = map[string]struct {
	metric ragtest.Metric
	script func(*lab)
	texts  []string // that are embedded, in order
}{
	"answer relevance": {
		ragtest.AnswerRelevance.Questions(1),
		func(l *lab) { l.On("questions", written{"When was it opened?", false}.reply()) },
		[]string{bridge.UserInput, "When was it opened?"},
	},
	"semantic similarity": {ragtest.SemanticSimilarity, func(*lab) {}, []string{bridge.Response, bridge.Reference}},
	"a threshold":         {ragtest.SemanticSimilarity.Threshold(-1), func(*lab) {}, []string{bridge.Response, bridge.Reference}},
	"answer correctness": {
		ragtest.AnswerCorrectness,
		func(l *lab) {
			l.On("claims", fixtures.Claims("It opened in 1932."), fixtures.Claims("It opened in 1932."))
			l.On("compare", matches([]bool{true}, []bool{true}))
		},
		[]string{bridge.Response, bridge.Reference},
	},
}

// Without an embedder there is no score, and nothing is paid for on the way to
// where it is missed.
func TestEmbedderMissing(t *testing.T) {
	for name, test := range embedded {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			l := newLab(t)
			test.script(l)
			score, err := l.measure(l.Judge.Judge(), test.metric, bridge)
			g.Expect(score).To(BeZero())
			g.Expect(err).To(MatchError(ContainSubstring("no embedder: this metric compares embeddings")))
			g.Expect(l.Asked(fixtures.Any)).To(BeZero())
		})
	}
}

// Vectors that have no cosine are an error, never a score of 0.
func TestVectorsWithoutCosine(t *testing.T) {
	for name, test := range map[string]struct {
		reply fixtures.Reply
		want  string
	}{
		"dimensions":       {fixtures.Vectors([]float64{1, 2}, []float64{1}), "bad vector: vector 2 has 1 dimensions, vector 1 has 2"},
		"a zero vector":    {fixtures.Vectors([]float64{0, 0}, []float64{1, 2}), `bad vector: that of %q has the length 0`},
		"beyond a float32": {fixtures.Vectors([]float64{1, 2}, []float64{1e39, 1}), "bad vector: call to scripted at localhost failed: status 200: the answer cannot be read"},
		"below a float32":  {fixtures.Vectors([]float64{1e-60, 0}, []float64{1, 2}), `bad vector: that of %q has the length 0`},
		"no vector at all": {fixtures.Vectors(nil, nil), "bad vector: it is empty"},
	} {
		for metric, m := range embedded {
			t.Run(metric+", "+name, func(t *testing.T) {
				g := NewWithT(t)
				l := newLab(t)
				m.script(l)
				l.On(fixtures.Embeddings, test.reply)
				score, err := l.measureEmbedded(m.metric, bridge)
				g.Expect(score).To(BeZero())
				g.Expect(err).To(MatchError(ragtest.ErrBadVector))
				want := test.want
				if name == "a zero vector" || name == "below a float32" {
					want = fmt.Sprintf(test.want, m.texts[0])
				}
				g.Expect(err).To(MatchError(ContainSubstring(want)))
			})
		}
	}
}

// The vectors come in one request, and with them and what the judge said the
// same score is replayed.
func TestEmbeddingsAreAskedForOnce(t *testing.T) {
	for name, test := range embedded {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			l := newLab(t)
			test.script(l)
			l.On(fixtures.Embeddings, fixtures.Vectors([]float64{3, 4}, []float64{1, 0}))
			score, err := l.measureEmbedded(test.metric, bridge)
			g.Expect(err).NotTo(HaveOccurred())
			asked := l.Asked(fixtures.Any)
			g.Expect(l.Asked(fixtures.Embeddings)).To(Equal(1))
			for _, r := range l.Requests() {
				if r.Step == fixtures.Embeddings {
					g.Expect(r.Input()).To(Equal(test.texts))
				}
			}

			again, err := l.measureEmbedded(test.metric, bridge)
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(again.Value).To(Equal(score.Value))
			g.Expect(again.Verdicts).To(Equal(score.Verdicts))
			g.Expect(l.Asked(fixtures.Any)).To(Equal(asked))
		})
	}
}

// dictionary embeds texts within the process.
type dictionary map[string][]float32

func (d dictionary) CreateEmbeddings(_ context.Context, r openai.EmbeddingRequestConverter) (openai.EmbeddingResponse, error) {
	var resp openai.EmbeddingResponse
	for i, text := range r.Convert().Input.([]string) {
		resp.Data = append(resp.Data, openai.Embedding{Index: i, Embedding: d[text]})
	}
	return resp, nil
}

// inProcess is a judge that answers with replies, by the step, and whose
// embedder has these vectors.
func inProcess(c *cache.Cache, d dictionary, replies func(step, data string) string) *ragtest.Judge {
	judge := clientFunc(func(_ context.Context, r chatRequest) (chatResponse, error) {
		return reply(replies(r.ResponseFormat.JSONSchema.Name, r.Messages[1].Content)), nil
	})
	e := ragtest.NewEmbedderClient(d, "here", "m").CachedIn(c)
	return ragtest.NewJudgeClient(judge, "here", "m").CachedIn(c).WithEmbedder(e)
}

// written is an entry of the reply to the step "questions".
type written struct {
	Question     string `json:"question"`
	Noncommittal bool   `json:"noncommittal"`
}

func (w written) reply() fixtures.Reply { return fixtures.Text(questions(w)) }

// questions is the text of a reply to the step "questions".
func questions(entries ...written) string {
	byKey := map[string]written{}
	for i, e := range entries {
		byKey[fmt.Sprint(i+1)] = e
	}
	text, err := json.Marshal(byKey)
	if err != nil {
		panic(err) // it is made of texts
	}
	return string(text)
}
