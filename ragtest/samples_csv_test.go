package ragtest_test

import (
	"encoding/csv"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	. "github.com/onsi/gomega"
	"pgregory.net/rapid"

	"github.com/ragomega/ragomega/ragtest"
)

func csvFile(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "samples.CSV")
	NewWithT(t).Expect(os.WriteFile(path, []byte(text), 0o600)).To(Succeed())
	return path
}

// The files in testdata/samples are written as Ragas writes a dataset: by
// Python's json, and by its csv, which prints lists as repr does.
func TestReadRagasExports(t *testing.T) {
	g := NewWithT(t)
	lines, err := ragtest.ReadSamples("testdata/samples/ragas.jsonl")
	g.Expect(err).NotTo(HaveOccurred())
	table, err := ragtest.ReadSamples("testdata/samples/ragas.csv")
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(table).To(Equal(lines))
	g.Expect(table).To(HaveLen(3))
	g.Expect(table[0]).To(Equal(ragtest.Sample{
		UserInput:           "When does the depot open?",
		RetrievedContexts:   []string{"The depot opens at 7:00.\nOn Sundays it is closed.", "It's the driver's turn, \"Plus\" or not.", "A backslash \\ and a tab\t."},
		ReferenceContexts:   []string{"Opening hours: 7:00"},
		Response:            "It opens at 7:00,\nbut not on Sundays.",
		Reference:           "At 7:00; see \"Opening hours\".",
		RetrievedContextIDs: ragtest.IDs{"doc-7", "12"}, ReferenceContextIDs: ragtest.IDs{"7"},
	}))
	g.Expect(table[1].RetrievedContexts).To(BeEmpty())
	g.Expect(table[2].RetrievedContexts).To(Equal([]string{"no-break\u00a0space, bell \a, flag 🇫🇷, tag \U000e0041"}))

	talks, err := ragtest.ReadSamples("testdata/samples/ragas_conversations.csv")
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(talks).To(Equal([]ragtest.Sample{{
		Messages:  []ragtest.Message{{Role: "human", Content: "Tell me about tides."}, {Role: "ai", Content: "They're twice a day."}, {Role: "ai"}},
		Reference: "r", ReferenceTopics: []string{"science"},
	}}))
}

// Whatever an editor or a spreadsheet did to it: a byte order mark, its line
// ends, the order and the case of columns, columns of one's own.
func TestReadCSV(t *testing.T) {
	g := NewWithT(t)
	samples, err := ragtest.ReadSamples(csvFile(t, "\ufeff"+
		`id, Response ,user_input,retrieved_contexts,tags,name,`+"\r\n"+
		`1,"two`+"\r\n"+`lines",q,"[""json's"", ""\u00e9\/""]","['a', 'b']",x,`+"\r\n"+
		"\r\n"+
		`2,,"  spaces, ""quotes""  ",,None,,rest`+"\r\n"+
		`3,[1],[x],null,[],z,`))
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(samples).To(Equal([]ragtest.Sample{
		{Name: "x", Tags: []string{"a", "b"}, Response: "two\nlines", UserInput: "q", RetrievedContexts: []string{"json's", "é/"}},
		{UserInput: "  spaces, \"quotes\"  "},
		{Name: "z", Tags: []string{}, Response: "[1]", UserInput: "[x]"},
	}))
}

