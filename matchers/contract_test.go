package matchers_test

import (
	"errors"
	"regexp"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	. "github.com/onsi/gomega/gstruct"

	. "github.com/ragomega/ragomega/matchers"
	"github.com/ragomega/ragomega/ragtest"
)

var pointer = regexp.MustCompile(`0x[0-9a-f]+`)

// fakeT is a test that can fail without failing the test it is used in.
type fakeT struct {
	*testing.T
	errors   []string
	attrs    []string
	cleanups []func()
}

func (f *fakeT) Errorf(format string, args ...any) { f.errors = append(f.errors, format) }
func (f *fakeT) Fatalf(format string, args ...any) { f.errors = append(f.errors, format) }
func (f *fakeT) Failed() bool                      { return len(f.errors) > 0 }
func (f *fakeT) Cleanup(c func())                  { f.cleanups = append(f.cleanups, c) }
func (f *fakeT) Attr(key, value string)            { f.attrs = append(f.attrs, key+"="+value) }

func (f *fakeT) finish() {
	for _, c := range f.cleanups {
		c()
	}
}

// Wherever a matcher stands, an error of the judge fails the test: at once where
// Gomega reports errors of nested matchers, at the test's end where it does not.
func TestAJudgeThatIsDownFailsEveryPosition(t *testing.T) {
	type turn struct{ S ragtest.Sample }
	samples := []ragtest.Sample{moon, louvre}
	yes := Not(BeNil())
	for name, test := range map[string]struct {
		assert    func(g Gomega, m *Matcher)
		swallowed bool // by Gomega, so that only the end of the test can tell
		fine      bool // the matcher is not reached
	}{
		"To":                    {assert: func(g Gomega, m *Matcher) { g.Expect(moon).To(m) }},
		"NotTo":                 {assert: func(g Gomega, m *Matcher) { g.Expect(moon).NotTo(m) }},
		"Not":                   {assert: func(g Gomega, m *Matcher) { g.Expect(moon).To(Not(m)) }},
		"And":                   {assert: func(g Gomega, m *Matcher) { g.Expect(moon).To(And(yes, m)) }},
		"NotTo And":             {assert: func(g Gomega, m *Matcher) { g.Expect(moon).NotTo(And(yes, m)) }},
		"Or, error first":       {assert: func(g Gomega, m *Matcher) { g.Expect(moon).To(Or(m, yes)) }},
		"Or, error not reached": {assert: func(g Gomega, m *Matcher) { g.Expect(moon).To(Or(yes, m)) }, fine: true},
		"HaveEach":              {assert: func(g Gomega, m *Matcher) { g.Expect(samples).To(HaveEach(m)) }},
		"NotTo HaveEach":        {assert: func(g Gomega, m *Matcher) { g.Expect(samples).NotTo(HaveEach(m)) }},
		"ContainElement":        {assert: func(g Gomega, m *Matcher) { g.Expect(samples).To(ContainElement(m)) }},
		"NotTo ContainElement":  {assert: func(g Gomega, m *Matcher) { g.Expect(samples).NotTo(ContainElement(m)) }},
		"WithTransform": {assert: func(g Gomega, m *Matcher) {
			g.Expect(turn{moon}).To(WithTransform(func(t turn) ragtest.Sample { return t.S }, m))
		}},
		"HaveField":               {assert: func(g Gomega, m *Matcher) { g.Expect(turn{moon}).To(HaveField("S", m)) }},
		"NotTo HaveField":         {assert: func(g Gomega, m *Matcher) { g.Expect(turn{moon}).NotTo(HaveField("S", m)) }},
		"PointTo":                 {assert: func(g Gomega, m *Matcher) { g.Expect(&moon).To(PointTo(m)) }},
		"NotTo PointTo":           {assert: func(g Gomega, m *Matcher) { g.Expect(&moon).NotTo(PointTo(m)) }},
		"HaveValue":               {assert: func(g Gomega, m *Matcher) { g.Expect(&moon).To(HaveValue(m)) }},
		"ConsistOf":               {assert: func(g Gomega, m *Matcher) { g.Expect(samples).To(ConsistOf(m, m)) }},
		"MatchFields":             {assert: func(g Gomega, m *Matcher) { g.Expect(turn{moon}).To(MatchFields(IgnoreExtras, Fields{"S": m})) }},
		"NotTo ConsistOf":         {assert: func(g Gomega, m *Matcher) { g.Expect(samples).NotTo(ConsistOf(m, m)) }, swallowed: true},
		"NotTo ContainElements":   {assert: func(g Gomega, m *Matcher) { g.Expect(samples).NotTo(ContainElements(m)) }, swallowed: true},
		"NotTo HaveExactElements": {assert: func(g Gomega, m *Matcher) { g.Expect(samples).NotTo(HaveExactElements(m, m)) }, swallowed: true},
		"NotTo MatchFields":       {assert: func(g Gomega, m *Matcher) { g.Expect(turn{moon}).NotTo(MatchFields(IgnoreExtras, Fields{"S": m})) }, swallowed: true},
		"NotTo MatchAllKeys":      {assert: func(g Gomega, m *Matcher) { g.Expect(map[string]any{"S": moon}).NotTo(MatchAllKeys(Keys{"S": m})) }, swallowed: true},
		"NotTo MatchAllElementsByIndex": {assert: func(g Gomega, m *Matcher) {
			g.Expect(samples).NotTo(MatchAllElementsWithIndex(IndexIdentity, Elements{"0": m, "1": m}))
		}, swallowed: true},
		"Eventually": {assert: func(g Gomega, m *Matcher) { g.Eventually(moon).WithTimeout(30 * time.Millisecond).Should(m) }},
		"Eventually ShouldNot": {assert: func(g Gomega, m *Matcher) {
			g.Eventually(func() ragtest.Sample { return moon }).WithTimeout(30 * time.Millisecond).ShouldNot(m)
		}},
		"Consistently": {assert: func(g Gomega, m *Matcher) { g.Consistently(moon).WithTimeout(30 * time.Millisecond).Should(m) }},
	} {
		t.Run(name, func(t *testing.T) {
			f := &fakeT{T: t}
			test.assert(NewWithT(f), BeFaithful().Using((&literal{err: errDown}).judge(t).For(f)))
			atOnce := f.Failed()
			f.finish()
			switch {
			case test.fine && f.Failed():
				t.Error("the test failed, though the judge was not asked")
			case !test.fine && !f.Failed():
				t.Error("the test passed")
			case atOnce == test.swallowed && !test.fine:
				t.Errorf("failed at once: %v; Gomega now treats errors here in another way than documented", atOnce)
			}
		})
	}
}

