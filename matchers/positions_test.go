package matchers_test

import (
	"testing"
	"time"

	. "github.com/onsi/gomega"
	. "github.com/onsi/gomega/gstruct"
	"github.com/onsi/gomega/types"

	. "github.com/ragomega/ragomega/matchers"
	"github.com/ragomega/ragomega/ragtest"
)

type turn struct{ S any }

// position is a place in an assertion where a matcher can stand.
type position struct {
	assert    func(g Gomega, actual any, m types.GomegaMatcher)
	negative  bool // the assertion holds where the matcher does not match
	swallowed bool // errors of the matcher are, by Gomega
	unreached bool // the matcher is not asked
}

const soon = 10 * time.Millisecond

var yes = Not(BeNil())

var positions = map[string]position{
	"To":              {assert: func(g Gomega, a any, m types.GomegaMatcher) { g.Expect(a).To(m) }},
	"NotTo":           {assert: func(g Gomega, a any, m types.GomegaMatcher) { g.Expect(a).NotTo(m) }, negative: true},
	"Not":             {assert: func(g Gomega, a any, m types.GomegaMatcher) { g.Expect(a).To(Not(m)) }, negative: true},
	"And":             {assert: func(g Gomega, a any, m types.GomegaMatcher) { g.Expect(a).To(And(yes, m)) }},
	"NotTo And":       {assert: func(g Gomega, a any, m types.GomegaMatcher) { g.Expect(a).NotTo(And(yes, m)) }, negative: true},
	"SatisfyAll":      {assert: func(g Gomega, a any, m types.GomegaMatcher) { g.Expect(a).To(SatisfyAll(m, yes)) }},
	"Or, reached":     {assert: func(g Gomega, a any, m types.GomegaMatcher) { g.Expect(a).To(Or(m, Not(yes))) }},
	"Or, not reached": {assert: func(g Gomega, a any, m types.GomegaMatcher) { g.Expect(a).To(Or(yes, m)) }, unreached: true},
	"SatisfyAny":      {assert: func(g Gomega, a any, m types.GomegaMatcher) { g.Expect(a).To(SatisfyAny(Not(yes), m)) }},
	"HaveEach":        {assert: func(g Gomega, a any, m types.GomegaMatcher) { g.Expect([]any{a, a}).To(HaveEach(m)) }},
	"NotTo HaveEach":  {assert: func(g Gomega, a any, m types.GomegaMatcher) { g.Expect([]any{a, a}).NotTo(HaveEach(m)) }, negative: true},
	"HaveEach, a map": {assert: func(g Gomega, a any, m types.GomegaMatcher) { g.Expect(map[string]any{"S": a}).To(HaveEach(m)) }},
	"HaveKeyWithValue": {assert: func(g Gomega, a any, m types.GomegaMatcher) {
		g.Expect(map[string]any{"S": a}).To(HaveKeyWithValue("S", m))
	}},
	"ContainElement": {assert: func(g Gomega, a any, m types.GomegaMatcher) { g.Expect([]any{a}).To(ContainElement(m)) }},
	"NotTo ContainElement": {assert: func(g Gomega, a any, m types.GomegaMatcher) {
		g.Expect([]any{a, a}).NotTo(ContainElement(m))
	}, negative: true},
	"WithTransform": {assert: func(g Gomega, a any, m types.GomegaMatcher) {
		g.Expect(turn{a}).To(WithTransform(func(t turn) any { return t.S }, m))
	}},
	"HaveField":       {assert: func(g Gomega, a any, m types.GomegaMatcher) { g.Expect(turn{a}).To(HaveField("S", m)) }},
	"NotTo HaveField": {assert: func(g Gomega, a any, m types.GomegaMatcher) { g.Expect(turn{a}).NotTo(HaveField("S", m)) }, negative: true},
	"HaveValue":       {assert: func(g Gomega, a any, m types.GomegaMatcher) { g.Expect(&a).To(HaveValue(m)) }},
	"PointTo":         {assert: func(g Gomega, a any, m types.GomegaMatcher) { g.Expect(&a).To(PointTo(m)) }},
	"NotTo PointTo":   {assert: func(g Gomega, a any, m types.GomegaMatcher) { g.Expect(&a).NotTo(PointTo(m)) }, negative: true},
	"ConsistOf":       {assert: func(g Gomega, a any, m types.GomegaMatcher) { g.Expect([]any{a, a}).To(ConsistOf(m, m)) }},
	"NotTo ConsistOf": {assert: func(g Gomega, a any, m types.GomegaMatcher) {
		g.Expect([]any{a, a}).NotTo(ConsistOf(m, m))
	}, negative: true, swallowed: true},
	"ContainElements": {assert: func(g Gomega, a any, m types.GomegaMatcher) { g.Expect([]any{a, a}).To(ContainElements(m)) }},
	"NotTo ContainElements": {assert: func(g Gomega, a any, m types.GomegaMatcher) {
		g.Expect([]any{a, a}).NotTo(ContainElements(m))
	}, negative: true, swallowed: true},
	"HaveExactElements": {assert: func(g Gomega, a any, m types.GomegaMatcher) { g.Expect([]any{a}).To(HaveExactElements(m)) }},
	"NotTo HaveExactElements": {assert: func(g Gomega, a any, m types.GomegaMatcher) {
		g.Expect([]any{a, a}).NotTo(HaveExactElements(m, m))
	}, negative: true, swallowed: true},
	"MatchFields": {assert: func(g Gomega, a any, m types.GomegaMatcher) {
		g.Expect(turn{a}).To(MatchFields(IgnoreExtras, Fields{"S": m}))
	}},
	"NotTo MatchFields": {assert: func(g Gomega, a any, m types.GomegaMatcher) {
		g.Expect(turn{a}).NotTo(MatchFields(IgnoreExtras, Fields{"S": m}))
	}, negative: true, swallowed: true},
	"MatchAllKeys": {assert: func(g Gomega, a any, m types.GomegaMatcher) {
		g.Expect(map[string]any{"S": a}).To(MatchAllKeys(Keys{"S": m}))
	}},
	"NotTo MatchAllKeys": {assert: func(g Gomega, a any, m types.GomegaMatcher) {
		g.Expect(map[string]any{"S": a}).NotTo(MatchAllKeys(Keys{"S": m}))
	}, negative: true, swallowed: true},
	"MatchAllElements": {assert: func(g Gomega, a any, m types.GomegaMatcher) {
		g.Expect([]any{a, a}).To(MatchAllElementsWithIndex(IndexIdentity, Elements{"0": m, "1": m}))
	}},
	"NotTo MatchAllElements": {assert: func(g Gomega, a any, m types.GomegaMatcher) {
		g.Expect([]any{a, a}).NotTo(MatchAllElementsWithIndex(IndexIdentity, Elements{"0": m, "1": m}))
	}, negative: true, swallowed: true},
	"Eventually":           {assert: func(g Gomega, a any, m types.GomegaMatcher) { g.Eventually(a).WithTimeout(soon).Should(m) }},
	"Eventually ShouldNot": {assert: func(g Gomega, a any, m types.GomegaMatcher) { g.Eventually(a).WithTimeout(soon).ShouldNot(m) }, negative: true},
	"Eventually, a function": {assert: func(g Gomega, a any, m types.GomegaMatcher) {
		g.Eventually(func() any { return a }).WithTimeout(soon).Should(m)
	}},
	"Eventually ShouldNot, a function": {assert: func(g Gomega, a any, m types.GomegaMatcher) {
		g.Eventually(func() any { return a }).WithTimeout(soon).ShouldNot(m)
	}, negative: true},
	"Consistently": {assert: func(g Gomega, a any, m types.GomegaMatcher) { g.Consistently(a).WithTimeout(soon).Should(m) }},
	"Consistently ShouldNot, a function": {assert: func(g Gomega, a any, m types.GomegaMatcher) {
		g.Consistently(func() any { return a }).WithTimeout(soon).ShouldNot(m)
	}, negative: true},
	"Eventually, an assertion inside": {assert: func(g Gomega, a any, m types.GomegaMatcher) {
		g.Eventually(func(g Gomega) { g.Expect(a).To(m) }).WithTimeout(soon).Should(Succeed())
	}},
}

