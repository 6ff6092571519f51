package cache

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
)

// Exchange is one line of a recording, and the value in the store: a request and
// its reply. See [Request], whose fields those of the same names are.
type Exchange struct {
	// The order of the fields is the order on the line: the key stands at a fixed
	// place, so that a recording can be searched without being decoded, then what a
	// reviewer reads, then what a program checks.

	Key      string            `json:"k"` // see [Request.Key]
	Step     string            `json:"step"`
	Identity string            `json:"by"`
	Trial    int               `json:"trial,omitempty"`
	About    string            `json:"about,omitempty"`
	Reply    json.RawMessage   `json:"reply"`
	Served   json.RawMessage   `json:"served,omitempty"` // what the server said of it: tokens, the model's version
	Parts    map[string]string `json:"parts,omitempty"`  // by name: values, and of texts their [TextDigest]
	Request  string            `json:"request"`          // SHA-256 of its canonical body
	Sum      string            `json:"sum,omitempty"`    // over what stands before it; of a line that was read
}

const (
	keyPrefix = `{"k":"`
	sumPrefix = `,"sum":"`
	sumLen    = 16
)

// encode writes r and its reply as a line, without the line end. The last field
// is a checksum over all that stands before it.
func encode(r Request, reply Reply) ([]byte, error) {
	r = r.hashed()
	x := Exchange{
		Key: r.Key().String(), Step: r.Step, Identity: r.Identity, Trial: r.Trial, About: r.About,
		Reply: reply.Value, Served: reply.Served, Request: r.digest(),
	}
	if len(r.Parts) > 0 {
		x.Parts = make(map[string]string, len(r.Parts))
		for _, p := range r.Parts {
			x.Parts[p.Name] = p.recorded()
		}
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(x); err != nil {
		return nil, fmt.Errorf("cache: the reply to %s cannot be recorded: %w", r.Step, err)
	}
	line := bytes.TrimSuffix(bytes.TrimRight(b.Bytes(), "\n"), []byte("}"))
	return fmt.Appendf(line, `%s%s"}`, sumPrefix, digest(line)[:sumLen]), nil
}

// lineKey cuts the key from its place on a line. A line that was reformatted
// is decoded for it.
func lineKey(line []byte) (Key, bool) {
	if rest, ok := bytes.CutPrefix(line, []byte(keyPrefix)); ok && len(rest) > 32 && rest[32] == '"' {
		var k Key
		_, err := hex.Decode(k[:], rest[:32])
		return k, err == nil
	}
	var x struct {
		Key string `json:"k"`
	}
	if json.Unmarshal(line, &x) != nil {
		return Key{}, false
	}
	k, err := ParseKey(x.Key)
	return k, err == nil
}

// whole reports whether line ends as encode ends a line.
func whole(line []byte) bool {
	i := len(line) - len(sumPrefix) - sumLen - len(`"}`)
	return i > 0 && bytes.HasPrefix(line[i:], []byte(sumPrefix)) && bytes.HasSuffix(line, []byte(`"}`))
}

// ReadExchange reads a line of a recording, without its line end, and checks that
// nobody changed it: its checksum, and that its key is the one that its identity,
// request and trial give. The error is a sentence without its subject, the line.
func ReadExchange(line []byte) (Exchange, error) {
	var x Exchange
	if !whole(line) {
		return x, fmt.Errorf("is torn: it does not end in a checksum")
	}
	i := len(line) - len(sumPrefix) - sumLen - len(`"}`)
	sum := string(line[i+len(sumPrefix) : i+len(sumPrefix)+sumLen])
	if got := digest(line[:i])[:sumLen]; got != sum {
		return x, fmt.Errorf("was changed after it was recorded: its checksum is %s, its content gives %s", sum, got)
	}
	if err := json.Unmarshal(line, &x); err != nil {
		return x, fmt.Errorf("is not JSON: %w", err)
	}
	if want := keyOf(x.Identity, x.Request, x.Trial).String(); want != x.Key {
		return x, fmt.Errorf("has key %s, but its identity, request and trial give %s", x.Key, want)
	}
	if b, err := hex.DecodeString(x.Request); err != nil || len(b) != sha256.Size {
		return x, fmt.Errorf("has the request %.80q, expected the SHA-256 of one", x.Request)
	}
	return x, nil
}

func (x Exchange) reply(from Source) Reply {
	return Reply{Value: x.Reply, Served: x.Served, Source: from}
}
