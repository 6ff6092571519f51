package main_test

import (
	"encoding/json"
	"encoding/xml"
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/onsi/ginkgo/v2/types"
	. "github.com/onsi/gomega"

	"github.com/ragomega/ragomega/fixtures"
	"github.com/ragomega/ragomega/ragtest"
)

// One suite for both runners.
const (
	suiteCases = `package cases

import "github.com/ragomega/ragomega/ragtest"

var contexts = []string{"The bridge opened in 1932. It is 503 metres long."}

var All = []ragtest.Sample{
	{Name: "grounded", Response: "The bridge opened in 1932.", RetrievedContexts: contexts},
	{Name: "long", Response: "It is 503 metres long.", RetrievedContexts: contexts},
	{Name: "half", Response: "The bridge opened in 1932. It is red.", RetrievedContexts: contexts},
	{Name: "invented", Response: "It is blue.", RetrievedContexts: contexts},
	{Name: "refused", Response: "Do not ask.", RetrievedContexts: contexts},
	{Name: "bare", Response: "It is red."},
}
`
	suiteTests = `package plain_test

import (
	"os"
	"testing"

	. "github.com/onsi/gomega"

	"example.com/user/cases"

	. "github.com/ragomega/ragomega/matchers"
	"github.com/ragomega/ragomega/ragtest"
)

func TestMain(m *testing.M) {
	ragtest.Use(ragtest.OpenAI("scripted").Named("scripted"))
	os.Exit(ragtest.Run(m))
}

func TestAnswers(t *testing.T) {
	judge, err := ragtest.Standing()
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range cases.All {
		t.Run(s.Name, func(t *testing.T) {
			NewWithT(t).Expect(s).To(HaveFaithfulnessAbove(0.6).Using(judge.For(t)))
		})
	}
}
`
	suiteSpecs = `package specs_test

import (
	"testing"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"example.com/user/cases"

	. "github.com/ragomega/ragomega/matchers"
	"github.com/ragomega/ragomega/ragtest"
)

func TestSpecs(t *testing.T) {
	RegisterFailHandler(Fail)
	RunSpecs(t, "specs")
}

var _ = BeforeSuite(func() { ragtest.Use(ragtest.OpenAI("scripted").Named("scripted")) })

var _ = AfterSuite(func() { Expect(ragtest.Close()).To(Succeed()) })

var _ = Describe("answers", func() {
	for _, s := range cases.All {
		It(s.Name, func(ctx SpecContext) {
			judge, err := ragtest.Standing()
			Expect(err).NotTo(HaveOccurred())
			Expect(s).To(HaveFaithfulnessAbove(0.6).Using(judge.For(GinkgoT())).WithContext(ctx))
		})
	}
})
`
)

// literal is a judge that takes every sentence for a claim, and supports those
// that a context has word by word.
func literal(t *testing.T) *fixtures.Judge {
	return fixtures.NewJudge(t).Otherwise(func(r fixtures.Request) fixtures.Reply {
		var q struct {
			Text      string
			Documents []string
			Claims    map[string]string
		}
		if err := r.Data(&q); err != nil {
			return fixtures.Error(400, "no_data", err.Error())
		}
		switch {
		case q.Text == "Do not ask.":
			return fixtures.Refusal("I would rather not.")
		case q.Text != "":
			return fixtures.Claims(strings.SplitAfter(q.Text, ". ")...)
		}
		verdicts := make([]bool, len(q.Claims))
		for i := range verdicts {
			verdicts[i] = strings.Contains(strings.Join(q.Documents, " "), strings.TrimSpace(q.Claims[fmt.Sprint(i+1)]))
		}
		return fixtures.Verdicts(verdicts...)
	})
}

// found is what one sample came to, wherever it was found.
type found struct {
	outcome string // passed or failed
	score   string
	message string // of the failure, see flat
}

var (
	inTest = regexp.MustCompile(` in [^:\n]*\(\w+_test\.go:\d+\)`)
	source = regexp.MustCompile(`(?m)^( *judge: .*); [^;]*$`)
)

// flat is a text without what may differ: margins, the name of the test, and
// whether it was the first to ask.
func flat(text string) string {
	text = source.ReplaceAllString(inTest.ReplaceAllString(text, " in TEST"), "$1")
	var lines []string
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "\n")
}

