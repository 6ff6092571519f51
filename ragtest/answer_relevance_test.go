package ragtest_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	. "github.com/onsi/gomega"
	"pgregory.net/rapid"

	"github.com/ragomega/ragomega/cache"
	"github.com/ragomega/ragomega/fixtures"
	"github.com/ragomega/ragomega/ragtest"
)

var opened = []written{{"When was it opened?", false}, {"What opened in 1932?", true}, {"In which year did it open?", false}}

// vectors of the question and of those in opened.
var openedVectors = fixtures.Vectors([]float64{1, 0}, []float64{3, 4}, []float64{0, 1}, []float64{-4, 3})

func TestAnswerRelevance(t *testing.T) {
	g := NewWithT(t)
	l := newLab(t)
	l.On("questions", fixtures.Text(questions(opened...))).On(fixtures.Embeddings, openedVectors)
	score, err := l.measureEmbedded(ragtest.AnswerRelevance, bridge)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(score.Metric).To(Equal("answer_relevance"))
	g.Expect(score.Value).To(BeNumerically("~", (0.6+0-0.8)/3, 1e-12))
	g.Expect(score.Verdicts).To(Equal([]ragtest.Verdict{
		{Claim: "When was it opened?", OK: true, Value: 3 / 5.0},
		{Claim: "What opened in 1932?", OK: false, Value: 0, Reason: "the answer is evasive"},
		{Claim: "In which year did it open?", OK: true, Value: -4 / 5.0},
	}))

	// The judge sees the answer, and neither the question nor anything else.
	g.Expect(l.Asked(fixtures.Any)).To(Equal(2))
	var asked struct {
		Questions int
		Text      string
	}
	exactly(g, l.Requests()[0], &asked, "questions", "text")
	g.Expect(asked.Questions).To(Equal(3))
	g.Expect(asked.Text).To(Equal(bridge.Response))
	for _, m := range l.Requests()[0].Messages() {
		g.Expect(m.Content).NotTo(ContainSubstring(bridge.UserInput))
		g.Expect(m.Content).NotTo(ContainSubstring(bridge.Reference))
	}
	g.Expect(score.Exchanges).To(HaveLen(1))
	g.Expect(score.Exchanges[0].Step).To(Equal("questions/v1"))
}

// Another question finds the answer's questions known; another number of them is
// asked for anew.
func TestAnswerRelevanceReusesQuestions(t *testing.T) {
	g := NewWithT(t)
	l := newLab(t)
	l.On("questions", fixtures.Text(questions(opened...)), opened[0].reply()).
		On(fixtures.Embeddings, openedVectors, fixtures.Vectors([]float64{0, 5}))
	_, err := l.measureEmbedded(ragtest.AnswerRelevance, bridge)
	g.Expect(err).NotTo(HaveOccurred())

	other := bridge
	other.UserInput = "Who built it?"
	score, err := l.measureEmbedded(ragtest.AnswerRelevance, other)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(score.Value).To(BeNumerically("~", (0.8+1+0.6)/3, 1e-12))
	g.Expect(l.Asked("questions")).To(Equal(1))
	g.Expect(l.Requests()[2].Input()).To(Equal([]string{"Who built it?"}))

	score, err = l.measureEmbedded(ragtest.AnswerRelevance.Questions(1), bridge)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(score.Value).To(BeNumerically("~", 0.6, 1e-12))
	g.Expect(l.Asked("questions")).To(Equal(2))
	g.Expect(l.Asked(fixtures.Embeddings)).To(Equal(2))
	g.Expect(score.Metric).To(Equal("answer_relevance"))
}

// An answer that is evasive in all questions scores exactly 0: no embeddings are
// asked for.
func TestEvasiveAnswer(t *testing.T) {
	g := NewWithT(t)
	l := newLab(t)
	l.On("questions", fixtures.Text(questions(written{"A question?", true}, written{"B question?", true}, written{"C question?", true})))
	score, err := l.measureEmbedded(ragtest.AnswerRelevance, bridge)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(score.Value).To(BeZero())
	g.Expect(math.Signbit(score.Value)).To(BeFalse())
	g.Expect(score.Verdicts).To(HaveLen(3))
	g.Expect(score.Verdicts[2]).To(Equal(ragtest.Verdict{Claim: "C question?", Reason: "the answer is evasive"}))
	g.Expect(l.Asked(fixtures.Any)).To(Equal(1))
}

// Replies that are no questions are errors, and no embeddings are paid for.
func TestBadQuestions(t *testing.T) {
	const good = `{"question":"When was it?","noncommittal":false}`
	for name, test := range map[string]struct {
		reply string
		kind  error
		want  string
	}{
		"too few":              {`{"1":` + good + `}`, ragtest.ErrMiscounted, "expected one entry for each of 2 questions, got none for 2"},
		"too many":             {`{"1":` + good + `,"2":` + good + `,"3":` + good + `}`, ragtest.ErrMiscounted, "got one for 3, not asked about"},
		"a blank question":     {`{"1":` + good + `,"2":{"question":" \u200b","noncommittal":false}}`, ragtest.ErrMalformed, `expected a "question" in every entry, got none in entry 2`},
		"no question":          {`{"1":` + good + `,"2":{"noncommittal":true}}`, ragtest.ErrMalformed, "got none in entry 2"},
		"no flag":              {`{"1":{"question":"When was it?"},"2":` + good + `}`, ragtest.ErrMalformed, `expected "noncommittal" in every entry, got none in entry 1`},
		"a flag of 2":          {`{"1":` + good + `,"2":{"question":"When?","noncommittal":2}}`, ragtest.ErrMalformed, "expected true or false, got 2 in entry 2"},
		"the prompt's form":    {`{"1":` + good + `,"2":{"question":"...","noncommittal":false}}`, ragtest.ErrMalformed, "got an example of the prompt in entry 2"},
		"the prompt's example": {`{"1":{"question":"How long does the ferry to Tolma need?","noncommittal":false},"2":` + good + `}`, ragtest.ErrMalformed, "got an example of the prompt in entry 1"},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			l := newLab(t)
			l.On("questions", fixtures.Text(test.reply), fixtures.Text(test.reply))
			score, err := l.measureEmbedded(ragtest.AnswerRelevance.Questions(2), bridge)
			g.Expect(score).To(BeZero())
			g.Expect(err).To(MatchError(test.kind))
			g.Expect(err).To(MatchError(ContainSubstring(test.want)))
			g.Expect(l.Asked(fixtures.Any)).To(Equal(2), "asked, and asked to mend the reply")

			// It was not kept.
			l.On("questions", fixtures.Text(questions(opened[:2]...))).
				On(fixtures.Embeddings, fixtures.Vectors([]float64{1, 0}, []float64{1, 0}, []float64{1, 0}))
			score, err = l.measureEmbedded(ragtest.AnswerRelevance.Questions(2), bridge)
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(score.Value).To(Equal(1.0))
		})
	}
}

