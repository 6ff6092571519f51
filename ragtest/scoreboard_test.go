package ragtest_test

import (
	"io"
	"strings"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/ragomega/ragomega/ragtest"
)

// table is what the end of a run prints after measure.
func table(t *testing.T, measure func(*ragtest.Judge)) string {
	t.Helper()
	_ = ragtest.CloseSuite(io.Discard) // what other tests left
	t.Setenv("RAGTEST_REPORT", "summary")
	measure((&flaky{}).judge(t))
	var out strings.Builder
	NewWithT(t).Expect(ragtest.CloseSuite(&out)).To(Succeed())
	return out.String()
}

func TestTableOfScores(t *testing.T) {
	g := NewWithT(t)
	g.Expect(table(t, func(j *ragtest.Judge) {
		var samples []ragtest.Sample
		for _, s := range []string{"1", "0.5", "0.25", "no", "1", "0.75", "0.875"} {
			samples = append(samples, answering("with "+s, s))
			samples[len(samples)-1].UserInput = strings.Repeat("?", len(samples)) // two are called the same
		}
		for _, s := range samples {
			_, _ = j.Measure(t.Context(), fixed, s)
		}
		_, _ = j.Measure(t.Context(), fixed, samples[1]) // again, as Eventually does
		_, _ = j.Measure(t.Context(), ragtest.Faithfulness, bridge)
		_, _ = j.Measure(t.Context(), ragtest.ContextRecall, ragtest.Sample{Name: "bare"})
	})).To(Equal(`ragtest: scores
  metric              n    mean     min     max  not measured  worst
  context_recall      0       -       -       -             1
  faithfulness        1   1.000   1.000   1.000             0
  fixed at            6   0.729   0.250   1.000             1  with 0.25 0.25, with 0.5 0.50, with 0.75 0.75
`))
	g.Expect(table(t, func(*ragtest.Judge) {})).To(BeEmpty(), "the next table begins anew")
}

type less struct{ ragtest.Metric }

func (less) LowerIsBetter() {}

func TestTableKnowsWhatIsWorse(t *testing.T) {
	g := NewWithT(t)
	g.Expect(table(t, func(j *ragtest.Judge) {
		_, _ = j.Evaluate(t.Context(), []ragtest.Sample{answering("a", "0"), answering("b", "0.5"), answering("c", "1")}, less{fixed})
	})).To(HaveSuffix("  c 1.00, b 0.50\n"))
}

func TestTableKeepsJudgesApart(t *testing.T) {
	NewWithT(t).Expect(table(t, func(j *ragtest.Judge) {
		_, _ = j.Measure(t.Context(), fixed, answering("a", "1"))
		_, _ = j.Trial(1).Measure(t.Context(), fixed, answering("a", "0"))
		_, _ = j.Named("there").Measure(t.Context(), fixed, answering("a", "0"))
	})).To(Equal(`ragtest: scores
  metric                      n    mean     min     max  not measured  worst
  fixed at by m at here       2   0.500   0.000   1.000             0  a 0.00
  fixed at by m at there      1   0.000   0.000   0.000             0
`))
}

func TestTableIsOff(t *testing.T) {
	g := NewWithT(t)
	_ = table(t, func(*ragtest.Judge) {})
	t.Setenv("RAGTEST_REPORT", "")
	_, _ = (&flaky{}).judge(t).Measure(t.Context(), fixed, answering("a", "1"))
	var out strings.Builder
	g.Expect(ragtest.CloseSuite(&out)).To(Succeed())
	g.Expect(out.String()).To(BeEmpty())

	t.Setenv("RAGTEST_REPORT", "sumary")
	g.Expect(ragtest.CloseSuite(io.Discard)).To(MatchError(`ragtest: RAGTEST_REPORT is "sumary", expected summary`))
}
