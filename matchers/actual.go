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
		return ragtest.Sample{}, fmt.Errorf("%s expects an answer (a string) or a ragtest.Sampler, got nil", m.name)
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
		return ragtest.Sample{Response: v.String()}, nil
	case reflect.Slice, reflect.Array, reflect.Map:
		if v.Kind() == reflect.Slice && v.Type().Elem().Kind() == reflect.Uint8 {
			return ragtest.Sample{Response: string(v.Bytes())}, nil
		}
		return ragtest.Sample{}, fmt.Errorf("%s judges one sample, got %d of them (%T). To judge each use HaveEach(%s); to judge them together ragtest.Evaluate, and HaveMeanAbove or HavePassRateAbove on its report",
			m.name, v.Len(), actual, m.name)
	}
	return ragtest.Sample{}, fmt.Errorf("%s expects an answer (a string) or a ragtest.Sampler, got\n%s", m.name, format.Object(actual, 1))
}

// report takes the report that the actual value is.
func (m *ReportMatcher) report(actual any) (*ragtest.Report, error) {
	if isNil(actual) {
		return nil, fmt.Errorf("%s expects the report of ragtest.Evaluate, got nil", m.name)
	}
	switch a := actual.(type) {
	case *ragtest.Report:
		return a, nil
	case ragtest.Report:
		return &a, nil
	case ragtest.Sampler, string:
		return nil, fmt.Errorf("%s is about the report of ragtest.Evaluate, got one sample (%T). For a sample use %s", m.name, actual, m.ofSample)
	}
	if v := reflect.ValueOf(actual); v.Kind() == reflect.Slice {
		return nil, fmt.Errorf("%s is about the report of ragtest.Evaluate, got a slice of %d (%T). Measure it first: ragtest.Evaluate(ctx, samples, …)",
			m.name, v.Len(), actual)
	}
	return nil, fmt.Errorf("%s is about the report of ragtest.Evaluate, got\n%s", m.name, format.Object(actual, 1))
}

func isNil(actual any) bool {
	v := reflect.ValueOf(actual)
	return actual == nil || v.Kind() == reflect.Pointer && v.IsNil()
}
