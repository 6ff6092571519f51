package ragtest

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
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
// check says what an entry lacks, or "". All entries are checked before they are
// counted.
func readEntries[E any](reply string, keys []string, what string, check func(E) (want, got string)) (json.RawMessage, []E, error) {
	var byKey map[string]json.RawMessage
	raw, err := parse(reply, &byKey)
	if err != nil {
		return nil, nil, err
	}
	read := map[string]E{}
	for _, k := range sortKeys(slices.Collect(maps.Keys(byKey))) {
		if string(byKey[k]) == "null" {
			continue
		}
		e, want, got := readEntry(byKey[k], check)
		if want != "" {
			return nil, nil, &ReplyError{Kind: ErrMalformed, Want: want, Got: fmt.Sprintf("%s in entry %s", got, k), Raw: reply}
		}
		read[k] = e
	}
	asked := map[string]bool{}
	entries := make([]E, 0, len(keys))
	var missing, extra []string
	for _, k := range keys {
		asked[k] = true
		e, ok := read[k]
		if !ok {
			missing = append(missing, k)
		}
		entries = append(entries, e)
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

// readEntry reads one entry, and says what was wanted in place of what came.
func readEntry[E any](text json.RawMessage, check func(E) (want, got string)) (e E, want, got string) {
	var no notTruth
	switch err := json.Unmarshal(text, &e); {
	case errors.As(err, &no):
		return e, "true or false", string(no)
	case err != nil:
		return e, "JSON of the schema", err.Error()
	}
	want, got = check(e)
	return e, want, got
}

// truth is a yes or no in a reply. Servers without schemas write 1 and 0; any
// other word is no verdict.
type truth struct{ given, yes bool }

// notTruth is what a reply has in place of a yes or no.
type notTruth string

func (n notTruth) Error() string { return "expected true or false, got " + string(n) }

// UnmarshalJSON reads true, false, 1 or 0.
func (t *truth) UnmarshalJSON(b []byte) error {
	yes, ok := readTruth(b)
	if !ok {
		return notTruth(cut(string(b), 80))
	}
	*t = truth{true, yes}
	return nil
}

// list names keys.
func list(keys []string) string {
	keys = sortKeys(keys)
	if len(keys) > 8 {
		return fmt.Sprintf("%s and %d more", strings.Join(keys[:8], ", "), len(keys)-8)
	}
	return strings.Join(keys, ", ")
}

// sortKeys sorts keys by their length and letters: 2, 10, a1.
func sortKeys(keys []string) []string {
	slices.SortFunc(keys, func(a, b string) int { return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b)) })
	return keys
}
