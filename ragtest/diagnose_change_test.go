package ragtest_test

import (
	"testing"

	. "github.com/onsi/gomega"

	"github.com/ragomega/ragomega/ragtest"
)

func TestDiagnoseChange(t *testing.T) {
	metric := func(name string, o ragtest.Outcome, before, now float64) ragtest.MetricComparison {
		return ragtest.MetricComparison{Metric: name, Outcome: o, N: 20, Before: before, Now: now, Difference: now - before}
	}
	stable := func(name string) ragtest.MetricComparison { return metric(name, ragtest.NotWorse, 0.9, 0.9) }
	worse := func(name string) ragtest.MetricComparison { return metric(name, ragtest.Worse, 0.9, 0.6) }
	looks := func(name string) ragtest.MetricComparison { return metric(name, ragtest.CannotTell, 0.9, 0.8) }
	for name, of := range map[string]struct {
		metrics []ragtest.MetricComparison
		want    ragtest.Fault
		shown   bool
		early   bool
	}{
		"nothing":                  {[]ragtest.MetricComparison{stable("context_recall"), stable("faithfulness")}, ragtest.NoFault, false, false},
		"retriever":                {[]ragtest.MetricComparison{worse("context_recall"), stable("faithfulness")}, ragtest.RetrievalMiss, true, false},
		"reader":                   {[]ragtest.MetricComparison{stable("context_recall"), worse("faithfulness"), stable("context_precision")}, ragtest.ReaderInvents, true, false},
		"ranking alone":            {[]ragtest.MetricComparison{worse("context_precision"), stable("faithfulness")}, ragtest.BadRanking, true, true},
		"ranking, then the reader": {[]ragtest.MetricComparison{worse("context_precision"), worse("faithfulness")}, ragtest.BadRanking, true, false},
		"answer":                   {[]ragtest.MetricComparison{worse("answer_relevance"), worse("answer_correctness")}, ragtest.OffTopic, true, false},
		"source":                   {[]ragtest.MetricComparison{stable("faithfulness"), worse("answer_correctness")}, ragtest.WrongSource, true, false},
		"looks":                    {[]ragtest.MetricComparison{looks("faithfulness"), stable("context_recall")}, ragtest.ReaderInvents, false, false},
		"what is shown goes first": {[]ragtest.MetricComparison{looks("context_recall"), worse("faithfulness")}, ragtest.ReaderInvents, true, false},
		"too little to matter":     {[]ragtest.MetricComparison{metric("faithfulness", ragtest.CannotTell, 0.9, 0.89)}, ragtest.NoFault, false, false},
		"of another metric":        {[]ragtest.MetricComparison{worse("polite")}, ragtest.Undiagnosed, true, false},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			c := ragtest.Comparison{Smallest: 0.05, Metrics: of.metrics}.Diagnose()
			g.Expect(c.Fault).To(Equal(of.want))
			g.Expect(c.Shown).To(Equal(of.shown))
			g.Expect(c.Early).To(Equal(of.early))
		})
	}
	g := NewWithT(t)
	slid := worse("context_precision")
	slid.Pairs = []ragtest.Pair{{Sample: "bridge", Flips: []ragtest.Flip{
		{Part: "context", Claim: "The bridge opened in 1932.", Was: "The bridge opened in 1932.", Number: 8, NumberBefore: 1, OK: true, OKBefore: true},
		{Part: "context", Claim: "Other.", Was: "Other.", Number: 1, NumberBefore: 2},
	}}}
	g.Expect(ragtest.Comparison{Smallest: 0.05, Metrics: []ragtest.MetricComparison{slid}}.Diagnose().String()).To(Equal(`ranking, an early warning
  context_precision 0.900 → 0.600, n=20
  bridge: useful context from rank 1 to 8: The bridge opened in 1932.
  try: rerank what is retrieved, or fetch more and cut later: what is far down is soon not read`))
	g.Expect(ragtest.Comparison{Smallest: 0.05, Metrics: []ragtest.MetricComparison{looks("faithfulness")}}.Diagnose().String()).To(HavePrefix("reader invents, which these samples do not show\n  faithfulness 0.900 → 0.800, n=20\n  try:"))
}
