package ragtest_test

import (
	"fmt"
	"sync"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	"pgregory.net/rapid"

	"github.com/ragomega/ragomega/cache"
	"github.com/ragomega/ragomega/fixtures"
	"github.com/ragomega/ragomega/ragtest"
)

// ratedMetric is a metric of two ratings, with its steps.
type ratedMetric struct {
	metric        ragtest.Metric
	first, second string
	ratings       []int
}

var ratedMetrics = []ratedMetric{
	{ragtest.AnswerAccuracy, "accuracy", "accuracy_swapped", []int{0, 2, 4}},
	{ragtest.ContextRelevance, "relevance", "relevance_reworded", []int{0, 1, 2}},
	{ragtest.ResponseGroundedness, "groundedness", "groundedness_reworded", []int{0, 1, 2}},
}

// within is a judge within the process that answers each step with the same
// text.
func within(c *cache.Cache, replies map[string]string) *ragtest.Judge {
	return ragtest.NewJudgeClient(clientFunc(func(_ ctx, r chatRequest) (chatResponse, error) {
		return reply(replies[r.ResponseFormat.JSONSchema.Name]), nil
	}), "here", "m").CachedIn(c)
}

// answeredTogether is a judge within the process that answers nobody before n requests
// are in flight.
func answeredTogether(t *testing.T, n int, replies map[string]string) *ragtest.Judge {
	var mu sync.Mutex
	all := make(chan struct{})
	return ragtest.NewJudgeClient(clientFunc(func(_ ctx, r chatRequest) (chatResponse, error) {
		name := r.ResponseFormat.JSONSchema.Name
		if replies[name] == "" {
			return reply(`{"topics":["a"]}`), nil // a step before
		}
		mu.Lock()
		if n--; n == 0 {
			close(all)
		}
		mu.Unlock()
		select {
		case <-all:
			return reply(replies[name]), nil
		case <-time.After(10 * time.Second):
			return reply("alone"), nil
		}
	}), "here", "m").CachedIn(off(t))
}

func ratingReply(n int) string { return fmt.Sprintf(`{"reason":"r%d","rating":%d}`, n, n) }

// Each wording is a verdict with its rating and the judge's reason. What was
// measured is replayed.
func TestRatingsAreEvidence(t *testing.T) {
	for _, m := range ratedMetrics {
		t.Run(m.metric.Name(), func(t *testing.T) {
			g := NewWithT(t)
			l := newLab(t)
			l.On(m.first, fixtures.Text(ratingReply(m.ratings[2]))).On(m.second, fixtures.Text(ratingReply(m.ratings[1])))
			score, err := l.measure(l.Judge.Judge(), m.metric, bridge)
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(score.Value).To(Equal(0.75))
			g.Expect(score.Verdicts).To(HaveLen(2))
			best, middle := score.Verdicts[0], score.Verdicts[1]
			g.Expect([]any{best.Part, best.OK, best.Value, best.Reason}).To(Equal([]any{m.first, true, float64(m.ratings[2]), fmt.Sprintf("r%d", m.ratings[2])}))
			g.Expect([]any{middle.Part, middle.OK, middle.Value, middle.Reason}).To(Equal([]any{m.second, false, float64(m.ratings[1]), fmt.Sprintf("r%d", m.ratings[1])}))
			g.Expect(best.Claim).NotTo(BeEmpty())
			g.Expect(score.Exchanges[0].Step).To(Equal(m.first + "/v1"))
			g.Expect(score.Exchanges[1].Step).To(Equal(m.second + "/v1"))

			again, err := l.measure(l.Judge.Judge(), m.metric, bridge)
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(again.Verdicts).To(Equal(score.Verdicts))
			g.Expect(l.Asked(fixtures.Any)).To(Equal(2))
		})
	}
}

