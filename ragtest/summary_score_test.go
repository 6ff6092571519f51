package ragtest_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	. "github.com/onsi/gomega"
	"pgregory.net/rapid"

	"github.com/ragomega/ragomega/cache"
	"github.com/ragomega/ragomega/fixtures"
	"github.com/ragomega/ragomega/ragtest"
)

var digest = ragtest.Sample{
	Name:              "digest",
	UserInput:         "not shown",
	Response:          "The bridge opened in 1932.",
	Reference:         "not shown",
	RetrievedContexts: []string{"not shown"},
	ReferenceContexts: []string{"The bridge opened in 1932 after eight years of work.", " ", "It carries trains & cars."},
}

// The judge writes the questions without the summary, and answers them without
// the text.
func TestSummaryIsAskedAlone(t *testing.T) {
	g := NewWithT(t)
	l := newLab(t)
	l.On("keyphrases", fixtures.Text(`{"keyphrases":["1932","trains & cars"]}`)).
		On("quiz", fixtures.Text(`{"questions":["Did the bridge open in 1932?","Does the bridge carry trains?"]}`)).
		On("quiz_answers", fixtures.Entries("yes", true, false))
	score, err := l.measure(l.Judge.Judge(), ragtest.Summary, digest)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(score.Metric).To(Equal("summary"))
	g.Expect(score.Verdicts).To(Equal([]ragtest.Verdict{
		{Claim: "Did the bridge open in 1932?", OK: true, Reason: "r"}, {Claim: "Does the bridge carry trains?", Reason: "r"},
	}))
	whole := "The bridge opened in 1932 after eight years of work.\nIt carries trains & cars."
	g.Expect(score.Value).To(Equal(0.5*0.5 + (1-26.0/float64(len(whole)))*0.5))

	var text struct{ Text string }
	exactly(g, l.Requests()[0], &text, "text")
	g.Expect(text.Text).To(Equal(whole))
	var quiz struct {
		Text       string
		Keyphrases []string
	}
	exactly(g, l.Requests()[1], &quiz, "text", "keyphrases")
	g.Expect(quiz.Text).To(Equal(whole))
	g.Expect(quiz.Keyphrases).To(Equal([]string{"1932", "trains & cars"}))
	var answers struct {
		Summary   string
		Questions map[string]string
	}
	exactly(g, l.Requests()[2], &answers, "summary", "questions")
	g.Expect(answers.Summary).To(Equal(digest.Response))
	g.Expect(answers.Questions).To(Equal(map[string]string{"1": "Did the bridge open in 1932?", "2": "Does the bridge carry trains?"}))
	for _, r := range l.Requests() {
		g.Expect(string(r.Body)).NotTo(ContainSubstring("not shown"))
	}

	again, err := l.measure(l.Judge.Judge(), ragtest.Summary, digest)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect([]any{again.Value, again.Verdicts}).To(Equal([]any{score.Value, score.Verdicts}))
	g.Expect(l.Asked(fixtures.Any)).To(Equal(3))

	// Another summary of the text is asked the same questions.
	other := digest
	other.Response = "It carries trains."
	l.On("quiz_answers", fixtures.Entries("yes", false, true))
	_, err = l.measure(l.Judge.Judge(), ragtest.Summary.WithoutLengthPenalty(), other)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(l.Asked(fixtures.Any)).To(Equal(4))
}

func TestSummaryCoefficient(t *testing.T) {
	g := NewWithT(t)
	for _, c := range []float64{math.NaN(), -0.001, 1.001, math.Inf(1), math.Inf(-1)} {
		l := newLab(t)
		_, err := l.measure(l.Judge.Judge(), ragtest.Summary.Coefficient(c), digest)
		g.Expect(err).To(MatchError(ContainSubstring("Summary.Coefficient: a weight from 0 to 1 is needed, not ")))
		g.Expect(l.Asked(fixtures.Any)).To(BeZero())
	}
	g.Expect(ragtest.Summary.Coefficient(0.25)).NotTo(Equal(ragtest.Summary), "a copy is changed")
	g.Expect(ragtest.Summary.Coefficient(0.5)).To(Equal(ragtest.Summary), "and the original is not")
}

