package main_test

import (
	"os"
	"strings"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/ragomega/ragomega/fixtures"
)

// A suite of a retriever, which asks nobody.
const (
	suiteUnjudged = `package rag_test

import (
	"os"
	"testing"

	"github.com/ragomega/ragomega/ragtest"
)

func TestMain(m *testing.M) { os.Exit(ragtest.Run(m)) }

func TestRetrieval(t *testing.T) {
	samples, err := ragtest.ReadSamples("testdata/samples.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := ragtest.Evaluate(t.Context(), samples, ragtest.RecallAt(2), ragtest.NDCG.At(2), ragtest.ROUGEL); err != nil {
		t.Fatal(err)
	}
}
`
	// With a judge for the answers besides.
	testAnswers = `
func TestAnswers(t *testing.T) {
	samples, err := ragtest.ReadSamples("testdata/samples.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	judge := ragtest.OpenAI("scripted").Named("scripted")
	if _, err := judge.Evaluate(t.Context(), samples, ragtest.Faithfulness); err != nil {
		t.Fatal(err)
	}
}
`
	samplesRetrieved = `{"name":"early","tags":["lookup"],"response":"It opened.","reference":"It opened.","retrieved_contexts":["It opened.","It is old."],"retrieved_context_ids":["a","b"],"reference_context_ids":["a"]}
{"name":"late","tags":["multi-hop"],"response":"It is red.","reference":"It opened.","retrieved_contexts":["It is old.","It opened.","It is long."],"retrieved_context_ids":["b","a","c"],"reference_context_ids":["a","d"]}
{"name":"bare","response":"It is old.","reference":"It is old.","retrieved_contexts":["It is old."],"retrieved_context_ids":["b"]}
`
)

// retrievedModule is a module whose tests have written results.jsonl.
func retrievedModule(t *testing.T, suite string, judge *fixtures.Judge) *module {
	m := newModule(t, map[string]string{"rag/rag_test.go": suite, "rag/testdata/samples.jsonl": samplesRetrieved})
	env := []string{"RAGTEST_RESULTS=results.jsonl"}
	if judge != nil {
		env = append(env, "OPENAI_BASE_URL="+judge.BaseURL())
	}
	if _, err := m.run(append(env, "go", "test", "-vet=off", "./rag")...); err != nil {
		t.Fatal(err)
	}
	return m
}

// Where nobody was asked, no command says anything of a judge, or wants a recording.
func TestCommandsWithoutAJudge(t *testing.T) {
	m := retrievedModule(t, suiteUnjudged, nil)
	on := func(g Gomega, code int, args ...string) string {
		r := command(t, m.dir, args...)
		g.ExpectWithOffset(1, r.code).To(Equal(code))
		g.ExpectWithOffset(1, strings.ToLower(r.out+r.err)).NotTo(Or(ContainSubstring("judge"), ContainSubstring("calibrated"), ContainSubstring("by  at")))
		return r.out
	}

	t.Run("scores", func(t *testing.T) {
		g := NewWithT(t)
		g.Expect(on(g, 0, "scores", "--results", "results.jsonl", "--by-tag")).To(Equal(`metric       mean   95 % interval   n  not measured
ndcg_at_2    0.693  [0.387, 1.000]  2  1
  lookup     1.000  -               1  0
  multi-hop  0.387  -               1  0             worst
  (no tag)   -      -               0  1
recall_at_2  0.750  [0.500, 1.000]  2  1
  lookup     1.000  -               1  0
  multi-hop  0.500  -               1  0             worst
  (no tag)   -      -               0  1
rouge_l      0.800  [0.400, 1.000]  3  0
  lookup     1.000  -               1  0
  multi-hop  0.400  -               1  0             worst
  (no tag)   1.000  -               1  0
`))
		var all []struct {
			Metric, Judge string
			Mean          float64
			N, Unmeasured int
			Tags          []struct {
				Tag  string
				Mean *float64
			}
		}
		command(t, m.dir, "scores", "--results", "results.jsonl", "--tag", "lookup", "--json").read(g, &all)
		g.Expect(all).To(HaveLen(3))
		g.Expect(all[1].Metric).To(Equal("recall_at_2"))
		g.Expect(all[1].Mean).To(Equal(1.0))
		g.Expect(all[1].Tags).To(BeEmpty(), "they were not asked for")
		r := command(t, m.dir, "scores", "--results", "results.jsonl", "--tag", "none")
		g.Expect(r.code).To(Equal(2))
		g.Expect(r.err).To(ContainSubstring(`no sample of the results has the tag "none"`))
	})

	t.Run("report", func(t *testing.T) {
		g := NewWithT(t)
		on(g, 0, "report", "--results", "results.jsonl", "--samples", "rag/testdata/samples.jsonl", "--baseline", "results.jsonl", "--recall", "0.5", "-o", "page.html")
		page := m.read(m.path("page.html"))
		g.Expect(page).To(ContainSubstring("✗ relevant, not retrieved"))
		g.Expect(strings.ToLower(page)).NotTo(Or(ContainSubstring("judge"), ContainSubstring("calibrated"), ContainSubstring("by  at")))
	})

	t.Run("compare", func(t *testing.T) {
		g := NewWithT(t)
		g.Expect(on(g, 0, "compare", "results.jsonl", "results.jsonl", "--smallest", "0.1")).To(ContainSubstring("recall_at_2"))
	})

	t.Run("diagnose", func(t *testing.T) {
		g := NewWithT(t)
		g.Expect(on(g, 1, "diagnose", "--results", "results.jsonl", "--recall", "0.5")).To(And(
			HavePrefix("./rag\n"), ContainSubstring("\nearly: not enough to diagnose\n  context_recall was not measured\n"), HaveSuffix("3 samples: 0 without a fault\n")))
		g.Expect(on(g, 1, "diagnose", "--results", "results.jsonl", "--recall", "0.5", "--json")).To(ContainSubstring(`"package": "./rag"`))
	})

	t.Run("ls, check and impact", func(t *testing.T) {
		g := NewWithT(t)
		g.Expect(on(g, 0, "ls", "--results", "results.jsonl")).To(HaveSuffix("no measurement needs an exchange, and none is recorded\n"))
		g.Expect(on(g, 0, "check", "--results", "results.jsonl")).To(Equal("0 lines in 0 recordings: nothing found\n"))
		g.Expect(on(g, 0, "impact", "--results", "results.jsonl", "--sample", "early")).To(ContainSubstring("no measurement of the results is invalidated"))
		g.Expect(on(g, 0, "tidy", "./...")).To(BeEmpty())
		m.write("new.txt", "Be strict.")
		r := command(t, m.dir, "impact", "--results", "results.jsonl", "--prompt", "verify=new.txt")
		g.Expect(r.code).To(Equal(2))
		g.Expect(r.err).To(ContainSubstring("nobody was asked"))
	})
}

