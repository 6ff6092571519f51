package example_test

import (
	"testing"

	. "github.com/onsi/gomega"

	. "github.com/ragomega/ragomega/matchers"
	"github.com/ragomega/ragomega/ragtest"
)

// The five metrics look at one answer from all sides. What they share is asked
// for once: for three contexts they take nine requests to the judge, and two for
// embeddings.
func TestFiveMetrics(t *testing.T) {
	for _, name := range []string{"report-damage", "share-code"} {
		NewWithT(t).Expect(sample(t, name)).To(SatisfyAll(
			HaveScoreAbove(ragtest.Faithfulness, 0.9),
			HaveScoreAbove(ragtest.AnswerRelevance, 0.5),
			HaveScoreAbove(ragtest.ContextPrecision, 0.9),
			HaveScoreAbove(ragtest.ContextRecall, 0.9),
			HaveScoreAbove(ragtest.AnswerCorrectness, 0.6),
		))
	}
}