func TestAnswerRelevanceIsConfigured(t *testing.T) {
	for _, n := range []int{0, -1} {
		g := NewWithT(t)
		l := newLab(t)
		_, err := l.measureEmbedded(ragtest.AnswerRelevance.Questions(n), bridge)
		g.Expect(err).To(MatchError(ContainSubstring("AnswerRelevance.Questions: at least 1 question is needed, not %d", n)))
		g.Expect(l.Asked(fixtures.Any)).To(BeZero())
	}
	for field, s := range map[string]ragtest.Sample{
		"UserInput": {UserInput: " ", Response: "text"},
		"Response":  {UserInput: "text", Reference: "text"},
	} {
		g := NewWithT(t)
		l := newLab(t)
		_, err := l.measureEmbedded(ragtest.AnswerRelevance, s)
		var input *ragtest.InputError
		g.Expect(asError(err, &input)).To(BeTrue(), "%v", err)
		g.Expect(input.Field).To(Equal(field))
		g.Expect(l.Asked(fixtures.Any)).To(BeZero())
	}
}

// In verify mode a judge that asks other questions has decided otherwise, as the
// vectors are of every word; one that writes its reply otherwise has not.
func TestOtherQuestionsAreDrift(t *testing.T) {
	for reply, drifts := range map[string]int{
		`{"1":{"noncommittal":0, "question":"When was it opened?"}}`:           0,
		`{"1":{"question":"When was it opened?","noncommittal":true}}`:         1,
		`{"1":{"question":"In which year did it open?","noncommittal":false}}`: 1,
	} {
		g := NewWithT(t)
		l := newLab(t)
		l.On("questions", opened[0].reply(), fixtures.Text(reply)).
			Embeds(map[string][]float64{bridge.UserInput: {1}, opened[0].Question: {1}, opened[2].Question: {1}})
		_, err := l.measureEmbedded(ragtest.AnswerRelevance.Questions(1), bridge)
		g.Expect(err).NotTo(HaveOccurred())
		c := l.cache(cache.Verify)
		_, err = l.Judge.Judge().CachedIn(c).WithEmbedder(l.Judge.Embedder().CachedIn(c)).
			Measure(t.Context(), ragtest.AnswerRelevance.Questions(1), bridge)
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(l.Asked("questions")).To(Equal(2))
		g.Expect(c.Drifts()).To(HaveLen(drifts), reply)
	}
}

// Whatever the vectors, the score is the mean of the similarities, lies within
// the range and does not depend on the order of the questions; without a
// question that the answer does not evade it is 0.
func TestAnswerRelevanceProperties(t *testing.T) {
	c := off(t)
	rapid.Check(t, func(t *rapid.T) {
		d := rapid.IntRange(1, 8).Draw(t, "dimensions")
		n := rapid.IntRange(1, 6).Draw(t, "questions")
		s := ragtest.Sample{UserInput: "the question", Response: "the answer"}
		vectors := dictionary{s.UserInput: drawVector(t, d, s.UserInput)}
		entries := make([]written, n)
		for i := range entries {
			entries[i] = written{fmt.Sprintf("question %d", i), rapid.Bool().Draw(t, "evasive")}
			vectors[entries[i].Question] = vectors[s.UserInput]
			if rapid.Bool().Draw(t, "different") {
				vectors[entries[i].Question] = drawVector(t, d, entries[i].Question)
			}
		}
		measure := func() ragtest.Score {
			j := inProcess(c, vectors, func(string, string) string { return questions(entries...) })
			score, err := j.Measure(t.Context(), ragtest.AnswerRelevance.Questions(n), s)
			if err != nil {
				t.Fatal(err)
			}
			return score
		}
		score := measure()
		if lowest, highest := ragtest.AnswerRelevance.Range(); score.Value < lowest || score.Value > highest {
			t.Fatalf("%v lies beyond %v to %v", score.Value, lowest, highest)
		}
		mean := 0.0
		for _, v := range score.Verdicts {
			mean += v.Value / float64(n)
		}
		if math.Abs(score.Value-mean) > 1e-12 {
			t.Fatalf("%v is not the mean %v", score.Value, mean)
		}
		if !slices.ContainsFunc(entries, func(e written) bool { return !e.Noncommittal }) && score.Value != 0 {
			t.Fatalf("%v for an evasive answer", score.Value)
		}
		slices.Reverse(entries)
		if other := measure().Value; math.Abs(other-score.Value) > 1e-12 {
			t.Fatalf("%v in one order, %v in the other", score.Value, other)
		}
	})
}