// answers are matchers that hold of louvre, and not of moon.
var answers = map[string]*Matcher{
	"BeFaithful":                 BeFaithful(),
	"BeFaithfulTo":               BeFaithfulTo("The Louvre is in Paris."),
	"BeCorrect":                  BeCorrect(),
	"HaveAnswerRelevanceAbove":   HaveAnswerRelevanceAbove(0.5),
	"HaveAnswerCorrectnessAbove": HaveAnswerCorrectnessAbove(0.9),
	"HaveScore":                  HaveScore(ragtest.ContextRecall, And(BeNumerically(">", 0.5), Not(BeZero()))),
	"HaveVerdicts":               HaveVerdicts(ragtest.Faithfulness, HaveLen(1)),
	"HaveVerdict":                HaveVerdict(ragtest.ContextPrecision, 1, HaveField("Claim", ContainSubstring("Louvre"))),
	"HaveRejected":               HaveRejected(ragtest.ContextPrecision, ContainSubstring("1793")),
}

// Wherever a matcher stands, it says the same of a sample.
func TestPositionsOfMatchers(t *testing.T) {
	l := &literal{}
	for name, m := range answers {
		for where, p := range positions {
			t.Run(name+"/"+where, func(t *testing.T) {
				m := m.Using(l.judge(t))
				for _, s := range []ragtest.Sample{louvre, moon} {
					holds := p.unreached || (s.Name == "louvre") != p.negative
					message := failure(func(g Gomega) { p.assert(g, s, m) })
					if (message == "") != holds {
						t.Errorf("of %s it says\n%s", s.Name, message)
					}
				}
			})
		}
	}
}

