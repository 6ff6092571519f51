package matchers_test

import (
	"testing"

	. "github.com/onsi/gomega"

	. "github.com/ragomega/ragomega/matchers"
	"github.com/ragomega/ragomega/ragtest"
)

// tower has a number wrong, and quoting says one thing that its contexts say and one
// that they do not.
var (
	tower = ragtest.Sample{
		Name: "tower", Response: "The tower is 324 metres high.", Reference: "The tower is 330 metres high.",
		RetrievedContexts: []string{"It opened in 1889.", "The tower is 330 metres high, and made of iron."},
		ReferenceContexts: []string{"The tower is 330 metres high.", "It was painted brown."},
	}
	quoting = ragtest.Sample{
		Name: "quoting", Response: `It is "330 metres high, and made of iron" and was "painted red every year".`,
		RetrievedContexts: tower.RetrievedContexts,
	}
)

const (
	towerShown = `Expected
    <ragtest.Sample>: tower
        A: The tower is 324 metres high.
        reference: The tower is 330 metres high.
        (2 contexts)
`
	quotingShown = `Expected
    <ragtest.Sample>: quoting
        A: It is "330 metres high, and made of iron" and was "painted red every year".
        (2 contexts)
`
)

// A message shows the letters and words that make the difference.
func TestMessagesOfTexts(t *testing.T) {
	ragtest.Use(nil)
	for name, test := range map[string]struct {
		assert func(g Gomega)
		want   string
	}{
		"ExactMatch": {
			func(g Gomega) { g.Expect(tower).To(HaveScore(ragtest.ExactMatch, 1)) },
			towerShown + `to have an exact_match of 1
but the metric found
    exact_match 0.00 (0/1)
      ✗ 1. the answer is the reference
           from letter 15 on the answer has "24 metres high." and the reference "30 metres high."`,
		},
		"ExactMatch, a string has no reference": {
			func(g Gomega) { g.Expect("yes").To(HaveScore(ragtest.ExactMatch, 1)) },
			`HaveScore(exact_match, 1) expects a ragtest.Sample with Response and Reference, or a ragtest.Sampler, got an answer alone`,
		},
		"StringPresence": {
			func(g Gomega) {
				g.Expect(ragtest.Sample{Name: "height", Response: tower.Response, Reference: "330"}).To(HaveScore(ragtest.StringPresence, 1))
			},
			`Expected
    <ragtest.Sample>: height
        A: The tower is 324 metres high.
        reference: 330
        (0 contexts)
to have a string_presence of 1
but the metric found
    string_presence 0.00 (0/1)
      ✗ 1. 330
           the answer does not have it`,
		},
		"not StringPresence": {
			func(g Gomega) {
				g.Expect(ragtest.Sample{Name: "height", Response: tower.Response, Reference: "324"}).NotTo(HaveScore(ragtest.StringPresence, 1))
			},
			`Expected
    <ragtest.Sample>: height
        A: The tower is 324 metres high.
        reference: 324
        (0 contexts)
not to have a string_presence of 1
but the metric found
    string_presence 1.00 (1/1)
      ✓ 1. 324`,
		},
		"LevenshteinSimilarity": { // 2 of 29 letters differ
			func(g Gomega) { g.Expect(tower).To(HaveScoreAbove(ragtest.LevenshteinSimilarity, 0.95)) },
			towerShown + `to have levenshtein_similarity above 0.95
but the metric found
    levenshtein_similarity 0.93
      ✗ 1. the answer is the reference
           from letter 15 on the answer has "24 metres high." and the reference "30 metres high."`,
		},
		"JaroWinklerSimilarity, a matcher": {
			func(g Gomega) {
				g.Expect(tower).NotTo(HaveScore(ragtest.JaroWinklerSimilarity, BeNumerically(">", 0.9)))
			},
			towerShown + `not to have a jaro_winkler_similarity that satisfies > 0.9
but the metric found
    jaro_winkler_similarity 0.97
      ✗ 1. the answer is the reference
           from letter 15 on the answer has "24 metres high." and the reference "30 metres high."`,
		},
		"BLEU": {
			func(g Gomega) { g.Expect(tower).To(HaveScoreAbove(ragtest.BLEU, 0.9)) },
			towerShown + `to have bleu above 0.9
but the metric found
    bleu 0.41
      ✗ 1. the reference has 6 of 7 tokens of the answer (0.86)
           beyond the reference: "324"
      ✗ 2. the reference has 4 of 6 2-grams of the answer (0.67)
           beyond the reference: "is 324", "324 metres"
      ✗ 3. the reference has 2 of 5 3-grams of the answer (0.40)
           beyond the reference: "tower is 324", "is 324 metres", "324 metres high"
      ✗ 4. the reference has 0 of 4 4-grams of the answer (0.00)
           beyond the reference: "The tower is 324", "tower is 324 metres", "is 324 metres high", "324 metres high ."
      ✓ 5. the answer has 7 tokens, the reference 7 (1.00)`,
		},
		"ROUGE1": {
			func(g Gomega) { g.Expect(tower).To(HaveScoreAbove(ragtest.ROUGE1, 0.9)) },
			towerShown + `to have rouge_1 above 0.9
but the metric found
    rouge_1 0.83
      ✗ 1. the reference has 5 of 6 words of the answer (0.83)
           beyond the reference: "324"
      ✗ 2. the answer has 5 of 6 words of the reference (0.83)
           missing from the answer: "330"`,
		},
		"ROUGE2": {
			func(g Gomega) { g.Expect(tower).To(HaveScoreAbove(ragtest.ROUGE2, 0.9)) },
			towerShown + `to have rouge_2 above 0.9
but the metric found
    rouge_2 0.60
      ✗ 1. the reference has 3 of 5 2-grams of the answer (0.60)
           beyond the reference: "is 324", "324 metres"
      ✗ 2. the answer has 3 of 5 2-grams of the reference (0.60)
           missing from the answer: "is 330", "330 metres"`,
		},
		"ROUGEL, one side": {
			func(g Gomega) { g.Expect(tower).To(HaveScoreAbove(ragtest.ROUGEL.Recall(), 0.9)) },
			towerShown + `to have rouge_l_recall above 0.9
but the metric found
    rouge_l_recall 0.83
      ✗ 1. the answer has 5 of 6 words of the reference, in the same order
           missing from the answer: "330"`,
		},
		"not ROUGEL": {
			func(g Gomega) { g.Expect(tower).NotTo(HaveScoreAbove(ragtest.ROUGEL, 0.8)) },
			towerShown + `not to have rouge_l above 0.8
but the metric found
    rouge_l 0.83
      ✗ 1. the reference has 5 of 6 words of the answer, in the same order (0.83)
           beyond the reference: "324"
      ✗ 2. the answer has 5 of 6 words of the reference, in the same order (0.83)
           missing from the answer: "330"`,
		},
		"ChrF": {
			func(g Gomega) { g.Expect(tower).To(HaveScoreAbove(ragtest.ChrF, 0.9)) },
			towerShown + `to have chrf above 0.9
but the metric found
    chrf 0.78
      ✗ 1. 1-grams of letters: 22 shared, of 24 in the answer and 24 in the reference
           missing from the answer: "3", "0"; beyond the reference: "2", "4"
      ✗ 2. 2-grams of letters: 20 shared, of 23 in the answer and 23 in the reference
           missing from the answer: "33", "30", "0m"; beyond the reference: "32", "24", "4m"
      ✗ 3. 3-grams of letters: 18 shared, of 22 in the answer and 22 in the reference
           missing from the answer: "s33", "330", "30m", "0me"; beyond the reference: "s32", "324", "24m", "4me"
      ✗ 4. 4-grams of letters: 16 shared, of 21 in the answer and 21 in the reference
           missing from the answer: "is33", "s330", "330m", "30me", "0met"; beyond the reference: "is32", "s324", "324m", "24me", "4met"
      ✗ 5. 5-grams of letters: 14 shared, of 20 in the answer and 20 in the reference
           missing from the answer: "ris33", "is330", "s330m", "330me", "30met" and 1 more; beyond the reference: "ris32", "is324", "s324m", "324me", "24met" and 1 more
      ✗ 6. 6-grams of letters: 12 shared, of 19 in the answer and 19 in the reference
           missing from the answer: "eris33", "ris330", "is330m", "s330me", "330met" and 2 more; beyond the reference: "eris32", "ris324", "is324m", "s324me", "324met" and 2 more`,
		},
		"QuotedSpans": {
			func(g Gomega) { g.Expect(quoting).To(HaveScore(ragtest.QuotedSpans, 1)) },
			quotingShown + `to have a quoted_spans of 1
but the metric found
    quoted_spans 0.50 (1/2)
      ✓ 1. 330 metres high, and made of iron
      ✗ 2. painted red every year
           no context says so, letter for letter`,
		},
		"HaveRejected, of QuotedSpans": {
			func(g Gomega) { g.Expect(quoting).NotTo(HaveRejected(ragtest.QuotedSpans, "painted red every year")) },
			quotingShown + `not to have quoted_spans reject exactly "painted red every year"
but the metric found
    quoted_spans 0.50 (1/2)
      ✓ 1. 330 metres high, and made of iron
      ✗ 2. painted red every year
           no context says so, letter for letter`,
		},
		"TextContextPrecision": {
			func(g Gomega) { g.Expect(tower).To(HaveScore(ragtest.TextContextPrecision, 1)) },
			towerShown + `to have a text_context_precision of 1
but the metric found
    text_context_precision 0.50
      ✗ 1. It opened in 1889. (0.33)
           the nearest is like it to 0.33, and 0.5 is asked for
           nearest: "It was painted brown."
      ✓ 2. The tower is 330 metres high, and made of iron. (0.62)`,
		},
		"TextContextRecall": {
			func(g Gomega) { g.Expect(tower).To(HaveScoreAbove(ragtest.TextContextRecall, 0.5)) },
			towerShown + `to have text_context_recall above 0.5
but the metric found
    text_context_recall 0.50 (1/2)
      ✓ 1. The tower is 330 metres high.
      ✗ 2. It was painted brown.
           the nearest is like it to 0.33, and 0.5 is asked for
           nearest: "It opened in 1889."`,
		},
		"IDContextPrecision": {
			func(g Gomega) { g.Expect(opening).To(HaveScore(ragtest.IDContextPrecision, 1)) },
			openingShown + `to have an id_context_precision of 1
but the metric found
    id_context_precision 0.33 (1/3)
      ✗ 1. fees
           it is not among ReferenceContextIDs
      ✓ 2. hours
      ✗ 3. map
           it is not among ReferenceContextIDs`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			NewWithT(t).Expect(failure(test.assert)).To(Equal(test.want))
		})
	}
}