func TestSummaryWithoutQuestions(t *testing.T) {
	for name, test := range map[string]struct {
		phrases, questions string
		kind               error
		says               string
		asked              int
	}{
		"no keyphrase":     {`[]`, `["q"]`, ragtest.ErrUndefined, "the reference contexts have no keyphrase", 1},
		"no question":      {`["a"]`, `[]`, ragtest.ErrUndefined, "there is no question to ask", 2},
		"a blank phrase":   {`["a"," "]`, `["q"]`, ragtest.ErrMalformed, `expected a text for each of "keyphrases", got none for number 2`, 2},
		"null":             {`null`, `["q"]`, ragtest.ErrMalformed, `expected the field "keyphrases"`, 2},
		"null in the list": {`[null]`, `["q"]`, ragtest.ErrMalformed, `expected a text for each of "keyphrases", got none for number 1`, 2},
		"a text":           {`"a"`, `["q"]`, ragtest.ErrMalformed, `expected a list of texts in "keyphrases", got "a"`, 2},
		"a number":         {`[1932]`, `["q"]`, ragtest.ErrMalformed, `expected a list of texts in "keyphrases", got [1932]`, 2},
		"the example":      {`["a"]`, `["..."]`, ragtest.ErrMalformed, `number 1 ("..."), which is an example of the prompt`, 3},
		"of the prompt":    {`["a"]`, `["You write a quiz about a text."]`, ragtest.ErrMalformed, "which is an example of the prompt", 3},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			l := newLab(t)
			phrases, questions := fixtures.Text(`{"keyphrases":`+test.phrases+`}`), fixtures.Text(`{"questions":`+test.questions+`}`)
			l.On("keyphrases", phrases, phrases).On("quiz", questions, questions)
			score, err := l.measure(l.Judge.Judge(), ragtest.Summary, digest)
			g.Expect(score).To(BeZero())
			g.Expect(err).To(MatchError(test.kind))
			g.Expect(err).To(MatchError(ContainSubstring(test.says)))
			g.Expect(l.Asked(fixtures.Any)).To(Equal(test.asked))
		})
	}
	noText := digest
	noText.ReferenceContexts = []string{"", " "}
	needsField(t, ragtest.Summary, noText, "ReferenceContexts")
	noText = digest
	noText.Response = ""
	needsField(t, ragtest.Summary, noText, "Response")
}

// An answer is yes or no, and there is one for each question.
func TestBadQuizAnswers(t *testing.T) {
	for reply, want := range map[string]struct {
		kind error
		says string
	}{
		`{"1":{"reason":"r","yes":true}}`:                                               {ragtest.ErrMiscounted, "one entry for each of 2 questions, got none for 2"},
		`{"1":{"reason":"r","yes":true},"2":{"yes":true},"3":{"reason":"","yes":true}}`: {ragtest.ErrMiscounted, "got one for 3, not asked about"},
		`{"1":{"reason":"r","yes":"yes"},"2":{"reason":"r","yes":true}}`:                {ragtest.ErrMalformed, `expected true or false for "yes", got "yes" in entry 1`},
		`{"1":{"reason":"r","yes":2},"2":{"reason":"r","yes":true}}`:                    {ragtest.ErrMalformed, `expected true or false for "yes", got 2 in entry 1`},
		`{"1":{"reason":"r"},"2":{"reason":"r","yes":true}}`:                            {ragtest.ErrMalformed, `expected "yes" in every entry, got none in entry 1`},
		`{"1":{"reason":"r","yes":null},"2":{"reason":"r","yes":true}}`:                 {ragtest.ErrMalformed, `got null in entry 1`},
		`{"1":true,"2":false}`: {ragtest.ErrMalformed, "expected JSON of the schema"},
	} {
		t.Run(reply, func(t *testing.T) {
			g := NewWithT(t)
			_, err := within(off(t), map[string]string{"keyphrases": `{"keyphrases":["a"]}`, "quiz": `{"questions":["q1","q2"]}`, "quiz_answers": reply}).
				Measure(t.Context(), ragtest.Summary, digest)
			g.Expect(err).To(MatchError(want.kind))
			g.Expect(err).To(MatchError(ContainSubstring(want.says)))
		})
	}
}