// Wherever a matcher stands, an error of the judge fails the test: at once where
// Gomega reports errors of nested matchers, at the test's end where it does not.
func TestAJudgeThatIsDownFailsEveryPosition(t *testing.T) {
	l := &literal{err: errDown}
	for name, m := range answers {
		for where, p := range positions {
			t.Run(name+"/"+where, func(t *testing.T) {
				f := &fakeT{T: t}
				p.assert(NewWithT(f), louvre, m.Using(l.judge(t).For(f)))
				atOnce := f.Failed()
				f.finish()
				switch {
				case p.unreached && f.Failed():
					t.Error("the test failed, though the judge was not asked")
				case !p.unreached && !f.Failed():
					t.Error("the test passed")
				case atOnce == p.swallowed && !p.unreached:
					t.Errorf("failed at once: %v; Gomega now treats errors here in another way than documented", atOnce)
				}
			})
		}
	}
}

// Matchers of reports stand where others do. Their errors are lost where Gomega
// loses them, which the documentation of the package says.
func TestPositionsOfMatchersOfReports(t *testing.T) {
	good, bad := report(t, louvre), report(t, moon, louvre)
	for name, m := range map[string]*ReportMatcher{
		"HaveMeanAbove":     HaveMeanAbove(ragtest.Faithfulness, 0.8),
		"HaveMean":          HaveMean(ragtest.Faithfulness, And(BeNumerically(">", 0.8), Not(BeZero()))),
		"HavePassRateAbove": HavePassRateAbove(BeFaithful(), 0.8),
		"HavePassRate":      HavePassRate(HaveScore(ragtest.Faithfulness, Or(Equal(1.0), Equal(0.9))), 1),
	} {
		for where, p := range positions {
			t.Run(name+"/"+where, func(t *testing.T) {
				for r, holds := range map[*ragtest.Report]bool{good: true, bad: false} {
					message := failure(func(g Gomega) { p.assert(g, r, m) })
					if (message == "") != (p.unreached || holds != p.negative) {
						t.Errorf("of one that holds: %v, it says\n%s", holds, message)
					}
				}
				message := failure(func(g Gomega) { p.assert(g, good, m.ForTag("none")) })
				if (message != "") != (!p.unreached && !p.swallowed) {
					t.Errorf("of an error it says %q; Gomega now treats errors here in another way than documented", message)
				}
			})
		}
	}
}

// So do those of calibrations.
func TestPositionsOfMatchersOfCalibrations(t *testing.T) {
	good, bad := binary(12, 0, 1, 11), binary(6, 6, 1, 11)
	for name, m := range map[string]*CalibrationMatcher{
		"HaveTPRAbove":   HaveTPRAbove(0.7),
		"BeNotWorseThan": BeNotWorseThan(binary(12, 0, 2, 10), 0.3).OnPoint(),
	} {
		for where, p := range positions {
			t.Run(name+"/"+where, func(t *testing.T) {
				for c, holds := range map[*ragtest.Calibration]bool{good: true, bad: false} {
					message := failure(func(g Gomega) { p.assert(g, c, m) })
					if (message == "") != (p.unreached || holds != p.negative) {
						t.Errorf("of one that holds: %v, it says\n%s", holds, message)
					}
				}
				message := failure(func(g Gomega) { p.assert(g, good, m.ForTag("none")) })
				if (message != "") != (!p.unreached && !p.swallowed) {
					t.Errorf("of an error it says %q; Gomega now treats errors here in another way than documented", message)
				}
			})
		}
	}
}

// report evaluates samples with a literal judge.
func report(t *testing.T, samples ...ragtest.Sample) *ragtest.Report {
	t.Helper()
	r, err := (&literal{}).judge(t).Evaluate(t.Context(), samples, ragtest.Faithfulness, ragtest.ContextRecall)
	if err != nil {
		t.Fatal(err)
	}
	return r
}
