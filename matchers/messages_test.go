package matchers_test

import (
	"context"
	"testing"

	. "github.com/onsi/gomega"

	. "github.com/ragomega/ragomega/matchers"
	"github.com/ragomega/ragomega/ragtest"
)

// failure returns what a failing assertion prints.
func failure(assert func(g Gomega)) (message string) {
	assert(NewGomega(func(m string, _ ...int) { message = m }))
	return message
}

// misranked has what helps behind what does not.
var misranked = ragtest.Sample{
	Name: "misranked", UserInput: louvre.UserInput, Reference: louvre.Reference,
	RetrievedContexts: []string{louvre.RetrievedContexts[1], louvre.RetrievedContexts[0]},
}

// third is a metric without verdicts.
var third = ragtest.NewMetric("third", func(context.Context, *ragtest.Judge, ragtest.Sample) (ragtest.Score, error) {
	return ragtest.Score{Value: 1 / 3.0}, nil
})

// What messages show of the samples.
const (
	moonShown = `Expected
    <ragtest.Sample>: moon
        Q: Who walked on the Moon first?
        A: Armstrong walked first. He was born in Texas.
        reference: Armstrong walked first. It was in 1969.
        (1 context)
`
	louvreShown = `Expected
    <ragtest.Sample>: louvre
        Q: Where is the Louvre?
        A: The Louvre is in Paris.
        reference: The Louvre is in Paris.
        (2 contexts)
`
	misrankedShown = `Expected
    <ragtest.Sample>: misranked
        Q: Where is the Louvre?
        reference: The Louvre is in Paris.
        (2 contexts)
`
)