func entriesOf(field string, yes []bool) string {
	var list []string
	for i, v := range yes {
		list = append(list, fmt.Sprintf(`"%d":{"reason":"r","%s":%v}`, i+1, field, v))
	}
	return "{" + strings.Join(list, ",") + "}"
}

// The score is within its range; one more yes never lowers it, and with the same
// answers a longer summary is never better.
func TestSummaryRapid(t *testing.T) {
	c := off(t)
	rapid.Check(t, func(rt *rapid.T) {
		answers := rapid.SliceOfN(rapid.Bool(), 1, 8).Draw(rt, "answers")
		m := ragtest.Summary.Coefficient(rapid.Float64Range(0, 1).Draw(rt, "coefficient"))
		if rapid.Bool().Draw(rt, "any length") {
			m = m.WithoutLengthPenalty()
		}
		s := ragtest.Sample{
			Response:          "x" + rapid.String().Draw(rt, "summary"),
			ReferenceContexts: []string{"x" + rapid.String().Draw(rt, "text")},
		}
		v := summaryOf(rt, c, m, s, answers)
		if v < 0 || v > 1 {
			rt.Fatalf("score %v", v)
		}
		longer := s
		longer.Response += "é" + rapid.String().Draw(rt, "more")
		if w := summaryOf(rt, c, m, longer, answers); w > v {
			rt.Fatalf("%v of a longer summary, more than %v", w, v)
		}
		i := rapid.IntRange(0, len(answers)-1).Draw(rt, "question")
		answers[i] = true
		if w := summaryOf(rt, c, m, s, answers); w < v {
			rt.Fatalf("%v with one more yes, less than %v", w, v)
		}
	})
}

func summaryOf(rt *rapid.T, c *cache.Cache, m ragtest.Metric, s ragtest.Sample, answers []bool) float64 {
	questions := strings.Repeat(`,"q"`, len(answers))[1:]
	score, err := within(c, map[string]string{
		"keyphrases": `{"keyphrases":["k"]}`, "quiz": `{"questions":[` + questions + `]}`, "quiz_answers": entriesOf("yes", answers),
	}).Measure(rt.Context(), m, s)
	if err != nil {
		rt.Fatal(err)
	}
	return score.Value
}

// Another reason is the same decision; another answer is drift.
func TestOtherAnswersAreDrift(t *testing.T) {
	for reply, drifts := range map[string]int{
		`{"1":{"reason":"because","yes":1},"2":{"yes":false}}`:            0,
		`{"1":{"reason":"r","yes":true},"2":{"reason":"r","yes":true}}`:   1,
		`{"1":{"reason":"r","yes":false},"2":{"reason":"r","yes":false}}`: 1,
	} {
		g := NewWithT(t)
		l := newLab(t)
		for range 2 {
			l.On("keyphrases", fixtures.Text(`{"keyphrases":["k"]}`)).On("quiz", fixtures.Text(`{"questions":["q1","q2"]}`))
		}
		l.On("quiz_answers", fixtures.Entries("yes", true, false), fixtures.Text(reply))
		_, err := l.measure(l.Judge.Judge(), ragtest.Summary, digest)
		g.Expect(err).NotTo(HaveOccurred())
		c := l.cache(cache.Verify)
		_, err = l.Judge.Judge().CachedIn(c).Measure(t.Context(), ragtest.Summary, digest)
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(c.Drifts()).To(HaveLen(drifts), reply)
	}
}
