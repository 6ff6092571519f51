package cache

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"strconv"
	"strings"
	"testing"
)

// transportValue draws a JSON value.
func transportValue(r *rand.Rand, depth int) any {
	kind := r.IntN(6)
	if depth == 0 {
		kind = r.IntN(4)
	}
	switch kind {
	case 0:
		return nil
	case 1:
		return r.IntN(2) == 0
	case 2:
		return json.Number(strconv.FormatInt(r.Int64()-r.Int64(), 10))
	case 3:
		return transportText(r)
	case 4:
		all := []any{}
		for range r.IntN(4) {
			all = append(all, transportValue(r, depth-1))
		}
		return all
	}
	all := map[string]any{}
	for range r.IntN(4) {
		all[transportText(r)] = transportValue(r, depth-1)
	}
	return all
}

func transportText(r *rand.Rand) string {
	letters := []rune("ab \"\\/äé漢<&{}[]:,\n\t\u2028")
	text := make([]rune, r.IntN(6))
	for i := range text {
		text[i] = letters[r.IntN(len(letters))]
	}
	return string(text)
}

// transportSpell writes x in one of its many spellings.
func transportSpell(r *rand.Rand, x any) string {
	space := func() string { return []string{"", "", " ", "\n\t", "\r\n"}[r.IntN(5)] }
	var all []string
	switch x := x.(type) {
	case map[string]any:
		for k, e := range x { // in any order
			all = append(all, space()+transportSpell(r, k)+space()+":"+space()+transportSpell(r, e)+space())
		}
		return "{" + space() + strings.Join(all, ",") + "}"
	case []any:
		for _, e := range x {
			all = append(all, space()+transportSpell(r, e)+space())
		}
		return "[" + space() + strings.Join(all, ",") + "]"
	case string:
		var b strings.Builder
		for _, c := range x {
			if r.IntN(3) == 0 {
				fmt.Fprintf(&b, `\u%04x`, c)
				continue
			}
			q, _ := json.Marshal(string(c))
			b.Write(q[1 : len(q)-1])
		}
		return `"` + b.String() + `"`
	}
	b, _ := json.Marshal(x)
	return string(b)
}

func TestTransportOneSpelling(t *testing.T) {
	for seed := range uint64(1000) {
		r := rand.New(rand.NewPCG(seed, 0))
		x := transportValue(r, 3)
		one, other := transportSpell(r, x), transportSpell(r, x)
		a, b := canonical([]byte(one)), canonical([]byte(other))
		if !bytes.Equal(a, b) {
			t.Fatalf("%s\n  spelled %s\n%s\n  spelled %s", one, a, other, b)
		}
		if !bytes.Equal(canonical(a), a) {
			t.Fatalf("%s is spelled %s", a, canonical(a))
		}
		d := json.NewDecoder(bytes.NewReader(a))
		d.UseNumber()
		var back any
		if err := d.Decode(&back); err != nil || !reflect.DeepEqual(back, x) {
			t.Fatalf("%s: got %#v, expected %#v (%v)", a, back, x, err)
		}
	}
}

// TestTransportSpellingIsPinned guards the keys of recordings: they must not
// change with this code nor with a version of Go.
func TestTransportSpellingIsPinned(t *testing.T) {
	for in, want := range map[string]string{
		`{"b":1.50,"a":"\u003c\u00e4\b\u2028\/\n\"","A":[ ]}`: "{\"A\":[],\"a\":\"<ä\\u0008\u2028/\\u000a\\\"\",\"b\":1.50}",
		`{"a":2,"a":1}`: `{"a":2,"a":1}`,
		`"\ud800\n"`:    `"\ud800\n"`,
		` -0.0e+10 `:    `-0.0e+10`,
	} {
		if got := string(canonical([]byte(in))); got != want {
			t.Errorf("%s is spelled %s, expected %s", in, got, want)
		}
	}
}

func TestTransportVectorsComeBack(t *testing.T) {
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 1))
		bits := []int{32, 64}[r.IntN(2)]
		var numbers []string
		for range leastPacked + r.IntN(20) {
			x := math.Float32frombits(r.Uint32())
			if math.IsInf(float64(x), 0) || math.IsNaN(float64(x)) || r.IntN(8) == 0 {
				x = 0.5
			}
			numbers = append(numbers, strconv.FormatFloat(float64(x), "ge"[r.IntN(2)], -1, bits))
		}
		text := fmt.Sprintf(`{"a":"[0.5,\"","v":[[%s], [%s]],"n":[1,2]}`, strings.Join(numbers, ","), strings.Join(numbers, " ,\n"))
		packed, ok := packVectors([]byte(text))
		if !ok || !json.Valid(packed) || strings.Count(string(packed), `{"$float`) != 2 {
			t.Fatalf("%s\n  is packed as %s", text, packed)
		}
		transportComesBack(t, []byte(text), packed)
	}
}

func transportComesBack(t *testing.T, text, packed []byte) {
	t.Helper()
	back, err := unpackVectors(packed)
	var was, is any
	if err != nil || json.Unmarshal(text, &was) != nil || json.Unmarshal(back, &is) != nil || !reflect.DeepEqual(was, is) {
		t.Fatalf("%s\n  came back as %s, %v", text, back, err)
	}
}

func TestTransportDamagedVector(t *testing.T) {
	for _, packed := range []string{`{"$float32":"AAA"}`, `{"$float32":"????"}`, `{"$float32":`} {
		if back, err := unpackVectors([]byte(packed)); err == nil && json.Valid([]byte(packed)) {
			t.Errorf("%s came back as %s", packed, back)
		}
	}
}

func FuzzTransportSpelling(f *testing.F) {
	for _, s := range []string{`{"a":[1,{"b":"c"}],"a":null}`, `"\ud800"`, ` [ ] `, `{"$float32":"AAAA"}`, `[` + strings.Repeat("0.5,", 20) + `1]`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		if !isPlainJSON(b) {
			return
		}
		if one := canonical(b); !json.Valid(one) || !bytes.Equal(canonical(one), one) {
			t.Fatalf("%q is spelled %q", b, one)
		}
		members(b)
		elements(b)
		if packed, ok := packVectors(b); ok {
			var x any
			if json.Unmarshal(b, &x) != nil {
				return // a number elsewhere that no float64 holds
			}
			transportComesBack(t, b, packed)
		}
	})
}

func FuzzTransportEvents(f *testing.F) {
	for _, s := range []string{"data: 1\n\ndata: [DONE]\n\n", ": c\r\n\r\nevent: error\r\ndata: {}\r\n\r\n", "\n\n\n", "data", "{\"done\":true}\n"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		for _, kind := range []string{eventStream, lineStreams[0]} {
			endingOf(kind, b)
			told(kind, b)
			r := &eventReader{kind: kind, later: b}
			var all []byte
			for buf := make([]byte, 7); ; {
				n, err := r.Read(buf)
				if all = append(all, buf[:n]...); err != nil {
					break
				}
				if n == 0 {
					t.Fatalf("%q: an empty read", b)
				}
			}
			if !bytes.Equal(all, b) {
				t.Fatalf("%q came back as %q", b, all)
			}
		}
	})
}
