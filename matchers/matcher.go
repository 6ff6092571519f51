package matchers

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"sync/atomic"

	"github.com/onsi/gomega/format"
	"github.com/onsi/gomega/types"

	"github.com/ragomega/ragomega/ragtest"
)

// Matcher measures the actual value, with a judge if the metric asks one, and holds
// the score against what is expected of it. Its methods return changed copies, so a Matcher can be
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
	judge  *ragtest.Judge
	ctx    context.Context
}

type config struct {
	metric   ragtest.Metric
	expected types.GomegaMatcher              // of the score's value, or of what pick returns
	pick     func(ragtest.Score) (any, error) // nil for the value
	bound    *bound                           // what values are compared with; nil for a matcher
	flaw     string                           // of what the constructor was given; "" if there is none
	name     string                           // as the test has it
	want     string                           // as a message has it: "to be …"
	contexts []string                         // not nil: in place of the sample's
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
		if j, err = ragtest.StandingFor(m.metric); err != nil {
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
	m.last.Store(&measured{s, score, j, ctx})
	ok, err := m.satisfied(score)
	if err != nil {
		return false, stop(err)
	}
	return ok, nil
}

// check refuses an expectation that cannot be met or means nothing, before
// anybody is asked.
func (m *Matcher) check() error {
	switch {
	case m.metric == nil:
		return errors.New("no metric was given, expected one such as ragtest.Faithfulness")
	case m.flaw != "":
		return fmt.Errorf("%s: %s", m.name, m.flaw)
	case m.expected == nil:
		return fmt.Errorf("%s: expected a number or a matcher to hold the score against", m.name)
	case m.bound == nil:
		return nil
	}
	lowest, highest := rangeOf(m.metric)
	return m.bound.check(m.name, "scores", lowest, highest, "HaveScore")
}

// satisfied holds a score against what is expected of it.
func (m *Matcher) satisfied(score ragtest.Score) (bool, error) {
	var actual any = score.Value
	if m.pick != nil {
		var err error
		if actual, err = m.pick(score); err != nil {
			return false, fmt.Errorf("%s: %w", m.name, err)
		}
	}
	ok, err := m.expected.Match(actual)
	if err != nil {
		return false, fmt.Errorf("%s: %w", m.name, err)
	}
	return ok, nil
}

// FailureMessage implements Gomega's matcher. Where the scores of other metrics are
// known already, it says which surface of the system is likely to be at fault.
func (m *Matcher) FailureMessage(actual any) string {
	text := m.message(actual, m.want)
	last := m.last.Load()
	if last == nil || m.pick != nil || !m.bound.exceeds(last.score.Value) {
		return text
	}
	if s, err := m.sample(actual); err != nil || !reflect.DeepEqual(s, last.sample) {
		return text
	}
	if hint := last.judge.Hint(context.WithoutCancel(last.ctx), last.sample, last.score); hint != "" {
		text += "\n    diagnosis: " + hint
	}
	return text
}

// NegatedFailureMessage implements Gomega's matcher.
func (m *Matcher) NegatedFailureMessage(actual any) string { return m.message(actual, "not "+m.want) }

func (m *Matcher) message(actual any, want string) string {
	text := format.Message(actual, want)
	last := m.last.Load()
	if last == nil {
		return text + "\nbut it was not measured"
	}
	if s, err := m.sample(actual); err != nil || !reflect.DeepEqual(s, last.sample) {
		return text + "\nbut " + m.finder() + " found otherwise (the matcher has measured another sample since)"
	}
	found := "\nbut " + m.finder() + " found"
	if v := last.score.Value; m.pick == nil && m.bound.hides(v, 2) {
		found += fmt.Sprintf(" %v, that is", v)
	}
	return text + found + "\n" + format.IndentString(last.score.String(), 1)
}

// finder is who found what a message shows.
func (m *Matcher) finder() string {
	if _, ok := m.metric.(interface{ WithoutJudge() }); ok {
		return "the metric"
	}
	return "the judge"
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
