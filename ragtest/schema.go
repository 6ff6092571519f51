package ragtest

import (
	"encoding"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// form is what the JSON of a reply must look like: the schema that is sent, and
// the fields that must be there.
type form struct {
	schema json.RawMessage
	shape  string              // as a reader of a prompt wants it
	fields map[string][]string // by the path of an object: "", "verdicts[]"
}

// formOf derives the form of a reply from the struct that it is read into: its
// exported fields, in their order, all required and no others. Field types are
// string, bool, the integers and floats, slices and structs of those. What JSON
// would be read into in another way than the schema says is an error.
func formOf(t reflect.Type) (form, error) {
	f := form{fields: map[string][]string{}}
	if t.Kind() != reflect.Struct {
		return f, fmt.Errorf("ragtest: a reply is read into a struct, not into %v", t)
	}
	schema, shape, err := f.add(t, "", nil)
	f.schema, f.shape = json.RawMessage(schema), shape
	return f, err
}

func (f form) add(t reflect.Type, path string, within []reflect.Type) (schema, shape string, err error) {
	if readsItself(t) || t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.Uint8 {
		return "", "", fmt.Errorf("ragtest: a reply cannot have a field of type %v", t)
	}
	switch t.Kind() {
	case reflect.String:
		return `{"type":"string"}`, `"..."`, nil
	case reflect.Bool:
		return `{"type":"boolean"}`, `true`, nil
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return `{"type":"integer"}`, `1`, nil
	case reflect.Float32, reflect.Float64:
		return `{"type":"number"}`, `0.5`, nil
	case reflect.Slice:
		schema, shape, err = f.add(t.Elem(), path+"[]", within)
		return `{"type":"array","items":` + schema + `}`, "[" + shape + ", ...]", err
	case reflect.Struct:
		return f.addStruct(t, path, within)
	}
	return "", "", fmt.Errorf("ragtest: a reply cannot have a field of type %v", t)
}

// readsItself reports whether a type has a JSON form of its own.
func readsItself(t reflect.Type) bool {
	p := reflect.PointerTo(t)
	return t == reflect.TypeFor[json.Number]() || p.Implements(reflect.TypeFor[json.Unmarshaler]()) || p.Implements(reflect.TypeFor[encoding.TextUnmarshaler]())
}

func (f form) addStruct(t reflect.Type, path string, within []reflect.Type) (schema, shape string, err error) {
	for _, outer := range within {
		if t == outer {
			return "", "", fmt.Errorf("ragtest: a reply cannot hold itself, as %v does", t)
		}
	}
	within = append(within, t)
	var schemas, shapes, names []string
	for i := range t.NumField() {
		field := t.Field(i)
		name, options, _ := strings.Cut(field.Tag.Get("json"), ",")
		if !field.IsExported() && !field.Anonymous || field.Tag.Get("json") == "-" {
			continue
		}
		switch {
		case name == "" && field.Anonymous:
			return "", "", fmt.Errorf("ragtest: a reply cannot have an embedded field, as %v has", t)
		case strings.Contains(options, "string"):
			return "", "", fmt.Errorf("ragtest: a reply cannot have a field with the option string, as %v has", t)
		case name == "":
			name = field.Name
		}
		if slices.Contains(names, name) {
			return "", "", fmt.Errorf("ragtest: a reply cannot have two fields %q, as %v has", name, t)
		}
		schema, shape, err := f.add(field.Type, path+"."+name, within)
		if err != nil {
			return "", "", err
		}
		names = append(names, name)
		schemas = append(schemas, fmt.Sprintf("%q:%s", name, schema))
		shapes = append(shapes, fmt.Sprintf("%q: %s", name, shape))
	}
	f.fields[path] = names
	required, err := marshal(append([]string{}, names...))
	return fmt.Sprintf(`{"type":"object","properties":{%s},"required":%s,"additionalProperties":false}`, strings.Join(schemas, ","), required),
		"{" + strings.Join(shapes, ", ") + "}", err
}

// missing returns a field that an object of the reply lacks, or "". The reply
// was decoded before, so its types are right.
func (f form) missing(raw json.RawMessage, path string) string {
	if names, ok := f.fields[path]; ok {
		var object map[string]json.RawMessage
		if json.Unmarshal(raw, &object) != nil || object == nil {
			return strings.TrimPrefix(path, ".")
		}
		for _, n := range names {
			value, ok := object[n]
			if !ok || string(value) == "null" {
				return strings.TrimPrefix(path+"."+n, ".")
			}
			if m := f.missing(value, path+"."+n); m != "" {
				return m
			}
		}
		return ""
	}
	if raw[0] != '[' {
		return ""
	}
	var items []json.RawMessage
	if json.Unmarshal(raw, &items) != nil {
		return ""
	}
	for _, item := range items {
		if string(item) == "null" {
			return strings.TrimPrefix(path+"[]", ".")
		}
		if m := f.missing(item, path+"[]"); m != "" {
			return m
		}
	}
	return ""
}
