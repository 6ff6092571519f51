package matchers

import (
	"fmt"
	"sync/atomic"

	"github.com/onsi/gomega/format"
	"github.com/onsi/gomega/types"

	"github.com/ragomega/ragomega/ragtest"
)

// HaveCorrectedMeanAbove succeeds if the mean of a report's scores, corrected for
// how often the judge errs, is above min, by the lower end of its interval of
// 95 %: see [ragtest.Report.Corrected]. The interval holds the errors of both, the
// samples of the report and the labels of the calibration, so it takes many of
// both to be narrow. Samples that all have the same score add nothing to it, which
// says little when they are few. min is at least 0 and below 1.
//
//	Expect(report).To(HaveCorrectedMeanAbove(ragtest.Faithfulness, calibration, 0.8))
//
// A judge that accepts some of what is unsupported makes the mean too high, and
// one that rejects some of what is supported too low: [HaveMeanAbove] is about
// what the judge said, this about what people would have said.
//
// What cannot be corrected is an error, [ragtest.ErrCannotCorrect]: a metric that
// is no plain share of verdicts, a calibration of another judge, step or prompt,
// too few labels, a judge that is not known to be better than chance, a sample
// that was not measured.
func HaveCorrectedMeanAbove(metric ragtest.Metric, calibration *ragtest.Calibration, min float64) *CorrectedMatcher {
	return &CorrectedMatcher{correctedConfig: correctedConfig{
		metric: metric, calibration: calibration, bound: bound{at: min, above: true},
		name: fmt.Sprintf("HaveCorrectedMeanAbove(%s, %s, %v)", nameOf(metric), by(calibration), min),
		want: fmt.Sprintf("to have a corrected mean of %s above %v", nameOf(metric), min),
	}}
}

// CorrectedMatcher holds the corrected mean of a [ragtest.Report] against what is
// expected of it. Its methods return changed copies, so a CorrectedMatcher can be
// kept in a variable and shared.
type CorrectedMatcher struct {
	correctedConfig
	// last is read by Ginkgo's progress reports while Match runs.
	last atomic.Pointer[foundMean]
}

type correctedConfig struct {
	metric      ragtest.Metric
	calibration *ragtest.Calibration
	bound       bound
	name        string
	want        string
	onPoint     bool
	tag         *string
}

// foundMean is what a matcher found in a report.
type foundMean struct {
	report  *ragtest.Report
	says    string
	figures string
	against []ragtest.Result
}

// OnPoint returns a copy of m that holds the corrected mean itself against the
// bound, not the lower end of its interval.
//
//	Expect(report).To(HaveCorrectedMeanAbove(ragtest.Faithfulness, calibration, 0.8).OnPoint())
func (m *CorrectedMatcher) OnPoint() *CorrectedMatcher {
	c := m.correctedConfig
	c.onPoint = true
	c.name += ".OnPoint()"
	return &CorrectedMatcher{correctedConfig: c}
}

// ForTag returns a copy of m that looks only at the report's samples with a tag.
// That there is none is an error. All of the calibration is used: give the part of
// it that is about such samples, if the judge errs otherwise on them.
//
//	Expect(report).To(HaveCorrectedMeanAbove(ragtest.Faithfulness, calibration.ForTag("numbers"), 0.8).ForTag("numbers"))
func (m *CorrectedMatcher) ForTag(tag string) *CorrectedMatcher {
	c := m.correctedConfig
	c.tag = &tag
	c.name += fmt.Sprintf(".ForTag(%q)", tag)
	c.want += fmt.Sprintf(" among the samples tagged %q", tag)
	return &CorrectedMatcher{correctedConfig: c}
}

var _ types.GomegaMatcher = (*CorrectedMatcher)(nil)

// Match implements Gomega's matcher. An error means that the report and the
// calibration do not tell.
func (m *CorrectedMatcher) Match(actual any) (bool, error) {
	m.last.Store(nil)
	if err := m.check(); err != nil {
		return false, stop(err)
	}
	r, err := m.report(actual)
	if err != nil {
		return false, stop(err)
	}
	value, f, err := m.find(r)
	if err != nil {
		return false, stop(fmt.Errorf("%s: %w", m.name, err))
	}
	f.report = r
	m.last.Store(&f)
	return value > m.bound.at, nil
}

func (m *CorrectedMatcher) check() error {
	flaw := m.bound.flaw("means lie from 0 to 1")
	switch {
	case m.metric == nil:
		flaw = "nothing to look for was given, expected ragtest.Faithfulness or ragtest.ContextRecall"
	case m.calibration == nil:
		flaw = "nothing to correct by was given, expected the calibration of the report's judge"
	}
	if flaw != "" {
		return fmt.Errorf("%s: %s", m.name, flaw)
	}
	return nil
}

func (m *CorrectedMatcher) report(actual any) (*ragtest.Report, error) {
	return reportOf(actual, m.name, fmt.Sprintf("HaveScoreAbove(%s, %v)", nameOf(m.metric), m.bound.at))
}

func (m *CorrectedMatcher) find(r *ragtest.Report) (float64, foundMean, error) {
	part, err := partOf(r, m.metric, m.tag)
	if err != nil {
		return 0, foundMean{}, err
	}
	c, err := part.Corrected(m.metric, m.calibration)
	if err != nil {
		return 0, foundMean{}, err
	}
	f := foundMean{figures: fmt.Sprintf("%v\ncorrected by %s", c, title(m.calibration)), against: below(m.metric, part.Scores(m.metric))}
	e := estimate{name: "the corrected mean", value: c.Value, interval: c.Interval}
	value, says, err := m.bound.held(e, m.onPoint)
	if err != nil {
		return 0, f, fmt.Errorf("%w\n%s", err, format.IndentString(f.figures, 1))
	}
	f.says = says
	return value, f, nil
}

// FailureMessage implements Gomega's matcher.
func (m *CorrectedMatcher) FailureMessage(actual any) string { return m.message(actual, m.want) }

// NegatedFailureMessage implements Gomega's matcher.
func (m *CorrectedMatcher) NegatedFailureMessage(actual any) string {
	return m.message(actual, "not "+m.want)
}

func (m *CorrectedMatcher) message(actual any, want string) string {
	last := m.last.Load()
	if last == nil {
		return format.Message(actual, want) + "\nbut the report was not looked at"
	}
	if r, err := m.report(actual); err != nil || !same(r, last.report) {
		return format.Message(actual, want) + "\nbut the matcher has looked at another report since"
	}
	return format.Message(actual, want+" "+at(m.onPoint, 0.95)) + "\nbut " + last.text()
}

// text is what was found: the number, what it rests on, and what speaks against
// it.
func (f *foundMean) text() string {
	text := f.says + "\n" + format.IndentString(f.figures, 1)
	if len(f.against) > 0 {
		text += "\nthe worst" + listed(f.against)
	}
	return text
}

// MatchMayChangeInTheFuture tells Eventually that a report is what it is.
func (m *CorrectedMatcher) MatchMayChangeInTheFuture(any) bool { return false }

// String is what And and Or call m.
func (m *CorrectedMatcher) String() string { return m.name }

// GomegaString is what HaveEach and ContainElement call m: with what it last
// found, which for HaveEach is that of the report that failed.
func (m *CorrectedMatcher) GomegaString() string {
	if last := m.last.Load(); last != nil {
		return m.name + ", which last found that " + last.text()
	}
	return m.name
}
