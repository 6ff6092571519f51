package matchers

import (
	"fmt"
	"math"
	"reflect"
	"strings"

	"github.com/onsi/gomega"
	"github.com/onsi/gomega/types"

	"github.com/ragomega/ragomega/ragtest"
)

// bound is a number that what was measured is compared with.
type bound struct {
	at    float64
	above bool // it must be greater, not equal
}

// check refuses a bound that nothing, or everything, can satisfy. what lies from
// lowest to highest, and equal is the matcher for what is no more than equal.
func (b bound) check(name, what string, lowest, highest float64, equal string) error {
	switch {
	case math.IsNaN(b.at) || math.IsInf(b.at, 0):
		return fmt.Errorf("%s: the bound is %v, expected a number", name, b.at)
	case b.above && (b.at < lowest || b.at >= highest):
		return fmt.Errorf("%s: %s lie from %v to %v, so the bound must be at least %v and below %v. For the highest %s itself use %s(…, %v)",
			name, what, lowest, highest, lowest, highest, strings.TrimSuffix(what, "s"), equal, highest)
	case !b.above && (b.at < lowest || b.at > highest):
		return fmt.Errorf("%s: %s lie from %v to %v, so none is %v", name, what, lowest, highest, b.at)
	}
	return nil
}

// hides reports whether v, written with so many digits, looks like the bound and
// is another number.
func (b *bound) hides(v float64, digits int) bool {
	return b != nil && v != b.at && fmt.Sprintf("%.*f", digits, v) == fmt.Sprintf("%.*f", digits, b.at)
}

// exceeds reports whether v is below what b asks for.
func (b *bound) exceeds(v float64) bool {
	return b != nil && (v < b.at || b.above && v == b.at)
}

// rangeOf returns the lowest and the highest score that a metric can give.
func rangeOf(m ragtest.Metric) (lowest, highest float64) {
	if r, ok := m.(interface{ Range() (float64, float64) }); ok {
		return r.Range()
	}
	return math.Inf(-1), math.Inf(1)
}

// expectation is what the test expects of a number: a matcher as it is, or a
// number that it must equal. text is how messages call it. It is nil for
// anything else.
func expectation(expected any) (m types.GomegaMatcher, b *bound, text string) {
	if m, ok := expected.(types.GomegaMatcher); ok {
		return guard(m), nil, "that satisfies " + describe(m)
	}
	if at, ok := number(expected); ok {
		m, b = gomega.BeNumerically("==", at), &bound{at: at}
	}
	return m, b, fmt.Sprintf("of %v", expected)
}

// number returns v as a float64, if it is a number of any type.
func number(v any) (float64, bool) {
	switch r := reflect.ValueOf(v); {
	case r.IsValid() && r.CanInt():
		return float64(r.Int()), true
	case r.IsValid() && r.CanUint():
		return float64(r.Uint()), true
	case r.IsValid() && r.CanFloat():
		return r.Float(), true
	}
	return 0, false
}
