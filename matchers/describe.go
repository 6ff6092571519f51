package matchers

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/onsi/gomega/matchers"
	"github.com/onsi/gomega/types"

	"github.com/ragomega/ragomega/ragtest"
)

// guarded is a matcher of the test that is used by one goroutine at a time: And,
// Or and others keep in themselves what failed, and ours may be shared.
type guarded struct {
	mu sync.Mutex
	types.GomegaMatcher
}

func guard(m types.GomegaMatcher) types.GomegaMatcher { return &guarded{GomegaMatcher: m} }

func (g *guarded) Match(actual any) (bool, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.GomegaMatcher.Match(actual)
}

// describe names a matcher in a sentence: a comparison by its sign, any other as
// typed has it.
func describe(m types.GomegaMatcher) string {
	n, ok := m.(*matchers.BeNumericallyMatcher)
	if !ok {
		return typed(m)
	}
	args := make([]string, len(n.CompareTo))
	for i, a := range n.CompareTo {
		args[i] = fmt.Sprint(a)
	}
	return n.Comparator + " " + strings.Join(args, ", ")
}

// typed names a matcher as the test wrote it, as far as it tells: by the name of
// its type and its exported fields.
func typed(m types.GomegaMatcher) string {
	if s, ok := m.(fmt.Stringer); ok {
		return s.String()
	}
	v := reflect.ValueOf(m)
	if v.Kind() == reflect.Pointer && !v.IsNil() {
		v = v.Elem()
	}
	name, ok := strings.CutSuffix(v.Type().Name(), "Matcher")
	if !ok || v.Kind() != reflect.Struct {
		return fmt.Sprintf("%T", m)
	}
	var args []string
	for i := range v.NumField() {
		if f := v.Field(i); v.Type().Field(i).IsExported() && tells(f) {
			args = append(args, describeValue(f))
		}
	}
	return name + "(" + strings.Join(args, ", ") + ")"
}

// tells reports whether a field holds something that the test gave, not the
// absence of it, nor a mere mode.
func tells(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Slice, reflect.Map:
		return v.Len() > 0
	case reflect.Interface, reflect.Pointer, reflect.Func, reflect.String:
		return !v.IsZero()
	case reflect.Bool:
		return false
	}
	return true
}

func describeValue(v reflect.Value) string {
	if m, ok := v.Interface().(types.GomegaMatcher); ok {
		return typed(m)
	}
	if v.Kind() == reflect.Interface {
		v = v.Elem()
	}
	switch v.Kind() {
	case reflect.Invalid:
		return "nil"
	case reflect.String:
		return fmt.Sprintf("%q", v)
	case reflect.Func:
		return "func"
	case reflect.Slice:
		var all []string
		for i := range v.Len() {
			all = append(all, describeValue(v.Index(i)))
		}
		return strings.Join(all, ", ")
	case reflect.Map:
		var all []string
		for _, k := range v.MapKeys() {
			all = append(all, fmt.Sprintf("%v: %s", k, describeValue(v.MapIndex(k))))
		}
		slices.Sort(all)
		return strings.Join(all, ", ")
	}
	return fmt.Sprint(v)
}

func nameOf(m ragtest.Metric) string {
	if m == nil {
		return "<nil metric>"
	}
	return m.Name()
}

// one puts an article before a name.
func one(name string) string {
	spelled := strings.HasPrefix(name, "ndcg") || strings.HasPrefix(name, "mrr") // letter by letter
	if name != "" && strings.Contains("aeio", name[:1]) || spelled {
		return "an " + name
	}
	return "a " + name
}
