package ragtest_test

import (
	"fmt"
	"strings"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/ragomega/ragomega/cache"
	"github.com/ragomega/ragomega/fixtures"
	"github.com/ragomega/ragomega/ragtest"
)

// five are the metrics that a suite measures together.
var five = []ragtest.Metric{
	ragtest.Faithfulness, ragtest.AnswerRelevance, ragtest.ContextPrecision, ragtest.ContextRecall, ragtest.AnswerCorrectness,
}

// measureAll measures every metric with one cache, as a suite does.
func measureAll(t testing.TB, j *fixtures.Judge, c *cache.Cache, metrics []ragtest.Metric, s ragtest.Sample) []ragtest.Score {
	t.Helper()
	judge := j.Judge().CachedIn(c).WithEmbedder(j.Embedder().CachedIn(c))
	var scores []ragtest.Score
	for _, m := range metrics {
		score, err := judge.Measure(t.Context(), m, s)
		if err != nil {
			t.Fatal(err)
		}
		scores = append(scores, score)
	}
	return scores
}

// For a sample with k contexts the five metrics take k+6 calls and two requests
// for embeddings: the claims of a text are asked for once. Ragas takes k+9, and
// about six.
func TestFiveMetricsShareWhatTheyAsk(t *testing.T) {
	for k := 1; k <= 5; k++ {
		t.Run(fmt.Sprintf("%d contexts", k), func(t *testing.T) {
			g := NewWithT(t)
			l := newLab(t)
			agreeable(l.Judge)
			s := bridge
			s.Reference = "It opened in 1932. It is made of steel."
			s.RetrievedContexts = nil
			for i := range k {
				s.RetrievedContexts = append(s.RetrievedContexts, fmt.Sprintf("Context %d has the bridge opened in 1932.", i))
			}
			c := l.cache(cache.Auto)
			measureAll(t, l.Judge, c, five, s)
			g.Expect(c.Close()).To(Succeed())
			g.Expect(l.Asked(fixtures.Embeddings)).To(Equal(2))
			g.Expect(l.Asked("claims")).To(Equal(2))
			g.Expect(l.Asked(fixtures.Any) - 2).To(Equal(k + 6))
		})
	}
}

// The prompts of the five metrics are short: on the samples of testdata they
// have fewer than 4,000 tokens a sample, at four bytes a token. Ragas 0.4.3 sends
// 12,700 on the same samples by the same count, and DeepEval 4.3.1 sends 5,000
// for four metrics.
func TestPromptsAreShort(t *testing.T) {
	g := NewWithT(t)
	samples, err := ragtest.ReadSamples("testdata/dataset.jsonl")
	g.Expect(err).NotTo(HaveOccurred())
	l := newLab(t)
	agreeable(l.Judge)
	c := l.cache(cache.Auto)
	for _, s := range samples {
		measureAll(t, l.Judge, c, five, s)
	}
	tokens := map[string]int{}
	for _, r := range l.Requests() {
		n := 0
		for _, m := range r.Messages() {
			n += (len(m.Content) + 3) / 4
		}
		tokens[r.Step] += n
		tokens["all"] += n
	}
	for step := range tokens {
		tokens[step] /= len(samples)
	}
	t.Logf("prompt tokens a sample: %v", tokens)
	g.Expect(tokens["all"]).To(BeNumerically("<", 4000))
}

