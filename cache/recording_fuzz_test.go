package cache

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
)

// FuzzRecording reads anything as a recording: it never panics, takes no line
// for good whose key or checksum is wrong, and what it writes reads the same.
func FuzzRecording(f *testing.F) {
	r := Request{Kind: "judge", Identity: "example.com", Body: []byte(`{"a":1}`), Step: "claims/v1", About: "a", Parts: []Part{TextPart("text", "", "a")}}
	good, err := encode(r, Reply{Value: json.RawMessage(`{"claims":["a"]}`), Served: json.RawMessage(`{"ms":1}`)})
	if err != nil {
		f.Fatal(err)
	}
	other, err := encode(r, Reply{Value: json.RawMessage(`{"claims":[]}`)})
	if err != nil {
		f.Fatal(err)
	}
	for _, seed := range []string{
		"", "\n", string(good), string(good) + "\n" + string(other), "\ufeff" + string(good) + "\r\n",
		string(good[:len(good)-5]), string(good[5:]), strings.Replace(string(good), "claims", "claimz", 1),
		`{"k":"x"}`, `{"step":"s","k":"` + r.Key().String() + `"}`, "<<<<<<< ours\n" + string(good) + "\n=======\n",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		lines, torn := index(text)
		for k, ls := range lines {
			for _, l := range ls {
				if bytes.ContainsRune(l.text, '\n') {
					t.Fatalf("a line holds a line end: %q", l.text)
				}
				x, err := ReadExchange(l.text)
				if err != nil {
					continue
				}
				if x.Key != k.String() || keyOf(x.Identity, x.Request, x.Trial) != k {
					t.Fatalf("a line of key %s was taken for %s", x.Key, k)
				}
			}
		}
		once := assemble(lines, torn)
		again := assemble(index(once))
		if !bytes.Equal(once, again) {
			t.Fatalf("written and read again it differs:\n%q\n%q", once, again)
		}
	})
}
