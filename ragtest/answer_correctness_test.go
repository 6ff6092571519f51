package ragtest_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	. "github.com/onsi/gomega"
	"pgregory.net/rapid"

	"github.com/ragomega/ragomega/cache"
	"github.com/ragomega/ragomega/fixtures"
	"github.com/ragomega/ragomega/ragtest"
)

// tower has two texts whose claims can be told apart.
var tower = ragtest.Sample{
	UserInput:         "How tall is the tower, and who built it?",
	Response:          "The tower is 41 m tall. Ada Holm built it.",
	Reference:         "The tower is 41 metres tall. Ines Calder built it. It is made of steel.",
	RetrievedContexts: []string{"The tower is 41 m tall."},
}

// scriptTower has the judge split both texts of tower.
func scriptTower(l *lab) {
	for text, claims := range map[string]fixtures.Reply{
		tower.Response:  fixtures.Claims("The tower is 41 m tall.", "Ada Holm built the tower."),
		tower.Reference: fixtures.Claims("The tower is 41 metres tall.", "Ines Calder built the tower.", "The tower is made of steel."),
	} {
		l.When("claims", asksOf(text), claims)
	}
}

func asksOf(text string) func(fixtures.Request) bool {
	return func(r fixtures.Request) bool {
		var data struct{ Text string }
		return r.Data(&data) == nil && data.Text == text
	}
}

func TestAnswerCorrectness(t *testing.T) {
	g := NewWithT(t)
	l := newLab(t)
	scriptTower(l)
	l.On("compare", matches([]bool{true, false}, []bool{true, false, false})).
		On(fixtures.Embeddings, fixtures.Vectors([]float64{3, 4}, []float64{1, 0}))
	score, err := l.measureEmbedded(ragtest.AnswerCorrectness, tower)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(score.Metric).To(Equal("answer_correctness"))
	f := 2 * (1 / 2.0) * (1 / 3.0) / (1/2.0 + 1/3.0) // tp 1, fp 1, fn 2
	g.Expect(score.Value).To(BeNumerically("~", 0.75*f+0.25*0.6, 1e-12))
	g.Expect(score.Verdicts).To(Equal([]ragtest.Verdict{
		{Claim: "The tower is 41 m tall.", Part: "answer", OK: true, Reason: "r"},
		{Claim: "Ada Holm built the tower.", Part: "answer", Reason: "r"},
		{Claim: "The tower is 41 metres tall.", Part: "reference", OK: true, Reason: "r"},
		{Claim: "Ines Calder built the tower.", Part: "reference", Reason: "r"},
		{Claim: "The tower is made of steel.", Part: "reference", Reason: "r"},
	}))

	g.Expect(l.Asked("claims")).To(Equal(2))
	g.Expect(l.Asked(fixtures.Any)).To(Equal(4), "the claims of both, the comparison, the embeddings")
	var steps []string
	for _, x := range score.Exchanges {
		steps = append(steps, x.Step)
	}
	g.Expect(steps).To(Equal([]string{"claims/v2", "claims/v2", "compare/v1"}))
	for _, r := range l.Requests() {
		if r.Step != "compare" {
			continue
		}
		var data struct {
			Question          string
			Answer, Reference map[string]string
		}
		exactly(g, r, &data, "question", "answer", "reference")
		g.Expect(data.Question).To(Equal(tower.UserInput))
		g.Expect(data.Answer).To(Equal(map[string]string{"a1": "The tower is 41 m tall.", "a2": "Ada Holm built the tower."}))
		g.Expect(data.Reference).To(HaveKeyWithValue("r3", "The tower is made of steel."))
		g.Expect(data.Reference).To(HaveLen(3))
	}
}

