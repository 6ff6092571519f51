package ragtest_test

import (
	"math"
	"strconv"
	"strings"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/ragomega/ragomega/ragtest"
	"github.com/ragomega/ragomega/ragtest/lexical"
)

// lantern is an answer that says most of its reference, and one thing otherwise.
var lantern = ragtest.Sample{
	Response:          "The Lantern Tower is 42 metres tall, or “about as tall as the mill”.",
	Reference:         "The Lantern Tower is 41 metres tall.",
	RetrievedContexts: []string{"Oak burns slowly.", "The Lantern Tower is 41 metres tall, about  as tall as the mill."},
	ReferenceContexts: []string{"The Lantern Tower is 41 metres tall, about as tall as the mill.", "It was built in 1907."},
}

func TestEvidenceOfTextMetrics(t *testing.T) {
	for _, test := range []struct {
		m    ragtest.Metric
		want string
	}{
		{ragtest.ExactMatch, `exact_match 0.00 (0/1)
  ✗ 1. the answer is the reference
       from letter 23 on the answer has "2 metres tall, or “about as ta…" and the reference "1 metres tall."`},
		{ragtest.StringPresence, `string_presence 0.00 (0/1)
  ✗ 1. The Lantern Tower is 41 metres tall.
       the answer does not have it
       nearest: "The Lantern Tower is 42 metres tall, or “about as tall as the mill”."`},
		{ragtest.LevenshteinSimilarity, `levenshtein_similarity 0.51
  ✗ 1. the answer is the reference
       from letter 23 on the answer has "2 metres tall, or “about as ta…" and the reference "1 metres tall."`},
		{ragtest.ROUGE1, `rouge_1 0.57
  ✗ 1. the reference has 6 of 14 words of the answer (0.43)
       beyond the reference: "the", "42", "tall", "or", "about" and 2 more
  ✗ 2. the answer has 6 of 7 words of the reference (0.86)
       missing from the answer: "41"`},
		{ragtest.ROUGE2.Precision(), `rouge_2_precision 0.31
  ✗ 1. the reference has 4 of 13 2-grams of the answer
       beyond the reference: "is 42", "42 metres", "tall or", "or about", "about as" and 4 more`},
		{ragtest.ROUGEL.Recall(), `rouge_l_recall 0.86
  ✗ 1. the answer has 6 of 7 words of the reference, in the same order
       missing from the answer: "41"`},
		{ragtest.BLEU, `bleu 0.19
  ✗ 1. the reference has 7 of 16 tokens of the answer (0.44)
       beyond the reference: "42", "tall", ",", "or", "“about" and 3 more
  ✗ 2. the reference has 4 of 15 2-grams of the answer (0.27)
       beyond the reference: "is 42", "42 metres", "tall ,", ", or", "or “about" and 6 more
  ✗ 3. the reference has 2 of 14 3-grams of the answer (0.14)
       beyond the reference: "Tower is 42", "is 42 metres", "42 metres tall", "metres tall ,", "tall , or" and 7 more
  ✗ 4. the reference has 1 of 13 4-grams of the answer (0.08)
       beyond the reference: "Lantern Tower is 42", "Tower is 42 metres", "is 42 metres tall", "42 metres tall ,", "metres tall , or" and 7 more
  ✓ 5. the answer has 16 tokens, the reference 8 (1.00)`},
		{ragtest.ChrF.With("pairs", lexical.ChrF{CharOrder: 2, WordOrder: 1}), `chrf_pairs 0.77
  ✗ 1. 1-grams of letters: 29 shared, of 55 in the answer and 30 in the reference
       missing from the answer: "1"; beyond the reference: "h", "e", "a", "t", "r" and 11 more
  ✗ 2. 2-grams of letters: 26 shared, of 54 in the answer and 29 in the reference
       missing from the answer: "41", "1m", "l."; beyond the reference: "he", "42", "2m", "st", "ta" and 19 more
  ✗ 3. 1-grams of words: 7 shared, of 16 in the answer and 8 in the reference
       missing from the answer: "41"; beyond the reference: "42", "tall", ",", "or", "“about" and 3 more`},
		{ragtest.QuotedSpans, `quoted_spans 1.00 (1/1)
  ✓ 1. about as tall as the mill`},
		{ragtest.QuotedSpans.Exact(), `quoted_spans_exact 0.00 (0/1)
  ✗ 1. about as tall as the mill
       no context says so, letter for letter
       nearest: "The Lantern Tower is 41 metres tall, about as tall as the mill."`},
		{ragtest.TextContextPrecision, `text_context_precision 0.50
  ✗ 1. Oak burns slowly. (0.29)
       the nearest is like it to 0.29, and 0.5 is asked for
       nearest: "It was built in 1907."
  ✓ 2. The Lantern Tower is 41 metres tall, about as tall as the mill. (0.98)`},
		{ragtest.TextContextRecall.By(ragtest.JaroSimilarity).Threshold(0.9), `text_context_recall_jaro_threshold_0.9 0.50 (1/2)
  ✓ 1. The Lantern Tower is 41 metres tall, about as tall as the mill.
  ✗ 2. It was built in 1907.
       the nearest is like it to 0.50, and 0.9 is asked for
       nearest: "Oak burns slowly."`},
	} {
		t.Run(test.m.Name(), func(t *testing.T) {
			g := NewWithT(t)
			score, err := ragtest.NoJudge().Measure(t.Context(), test.m, lantern)
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(score.String()).To(Equal(test.want))
		})
	}
}

