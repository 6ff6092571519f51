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
