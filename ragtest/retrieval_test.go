package ragtest_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/ragomega/ragomega/ragtest"
)

// retrievalMetric returns the metric by the name that the table has for it.
func retrievalMetric(t *testing.T, name string) ragtest.Metric {
	t.Helper()
	base, at, cut := strings.Cut(name, "_at_")
	var k int
	if cut {
		if _, err := fmt.Sscan(at, &k); err != nil {
			t.Fatal(err)
		}
	}
	switch {
	case base == "recall":
		return ragtest.RecallAt(k)
	case base == "precision":
		return ragtest.PrecisionAt(k)
	case base == "hit_rate":
		return ragtest.HitRateAt(k)
	case base == "mrr" && cut:
		return ragtest.MRR.At(k)
	case base == "mrr":
		return ragtest.MRR
	case base == "map" && cut:
		return ragtest.MAP.At(k)
	case base == "map":
		return ragtest.MAP
	case base == "ndcg" && cut:
		return ragtest.NDCG.At(k)
	case base == "ndcg":
		return ragtest.NDCG
	case base == "ndcg_exponential" && cut:
		return ragtest.NDCG.Exponential().At(k)
	case base == "ndcg_exponential":
		return ragtest.NDCG.Exponential()
	}
	t.Fatalf("no metric is called %q", name)
	return nil
}

// Rankings have the scores that trec_eval and ranx give them; see
// testdata/retrieval/README.md.
func TestRetrievalAtRank(t *testing.T) {
	g := NewWithT(t)
	text, err := os.ReadFile(filepath.Join("testdata", "retrieval", "values.json"))
	g.Expect(err).NotTo(HaveOccurred())
	var cases []struct {
		ID        string
		Retrieved ragtest.IDs
		Reference ragtest.IDs
		Grades    []int
		Expected  map[string]float64
	}
	g.Expect(json.Unmarshal(text, &cases)).To(Succeed())
	n := 0
	for _, c := range cases {
		s := ragtest.Sample{RetrievedContextIDs: c.Retrieved, ReferenceContextIDs: c.Reference, ReferenceContextGrades: c.Grades}
		for name, want := range c.Expected {
			n++
			m := retrievalMetric(t, name)
			score, err := ragtest.NoJudge().Measure(t.Context(), m, s)
			g.Expect(err).NotTo(HaveOccurred(), "%s of %s", name, c.ID)
			g.Expect(score.Metric).To(Equal(name))
			if strings.HasPrefix(name, "map") || strings.HasPrefix(name, "ndcg") { // sums, which others take in another order
				g.Expect(score.Value).To(BeNumerically("~", want, 1e-12), "%s of %s", name, c.ID)
			} else {
				g.Expect(score.Value).To(Equal(want), "%s of %s", name, c.ID)
			}
			g.Expect(score.Verdicts).NotTo(BeEmpty())
		}
	}
	g.Expect(n).To(BeNumerically(">", 11000))
}

