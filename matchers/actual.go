package matchers

import (
	"fmt"
	"reflect"

	"github.com/onsi/gomega/format"

	"github.com/ragomega/ragomega/ragtest"
)

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
	if isNil(actual) {
		return ragtest.Sample{}, fmt.Errorf("%s expects %s, got nil", m.name, m.expects())
	}
	switch a := actual.(type) {
	case ragtest.Sampler:
		return a.RAGSample(), nil
	case *ragtest.Report, ragtest.Report:
		return ragtest.Sample{}, fmt.Errorf("%s judges one sample, got a report of many. Of a report ask HavePassRateAbove(%s, …) or HaveMeanAbove(%s, …)",
			m.name, m.name, nameOf(m.metric))
	}
	switch v := reflect.ValueOf(actual); v.Kind() {
	case reflect.String:
		return m.answer(v.String())
	case reflect.Slice, reflect.Array, reflect.Map:
		if v.Kind() == reflect.Slice && v.Type().Elem().Kind() == reflect.Uint8 {
			return m.answer(string(v.Bytes()))
		}
		if v.Type().Elem().Kind() == reflect.String && m.needs() != "" {
			return ragtest.Sample{}, fmt.Errorf("%s expects %s, got %d texts (%T). Put them into a sample", m.name, m.expects(), v.Len(), actual)
		}
		return ragtest.Sample{}, fmt.Errorf("%s judges one sample, got %d of them (%T). To judge each use HaveEach(%s); to judge them together ragtest.Evaluate, and HaveMeanAbove or HavePassRateAbove on its report",
			m.name, v.Len(), actual, m.name)
	}
	return ragtest.Sample{}, fmt.Errorf("%s expects %s, got\n%s", m.name, m.expects(), format.Object(actual, 1))
}

// answer makes a sample of a plain answer.
func (m *Matcher) answer(text string) (ragtest.Sample, error) {
	if m.needs() != "" {
		return ragtest.Sample{}, fmt.Errorf("%s expects %s, got an answer alone", m.name, m.expects())
	}
	return ragtest.Sample{Response: text}, nil
}

// expects says what the actual value may be.
func (m *Matcher) expects() string {
	if needs := m.needs(); needs != "" {
		return "a ragtest.Sample with " + needs + ", or a ragtest.Sampler"
	}
	return "an answer (a string) or a ragtest.Sampler"
}

// needs names what the metric needs and a plain answer lacks; "" if that may do.
func (m *Matcher) needs() string {
	if n, ok := m.metric.(interface{ Needs() string }); ok {
		return n.Needs()
	}
	return ""
}

// report takes the report that the actual value is.
func (m *ReportMatcher) report(actual any) (*ragtest.Report, error) {
	return reportOf(actual, m.name, m.ofSample)
}

// reportOf does that for a matcher with a name; ofSample is the one that asks the
// like of one sample.
func reportOf(actual any, name, ofSample string) (*ragtest.Report, error) {
	if isNil(actual) {
		return nil, fmt.Errorf("%s expects the report of ragtest.Evaluate, got nil", name)
	}
	switch a := actual.(type) {
	case *ragtest.Report:
		return a, nil
	case ragtest.Report:
		return &a, nil
	case *ragtest.Calibration, ragtest.Calibration:
		return nil, fmt.Errorf("%s is about the report of ragtest.Evaluate, got the calibration of a judge. Of that ask HaveKappaAbove, HaveTPRAbove or HaveTNRAbove", name)
	case ragtest.Sampler, string:
		return nil, fmt.Errorf("%s is about the report of ragtest.Evaluate, got one sample (%T). For a sample use %s", name, actual, ofSample)
	}
	if v := reflect.ValueOf(actual); v.Kind() == reflect.Slice {
		return nil, fmt.Errorf("%s is about the report of ragtest.Evaluate, got a slice of %d (%T). Measure it first: ragtest.Evaluate(ctx, samples, …)",
			name, v.Len(), actual)
	}
	return nil, fmt.Errorf("%s is about the report of ragtest.Evaluate, got\n%s", name, format.Object(actual, 1))
}

// calibrationOf takes the calibration that the actual value is, for a matcher with
// a name.
func calibrationOf(actual any, name string) (*ragtest.Calibration, error) {
	const about = "%s is about the calibration of a judge, got"
	if isNil(actual) {
		return nil, fmt.Errorf("%s expects the calibration of judge.Calibrate, got nil", name)
	}
	switch a := actual.(type) {
	case *ragtest.Calibration:
		return a, nil
	case ragtest.Calibration:
		return &a, nil
	case *ragtest.Judge:
		return nil, fmt.Errorf(about+" the judge itself (%v). Calibrate it first: judge.Calibrate(ctx, metric, labelled)", name, a)
	case *ragtest.Report, ragtest.Report:
		return nil, fmt.Errorf(about+" the report of samples. Of that ask HaveMeanAbove, or HaveCorrectedMeanAbove(metric, calibration, …)", name)
	case []ragtest.Labelled:
		return nil, fmt.Errorf(about+" %d labelled samples. Have them judged first: judge.Calibrate(ctx, metric, labelled)", name, len(a))
	case *ragtest.ClaimCalibration:
		return nil, fmt.Errorf(about+" that of its claims, which are no verdicts. Hold what its Rates returns against numbers", name)
	case ragtest.Sampler, string:
		return nil, fmt.Errorf(about+" one sample (%T). Have people label many, and calibrate the judge by them: judge.Calibrate(ctx, metric, labelled)", name, actual)
	}
	return nil, fmt.Errorf(about+"\n%s", name, format.Object(actual, 1))
}

func isNil(actual any) bool {
	v := reflect.ValueOf(actual)
	return actual == nil || v.Kind() == reflect.Pointer && v.IsNil()
}
