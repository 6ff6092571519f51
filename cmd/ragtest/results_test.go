package main_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/ragomega/ragomega/fixtures"
	"github.com/ragomega/ragomega/ragtest"
)

const suiteResults = `package rag_test

import (
	"os"
	"testing"

	"github.com/ragomega/ragomega/ragtest"
)

func TestMain(m *testing.M) {
	ragtest.Use(ragtest.OpenAI("scripted").Named("scripted"))
	os.Exit(ragtest.Run(m))
}

func TestAnswers(t *testing.T) {
	samples, err := ragtest.ReadSamples("testdata/samples.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := ragtest.Evaluate(t.Context(), samples, ragtest.Faithfulness, ragtest.ContextRecall); err != nil {
		t.Fatal(err)
	}
}

func TestAgain(t *testing.T) {
	judge, err := ragtest.Standing()
	if err != nil {
		t.Fatal(err)
	}
	s := ragtest.Sample{Name: "half", Response: "It opened. It is red.", RetrievedContexts: []string{"It opened."}}
	if _, err := judge.For(t).Measure(t.Context(), ragtest.Faithfulness, s); err != nil {
		t.Fatal(err)
	}
}
`

const samplesBefore = `{"name":"half","tags":["critical"],"response":"It opened. It is red.","reference":"It opened.","retrieved_contexts":["It opened."]}
{"name":"whole","response":"It opened.","reference":"It opened.","retrieved_contexts":["It opened."]}
`

// measuredModule is a module whose tests have written results.jsonl.
func measuredModule(t *testing.T) *module {
	m := newModule(t, map[string]string{"rag/rag_test.go": suiteResults, "rag/testdata/samples.jsonl": samplesBefore})
	judge := fixtures.NewJudge(t).Otherwise(func(r fixtures.Request) fixtures.Reply {
		var q struct {
			Text      string
			Documents []string
			Claims    map[string]string
		}
		if err := r.Data(&q); err != nil {
			return fixtures.Error(400, "no_data", err.Error())
		}
		if q.Text != "" {
			return fixtures.Claims(strings.SplitAfter(q.Text, ". ")...)
		}
		verdicts := make([]bool, len(q.Claims))
		for i := range verdicts {
			verdicts[i] = strings.Contains(strings.Join(q.Documents, " "), strings.TrimSpace(q.Claims[fmt.Sprint(i+1)]))
		}
		return fixtures.Verdicts(verdicts...)
	})
	if _, err := m.run("OPENAI_BASE_URL="+judge.BaseURL(), "RAGTEST_RESULTS=results.jsonl", "go", "test", "-vet=off", "./rag"); err != nil {
		t.Fatal(err)
	}
	return m
}

// impacts is what impact prints in JSON.
type impacts struct {
	Changes      []string
	Measurements []struct {
		Test, Sample, Metric string
		Certain, May         []string
	}
	Samples []string
	Steps   []struct {
		Step    string
		AtLeast struct{ Calls int } `json:"at_least"`
		AtMost  struct{ Calls int } `json:"at_most"`
	}
	Tests []struct {
		Test    string
		AtLeast struct{ Calls int } `json:"at_least"`
	}
	AtLeast struct {
		Calls  int
		Tokens struct{ In, Out int }
	} `json:"at_least"`
	AtMost  struct{ Calls int } `json:"at_most"`
	New     []string
	Unknown []string
}