// The evidence says where each relevant ID is, or what is at each rank.
func TestEvidenceOfRetrieval(t *testing.T) {
	graded := ragtest.Sample{
		RetrievedContextIDs: ragtest.IDs{"a", "b", "c", "b", "d", "e"},
		ReferenceContextIDs: ragtest.IDs{"c", "e", "z", "d"}, ReferenceContextGrades: []int{2, 1, 3, 0},
	}
	twice := ragtest.Sample{RetrievedContextIDs: ragtest.IDs{"b", "a", "b"}, ReferenceContextIDs: ragtest.IDs{"b", "b"}}
	nothing := ragtest.Sample{ReferenceContextIDs: ragtest.IDs{"b"}}
	for name, test := range map[string]struct {
		m    ragtest.Metric
		s    ragtest.Sample
		want string
	}{
		"recall": {ragtest.RecallAt(3), graded, `recall_at_3 0.33 (1/3)
  ✓ 1. c
  ✗ 2. e
       at rank 6, below the first 3
  ✗ 3. z
       not retrieved, among 6`},
		"hit rate": {ragtest.HitRateAt(2), graded, `hit_rate_at_2 0.00
  ✗ 1. c
       at rank 3, below the first 2
  ✗ 2. e
       at rank 6, below the first 2
  ✗ 3. z
       not retrieved, among 6`},
		"precision": {ragtest.PrecisionAt(8), graded, `precision_at_8 0.25
  ✗ 1. a (0)
       it is not among ReferenceContextIDs
  ✗ 2. b (0)
       it is not among ReferenceContextIDs
  ✓ 3. c (2)
  ✗ 4. b (0)
       the same as at rank 2, and counted there
  ✗ 5. d (0)
       its grade is 0
  ✓ 6. e (1)
  ✗ 7. ranks 7 to 8 (0)
       nothing is there: 6 were retrieved`},
		"precision of all ranks": {ragtest.PrecisionAt(3), twice, `precision_at_3 0.33 (1/3)
  ✓ 1. b
  ✗ 2. a
       it is not among ReferenceContextIDs
  ✗ 3. b
       the same as at rank 1, and counted there`},
		"mrr": {ragtest.MRR, graded, `mrr 0.33
  ✗ 1. a (0)
       it is not among ReferenceContextIDs
  ✗ 2. b (0)
       it is not among ReferenceContextIDs
  ✓ 3. c (2)`},
		"mrr without a hit": {ragtest.MRR.At(1), graded, `mrr_at_1 0.00
  ✗ 1. a (0)
       it is not among ReferenceContextIDs
  ✗ 2. missing: c (2)
       at rank 3, below the first 1
  ✗ 3. missing: e (1)
       at rank 6, below the first 1
  ✗ 4. missing: z (3)
       not retrieved, among 6`},
		"map": {ragtest.MAP, twice, `map 1.00
  ✓ 1. b
  ✗ 2. a
       it is not among ReferenceContextIDs
  ✗ 3. b
       the same as at rank 1, and counted there`},
		"ndcg": {ragtest.NDCG.At(3), graded, `ndcg_at_3 0.21
  ✗ 1. a (0)
       it is not among ReferenceContextIDs
  ✗ 2. b (0)
       it is not among ReferenceContextIDs
  ✓ 3. c (2)
  ✗ 4. missing: e (1)
       at rank 6, below the first 3
  ✗ 5. missing: z (3)
       not retrieved, among 6`},
		"nothing retrieved": {ragtest.NDCG.Exponential(), nothing, `ndcg_exponential 0.00
  ✗ 1. missing: b
       nothing was retrieved`},
		"recall of IDs": {ragtest.IDContextRecall, twice, `id_context_recall 1.00 (1/1)
  ✓ 1. b`},
		"precision of IDs": {ragtest.IDContextPrecision, twice, `id_context_precision 0.50 (1/2)
  ✓ 1. b
  ✗ 2. a
       it is not among ReferenceContextIDs`},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			score, err := ragtest.NoJudge().Measure(t.Context(), test.m, test.s)
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(score.String()).To(Equal(test.want))
		})
	}
}

// A long tail in which nothing is relevant is one line of evidence.
func TestEvidenceOfLongRankings(t *testing.T) {
	g := NewWithT(t)
	s := ragtest.Sample{ReferenceContextIDs: ragtest.IDs{"30"}}
	for i := range 1000 {
		s.RetrievedContextIDs = append(s.RetrievedContextIDs, fmt.Sprint(i+1))
	}
	score, err := ragtest.NoJudge().Measure(t.Context(), ragtest.MAP, s)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(score.Verdicts).To(HaveLen(31))
	g.Expect(score.Verdicts[29]).To(Equal(ragtest.Verdict{Claim: "30", OK: true}))
	g.Expect(score.Verdicts[30]).To(Equal(ragtest.Verdict{Claim: "ranks 31 to 1000", Reason: "none of them is relevant"}))
	score, err = ragtest.NoJudge().Measure(t.Context(), ragtest.PrecisionAt(22), s)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(score.Verdicts).To(HaveLen(21))
	g.Expect(score.Verdicts[20].Claim).To(Equal("ranks 21 to 22"))
}

