package cache

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// parts are what a call was made of, for the explanation of a miss: each
// message of a chat, each input of an embedding, each other field.
func (d description) parts() []Part {
	var all []Part
	for _, name := range slices.Sorted(maps.Keys(d.call.Also)) {
		all = append(all, Part{Name: "also " + name, Value: shown(d.call.Also[name]), Label: name})
	}
	for _, p := range d.query {
		all = append(all, valuePart("query "+p.name, fmt.Sprintf("the query parameter %q", p.name), p.value))
	}
	if len(d.call.Body) > 0 && d.fields == nil {
		return append(all, TextPart("body", "the body", string(d.bytes())))
	}
	for _, f := range d.fields {
		if list := elements(f.value); len(list) > 0 {
			if one, ok := lists[f.name]; ok {
				for i, v := range list {
					name := fmt.Sprintf("%s %d", one, i+1)
					all = append(all, TextPart(name, name+byRole(v), string(v)))
				}
				continue
			}
		}
		name, label := "field "+f.name, fmt.Sprintf("the field %q", f.name)
		if f.name == "model" {
			name, label = "model", "the model"
		}
		switch {
		case isSecretField(f.name) || strings.IndexByte("{[", f.value[0]) >= 0:
			all = append(all, TextPart(name, label, string(f.value)))
		case f.value[0] == '"':
			all = append(all, valuePart(name, label, unquoted(f.value)))
		default:
			all = append(all, valuePart(name, label, string(f.value)))
		}
	}
	return all
}

// lists are the fields whose elements are parts, and what one is called.
var lists = map[string]string{
	"messages": "message", "input": "input", "contents": "content", "documents": "document", "texts": "text", "inputs": "input",
}

func byRole(v []byte) string {
	if r := roleOf(v); r != "" {
		return " (" + r + ")"
	}
	return ""
}

func roleOf(v []byte) string {
	for _, m := range members(v) {
		if m.name == "role" {
			return unquoted(m.value)
		}
	}
	return ""
}

// valuePart is a part whose value is shown if it is short.
func valuePart(name, label, value string) Part {
	if len(value) > 60 {
		return TextPart(name, label, value)
	}
	return Part{Name: name, Value: shown(value), Label: label}
}

// shown makes an empty value visible.
func shown(value string) string {
	if value == "" {
		return `""`
	}
	return value
}

// about is what a reviewer wants to read: what the user said last, the first
// text to embed, or else the first text under a name that APIs use for what
// they are asked.
func (d description) about() string {
	byName := map[string][]byte{}
	for _, f := range d.fields {
		byName[f.name] = f.value
	}
	for _, name := range []string{"messages", "contents", "input", "inputs", "texts", "prompt", "query", "question", "q", "text"} {
		v, ok := byName[name]
		if !ok {
			continue
		}
		list := elements(v)
		if len(list) == 0 {
			if text := textOf(v); text != "" {
				return text
			}
			continue
		}
		if i := lastUser(list); i >= 0 {
			return textOf(list[i])
		}
		text := textOf(list[0])
		if text != "" && len(list) > 1 {
			return fmt.Sprintf("%s (and %d more)", shortText(text), len(list)-1)
		}
		if text != "" {
			return text
		}
	}
	return ""
}

// lastUser finds the last message of a user, or else of anybody, or -1 if list
// has no messages.
func lastUser(list [][]byte) int {
	last := -1
	for i, v := range slices.Backward(list) {
		switch role := roleOf(v); {
		case role == "user":
			return i
		case role != "" && last < 0:
			last = i
		}
	}
	return last
}

// textOf finds the text of a message, which APIs keep in different places.
func textOf(v []byte) string {
	var x any
	_ = json.Unmarshal(v, &x) // valid before
	return strings.Join(textsIn(x), " ")
}

func textsIn(x any) []string {
	switch x := x.(type) {
	case string:
		return []string{x}
	case []any:
		var all []string
		for _, e := range x {
			all = append(all, textsIn(e)...)
		}
		return all
	case map[string]any:
		for _, name := range []string{"content", "parts", "text"} {
			if v, ok := x[name]; ok && v != nil {
				return textsIn(v)
			}
		}
	}
	return nil
}

// shortText fits a text into a line of a recording.
func shortText(s string) string {
	const most = 200
	if len(s) > 16*most { // what cannot fit need not be looked at
		s = strings.ToValidUTF8(s[:16*most], "")
	}
	s = strings.Join(strings.Fields(s), " ")
	if r := []rune(s); len(r) > most {
		return string(r[:most]) + "…"
	}
	return s
}
