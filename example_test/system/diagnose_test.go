package system

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/ragomega/ragomega/ragtest"
)

// low was fixed before the variants were judged.
var low = ragtest.Thresholds{ContextRecall: 0.75, ContextPrecision: 0.5, Faithfulness: 0.75, AnswerRelevance: 0.6, AnswerCorrectness: 0.5}

// surface is what a diagnosis blames, in the words of the variants.
var surface = map[ragtest.Fault]string{
	ragtest.RetrievalMiss: retrieval, ragtest.BadRanking: ranking, ragtest.ReaderInvents: reader, ragtest.WrongSource: source,
	ragtest.OffTopic: answer, ragtest.Evasive: answer, ragtest.IgnoresContext: reader, ragtest.NoFault: none, ragtest.Undiagnosed: "unknown",
}

// readers are the scores of a careful reader, by variant and sample, with the claims
// that decide where the rules look at them: of those samples that the small judge
// misjudges so that the diagnosis is another.
func readers(t *testing.T) map[string]map[string][]ragtest.Score {
	t.Helper()
	text, err := os.ReadFile("testdata/reader.json")
	if err != nil {
		t.Fatal(err)
	}
	var all map[string]map[string][]ragtest.Score
	if err := json.Unmarshal(text, &all); err != nil {
		t.Fatal(err)
	}
	return all
}

// TestDiagnosesOfTheVariants holds what the rules say of ten faults and ten healthy
// variants against testdata/diagnoses.txt: by the scores of a small judge, and where
// these are mistaken by a reader's. UPDATE_SCORES=1 writes the file anew.
func TestDiagnosesOfTheVariants(t *testing.T) {
	var byJudge, byReader matrix
	var lines strings.Builder
	read := readers(t)
	for _, v := range variants {
		samples, report := run(t, v)
		diagnoses, err := report.Diagnose(low)
		if err != nil {
			t.Fatal(err)
		}
		for i, d := range diagnoses {
			byJudge.add(v.fault, surface[d.Fault])
			fmt.Fprintf(&lines, "%s\n  is %s\n  by the judge: %s\n", v.name, v.fault, d.Line())
			if scores := read[v.name][samples[i].Name]; scores != nil {
				if d, err = ragtest.DiagnoseScores(d.Sample, low, scores...); err != nil {
					t.Fatal(err)
				}
				fmt.Fprintf(&lines, "  by a reader:  %s\n", d.Line())
			}
			byReader.add(v.fault, surface[d.Fault])
			if got := surface[d.Fault]; got != v.fault {
				t.Logf("%s, %s: %s, and the fault is %s", v.name, d.Sample, d, v.fault)
			}
		}
	}
	got := fmt.Sprintf("by the judge\n%s\nby the judge, and by a reader where the judge is mistaken\n%s\n%s", byJudge, byReader, lines.String())
	const file = "testdata/diagnoses.txt"
	if os.Getenv("UPDATE_SCORES") != "" {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if normal := strings.ReplaceAll(string(want), "\r\n", "\n"); got != normal {
		t.Errorf("diagnoses differ from %s:\n%s", file, got)
	}
	if byReader.right() != byReader.n {
		t.Errorf("of %d samples that a reader judged the rules have %d right", byReader.n, byReader.right())
	}
}

// matrix counts diagnoses by what is wrong.
type matrix struct {
	count map[[2]string]int
	n     int
}

func (m *matrix) add(is, said string) {
	if m.count == nil {
		m.count = map[[2]string]int{}
	}
	m.count[[2]string{is, said}]++
	m.n++
}

func (m matrix) right() (n int) {
	for k, c := range m.count {
		if k[0] == k[1] {
			n += c
		}
	}
	return n
}

func (m matrix) String() string {
	words := []string{retrieval, ranking, reader, source, answer, none}
	said := append(slices.Clone(words), "unknown")
	var b strings.Builder
	fmt.Fprintf(&b, "  %-10s", "is \\ said")
	for _, s := range said {
		fmt.Fprintf(&b, " %9s", s)
	}
	for _, is := range words {
		fmt.Fprintf(&b, "\n  %-10s", is)
		for _, s := range said {
			fmt.Fprintf(&b, " %9d", m.count[[2]string{is, s}])
		}
	}
	fmt.Fprintf(&b, "\n  right: %d of %d\n", m.right(), m.n)
	return b.String()
}