func TestRetrievalThatIsNotMeasured(t *testing.T) {
	ids := func(list ...string) ragtest.IDs { return list }
	all := []ragtest.Metric{ragtest.RecallAt(3), ragtest.HitRateAt(3), ragtest.PrecisionAt(3), ragtest.MRR, ragtest.MAP.At(2), ragtest.NDCG, ragtest.IDContextRecall}
	for name, test := range map[string]struct {
		s     ragtest.Sample
		is    error
		field string
		want  string
	}{
		"nothing relevant": {
			s: ragtest.Sample{RetrievedContextIDs: ids("a")}, is: ragtest.ErrUndefined,
			want: "undefined: there are no ReferenceContextIDs, so there is nothing to find",
		},
		"all of grade 0": {
			s:  ragtest.Sample{RetrievedContextIDs: ids("a"), ReferenceContextIDs: ids("a"), ReferenceContextGrades: []int{0}},
			is: ragtest.ErrUndefined, want: "all ReferenceContextIDs have grade 0, so there is nothing to find",
		},
		"contexts without IDs": {
			s:     ragtest.Sample{RetrievedContexts: []string{"x", "y"}, ReferenceContextIDs: ids("a")},
			field: "RetrievedContextIDs", want: "the IDs of what was retrieved are needed, and there are none of 2 contexts",
		},
		"a grade too few": {
			s:     ragtest.Sample{RetrievedContextIDs: ids("a"), ReferenceContextIDs: ids("a", "b"), ReferenceContextGrades: []int{1}},
			field: "ReferenceContextGrades", want: "a grade for each of 2 ReferenceContextIDs is needed, and there are 1",
		},
		"grades alone": {
			s:     ragtest.Sample{RetrievedContextIDs: ids("a"), ReferenceContextGrades: []int{1}},
			field: "ReferenceContextGrades", want: "a grade for each of 0 ReferenceContextIDs is needed, and there are 1",
		},
		"a grade below 0": {
			s:     ragtest.Sample{RetrievedContextIDs: ids("a"), ReferenceContextIDs: ids("a", "b"), ReferenceContextGrades: []int{1, -1}},
			field: "ReferenceContextGrades", want: `grades of at least 0 are needed, and that of "b" is -1`,
		},
		"a blank ID of the reference": {
			s:     ragtest.Sample{RetrievedContextIDs: ids("a"), ReferenceContextIDs: ids("a", " ")},
			field: "ReferenceContextIDs", want: "IDs are needed, and number 2 is blank",
		},
		"a blank ID": {
			s:     ragtest.Sample{RetrievedContextIDs: ids("a", ""), ReferenceContextIDs: ids("a")},
			field: "RetrievedContextIDs", want: "IDs are needed, and that of rank 2 is blank",
		},
		"two grades of one": {
			s:     ragtest.Sample{RetrievedContextIDs: ids("a"), ReferenceContextIDs: ids("a", "a"), ReferenceContextGrades: []int{1, 2}},
			field: "ReferenceContextGrades", want: `one grade for each ID is needed, and "a" has 1 and 2`,
		},
	} {
		for _, m := range all {
			g := NewWithT(t)
			_, err := ragtest.NoJudge().Measure(t.Context(), m, test.s)
			g.Expect(err).To(MatchError(ContainSubstring(test.want)), "%s by %s", name, m.Name())
			if test.is != nil {
				g.Expect(err).To(MatchError(test.is))
				continue
			}
			var input *ragtest.InputError
			g.Expect(errors.As(err, &input)).To(BeTrue())
			g.Expect(input.Field).To(Equal(test.field))
		}
	}

	g := NewWithT(t)
	_, err := ragtest.NoJudge().Measure(t.Context(), ragtest.IDContextPrecision, ragtest.Sample{ReferenceContextIDs: ids("a")})
	g.Expect(err).To(MatchError(ragtest.ErrUndefined))
	for name, m := range map[string]ragtest.Metric{
		"RecallAt": ragtest.RecallAt(0), "HitRateAt": ragtest.HitRateAt(-1), "PrecisionAt": ragtest.PrecisionAt(0),
		"MRR.At": ragtest.MRR.At(0), "MAP.At": ragtest.MAP.At(0), "NDCG.At": ragtest.NDCG.At(0),
	} {
		_, err := ragtest.NoJudge().Measure(t.Context(), m, found)
		g.Expect(err).To(MatchError(ContainSubstring(name + ": ")))
		g.Expect(err).To(MatchError(ContainSubstring("is no number of ranks, expected 1 or more")))
	}
}

// Gains that grow with a power are those of any grade.
func TestHighGrades(t *testing.T) {
	g := NewWithT(t)
	s := ragtest.Sample{
		RetrievedContextIDs: ragtest.IDs{"b", "a"}, ReferenceContextIDs: ragtest.IDs{"a", "b"},
		ReferenceContextGrades: []int{1024, 1000},
	}
	score, err := ragtest.NoJudge().Measure(t.Context(), ragtest.NDCG.Exponential().At(1), s)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(score.Value).To(Equal(math.Ldexp(1, -24)))
	score, err = ragtest.NoJudge().Measure(t.Context(), ragtest.NDCG.Exponential(), s)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(score.Value).To(BeNumerically("~", 1/math.Log2(3), 1e-7))
}

