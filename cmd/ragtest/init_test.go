package main_test

import (
	"os"
	"strings"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/ragomega/ragomega/fixtures"
)

// initiated is what init prints in JSON.
type initiated struct {
	Package                   string
	Written, Kept, Left, Next []string
	CI                        string
}

// From nothing to a test that records, fails for the right reason, and replays.
func TestInit(t *testing.T) {
	g := NewWithT(t)
	m := newModule(t, map[string]string{"rag/rag.go": "package rag\n"})
	_, err := m.run("git", "init", "-q")
	g.Expect(err).NotTo(HaveOccurred())
	out, err := m.run(binary, "init", "rag", "--name", "scripted", "--ci")
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(out).To(And(
		HavePrefix("wrote rag/ragtest_main_test.go\nwrote rag/ragtest_first_test.go\nwrote .gitattributes\nwrote .github/workflows/ragtest.yml\nnext:\n"),
		ContainSubstring("OPENAI_BASE_URL=http://…/v1 go test ./rag "),
		Not(ContainSubstring("go get")), ContainSubstring("ragtest check\n")))
	g.Expect(m.read(m.path(".gitattributes"))).To(Equal("**/testdata/ragtest/*.jsonl text eol=lf merge=union\n**/testdata/ragtest/embeddings.jsonl -diff\n"))

	out, err = m.run("go", "test", "./rag")
	g.Expect(err).To(HaveOccurred())
	g.Expect(out).To(ContainSubstring("Nothing was asked. To record with a key of your own: OPENAI_API_KEY=…"))

	judge := fixtures.NewJudge(t).
		On("claims", fixtures.Claims("You can return an order within 30 days.", "Returns are free.")).
		On("verify", fixtures.Verdicts(true, false))
	out, err = m.run("OPENAI_BASE_URL="+judge.BaseURL(), "go", "test", "./rag")
	g.Expect(err).To(HaveOccurred(), "it fails on purpose")
	g.Expect(out).To(And(ContainSubstring("faithfulness 0.50 (1/2)"), ContainSubstring("✗ 2. Returns are free.")))
	out, err = m.run("CI=true", "go", "test", "./rag")
	g.Expect(err).To(HaveOccurred())
	g.Expect(out).To(ContainSubstring("✗ 2. Returns are free."))
	g.Expect(judge.Asked(fixtures.Any)).To(Equal(2))
	g.Expect(command(t, m.dir, "check").code).To(Equal(0))

	// Again it changes nothing.
	before := m.files()
	var again initiated
	r := commandWith(t, m.dir, m.env, "init", "rag", "--ci", "--json")
	g.Expect(r.code).To(Equal(0))
	r.read(g, &again)
	g.Expect(again.Package).To(Equal("rag_test"))
	g.Expect(again.Written).To(BeEmpty())
	g.Expect(again.Kept).To(HaveLen(4))
	g.Expect(m.files()).To(Equal(before))
}

func TestInitLeavesWhatIsThere(t *testing.T) {
	const own = "package user\n\nimport (\n\t\"os\"\n\t\"testing\"\n)\n\nfunc TestMain(m *testing.M) { os.Exit(m.Run()) }\n"
	g := NewWithT(t)
	m := newModule(t, map[string]string{
		"user.go":        "package user\n",
		"user_test.go":   own,
		".gitattributes": "*.png binary",
	})
	r := commandWith(t, m.dir, m.env, "init")
	g.Expect(r.code).To(Equal(1), "something is left to do")
	g.Expect(r.out).To(ContainSubstring(`for you to do: user_test.go has a TestMain without ragtest.Run: before the tests call ragtest.Use(ragtest.OpenAI("gpt-4o-mini-2024-07-18")), and end in os.Exit(ragtest.Run(m))`))
	g.Expect(m.read(m.path("user_test.go"))).To(Equal(own))
	g.Expect(m.read(m.path(".gitattributes"))).To(Equal("*.png binary\n**/testdata/ragtest/*.jsonl text eol=lf merge=union\n**/testdata/ragtest/embeddings.jsonl -diff\n"))
	g.Expect(m.read(m.path("ragtest_first_test.go"))).To(HavePrefix("package user\n"), "as the tests that are there")
	g.Expect(m.files()).NotTo(HaveKey(m.path("ragtest_main_test.go")))

	m.write("user_test.go", strings.NewReplacer("m.Run()", "rt.Run(m)", "\"testing\"\n", "\"testing\"\n\n\trt \"github.com/ragomega/ragomega/ragtest\"\n").Replace(own))
	g.Expect(commandWith(t, m.dir, m.env, "init").code).To(Equal(0))
}

func TestInitNeedsAModule(t *testing.T) {
	g := NewWithT(t)
	dir := t.TempDir()
	r := commandWith(t, dir, []string{"GO111MODULE=on", "GOWORK=off"}, "init")
	g.Expect(r.code).To(Equal(2))
	g.Expect(r.err).To(ContainSubstring("go mod init"))
	entries, err := os.ReadDir(dir)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(entries).To(BeEmpty())
}

// A module without the library is told how to get it.
func TestInitOfAnEmptyModule(t *testing.T) {
	g := NewWithT(t)
	dir := t.TempDir()
	g.Expect(os.WriteFile(dir+"/go.mod", []byte("module example.com/my-rag\n\ngo 1.25\n"), 0o644)).To(Succeed())
	var done initiated
	r := commandWith(t, dir, []string{"GOWORK=off"}, "init", "--json")
	g.Expect(r.code).To(Equal(0))
	r.read(g, &done)
	g.Expect(done.Package).To(Equal("myrag_test"))
	g.Expect(done.Next[0]).To(Equal("go get github.com/ragomega/ragomega github.com/onsi/gomega"))
}
