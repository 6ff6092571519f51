package page_test

import (
	"fmt"
	"strings"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/ragomega/ragomega/cmd/ragtest/internal/page"
	"github.com/ragomega/ragomega/ragtest"
)

// What was computed of a sample is in its row, and has no judge to be calibrated.
func TestComputedBesideAJudge(t *testing.T) {
	g := NewWithT(t)
	shown := read(written(t, []ragtest.Record{
		record("a", "faithfulness", 1), computed("a", "recall_at_10", 0.5), computed("a", "recall_at_5", 0.25),
	}, page.Options{}))
	g.Expect(shown).To(ContainSubstring("1 sample · 3 metrics · 3 measurements"))
	g.Expect(shown).To(MatchRegexp(`Computed, without a judge recall_at_5 0\.250 .* none none recall_at_10 0\.500 .* none none Judged by m at e faithfulness 1\.000 .* uncalibrated`))
	g.Expect(shown).To(ContainSubstring("a 1.00 ▾ 0.25 0.50 Samples"), "in one row")
	g.Expect(strings.Count(shown, "uncalibrated")).To(Equal(1))
}

// With several judges it stands apart, once.
func TestComputedBesideTwoJudges(t *testing.T) {
	g := NewWithT(t)
	other := record("a", "faithfulness", 0)
	other.Model = "other"
	records := []ragtest.Record{record("a", "faithfulness", 1), other, computed("a", "mrr", 0.75)}
	shown := read(written(t, records, page.Options{Before: records}))
	g.Expect(shown).To(ContainSubstring("3 samples · 2 metrics · 3 measurements"))
	g.Expect(shown).To(MatchRegexp(`Computed, without a judge mrr 0\.750 .* none none Judged by m at e faithfulness 1\.000 .* Judged by other at e faithfulness 0\.000`))
	g.Expect(strings.Count(shown, "mrr 0.750")).To(Equal(2), "in the overview and in its sample's section")
	g.Expect(shown).To(ContainSubstring("Judged by other at e . A difference of 0.05 matters."))
	g.Expect(shown).NotTo(ContainSubstring("Not in the baseline"))
	g.Expect(shown).NotTo(ContainSubstring("In the baseline only"))

	// Nobody judged the row, and nothing is to be said of it but what was computed.
	shown = read(written(t, records, page.Options{Thresholds: ragtest.Thresholds{Faithfulness: 0.5}}))
	g.Expect(shown).To(ContainSubstring("1 no fault 1 reader invents"))
	g.Expect(shown).NotTo(ContainSubstring("not enough to diagnose"))
}

// Without a judge the page says nothing of one.
func TestComputedAlone(t *testing.T) {
	g := NewWithT(t)
	records := []ragtest.Record{tagged(computed("a", "mrr", 0.75), "x"), computed("b", "mrr", 0.5)}
	text := strings.ToLower(written(t, records, page.Options{Before: records, Thresholds: ragtest.Thresholds{Faithfulness: 0.5}}))
	g.Expect(text).To(ContainSubstring("not enough to diagnose"))
	g.Expect(text).NotTo(ContainSubstring("judge"))
	g.Expect(text).NotTo(ContainSubstring("calibrated"))
}

// A baseline of a run without a judge is compared with what is computed now, and one
// of a run that had one with what it judges.
func TestComparisonOfComputed(t *testing.T) {
	g := NewWithT(t)
	var before, now []ragtest.Record
	for i := range 12 {
		name := fmt.Sprintf("s%02d", i)
		before = append(before, computed(name, "mrr", 1))
		now = append(now, computed(name, "mrr", 0), record(name, "faithfulness", 1))
	}
	shown := read(written(t, now, page.Options{Before: before}))
	g.Expect(shown).To(ContainSubstring("mrr ▼ worse 1.000 0.000 −1.000"))
	g.Expect(shown).To(ContainSubstring("Judged by m at e , or computed. A difference of 0.05 matters."))
	g.Expect(shown).To(ContainSubstring("Not in the baseline: faithfulness ."))
	shown = read(written(t, before, page.Options{Before: now}))
	g.Expect(shown).To(ContainSubstring("mrr ✓ not worse 0.000 1.000"))
	g.Expect(shown).To(ContainSubstring("In the baseline only: faithfulness ."))
}

