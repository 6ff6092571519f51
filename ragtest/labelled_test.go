package ragtest_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/ragomega/ragomega/fixtures"
	"github.com/ragomega/ragomega/ragtest"
)

func TestReadLabelled(t *testing.T) {
	g := NewWithT(t)
	file := filepath.Join(t.TempDir(), "labels.jsonl")
	g.Expect(os.WriteFile(file, []byte("\ufeff"+`{"name":"a","response":"r","retrieved_contexts":["c"],"human_label":1,"seen":"yes"}
{"id":"b","response":"r","human_label":false}

{"id":7,"response":"r","human_labels":[1,0,null,true]}
{"response":"r","human_labels":{"ada":4,"bob":2.5,"cy":null}}
{"name":"e","response":"r","human_label":0,"human_labels":[1,1]}
{"id":null,"response":"r","human_label":1}
`), 0o600)).To(Succeed())
	labelled, err := ragtest.ReadLabelled(file)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(labelled).To(Equal([]ragtest.Labelled{
		{Sample: ragtest.Sample{Name: "a", Response: "r", RetrievedContexts: []string{"c"}}, Labels: []ragtest.Label{{Value: 1}}},
		{Sample: ragtest.Sample{Name: "b", Response: "r"}, Labels: []ragtest.Label{{Value: 0}}},
		{Sample: ragtest.Sample{Name: "7", Response: "r"}, Labels: []ragtest.Label{{"1", 1}, {"2", 0}, {"4", 1}}},
		{Sample: ragtest.Sample{Name: "#5", Response: "r"}, Labels: []ragtest.Label{{"ada", 4}, {"bob", 2.5}}},
		{Sample: ragtest.Sample{Name: "e", Response: "r"}, Labels: []ragtest.Label{{"1", 1}, {"2", 1}}},
		{Sample: ragtest.Sample{Name: "#7", Response: "r"}, Labels: []ragtest.Label{{Value: 1}}},
	}))
	for _, l := range labelled {
		text, err := json.Marshal(l)
		g.Expect(err).NotTo(HaveOccurred())
		var back ragtest.Labelled
		g.Expect(json.Unmarshal(text, &back)).To(Succeed())
		back.Labels[0].Rater = l.Labels[0].Rater
		g.Expect(back.Sample).To(Equal(l.Sample))
		var values, was []float64
		for i := range l.Labels {
			values, was = append(values, back.Labels[i].Value), append(was, l.Labels[i].Value)
		}
		g.Expect(values).To(Equal(was))
	}
}

func TestLabelledThatIsNone(t *testing.T) {
	for line, want := range map[string]string{
		`{"response":"r"}`:                                                   `:1 is not a labelled sample: expected "human_label", a number or true or false, or "human_labels", got neither`,
		`{"response":"r","human_label":"yes"}`:                               `:1 is not a labelled sample: expected a label that is a number or true or false, got "yes"`,
		`{"response":"r","human_labels":["Entailment"]}`:                     `expected a label that is a number or true or false, got "Entailment"`,
		`{"response":"r","human_labels":[null]}`:                             `got neither`,
		`{"response":"r","human_label":1`:                                    `:1 is not a labelled sample`,
		`{"name":"a","human_label":1}` + "\n" + `{"id":"a","human_label":1}`: `:2 has the name "a" of line 1; names must differ`,
		``: `has no labelled samples`,
	} {
		t.Run(line, func(t *testing.T) {
			_, err := ragtest.ParseLabelled("labels.jsonl", []byte(line))
			NewWithT(t).Expect(err).To(MatchError(ContainSubstring(want)))
		})
	}
	_, err := ragtest.ReadLabelled(filepath.Join(t.TempDir(), "none.jsonl"))
	NewWithT(t).Expect(err).To(MatchError(os.ErrNotExist))
}

func TestConsensus(t *testing.T) {
	g := NewWithT(t)
	for _, of := range []struct {
		labels []float64
		want   float64
		ok     bool
	}{
		{[]float64{1}, 1, true},
		{[]float64{1, 0, 1}, 1, true},
		{[]float64{1, 0}, 0, false},
		{[]float64{0, 1, 1, 0}, 0, false},
		{[]float64{5, 3, 3, 1}, 3, true},
		{[]float64{5, 3, 2}, 3, true},
		{[]float64{4, 2}, 0, false},
		{nil, 0, false},
	} {
		var l ragtest.Labelled
		for _, v := range of.labels {
			l.Labels = append(l.Labels, ragtest.Label{Value: v})
		}
		v, ok := l.Consensus()
		g.Expect(ok).To(Equal(of.ok), "%v", of.labels)
		if ok {
			g.Expect(v).To(Equal(of.want), "%v", of.labels)
		}
	}
}

// The sets that come with the library are what their documentation says.
func TestLabelledFixtures(t *testing.T) {
	g := NewWithT(t)
	for _, of := range []struct {
		set      []ragtest.Labelled
		n, yes   int
		contexts int
	}{{fixtures.Claims40(), 40, 20, 10}, {fixtures.ExpertQA60(), 60, 30, 60}} {
		c, err := ragtest.CountLabels(of.set, 0.8, 0.1)
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(c).To(Equal(ragtest.ClassCounts{Yes: of.yes, No: of.n - of.yes, Needed: 60}))
		contexts := map[string]bool{}
		for _, l := range of.set {
			contexts[strings.Join(l.Sample.RetrievedContexts, "\n")] = true
		}
		g.Expect(len(contexts)).To(Equal(of.contexts))
	}
	var doubtful int
	for _, l := range fixtures.ExpertQA60() {
		if len(l.Sample.Tags) > 0 {
			doubtful++
		}
	}
	g.Expect(doubtful).To(Equal(15))
	fixtures.Claims40()[0].Sample.Response = "changed"
	g.Expect(fixtures.Claims40()[0].Sample.Response).To(Equal("The library is closed on Sundays."), "each call returns its own")
}
