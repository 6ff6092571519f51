package ragtest_test

import (
	"fmt"
	"strings"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/ragomega/ragomega/cache"
	"github.com/ragomega/ragomega/ragtest"
)

// What a reader sees of a score: what each verdict is about, why it is a no, and
// where the replies came from.
func TestScoreShowsWhatDecidedIt(t *testing.T) {
	asked := func(steps ...string) (exchanges []ragtest.Exchange) {
		for _, s := range steps {
			exchanges = append(exchanges, ragtest.Exchange{Step: s, Source: cache.Asked})
		}
		return exchanges
	}
	for name, test := range map[string]struct {
		score ragtest.Score
		want  string
	}{
		"a number alone": {
			ragtest.Score{Metric: "semantic_similarity", Value: 0.98765},
			`semantic_similarity 0.99`,
		},
		"claims": {
			ragtest.Score{Metric: "faithfulness", Value: 0.5, Verdicts: []ragtest.Verdict{
				{Claim: "Dogs\ntravel free.", OK: true, Reason: "It says so.", Quote: "Dogs travel free"},
				{Claim: "Cats travel free.", Reason: "Only\ndogs do.", Quote: "Dogs travel free"},
			}, Judge: "m at h", Exchanges: asked("claims/v2", "verify/v2")},
			`faithfulness 0.50 (1/2)
  ✓ 1. Dogs travel free.
  ✗ 2. Cats travel free.
       Only dogs do.
       nearest: "Dogs travel free"
judge: m at h, uncalibrated; claims/v2, verify/v2; asked`,
		},
		"two texts": {
			ragtest.Score{Metric: "answer_correctness", Value: 0.625, Verdicts: []ragtest.Verdict{
				{Claim: "Dogs travel free.", Part: "answer", OK: true},
				{Claim: "Cats travel free.", Part: "answer", Reason: "Cats are not spoken of."},
				{Claim: "Dogs travel free.", Part: "reference", OK: true},
				{Claim: "Horses do not.", Part: "reference"},
			}},
			`answer_correctness 0.62
  ✓ 1. answer: Dogs travel free.
  ✗ 2. unsupported by the reference: Cats travel free.
       Cats are not spoken of.
  ✓ 3. reference: Dogs travel free.
  ✗ 4. missing from the answer: Horses do not.`,
		},
		"two texts, the other word": {
			ragtest.Score{Metric: "factual_correctness", Verdicts: []ragtest.Verdict{{Claim: "Cats travel free.", Part: "response"}}},
			`factual_correctness 0.00 (0/1)
  ✗ 1. unsupported by the reference: Cats travel free.`,
		},
		"contexts": {
			ragtest.Score{Metric: "context_precision", Value: 1 / 3.0, Verdicts: []ragtest.Verdict{
				{Claim: "Cats are small.", Part: "context 1", Reason: "Nothing of fares."},
				{Claim: "Dogs are big.", Part: "context 2", Reason: "Nothing of fares."},
				{Claim: "Dogs travel free.", Part: "context 3", OK: true, Reason: "The fare."},
			}, Judge: "m at h", Exchanges: append(asked("useful/v1", "useful/v1"), ragtest.Exchange{Step: "useful/v1", Source: cache.Recorded})},
			`context_precision 0.33
  ✗ 1. context 1: Cats are small.
       Nothing of fares.
  ✗ 2. context 2: Dogs are big.
       Nothing of fares.
  ✓ 3. context 3: Dogs travel free.
judge: m at h, uncalibrated; 3 useful/v1; 1 recorded, 2 asked`,
		},
		"questions with their similarities": {
			ragtest.Score{Metric: "answer_relevance", Value: 1 / 3.0, Verdicts: []ragtest.Verdict{
				{Claim: "Do dogs travel free?", OK: true, Value: 1},
				{Claim: "What do dogs pay?", OK: true, Value: 0.25},
				{Claim: "Is it far?", Reason: "the answer is evasive", Value: -0.25},
			}, Judge: "m at h", Exchanges: asked("questions/v1", "embed/v1", "embed/v1")},
			`answer_relevance 0.33
  ✓ 1. Do dogs travel free? (1.00)
  ✓ 2. What do dogs pay? (0.25)
  ✗ 3. Is it far? (-0.25)
       the answer is evasive
judge: m at h, uncalibrated; questions/v1, 2 embed/v1; asked`,
		},
		"ratings": {
			ragtest.Score{Metric: "accuracy", Value: 0.5, Verdicts: []ragtest.Verdict{
				{Claim: "the answer says what the reference says", Part: "accuracy", OK: true, Value: 4},
				{Claim: "the answer says what the reference says", Part: "accuracy_swapped", Value: 0, Reason: "It says no such thing."},
			}},
			`accuracy 0.50
  ✓ 1. accuracy: the answer says what the reference says (4)
  ✗ 2. accuracy_swapped: the answer says what the reference says (0)
       It says no such thing.`,
		},
		"one rating, which is the score": {
			ragtest.Score{Metric: "rubric", Value: 4, Verdicts: []ragtest.Verdict{{Claim: "4: mostly right", Value: 4, Reason: "One slip."}}},
			`rubric 4.00
  ✗ 1. 4: mostly right
       One slip.`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			NewWithT(t).Expect(test.score.String()).To(Equal(test.want))
		})
	}
}

// Evidence leaves out what speaks for a sample, and who judged.
func TestEvidenceIsWhatSpeaksAgainst(t *testing.T) {
	g := NewWithT(t)
	s := ragtest.Score{Metric: "m", Value: 0.75, Judge: "j", Verdicts: []ragtest.Verdict{
		{Claim: "a", OK: true}, {Claim: "b", OK: true}, {Claim: "c", Reason: "no c"}, {Claim: "d", OK: true},
	}}
	g.Expect(s.Evidence()).To(Equal("m 0.75 (3/4)\n  ✗ 3. c\n       no c"))

	s.Verdicts[2].OK = true
	s.Verdicts[0].Value = 0.5
	g.Expect(s.Evidence()).To(Equal("m 0.75\n  ✓ 1. a (0.50)\n  ✓ 2. b (0.00)\n  ✓ 3. c (0.00)\n  ✓ 4. d (0.00)"), "none is a no")

	s.Verdicts = nil
	g.Expect(s.Evidence()).To(Equal("m 0.75"))

	for i := range 9 {
		s.Verdicts = append(s.Verdicts, ragtest.Verdict{Claim: fmt.Sprint("claim ", i), OK: i == 0})
	}
	g.Expect(s.Evidence()).To(HaveSuffix("  ✗ 6. claim 5\n  and 3 more"))
	g.Expect(strings.Count(s.Evidence(), "\n")).To(Equal(6))
}