// The worst tag of a metric is told by a word, and is the highest where less is better.
func TestByTag(t *testing.T) {
	g := NewWithT(t)
	lower := func(r ragtest.Record) ragtest.Record {
		r.LowerIsBetter = true
		return r
	}
	lost := tagged(unmeasured("d", "mrr", "undefined", "nothing is relevant"), "hard")
	lost.Model, lost.Identity = "", ""
	text := written(t, []ragtest.Record{
		tagged(computed("a", "mrr", 1), "easy"), tagged(computed("b", "mrr", 0.5), "easy", "hard"), tagged(computed("c", "mrr", 0), "hard"), lost,
		computed("e", "mrr", 0.5), lower(tagged(record("a", "noise", 0.1), "easy")), lower(tagged(record("c", "noise", 0.4), "hard")),
	}, page.Options{})
	shown := read(text)
	g.Expect(shown).To(ContainSubstring("Tag mrr noise lower is better " +
		"easy 2 samples 0.750 n=2 0.100 n=1 " +
		"hard 3 samples ▾ worst 0.250 n=2, 1 not measured ▾ worst 0.400 n=1 " +
		"no tag 1 sample 0.500 n=1 · Scores"))
	g.Expect(text).To(ContainSubstring(`<button type="button" class="tag" data-tag="1">hard</button>`), "which sets the filter")
	g.Expect(text).To(ContainSubstring(`<option value="none">no tag</option>`))

	alike := read(written(t, []ragtest.Record{tagged(computed("a", "mrr", 0.5), "easy"), tagged(computed("b", "mrr", 0.5), "hard")}, page.Options{}))
	g.Expect(alike).To(ContainSubstring("easy 1 sample 0.500 n=1 hard 1 sample 0.500 n=1 Scores"), "none is the worst")
	g.Expect(read(written(t, []ragtest.Record{computed("a", "mrr", 0.5)}, page.Options{}))).NotTo(ContainSubstring("By tag"))
}

// Several judges have a table each.
func TestByTagOfTwoJudges(t *testing.T) {
	g := NewWithT(t)
	other := record("a", "faithfulness", 0)
	other.Model = "other"
	shown := read(written(t, []ragtest.Record{
		tagged(record("a", "faithfulness", 1), "x"), tagged(other, "x"), tagged(computed("a", "mrr", 0.75), "x"),
	}, page.Options{}))
	g.Expect(shown).To(ContainSubstring("Computed, without a judge Tag mrr x 1 sample 0.750 n=1 " +
		"Judged by m at e Tag faithfulness x 1 sample 1.000 n=1 " +
		"Judged by other at e Tag faithfulness x 1 sample 0.000 n=1 Scores"))
}

// Contexts have their IDs at their ranks, and what the reference says of them.
func TestContextsByID(t *testing.T) {
	g := NewWithT(t)
	s := ragtest.Sample{
		Name: "a", RetrievedContexts: []string{"Hours", "Prices", "Hours again"}, RetrievedContextIDs: ragtest.IDs{"h", "p", "h"},
		ReferenceContextIDs: ragtest.IDs{"h", "p", "map"}, ReferenceContextGrades: []int{2, 0, 1},
	}
	of := func() string {
		return read(written(t, []ragtest.Record{computed("a", "ndcg", 0.5)}, page.Options{Samples: []ragtest.Sample{s}}))
	}
	g.Expect(of()).To(ContainSubstring("Contexts h ✓ relevant, grade 2 Hours p ✗ not relevant, grade 0 Prices h the same as at rank 1 Hours again " +
		"Not retrieved map ✗ relevant, not retrieved, grade 1 ndcg"))

	s.ReferenceContextGrades = nil
	g.Expect(of()).To(ContainSubstring("Contexts h ✓ relevant Hours p ✓ relevant Prices h the same as at rank 1 Hours again Not retrieved map ✗ relevant, not retrieved ndcg"))

	s.ReferenceContextGrades = []int{2}
	g.Expect(of()).To(ContainSubstring("Contexts h Hours p Prices h Hours again ndcg"), "whose the grade is is not known")

	s.ReferenceContextGrades, s.RetrievedContextIDs = nil, ragtest.IDs{"h"}
	g.Expect(of()).To(ContainSubstring("Contexts h Hours Prices Hours again ndcg"), "whose the ID is is not known")

	s.RetrievedContextIDs = nil
	g.Expect(of()).To(ContainSubstring("Contexts Hours Prices Hours again ndcg"), "nor what was retrieved")

	// A retriever's file may have no texts.
	s.RetrievedContexts = nil
	for i := range 60 {
		s.RetrievedContextIDs = append(s.RetrievedContextIDs, fmt.Sprint("d", i+1))
	}
	s.ReferenceContextIDs = ragtest.IDs{"d2"}
	g.Expect(of()).To(ContainSubstring("Contexts d1 ✗ not relevant d2 ✓ relevant d3 ✗ not relevant"))
	g.Expect(of()).To(ContainSubstring("d50 ✗ not relevant and 10 below ndcg"))
}

// IDs that were looked for are found or not; what is at a rank is relevant or not.
func TestWordsOfRetrieval(t *testing.T) {
	g := NewWithT(t)
	shown := read(written(t, []ragtest.Record{
		computed("a", "recall_at_5", 0.5, ragtest.Verdict{Claim: "h", OK: true, Reason: "at rank 1"}, ragtest.Verdict{Claim: "p", Reason: "not retrieved, among 5"}),
		computed("a", "ndcg_at_5", 0.5, ragtest.Verdict{Claim: "h", OK: true}, ragtest.Verdict{Claim: "x"}, ragtest.Verdict{Part: "missing", Claim: "p"}),
	}, page.Options{}))
	g.Expect(shown).To(ContainSubstring("✓ found h at rank 1 ✗ not found p not retrieved, among 5"))
	g.Expect(shown).To(ContainSubstring("✓ relevant h ✗ not relevant x ✗ not found missing p"))
}
