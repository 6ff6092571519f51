package matchers

import (
	"fmt"

	"github.com/ragomega/ragomega/ragtest"
)

// BeNonInferiorTo succeeds if a report is shown not to be worse than the baseline in
// a file by margin or more: if for each metric the lower end of the interval of the
// mean difference is above -margin; see [ragtest.Compare]. It is the gate for a
// change that must do no harm:
//
//	Expect(report).To(BeNonInferiorTo("testdata/baseline.json", 0.05))
//
// It fails both if a drop is shown and if the samples are too few to rule one out,
// and says which, and about how many samples it would take: some hundred for a
// margin of 0.05, as a rule, where a third of the verdicts differ from run to run.
// [RegressFrom] has how the file is written, and what is an error. Its negation says
// that harmlessness is not shown, which few will want to assert.
func BeNonInferiorTo(file string, margin float64) *RegressionMatcher {
	m := RegressFrom(file, margin)
	m.name = fmt.Sprintf("BeNonInferiorTo(%q, %v)", file, margin)
	m.want = fmt.Sprintf("to be shown not to be worse than %s by %v", file, margin)
	m.ok = func(o ragtest.Outcome) bool { return o == ragtest.NotWorse }
	m.written = true
	return m
}