// Claims are asked for as faithfulness and context recall ask, so that they are
// paid for once, and other weights ask for nothing.
func TestAnswerCorrectnessSharesClaims(t *testing.T) {
	g := NewWithT(t)
	l := newLab(t)
	scriptTower(l)
	l.On("verify", fixtures.Verdicts(true, false), fixtures.Verdicts(true, false, false)).
		On("compare", matches([]bool{true, false}, []bool{true, false, false})).
		On(fixtures.Embeddings, fixtures.Vectors([]float64{3, 4}, []float64{1, 0}))
	value := func(m ragtest.Metric) float64 {
		t.Helper()
		score, err := l.measureEmbedded(m, tower)
		g.Expect(err).NotTo(HaveOccurred())
		return score.Value
	}
	g.Expect(value(ragtest.Faithfulness)).To(Equal(0.5))
	g.Expect(value(ragtest.ContextRecall)).To(Equal(1 / 3.0))
	value(ragtest.AnswerCorrectness)
	g.Expect(l.Asked("claims")).To(Equal(2))
	asked := l.Asked(fixtures.Any)
	g.Expect(asked).To(Equal(6))

	g.Expect(value(ragtest.SemanticSimilarity)).To(BeNumerically("~", 0.6, 1e-12))
	g.Expect(value(ragtest.AnswerCorrectness.Weights(0, 2))).To(BeNumerically("~", 0.6, 1e-12))
	g.Expect(value(ragtest.AnswerCorrectness.Weights(3, 0))).To(BeNumerically("~", 0.4, 1e-12))
	g.Expect(value(ragtest.AnswerCorrectness.Weights(1, 0).Beta(0))).To(Equal(0.5), "precision")
	g.Expect(value(ragtest.AnswerCorrectness.Weights(1, 0).Beta(1e6))).To(BeNumerically("~", 1/3.0, 1e-6), "recall")
	g.Expect(l.Asked(fixtures.Any)).To(Equal(asked))
}

// Without weight of the similarity no embedder is needed.
func TestAnswerCorrectnessWithoutSimilarity(t *testing.T) {
	g := NewWithT(t)
	l := newLab(t)
	scriptTower(l)
	l.On("compare", matches([]bool{true, true}, []bool{true, true, true}))
	score, err := l.measure(l.Judge.Judge(), ragtest.AnswerCorrectness.Weights(1, 0), tower)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(score.Value).To(Equal(1.0))
	g.Expect(l.Asked(fixtures.Any)).To(Equal(3))
}

// If one of the texts makes no claim nothing of the other is found, and nobody
// is asked to look; if neither does there is nothing to compare.
func TestAnswerCorrectnessWithoutClaims(t *testing.T) {
	for name, test := range map[string]struct {
		answer, reference []string
		verdicts          []ragtest.Verdict
	}{
		"of the answer": {nil, []string{"It opened in 1932."}, []ragtest.Verdict{
			{Claim: "It opened in 1932.", Part: "reference", Reason: "the answer makes no claim"},
		}},
		"of the reference": {[]string{"It opened in 1932.", "It is a bridge."}, nil, []ragtest.Verdict{
			{Claim: "It opened in 1932.", Part: "answer", Reason: "the reference makes no claim"},
			{Claim: "It is a bridge.", Part: "answer", Reason: "the reference makes no claim"},
		}},
		"of either": {nil, nil, nil},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			l := newLab(t)
			l.When("claims", asksOf(bridge.Response), fixtures.Claims(test.answer...)).
				When("claims", asksOf(bridge.Reference), fixtures.Claims(test.reference...)).
				On(fixtures.Embeddings, fixtures.Vectors([]float64{3, 4}, []float64{1, 0}))
			score, err := l.measureEmbedded(ragtest.AnswerCorrectness, bridge)
			g.Expect(l.Asked("compare")).To(BeZero())
			if test.verdicts == nil {
				g.Expect(err).To(MatchError(ragtest.ErrUndefined))
				g.Expect(score).To(BeZero())
				g.Expect(l.Asked(fixtures.Embeddings)).To(BeZero())
				return
			}
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(score.Value).To(BeNumerically("~", 0.25*0.6, 1e-12))
			g.Expect(score.Verdicts).To(Equal(test.verdicts))
		})
	}
}