// The judge sees what the metric is about, and nothing else of the sample.
func TestWhatIsRated(t *testing.T) {
	sent := func(t *testing.T, m ratedMetric) (first, second fixtures.Request) {
		l := newLab(t)
		l.On(m.first, fixtures.Text(ratingReply(0))).On(m.second, fixtures.Text(ratingReply(0)))
		_, err := l.measure(l.Judge.Judge(), m.metric, bridge)
		NewWithT(t).Expect(err).NotTo(HaveOccurred())
		for _, r := range l.Requests() {
			if r.Step == m.first {
				first = r
			} else {
				second = r
			}
			NewWithT(t).Expect(string(r.Body)).To(ContainSubstring(fmt.Sprintf(`"rating":{"type":"integer","enum":[%d,%d,%d]}`, m.ratings[0], m.ratings[1], m.ratings[2])))
		}
		return first, second
	}
	t.Run("accuracy", func(t *testing.T) {
		g := NewWithT(t)
		first, second := sent(t, ratedMetrics[0])
		var a struct{ Question, Answer, Reference string }
		exactly(g, first, &a, "question", "answer", "reference")
		g.Expect([]string{a.Question, a.Answer, a.Reference}).To(Equal([]string{bridge.UserInput, bridge.Response, bridge.Reference}))
		var b struct{ Question, Candidate, Standard string }
		exactly(g, second, &b, "question", "candidate", "standard")
		g.Expect([]string{b.Question, b.Candidate, b.Standard}).To(Equal([]string{bridge.UserInput, bridge.Reference, bridge.Response}))
	})
	t.Run("relevance", func(t *testing.T) {
		g := NewWithT(t)
		first, second := sent(t, ratedMetrics[1])
		for _, r := range []fixtures.Request{first, second} {
			var a struct {
				Question  string
				Documents []string
			}
			exactly(g, r, &a, "question", "documents")
			g.Expect(a.Question).To(Equal(bridge.UserInput))
			g.Expect(a.Documents).To(Equal(bridge.RetrievedContexts))
		}
		g.Expect(first.Messages()[0]).NotTo(Equal(second.Messages()[0]))
	})
	t.Run("groundedness", func(t *testing.T) {
		g := NewWithT(t)
		first, second := sent(t, ratedMetrics[2])
		for _, r := range []fixtures.Request{first, second} {
			var a struct {
				Answer    string
				Documents []string
			}
			exactly(g, r, &a, "answer", "documents")
			g.Expect(a.Answer).To(Equal(bridge.Response))
			g.Expect(a.Documents).To(Equal(bridge.RetrievedContexts))
		}
		g.Expect(first.Messages()[0]).NotTo(Equal(second.Messages()[0]))
	})
}

// A reply that is no rating of the scale is sent back once; what comes then
// counts, or the measurement fails and nothing is kept.
func TestBadRatings(t *testing.T) {
	for name, test := range map[string]struct{ reply, says string }{
		"off the scale": {`{"reason":"r","rating":3}`, "expected a rating of 0, 2 or 4, got 3"},
		"negative":      {`{"reason":"r","rating":-2}`, "got -2"},
		"a fraction":    {`{"reason":"r","rating":2.5}`, "expected JSON of the schema"},
		"a text":        {`{"reason":"r","rating":"4"}`, "expected JSON of the schema"},
		"a truth":       {`{"reason":"r","rating":true}`, "expected JSON of the schema"},
		"null":          {`{"reason":"r","rating":null}`, `expected the field "rating"`},
		"none":          {`{"reason":"4"}`, `expected the field "rating", got the field "reason"`},
		"a digit":       {`4`, "expected a JSON object"},
		"prose":         {`The rating is 4.`, "expected a JSON object"},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			l := newLab(t)
			l.On("accuracy", fixtures.Text(test.reply), fixtures.Text(test.reply), fixtures.Text(test.reply), fixtures.Text(ratingReply(4)))
			l.On("accuracy_swapped", fixtures.Text(ratingReply(4)))
			score, err := l.measure(l.Judge.Judge(), ragtest.AnswerAccuracy, bridge)
			g.Expect(score).To(BeZero())
			g.Expect(err).To(MatchError(ragtest.ErrMalformed))
			g.Expect(err).To(MatchError(ContainSubstring("in step accuracy/v1")))
			g.Expect(err).To(MatchError(ContainSubstring(test.says)))

			score, err = l.measure(l.Judge.Judge(), ragtest.AnswerAccuracy, bridge)
			g.Expect(err).NotTo(HaveOccurred(), "the repair")
			g.Expect(score.Value).To(Equal(1.0))
			g.Expect(l.Asked("accuracy")).To(Equal(4))
			g.Expect(l.Asked("accuracy_swapped")).To(Equal(1), "its reply was kept")
		})
	}
}

