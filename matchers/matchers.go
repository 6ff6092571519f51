package matchers

import (
	"fmt"

	"github.com/onsi/gomega"

	"github.com/ragomega/ragomega/ragtest"
)

// BeFaithfulTo succeeds if every claim that the answer makes is supported by
// contexts. Actual is the answer, or a sample, whose own contexts are then not
// looked at.
//
//	Expect(answer).To(BeFaithfulTo(docs...))
//	Expect(bot.Ask(ctx, question)).To(BeFaithfulTo(docs...).Asked(question)) // (string, error)
//
// Faithful means grounded, not true. Without contexts, or with blank ones only,
// it is an error and nothing is asked. See [ragtest.Faithfulness].
func BeFaithfulTo(contexts ...string) *Matcher {
	m := BeFaithful()
	m.name, m.want = "BeFaithfulTo(…)", "to be faithful to the contexts given"
	m.contexts = append([]string{}, contexts...)
	return m
}

// BeFaithful succeeds if every claim of a sample's answer is supported by the
// sample's own RetrievedContexts. For a plain string use [BeFaithfulTo].
//
//	Expect(sample).To(BeFaithful())
//	Expect(samples).To(HaveEach(BeFaithful()))
//
// See [ragtest.Faithfulness].
func BeFaithful() *Matcher {
	m := HaveScore(ragtest.Faithfulness, 1)
	m.name, m.want = "BeFaithful()", "to be faithful to its contexts"
	return m
}

// BeCorrect succeeds if the answer says what the sample's Reference says, no
// more and no less: if the reference makes every claim of the answer, and the
// answer every claim of the reference.
//
//	Expect(sample).To(BeCorrect())
//
// A longer answer that is right in everything is not correct in this sense, as
// nobody has vouched for the rest. [HaveAnswerCorrectnessAbove] asks for less.
//
// It measures [ragtest.AnswerCorrectness] with Weights(1, 0), so it needs no
// embedder.
func BeCorrect() *Matcher {
	m := HaveScore(ragtest.AnswerCorrectness.Weights(1, 0), 1)
	m.name, m.want = "BeCorrect()", "to be correct by its reference"
	return m
}

// HaveFaithfulnessAbove succeeds if more than the share min of the answer's
// claims is supported by the sample's RetrievedContexts. min is at least 0 and
// below 1.
//
//	Expect(sample).To(HaveFaithfulnessAbove(0.8)) // 4 of 5 is not enough
//
// See [ragtest.Faithfulness].
func HaveFaithfulnessAbove(min float64) *Matcher {
	return named("HaveFaithfulnessAbove", ragtest.Faithfulness, min)
}

// HaveAnswerRelevanceAbove succeeds if the questions that the answer answers are
// closer than min to the one that was asked. min is at least -1 and below 1; what
// is a good one depends on the embedding model. The judge needs an embedder.
//
//	Expect(sample).To(HaveAnswerRelevanceAbove(0.7))
//
// See [ragtest.AnswerRelevance].
func HaveAnswerRelevanceAbove(min float64) *Matcher {
	return named("HaveAnswerRelevanceAbove", ragtest.AnswerRelevance, min)
}

// HaveContextPrecisionAbove succeeds if the sample's RetrievedContexts have the
// useful ones first, to more than min. min is at least 0 and below 1.
//
//	Expect(sample).To(HaveContextPrecisionAbove(0.8))
//
// What is useful is told by the sample's Reference. See
// [ragtest.ContextPrecision].
func HaveContextPrecisionAbove(min float64) *Matcher {
	return named("HaveContextPrecisionAbove", ragtest.ContextPrecision, min)
}

// HaveContextRecallAbove succeeds if more than the share min of the claims of
// the sample's Reference is supported by its RetrievedContexts: if the retriever
// found that much of what a good answer needs. min is at least 0 and below 1.
//
//	Expect(sample).To(HaveContextRecallAbove(0.8))
//
// See [ragtest.ContextRecall].
func HaveContextRecallAbove(min float64) *Matcher {
	return named("HaveContextRecallAbove", ragtest.ContextRecall, min)
}

// HaveAnswerCorrectnessAbove succeeds if the answer agrees with the sample's
// Reference to more than min, in its claims and in its embedding. min is below 1.
// The judge needs an embedder.
//
//	Expect(sample).To(HaveAnswerCorrectnessAbove(0.6))
//
// See [ragtest.AnswerCorrectness]; with other weights than its own, such as those
// that need no embedder, use [HaveScoreAbove].
func HaveAnswerCorrectnessAbove(min float64) *Matcher {
	return named("HaveAnswerCorrectnessAbove", ragtest.AnswerCorrectness, min)
}

// named is HaveScoreAbove under a name of its own.
func named(name string, metric ragtest.Metric, min float64) *Matcher {
	m := HaveScoreAbove(metric, min)
	m.name = fmt.Sprintf("%s(%v)", name, min)
	return m
}

// HaveScoreAbove succeeds if metric scores the sample above min. A min that is
// no number, or that no score of the metric can lie above, is an error.
//
//	Expect(sample).To(HaveScoreAbove(brevity, 0.5))
//
// Of a metric of which less is better, such as [ragtest.NoiseSensitivity], it
// says what it says of any other. What one wants to say of such a metric is
//
//	Expect(sample).To(HaveScore(ragtest.NoiseSensitivity, BeNumerically("<", 0.2)))
func HaveScoreAbove(metric ragtest.Metric, min float64) *Matcher {
	m := HaveScore(metric, gomega.BeNumerically(">", min))
	m.name = fmt.Sprintf("HaveScoreAbove(%s, %v)", nameOf(metric), min)
	m.want = fmt.Sprintf("to have %s above %v", nameOf(metric), min)
	m.bound = &bound{at: min, above: true}
	return m
}

// HaveScore succeeds if the score that metric gives the sample satisfies
// expected: a matcher, or a number that it must equal.
//
//	Expect(sample).To(HaveScore(ragtest.ContextRecall, BeNumerically(">=", 0.8)))
//	Expect(sample).To(HaveScore(ragtest.Faithfulness, 1))
func HaveScore(metric ragtest.Metric, expected any) *Matcher {
	m := &Matcher{config: config{metric: metric}}
	var text string
	m.expected, m.bound, text = expectation(expected)
	m.name = fmt.Sprintf("HaveScore(%s, %s)", nameOf(metric), inName(expected))
	m.want = fmt.Sprintf("to have %s %s", one(nameOf(metric)), text)
	return m
}

// inName is how names of matchers show what is expected: as the test wrote it.
func inName(expected any) string {
	if m, ok := expected.(gomega.OmegaMatcher); ok {
		return typed(m)
	}
	return fmt.Sprint(expected)
}
