package ragtest_test

import (
	"slices"
	"testing"

	. "github.com/onsi/gomega"
	"pgregory.net/rapid"

	"github.com/ragomega/ragomega/fixtures"
	"github.com/ragomega/ragomega/ragtest"
)

// ranked has three contexts, of which the judge of useful says that the first
// and the last are useful.
var ranked = ragtest.Sample{
	UserInput:         "When did the bridge open?",
	Response:          "It opened in 1923.",
	Reference:         "It opened in 1932.",
	RetrievedContexts: []string{"The bridge opened in 1932.", "The bridge is 503 metres long.", "Trams ran from 1932 on."},
}

func scriptRanked(l *lab) {
	for i, c := range ranked.RetrievedContexts {
		useful := `{"reason":"It has the year.","useful":true}`
		if i == 1 {
			useful = `{"reason":"It speaks of the length.","useful":false}`
		}
		l.When("useful", aboutDocument(c), fixtures.Text(useful))
	}
}

func TestContextPrecision(t *testing.T) {
	g := NewWithT(t)
	l := newLab(t)
	scriptRanked(l)
	score, err := l.measure(l.Judge.Judge(), ragtest.ContextPrecision, ranked)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(score.Metric).To(Equal("context_precision"))
	g.Expect(score.Value).To(Equal(0.8333333333333333))
	g.Expect(score.Verdicts).To(Equal([]ragtest.Verdict{
		{Part: "context 1", Claim: "The bridge opened in 1932.", OK: true, Reason: "It has the year."},
		{Part: "context 2", Claim: "The bridge is 503 metres long.", Reason: "It speaks of the length."},
		{Part: "context 3", Claim: "Trams ran from 1932 on.", OK: true, Reason: "It has the year."},
	}))

	g.Expect(l.Asked("useful")).To(Equal(3))
	g.Expect(l.Asked(fixtures.Any)).To(Equal(3))
	var documents []string
	for _, r := range l.Requests() {
		var data struct{ Question, Answer, Document string }
		exactly(g, r, &data, "question", "answer", "document")
		g.Expect(data.Question).To(Equal(ranked.UserInput))
		g.Expect(data.Answer).To(Equal(ranked.Reference))
		g.Expect(string(r.Body)).NotTo(ContainSubstring(ranked.Response))
		documents = append(documents, data.Document)
	}
	g.Expect(documents).To(ConsistOf(ranked.RetrievedContexts))

	replayed, err := l.measure(l.Judge.Judge(), ragtest.ContextPrecision, ranked)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(replayed.Value).To(Equal(score.Value))
	g.Expect(replayed.Verdicts).To(Equal(score.Verdicts))
	g.Expect(l.Asked(fixtures.Any)).To(Equal(3))
}

// Utilization is judged by the answer, and the reference is shown to nobody.
func TestContextUtilization(t *testing.T) {
	g := NewWithT(t)
	l := newLab(t)
	scriptRanked(l)
	score, err := l.measure(l.Judge.Judge(), ragtest.ContextUtilization, ranked)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(score.Metric).To(Equal("context_utilization"))
	g.Expect(score.Value).To(Equal(0.8333333333333333))
	for _, r := range l.Requests() {
		var data struct{ Answer string }
		g.Expect(r.Data(&data)).To(Succeed())
		g.Expect(data.Answer).To(Equal(ranked.Response))
		g.Expect(string(r.Body)).NotTo(ContainSubstring(ranked.Reference))
	}
}

// Nobody is asked about a blank context, which takes up a rank all the same.
func TestContextPrecisionOfABlankContext(t *testing.T) {
	g := NewWithT(t)
	l := newLab(t)
	scriptRanked(l)
	s := ranked
	s.RetrievedContexts = []string{" \u200b", ranked.RetrievedContexts[0]}
	score, err := l.measure(l.Judge.Judge(), ragtest.ContextPrecision, s)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(score.Value).To(Equal(0.5))
	g.Expect(score.Verdicts[0].OK).To(BeFalse())
	g.Expect(score.Verdicts[0].Reason).To(Equal("the context is blank"))
	g.Expect(l.Asked(fixtures.Any)).To(Equal(1))
}

// A context that was retrieved twice is paid for once, and counts twice.
func TestContextPrecisionOfEqualContexts(t *testing.T) {
	g := NewWithT(t)
	l := newLab(t)
	scriptRanked(l)
	s := ranked
	s.RetrievedContexts = []string{ranked.RetrievedContexts[1], ranked.RetrievedContexts[0], ranked.RetrievedContexts[0]}
	score, err := l.measure(l.Judge.Judge(), ragtest.ContextPrecision, s)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(score.Value).To(Equal(0.5833333333333333))
	g.Expect(score.Verdicts).To(HaveLen(3))
	g.Expect(l.Asked(fixtures.Any)).To(Equal(2))
}

