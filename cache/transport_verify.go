package cache

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
)

// answersDiffer is the Differs of a transport's requests. It compares what was
// said and leaves out what differs at every call: identifiers, times, usage.
// Vectors that point the same way are the same, as servers round.
func answersDiffer(recorded, now json.RawMessage) bool {
	a, errA := decodeAnswer(recorded)
	b, errB := decodeAnswer(now)
	if errA != nil || errB != nil || a.Status != b.Status {
		return true
	}
	was, errA := a.body()
	is, errB := b.body()
	if errA != nil || errB != nil {
		return true
	}
	if bytes.Equal(was, is) {
		return false
	}
	kind := mediaType(a.Header["Content-Type"])
	switch {
	case isStream(kind) && len(events(kind, was)) > 0:
		return !maps.Equal(told(kind, was), told(kind, is))
	case isPlainJSON(was) && isPlainJSON(is):
		var x, y any
		_ = json.Unmarshal(was, &x)
		_ = json.Unmarshal(is, &y)
		return !alikeJSON(lasting(x, true), lasting(y, true))
	}
	return true
}

// passing are the fields of a reply, at its top, that differ at every call.
var passing = []string{
	"id", "created", "created_at", "system_fingerprint", "service_tier", "request_id", "usage", "timings",
	"total_duration", "load_duration", "prompt_eval_duration", "eval_duration",
}

// lasting returns x without what is passing. Deeper down only the ids of tool
// calls are: an id may be that of a document.
func lasting(x any, top bool) any {
	switch x := x.(type) {
	case []any:
		for i, e := range x {
			x[i] = lasting(e, false)
		}
	case map[string]any:
		_, call := x["function"]
		maps.DeleteFunc(x, func(name string, _ any) bool {
			return top && slices.Contains(passing, name) || name == "id" && call
		})
		for name, e := range x {
			x[name] = lasting(e, false)
		}
	}
	return x
}

func alikeJSON(x, y any) bool {
	switch x := x.(type) {
	case []any:
		y, ok := y.([]any)
		if !ok || len(x) != len(y) {
			return false
		}
		if cos, ok := cosine(x, y); ok {
			return cos > 0.999
		}
		for i := range x {
			if !alikeJSON(x[i], y[i]) {
				return false
			}
		}
		return true
	case map[string]any:
		y, ok := y.(map[string]any)
		if !ok || len(x) != len(y) {
			return false
		}
		for name, e := range x {
			if other, ok := y[name]; !ok || !alikeJSON(e, other) {
				return false
			}
		}
		return true
	}
	return reflect.DeepEqual(x, y)
}

// cosine returns that of two vectors, if they are some.
func cosine(x, y []any) (float64, bool) {
	if len(x) < leastPacked {
		return 0, false
	}
	var xy, xx, yy float64
	for i := range x {
		a, okA := x[i].(float64)
		b, okB := y[i].(float64)
		if !okA || !okB {
			return 0, false
		}
		xy, xx, yy = xy+a*b, xx+a*a, yy+b*b
	}
	if xx == 0 || yy == 0 {
		return 0, false
	}
	return xy / math.Sqrt(xx*yy), true
}

// told adds up the events of a stream, since one text may come in any pieces:
// what is said at one place is joined, of everything else the last counts.
func told(kind string, stream []byte) map[string]string {
	all := map[string]string{}
	for _, e := range events(kind, stream) {
		var x any
		if json.Unmarshal(e.data, &x) != nil {
			all[e.name] += string(e.data)
			continue
		}
		tell(all, e.name, x, true)
	}
	return all
}

// said are the fields that come in pieces.
var said = []string{"content", "text", "delta", "arguments", "reasoning", "reasoning_content", "refusal", "thinking", "partial_json", "response"}

func tell(all map[string]string, at string, x any, top bool) {
	switch x := x.(type) {
	case nil:
	case []any:
		for i, e := range x {
			if m, ok := e.(map[string]any); ok {
				if n, ok := m["index"].(float64); ok {
					i = int(n)
				}
			}
			tell(all, fmt.Sprintf("%s[%d]", at, i), e, false)
		}
	case map[string]any:
		_, call := x["function"]
		for name, e := range x {
			switch {
			case top && slices.Contains(passing, name), name == "id" && call,
				name == "item_id", name == "sequence_number", name == "obfuscation":
				continue
			}
			there := at + "." + name
			if text, ok := e.(string); ok && slices.Contains(said, name) {
				all[there] += text
				continue
			}
			tell(all, there, e, false)
		}
	default:
		all[at] = fmt.Sprint(x)
	}
}
