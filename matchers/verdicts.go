package matchers

import (
	"errors"
	"fmt"
	"strings"

	"github.com/onsi/gomega"
	"github.com/onsi/gomega/types"

	"github.com/ragomega/ragomega/ragtest"
)

// HaveVerdicts succeeds if the verdicts that metric rests on, a
// []ragtest.Verdict, satisfy expected, a matcher.
//
//	Expect(sample).To(HaveVerdicts(ragtest.ContextRecall, HaveLen(3)))
//	Expect(sample).To(HaveVerdicts(ragtest.Faithfulness, HaveEach(HaveField("Reason", Not(BeEmpty())))))
//
// A metric without verdicts is an error. See [HaveRejected] and [HaveVerdict] for
// what is asked most.
func HaveVerdicts(metric ragtest.Metric, expected types.GomegaMatcher) *Matcher {
	m := &Matcher{config: config{metric: metric, pick: verdicts}}
	m.name = fmt.Sprintf("HaveVerdicts(%s, %s)", nameOf(metric), inName(expected))
	if expected == nil {
		m.flaw = "expected a matcher to hold the verdicts against"
		return m
	}
	m.want = fmt.Sprintf("to have verdicts on %s that satisfy %s", nameOf(metric), describe(expected))
	m.expected = guard(expected)
	return m
}

// HaveVerdict succeeds if verdict n of metric is as expected: true for a yes,
// false for a no, or a matcher for the [ragtest.Verdict]. They count from 1, as
// in messages; of a metric of contexts, n is the rank.
// Metrics of IDs have one verdict for all that comes below rank 20 and below the
// last that is relevant.
//
//	Expect(sample).To(HaveVerdict(ragtest.ContextPrecision, 1, true)) // the first context is useful
//
// If there are fewer verdicts it is an error. Claims come as the judge found
// them: to pick them by what they say use [HaveRejected].
func HaveVerdict(metric ragtest.Metric, n int, expected any) *Matcher {
	m := &Matcher{config: config{metric: metric}}
	m.name = fmt.Sprintf("HaveVerdict(%s, %d, %s)", nameOf(metric), n, inName(expected))
	var isYes bool
	switch e := expected.(type) {
	case bool:
		isYes = true
		m.want = fmt.Sprintf("to have a %s as verdict %d of %s", map[bool]string{true: "yes", false: "no"}[e], n, nameOf(metric))
		m.expected = gomega.Equal(e)
	case types.GomegaMatcher:
		m.want = fmt.Sprintf("to have a verdict %d of %s that satisfies %s", n, nameOf(metric), describe(e))
		m.expected = guard(e)
	default:
		m.flaw = "expected true, false or a matcher for the verdict"
	}
	if n < 1 {
		m.flaw = "verdicts are counted from 1"
	}
	m.pick = func(s ragtest.Score) (any, error) {
		if n > len(s.Verdicts) {
			return nil, fmt.Errorf("there is no verdict %d on %s, there are %d", n, s.Metric, len(s.Verdicts))
		}
		if isYes {
			return s.Verdicts[n-1].OK, nil
		}
		return s.Verdicts[n-1], nil
	}
	return m
}

// HaveRejected succeeds if what the judge said no to is exactly what is
// expected: each claim (of a metric of contexts, the beginning of each context)
// that was rejected satisfies one of expected, and each of expected is satisfied
// by one of them. These are matchers, or texts that a claim must equal; as a
// judge may word and divide claims in its own way, matchers for what cannot be
// worded otherwise last longer.
//
//	Expect(sample).To(HaveRejected(ragtest.Faithfulness, ContainSubstring("Texas")))
//
// So it fails both if the judge overlooks the claim and if it finds fault with
// another. That nothing is rejected says BeFaithful, or HaveScore(metric, 1).
func HaveRejected(metric ragtest.Metric, expected ...any) *Matcher {
	m := &Matcher{config: config{metric: metric, pick: rejected}}
	m.name = fmt.Sprintf("HaveRejected(%s)", nameOf(metric))
	if len(expected) == 0 {
		m.flaw = "expected at least one matcher or text; that nothing is rejected says BeFaithful, or HaveScore(…, 1)"
		return m
	}
	var each exactly
	var texts []string
	for _, e := range expected {
		switch e := e.(type) {
		case string:
			texts = append(texts, fmt.Sprintf("%q", e))
			each = append(each, gomega.Equal(e))
		case types.GomegaMatcher:
			texts = append(texts, typed(e))
			each = append(each, guard(e))
		default:
			m.flaw = fmt.Sprintf("expected matchers and texts, got %v (%T)", e, e)
		}
	}
	m.name = fmt.Sprintf("HaveRejected(%s, %s)", nameOf(metric), strings.Join(texts, ", "))
	m.want = fmt.Sprintf("to have %s reject exactly %s", nameOf(metric), strings.Join(texts, " and "))
	m.expected = each
	return m
}

var errNoVerdicts = errors.New("the metric gives no verdicts")

func verdicts(s ragtest.Score) (any, error) {
	if len(s.Verdicts) == 0 {
		return nil, errNoVerdicts
	}
	return s.Verdicts, nil
}

// rejected returns the claims that are a no.
func rejected(s ragtest.Score) (any, error) {
	if len(s.Verdicts) == 0 {
		return nil, errNoVerdicts
	}
	var claims []string
	for _, v := range s.Verdicts {
		if !v.OK {
			claims = append(claims, v.Claim)
		}
	}
	return claims, nil
}

// exactly matches texts of which each satisfies a matcher, and that satisfy each
// matcher. Unlike ConsistOf it reports errors of its matchers.
type exactly []types.GomegaMatcher

func (e exactly) Match(actual any) (bool, error) {
	found := make([]bool, len(e))
	all := true
	for _, text := range actual.([]string) {
		expected := false
		for i, m := range e {
			ok, err := m.Match(text)
			if err != nil {
				return false, err
			}
			found[i] = found[i] || ok
			expected = expected || ok
		}
		all = all && expected
	}
	for _, ok := range found {
		all = all && ok
	}
	return all, nil
}

// FailureMessage and its negation are what [Matcher] says in place of it.
func (e exactly) FailureMessage(any) string { return "" }

func (e exactly) NegatedFailureMessage(any) string { return "" }