func TestABoundJudgeReportsScoresAsAttributes(t *testing.T) {
	g := NewWithT(t)
	f := &fakeT{T: t}
	judge := (&literal{}).judge(t).For(f)
	NewWithT(f).Expect(moon).To(HaveContextRecallAbove(0.4).Using(judge))
	f.finish()
	g.Expect(f.attrs).To(ConsistOf("ragtest.context_recall=0.5000"))
}

func TestUnboundFailuresFailTheRun(t *testing.T) {
	g := NewWithT(t)
	l := standing(t)
	l.err = errDown
	type turn struct{ S ragtest.Sample }
	NewWithT(t).Expect(turn{moon}).NotTo(MatchFields(IgnoreExtras, Fields{"S": BeFaithful()}), "swallowed by gstruct")
	err := ragtest.Close()
	g.Expect(err).To(MatchError(And(
		ContainSubstring("1 measurement(s) failed. If no test has reported this"),
		ContainSubstring(`faithfulness of sample "moon"`),
		ContainSubstring("the judge is down"))))
	g.Expect(ragtest.Close()).To(Succeed(), "it is told once")
}

func TestAFailureThatPassedIsForgotten(t *testing.T) {
	g := NewWithT(t)
	l := standing(t)
	for _, err := range []error{errDown, nil} { // one assertion, tried twice
		l.err = err
		_, got := BeFaithful().Match(moon)
		g.Expect(errors.Is(got, errDown)).To(Equal(err != nil))
	}
	g.Expect(ragtest.Close()).To(Succeed())
}

func TestEventuallyJudgesAValueOnce(t *testing.T) {
	g := NewWithT(t)
	l := standing(t)
	began := time.Now()
	message := failure(func(g Gomega) { g.Eventually(moon).WithTimeout(time.Hour).Should(BeFaithful()) })
	g.Expect(message).To(ContainSubstring("No future change is possible"))
	g.Expect(time.Since(began)).To(BeNumerically("<", time.Minute))
	g.Expect(l.calls.Load()).To(BeNumerically("<=", 4), "one measurement, and one for the message")
}
