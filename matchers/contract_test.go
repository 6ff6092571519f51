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
