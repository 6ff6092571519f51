package main

import (
	"encoding/json"
	"fmt"
	"strings"
)

// items is how long lists are: as many as an answer of the dataset has claims.
const items = 6

// other answers a client that is not this module's: with an instance of the
// schema that it asks for, be it a parameter or the last one in the text of its
// prompt, or else with lines of text.
func other(r request) string {
	text := ""
	for _, m := range r.Messages {
		text += string(m.Content) + "\n"
	}
	schema := r.Format.Schema.Schema
	if schema == nil {
		schema = lastSchema(text)
	}
	if schema != nil {
		return compact(fill(schema, schema, "it", text))
	}
	line := "It is as the context says. [Attributed] verdict: Yes.\n"
	return strings.Repeat(line, items)
}

// lastSchema finds the last JSON object in text that describes an object.
func lastSchema(text string) map[string]any {
	var last map[string]any
	for at := 0; at < len(text); at++ {
		if text[at] != '{' {
			continue
		}
		dec := json.NewDecoder(strings.NewReader(text[at:]))
		var o map[string]any
		if dec.Decode(&o) != nil {
			continue
		}
		if _, ok := o["properties"].(map[string]any); ok {
			last = o
		}
		at += int(dec.InputOffset()) - 1
	}
	return last
}

// fill returns an instance of schema s, a part of root; name is the field that
// it is for, and text what was asked.
func fill(s, root map[string]any, name, text string) any {
	if ref, ok := s["$ref"].(string); ok {
		target := any(root)
		for _, step := range strings.Split(strings.TrimPrefix(ref, "#/"), "/") {
			o, _ := target.(map[string]any)
			target = o[step]
		}
		o, _ := target.(map[string]any)
		return fill(o, root, name, text)
	}
	for _, union := range []string{"anyOf", "oneOf", "allOf"} {
		if of, ok := s[union].([]any); ok && len(of) > 0 {
			first, _ := of[0].(map[string]any)
			return fill(first, root, name, text)
		}
	}
	if enum, ok := s["enum"].([]any); ok && len(enum) > 1 {
		if chance(name + text) {
			return enum[0]
		}
		return enum[1]
	}
	switch s["type"] {
	case "object":
		o := map[string]any{}
		properties, _ := s["properties"].(map[string]any)
		for field, p := range properties {
			of, _ := p.(map[string]any)
			o[field] = fill(of, root, name+" "+field, text)
		}
		return o
	case "array":
		of, _ := s["items"].(map[string]any)
		list := []any{}
		for i := range items {
			list = append(list, fill(of, root, fmt.Sprintf("%s %d", name, i+1), text))
		}
		return list
	case "integer", "number":
		if chance(name + text) {
			return 1
		}
		return 0
	case "boolean":
		return chance(name + text)
	case "null":
		return nil
	}
	return "This is what is said of " + name + "."
}
