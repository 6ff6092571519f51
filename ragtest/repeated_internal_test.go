package ragtest

import (
	"encoding/json"
	"strings"
	"testing"
)

// byTokens is repeated by the tokens of the decoder.
func byTokens(text string) string {
	dec := json.NewDecoder(strings.NewReader(text))
	var object func() string
	var value func() string
	value = func() string {
		t, err := dec.Token()
		if err != nil {
			return ""
		}
		switch t {
		case json.Delim('{'):
			return object()
		case json.Delim('['):
			for dec.More() {
				if name := value(); name != "" {
					return name
				}
			}
			_, _ = dec.Token()
		}
		return ""
	}
	object = func() string {
		seen := map[string]bool{}
		for dec.More() {
			t, _ := dec.Token()
			name := t.(string)
			for s := range seen {
				if strings.EqualFold(s, name) {
					return name
				}
			}
			seen[name] = true
			if name := value(); name != "" {
				return name
			}
		}
		_, _ = dec.Token()
		return ""
	}
	return value()
}

func FuzzRepeated(f *testing.F) {
	for _, s := range []string{
		`{}`, `[]`, `"a"`, `1`, `{"a":1,"a":2}`, `{"a":1,"A":2}`, `{"a":{"b":1},"b":2}`, `{"a":[{"b":1},{"b":1,"b":2}]}`,
		`{"a":"\"b\":1,\"b\":2","b":0}`, `{"\u0061":1,"a":2}`, `{"a\\":1,"a\\":2}`, `[{"a":1},{"a":1}]`, `{"a":["a","a"],"b":"a"}`,
		`{"a":{"x":[1,{"y":2}]},"y":1,"x":2}`, ` { "k" : 1 , "K" : 2 } `, `{"":1,"":2}`,
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if !json.Valid([]byte(s)) {
			return
		}
		if got, want := repeated(s) != "", byTokens(s) != ""; got != want {
			t.Errorf("repeated: %v, want %v in %q", got, want, s)
		}
	})
}