// byTesting reads what go test -json printed.
func byTesting(t *testing.T, out string) map[string]found {
	t.Helper()
	all := map[string]found{}
	for line := range strings.Lines(out) {
		var e struct{ Action, Test, Key, Value, Output string }
		if json.Unmarshal([]byte(line), &e) != nil {
			continue // of the go command
		}
		name, ok := strings.CutPrefix(e.Test, "TestAnswers/")
		if !ok {
			continue
		}
		f := all[name]
		switch e.Action {
		case "pass", "fail":
			f.outcome = e.Action + "ed"
		case "attr":
			f.score += e.Key + "=" + e.Value
		case "output":
			f.message += e.Output
		}
		all[name] = f
	}
	for name, f := range all {
		// From the line that t.Fatalf begins with to the one that ends the test.
		_, f.message, _ = strings.Cut(f.message, "plain_test.go:")
		_, f.message, _ = strings.Cut(f.message, "\n")
		f.message, _, _ = strings.Cut(f.message, "--- FAIL")
		f.message = flat(f.message)
		all[name] = f
	}
	return all
}

// byGinkgo reads a report in JSON.
func byGinkgo(t *testing.T, file string) map[string]found {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var reports []types.Report
	if err := json.Unmarshal(text, &reports); err != nil {
		t.Fatal(err)
	}
	all := map[string]found{}
	for _, spec := range reports[0].SpecReports.WithLeafNodeType(types.NodeTypeIt) {
		f := found{outcome: spec.State.String(), message: flat(spec.Failure.Message)}
		for _, e := range spec.ReportEntries {
			f.score += e.Name + "=" + valueOf(t, spec.LeafNodeText, e.Value.AsJSON)
			if !strings.HasPrefix(e.Value.Representation, spec.LeafNodeText+": faithfulness ") {
				t.Errorf("the entry reads %q", e.Value.Representation)
			}
		}
		all[spec.LeafNodeText] = f
	}
	return all
}

// valueOf reads the value of a report entry, and returns its score with the
// digits of an attribute.
func valueOf(t *testing.T, sample, value string) string {
	t.Helper()
	var s struct {
		Sample string
		ragtest.Score
	}
	if err := json.Unmarshal([]byte(value), &s); err != nil {
		t.Fatalf("%v in %s", err, value)
	}
	g := NewWithT(t)
	g.Expect(s.Sample).To(Equal(sample))
	g.Expect(s.Metric).To(Equal("faithfulness"))
	g.Expect(s.Judge).To(Equal("scripted at scripted"))
	g.Expect(s.Verdicts).NotTo(BeEmpty())
	g.Expect(s.Exchanges).To(HaveLen(2))
	g.Expect(s.Exchanges[0].Key).NotTo(BeZero())
	return fmt.Sprintf("%.4f", s.Value)
}

// byJUnit reads the scores of a JUnit report.
func byJUnit(t *testing.T, file string) map[string]string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var report struct {
		Cases []struct {
			Name       string `xml:"name,attr"`
			Status     string `xml:"status,attr"`
			Properties []struct {
				Name  string `xml:"name,attr"`
				Value string `xml:"value,attr"`
			} `xml:"properties>property"`
		} `xml:"testsuite>testcase"`
	}
	if err := xml.Unmarshal(text, &report); err != nil {
		t.Fatal(err)
	}
	all := map[string]string{}
	for _, c := range report.Cases {
		name, ok := strings.CutPrefix(c.Name, "[It] answers ")
		if !ok {
			continue
		}
		all[name] = ""
		for _, p := range c.Properties {
			all[name] += p.Name + "=" + valueOf(t, name, p.Value)
		}
	}
	return all
}

// measured is what the file of results has of a sample, but for who measured.
func measured(t *testing.T, file string) map[string][]ragtest.Record {
	t.Helper()
	records, err := ragtest.ReadResults(file)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string][]ragtest.Record{}
	for _, r := range records {
		if r.Run != records[0].Run {
			t.Errorf("%s is of run %s, and %s of %s", records[0].Sample, records[0].Run, r.Sample, r.Run)
		}
		r.Run, r.Test, r.At, r.Cached = "", "", "", false
		r.Exchanges = slices.Clone(r.Exchanges)
		for i := range r.Exchanges {
			r.Exchanges[i].Source = 0
		}
		all[r.Package] = append(all[r.Package], r)
	}
	for name, list := range all {
		slices.SortFunc(list, func(a, b ragtest.Record) int { return strings.Compare(a.Sample, b.Sample) })
		for i := range list {
			list[i].Package = ""
		}
		all[name] = list
	}
	return all
}