// What was computed of a sample belongs to it, whoever else was asked about it.
func TestCommandsWithOneJudge(t *testing.T) {
	judge := literal(t)
	m := retrievedModule(t, suiteUnjudged+testAnswers, judge)
	g := NewWithT(t)
	text, err := os.ReadFile(m.path("results.jsonl"))
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(strings.Count(string(text), `"model":""`)).To(Equal(9))
	g.Expect(strings.Count(string(text), `"model":"scripted"`)).To(Equal(3))

	r := command(t, m.dir, "report", "--results", "results.jsonl", "--faithfulness", "0.8", "-o", "-")
	g.Expect(r.code).To(Equal(0))
	g.Expect(r.out).To(ContainSubstring("3 samples · 4 metrics · 12 measurements"))
	g.Expect(r.out).To(ContainSubstring("Computed, without a judge"))
	g.Expect(r.out).To(ContainSubstring("Judged by <bdi>scripted at scripted</bdi>"))
	g.Expect(strings.Count(r.out, ">uncalibrated<")).To(Equal(1), "of faithfulness")

	g.Expect(command(t, m.dir, "diagnose", "--results", "results.jsonl", "--faithfulness", "0.8").out).To(And(
		HavePrefix("./rag by scripted at scripted\nlate: reader invents\n"), HaveSuffix("3 samples: 2 without a fault\n")))
	r = command(t, m.dir, "compare", "results.jsonl", "results.jsonl", "--smallest", "0.1", "--judge", "scripted")
	g.Expect(r.code).To(Equal(0))
	g.Expect(r.out).To(And(ContainSubstring("faithfulness "), ContainSubstring("recall_at_2 "), HaveSuffix("judge: scripted at scripted\n")))
	g.Expect(command(t, m.dir, "compare", "results.jsonl", "results.jsonl", "--smallest", "0.1", "--judge", "other").code).To(Equal(2))
	r = command(t, m.dir, "scores", "--results", "results.jsonl")
	g.Expect(r.out).To(MatchRegexp(`(?m)^recall_at_2 .* 2  1$`))
	g.Expect(r.out).To(MatchRegexp(`(?m)^faithfulness +0\.667 .* 3  0 +scripted at scripted$`))
	g.Expect(command(t, m.dir, "check", "--results", "results.jsonl").code).To(Equal(0))
	r = command(t, m.dir, "ls", "--results", "results.jsonl")
	g.Expect(r.code).To(Equal(0))
	g.Expect(r.out).To(MatchRegexp(`(?m)TestRetrieval +early +recall_at_2, ndcg_at_2, rouge_l\w* +0 +0 +0$`))
	recorded := "rag/testdata/ragtest/judge.jsonl"
	g.Expect(command(t, m.dir, "diff", recorded, recorded).code).To(Equal(0))
}
