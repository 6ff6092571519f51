package ragtest_test

import (
	"strings"
	"testing"

	. "github.com/onsi/gomega"
	"pgregory.net/rapid"

	"github.com/ragomega/ragomega/fixtures"
	"github.com/ragomega/ragomega/ragtest"
)

var named = ragtest.Sample{
	Reference:         "Anna Lind built the bridge in 1932.",
	RetrievedContexts: []string{"The bridge was built by Lind.", "It opened in 1932."},
}

func TestContextEntityRecall(t *testing.T) {
	g := NewWithT(t)
	l := newLab(t)
	l.When("entities", ofTexts(named.Reference), entities("Anna Lind", "1932", "1932"))
	l.When("entities", ofTexts(named.RetrievedContexts...), entities("Lind", "1932"))
	s := named
	s.UserInput, s.Response = "Who built it?", "Nobody."
	score, err := l.measure(l.Judge.Judge(), ragtest.ContextEntityRecall, s)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(score.Metric).To(Equal("context_entity_recall"))
	g.Expect(score.Value).To(Equal(0.5), "what is listed twice counts once")
	g.Expect(score.Verdicts).To(Equal([]ragtest.Verdict{
		{Claim: "Anna Lind", Reason: "the contexts have no entity that is spelled so", Quote: "The bridge was built by Lind."},
		{Claim: "1932", OK: true},
	}))
	g.Expect(l.Asked(fixtures.Any)).To(Equal(2))
	for _, r := range l.Requests() {
		var data struct{ Texts []string }
		exactly(g, r, &data, "texts")
		g.Expect(string(r.Body)).NotTo(Or(ContainSubstring(s.UserInput), ContainSubstring(s.Response)))
	}

	replayed, err := l.measure(l.Judge.Judge(), ragtest.ContextEntityRecall, s)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(replayed.Verdicts).To(Equal(score.Verdicts))
	g.Expect(l.Asked(fixtures.Any)).To(Equal(2))
}

func TestContextEntityRecallOfNoEntity(t *testing.T) {
	g := NewWithT(t)
	l := newLab(t)
	l.When("entities", ofTexts(named.Reference), entities())
	l.When("entities", ofTexts(named.RetrievedContexts...), entities("1932"))
	_, err := l.measure(l.Judge.Judge(), ragtest.ContextEntityRecall, named)
	g.Expect(err).To(MatchError(ragtest.ErrUndefined))
	g.Expect(err).To(MatchError(HaveSuffix("the reference has no entity, so there is nothing to look for in the contexts")))
}

// An entity that the texts cannot have is not counted, on either side.
func TestContextEntityRecallRejects(t *testing.T) {
	for name, test := range map[string]struct{ reply, got string }{
		"no list":       {`{"names":["A"]}`, `the field "names"`},
		"null":          {`{"entities":null}`, `the field "entities"`},
		"no text":       {`{"entities":["A",null]}`, "none for entity 2"},
		"a blank":       {`{"entities":[" \u200b"]}`, "none for entity 1"},
		"a number":      {`{"entities":[1932]}`, "cannot unmarshal"},
		"the ellipsis":  {`{"entities":["A","..."]}`, `entity 2 ("..."), which is copied from the prompt`},
		"the prompt's":  {`{"entities":["amounts of money"]}`, `entity 1 ("amounts of money"), which is copied from the prompt`},
		"half a reply":  {`{"entities":["A"`, "none that is complete"},
		"not an object": {`["A"]`, "JSON of another kind"},
	} {
		for _, texts := range [][]string{{named.Reference}, named.RetrievedContexts} {
			t.Run(name, func(t *testing.T) {
				g := NewWithT(t)
				l := newLab(t)
				l.When("entities", ofTexts(texts...), fixtures.Text(test.reply), fixtures.Text(test.reply))
				l.On("entities", entities("A"))
				_, err := l.measure(l.Judge.Judge(), ragtest.ContextEntityRecall, named)
				g.Expect(err).To(MatchError(ragtest.ErrMalformed))
				g.Expect(err).To(MatchError(ContainSubstring("in step entities/v1")))
				g.Expect(err).To(MatchError(ContainSubstring(test.got)))
			})
		}
	}
}

// What the prompt speaks of is an entity where the text does.
func TestContextEntityRecallOfTheWordsOfThePrompt(t *testing.T) {
	g := NewWithT(t)
	l := newLab(t)
	s := ragtest.Sample{Reference: `The form has a field "amounts of money".`, RetrievedContexts: []string{"one", "Great amounts of money..."}}
	l.On("entities", entities("amounts of money"), entities("amounts of money"))
	score, err := l.measure(l.Judge.Judge(), ragtest.ContextEntityRecall, s)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(score.Value).To(Equal(1.0))
}

func TestContextEntityRecallNeeds(t *testing.T) {
	s := named
	s.UserInput, s.Response = "q", "a"
	expectNeeds(t, ragtest.ContextEntityRecall, s, "Reference", "RetrievedContexts")
}

// It is a share of the reference's words. Neither the order of the contexts nor
// how they part the words matters, and another context never lowers it.
func TestContextEntityRecallIsOfSets(t *testing.T) {
	j := wordsJudge(t)
	rapid.Check(t, func(rt *rapid.T) {
		g := NewWithT(rt)
		s := wordsSample(rt)
		measure := func(s ragtest.Sample) float64 {
			score, err := j.Measure(t.Context(), ragtest.ContextEntityRecall, s)
			g.Expect(err).NotTo(HaveOccurred())
			return score.Value
		}
		words := wordsOf(s.Reference)
		value := measure(s)
		g.Expect(value).To(Equal(float64(common(words, wordsOf(s.RetrievedContexts...))) / float64(len(words))))

		joined, more := s, s
		joined.Reference += " " + words[0]
		joined.RetrievedContexts = []string{strings.Join(s.RetrievedContexts, " ")}
		g.Expect(measure(joined)).To(Equal(value))
		more.RetrievedContexts = append([]string{"f0 f1"}, s.RetrievedContexts...)
		g.Expect(measure(more)).To(BeNumerically(">=", value))
	})
}
