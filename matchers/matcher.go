package matchers

import (
	"context"
	"errors"
	"fmt"
	"math"
	"reflect"
	"strings"
	"sync/atomic"

	"github.com/onsi/gomega"
	"github.com/onsi/gomega/format"
	"github.com/onsi/gomega/matchers"
	"github.com/onsi/gomega/types"

	"github.com/ragomega/ragomega/ragtest"
)

// Matcher measures the actual value with a judge, and holds the score against
// what is expected of it. Its methods return changed copies, so a Matcher can be
// kept in a variable and shared.
type Matcher struct {
	config
	// last is read by Ginkgo's progress reports while Match runs.
	last atomic.Pointer[measured]
}

// measured is a score and what it is the score of: a matcher may be shared, and
// must not explain one sample by another's verdicts.
type measured struct {
	sample ragtest.Sample
	score  ragtest.Score
}

type config struct {
	metric   ragtest.Metric
	expected types.GomegaMatcher
	bound    *float64 // the number that scores are compared with; nil for a matcher
	above    bool     // they must be greater, not equal
	name     string   // as the test has it
	want     string   // as a message has it: "to be …"
	contexts []string // not nil: in place of the sample's
	question *string
	judge    *ragtest.Judge
	using    bool // a judge of its own
	ctx      context.Context
}

// Using returns a copy of m that asks j rather than the judge of ragtest.Use.
//
//	Expect(sample).To(BeFaithful().Using(judge.For(t)))
func (m *Matcher) Using(j *ragtest.Judge) *Matcher {
	c := m.config
	c.judge, c.using = j, true
	return &Matcher{config: c}
}

// WithContext returns a copy of m that gives up when ctx ends. By default it
// works under the context of the test that its judge is bound to. A context
// given to Expect or Eventually does not reach matchers.
func (m *Matcher) WithContext(ctx context.Context) *Matcher {
	c := m.config
	c.ctx = ctx
	return &Matcher{config: c}
}

// Asked returns a copy of m for an answer to question, in place of the sample's
// UserInput. A short answer, such as a date, is understood only with it.
func (m *Matcher) Asked(question string) *Matcher {
	c := m.config
	c.question = &question
	return &Matcher{config: c}
}

var _ types.GomegaMatcher = (*Matcher)(nil)

// Match implements Gomega's matcher. An error means that there is no score.
func (m *Matcher) Match(actual any) (bool, error) {
	m.last.Store(nil)
	if err := m.check(); err != nil {
		return false, stop(err)
	}
	s, err := m.sample(actual)
	if err != nil {
		return false, stop(err)
	}
	j := m.judge
	if j == nil && m.using {
		return false, stop(fmt.Errorf("%s: Using was given no judge", m.name))
	}
	if j == nil {
		if j, err = ragtest.Standing(); err != nil {
			return false, stop(fmt.Errorf("%s was not measured: %w", m.metric.Name(), err))
		}
	}
	ctx := m.ctx
	if ctx == nil {
		ctx = j.Context()
	}
	score, err := j.Assert(ctx, m.metric, s)
	if err != nil {
		return false, stop(err)
	}
	m.last.Store(&measured{s, score})
	return m.expected.Match(score.Value)
}

// check refuses an expectation that cannot be met or means nothing, before
// anybody is asked.
func (m *Matcher) check() error {
	switch {
	case m.metric == nil:
		return errors.New("no metric was given, expected one such as ragtest.Faithfulness")
	case m.expected == nil:
		return fmt.Errorf("%s: expected a number or a matcher to hold the score against", m.name)
	case m.bound == nil:
		return nil
	}
	bound := *m.bound
	if math.IsNaN(bound) || math.IsInf(bound, 0) {
		return fmt.Errorf("%s: the bound is %v, expected a number", m.name, bound)
	}
	r, ok := m.metric.(interface{ Range() (float64, float64) })
	if !ok {
		return nil
	}
	lowest, highest := r.Range()
	switch {
	case m.above && (bound < lowest || bound >= highest):
		return fmt.Errorf("%s: scores lie from %v to %v, so the bound must be at least %v and below %v. For the highest score itself use HaveScore(…, %v)",
			m.name, lowest, highest, lowest, highest, highest)
	case !m.above && (bound < lowest || bound > highest):
		return fmt.Errorf("%s: scores lie from %v to %v, so none is %v", m.name, lowest, highest, bound)
	}
	return nil
}

