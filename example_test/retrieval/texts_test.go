package retrieval

import (
	"regexp"
	"strings"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/ragomega/ragomega/example_test/assistant"
	. "github.com/ragomega/ragomega/matchers"
	"github.com/ragomega/ragomega/ragtest"
)

// chunks are the paragraphs of the help centre, by their IDs.
func chunks(t *testing.T) map[string]string {
	t.Helper()
	all, err := assistant.HelpCentre()
	if err != nil {
		t.Fatal(err)
	}
	texts := map[string]string{}
	for _, d := range all {
		split, err := assistant.Splitter{}.Split(d)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range split {
			texts[c.ID] = c.Text
		}
	}
	return texts
}

// A label that names no paragraph would lower recall and look like a fault of the
// retriever.
func TestLabelsNameParagraphs(t *testing.T) {
	texts := chunks(t)
	for _, s := range search(t, nil) {
		for _, id := range s.ReferenceContextIDs {
			if texts[id] == "" {
				t.Errorf("%s: there is no paragraph %q", s.Name, id)
			}
		}
		if len(s.ReferenceContextGrades) != len(s.ReferenceContextIDs) || len(s.Tags) != 1 {
			t.Errorf("%s: a grade for each ID and one tag were expected", s.Name)
		}
	}
}

// Whoever has no IDs can compare texts. Of paragraphs, which are retrieved whole, they
// tell the same.
func TestRecallByTexts(t *testing.T) {
	g := NewWithT(t)
	texts := chunks(t)
	samples := search(t, nil)
	for i := range samples {
		for _, id := range samples[i].ReferenceContextIDs {
			samples[i].ReferenceContexts = append(samples[i].ReferenceContexts, texts[id])
		}
	}
	report, err := ragtest.Evaluate(t.Context(), samples, ragtest.TextContextRecall, ragtest.IDContextRecall)
	g.Expect(err).NotTo(HaveOccurred())
	byID, err := report.Scores(ragtest.IDContextRecall).Mean()
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(byID).To(BeNumerically("~", 0.741, 0.0006))
	g.Expect(report).To(HaveMean(ragtest.TextContextRecall, byID))
}

var number = regexp.MustCompile(`\d+(?:[.:-]\d+)*`)

// numbers is a metric of this suite: whether the contexts have each number of an
// answer. That it is the right one is not said, nor what it is the number of.
var numbers = ragtest.NewCheck("numbers", func(s ragtest.Sample) (ragtest.Score, error) {
	known := map[string]bool{}
	for _, n := range number.FindAllString(strings.Join(s.RetrievedContexts, " "), -1) {
		known[n] = true
	}
	var verdicts []ragtest.Verdict
	for _, n := range number.FindAllString(s.Response, -1) {
		verdicts = append(verdicts, ragtest.Verdict{Claim: n, OK: known[n], Reason: "no context has this number"})
	}
	return ragtest.Share(verdicts...) // undefined without a number
})

// answers are what a model once made of the contexts of another retriever.
func answers(t *testing.T) map[string]ragtest.Sample {
	t.Helper()
	all, err := ragtest.ReadSamples("../testdata/samples.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	byName := map[string]ragtest.Sample{}
	for _, s := range all {
		byName[s.Name] = s
	}
	return byName
}

// Of answers, letters can tell only little: that a number was made up, that one is not
// named, that a quotation is none. A wrong answer with numbers from its contexts passes.
func TestAnswersByTheirLetters(t *testing.T) {
	g := NewWithT(t)
	all := answers(t)
	g.Expect(all["report-damage"]).To(HaveScore(numbers, 1))
	g.Expect(all["jammed-door"]).To(HaveRejected(numbers, "123-456-7890"), "a made-up telephone number")
	g.Expect(all["plus-chilled-time"]).To(HaveRejected(numbers, "2"), "of 120 hours, which are not 2 days")
	g.Expect(all["plus-medium-other-region"]).To(HaveScore(numbers, 1), "wrong, and not noticed")

	for name, number := range map[string]string{
		"wrong-codes": "20 minutes", "age-check": "12 months", "depot-hours": "from 09:00 to 13:00", "cancel-yearly-plus": "3 euros",
	} {
		s := all[name]
		s.Reference = number
		g.Expect(s).To(HaveScore(ragtest.StringPresence, 1))
	}
	s := all["plus-medium-other-region"]
	s.Reference = "4.85 euros"
	g.Expect(s).NotTo(HaveScore(ragtest.StringPresence, 1), "this is what notices it")

	// choose "Share."
	g.Expect(all["share-code"]).To(HaveScore(ragtest.QuotedSpans.Words(1), 1))
}
