package agreement_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/ragomega/ragomega/ragtest/agreement"
)

// vector is a statistic of some data, as an established library has it.
type vector struct {
	ID         string          `json:"id"`
	Stat       string          `json:"stat"`
	Params     json.RawMessage `json:"params"`
	Input      json.RawMessage `json:"input"`
	Expected   any             `json:"expected"`
	Tolerance  float64         `json:"tol"`
	Convention string          `json:"convention"` // what is right, where that library is not, in words
	Fragile    bool            `json:"fragile"`    // its last digits are noise
}

// read takes the parameters and the input of v, which depend on the statistic.
func (v vector) read(t *testing.T, params, input any) {
	t.Helper()
	if err := errors.Join(json.Unmarshal(v.Params, params), json.Unmarshal(v.Input, input)); err != nil {
		t.Fatal(err)
	}
}

// stats has a function for each statistic, which computes what the vector
// expects: a map of the same names to numbers, lists, booleans and maps. The
// files of the statistics fill it. A value that is undefined is an error in the
// place of the number. Names of the expectation that have none are failures.
var stats = map[string]func(t *testing.T, v vector) (map[string]any, error){}

// conventions has what must come of vectors whose expectation is not to be met:
// nil for ErrUndefined as a whole. The files of the statistics fill it by ID.
var conventions = map[string]map[string]any{}

// Every statistic is what established libraries have. RAGTEST_VECTORS names a
// folder with another stats.json to run.
func TestVectors(t *testing.T) {
	dir := "testdata"
	if d := os.Getenv("RAGTEST_VECTORS"); d != "" {
		dir = d
	}
	text, err := os.ReadFile(filepath.Join(dir, "stats.json"))
	if err != nil {
		t.Fatal(err)
	}
	var vectors []vector
	if err := json.Unmarshal(text, &vectors); err != nil {
		t.Fatal(err)
	}
	for _, v := range vectors {
		t.Run(v.ID, func(t *testing.T) {
			compute, ok := stats[v.Stat]
			if !ok {
				t.Fatalf("no statistic %q", v.Stat)
			}
			got, err := compute(t, v)
			want, _ := v.Expected.(map[string]any)
			if c, ok := conventions[v.ID]; ok {
				want = c
			} else if _, raised := want["error"]; raised || v.Convention != "" {
				want = nil
			}
			if want == nil {
				if !errors.Is(err, agreement.ErrUndefined) {
					t.Errorf("got %v, %v; want ErrUndefined (%s)", got, err, v.Convention)
				}
				return
			}
			if err != nil && !allUndefined(want) {
				t.Fatal(err)
			}
			if err == nil {
				compare(t, "", want, got, v.Tolerance)
			}
		})
	}
	fmt.Printf("%d cases\n", len(vectors))
}

// allUndefined reports whether every number that is expected is none.
func allUndefined(want map[string]any) bool {
	for _, v := range want {
		if v != "NaN" {
			return false
		}
	}
	return true
}

// compare holds what was computed against an expectation of the same shape.
func compare(t *testing.T, at string, want, got any, tolerance float64) {
	t.Helper()
	switch want := want.(type) {
	case map[string]any:
		m, ok := got.(map[string]any)
		if !ok {
			t.Errorf("%s: got %v, want %v", at, got, want)
			return
		}
		for _, name := range slices.Sorted(maps.Keys(want)) {
			value, ok := m[name]
			if !ok {
				t.Errorf("%s.%s was not computed, want %v", at, name, want[name])
				continue
			}
			compare(t, at+"."+name, want[name], value, tolerance)
		}
	case []any:
		list := asList(got)
		if len(list) != len(want) {
			t.Errorf("%s: got %v, want %v", at, got, want)
			return
		}
		for i := range want {
			compare(t, fmt.Sprintf("%s[%d]", at, i), want[i], list[i], tolerance)
		}
	case string:
		number := map[string]float64{"Infinity": math.Inf(1), "-Infinity": math.Inf(-1)}
		if err, ok := got.(error); ok && want == "NaN" && errors.Is(err, agreement.ErrUndefined) {
			return
		}
		if w, ok := number[want]; ok && got == w || got == want {
			return
		}
		t.Errorf("%s: got %v, want %s", at, got, want)
	case float64:
		g, ok := asNumber(got)
		if !ok || !(math.Abs(g-want) <= 1e-12+max(tolerance, 1e-12)*math.Abs(want)) {
			t.Errorf("%s: got %v, want %v", at, got, want)
		}
	default:
		if got != want {
			t.Errorf("%s: got %v, want %v", at, got, want)
		}
	}
}

func asNumber(v any) (float64, bool) {
	switch v := v.(type) {
	case float64:
		return v, true
	case int:
		return float64(v), true
	}
	return 0, false
}

func asList(v any) (list []any) {
	switch v := v.(type) {
	case []any:
		return v
	case []float64:
		for _, x := range v {
			list = append(list, x)
		}
	case []bool:
		for _, x := range v {
			list = append(list, x)
		}
	case [][]float64:
		for _, x := range v {
			list = append(list, x)
		}
	}
	return list
}

// orUndefined is a value, or the error in its place.
func orUndefined(v float64, err error) any {
	if err != nil {
		return err
	}
	return v
}
