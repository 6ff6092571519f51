package cache

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"unicode/utf8"
)

// isPlainJSON reports whether b is JSON in UTF-8, as the functions of this file
// need it.
func isPlainJSON(b []byte) bool { return utf8.Valid(b) && json.Valid(b) }

// member is one member of a JSON object, its value in the one spelling.
type member struct {
	name  string
	value []byte
}

// members returns the members of an object, sorted by name; those of one name
// in their order. What is no object has none.
func members(valid []byte) []member {
	s := speller{src: valid}
	if s.space(); s.peek() != '{' {
		return nil
	}
	return s.object()
}

// elements returns the elements of an array in the one spelling.
func elements(valid []byte) [][]byte {
	s := speller{src: valid}
	if s.space(); s.peek() != '[' {
		return nil
	}
	return s.array()
}

// canonical spells valid JSON in the one way that is hashed: without white
// space, members sorted, strings with the fewest escapes, numbers as they are.
// It is written out here, since what package json writes has changed with
// versions of Go and would change keys.
func canonical(valid []byte) []byte {
	s := speller{src: valid}
	return s.value()
}

// speller walks over JSON that is known to be valid.
type speller struct {
	src []byte
	at  int
}

func (s *speller) peek() byte {
	if s.at < len(s.src) {
		return s.src[s.at]
	}
	return 0
}

func (s *speller) space() {
	for s.at < len(s.src) && strings.IndexByte(" \t\r\n", s.src[s.at]) >= 0 {
		s.at++
	}
}

// next skips white space and, if it is there, c.
func (s *speller) next(c byte) bool {
	if s.space(); s.peek() != c {
		return false
	}
	s.at++
	s.space()
	return true
}

func (s *speller) value() []byte {
	s.space()
	switch s.peek() {
	case '{':
		return spellObject(s.object())
	case '[':
		return slices.Concat([]byte("["), bytes.Join(s.array(), []byte(",")), []byte("]"))
	case '"':
		return s.text()
	}
	from := s.at
	for s.at < len(s.src) && strings.IndexByte(",]} \t\r\n", s.src[s.at]) < 0 {
		s.at++
	}
	return s.src[from:s.at]
}

func (s *speller) object() []member {
	var all []member
	s.next('{')
	for !s.next('}') {
		name := s.text()
		s.next(':')
		all = append(all, member{unquoted(name), s.value()})
		s.next(',')
	}
	slices.SortStableFunc(all, func(a, b member) int { return strings.Compare(a.name, b.name) })
	return all
}

func (s *speller) array() [][]byte {
	all := [][]byte{}
	s.next('[')
	for !s.next(']') {
		all = append(all, s.value())
		s.next(',')
	}
	return all
}

// text spells a string. One with half a surrogate pair, which is no text, keeps
// its spelling.
func (s *speller) text() []byte {
	from := s.at
	for s.at++; s.src[s.at] != '"'; s.at++ {
		if s.src[s.at] == '\\' {
			s.at++
		}
	}
	s.at++
	raw := s.src[from:s.at]
	if bytes.IndexByte(raw, '\\') < 0 {
		return raw
	}
	if t := unquoted(raw); !strings.ContainsRune(t, utf8.RuneError) {
		return quote(t)
	}
	return raw
}

func spellObject(all []member) []byte {
	out := []byte("{")
	for i, m := range all {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(append(append(out, quote(m.name)...), ':'), m.value...)
	}
	return append(out, '}')
}

// quote spells a string with the fewest escapes.
func quote(text string) []byte {
	const hex = "0123456789abcdef"
	out := append(make([]byte, 0, len(text)+2), '"')
	for i := range len(text) {
		switch c := text[i]; {
		case c == '"' || c == '\\':
			out = append(out, '\\', c)
		case c < ' ':
			out = append(out, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
		default:
			out = append(out, c)
		}
	}
	return append(out, '"')
}