// Whatever a text holds, no metric takes it for anything but data: every request
// is a prompt that does not depend on it and one JSON object, the judge's
// verdicts count, and what was measured is replayed.
func TestTextsAreDataForAllMetrics(t *testing.T) {
	for name, text := range hostile {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			l := newLab(t)
			agreeable(l.Judge)
			s := ragtest.Sample{
				UserInput: "What? " + text, Response: "An answer with words. " + text, Reference: "A reference with words. " + text,
				RetrievedContexts: []string{"one", text}, ReferenceContexts: []string{text + "?"},
				Messages:        []ragtest.Message{{Role: "human", Content: text}, {Role: "ai", Content: text}},
				ReferenceTopics: []string{text}, Rubrics: map[string]string{"1": text, "2": "good"},
			}
			plain := bridge
			plain.ReferenceContexts, plain.ReferenceTopics, plain.Rubrics = []string{"one"}, []string{"bridges"}, map[string]string{"1": "bad", "2": "good"}
			plain.Messages = []ragtest.Message{{Role: "human", Content: "Tell me."}, {Role: "ai", Content: "Yes."}}

			c := l.cache(cache.Auto)
			scores := measureAll(t, l.Judge, c, metrics, s)
			g.Expect(c.Close()).To(Succeed())
			prompts := map[string]string{}
			for _, r := range l.Requests() {
				if r.Step == fixtures.Embeddings {
					continue
				}
				m := r.Messages()
				g.Expect(m).To(HaveLen(2))
				var object map[string]any
				g.Expect(r.Data(&object)).To(Succeed())
				prompts[r.Step] = m[0].Content
				g.Expect(m[0].Content).To(HavePrefix("You "))
				g.Expect(m[0].Content).To(ContainSubstring("data"))
			}
			asked := l.Asked(fixtures.Any)
			c = l.cache(cache.Replay)
			for i, again := range measureAll(t, l.Judge, c, metrics, s) {
				g.Expect(again.Value).To(Equal(scores[i].Value))
				g.Expect(again.Verdicts).To(Equal(scores[i].Verdicts))
			}
			g.Expect(l.Asked(fixtures.Any)).To(Equal(asked))

			measureAll(t, l.Judge, l.cache(cache.Auto), metrics, plain)
			for _, r := range l.Requests()[asked:] {
				if r.Step != fixtures.Embeddings {
					g.Expect(r.Messages()[0].Content).To(Equal(prompts[r.Step]), "the prompt of %s depends on the sample", r.Step)
				}
			}
		})
	}
}

// metrics are all that ask a judge or compare embeddings.
var metrics = append([]ragtest.Metric{
	ragtest.ContextUtilization, ragtest.SemanticSimilarity, ragtest.FactualCorrectness, ragtest.ContextEntityRecall,
	ragtest.NoiseSensitivity, ragtest.IrrelevantNoiseSensitivity, ragtest.AnswerAccuracy, ragtest.ContextRelevance, ragtest.ResponseGroundedness,
	ragtest.AspectCritic("polite", "The answer is polite."), ragtest.Criteria("grade", "Grade it from 0 to 5."),
	ragtest.Rubric("quality", map[int]string{0: "bad", 1: "good"}), ragtest.InstanceRubric, ragtest.Summary, ragtest.TopicAdherence,
}, five...)

// BenchmarkReplay scores one sample with 4 KB of contexts by all five metrics,
// from recorded replies. BenchmarkReplayLeast is what no library could do
// without: hash the requests and decode the replies and vectors.
func BenchmarkReplay(b *testing.B) {
	l := &lab{fixtures.NewJudge(b), nil, b.TempDir()}
	agreeable(l.Judge)
	s := ragtest.Sample{
		UserInput: "When did the bridge open, and who drew it?",
		Response:  "The bridge opened in 1932. It was drawn by Ines Calder. It is made of steel. It carries two tracks.",
		Reference: "The bridge opened in 1932. Ines Calder drew it.",
	}
	for i := range 4 {
		s.RetrievedContexts = append(s.RetrievedContexts, strings.Repeat(fmt.Sprintf("Section %d of the report says when it opened. ", i), 22))
	}
	open := func(mode cache.Mode) *cache.Cache {
		c, err := cache.Open(cache.Options{Dir: l.dir, Home: b.TempDir(), Mode: mode})
		if err != nil {
			b.Fatal(err)
		}
		return c
	}
	c := open(cache.Auto)
	measureAll(b, l.Judge, c, five, s)
	if err := c.Close(); err != nil {
		b.Fatal(err)
	}
	c = open(cache.Replay)
	measureAll(b, l.Judge, c, five, s) // reads the recording
	b.ReportAllocs()
	for b.Loop() {
		measureAll(b, l.Judge, c, five, s)
	}
}