// Names tell apart what is computed otherwise.
func TestNamesOfTextMetrics(t *testing.T) {
	g := NewWithT(t)
	names := map[string]bool{}
	for _, m := range textMetrics {
		g.Expect(names).NotTo(HaveKey(m.Name()))
		names[m.Name()] = true
		lowest, highest := m.(interface{ Range() (float64, float64) }).Range()
		g.Expect([]float64{lowest, highest}).To(Equal([]float64{0, 1}))
	}
	for m, want := range map[ragtest.Metric]string{
		ragtest.ROUGE1.Unicode().Recall():    "rouge_1_unicode_recall",
		ragtest.QuotedSpans.Words(2).Exact(): "quoted_spans_exact_words_2",
		ragtest.NDCG.Exponential().At(5):     "ndcg_exponential_at_5",
		ragtest.MRR:                          "mrr",
	} {
		g.Expect(m.Name()).To(Equal(want))
	}
}

// textMetrics are all metrics of texts.
var textMetrics = []ragtest.Metric{
	ragtest.ExactMatch, ragtest.StringPresence, ragtest.LevenshteinSimilarity, ragtest.HammingSimilarity,
	ragtest.JaroSimilarity, ragtest.JaroWinklerSimilarity, ragtest.BLEU, ragtest.BLEU.Unicode(), ragtest.ROUGE1, ragtest.ROUGE2,
	ragtest.ROUGEL, ragtest.ROUGE1.Unicode(), ragtest.ROUGE2.Unicode().Recall(), ragtest.ROUGEL.Unicode().Precision(),
	ragtest.ChrF, ragtest.ChrF.PlusPlus(), ragtest.QuotedSpans, ragtest.TextContextPrecision, ragtest.TextContextRecall,
	ragtest.TextContextRecall.By(ragtest.JaroWinklerSimilarity), ragtest.TextContextPrecision.Threshold(1),
}

// Texts of any script and length are compared: a text is like itself, and a score is
// a number from 0 to 1. Package lexical compares longer ones.
func TestHardTexts(t *testing.T) {
	texts := map[string]string{
		"empty": "", "white space": " \t\n\u3000", "Chinese": "灯塔高四十一米，建于一九〇七年。", "Arabic": "البُرْجُ طُولُهُ ٤١ مِتْرًا.",
		"Thai": "หอคอยสูงสี่สิบเอ็ดเมตร", "Hindi": "मीनार इकतालीस मीटर ऊँची है।", "marks": "Ve\u0301ge\u0301ta\u0302l " + strings.Repeat("\u0301", 1000),
		"emoji": "👩‍👩‍👧‍👦 🏳️‍🌈 👍🏽 🇫🇮", "not UTF-8": "a\xff\xfeb \xc3", "NUL": "a\x00b", "quotes": strings.Repeat("'\"“ ", 500),
		"one letter": strings.Repeat("a", 1<<17), "long": strings.Repeat("The Lantern Tower is 41 metres tall. ", 3542),
		"long Chinese": strings.Repeat("灯塔高四十一米", 6241), "apostrophes": strings.Repeat("' a b c\n", 16384),
	}
	for name, text := range texts {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, other := range []string{text, "The Lantern Tower is 41 metres tall.", ""} {
				for _, s := range []ragtest.Sample{
					{Response: text, Reference: other, RetrievedContexts: []string{text, " "}, ReferenceContexts: []string{other}},
					{Response: other, Reference: text, RetrievedContexts: []string{other, "x"}, ReferenceContexts: []string{text}},
				} {
					for _, m := range textMetrics {
						g := NewWithT(t)
						score, err := ragtest.NoJudge().Measure(t.Context(), m, s)
						if err != nil {
							g.Expect(err).To(Or(MatchError(ragtest.ErrMissingInput), MatchError(ragtest.ErrUndefined)), m.Name())
							continue
						}
						g.Expect(score.Value).To(And(BeNumerically(">=", 0), BeNumerically("<=", 1)), m.Name())
						g.Expect(len(score.String())).To(BeNumerically("<", 20_000), m.Name())
						if text == other && !strings.Contains(m.Name(), "bleu") && !strings.Contains(m.Name(), "rouge") && !strings.Contains(m.Name(), "chrf") && !strings.Contains(m.Name(), "context_precision") {
							g.Expect(score.Value).To(Equal(1.0), m.Name())
						}
					}
				}
			}
		})
	}
}

