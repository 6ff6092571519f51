package ragtest_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/ragomega/ragomega/fixtures"
	"github.com/ragomega/ragomega/ragtest"
)

// publication is a set of verdicts that somebody published with what follows
// from them. Numbers 1 and 0 are yes and no.
type publication struct {
	ID       string
	Verdicts struct {
		ResponseByContext   [][]json.RawMessage `json:"response_by_context"` // a row for each context
		ReferenceByContext  [][]json.RawMessage `json:"reference_by_context"`
		ResponseByReference []json.RawMessage   `json:"response_by_reference"`
		ReferenceByResponse []json.RawMessage   `json:"reference_by_response"`
		Useful              []json.RawMessage   // by context
		Entities            []json.RawMessage   // of the reference: whether the contexts have them
	}
	MeanOf  []string `json:"mean_of"` // of these publications, in place of verdicts
	Figures []figure
}

// figure is one number that was published. Without a metric it is no score of
// ours, and Why says what it is. Ours is exact; Within is how far the published
// one may be from it.
type figure struct {
	Figure    string
	Metric    string
	Published float64
	Ours      *float64
	Within    float64
	Why       string
}

var publishedMetrics = func() map[string]ragtest.Metric {
	all := map[string]ragtest.Metric{}
	for _, m := range []ragtest.Metric{
		ragtest.Faithfulness, ragtest.ContextRecall, ragtest.ContextPrecision, ragtest.ContextEntityRecall,
		ragtest.NoiseSensitivity, ragtest.IrrelevantNoiseSensitivity,
		ragtest.FactualCorrectness, ragtest.FactualCorrectness.Precision(), ragtest.FactualCorrectness.Recall(),
	} {
		all[m.Name()] = m
	}
	return all
}()

// What others published for the same verdicts is what we find.
func TestPublishedFigures(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("testdata", "published.json"))
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	var publications []publication
	NewWithT(t).Expect(json.Unmarshal(text, &publications)).To(Succeed())
	byID := map[string]publication{}
	for _, p := range publications {
		byID[p.ID] = p
		for _, f := range p.Figures {
			t.Run(p.ID+"/"+f.Figure, func(t *testing.T) {
				g := NewWithT(t)
				if f.Metric == "" {
					g.Expect(f.Why).NotTo(BeEmpty(), "a figure that is compared with nothing")
					return
				}
				m := publishedMetrics[f.Metric]
				g.Expect(m).NotTo(BeNil(), "no metric is called %q", f.Metric)
				if p.MeanOf != nil { // in percent
					sum := 0.0
					for _, id := range p.MeanOf {
						g.Expect(byID).To(HaveKey(id))
						sum += byID[id].measure(t, m)
					}
					g.Expect(100 * sum / float64(len(p.MeanOf))).To(BeNumerically("~", f.Published, f.Within))
					return
				}
				value := p.measure(t, m)
				g.Expect(value).To(Equal(*f.Ours))
				g.Expect(value).To(BeNumerically("~", f.Published, f.Within))
				g.Expect(f.Why == "").To(Equal(value == f.Published), "a difference needs its reason: %q", f.Why)
			})
		}
	}
}

// measure has a scripted judge give the verdicts.
func (p publication) measure(t *testing.T, m ragtest.Metric) float64 {
	v := p.Verdicts
	s := ragtest.Sample{UserInput: "q?", Response: "resp", Reference: "ref"}
	contexts := max(1, len(v.Useful), len(v.ResponseByContext))
	for i := range contexts {
		s.RetrievedContexts = append(s.RetrievedContexts, fmt.Sprintf("context %d", i+1))
	}
	j := fixtures.NewJudge(t)
	answer, reference := anyOf(v.ResponseByContext), anyOf(v.ReferenceByContext)
	split(j, "claims", s.Response, namesOf(max(len(answer), len(v.ResponseByReference))))
	split(j, "claims", s.Reference, namesOf(max(len(reference), len(v.ReferenceByResponse))))
	for i, c := range s.RetrievedContexts {
		if i < len(v.Useful) {
			j.When("useful", aboutDocument(c), fixtures.Text(fmt.Sprintf(`{"reason":"r","useful":%s}`, v.Useful[i])))
		}
		if i < len(v.ResponseByContext) {
			check(j, s.Response, c, v.ResponseByContext[i])
		}
		if i < len(v.ReferenceByContext) {
			check(j, s.Reference, c, v.ReferenceByContext[i])
		}
	}
	check(j, s.Response, s.Reference, v.ResponseByReference)
	check(j, s.Reference, s.Response, v.ReferenceByResponse)
	// Faithfulness and context recall show all contexts at once.
	inAny := answer
	if m.Name() == ragtest.ContextRecall.Name() {
		inAny = reference
	}
	j.On("verify", verdictsAre("supported", inAny))
	names := namesOf(len(v.Entities))
	var inContexts []string
	for i, has := range v.Entities {
		if string(has) == "1" {
			inContexts = append(inContexts, names[i])
		}
	}
	j.When("entities", ofTexts(s.Reference), entities(names...))
	j.When("entities", ofTexts(s.RetrievedContexts...), entities(inContexts...))

	score, err := j.Judge().CachedIn(off(t)).Measure(t.Context(), m, s)
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	return score.Value
}

func namesOf(n int) []string {
	names := make([]string, n)
	for i := range names {
		names[i] = fmt.Sprintf("name %d", i+1)
	}
	return names
}

// anyOf are the verdicts of all contexts together.
func anyOf(rows [][]json.RawMessage) []json.RawMessage {
	var all []json.RawMessage
	for _, row := range rows {
		for i, v := range row {
			if i == len(all) {
				all = append(all, json.RawMessage("0"))
			}
			if string(v) == "1" {
				all[i] = v
			}
		}
	}
	return all
}