func TestCommandsOnResults(t *testing.T) {
	m := measuredModule(t)
	results := func(args ...string) []string { return append(args, "--results", "results.jsonl") }

	t.Run("ls", func(t *testing.T) {
		g := NewWithT(t)
		r := command(t, m.dir, results("ls")...)
		g.Expect(r.code).To(Equal(0))
		// "It opened." is asked about once: it is an answer, and twice a reference.
		g.Expect(r.out).To(MatchRegexp(`(?m)^\./rag TestAgain +half +faithfulness +2 +20 +10$`))
		g.Expect(r.out).To(MatchRegexp(`(?m)^\./rag TestAnswers +half +faithfulness, context_recall +4 +40 +20$`))
		g.Expect(r.out).To(ContainSubstring("different exchanges are needed by measurements"))
		var listed struct {
			Tests            []struct{ Sample string }
			Needed, Recorded int
			Missing          []string
		}
		command(t, m.dir, results("ls", "--json")...).read(g, &listed)
		g.Expect(listed.Needed).To(Equal(listed.Recorded))
		g.Expect(listed.Missing).To(BeEmpty())

		r = command(t, m.dir, results("ls", repository(t)+"/example_test/quickstart")...)
		g.Expect(r.code).To(Equal(1), "the exchanges are in another recording")
		g.Expect(r.out).To(MatchRegexp(`(?m)^not recorded: [0-9a-f]{32}$`))
	})

	t.Run("check", func(t *testing.T) {
		g := NewWithT(t)
		g.Expect(command(t, m.dir, results("check")...).code).To(Equal(0))
		r := command(t, m.dir, results("check", repository(t)+"/example_test/quickstart")...)
		g.Expect(r.code).To(Equal(1))
		g.Expect(r.out).To(HaveSuffix("2 lines in 1 recording: orphan 2\n"))
	})

	t.Run("impact of a prompt", func(t *testing.T) {
		g := NewWithT(t)
		m.write("strict.txt", "Be strict.\n")
		r := command(t, m.dir, results("impact", "--json", "--prompt", "claims=strict.txt")...)
		g.Expect(r.code).To(Equal(1))
		var i impacts
		r.read(g, &i)
		g.Expect(i.Samples).To(ConsistOf("half", "whole"))
		g.Expect(i.Measurements).To(HaveLen(5))
		for _, x := range i.Measurements {
			g.Expect(x.Certain).To(HaveLen(1))
			g.Expect(x.May).To(HaveLen(1))
		}
		// What several measurements need is asked once.
		text := command(t, m.dir, results("impact", "--prompt", "claims/v2=strict.txt")...)
		g.Expect(text.code).To(Equal(1))
		g.Expect(text.out).To(MatchRegexp(`(?m)^  verify/v2 +nothing +2 calls, 20\+10 tokens$`))
		g.Expect(text.out).To(ContainSubstring(fmt.Sprintf("in all at least %d calls, %d+%d tokens; at most %d calls", i.AtLeast.Calls, i.AtLeast.Tokens.In, i.AtLeast.Tokens.Out, i.AtMost.Calls)))
		g.Expect(i.AtLeast.Tokens.In).To(Equal(10 * i.AtLeast.Calls))
		g.Expect(i.AtMost.Calls).To(Equal(i.AtLeast.Calls + 2))

		// The last step leads to nothing else.
		var last impacts
		command(t, m.dir, results("impact", "--json", "--prompt", "verify=strict.txt")...).read(g, &last)
		g.Expect(last.AtLeast.Calls).To(Equal(2))
		g.Expect(last.AtMost.Calls).To(Equal(2))

		// The text that is recorded changes nothing.
		r = command(t, m.dir, results("impact", "--prompt", "claims="+repository(t)+"/ragtest/prompts/claims.v2.txt")...)
		g.Expect(r.code).To(Equal(0))
		g.Expect(r.out).To(ContainSubstring("no measurement of the results is invalidated"))

		r = command(t, m.dir, results("impact", "--prompt", "useful=strict.txt")...)
		g.Expect(r.code).To(Equal(2))
		g.Expect(r.err).To(ContainSubstring(`no measurement of the results has a step "useful", expected one of claims/v2, verify/v2`))
	})

	t.Run("impact of a sample", func(t *testing.T) {
		g := NewWithT(t)
		r := command(t, m.dir, results("impact", "--json", "--sample", "half")...)
		g.Expect(r.code).To(Equal(1))
		var i impacts
		r.read(g, &i)
		g.Expect(i.Samples).To(Equal([]string{"half"}))
		g.Expect(i.AtLeast.Calls).To(BeZero())
		g.Expect(i.AtMost.Calls).To(Equal(4))
		g.Expect(i.Unknown).To(ContainElement(ContainSubstring("which texts of the samples change")))
		r = command(t, m.dir, results("impact", "--sample", "none")...)
		g.Expect(r.code).To(Equal(2))
		g.Expect(r.err).To(ContainSubstring(`is of a sample "none"`))
	})

	t.Run("impact of changed samples", func(t *testing.T) {
		g := NewWithT(t)
		impactOf := func(after string) (impacts, int) {
			m.write("new.jsonl", after)
			r := command(t, m.dir, results("impact", "--json", "--changed-samples", "rag/testdata/samples.jsonl", "new.jsonl")...)
			var i impacts
			r.read(g, &i)
			return i, r.code
		}
		i, code := impactOf(samplesBefore)
		g.Expect(code).To(Equal(0))
		g.Expect(i.Changes).To(BeEmpty())

		// Another answer: the claims of it are asked for, and what is recalled of the
		// reference is not.
		i, code = impactOf(strings.Replace(samplesBefore, "It is red.", "It is blue.", 1))
		g.Expect(code).To(Equal(1))
		g.Expect(i.Changes).To(Equal([]string{`sample "half": response`}))
		g.Expect(i.AtLeast.Calls).To(Equal(1))
		g.Expect(i.AtMost.Calls).To(Equal(2))
		for _, x := range i.Measurements {
			g.Expect(x.Metric).To(Equal("faithfulness"))
		}

		// One context more: every claim is verified anew, and no claims are asked for.
		i, _ = impactOf(strings.Replace(samplesBefore, `"retrieved_contexts":["It opened."]`, `"retrieved_contexts":["It opened.","It is red."]`, 1))
		g.Expect(i.Steps).To(HaveLen(1))
		g.Expect(i.Steps[0].Step).To(Equal("verify/v2"))
		g.Expect(i.AtLeast.Calls).To(Equal(2))
		g.Expect(i.Unknown).To(ContainElement(`sample "half": what will be asked about more retrieved_contexts than there were`))

		i, code = impactOf(samplesBefore + `{"name":"third","response":"It is old.","retrieved_contexts":["It opened."]}` + "\n")
		g.Expect(code).To(Equal(1))
		g.Expect(i.New).To(Equal([]string{"third"}))
		g.Expect(i.AtMost.Calls).To(BeZero())

		// Without the recordings nothing is certain.
		r := command(t, m.dir, results("impact", "--json", "--root", t.TempDir(), "--changed-samples", "rag/testdata/samples.jsonl", "new.jsonl")...)
		r.read(g, &i)
		g.Expect(i.Unknown).To(ContainElement(ContainSubstring("what the requests of ./rag were made of")))
	})

	t.Run("diagnose", func(t *testing.T) {
		g := NewWithT(t)
		r := command(t, m.dir, results("diagnose", "--faithfulness", "0.9", "--recall", "0.8")...)
		g.Expect(r.code).To(Equal(1))
		g.Expect(r.out).To(And(
			HavePrefix("./rag by scripted at scripted\nhalf: reader invents\n"),
			ContainSubstring("  context_recall 1.00 ≥ 0.8\n  faithfulness 0.50 < 0.9\n  It is red.\n  try: "),
			HaveSuffix("2 samples: 1 without a fault\n")))
		g.Expect(command(t, m.dir, results("diagnose", "--faithfulness", "0.4")...)).To(Equal(ran{out: "./rag by scripted at scripted\n2 samples: 2 without a fault\n"}))
		var all []struct{ Package, Sample, Fault, Quadrant string }
		r = command(t, m.dir, results("diagnose", "-json", "--faithfulness", "0.4", "--relevance", "0.6", "--tag", "critical")...)
		g.Expect(r.code).To(Equal(1), "relevance was not measured")
		r.read(g, &all)
		g.Expect(all).To(HaveLen(1))
		g.Expect(all[0].Fault).To(Equal(string(ragtest.Undiagnosed)))
		r = command(t, m.dir, results("diagnose", "--faithfulness", "0.4", "--tag", "none")...)
		g.Expect(r.code).To(Equal(2))
	})
}