func TestTextMetricsThatAreNotMeasured(t *testing.T) {
	for _, test := range []struct {
		m    ragtest.Metric
		s    ragtest.Sample
		is   error
		want string
	}{
		{ragtest.StringPresence, ragtest.Sample{Response: "a", Reference: " "}, ragtest.ErrMissingInput, "Sample.Reference"},
		{ragtest.QuotedSpans, ragtest.Sample{RetrievedContexts: []string{"a"}}, ragtest.ErrMissingInput, "Sample.Response"},
		{ragtest.QuotedSpans, ragtest.Sample{Response: "'a b c'"}, ragtest.ErrMissingInput, "Sample.RetrievedContexts"},
		{ragtest.QuotedSpans, ragtest.Sample{Response: "'a b'", RetrievedContexts: []string{"a"}}, ragtest.ErrUndefined, "the answer quotes nothing of 3 words or more"},
		{ragtest.QuotedSpans.Words(0), lantern, nil, "QuotedSpans.Words: a span has at least one word, not 0"},
		{ragtest.TextContextPrecision, ragtest.Sample{RetrievedContexts: []string{"a"}, ReferenceContexts: []string{" "}}, ragtest.ErrMissingInput, "Sample.ReferenceContexts"},
		{ragtest.TextContextPrecision, ragtest.Sample{ReferenceContexts: []string{"a"}}, ragtest.ErrMissingInput, "Sample.RetrievedContexts"},
		{ragtest.TextContextRecall, ragtest.Sample{RetrievedContexts: []string{"a"}}, ragtest.ErrMissingInput, "Sample.ReferenceContexts"},
		{ragtest.TextContextRecall.Threshold(1.5), lantern, nil, "text_context_recall_threshold_1.5: a threshold from 0 to 1 is needed, not 1.5"},
		{ragtest.TextContextPrecision.Threshold(math.NaN()), lantern, nil, "text_context_precision_threshold_NaN: a threshold from 0 to 1 is needed, not NaN"},
	} {
		g := NewWithT(t)
		_, err := ragtest.NoJudge().Measure(t.Context(), test.m, test.s)
		g.Expect(err).To(MatchError(ContainSubstring(test.want)))
		if test.is != nil {
			g.Expect(err).To(MatchError(test.is))
		}
	}
}