func TestRatingsAreAskedForAtOnce(t *testing.T) {
	for _, m := range ratedMetrics {
		j := answeredTogether(t, 2, map[string]string{m.first: ratingReply(0), m.second: ratingReply(0)})
		_, err := j.Measure(t.Context(), m.metric, bridge)
		NewWithT(t).Expect(err).NotTo(HaveOccurred())
	}
}

func TestRatingsNeed(t *testing.T) {
	s := func(change func(*ragtest.Sample)) ragtest.Sample {
		s := bridge
		change(&s)
		return s
	}
	noQuestion := s(func(s *ragtest.Sample) { s.UserInput = " " })
	noAnswer := s(func(s *ragtest.Sample) { s.Response = "\u200b" })
	noReference := s(func(s *ragtest.Sample) { s.Reference = "" })
	noContext := s(func(s *ragtest.Sample) { s.RetrievedContexts = []string{""} })
	for _, test := range []struct {
		metric ragtest.Metric
		sample ragtest.Sample
		field  string
	}{
		{ragtest.AnswerAccuracy, noQuestion, "UserInput"},
		{ragtest.AnswerAccuracy, noAnswer, "Response"},
		{ragtest.AnswerAccuracy, noReference, "Reference"},
		{ragtest.ContextRelevance, noQuestion, "UserInput"},
		{ragtest.ContextRelevance, noContext, "RetrievedContexts"},
		{ragtest.ResponseGroundedness, noAnswer, "Response"},
		{ragtest.ResponseGroundedness, noContext, "RetrievedContexts"},
	} {
		needsField(t, test.metric, test.sample, test.field)
	}
}

// needsField expects that a field is missing, and nothing is asked.
func needsField(t *testing.T, m ragtest.Metric, s ragtest.Sample, field string) {
	t.Helper()
	g := NewWithT(t)
	l := newLab(t)
	score, err := l.measure(l.Judge.Judge(), m, s)
	g.Expect(score).To(BeZero())
	g.Expect(err).To(MatchError(ragtest.ErrMissingInput))
	var input *ragtest.InputError
	g.Expect(asError(err, &input)).To(BeTrue())
	g.Expect(input.Field).To(Equal(field), m.Name())
	g.Expect(l.Asked(fixtures.Any)).To(BeZero())
}

// The score is within its range, is the same whichever wording gave which
// rating, and rises with each rating.
func TestRatingsRapid(t *testing.T) {
	c := off(t)
	rapid.Check(t, func(rt *rapid.T) {
		m := rapid.SampledFrom(ratedMetrics).Draw(rt, "metric")
		measure := func(a, b int) float64 {
			score, err := within(c, map[string]string{m.first: ratingReply(m.ratings[a]), m.second: ratingReply(m.ratings[b])}).Measure(t.Context(), m.metric, bridge)
			if err != nil {
				rt.Fatal(err)
			}
			return score.Value
		}
		a, b := rapid.IntRange(0, 2).Draw(rt, "first"), rapid.IntRange(0, 2).Draw(rt, "second")
		lowest, highest := m.metric.(interface{ Range() (float64, float64) }).Range()
		v := measure(a, b)
		if v < lowest || v > highest || (v == highest) != (a == 2 && b == 2) || (v == lowest) != (a == 0 && b == 0) {
			rt.Fatalf("score %v of %d and %d", v, a, b)
		}
		if w := measure(b, a); w != v {
			rt.Fatalf("%v the other way round, not %v", w, v)
		}
		if a < 2 {
			if w := measure(a+1, b); w <= v {
				rt.Fatalf("%v with a better rating than for %v", w, v)
			}
		}
	})
}
