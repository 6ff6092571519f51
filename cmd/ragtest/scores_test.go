package main_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	. "github.com/onsi/gomega"
)

// resultsIn writes results.jsonl into a new folder.
func resultsIn(t *testing.T, lines ...string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "results.jsonl"), []byte(strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return dir
}

// An empty tag is none, as in ragtest.Report.ByTag.
func TestScoresOfEmptyTags(t *testing.T) {
	g := NewWithT(t)
	dir := resultsIn(
		t,
		`{"package":"./rag","sample":"empty","tags":[""],"metric":"mrr","score":0.25}`,
		`{"package":"./rag","sample":"none","tags":[],"metric":"mrr","score":0.75}`,
		`{"package":"./rag","sample":"one","tags":["a"],"metric":"mrr","score":1}`,
		`{"package":"./rag","sample":"both","tags":["a",""],"metric":"mrr","score":0.5}`,
	)
	r := command(t, dir, "scores", "--results", "results.jsonl", "--by-tag")
	g.Expect(r.code).To(Equal(0))
	g.Expect(r.out).To(MatchRegexp(`^metric .*\nmrr +0\.625 .* 4  0\n  a +0\.750 .* 2  0\n  \(no tag\) +0\.500 .* 2  0 +worst\n$`))
	var all []struct {
		Tags []struct {
			Tag  string
			Mean float64
			N    int
		}
	}
	command(t, dir, "scores", "--results", "results.jsonl", "--by-tag", "--json").read(g, &all)
	g.Expect(all).To(HaveLen(1))
	g.Expect(all[0].Tags).To(HaveLen(2))
	g.Expect(all[0].Tags[0].Tag).To(Equal("a"))
	g.Expect(all[0].Tags[1].Tag).To(BeEmpty())
	g.Expect(all[0].Tags[1].Mean).To(Equal(0.5))
	g.Expect(all[0].Tags[1].N).To(Equal(2))
}

// Names are others': in a terminal they are seen, and nothing in them acts. Programs
// get them as they are.
func TestScoresOfNamesWithControlCharacters(t *testing.T) {
	g := NewWithT(t)
	line := `{"package":"./rag","sample":"s\u001b[1m","tags":["a\tb\u001b[31m"],"metric":"m\tn\u0007","score":0.5,"model":"judge\t\u009b2J","identity":"at\n\u202ehome","exchanges":[{"key":"338220e87aa424d2d7aacedb96e5bcd9","step":"verify/v2"}]}`
	dir := resultsIn(t, line)
	r := command(t, dir, "scores", "--results", "results.jsonl", "--by-tag")
	g.Expect(r.code).To(Equal(0))
	g.Expect(r.out).To(Equal(`metric             mean   95 % interval  n  not measured  judge
m n[U+0007]        0.500  -              1  0             judge [U+009B]2J at at [U+202E]home
  a b[U+001B][31m  0.500  -              1  0
`))
	var all []struct {
		Metric string
		Tags   []struct{ Tag string }
	}
	command(t, dir, "scores", "--results", "results.jsonl", "--by-tag", "--json").read(g, &all)
	g.Expect(all).To(HaveLen(1))
	g.Expect(all[0].Metric).To(Equal("m\tn\a"))
	g.Expect(all[0].Tags).To(HaveLen(1))
	g.Expect(all[0].Tags[0].Tag).To(Equal("a\tb\x1b[31m"))

	r = command(t, dir, "diagnose", "--results", "results.jsonl", "--faithfulness", "0.5")
	g.Expect(r.code).To(Equal(1))
	g.Expect(r.out).To(HavePrefix("./rag by judge [U+009B]2J at at [U+202E]home\ns[U+001B][1m: not enough to diagnose\n"))
	lost := resultsIn(t, strings.Replace(line, `"score":0.5`, `"error":{"kind":"call","text":"gone\r\u001b[2K"}`, 1))
	r = command(t, lost, "compare", "results.jsonl", "results.jsonl", "--smallest", "0.1")
	g.Expect(r.code).To(Equal(2))
	g.Expect(r.err).To(And(ContainSubstring("[U+0007]"), ContainSubstring("(s[U+001B][1m)"), Not(ContainSubstring("\x1b"))), "an error quotes names")
}