// stop ends Eventually and Consistently for errors that no further attempt
// mends. In a plain Expect it is an error like any other.
func stop(err error) error {
	var call *ragtest.CallError
	if errors.As(err, &call) && call.Temporary() {
		return err
	}
	return permanent{gomega.StopTrying(err.Error()).Wrap(err), err}
}

// permanent is Gomega's signal to stop, with the text of the error alone.
type permanent struct {
	gomega.PollingSignalError
	err error
}

func (p permanent) Error() string { return p.err.Error() }

func (p permanent) Unwrap() []error { return []error{p.PollingSignalError, p.err} }

// sample makes a sample of the actual value.
func (m *Matcher) sample(actual any) (ragtest.Sample, error) {
	s, err := m.toSample(actual)
	if err != nil {
		return s, err
	}
	if m.contexts != nil {
		s.RetrievedContexts = m.contexts
	}
	if m.question != nil {
		s.UserInput = *m.question
	}
	return s, nil
}

func (m *Matcher) toSample(actual any) (ragtest.Sample, error) {
	v := reflect.ValueOf(actual)
	if actual == nil || v.Kind() == reflect.Pointer && v.IsNil() {
		return ragtest.Sample{}, fmt.Errorf("%s expects an answer (a string) or a ragtest.Sampler, got nil", m.name)
	}
	if s, ok := actual.(ragtest.Sampler); ok {
		return s.RAGSample(), nil
	}
	switch v.Kind() {
	case reflect.String:
		return ragtest.Sample{Response: v.String()}, nil
	case reflect.Slice, reflect.Array, reflect.Map:
		if v.Kind() == reflect.Slice && v.Type().Elem().Kind() == reflect.Uint8 {
			return ragtest.Sample{Response: string(v.Bytes())}, nil
		}
		return ragtest.Sample{}, fmt.Errorf("%s judges one sample, got %d of them (%T). To judge each use HaveEach(%s)",
			m.name, v.Len(), actual, m.name)
	}
	return ragtest.Sample{}, fmt.Errorf("%s expects an answer (a string) or a ragtest.Sampler, got\n%s", m.name, format.Object(actual, 1))
}

// FailureMessage implements Gomega's matcher.
func (m *Matcher) FailureMessage(actual any) string { return m.message(actual, m.want) }

// NegatedFailureMessage implements Gomega's matcher.
func (m *Matcher) NegatedFailureMessage(actual any) string { return m.message(actual, "not "+m.want) }

func (m *Matcher) message(actual any, want string) string {
	text := format.Message(actual, want)
	last := m.last.Load()
	if last == nil {
		return text + "\nbut it was not measured"
	}
	if s, err := m.sample(actual); err != nil || !reflect.DeepEqual(s, last.sample) {
		return text + "\nbut the judge found otherwise (the matcher has measured another sample since)"
	}
	return text + "\nbut the judge found\n" + format.IndentString(last.score.String(), 1)
}

// MatchMayChangeInTheFuture tells Eventually that one value has one score.
func (m *Matcher) MatchMayChangeInTheFuture(any) bool { return false }

// String is what And and Or call m.
func (m *Matcher) String() string { return m.name }

// GomegaString is what HaveEach and ContainElement call m: with the last score,
// which for HaveEach is that of the element that failed.
func (m *Matcher) GomegaString() string {
	if last := m.last.Load(); last != nil {
		return m.name + ", which last measured\n" + last.score.String()
	}
	return m.name
}

// describe names a matcher of Gomega as the test wrote it, as far as it tells.
func describe(m types.GomegaMatcher) string {
	switch e := m.(type) {
	case *matchers.BeNumericallyMatcher:
		args := make([]string, len(e.CompareTo))
		for i, a := range e.CompareTo {
			args[i] = fmt.Sprint(a)
		}
		return e.Comparator + " " + strings.Join(args, ", ")
	case fmt.Stringer:
		return e.String()
	}
	return fmt.Sprintf("%T", m)
}
