package matchers

import (
	"fmt"
	"reflect"

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

// HaveFaithfulnessAbove succeeds if more than the share min of the answer's
// claims is supported by the sample's RetrievedContexts. min is at least 0 and
// below 1.
//
//	Expect(sample).To(HaveFaithfulnessAbove(0.8)) // 4 of 5 is not enough
//
// See [ragtest.Faithfulness].
func HaveFaithfulnessAbove(min float64) *Matcher {
	m := HaveScoreAbove(ragtest.Faithfulness, min)
	m.name = fmt.Sprintf("HaveFaithfulnessAbove(%v)", min)
	return m
}

// HaveContextRecallAbove succeeds if more than the share min of the claims of
// the sample's Reference is supported by its RetrievedContexts: if the retriever
// found that much of what a good answer needs. min is at least 0 and below 1.
//
//	Expect(sample).To(HaveContextRecallAbove(0.8))
//
// See [ragtest.ContextRecall].
func HaveContextRecallAbove(min float64) *Matcher {
	m := HaveScoreAbove(ragtest.ContextRecall, min)
	m.name = fmt.Sprintf("HaveContextRecallAbove(%v)", min)
	return m
}

// HaveScoreAbove succeeds if metric scores the sample above min. A min that is
// no number, or that no score of the metric can lie above, is an error.
//
//	Expect(sample).To(HaveScoreAbove(brevity, 0.5))
func HaveScoreAbove(metric ragtest.Metric, min float64) *Matcher {
	m := HaveScore(metric, gomega.BeNumerically(">", min))
	m.name = fmt.Sprintf("HaveScoreAbove(%s, %v)", nameOf(metric), min)
	m.want = fmt.Sprintf("to have %s above %v", nameOf(metric), min)
	m.bound, m.above = &min, true
	return m
}

// HaveScore succeeds if the score that metric gives the sample satisfies
// expected: a matcher, or a number that it must equal.
//
//	Expect(sample).To(HaveScore(ragtest.ContextRecall, BeNumerically(">=", 0.8)))
//	Expect(sample).To(HaveScore(ragtest.Faithfulness, 1))
func HaveScore(metric ragtest.Metric, expected any) *Matcher {
	m := &Matcher{config: config{metric: metric}}
	if matcher, ok := expected.(gomega.OmegaMatcher); ok {
		m.expected = matcher
		m.name = fmt.Sprintf("HaveScore(%s, …)", nameOf(metric))
		m.want = fmt.Sprintf("to have a %s that satisfies %s", nameOf(metric), describe(matcher))
		return m
	}
	m.name = fmt.Sprintf("HaveScore(%s, %v)", nameOf(metric), expected)
	m.want = fmt.Sprintf("to have a %s of %v", nameOf(metric), expected)
	if bound, ok := number(expected); ok {
		m.bound, m.expected = &bound, gomega.BeNumerically("==", bound)
	}
	return m
}

// number returns v as a float64, if it is a number of any type.
func number(v any) (float64, bool) {
	switch r := reflect.ValueOf(v); {
	case r.IsValid() && r.CanInt():
		return float64(r.Int()), true
	case r.IsValid() && r.CanUint():
		return float64(r.Uint()), true
	case r.IsValid() && r.CanFloat():
		return r.Float(), true
	}
	return 0, false
}

func nameOf(m ragtest.Metric) string {
	if m == nil {
		return "<nil metric>"
	}
	return m.Name()
}
