package matchers

import (
	"fmt"
	"slices"

	"github.com/onsi/gomega/format"

	"github.com/ragomega/ragomega/ragtest"
)

// HaveFault succeeds if a diagnosis names the surface that broke as its first
// fault. Actual is a [ragtest.Diagnosis], or a pointer to one.
//
//	Expect(ragtest.Diagnose(ctx, sample, thresholds)).To(HaveFault(ragtest.RetrievalMiss))
//	Expect(ragtest.Diagnose(ctx, sample, thresholds)).To(HaveFault(ragtest.NoFault))
//
// A diagnosis that lacks scores to tell is an error, unless [ragtest.Undiagnosed] is
// what is asked for.
func HaveFault(fault ragtest.Fault) *DiagnosisMatcher {
	return &DiagnosisMatcher{
		name: fmt.Sprintf("HaveFault(%q)", string(fault)), want: fmt.Sprintf("to have the fault %q", string(fault)),
		fault: fault, is: func(d ragtest.Diagnosis) bool { return d.Fault == fault },
	}
}

// BeInQuadrant succeeds if a diagnosis places the answer there: faithful or not, and
// relevant or not. Actual is a [ragtest.Diagnosis], or a pointer to one.
//
//	Expect(ragtest.Diagnose(ctx, sample, thresholds)).NotTo(BeInQuadrant(ragtest.UnfaithfulRelevant))
//
// A diagnosis that does not know is an error: it lacks a score, or a threshold for
// one of the two.
func BeInQuadrant(quadrant ragtest.Quadrant) *DiagnosisMatcher {
	return &DiagnosisMatcher{
		name: fmt.Sprintf("BeInQuadrant(%q)", string(quadrant)), want: fmt.Sprintf("to be %s", quadrant), quadrant: true,
		is: func(d ragtest.Diagnosis) bool { return d.Quadrant == quadrant },
	}
}

// DiagnosisMatcher holds a diagnosis against what is expected of it.
type DiagnosisMatcher struct {
	name, want string
	fault      ragtest.Fault // that is asked for; "" for a quadrant
	quadrant   bool          // the diagnosis must have one
	is         func(ragtest.Diagnosis) bool
}

// Match implements Gomega's matcher.
func (m *DiagnosisMatcher) Match(actual any) (bool, error) {
	d, err := m.diagnosis(actual)
	if err != nil {
		return false, stop(err)
	}
	switch {
	case d.Fault == "":
		return false, stop(fmt.Errorf("%s: the diagnosis is empty, expected one that ragtest.Diagnose returned without an error", m.name))
	case m.fault != "" && !slices.Contains(ragtest.Faults(), m.fault):
		return false, stop(fmt.Errorf("%s: no fault is called %q, expected one such as ragtest.RetrievalMiss", m.name, string(m.fault)))
	case m.fault != "" && m.fault != ragtest.Undiagnosed && d.Fault == ragtest.Undiagnosed:
		return false, stop(fmt.Errorf("%s: %s", m.name, d))
	}
	if m.quadrant && d.Quadrant == ragtest.NoQuadrant {
		return false, stop(fmt.Errorf("%s: the diagnosis knows no quadrant, as it takes scores of faithfulness and answer relevance and a threshold for each\n%s", m.name, d))
	}
	return m.is(d), nil
}

func (m *DiagnosisMatcher) diagnosis(actual any) (ragtest.Diagnosis, error) {
	switch d := actual.(type) {
	case ragtest.Diagnosis:
		return d, nil
	case *ragtest.Diagnosis:
		if d != nil {
			return *d, nil
		}
	}
	return ragtest.Diagnosis{}, fmt.Errorf("%s: expected a ragtest.Diagnosis, as ragtest.Diagnose(ctx, sample, thresholds) returns it, got %T", m.name, actual)
}

// FailureMessage implements Gomega's matcher.
func (m *DiagnosisMatcher) FailureMessage(actual any) string { return m.message(actual, m.want) }

// NegatedFailureMessage implements Gomega's matcher.
func (m *DiagnosisMatcher) NegatedFailureMessage(actual any) string {
	return m.message(actual, "not "+m.want)
}

func (m *DiagnosisMatcher) message(actual any, want string) string {
	d, err := m.diagnosis(actual)
	if err != nil {
		return format.Message(actual, want)
	}
	return fmt.Sprintf("Expected\n%s\n%s", format.IndentString(d.String(), 1), want)
}

// MatchMayChangeInTheFuture tells Eventually that a diagnosis is what it is.
func (m *DiagnosisMatcher) MatchMayChangeInTheFuture(any) bool { return false }

// String is what And and Or call m.
func (m *DiagnosisMatcher) String() string { return m.name }

// GomegaString is what HaveEach and ContainElement call m.
func (m *DiagnosisMatcher) GomegaString() string { return m.name }