// Every claim of both texts has one verdict, or there is no score.
func TestBadComparisons(t *testing.T) {
	for name, test := range map[string]struct {
		reply string
		kind  error
		want  string
	}{
		"a claim of the answer left out":    {`{"a1":{"reason":"r","found":true},"r1":{"reason":"r","found":true}}`, ragtest.ErrMiscounted, "expected one entry for each of 3 claims, got none for a2"},
		"a claim of the reference left out": {`{"a1":{"reason":"r","found":true},"a2":{"reason":"r","found":true}}`, ragtest.ErrMiscounted, "got none for r1"},
		"one too many":                      {`{"a1":{"reason":"r","found":true},"a2":{"reason":"r","found":true},"r1":{"reason":"r","found":true},"r2":{"reason":"r","found":true}}`, ragtest.ErrMiscounted, "got one for r2, not asked about"},
		"other names":                       {`{"1":{"reason":"r","found":true},"2":{"reason":"r","found":true},"3":{"reason":"r","found":true}}`, ragtest.ErrMiscounted, "none for a1, a2, r1 and one for 1, 2, 3, not asked about"},
		"no verdict":                        {`{"a1":{"reason":"r"},"a2":{"reason":"r","found":true},"r1":{"reason":"r","found":true}}`, ragtest.ErrMalformed, `expected "found" in every entry, got none in entry a1`},
		"half a verdict":                    {`{"a1":{"reason":"r","found":0.5},"a2":{"reason":"r","found":true},"r1":{"reason":"r","found":true}}`, ragtest.ErrMalformed, "expected true or false, got 0.5"},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			l := newLab(t)
			l.When("claims", asksOf(bridge.Response), fixtures.Claims("The bridge opened in 1932.", "There is a bridge.")).
				When("claims", asksOf(bridge.Reference), fixtures.Claims("It opened in 1932.")).
				On("compare", fixtures.Text(test.reply), fixtures.Text(test.reply)).
				Embeds(map[string][]float64{bridge.Response: {1}, bridge.Reference: {1}})
			score, err := l.measureEmbedded(ragtest.AnswerCorrectness, bridge)
			g.Expect(score).To(BeZero())
			g.Expect(err).To(MatchError(test.kind))
			g.Expect(err).To(MatchError(ContainSubstring("in step compare/v1")))
			g.Expect(err).To(MatchError(ContainSubstring(test.want)))

			// It was not kept, and what came before it was.
			l.On("compare", matches([]bool{true, true}, []bool{true}))
			score, err = l.measureEmbedded(ragtest.AnswerCorrectness, bridge)
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(score.Value).To(Equal(1.0))
			g.Expect(l.Asked("claims")).To(Equal(2))
			g.Expect(l.Asked(fixtures.Embeddings)).To(Equal(1))
		})
	}
}

func TestAnswerCorrectnessIsConfigured(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for _, m := range []interface {
		ragtest.Metric
		Range() (lowest, highest float64)
	}{
		ragtest.AnswerCorrectness.Weights(0, 0), ragtest.AnswerCorrectness.Weights(-1, 2), ragtest.AnswerCorrectness.Weights(2, -1),
		ragtest.AnswerCorrectness.Weights(nan, 1), ragtest.AnswerCorrectness.Weights(1, nan), ragtest.AnswerCorrectness.Weights(inf, 1),
		ragtest.AnswerCorrectness.Weights(math.MaxFloat64, math.MaxFloat64),
		ragtest.AnswerCorrectness.Beta(-1), ragtest.AnswerCorrectness.Beta(nan), ragtest.AnswerCorrectness.Beta(inf), ragtest.AnswerCorrectness.Beta(1e200),
	} {
		g := NewWithT(t)
		l := newLab(t)
		_, err := l.measureEmbedded(m, bridge)
		g.Expect(err).To(MatchError(MatchRegexp(`AnswerCorrectness\.(Weights|Beta): `)), m.Name())
		g.Expect(l.Asked(fixtures.Any)).To(BeZero())
		lowest, highest := m.Range()
		g.Expect([]float64{lowest, highest}).To(Equal([]float64{0, 1}), "a range all the same")
	}

	g := NewWithT(t)
	for name, m := range map[string]ragtest.Metric{
		"answer_correctness":                        ragtest.AnswerCorrectness.Weights(0.75, 0.25).Beta(1),
		"answer_correctness_weights_1_0":            ragtest.AnswerCorrectness.Weights(1, 0),
		"answer_correctness_beta_0.5":               ragtest.AnswerCorrectness.Beta(0.5),
		"answer_correctness_weights_0.6_0.4_beta_2": ragtest.AnswerCorrectness.Beta(2).Weights(0.6, 0.4),
	} {
		g.Expect(m.Name()).To(Equal(name))
	}
	for weights, want := range map[[2]float64]float64{{0.75, 0.25}: -0.25, {1, 0}: 0, {0, 3}: -1, {1, 1}: -0.5} {
		lowest, highest := ragtest.AnswerCorrectness.Weights(weights[0], weights[1]).Range()
		g.Expect([]float64{lowest, highest}).To(Equal([]float64{want, 1}))
	}

	for field, change := range map[string]func(*ragtest.Sample){
		"UserInput": func(s *ragtest.Sample) { s.UserInput = "" },
		"Response":  func(s *ragtest.Sample) { s.Response = " " },
		"Reference": func(s *ragtest.Sample) { s.Reference = "\n" },
	} {
		l := newLab(t)
		s := bridge
		change(&s)
		_, err := l.measureEmbedded(ragtest.AnswerCorrectness, s)
		var input *ragtest.InputError
		g.Expect(asError(err, &input)).To(BeTrue(), "%v", err)
		g.Expect(input.Field).To(Equal(field))
		g.Expect(l.Asked(fixtures.Any)).To(BeZero())
	}
}