// One context that nobody could judge is no score: its rank would be a guess.
func TestContextPrecisionNeedsEveryVerdict(t *testing.T) {
	for name, reply := range map[string]string{
		"no verdict":    `{"reason":"It may be."}`,
		"null":          `{"reason":"r","useful":null}`,
		"a word":        `{"reason":"r","useful":"yes"}`,
		"a half":        `{"reason":"r","useful":0.5}`,
		"another field": `{"reason":"r","verdict":true}`,
		"prose":         "Yes, it is useful.",
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			l := newLab(t)
			l.When("useful", aboutDocument(ranked.RetrievedContexts[0]), fixtures.Text(reply), fixtures.Text(reply))
			scriptRanked(l)
			score, err := l.measure(l.Judge.Judge(), ragtest.ContextPrecision, ranked)
			g.Expect(err).To(MatchError(ragtest.ErrMalformed))
			g.Expect(err).To(MatchError(ContainSubstring("in step useful/v1")))
			g.Expect(score).To(BeZero())

			// The other verdicts are kept, and this one is asked for again.
			asked := l.Asked(fixtures.Any)
			score, err = l.measure(l.Judge.Judge(), ragtest.ContextPrecision, ranked)
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(score.Verdicts).To(HaveLen(3))
			g.Expect(l.Asked(fixtures.Any)).To(Equal(asked + 1))
		})
	}
}

func TestContextPrecisionNeeds(t *testing.T) {
	for metric, fields := range map[ragtest.Metric][]string{
		ragtest.ContextPrecision:   {"UserInput", "Reference", "RetrievedContexts"},
		ragtest.ContextUtilization: {"UserInput", "Response", "RetrievedContexts"},
	} {
		expectNeeds(t, metric, ranked, fields...)
	}
}

// expectNeeds measures s without each of these fields, and without all others.
func expectNeeds(t *testing.T, m ragtest.Metric, s ragtest.Sample, fields ...string) {
	t.Helper()
	texts := func(s *ragtest.Sample) map[string]*string {
		return map[string]*string{"UserInput": &s.UserInput, "Response": &s.Response, "Reference": &s.Reference}
	}
	bare := s
	bare.RetrievedContexts = nil
	for field, text := range texts(&bare) {
		if !slices.Contains(fields, field) {
			*text = ""
		}
	}
	if slices.Contains(fields, "RetrievedContexts") {
		bare.RetrievedContexts = s.RetrievedContexts
	}
	for _, missing := range fields {
		t.Run(m.Name()+" without "+missing, func(t *testing.T) {
			g := NewWithT(t)
			l := newLab(t)
			without := s
			if text := texts(&without)[missing]; text != nil {
				*text = " \u00a0\u200b"
			} else {
				without.RetrievedContexts = nil
			}
			_, err := l.measure(l.Judge.Judge(), m, without)
			var input *ragtest.InputError
			g.Expect(asError(err, &input)).To(BeTrue(), "%v", err)
			g.Expect(input.Field).To(Equal(missing))
			g.Expect(l.Asked(fixtures.Any)).To(BeZero())
		})
	}
	t.Run(m.Name()+" without the rest", func(t *testing.T) {
		g := NewWithT(t)
		l := newLab(t)
		_, err := l.measure(l.Judge.Judge(), m, bare)
		g.Expect(err).NotTo(MatchError(ragtest.ErrMissingInput))
		g.Expect(l.Asked(fixtures.Any)).NotTo(BeZero(), "it asks, and nothing is scripted")
	})
}

// The score follows from which ranks are useful, and from nothing else.
func TestContextPrecisionIsAboutRank(t *testing.T) {
	j := wordsJudge(t)
	rapid.Check(t, func(rt *rapid.T) {
		g := NewWithT(rt)
		s := wordsSample(rt)
		score, err := j.Measure(t.Context(), ragtest.ContextPrecision, s)
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(score.Value).To(And(BeNumerically(">=", 0), BeNumerically("<=", 1)))
		for i, c := range s.RetrievedContexts {
			g.Expect(score.Verdicts[i].OK).To(Equal(common(wordsOf(s.Reference), wordsOf(c)) > 0))
		}

		more := s
		more.RetrievedContexts = append(slices.Clone(s.RetrievedContexts), "nothing")
		same, err := j.Measure(t.Context(), ragtest.ContextPrecision, more)
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(same.Value).To(Equal(score.Value), "a useless context in last place does not matter")

		best := s
		best.RetrievedContexts = slices.Clone(s.RetrievedContexts)
		slices.SortStableFunc(best.RetrievedContexts, func(a, b string) int {
			useful := func(c string) int { return min(common(wordsOf(s.Reference), wordsOf(c)), 1) }
			return useful(b) - useful(a)
		})
		top, err := j.Measure(t.Context(), ragtest.ContextPrecision, best)
		g.Expect(err).NotTo(HaveOccurred())
		if score.Value == 0 {
			g.Expect(top.Value).To(BeZero())
		} else {
			g.Expect(top.Value).To(Equal(1.0), "all useful ones first")
		}
	})
}
