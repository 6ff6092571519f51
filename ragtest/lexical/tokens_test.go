package lexical_test

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/ragomega/ragomega/ragtest/lexical"
	"pgregory.net/rapid"
)

// tokenized is a text with its tokens: a list of two in JSON.
type tokenized struct {
	text   string
	tokens []string
}

func (p *tokenized) UnmarshalJSON(b []byte) error {
	return json.Unmarshal(b, &[]any{&p.text, &p.tokens})
}

func TestTokensAreTheOriginals(t *testing.T) {
	var table struct {
		BLEU  []tokenized `json:"bleu_13a_tokens"`
		ROUGE []tokenized `json:"rouge_tokens_stemmed"`
	}
	read(t, "tokens.json", &table)
	if len(table.BLEU) < 100 || len(table.ROUGE) < 100 {
		t.Fatalf("%d and %d texts: the table is not whole", len(table.BLEU), len(table.ROUGE))
	}
	for _, p := range table.BLEU {
		if got := lexical.Tokens13a(p.text); !slices.Equal(got, p.tokens) {
			t.Errorf("%q has the tokens %q, not %q", p.text, got, p.tokens)
		}
	}
	for _, p := range table.ROUGE {
		got := lexical.ASCIIWords(p.text)
		for i, w := range got {
			if len(w) > 3 {
				got[i] = lexical.Stem(w)
			}
		}
		if !slices.Equal(got, p.tokens) {
			t.Errorf("%q has the words %q, not %q", p.text, got, p.tokens)
		}
	}
}

func TestWordsOfScripts(t *testing.T) {
	for _, p := range []struct {
		name     string
		tokenize lexical.Tokenizer
		text     string
		want     []string
	}{
		{"words", lexical.UnicodeWords, "Größe, 3.14 don't!", []string{"größe", "3.14", "don't"}},
		{"words", lexical.UnicodeWords, "ΟΔΟΣ", []string{"οδο\u03c2"}},
		{"words", lexical.UnicodeWords, "图书馆 1", []string{"图", "书", "馆", "1"}},
		{"words", lexical.UnicodeWords, "— 👍 …", nil},
		{"words", lexical.UnicodeWords, "cafe\u0301 au", []string{"cafe\u0301", "au"}},
		{"tokens", lexical.UnicodeTokens, "¿Qué?\n\u3000a-b", []string{"¿", "Qué", "?", "a", "-", "b"}},
		{"tokens", lexical.UnicodeTokens, "👨‍👩‍👧 🇩🇪🇫🇷", []string{"👨‍👩‍👧", "🇩🇪", "🇫🇷"}},
		{"tokens", lexical.UnicodeTokens, "a\x1c\u0085b", []string{"a", "b"}},
		{"tokens", lexical.UnicodeTokens, "", nil},
		{"fields", lexical.Fields, " a\x1cb\u00a0c\u3000d\u200be\n", []string{"a", "b", "c", "d\u200be"}},
		{"fields", lexical.Fields, " ", nil},
		{"characters", lexical.Characters, "a é\n图e\u0301", []string{"a", "é", "图", "e", "\u0301"}},
		{"characters", lexical.Characters, "\x1f\u0085", nil},
		{"words of ASCII", lexical.ASCIIWords, "The café's K-mart, İ 3", []string{"the", "caf", "s", "k", "mart", "i", "3"}},
		{"13a", lexical.Tokens13a, "I-\nvan paid $1,000.50-ish, <skipped>&amp;lt;", []string{"Ivan", "paid", "$", "1,000.50", "-", "ish", ",", "<"}},
	} {
		if got := p.tokenize(p.text); !slices.Equal(got, p.want) {
			t.Errorf("the %s of %q are %q, not %q", p.name, p.text, got, p.want)
		}
	}
}

func TestBytesThatAreNotUTF8AreReplacements(t *testing.T) {
	for name, tokenize := range map[string]lexical.Tokenizer{
		"words": lexical.UnicodeWords, "tokens": lexical.UnicodeTokens, "fields": lexical.Fields,
		"characters": lexical.Characters, "words of ASCII": lexical.ASCIIWords, "13a": lexical.Tokens13a,
	} {
		for _, text := range []string{"\xff", "a\xff", "\xffa b\xc3", "\xf0\x9f\x91 x", "é\xe2\x82."} {
			if got, want := tokenize(text), tokenize(string([]rune(text))); !slices.Equal(got, want) {
				t.Errorf("the %s of %q are %q, not %q", name, text, got, want)
			}
		}
	}
}

// rules13a are those of mteval-v13a, as sacrebleu writes them.
var rules13a = []struct {
	what *regexp.Regexp
	by   string
}{
	{regexp.MustCompile("([{-~\\[-` -&(-+:-@/])"), " $1 "},
	{regexp.MustCompile("([^0-9])([.,])"), "$1 $2 "},
	{regexp.MustCompile("([.,])([^0-9])"), " $1 $2"},
	{regexp.MustCompile("([0-9])(-)"), "$1 $2 "},
}

func tokens13a(text string) []string {
	text = strings.TrimRightFunc(text, func(r rune) bool { return len(lexical.Fields(string(r))) == 0 })
	for _, p := range [][2]string{{"<skipped>", ""}, {"-\n", ""}, {"\n", " "}, {"&quot;", `"`}, {"&amp;", "&"}, {"&lt;", "<"}, {"&gt;", ">"}} {
		text = strings.ReplaceAll(text, p[0], p[1])
	}
	text = " " + text + " "
	for _, r := range rules13a {
		text = r.what.ReplaceAllString(text, r.by)
	}
	return lexical.Fields(text)
}

func TestTokens13aAreThoseOfRegularExpressions(t *testing.T) {
	piece := rapid.SampledFrom([]string{
		"a", "B", "é", "图", "\u0301", "👍", "0", "9", "١", ".", ",", "-", "-\n", "\n", " ", "\x1c", "\u00a0", "'", "/", "`", "~", "\x7f",
		"&amp;", "&lt;", "quot;", "&quot;", "<skipped>", "<skip", "ped>", "$", "_", "^", "{", "(",
	})
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOfN(piece, 0, 40).Draw(t, "pieces"), "")
		if got, want := lexical.Tokens13a(text), tokens13a(text); !slices.Equal(got, want) {
			t.Fatalf("%q has the tokens %q, not %q", text, got, want)
		}
	})
}