func TestBadCSV(t *testing.T) {
	head := "name,user_input,retrieved_contexts\n"
	row := ",\"two\nlines\",['c']\n"
	for name, test := range map[string]struct{ text, want string }{
		"a bad list": {
			head + strings.Repeat(row, 364) + ",q,\"['a' 'b']\"\n" + row,
			":730 is not a sample: retrieved_contexts: expected JSON, or Python's notation such as ['a', 'b']: at character 6 expected a comma or ] (arrays of numpy print without commas; write lists), got 'b']",
		},
		"a text for a list":   {head + ",q,a context\n", ":2 is not a sample: retrieved_contexts: expected JSON, or Python's notation such as ['a', 'b']: at character 1 expected a list or another value, got a context"},
		"a number for a list": {head + row + ",q,7\n", ":4 is not a sample: json: cannot unmarshal number into Go struct field Sample.retrieved_contexts of type []string"},
		"a list of numbers":   {head + ",q,[7]\n", ":2 is not a sample: json: cannot unmarshal number into Go struct field Sample.retrieved_contexts of type string"},
		"too few fields":      {head + row + "a,q\n" + row, ":4 is not a sample: expected 3 fields, as the first line names, got 2"},
		"too many fields":     {head + row + row + "a,q,[],\n", ":6 is not a sample: expected 3 fields, as the first line names, got 4"},
		"a quote left open":   {head + row + "a,\"q\n,[]\n" + row, `:4 is not a sample: extraneous or missing " in quoted-field in line 6, column 2`},
		"a quote within":      {head + "a,q\",[]\n", `:2 is not a sample: bare " in non-quoted-field in line 2, column 4`},
		"a name twice":        {head + "a,\"\n\",\nb,,\na,,\n", `:5 has the name "a" of line 2; names must differ`},
		"a column twice":      {"response,user_input,Response\n", ":1 names the column response twice"},
		"other columns": {
			"question;answer;contexts\nq;a;c\n",
			":1 names no column of a sample, expected some of name, tags, user_input, response, retrieved_contexts, reference, reference_contexts, retrieved_context_ids, reference_context_ids, reference_context_grades, rubrics, reference_topics, with commas between them",
		},
		"no samples":               {head + "\n", " has no samples"},
		"nothing":                  {"\ufeff\n", " has no samples"},
		"another encoding":         {head + row + "caf\xe9,,\n", ":4 is not UTF-8"},
		"half a conversation":      {"user_input\n\"[{'type': 'human'\"\n", ":2 is not a sample: user_input: expected JSON, or Python's notation such as ['a', 'b']: at character 18 expected a comma or } (arrays of numpy print without commas; write lists), got the end"},
		"a message without a role": {"user_input\n[{}]\n", `:2 is not a sample: a message has a "role" or "type", got {}`},
	} {
		t.Run(name, func(t *testing.T) {
			path := csvFile(t, test.text)
			_, err := ragtest.ReadSamples(path)
			NewWithT(t).Expect(err).To(MatchError("ragtest: " + path + test.want))
		})
	}
}

// Every field of a sample has a column.
func TestCSVRoundTrip(t *testing.T) {
	dir := t.TempDir()
	text := rapid.StringOf(rapid.OneOf(rapid.Rune(), rapid.SampledFrom([]rune("\",\n'[] "))))
	texts := rapid.SliceOfN(text, 1, 3)
	rapid.Check(t, func(rt *rapid.T) {
		want := ragtest.Sample{
			Name: "x" + text.Draw(rt, "name"), UserInput: "q" + text.Draw(rt, "user_input"), Response: text.Draw(rt, "response"), Reference: text.Draw(rt, "reference"),
			Tags: texts.Draw(rt, "tags"), RetrievedContexts: texts.Draw(rt, "contexts"), ReferenceContexts: texts.Draw(rt, "reference contexts"),
			RetrievedContextIDs: texts.Draw(rt, "ids"), ReferenceContextIDs: texts.Draw(rt, "reference ids"), ReferenceTopics: texts.Draw(rt, "topics"),
			Rubrics:  map[string]string{"1": text.Draw(rt, "rubric")},
			Messages: []ragtest.Message{{Role: "user", Content: text.Draw(rt, "content")}},
		}
		b, err := json.Marshal(want)
		if err != nil {
			rt.Fatal(err)
		}
		var fields map[string]json.RawMessage
		if err := json.Unmarshal(b, &fields); err != nil {
			rt.Fatal(err)
		}
		var header, record []string
		for name, value := range fields {
			field := string(value)
			if s := ""; json.Unmarshal(value, &s) == nil {
				field = strings.ReplaceAll(s, "\r\n", "\n")
			}
			header, record = append(header, name), append(record, field)
		}
		var out strings.Builder
		w := csv.NewWriter(&out)
		if err := w.WriteAll([][]string{header, record}); err != nil {
			rt.Fatal(err)
		}
		path := filepath.Join(dir, "s.csv")
		if err := os.WriteFile(path, []byte(out.String()), 0o600); err != nil {
			rt.Fatal(err)
		}
		got, err := ragtest.ReadSamples(path)
		if err != nil {
			rt.Fatal(err)
		}
		for _, s := range []*string{&want.Name, &want.UserInput, &want.Response, &want.Reference} {
			*s = strings.ReplaceAll(*s, "\r\n", "\n")
		}
		if !reflect.DeepEqual(got, []ragtest.Sample{want}) {
			rt.Fatalf("got  %+v\nwant %+v", got[0], want)
		}
	})
}
