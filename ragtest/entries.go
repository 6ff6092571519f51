package ragtest

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// numbered are texts that the judge is shown under keys, {"1": "…", "2": "…"},
// and has to give one entry for each, under the same keys. So none can be lost,
// repeated or reworded without notice, and a schema can ask for all of them.
type numbered struct {
	prefix string // of the keys
	texts  []string
}

func (n numbered) key(i int) string { return n.prefix + strconv.Itoa(i+1) }

func (n numbered) keys() []string {
	keys := make([]string, len(n.texts))
	for i := range keys {
		keys[i] = n.key(i)
	}
	return keys
}

// MarshalJSON keeps the order, which a map would not.
func (n numbered) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, t := range n.texts {
		text, err := marshal(t)
		if err != nil {
			return nil, err
		}
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, "%q:%s", n.key(i), text)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// entriesSchema is the schema of an object with one entry for each key.
func entriesSchema(keys []string, entry string) json.RawMessage {
	var b bytes.Buffer
	b.WriteString(`{"type":"object","properties":{`)
	for i, k := range keys {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `%q:{"$ref":"#/$defs/entry"}`, k)
	}
	required, _ := marshal(keys) // strings always can
	fmt.Fprintf(&b, `},"required":%s,"additionalProperties":false,"$defs":{"entry":%s}}`, required, entry)
	return b.Bytes()
}

// readEntries reads a reply with one entry for each key, and returns the
// entries in the order of the keys. what is asked about is called in the plural.
// check says what an entry lacks, or "".
func readEntries[E any](reply string, keys []string, what string, check func(E) (want, got string)) (json.RawMessage, []E, error) {
	byKey := map[string]*E{}
	raw, err := parse(reply, &byKey)
	if err != nil {
		return nil, nil, err
	}
	asked := map[string]bool{}
	entries := make([]E, 0, len(keys))
	var missing, extra []string
	for _, k := range keys {
		asked[k] = true
		e := byKey[k]
		if e == nil {
			missing = append(missing, k)
			continue
		}
		if want, got := check(*e); want != "" {
			return nil, nil, &ReplyError{Kind: ErrMalformed, Want: want, Got: fmt.Sprintf("%s in entry %s", got, k), Raw: reply}
		}
		entries = append(entries, *e)
	}
	for k := range byKey {
		if !asked[k] {
			extra = append(extra, k)
		}
	}
	if missing == nil && extra == nil {
		return raw, entries, nil
	}
	want := fmt.Sprintf("one entry for each of %d %s", len(keys), what)
	var got []string
	if missing != nil {
		got = append(got, "none for "+list(missing))
	}
	if extra != nil {
		got = append(got, "one for "+list(extra)+", not asked about")
	}
	return nil, nil, &ReplyError{Kind: ErrMiscounted, Want: want, Got: strings.Join(got, " and "), Raw: reply}
}

// truth is a yes or no in a reply. Servers without schemas write 1 and 0; any
// other word is no verdict.
type truth struct{ given, yes bool }

// UnmarshalJSON reads true, false, 1 or 0.
func (t *truth) UnmarshalJSON(b []byte) error {
	yes, ok := readTruth(b)
	if !ok {
		return fmt.Errorf("expected true or false, got %s", cut(string(b), 80))
	}
	*t = truth{true, yes}
	return nil
}

// list names keys in their order of length and letters: 2, 10, a1.
func list(keys []string) string {
	slices.SortFunc(keys, func(a, b string) int { return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b)) })
	if len(keys) > 8 {
		return fmt.Sprintf("%s and %d more", strings.Join(keys[:8], ", "), len(keys)-8)
	}
	return strings.Join(keys, ", ")
}