// A score that is no share of its verdicts is not shown as one by chance.
func TestScoresThatAreNoShare(t *testing.T) {
	g := NewWithT(t)
	s := ragtest.Sample{
		Response: "abc", Reference: "xyz", RetrievedContexts: []string{"abc", "def"}, ReferenceContexts: []string{"xyz"},
		RetrievedContextIDs: ragtest.IDs{"a", "b"}, ReferenceContextIDs: ragtest.IDs{"z"},
	}
	for _, m := range []ragtest.Metric{
		ragtest.HitRateAt(2), ragtest.PrecisionAt(5), ragtest.MRR, ragtest.MAP, ragtest.NDCG, ragtest.LevenshteinSimilarity,
		ragtest.BLEU, ragtest.ROUGEL, ragtest.ChrF, ragtest.TextContextPrecision,
	} {
		score, err := ragtest.NoJudge().Measure(t.Context(), m, s)
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(score.Value).To(BeZero())
		g.Expect(score.Fraction()).To(BeEmpty(), m.Name())
	}
	score, err := ragtest.NoJudge().Measure(t.Context(), ragtest.PrecisionAt(2), s)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(score.Fraction()).To(Equal("0/2"))
}

// Grades come from files, too: of numbers, and of nothing else.
func TestGradesAreRead(t *testing.T) {
	g := NewWithT(t)
	var s ragtest.Sample
	g.Expect(json.Unmarshal([]byte(`{"reference_context_ids":["a",7],"reference_context_grades":[3,0]}`), &s)).To(Succeed())
	g.Expect(s.ReferenceContextGrades).To(Equal(ragtest.Grades{3, 0}))
	g.Expect(json.Unmarshal([]byte(`{"reference_context_grades":[2.0,1]}`), &s)).To(Succeed(), "as data frames write them")
	g.Expect(s.ReferenceContextGrades).To(Equal(ragtest.Grades{2, 1}))
	s.ReferenceContextGrades = ragtest.Grades{3, 0}
	back, err := json.Marshal(s)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(back).To(MatchJSON(`{"reference_context_ids":["a","7"],"reference_context_grades":[3,0]}`))
	for bad, want := range map[string]string{
		`["3"]`:  `expected a list of grades, which are whole numbers, got ["3"]`,
		`3`:      `expected a list of grades, which are whole numbers, got 3`,
		`[0.5]`:  `a grade is a whole number, got 0.5`,
		`[1e12]`: `a grade is a whole number, got 1e+12`,
		`[null]`: `a grade is a whole number, got null`,
	} {
		g.Expect(json.Unmarshal([]byte(`{"reference_context_grades":`+bad+`}`), &s)).To(MatchError(ContainSubstring(want)), bad)
	}
	file := filepath.Join(t.TempDir(), "samples.csv")
	g.Expect(os.WriteFile(file, []byte("reference_context_ids,reference_context_grades\n\"['a', 'b']\",\"[2, 1]\"\n"), 0o600)).To(Succeed())
	samples, err := ragtest.ReadSamples(file)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(samples).To(HaveLen(1))
	g.Expect(samples[0].ReferenceContextGrades).To(Equal(ragtest.Grades{2, 1}))
}

func TestScoresByTag(t *testing.T) {
	g := NewWithT(t)
	ranked := func(name string, relevant string, tags ...string) ragtest.Sample {
		return ragtest.Sample{Name: name, Tags: tags, RetrievedContextIDs: ragtest.IDs{"a", "b", "c"}, ReferenceContextIDs: ragtest.IDs{relevant}}
	}
	samples := []ragtest.Sample{
		ranked("one", "a", "lookup"), ranked("two", "b", "lookup", "long"), ranked("three", "z", "long"), ranked("four", "c", ""),
		{Name: "five", Tags: []string{"multi", ""}},
	}
	r, err := ragtest.Evaluate(t.Context(), samples, ragtest.RecallAt(2), ragtest.MRR)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(r.TagTable()).To(Equal(strings.TrimPrefix(`
tag     recall_at_2                  mrr
all     0.500 (n=4, 1 not measured)  0.458 (n=4, 1 not measured)
long    0.500 (n=2)                  0.250 (n=2)
lookup  1.000 (n=2)                  0.750 (n=2)
multi   - (n=0, 1 not measured)      - (n=0, 1 not measured)
(none)  0.000 (n=1)                  0.333 (n=1)`, "\n")))
	groups := r.ByTag(ragtest.MRR)
	g.Expect(groups).To(HaveLen(4))
	g.Expect([]string{groups[0].Tag, groups[1].Tag, groups[2].Tag, groups[3].Tag}).To(Equal([]string{"long", "lookup", "multi", ""}))
	g.Expect(groups[1].Values()).To(Equal([]float64{1, 0.5}))
	g.Expect(groups[2].Unmeasured).To(HaveLen(1))
	g.Expect(groups[3].Measured[0].Sample).To(Equal("four"))

	r, err = ragtest.Evaluate(t.Context(), samples[3:4], ragtest.MRR)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(r.TagTable()).To(Equal("tag  mrr\nall  0.333 (n=1)"))
}
