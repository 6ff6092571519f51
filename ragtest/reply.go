package ragtest

import (
	"encoding/json"
	"fmt"
	"strings"
)

// parse decodes a reply into v: as it is, or, if that is not JSON, what is left
// without thoughts, code fence and the prose around the object. It returns the
// JSON that it took. A reply that ends in the middle stays an error.
func parse(reply string, v any) (json.RawMessage, error) {
	text := strings.TrimSpace(reply)
	if json.Valid([]byte(text)) {
		return decodeReply(text, v)
	}
	text, ended := withoutThoughts(text)
	if !ended {
		return nil, &ReplyError{Kind: ErrMalformed, Want: "a JSON object", Got: "thoughts that do not end", Raw: reply}
	}
	if json.Valid([]byte(text)) {
		return decodeReply(text, v)
	}
	object, rest, ok := firstObject(text)
	if !ok {
		return nil, &ReplyError{Kind: ErrMalformed, Want: "a JSON object", Got: "none that is complete", Raw: reply}
	}
	if _, _, more := firstObject(rest); more {
		return nil, &ReplyError{Kind: ErrMalformed, Want: "one JSON object", Got: "several", Raw: reply}
	}
	return decodeReply(object, v)
}

// withoutThoughts cuts what a model thought aloud before its reply, and reports
// whether the thoughts ended. Some servers pass on the closing tag alone.
func withoutThoughts(text string) (string, bool) {
	for _, tag := range []string{"think", "thinking"} {
		if _, after, ok := strings.Cut(text, "</"+tag+">"); ok {
			return strings.TrimSpace(after), true
		}
		if strings.HasPrefix(text, "<"+tag+">") {
			return "", false
		}
	}
	return text, true
}

// firstObject returns the first complete JSON object in text, and what stands
// behind it. A decoder finds its end, so braces in strings and in the prose
// behind it do no harm. What opens and does not end is not searched for an
// object inside: half a reply holds whole ones that are not the reply.
func firstObject(text string) (object, rest string, ok bool) {
	for {
		i := strings.IndexByte(text, '{')
		if i < 0 {
			return "", "", false
		}
		dec := json.NewDecoder(strings.NewReader(text[i:]))
		var raw json.RawMessage
		err := dec.Decode(&raw)
		if err == nil {
			return string(raw), text[i+len(raw):], true
		}
		// {anything} is prose; {"anything is an object that is broken.
		if rest := strings.TrimLeft(text[i+1:], " \t\r\n"); rest == "" || rest[0] == '"' || rest[0] == '}' {
			return "", "", false
		}
		text = text[i+1:]
	}
}

func decodeReply(text string, v any) (json.RawMessage, error) {
	if !strings.HasPrefix(text, "{") {
		return nil, &ReplyError{Kind: ErrMalformed, Want: "a JSON object", Got: "JSON of another kind", Raw: text}
	}
	if name := repeated(text); name != "" {
		return nil, &ReplyError{Kind: ErrMalformed, Want: "each field once", Got: fmt.Sprintf("the field %q twice", name), Raw: text}
	}
	if err := json.Unmarshal([]byte(text), v); err != nil {
		return nil, &ReplyError{Kind: ErrMalformed, Want: "JSON of the schema", Got: err.Error(), Raw: text}
	}
	return json.RawMessage(text), nil
}

// readTruth reads a yes or no in a reply. Servers without schemas write 1 and 0;
// any other word is no verdict.
func readTruth(raw json.RawMessage) (yes, ok bool) {
	switch string(raw) {
	case "true", "1":
		return true, true
	case "false", "0":
		return false, true
	}
	return false, false
}

// keys names the fields of a reply, to say what came in place of what was
// asked for.
func keys(raw json.RawMessage) string {
	dec := json.NewDecoder(strings.NewReader(string(raw)))
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return "no object"
	}
	var names []string
	for dec.More() {
		name, err := dec.Token()
		if err != nil {
			break
		}
		names = append(names, fmt.Sprintf("%q", name))
		var value json.RawMessage
		if dec.Decode(&value) != nil {
			break
		}
	}
	if len(names) == 0 {
		return "an empty object"
	}
	return "the field " + strings.Join(names, ", ")
}
