package ragtest

import (
	"bytes"
	"testing"
)

// A checkout with CRLF line ends has the same prompts, hence the same keys.
func TestLineEndsOfACheckoutChangeNoPrompt(t *testing.T) {
	read := readPrompt
	t.Cleanup(func() { readPrompt = read })
	t.Cleanup(loaded.Clear)
	for name, version := range current {
		readPrompt = read
		loaded.Clear()
		want, err := loadPrompt(name, version)
		if err != nil {
			t.Fatal(err)
		}
		readPrompt = func(file string) ([]byte, error) {
			b, err := read(file)
			return bytes.ReplaceAll(b, []byte("\n"), []byte("\r\n")), err
		}
		loaded.Clear()
		got, err := loadPrompt(name, version)
		if err != nil {
			t.Fatal(err)
		}
		if got != want {
			t.Errorf("%s differs with other line ends:\n%q\n%q", want, want.text, got.text)
		}
	}
}

func TestDataIsSpelledAsInTheExamples(t *testing.T) {
	p := prompt{name: "verify", version: 2}
	for data, want := range map[string]string{
		`{"a":"b,c:d","e":["x","y"]}`: `{"a": "b,c:d", "e": ["x", "y"]}`,
		`{"a":"\"b\":1,\\","c":1}`:    `{"a": "\"b\":1,\\", "c": 1}`,
		`{"a":"\\\"b,c"}`:             `{"a": "\\\"b,c"}`,
		`["",":",""]`:                 `["", ":", ""]`,
		`{}`:                          `{}`,
	} {
		if got := p.spell([]byte(data)); got != want {
			t.Errorf("%s is spelled %s, want %s", data, got, want)
		}
	}
	p.version = 1
	if got := p.spell([]byte(`{"a":1}`)); got != `{"a":1}` {
		t.Errorf("the form of verify/v1 has changed to %s", got)
	}
}
