package ragtest_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/ragomega/ragomega/ragtest"
)

func file(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "samples.jsonl")
	NewWithT(t).Expect(os.WriteFile(path, []byte(text), 0o600)).To(Succeed())
	return path
}

// A file of Ragas loads as it is: its names, IDs that are numbers, fields of
// its own, whatever the editor did to its lines.
func TestReadSamples(t *testing.T) {
	g := NewWithT(t)
	samples, err := ragtest.ReadSamples(file(t, "\ufeff"+
		`{"name":"a","tags":["x"],"user_input":"q","response":"r","retrieved_contexts":["c1","c2"],"reference":"ref","reference_contexts":["rc"],"retrieved_context_ids":[1,"b",12345678901234567890,1.5],"reference_context_ids":["z"]}`+"\r\n"+
		"\r\n  \n"+
		`{"user_input":"q2","rubrics":{"score1":"x"},"multi_responses":null,"retrieved_contexts":null,"retrieved_context_ids":null}`+"\n"+
		`{"user_input":"no line end"}`))
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(samples).To(HaveLen(3))
	g.Expect(samples[0]).To(Equal(ragtest.Sample{
		Name: "a", Tags: []string{"x"}, UserInput: "q", Response: "r", RetrievedContexts: []string{"c1", "c2"}, Reference: "ref", ReferenceContexts: []string{"rc"},
		RetrievedContextIDs: ragtest.IDs{"1", "b", "12345678901234567890", "1.5"}, ReferenceContextIDs: ragtest.IDs{"z"},
	}))
	g.Expect(samples[1].UserInput).To(Equal("q2"))
	g.Expect(samples[1].RetrievedContextIDs).To(BeEmpty())
	g.Expect(samples[2].UserInput).To(Equal("no line end"))

	again, err := json.Marshal(samples[0])
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(string(again)).To(ContainSubstring(`"retrieved_contexts":["c1","c2"]`))
	g.Expect(string(again)).To(ContainSubstring(`"retrieved_context_ids":["1","b","12345678901234567890","1.5"]`))
}

func TestBadSamples(t *testing.T) {
	line := `{"user_input":"q"}` + "\n"
	for name, test := range map[string]struct{ text, want string }{
		"a bad line":           {strings.Repeat(line, 730) + `{"user_input":` + "\n" + line, ":731 is not a sample: expected one JSON object: unexpected end of JSON input"},
		"a list":               {"[\n" + line + "]", `:1 is not a sample: expected a JSON object such as {"user_input":"…","response":"…"}, got [`},
		"two on a line":        {line + `{"name":"a"} {"name":"b"}`, ":2 is not a sample: expected one JSON object: invalid character '{' after top-level value"},
		"text for a list":      {`{"retrieved_contexts":"c"}`, ":1 is not a sample: json: cannot unmarshal string into Go struct field Sample.retrieved_contexts of type []string"},
		"an ID that is none":   {line + line + `{"retrieved_context_ids":[true]}`, ":3 is not a sample: an ID is a string or a number, got true"},
		"an ID null":           {`{"retrieved_context_ids":[1,null]}`, ":1 is not a sample: an ID is a string or a number, got null"},
		"IDs that are no list": {`{"retrieved_context_ids":7}`, ":1 is not a sample: expected a list of IDs, got 7"},
		"a name twice":         {`{"name":"a"}` + "\n\n" + `{"name":"b"}` + "\n" + `{"name":"a"}`, ":4 has the name \"a\" of line 1; names must differ"},
		"nothing":              {"\ufeff\n \n", " has no samples"},
		"a line null":          {"null\n", `:1 is not a sample: expected a JSON object such as {"user_input":"…","response":"…"}, got null`},
		"a number":             {line + "7\n", `:2 is not a sample: expected a JSON object such as {"user_input":"…","response":"…"}, got 7`},
		"another encoding":     {line + line + "{\"user_input\":\"caf\xe9\"}\n", ":3 is not UTF-8"},
		"UTF-16":               {"\xff\xfe{\x00}\x00", ":1 is not UTF-8"},
		"empty":                {"", " has no samples"},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			path := file(t, test.text)
			_, err := ragtest.ReadSamples(path)
			g.Expect(err).To(MatchError("ragtest: " + path + test.want))
		})
	}
	_, err := ragtest.ReadSamples(filepath.Join(t.TempDir(), "none.jsonl"))
	NewWithT(t).Expect(err).To(MatchError(os.ErrNotExist))
}