func repository(t *testing.T) string {
	t.Helper()
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	return root
}

// results writes measurements by faithfulness, one for each score.
func results(t *testing.T, scores ...float64) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "results.jsonl")
	var text strings.Builder
	for i, score := range scores {
		line, err := json.Marshal(ragtest.Record{
			Package: ".", Sample: fmt.Sprint("s", i+1), Metric: "faithfulness", Score: &score, Model: "m", Identity: "h",
			Verdicts: []ragtest.Verdict{{Claim: "It is red.", OK: score == 1}},
		})
		if err != nil {
			t.Fatal(err)
		}
		text.Write(append(line, '\n'))
	}
	if err := os.WriteFile(file, []byte(text.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	return file
}

func TestCompare(t *testing.T) {
	g := NewWithT(t)
	good := results(t, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1)
	bad := results(t, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1)

	r := command(t, ".", "compare", good, bad, "--smallest", "0.05")
	g.Expect(r.code).To(Equal(1))
	g.Expect(r.out).To(And(HavePrefix("faithfulness is worse: 1.000 → 0.200, "), ContainSubstring("It is red.")))

	r = command(t, ".", "compare", "--json", bad, good, "-smallest=0.05")
	g.Expect(r.code).To(Equal(0), "better is not worse")
	var c struct {
		Outcome string
		Metrics []struct {
			Metric      string
			Before, Now float64
			N, Moved    int
			Pairs       []struct{ Sample string }
		}
	}
	r.read(g, &c)
	g.Expect(c.Outcome).To(Equal("not worse"))
	g.Expect(c.Metrics).To(HaveLen(1))
	g.Expect(c.Metrics[0].Before).To(Equal(0.2))
	g.Expect(c.Metrics[0].Now).To(Equal(1.0))
	g.Expect(c.Metrics[0].Moved).To(Equal(8))
	g.Expect(c.Metrics[0].Pairs).To(HaveLen(10))

	// That little is the same proves little: it takes --not-worse to mind.
	few := results(t, 1, 1, 0)
	g.Expect(command(t, ".", "compare", few, few, "--smallest", "0.05").code).To(Equal(0))
	g.Expect(command(t, ".", "compare", few, few, "--smallest", "0.05", "--not-worse").code).To(Equal(1))

	// Either side may be a baseline.
	baseline := baselineOf(t, good)
	g.Expect(command(t, ".", "compare", baseline, bad, "--smallest", "0.05").code).To(Equal(1))
	g.Expect(command(t, ".", "compare", bad, baseline, "--smallest", "0.05").code).To(Equal(0))

	// A sample that was asked something else is not compared, whichever side is what.
	was, is := asked(t, good, "it"), asked(t, bad, "something else")
	for _, sides := range [][]string{{was, is}, {baselineOf(t, was), is}, {was, baselineOf(t, is)}} {
		r = command(t, ".", append([]string{"compare", "--smallest", "0.05"}, sides...)...)
		g.Expect(r.out).To(ContainSubstring("another question or reference than in the baseline: 1 (s1)"))
	}

	for want, args := range map[string][]string{
		"say with --smallest":                                   {good, bad},
		"expected two files":                                    {good, "--smallest", "0.05"},
		"the scores cannot be read":                             {good, "no-such-file", "--smallest", "0.05"},
		"is not a result":                                       {good, "main.go", "--smallest", "0.05"},
		`has no measurement that was chosen`:                    {good, bad, "--smallest", "0.05", "--test", "TestOther"},
		"no sample was measured by faithfulness before and now": {good, renamed(t, good), "--smallest", "0.05"},
		"two scores of sample \"s1\" by faithfulness":           {good, joined(t, good, bad), "--smallest", "0.05"},
	} {
		r := command(t, ".", append([]string{"compare"}, args...)...)
		g.Expect(r.code).To(Equal(2), want)
		g.Expect(r.err).To(ContainSubstring(want))
	}
}

// baselineOf is a baseline of results.
func baselineOf(t *testing.T, results string) string {
	t.Helper()
	g := NewWithT(t)
	records, err := ragtest.ReadResults(results)
	g.Expect(err).NotTo(HaveOccurred())
	report := ragtest.Report{Metrics: []string{"faithfulness"}}
	for _, x := range records {
		report.Results = append(report.Results, x.Result())
	}
	file := filepath.Join(t.TempDir(), "baseline.json")
	g.Expect(report.SaveBaseline(file)).To(Succeed())
	return file
}

// asked is a file of results of which the first sample has these inputs.
func asked(t *testing.T, file, inputs string) string {
	t.Helper()
	return rewritten(t, file, func(text string) string {
		return strings.Replace(text, `"sample":"s1",`, `"sample":"s1","inputs":"`+inputs+`",`, 1)
	})
}

// renamed is a file of results of other samples.
func renamed(t *testing.T, file string) string {
	t.Helper()
	return rewritten(t, file, func(text string) string { return strings.ReplaceAll(text, `"sample":"s`, `"sample":"other`) })
}

// joined is a file with the results of two tests.
func joined(t *testing.T, a, b string) string {
	t.Helper()
	more, err := os.ReadFile(b)
	if err != nil {
		t.Fatal(err)
	}
	return rewritten(t, a, func(text string) string {
		return strings.ReplaceAll(text, `"package":"."`, `"package":".","test":"TestA"`) +
			strings.ReplaceAll(string(more), `"package":"."`, `"package":".","test":"TestB"`)
	})
}

func rewritten(t *testing.T, file string, change func(string) string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	other := filepath.Join(t.TempDir(), "rewritten.jsonl")
	if err := os.WriteFile(other, []byte(change(string(text))), 0o644); err != nil {
		t.Fatal(err)
	}
	return other
}