// A message names the sentence at fault, whatever the matcher and whatever was
// expected of it.
func TestMessages(t *testing.T) {
	standing(t)
	for name, test := range map[string]struct {
		assert func(g Gomega)
		want   string
	}{
		"a string is faithful to": {
			func(g Gomega) {
				g.Expect("The Louvre is in Paris.").NotTo(BeFaithfulTo("The Louvre is in Paris, France.").Asked("Where?"))
			},
			`Expected
    <string>: The Louvre is in Paris.
not to be faithful to the contexts given
but the judge found
    faithfulness 1.00 (1/1)
      ✓ 1. The Louvre is in Paris
    judge: literal at in-process, uncalibrated; claims/v2, verify/v2; asked`,
		},
		"a string is not": {
			func(g Gomega) { g.Expect("The Louvre is in Paris.").To(BeFaithfulTo("The Louvre is in France.")) },
			`Expected
    <string>: The Louvre is in Paris.
to be faithful to the contexts given
but the judge found
    faithfulness 0.00 (0/1)
      ✗ 1. The Louvre is in Paris
           no document says so
           nearest: "The Louvre is in France."
    judge: literal at in-process, uncalibrated; claims/v2, verify/v2; asked`,
		},
		"BeFaithful": {
			func(g Gomega) { g.Expect(moon).To(BeFaithful()) },
			moonShown + `to be faithful to its contexts
but the judge found
    faithfulness 0.50 (1/2)
      ✓ 1. Armstrong walked first
      ✗ 2. He was born in Texas
           no document says so
           nearest: "He was born in Ohio."
    judge: literal at in-process, uncalibrated; claims/v2, verify/v2; asked`,
		},
		"not BeFaithful": {
			func(g Gomega) { g.Expect(louvre).NotTo(BeFaithful()) },
			louvreShown + `not to be faithful to its contexts
but the judge found
    faithfulness 1.00 (1/1)
      ✓ 1. The Louvre is in Paris
    judge: literal at in-process, uncalibrated; claims/v2, verify/v2; asked`,
		},
		"BeCorrect": {
			func(g Gomega) { g.Expect(moon).To(BeCorrect()) },
			moonShown + `to be correct by its reference
but the judge found
    answer_correctness_weights_1_0 0.50
      ✓ 1. answer: Armstrong walked first
      ✗ 2. unsupported by the reference: He was born in Texas
           no claim of the reference says so
      ✓ 3. reference: Armstrong walked first
      ✗ 4. missing from the answer: It was in 1969
           no claim of the answer says so
    judge: literal at in-process, uncalibrated; 2 claims/v2, compare/v1; asked`,
		},
		"not BeCorrect": {
			func(g Gomega) { g.Expect(louvre).NotTo(BeCorrect()) },
			louvreShown + `not to be correct by its reference
but the judge found
    answer_correctness_weights_1_0 1.00
      ✓ 1. answer: The Louvre is in Paris
      ✓ 2. reference: The Louvre is in Paris
    judge: literal at in-process, uncalibrated; 2 claims/v2, compare/v1; asked`,
		},
		"HaveFaithfulnessAbove": {
			func(g Gomega) { g.Expect(moon).To(HaveFaithfulnessAbove(0.5)) },
			moonShown + `to have faithfulness above 0.5
but the judge found
    faithfulness 0.50 (1/2)
      ✓ 1. Armstrong walked first
      ✗ 2. He was born in Texas
           no document says so
           nearest: "He was born in Ohio."
    judge: literal at in-process, uncalibrated; claims/v2, verify/v2; asked`,
		},
		"not HaveFaithfulnessAbove": {
			func(g Gomega) { g.Expect(moon).NotTo(HaveFaithfulnessAbove(0.4)) },
			moonShown + `not to have faithfulness above 0.4
but the judge found
    faithfulness 0.50 (1/2)
      ✓ 1. Armstrong walked first
      ✗ 2. He was born in Texas
           no document says so
           nearest: "He was born in Ohio."
    judge: literal at in-process, uncalibrated; claims/v2, verify/v2; asked`,
		},
		"HaveAnswerRelevanceAbove": {
			func(g Gomega) { g.Expect(moon).To(HaveAnswerRelevanceAbove(0.5)) },
			moonShown + `to have answer_relevance above 0.5
but the judge found
    answer_relevance 0.25
      ✓ 1. Is it so that Armstrong walked first? (0.31)
      ✓ 2. Who says that He was born in Texas? (0.14)
      ✓ 3. Why is it that Armstrong walked first? (0.31)
    judge: literal at in-process, uncalibrated; questions/v1; asked`,
		},
		"HaveAnswerRelevanceAbove, evasive": {
			func(g Gomega) {
				g.Expect(ragtest.Sample{Name: "dunno", UserInput: "Who?", Response: "I do not know."}).To(HaveAnswerRelevanceAbove(0))
			},
			`Expected
    <ragtest.Sample>: dunno
        Q: Who?
        A: I do not know.
        (0 contexts)
to have answer_relevance above 0
but the judge found
    answer_relevance 0.00 (0/3)
      ✗ 1. Is it so that I do not know?
           the answer is evasive
      ✗ 2. Who says that I do not know?
           the answer is evasive
      ✗ 3. Why is it that I do not know?
           the answer is evasive
    judge: literal at in-process, uncalibrated; questions/v1; asked`,
		},
		"not HaveAnswerRelevanceAbove": {
			func(g Gomega) { g.Expect(louvre).NotTo(HaveAnswerRelevanceAbove(0.5)) },
			louvreShown + `not to have answer_relevance above 0.5
but the judge found
    answer_relevance 0.58
      ✓ 1. Is it so that The Louvre is in Paris? (0.60)
      ✓ 2. Who says that The Louvre is in Paris? (0.53)
      ✓ 3. Why is it that The Louvre is in Paris? (0.60)
    judge: literal at in-process, uncalibrated; questions/v1; asked`,
		},
		"HaveContextPrecisionAbove": {
			func(g Gomega) { g.Expect(misranked).To(HaveContextPrecisionAbove(0.8)) },
			misrankedShown + `to have context_precision above 0.8
but the judge found
    context_precision 0.50
      ✗ 1. context 1: It opened in 1793.
           it says nothing of the answer
      ✓ 2. context 2: The Louvre is in Paris, France.
    judge: literal at in-process, uncalibrated; 2 useful/v1; asked`,
		},
		"not HaveContextPrecisionAbove": {
			func(g Gomega) { g.Expect(louvre).NotTo(HaveContextPrecisionAbove(0.8)) },
			louvreShown + `not to have context_precision above 0.8
but the judge found
    context_precision 1.00
      ✓ 1. context 1: The Louvre is in Paris, France.
      ✗ 2. context 2: It opened in 1793.
           it says nothing of the answer
    judge: literal at in-process, uncalibrated; 2 useful/v1; asked`,
		},
		"HaveContextRecallAbove": {
			func(g Gomega) { g.Expect(&moon).To(HaveContextRecallAbove(0.5)) },
			`Expected
    <*ragtest.Sample | 0x…>: moon
        Q: Who walked on the Moon first?
        A: Armstrong walked first. He was born in Texas.
        reference: Armstrong walked first. It was in 1969.
        (1 context)
to have context_recall above 0.5
but the judge found
    context_recall 0.50 (1/2)
      ✓ 1. Armstrong walked first
      ✗ 2. It was in 1969
           no document says so
           nearest: "Armstrong walked first, in 1969."
    judge: literal at in-process, uncalibrated; claims/v2, verify/v2; asked`,
		},
		"not HaveContextRecallAbove": {
			func(g Gomega) { g.Expect(&louvre).NotTo(HaveContextRecallAbove(0.5)) },
			`Expected
    <*ragtest.Sample | 0x…>: louvre
        Q: Where is the Louvre?
        A: The Louvre is in Paris.
        reference: The Louvre is in Paris.
        (2 contexts)
not to have context_recall above 0.5
but the judge found
    context_recall 1.00 (1/1)
      ✓ 1. The Louvre is in Paris
    judge: literal at in-process, uncalibrated; claims/v2, verify/v2; asked`,
		},
		"HaveAnswerCorrectnessAbove": {
			func(g Gomega) { g.Expect(moon).To(HaveAnswerCorrectnessAbove(0.7)) },
			moonShown + `to have answer_correctness above 0.7
but the judge found
    answer_correctness 0.54
      ✓ 1. answer: Armstrong walked first
      ✗ 2. unsupported by the reference: He was born in Texas
           no claim of the reference says so
      ✓ 3. reference: Armstrong walked first
      ✗ 4. missing from the answer: It was in 1969
           no claim of the answer says so
    judge: literal at in-process, uncalibrated; 2 claims/v2, compare/v1; asked`,
		},
		"not HaveAnswerCorrectnessAbove": {
			func(g Gomega) { g.Expect(louvre).NotTo(HaveAnswerCorrectnessAbove(0.7)) },
			louvreShown + `not to have answer_correctness above 0.7
but the judge found
    answer_correctness 1.00
      ✓ 1. answer: The Louvre is in Paris
      ✓ 2. reference: The Louvre is in Paris
    judge: literal at in-process, uncalibrated; 2 claims/v2, compare/v1; asked`,
		},
		"HaveScoreAbove, a number alone": {
			func(g Gomega) { g.Expect(moon).To(HaveScoreAbove(ragtest.SemanticSimilarity, 0.9)) },
			moonShown + `to have semantic_similarity above 0.9
but the judge found
    semantic_similarity 0.67`,
		},
		"not HaveScoreAbove": {
			func(g Gomega) { g.Expect(moon).NotTo(HaveScoreAbove(third, 0)) },
			moonShown + `not to have third above 0
but the judge found
    third 0.33`,
		},
		"HaveScoreAbove, hardly below": {
			func(g Gomega) { g.Expect(moon).To(HaveScoreAbove(third, 0.334)) },
			moonShown + `to have third above 0.334
but the judge found 0.3333333333333333, that is
    third 0.33`,
		},
		"HaveScore, a number": {
			func(g Gomega) { g.Expect(louvre).To(HaveScore(ragtest.Faithfulness, 0.5)) },
			louvreShown + `to have a faithfulness of 0.5
but the judge found
    faithfulness 1.00 (1/1)
      ✓ 1. The Louvre is in Paris
    judge: literal at in-process, uncalibrated; claims/v2, verify/v2; asked`,
		},
		"HaveScore, a matcher": {
			func(g Gomega) {
				g.Expect(louvre).To(HaveScore(ragtest.Faithfulness, BeNumerically("<", 0.5)), "the %s", "Louvre")
			},
			`the Louvre
Expected
    <ragtest.Sample>: louvre
        Q: Where is the Louvre?
        A: The Louvre is in Paris.
        reference: The Louvre is in Paris.
        (2 contexts)
to have a faithfulness that satisfies < 0.5
but the judge found
    faithfulness 1.00 (1/1)
      ✓ 1. The Louvre is in Paris
    judge: literal at in-process, uncalibrated; claims/v2, verify/v2; asked`,
		},
		"not HaveScore, matchers": {
			func(g Gomega) {
				g.Expect(louvre).NotTo(HaveScore(ragtest.Faithfulness, And(BeNumerically(">", 0.5), Not(BeZero()))))
			},
			louvreShown + `not to have a faithfulness that satisfies And(BeNumerically(">", 0.5), Not(BeZero()))
but the judge found
    faithfulness 1.00 (1/1)
      ✓ 1. The Louvre is in Paris
    judge: literal at in-process, uncalibrated; claims/v2, verify/v2; asked`,
		},
		"HaveVerdicts": {
			func(g Gomega) {
				g.Expect(moon).To(HaveVerdicts(ragtest.Faithfulness, ContainElement(HaveField("Claim", ContainSubstring("Ohio")))))
			},
			moonShown + `to have verdicts on faithfulness that satisfy ContainElement(HaveField("Claim", ContainSubstring("Ohio")))
but the judge found
    faithfulness 0.50 (1/2)
      ✓ 1. Armstrong walked first
      ✗ 2. He was born in Texas
           no document says so
           nearest: "He was born in Ohio."
    judge: literal at in-process, uncalibrated; claims/v2, verify/v2; asked`,
		},
		"not HaveVerdicts": {
			func(g Gomega) { g.Expect(moon).NotTo(HaveVerdicts(ragtest.Faithfulness, HaveLen(2))) },
			moonShown + `not to have verdicts on faithfulness that satisfy HaveLen(2)
but the judge found
    faithfulness 0.50 (1/2)
      ✓ 1. Armstrong walked first
      ✗ 2. He was born in Texas
           no document says so
           nearest: "He was born in Ohio."
    judge: literal at in-process, uncalibrated; claims/v2, verify/v2; asked`,
		},
		"HaveVerdict": {
			func(g Gomega) { g.Expect(misranked).To(HaveVerdict(ragtest.ContextPrecision, 1, true)) },
			misrankedShown + `to have a yes as verdict 1 of context_precision
but the judge found
    context_precision 0.50
      ✗ 1. context 1: It opened in 1793.
           it says nothing of the answer
      ✓ 2. context 2: The Louvre is in Paris, France.
    judge: literal at in-process, uncalibrated; 2 useful/v1; asked`,
		},
		"not HaveVerdict": {
			func(g Gomega) { g.Expect(misranked).NotTo(HaveVerdict(ragtest.ContextPrecision, 1, false)) },
			misrankedShown + `not to have a no as verdict 1 of context_precision
but the judge found
    context_precision 0.50
      ✗ 1. context 1: It opened in 1793.
           it says nothing of the answer
      ✓ 2. context 2: The Louvre is in Paris, France.
    judge: literal at in-process, uncalibrated; 2 useful/v1; asked`,
		},
		"HaveVerdict, a matcher": {
			func(g Gomega) {
				g.Expect(misranked).To(HaveVerdict(ragtest.ContextPrecision, 2, HaveField("Reason", BeEmpty())))
			},
			misrankedShown + `to have a verdict 2 of context_precision that satisfies HaveField("Reason", BeEmpty())
but the judge found
    context_precision 0.50
      ✗ 1. context 1: It opened in 1793.
           it says nothing of the answer
      ✓ 2. context 2: The Louvre is in Paris, France.
    judge: literal at in-process, uncalibrated; 2 useful/v1; asked`,
		},
		"HaveRejected": {
			func(g Gomega) {
				g.Expect(moon).To(HaveRejected(ragtest.Faithfulness, ContainSubstring("Ohio"), "Armstrong walked first"))
			},
			moonShown + `to have faithfulness reject exactly ContainSubstring("Ohio") and "Armstrong walked first"
but the judge found
    faithfulness 0.50 (1/2)
      ✓ 1. Armstrong walked first
      ✗ 2. He was born in Texas
           no document says so
           nearest: "He was born in Ohio."
    judge: literal at in-process, uncalibrated; claims/v2, verify/v2; asked`,
		},
		"not HaveRejected": {
			func(g Gomega) { g.Expect(moon).NotTo(HaveRejected(ragtest.Faithfulness, ContainSubstring("Texas"))) },
			moonShown + `not to have faithfulness reject exactly ContainSubstring("Texas")
but the judge found
    faithfulness 0.50 (1/2)
      ✓ 1. Armstrong walked first
      ✗ 2. He was born in Texas
           no document says so
           nearest: "He was born in Ohio."
    judge: literal at in-process, uncalibrated; claims/v2, verify/v2; asked`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			got := pointer.ReplaceAllString(failure(test.assert), "0x…")
			g.Expect(got).To(Equal(test.want))
		})
	}
}