// In verify mode a comparison with other reasons is the same, and one with
// another verdict is not.
func TestOtherComparisonsAreDrift(t *testing.T) {
	for reply, drifts := range map[string]int{
		`{"a1":{"reason":"another","found":true},"r1":{"reason":"another","found":1}}`: 0,
		`{"a1":{"reason":"r","found":true},"r1":{"reason":"r","found":false}}`:         1,
	} {
		g := NewWithT(t)
		l := newLab(t)
		claims := fixtures.Claims("It opened in 1932.")
		l.On("claims", claims, claims, claims, claims).
			On("compare", matches([]bool{true}, []bool{true}), fixtures.Text(reply)).
			Embeds(map[string][]float64{bridge.Response: {1}, bridge.Reference: {1}})
		_, err := l.measureEmbedded(ragtest.AnswerCorrectness, bridge)
		g.Expect(err).NotTo(HaveOccurred())
		c := l.cache(cache.Verify)
		_, err = l.Judge.Judge().CachedIn(c).WithEmbedder(l.Judge.Embedder().CachedIn(c)).Measure(t.Context(), ragtest.AnswerCorrectness, bridge)
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(c.Drifts()).To(HaveLen(drifts), reply)
	}
}

// The score lies within the range, does not depend on the order of verdicts, and
// does not fall when one more claim is found or the texts are more alike.
func TestAnswerCorrectnessProperties(t *testing.T) {
	c := off(t)
	rapid.Check(t, func(t *rapid.T) {
		found := rapid.SliceOfN(rapid.Bool(), 1, 5)
		answer, reference := found.Draw(t, "answer"), found.Draw(t, "reference")
		weights := rapid.Float64Range(0, 4)
		m := ragtest.AnswerCorrectness.
			Weights(weights.Draw(t, "factual"), weights.Draw(t, "similarity")+1e-3).Beta(weights.Draw(t, "beta"))
		vector := []float32{rapid.Float32Range(-1, 1).Draw(t, "x"), 0.5}
		measure := func() float64 {
			vectors := dictionary{"the answer": vector, "the reference": {1, 0}}
			j := inProcess(c, vectors, func(step, data string) string {
				if step == "compare" {
					return matched(answer, reference)
				}
				text, n := "the answer", len(answer)
				if strings.Contains(data, "the reference") {
					text, n = "the reference", len(reference)
				}
				var claims []string
				for i := range n {
					claims = append(claims, fmt.Sprintf(`"%s says %d"`, text, i))
				}
				return `{"claims":[` + strings.Join(claims, ",") + `]}`
			})
			score, err := j.Measure(t.Context(), m, ragtest.Sample{UserInput: "a question", Response: "the answer", Reference: "the reference"})
			if err != nil {
				t.Fatal(err)
			}
			return score.Value
		}
		value := measure()
		if lowest, highest := m.Range(); value < lowest || value > highest {
			t.Fatalf("%v lies beyond %v to %v", value, lowest, highest)
		}
		slices.Reverse(answer)
		slices.Reverse(reference)
		if other := measure(); other != value {
			t.Fatalf("%v in one order, %v in the other", value, other)
		}
		for _, list := range [][]bool{answer, reference} {
			i := rapid.IntRange(0, len(list)-1).Draw(t, "one more")
			list[i] = true
			higher := measure()
			if higher < value-1e-12 {
				t.Fatalf("%v before one more claim was found, %v after", value, higher)
			}
			value = higher
		}
		vector = []float32{vector[0] + 0.5, vector[1]}
		if higher := measure(); higher < value {
			t.Fatalf("%v before the texts were more alike, %v after", value, higher)
		}
	})
}