// Texts that look alike are told apart, and reasons are true.
func TestReasonsOfTextMetrics(t *testing.T) {
	of := func(answer, reference string) ragtest.Sample {
		return ragtest.Sample{Response: answer, Reference: reference}
	}
	contexts := func(retrieved, reference string) ragtest.Sample {
		s := ragtest.Sample{ReferenceContexts: []string{reference, "unlike"}}
		if retrieved != "none" {
			s.RetrievedContexts = []string{retrieved, "x"}
		}
		return s
	}
	for _, test := range []struct {
		m    ragtest.Metric
		s    ragtest.Sample
		want string // in the evidence
	}{
		{ragtest.ExactMatch, of("a  b", "a b"), `from letter 3 on the answer has " b" and the reference "b"`},
		{ragtest.ExactMatch, of("a\u00a0b", "a b"), `from letter 2 on the answer has "\u00a0b" (U+00A0) and the reference " b"`},
		{ragtest.ExactMatch, of("\u00e9", "e\u0301"), "from letter 1 on the answer has \"\u00e9\" (U+00E9) and the reference \"e\u0301\""},
		{ragtest.ExactMatch, of("a\n", "a"), `from letter 2 on the answer has "\n" and the reference nothing more`},
		{ragtest.ExactMatch, of("\xff", "\xfe"), "they differ in bytes that are not UTF-8"},
		{ragtest.LevenshteinSimilarity, of("\xff", "\xfe"), "✓ 1. the answer is the reference"},
		{ragtest.ROUGEL, of("灯塔", "灯塔"), "it has no words of the letters a to z; for other scripts there is Unicode"},
		{ragtest.BLEU, of("110", "110"), "an answer of fewer than four tokens has 0 without EffectiveOrder"},
		{ragtest.BLEU.With("short", lexical.BLEU{EffectiveOrder: true}), of("in 1932", "in 1932"), "bleu_short 1.00\n  ✓ 1. the reference has 2 of 2 tokens of the answer (1)\n  ✓ 2. the reference has 1 of 1 2-grams of the answer (1)\n  ✓ 3. the answer has 2 tokens, the reference 2 (1)"},
		{ragtest.ChrF, of("ab", "a b"), "chrf 1.00\n  ✓ 1. 1-grams of letters: 2 shared, of 2 in the answer and 2 in the reference\n  ✓ 2. 2-grams of letters: 1 shared, of 1 in the answer and 1 in the reference"},
		{ragtest.TextContextRecall, contexts("none", "abc"), "✗ 1. abc\n       nothing was retrieved"},
		{ragtest.TextContextPrecision.By(ragtest.HammingSimilarity), contexts("abc", "cab"), "✗ 1. abc\n       the nearest is like it to 0.00, and 0.5 is asked for"},
		{ragtest.TextContextPrecision.Threshold(0.3), contexts("  ", "    x"), "it is blank"},
		{ragtest.TextContextRecall.Threshold(0.0625), contexts("x", "x              "), "✓ 1. x"},
		{ragtest.TextContextPrecision, contexts(strings.Repeat("a", 499)+strings.Repeat("b", 501), strings.Repeat("a", 1000)), "the nearest is like it to 0.499, and 0.5 is asked for"},
	} {
		g := NewWithT(t)
		score, err := ragtest.NoJudge().Measure(t.Context(), test.m, test.s)
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(score.String()).To(ContainSubstring(test.want), test.m.Name())
	}
}

// A blank context is not retrieved, however alike it is.
func TestBlankContextsRecallNothing(t *testing.T) {
	g := NewWithT(t)
	s := ragtest.Sample{RetrievedContexts: []string{"    "}, ReferenceContexts: []string{"    x"}}
	score, err := ragtest.NoJudge().Measure(t.Context(), ragtest.TextContextRecall.Threshold(0.3), s)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(score.Value).To(BeZero())
	s = ragtest.Sample{RetrievedContexts: []string{"x", "    "}, ReferenceContexts: []string{"    y"}}
	score, err = ragtest.NoJudge().Measure(t.Context(), ragtest.TextContextPrecision.Threshold(0.3), s)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(score.Value).To(BeZero())
}

// Megabytes are measured, and their evidence is written, in a moment each: what is
// quadratic would take minutes.
func TestMegabytes(t *testing.T) {
	if testing.Short() {
		t.Skip("long texts")
	}
	lines := strings.Repeat("Lockers are open day and night, and parcels wait. ", 1<<20/50)
	edited := strings.Replace(lines, "open", "closed", 1000)
	for name, s := range map[string]ragtest.Sample{
		"an edited copy":  {Response: edited, Reference: lines, RetrievedContexts: []string{edited}, ReferenceContexts: []string{lines}},
		"many quotations": {Response: strings.Repeat("“doors are ajar by noon” ", 1<<20/28), Reference: "x", RetrievedContexts: []string{lines}, ReferenceContexts: []string{"x"}},
	} {
		for _, m := range []ragtest.Metric{
			ragtest.LevenshteinSimilarity, ragtest.JaroSimilarity, ragtest.BLEU.Unicode(), ragtest.ROUGE2, ragtest.ChrF,
			ragtest.QuotedSpans, ragtest.TextContextRecall, ragtest.StringPresence,
		} {
			g := NewWithT(t)
			score, err := ragtest.NoJudge().Measure(t.Context(), m, s)
			if err != nil {
				g.Expect(err).To(MatchError(ragtest.ErrUndefined), name+m.Name())
				continue
			}
			g.Expect(len(score.String())).To(BeNumerically("<", 100_000), name+m.Name())
		}
	}
	var ids ragtest.IDs
	for i := range 100_000 {
		ids = append(ids, strconv.Itoa(i))
	}
	for _, m := range []ragtest.Metric{ragtest.MAP, ragtest.RecallAt(100_000), ragtest.NDCG} {
		g := NewWithT(t)
		score, err := ragtest.NoJudge().Measure(t.Context(), m, ragtest.Sample{RetrievedContextIDs: ids, ReferenceContextIDs: ids})
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(score.Value).To(Equal(1.0))
		g.Expect(score.String()).To(HaveSuffix("\n  ✓ 100. 99\n  and 99900 more"))
	}
}
