package ragtest

import (
	"context"
	"fmt"
)

// NoJudge returns a judge that is nobody, for metrics that ask none: those of IDs
// and of letters and words, and your own made with [NewCheck]. They are measured
// without a judge by itself where [Use] was given none; NoJudge is for what else a
// judge does, such as [Judge.For]. Any other metric is [ErrNoJudge].
//
//	Expect(sample).To(HaveScoreAbove(ragtest.RecallAt(5), 0.8).Using(ragtest.NoJudge().For(t)))
func NoJudge() *Judge { return &Judge{} }

func (j *Judge) nobody() bool { return j.dial == nil }

// able is [ErrNoJudge] if there is a metric that j cannot measure, as it asks a judge
// and j is none.
func (j *Judge) able(metrics ...Metric) error {
	if j == nil {
		return ErrNoJudge
	}
	if !j.nobody() {
		return nil
	}
	for _, m := range metrics {
		if m != nil && !asksNobody(m) {
			return fmt.Errorf("%s asks a judge: %w", m.Name(), ErrNoJudge)
		}
	}
	return nil
}

// asksNobody reports whether m does without a judge.
func asksNobody(m Metric) bool {
	_, ok := m.(interface{ WithoutJudge() })
	return ok
}

// computed is embedded by the metrics that ask nobody and whose scores are from 0 to
// 1.
type computed struct{}

// WithoutJudge says that nobody is asked.
func (computed) WithoutJudge() {}

// Range returns 0 and 1.
func (computed) Range() (lowest, highest float64) { return 0, 1 }

// ofIDs is embedded by the metrics of IDs.
type ofIDs struct{ computed }

// Needs names what a plain answer lacks, so that matchers can say so.
func (ofIDs) Needs() string { return "RetrievedContextIDs and ReferenceContextIDs" }

// ofTexts is embedded by the metrics that compare the answer with the reference.
type ofTexts struct{ computed }

// Needs names what a plain answer lacks, so that matchers can say so.
func (ofTexts) Needs() string { return "Response and Reference" }

// NewCheck makes a metric of a function that needs no judge, such as a search for
// the number of a law. It costs nothing and is measured where there is no judge.
// Errors of check mean that there is no score; see [Metric].
//
//	var Cites = ragtest.NewCheck("cites", func(s ragtest.Sample) (ragtest.Score, error) {
//		return ragtest.Share(ragtest.Verdict{Claim: "the answer names its source", OK: strings.Contains(s.Response, "[1]")})
//	})
func NewCheck(name string, check func(s Sample) (Score, error)) Metric {
	return checkFunc{name: name, check: check}
}

type checkFunc struct {
	name  string
	check func(Sample) (Score, error)
}

func (m checkFunc) Name() string  { return m.name }
func (m checkFunc) WithoutJudge() {}

func (m checkFunc) Measure(_ context.Context, _ *Judge, s Sample) (Score, error) {
	if m.check == nil {
		return Score{}, fmt.Errorf("%s: NewCheck was given no function", m.name)
	}
	return m.check(s)
}