// The same suite, the same scores, the same messages: under package testing, and
// under Ginkgo in one process and in four.
func TestBothRunnersReportTheSame(t *testing.T) {
	g := NewWithT(t)
	judge := literal(t)
	m := newModule(t, map[string]string{
		"cases/cases.go":      suiteCases,
		"plain/plain_test.go": suiteTests,
		"specs/specs_test.go": suiteSpecs,
	})
	ask := "OPENAI_BASE_URL=" + judge.BaseURL()
	results := m.path("results.jsonl")

	// Two packages, two processes, one file of results.
	out, err := m.run(ask, "RAGTEST_RESULTS=results.jsonl", "RAGTEST_REPORT=summary", "go", "test", "-json", "-vet=off", "-ldflags=-s", "-o", "bin/", "./plain", "./specs")
	g.Expect(err).To(HaveOccurred())
	plain := byTesting(t, out)
	g.Expect(slices.Sorted(maps.Keys(plain))).To(Equal([]string{"bare", "grounded", "half", "invented", "long", "refused"}))
	g.Expect(plain["grounded"]).To(Equal(found{"passed", "ragtest.faithfulness=1.0000", ""}))
	g.Expect(plain["half"].score).To(Equal("ragtest.faithfulness=0.5000"))
	g.Expect(plain["half"].message).To(And(HavePrefix("Expected\n<ragtest.Sample>: half\n"), ContainSubstring("✗ 2. It is red.")))
	g.Expect(plain["refused"].message).To(ContainSubstring(`not measured: faithfulness of sample "refused" in TEST: refused in step claims/`))
	g.Expect(plain["bare"].message).To(ContainSubstring("missing input: Sample.RetrievedContexts"))
	g.Expect(out).To(ContainSubstring(`faithfulness      4   0.625   0.000   1.000             2  invented 0.00, half 0.50\n`))
	records := measured(t, results)
	g.Expect(records).To(HaveLen(2))
	g.Expect(records["./plain"]).To(HaveLen(6))
	g.Expect(records["./specs"]).To(Equal(records["./plain"]))
	asked := judge.Asked(fixtures.Any)

	// One process of Ginkgo's.
	g.Expect(os.Rename(m.path("bin/specs.test"), m.path("specs/specs.test"))).To(Succeed())
	out, err = m.run(ask, "RAGTEST_RESULTS="+results, "sh", "-c",
		"cd specs && ./specs.test -ginkgo.no-color -ginkgo.json-report=serial.json -ginkgo.junit-report=serial.xml")
	g.Expect(err).To(HaveOccurred())
	g.Expect(byGinkgo(t, m.path("specs/serial.json"))).To(Equal(plain))
	g.Expect(measured(t, results)).To(Equal(map[string][]ragtest.Record{"./specs": records["./specs"]}), "nothing is left of the run before")
	g.Expect(out).To(And(ContainSubstring("half: faithfulness 0.50 (1/2)"), Not(ContainSubstring("grounded: faithfulness"))))
	out, _ = m.run(ask, "sh", "-c", "cd specs && ./specs.test -ginkgo.no-color -ginkgo.v")
	g.Expect(out).To(And(ContainSubstring("half: faithfulness 0.50 (1/2)"), ContainSubstring("grounded: faithfulness 1.00 (1/1)")))

	// Four of them.
	out, err = m.run(ask, "RAGTEST_RESULTS=results.jsonl", "go", "run", "github.com/onsi/ginkgo/v2/ginkgo",
		"-p", "--procs=4", "--no-color", "--json-report=parallel.json", "--junit-report=parallel.xml", "specs/specs.test")
	g.Expect(err).To(HaveOccurred())
	g.Expect(out).To(ContainSubstring("Running in parallel across 4 processes"))
	g.Expect(byGinkgo(t, m.path("parallel.json"))).To(Equal(plain))
	g.Expect(measured(t, results)).To(Equal(map[string][]ragtest.Record{"./specs": records["./specs"]}))
	g.Expect(out).To(And(ContainSubstring("half: faithfulness 0.50 (1/2)"), Not(ContainSubstring("grounded: faithfulness"))))

	scores := map[string]string{}
	for name, f := range plain {
		scores[name] = f.score
	}
	g.Expect(byJUnit(t, m.path("specs/serial.xml"))).To(Equal(scores))
	g.Expect(byJUnit(t, m.path("parallel.xml"))).To(Equal(scores))
	g.Expect(judge.Asked(fixtures.Any)).To(Equal(asked), "what the first run asked is replayed by all others")
}
