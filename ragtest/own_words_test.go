package ragtest_test

import (
	"fmt"
	"maps"
	"testing"

	. "github.com/onsi/gomega"
	"pgregory.net/rapid"

	"github.com/ragomega/ragomega/fixtures"
	"github.com/ragomega/ragomega/ragtest"
)

var tone = ragtest.Rubric("tone", map[int]string{-1: "rude", 0: "cold", 10: "friendly", 2: "polite"})

// ownWords are the metrics that decide by words of the user.
func ownWords() map[string]ragtest.Metric {
	return map[string]ragtest.Metric{"aspect": politeAnswer, "criteria": brief, "rubric": tone}
}

func ownReply(step string) fixtures.Reply {
	if step == "aspect" {
		return fixtures.Text(opinion(true))
	}
	return fixtures.Text(ratingReply(2))
}

// All texts of the sample are shown under their own names, and none that is
// blank. Nothing else is.
func TestOwnWordsSeeTheSample(t *testing.T) {
	type data struct {
		Aspect, Criteria  string
		Rubric            []map[string]any
		UserInput         string   `json:"user_input"`
		Response          string   `json:"response"`
		RetrievedContexts []string `json:"retrieved_contexts"`
		Reference         string   `json:"reference"`
		ReferenceContexts []string `json:"reference_contexts"`
	}
	full := bridge
	full.Tags, full.RetrievedContextIDs = []string{"secret"}, ragtest.IDs{"secret"}
	full.ReferenceContexts = []string{"a", ""}
	blanks := ragtest.Sample{UserInput: " ", Response: "A.", RetrievedContexts: []string{" "}, Reference: "\n", ReferenceContexts: []string{}}
	for step, m := range ownWords() {
		t.Run(step, func(t *testing.T) {
			g := NewWithT(t)
			l := newLab(t)
			l.On(step, ownReply(step), ownReply(step))
			for _, s := range []ragtest.Sample{full, blanks} {
				_, err := l.measure(l.Judge.Judge(), m, s)
				g.Expect(err).NotTo(HaveOccurred())
			}
			var d data
			exactly(g, l.Requests()[0], &d, step, "user_input", "response", "retrieved_contexts", "reference", "reference_contexts")
			g.Expect(string(l.Requests()[0].Body)).NotTo(ContainSubstring("secret"))
			g.Expect([]string{d.UserInput, d.Response, d.Reference}).To(Equal([]string{full.UserInput, full.Response, full.Reference}))
			g.Expect(d.RetrievedContexts).To(Equal(full.RetrievedContexts))
			g.Expect(d.ReferenceContexts).To(Equal(full.ReferenceContexts))
			switch step {
			case "aspect":
				g.Expect(d.Aspect).To(Equal("Is the response polite?"))
			case "criteria":
				g.Expect(d.Criteria).To(Equal("Score 0 to 5 by how brief the response is."))
			case "rubric":
				g.Expect(fmt.Sprint(d.Rubric)).To(Equal("[map[means:rude rating:-1] map[means:cold rating:0] map[means:polite rating:2] map[means:friendly rating:10]]"))
				g.Expect(string(l.Requests()[0].Body)).To(ContainSubstring(`"enum":[-1,0,2,10]`))
			}
			exactly(g, l.Requests()[1], &d, step, "response")
		})
	}
}

// The user's words are data: whatever they hold, the prompt stays the same.
func TestOwnWordsAreData(t *testing.T) {
	for name, text := range hostile {
		if name == "not UTF-8" {
			continue
		}
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			l := newLab(t)
			l.On("aspect", fixtures.Text(opinion(false)))
			score, err := l.measure(l.Judge.Judge(), ragtest.AspectCritic("x", text), bridge)
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(score.Value).To(BeZero())
			var d struct{ Aspect string }
			exactly(g, l.Requests()[0], &d, "aspect", "user_input", "response", "retrieved_contexts", "reference")
			g.Expect(d.Aspect).To(Equal(text))
			g.Expect(score.Verdicts).To(Equal([]ragtest.Verdict{{Claim: text, Reason: "because false"}}))
		})
	}
}

// What the user's words lack is said before anything is asked.
func TestOwnWordsThatLackSomething(t *testing.T) {
	for says, m := range map[string]ragtest.Metric{
		"AspectCritic: a name is needed, by which results call it":               ragtest.AspectCritic(" ", "d"),
		`AspectCritic: "n" needs a definition of what to judge, and it is blank`: ragtest.AspectCritic("n", "\n"),
		"AspectCritic.Votes: at least 1 vote is needed, not 0":                   ragtest.AspectCritic("n", "d").Votes(0),
		"AspectCritic.Votes: at least 1 vote is needed, not -2":                  ragtest.AspectCritic("n", "d").Votes(-2),
		"Criteria: a name is needed, by which results call it":                   ragtest.Criteria("", "d"),
		`Criteria: "n" needs a definition of what to judge, and it is blank`:     ragtest.Criteria("n", ""),
		"Criteria.Votes: at least 1 vote is needed, not -1":                      ragtest.Criteria("n", "d").Votes(-1),
		"Rubric: a name is needed, by which results call it":                     ragtest.Rubric("", map[int]string{1: "a"}),
		`Rubric: "n" needs levels, and has none`:                                 ragtest.Rubric("n", nil),
		`Rubric: "n" does not say what level 2 means`:                            ragtest.Rubric("n", map[int]string{1: "a", 2: " ", 3: ""}),
	} {
		t.Run(says, func(t *testing.T) {
			g := NewWithT(t)
			l := newLab(t)
			score, err := l.measure(l.Judge.Judge(), m, bridge)
			g.Expect(score).To(BeZero())
			g.Expect(err).To(MatchError(ContainSubstring(": " + says)))
			g.Expect(err).NotTo(MatchError(ragtest.ErrMissingInput), "the sample is not to blame")
			g.Expect(l.Asked(fixtures.Any)).To(BeZero())
		})
	}
	noAnswer := bridge
	noAnswer.Response = ""
	for _, m := range ownWords() {
		needsField(t, m, noAnswer, "Response")
	}
}

