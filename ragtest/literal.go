package ragtest

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"
)

// readLiteral turns a value in Python's notation into JSON: lists, dicts with
// texts for keys, texts, numbers, True, False and None, which is what repr makes
// of a Ragas sample. Anything else is an error, and so is all that Python reads
// and repr does not write: texts side by side, prefixes, octal escapes.
func readLiteral(text string) (json.RawMessage, error) {
	l := literal{text: text}
	if err := l.value(0); err != nil {
		return nil, err
	}
	if l.space(); l.at < len(l.text) {
		return nil, l.expected("nothing more")
	}
	return json.RawMessage(l.json.String()), nil
}

// literal is a text that is being read, up to at.
type literal struct {
	text string
	at   int
	json strings.Builder
}

func (l *literal) expected(what string) error {
	got := "the end"
	if l.at < len(l.text) {
		got = cut(l.text[l.at:], 20)
	}
	return fmt.Errorf("at character %d expected %s, got %s", utf8.RuneCountInString(l.text[:l.at])+1, what, got)
}

func (l *literal) space() {
	for l.at < len(l.text) && strings.IndexByte(" \t\r\n", l.text[l.at]) >= 0 {
		l.at++
	}
}

// next reads c, if it comes next.
func (l *literal) next(c byte) bool {
	l.space()
	if l.at == len(l.text) || l.text[l.at] != c {
		return false
	}
	l.at++
	return true
}

// deepest is how far lists may nest.
const deepest = 100

var (
	literalNumber = regexp.MustCompile(`^-?(0|[1-9][0-9]*)(\.[0-9]+)?(e[+-]?[0-9]+)?`)
	literalWord   = regexp.MustCompile(`^[A-Za-z_]+`)
	literalWords  = map[string]string{"None": "null", "True": "true", "False": "false"}
)

func (l *literal) value(depth int) error {
	l.space()
	if depth > deepest {
		return errors.New("it nests too deep")
	}
	rest := l.text[l.at:]
	if n := len(literalNumber.FindString(rest)); n > 0 {
		l.json.WriteString(rest[:n])
		l.at += n
		return nil
	}
	if w := literalWord.FindString(rest); literalWords[w] != "" {
		l.json.WriteString(literalWords[w])
		l.at += len(w)
		return nil
	}
	switch {
	case rest == "":
	case rest[0] == '\'' || rest[0] == '"':
		return l.quoted()
	case rest[0] == '[':
		return l.items('[', ']', func() error { return l.value(depth + 1) })
	case rest[0] == '{':
		return l.items('{', '}', func() error { return l.pair(depth + 1) })
	}
	return l.expected("a list or another value")
}

// items reads what stands between brackets, with commas between them.
func (l *literal) items(open, end byte, item func() error) error {
	l.next(open)
	l.json.WriteByte(open)
	for first := true; !l.next(end); first = false {
		if !first {
			l.json.WriteByte(',')
		}
		if err := item(); err != nil {
			return err
		}
		if l.next(end) {
			break
		}
		if !l.next(',') {
			return l.expected(fmt.Sprintf("a comma or %c (arrays of numpy print without commas; write lists)", end))
		}
	}
	l.json.WriteByte(end)
	return nil
}

func (l *literal) pair(depth int) error {
	l.space()
	if !strings.HasPrefix(l.text[l.at:], "'") && !strings.HasPrefix(l.text[l.at:], "\"") {
		return l.expected("a key in quotes")
	}
	if err := l.quoted(); err != nil {
		return err
	}
	if !l.next(':') {
		return l.expected("a colon")
	}
	l.json.WriteByte(':')
	return l.value(depth)
}

// quoted reads a text between quotes of either kind.
func (l *literal) quoted() error {
	quote := l.text[l.at]
	l.at++
	var b strings.Builder
	for {
		rest := l.text[l.at:]
		switch {
		case rest == "" || rest[0] == '\n' || rest[0] == '\r':
			return l.expected(fmt.Sprintf("%c at the end of the text", quote))
		case rest[0] == quote:
			l.at++
			s, err := marshal(b.String())
			l.json.Write(s)
			return err
		case rest[0] == '\\':
			r, n, ok := unescape(rest)
			if !ok {
				return l.expected(`an escape such as \n, \', \\, \x41 or \u2019`)
			}
			b.WriteRune(r)
			l.at += n
		default:
			b.WriteByte(rest[0])
			l.at++
		}
	}
}

// unescape returns the character that an escape at the beginning of text stands
// for, and the length of the escape. Half of a surrogate pair is no character.
func unescape(text string) (r rune, n int, ok bool) {
	if len(text) < 2 {
		return 0, 0, false
	}
	if i := strings.IndexByte(`\'"nrtabfv`, text[1]); i >= 0 {
		return rune("\\'\"\n\r\t\a\b\f\v"[i]), 2, true
	}
	digits := map[byte]int{'x': 2, 'u': 4, 'U': 8}[text[1]]
	if digits == 0 || len(text) < 2+digits {
		return 0, 0, false
	}
	code, err := strconv.ParseUint(text[2:2+digits], 16, 32)
	if err != nil || code > utf8.MaxRune || !utf8.ValidRune(rune(code)) {
		return 0, 0, false
	}
	return rune(code), 2 + digits, true
}
