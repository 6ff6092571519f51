package ragtest

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode"

	. "github.com/onsi/gomega"
	"pgregory.net/rapid"
)

func TestLiterals(t *testing.T) {
	for text, want := range map[string]string{
		`[]`:                       `[]`,
		` [ 'a' , "b" , ] `:        `["a","b"]`,
		"['a',\n 'b']":             `["a","b"]`,
		`["it's", 'say "so"']`:     `["it's","say \"so\""]`,
		`['it\'s', "say \"so\""]`:  `["it's","say \"so\""]`,
		`['a\nb\r\t\\n']`:          `["a\nb\r\t\\n"]`,
		`['\x41\u2019\U0001F30D']`: `["A’🌍"]`,
		`['\a\b\f\v']`:             `["\u0007\b\f\u000b"]`,
		`['<b>é</b>']`:             `["<b>é</b>"]`,
		`[1, -2, 0.5, 1e-05, 12345678901234567890]`:         `[1,-2,0.5,1e-05,12345678901234567890]`,
		`{'score1': "it's", 'n': None, 't': [True, False]}`: `{"score1":"it's","n":null,"t":[true,false]}`,
		`None`: `null`,
		`'x'`:  `"x"`,
		`{}`:   `{}`,
	} {
		g := NewWithT(t)
		got, err := readLiteral(text)
		g.Expect(err).NotTo(HaveOccurred(), text)
		g.Expect(string(got)).To(Equal(want))
		g.Expect(json.Valid(got)).To(BeTrue(), text)
	}
}

// What is not exactly a literal is an error that says where, and never a guess.
func TestBadLiterals(t *testing.T) {
	for text, want := range map[string]string{
		``:                       `at character 1 expected a list or another value, got the end`,
		`a context`:              `at character 1 expected a list or another value, got a context`,
		`['a'`:                   `at character 5 expected a comma or ] (arrays of numpy print without commas; write lists), got the end`,
		`['a' 'b']`:              `at character 6 expected a comma or ] (arrays of numpy print without commas; write lists), got 'b']`,
		`["a"` + "\n" + `"b"]`:   `at character 6 expected a comma or ] (arrays of numpy print without commas; write lists), got "b"]`,
		`['a', 'b'] x`:           `at character 12 expected nothing more, got x`,
		`['a']]`:                 `at character 6 expected nothing more, got ]`,
		`[, 'a']`:                `at character 2 expected a list or another value, got , 'a']`,
		`['a',, 'b']`:            `at character 6 expected a list or another value, got , 'b']`,
		`['é`:                    `at character 4 expected ' at the end of the text, got the end`,
		"['a\nb']":               "at character 4 expected ' at the end of the text, got \nb']",
		`['\']`:                  `at character 6 expected ' at the end of the text, got the end`,
		`['\`:                    `at character 3 expected an escape such as \n, \', \\, \x41 or \u2019, got \`,
		`['\q']`:                 `at character 3 expected an escape such as \n, \', \\, \x41 or \u2019, got \q']`,
		`['\0']`:                 `at character 3 expected an escape such as \n, \', \\, \x41 or \u2019, got \0']`,
		`['\x4']`:                `at character 3 expected an escape such as \n, \', \\, \x41 or \u2019, got \x4']`,
		`['\u+041']`:             `at character 3 expected an escape such as \n, \', \\, \x41 or \u2019, got \u+041']`,
		`['\ud83c']`:             `at character 3 expected an escape such as \n, \', \\, \x41 or \u2019, got \ud83c']`,
		`['\U00110000']`:         `at character 3 expected an escape such as \n, \', \\, \x41 or \u2019, got \U00110000']`,
		`['\N{BULLET}']`:         `at character 3 expected an escape such as \n, \', \\, \x41 or \u2019, got \N{BULLET}']`,
		`[r'a']`:                 `at character 2 expected a list or another value, got r'a']`,
		`[b'a']`:                 `at character 2 expected a list or another value, got b'a']`,
		`('a', 'b')`:             `at character 1 expected a list or another value, got ('a', 'b')`,
		`['a', nan]`:             `at character 7 expected a list or another value, got nan]`,
		`['a', Nonesuch]`:        `at character 7 expected a list or another value, got Nonesuch]`,
		`[1_000]`:                `at character 3 expected a comma or ] (arrays of numpy print without commas; write lists), got _000]`,
		`[007]`:                  `at character 3 expected a comma or ] (arrays of numpy print without commas; write lists), got 07]`,
		`{'a'}`:                  `at character 5 expected a colon, got }`,
		`{1: 'a'}`:               `at character 2 expected a key in quotes, got 1: 'a'}`,
		`{'a': }`:                `at character 7 expected a list or another value, got }`,
		`{'a': 1`:                `at character 8 expected a comma or } (arrays of numpy print without commas; write lists), got the end`,
		`'''a'''`:                `at character 3 expected nothing more, got 'a'''`,
		strings.Repeat("[", 200): `it nests too deep`,
	} {
		_, err := readLiteral(text)
		NewWithT(t).Expect(err).To(MatchError(want), "%q", text)
	}
}

// repr writes a text as Python does.
func repr(s string) string {
	quote := '\''
	if strings.Contains(s, "'") && !strings.Contains(s, "\"") {
		quote = '"'
	}
	var b strings.Builder
	b.WriteRune(quote)
	for _, r := range s {
		switch {
		case r == quote || r == '\\':
			b.WriteString("\\" + string(r))
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\r':
			b.WriteString(`\r`)
		case r == '\t':
			b.WriteString(`\t`)
		case r == ' ' || unicode.IsPrint(r):
			b.WriteRune(r)
		case r < 0x100:
			fmt.Fprintf(&b, `\x%02x`, r)
		case r < 0x10000:
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			fmt.Fprintf(&b, `\U%08x`, r)
		}
	}
	b.WriteRune(quote)
	return b.String()
}

func TestLiteralsRoundTrip(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		texts := rapid.SliceOf(rapid.OneOf(rapid.String(), rapid.StringOf(rapid.SampledFrom([]rune("'\"\\\n\r\tnxu0\u00a0\u200b\U000e0041,[] "))))).Draw(rt, "texts")
		parts := make([]string, len(texts))
		for i, s := range texts {
			parts[i] = repr(s)
		}
		b, err := readLiteral("[" + strings.Join(parts, ", ") + "]")
		if err != nil {
			rt.Fatal(err)
		}
		var got []string
		if err := json.Unmarshal(b, &got); err != nil {
			rt.Fatal(err)
		}
		if len(got) != len(texts) {
			rt.Fatalf("got %q, want %q", got, texts)
		}
		for i := range got {
			if got[i] != texts[i] {
				rt.Fatalf("got %q, want %q", got[i], texts[i])
			}
		}
	})
}

// Whatever comes, the result is JSON or an error.
func TestLiteralsAreJSON(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		text := rapid.StringOf(rapid.SampledFrom([]rune(`[[[]]]{}'''",,,\:: ab01-.eEuxNoneTrue`))).Draw(rt, "text")
		if b, err := readLiteral(text); err == nil && !json.Valid(b) {
			rt.Fatalf("%q became %s", text, b)
		}
	})
}