func TestErrorsOfTexts(t *testing.T) {
	ragtest.Use(nil)
	for name, test := range map[string]struct {
		actual  any
		matcher *Matcher
		is      error
		want    string
	}{
		"a string has no reference": {"yes", HaveScoreAbove(ragtest.ROUGEL, 0.5), nil, `HaveScoreAbove(rouge_l, 0.5) expects a ragtest.Sample with Response and Reference, or a ragtest.Sampler, got an answer alone`},
		"a blank reference":         {ragtest.Sample{Response: "yes"}, HaveScore(ragtest.StringPresence, 1), ragtest.ErrMissingInput, `Sample.Reference: an answer known to be good is needed, and it is blank`},
		"a list of IDs":             {[]string{"a"}, HaveHitAt(3), nil, `HaveHitAt(3) expects a ragtest.Sample with RetrievedContextIDs and ReferenceContextIDs, or a ragtest.Sampler, got 1 texts ([]string). Put them into a sample`},
		"a string has no IDs":       {"yes", HaveScore(ragtest.RecallAt(3), 1), nil, `HaveScore(recall_at_3, 1) expects a ragtest.Sample with RetrievedContextIDs and ReferenceContextIDs, or a ragtest.Sampler, got an answer alone`},
		"a string has no contexts":  {`"one two three"`, HaveScore(ragtest.QuotedSpans, 1), ragtest.ErrMissingInput, `Sample.RetrievedContexts: contexts to judge by are needed, and there are none`},
		"nothing is quoted":         {tower, HaveScore(ragtest.QuotedSpans, 1), ragtest.ErrUndefined, `the answer quotes nothing of 3 words or more`},
		"no ReferenceContexts":      {quoting, HaveScore(ragtest.TextContextRecall, 1), ragtest.ErrMissingInput, `Sample.ReferenceContexts: `},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			_, err := test.matcher.Match(test.actual)
			if test.is != nil {
				g.Expect(err).To(MatchError(test.is))
			}
			g.Expect(err).To(MatchError(ContainSubstring(test.want)))
			g.Expect(failure(func(g Gomega) { g.Expect(test.actual).NotTo(test.matcher) })).To(ContainSubstring(test.want))
		})
	}
	_ = ragtest.Close() // forget the failures that were made on purpose
}