func TestNamesAndRanges(t *testing.T) {
	g := NewWithT(t)
	g.Expect([]string{politeAnswer.Name(), brief.Name(), tone.Name()}).To(Equal([]string{"polite", "brief", "tone"}))
	lowest, highest := politeAnswer.Range()
	g.Expect([]float64{lowest, highest}).To(Equal([]float64{0, 1}))
	lowest, highest = tone.Range()
	g.Expect([]float64{lowest, highest}).To(Equal([]float64{-1, 10}))
	for _, m := range []ragtest.Metric{brief, ragtest.InstanceRubric} {
		_, ok := m.(interface{ Range() (float64, float64) })
		g.Expect(ok).To(BeFalse(), "%s has no range", m.Name())
	}
}

// The level that was chosen is the evidence. It is a yes if there is none
// higher.
func TestRubricEvidence(t *testing.T) {
	g := NewWithT(t)
	c := off(t)
	for level, want := range map[int]ragtest.Verdict{
		10: {Claim: "10: friendly", OK: true, Value: 10, Reason: "r10"},
		-1: {Claim: "-1: rude", Value: -1, Reason: "r-1"},
	} {
		score, err := within(c, map[string]string{"rubric": ratingReply(level)}).Measure(t.Context(), tone, bridge)
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(score.Value).To(Equal(float64(level)))
		g.Expect(score.Verdicts).To(Equal([]ragtest.Verdict{want}))
	}
	_, err := within(c, map[string]string{"rubric": ratingReply(1)}).Measure(t.Context(), tone, bridge)
	g.Expect(err).To(MatchError(ContainSubstring("expected a rating of -1, 0, 2 or 10, got 1")))
}

// A rubric is its levels as they were given: neither what becomes of the map nor
// its order matters.
func TestRubricIsKept(t *testing.T) {
	c := off(t)
	rapid.Check(t, func(rt *rapid.T) {
		levels := rapid.MapOfN(rapid.IntRange(-50, 50), rapid.StringMatching(`[a-z]{1,8}`), 1, 8).Draw(rt, "levels")
		m, same := ragtest.Rubric("r", levels), ragtest.Rubric("r", maps.Clone(levels))
		var level int
		for level = range levels {
			break
		}
		clear(levels)
		j := within(c, map[string]string{"rubric": ratingReply(level)})
		a, errA := j.Measure(t.Context(), m, bridge)
		b, errB := j.Measure(t.Context(), same, bridge)
		if errA != nil || errB != nil || a.Exchanges[0].Key != b.Exchanges[0].Key {
			rt.Fatal(errA, errB, "or two keys")
		}
		lowest, highest := m.Range()
		if a.Value != float64(level) || a.Value < lowest || a.Value > highest {
			rt.Fatalf("%v, not %d within %v to %v", a.Value, level, lowest, highest)
		}
	})
}

// A sample's own rubric may have Ragas' keys or plain ones: they are the same
// request.
func TestInstanceRubric(t *testing.T) {
	g := NewWithT(t)
	l := newLab(t)
	l.On("rubric", fixtures.Text(ratingReply(2)))
	for _, rubrics := range []map[string]string{
		{"score1_description": "bad", "score2_description": "good", "score10_description": "superb"},
		{"1": "bad", "2": "good", "10": "superb"},
		{"1": "bad", "2": "good", "score10_description": "superb", "score5_description": "", "7": " "},
	} {
		s := bridge
		s.Rubrics = rubrics
		score, err := l.measure(l.Judge.Judge(), ragtest.InstanceRubric, s)
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(score.Value).To(Equal(2.0))
		g.Expect(score.Verdicts[0].Claim).To(Equal("2: good"))
	}
	g.Expect(l.Asked(fixtures.Any)).To(Equal(1))
}

func TestBadInstanceRubric(t *testing.T) {
	for name, test := range map[string]struct {
		rubrics map[string]string
		says    string
	}{
		"none":       {nil, "a rubric to judge by is needed, and there is none"},
		"all blank":  {map[string]string{"1": "", "score2_description": " "}, "a rubric to judge by is needed, and there is none"},
		"no number":  {map[string]string{"1": "a", "good": "b"}, `keys such as "score1_description" or "1" are needed, got "good"`},
		"half a key": {map[string]string{"score1": "a"}, `keys such as "score1_description" or "1" are needed, got "score1"`},
		"a fraction": {map[string]string{"1.5": ""}, `keys such as "score1_description" or "1" are needed, got "1.5"`},
		"twice":      {map[string]string{"1": "a", "score1_description": "b"}, `"score1_description" is a second text for level 1`},
		"huge":       {map[string]string{"99999999999999999999": "a"}, `the level of "99999999999999999999" is no number to compute with`},
	} {
		t.Run(name, func(t *testing.T) {
			s := bridge
			s.Rubrics = test.rubrics
			needsField(t, ragtest.InstanceRubric, s, "Rubrics")
			_, err := within(off(t), nil).Measure(t.Context(), ragtest.InstanceRubric, s)
			NewWithT(t).Expect(err).To(MatchError(ContainSubstring("Sample.Rubrics: " + test.says)))
		})
	}
}
