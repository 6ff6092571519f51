// These tests use the library as a module of its own, by the go command: what
// cannot be seen from within a test.
package main_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/ragomega/ragomega/fixtures"
)

const suite = `package user_test

import (
	"os"
	"testing"

	. "github.com/onsi/gomega"

	. "github.com/ragomega/ragomega/matchers"
	"github.com/ragomega/ragomega/ragtest"
)

func TestMain(m *testing.M) {
	ragtest.Use(ragtest.OpenAI("scripted").Named("scripted"))
	os.Exit(ragtest.Run(m))
}

func TestGrounded(t *testing.T) {
	answer, err := os.ReadFile("testdata/answer.txt")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir()) // the recording stays where it is
	NewWithT(t).Expect(string(answer)).To(BeFaithfulTo("The bridge opened in 1932."))
}
`

const another = `package user_test

import (
	"testing"

	. "github.com/onsi/gomega"

	. "github.com/ragomega/ragomega/matchers"
)

func TestAnother(t *testing.T) {
	NewWithT(t).Expect("It is red.").NotTo(BeFaithfulTo("The bridge is green."))
}
`

const recording = "testdata/ragtest/judge.jsonl"

func TestRecordReplayAndMiss(t *testing.T) {
	g := NewWithT(t)
	judge := fixtures.NewJudge(t).
		On("claims", fixtures.Claims("The bridge opened in 1932.")).
		On("verify", fixtures.Verdicts(true))
	m := newModule(t, map[string]string{
		"suite_test.go":       suite,
		"testdata/answer.txt": "The bridge opened in 1932.",
	})

	out, err := m.run("CI=true", "go", "test", ".")
	g.Expect(err).To(HaveOccurred(), "nothing is recorded yet, and CI never asks")
	g.Expect(out).To(ContainSubstring("what differs: everything; nothing like it is recorded for this step"))

	out, err = m.run("go", "test", ".")
	g.Expect(err).To(HaveOccurred(), "without a key")
	g.Expect(out).To(ContainSubstring("Nothing was asked. To record with a key of your own: OPENAI_API_KEY=… RAGTEST_CACHE=auto CI= go test -run '^TestGrounded$' ."))

	live := "OPENAI_BASE_URL=" + judge.BaseURL()
	out, err = m.run(live, "go", "test", "-v", "-count=1", ".")
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(out).To(ContainSubstring("ragtest (auto): 0 replayed, 2 asked, 20+10 tokens paid"))
	g.Expect(judge.Asked(fixtures.Any)).To(Equal(2))
	g.Expect(m.files()).To(HaveKey(m.path(recording)))

	out, err = m.run(live, "go", "test", "-v", "-count=1", ".")
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(out).To(ContainSubstring("ragtest (auto): 2 replayed, 0 asked"))
	g.Expect(judge.Asked(fixtures.Any)).To(Equal(2), "a second run asks nothing")

	// A clone that has no recording yet takes it from the store.
	kept := m.read(m.path(recording))
	g.Expect(os.Remove(m.path(recording))).To(Succeed())
	out, err = m.run("go", "test", "-v", "-count=1", ".")
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(out).To(ContainSubstring("2 from the store, 0 asked"))
	g.Expect(m.read(m.path(recording))).To(Equal(kept))
	m.age(recording)

	// Replay needs no HOME and writes nothing, and go test answers by itself.
	before := m.files()
	out, err = m.run("CI=true", "HOME=", "go", "test", ".")
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(out).NotTo(ContainSubstring("(cached)"))
	for range 2 {
		out, err = m.run("CI=true", "HOME=", "go", "test", ".")
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(out).To(ContainSubstring("(cached)"))
	}
	g.Expect(m.files()).To(Equal(before))

	// Nor does a store that grows and is read keep it from doing so.
	_, err = m.run("go", "test", ".")
	g.Expect(err).NotTo(HaveOccurred())
	store := filepath.Join(m.home, ".cache", "ragtest")
	g.Expect(store).To(BeADirectory())
	g.Expect(os.WriteFile(filepath.Join(store, "grows"), nil, 0o644)).To(Succeed())
	out, err = m.run("go", "test", ".")
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(out).To(ContainSubstring("(cached)"))

	// A recording that changed is read again.
	m.write(recording, kept+"\n")
	out, err = m.run("CI=true", "go", "test", ".")
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(out).NotTo(ContainSubstring("(cached)"))

	// A word of the answer.
	m.write("testdata/answer.txt", "The bridge opened in 1933.")
	out, err = m.run("CI=true", "go", "test", ".")
	g.Expect(err).To(HaveOccurred())
	g.Expect(out).To(And(
		ContainSubstring(`not measured: faithfulness of sample "The bridge opened in 1933." in TestGrounded (suite_test.go:`),
		ContainSubstring("what differs: the answer changed"),
		ContainSubstring("RAGTEST_CACHE=auto CI= go test -run '^TestGrounded$' .")))
	m.write("testdata/answer.txt", "The bridge opened in 1932.")

	// A line of the recording.
	lines := strings.SplitAfter(kept, "\n")
	for i, line := range lines[:2] {
		m.write(recording, lines[1-i])
		out, err = m.run("CI=true", "go", "test", ".")
		g.Expect(err).To(HaveOccurred())
		step := "claims/v2"
		if strings.Contains(line, `"step":"verify/v2"`) {
			step = "verify/v2"
		}
		g.Expect(out).To(ContainSubstring("no recorded reply for step " + step))
	}

	out, err = m.run("RAGTEST_CACHE=sometimes", "go", "test", ".")
	g.Expect(err).To(HaveOccurred())
	g.Expect(out).To(ContainSubstring(`RAGTEST_CACHE is "sometimes", expected auto, replay, plan, refresh, verify or off`))
	g.Expect(judge.Asked(fixtures.Any)).To(Equal(2))
}

func TestTidyAfterATestIsGone(t *testing.T) {
	g := NewWithT(t)
	judge := fixtures.NewJudge(t).
		On("claims", fixtures.Claims("The bridge opened in 1932."), fixtures.Claims("It is red.")).
		On("verify", fixtures.Verdicts(true), fixtures.Verdicts(false))
	m := newModule(t, map[string]string{
		"suite_test.go":       suite,
		"z_test.go":           another,
		"testdata/answer.txt": "The bridge opened in 1932.",
	})
	_, err := m.run("OPENAI_BASE_URL="+judge.BaseURL(), "go", "test", "-count=1", ".")
	g.Expect(err).NotTo(HaveOccurred())

	out, err := m.run("CI=true", "go", "test", "-v", "-run", "Grounded", ".")
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(out).NotTo(ContainSubstring("no test needs"), "a run of some tests tells nothing about the others")

	g.Expect(os.Remove(m.path("z_test.go"))).To(Succeed())
	out, err = m.run("CI=true", "go", "test", "-v", ".")
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(out).To(ContainSubstring("2 recorded that no test needs"))
	g.Expect(strings.Count(m.read(m.path(recording)), "\n")).To(Equal(4))

	// A test that is skipped may need what the others do not.
	m.write("skip_test.go", "package user_test\n\nimport \"testing\"\n\nfunc TestElsewhere(t *testing.T) { t.Skip() }\n")
	out, err = m.run("go", "run", "github.com/ragomega/ragomega/cmd/ragtest", "tidy", ".")
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(out).To(ContainSubstring("example.com/user: left as it is, as TestElsewhere was skipped"))
	g.Expect(os.Remove(m.path("skip_test.go"))).To(Succeed())
	g.Expect(strings.Count(m.read(m.path(recording)), "\n")).To(Equal(4))

	out, err = m.run("go", "run", "github.com/ragomega/ragomega/cmd/ragtest", "tidy", ".")
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(out).To(ContainSubstring("example.com/user: 2 exchanges removed"))
	g.Expect(strings.Count(m.read(m.path(recording)), "\n")).To(Equal(2))
	_, err = m.run("CI=true", "go", "test", "-count=1", ".")
	g.Expect(err).NotTo(HaveOccurred())

	var tidied []struct {
		Package, Left string
		Removed       int
	}
	r := commandWith(t, m.dir, m.env, "tidy", "--json", ".")
	g.Expect(r.code).To(Equal(0))
	r.read(g, &tidied)
	g.Expect(tidied).To(HaveLen(1))
	g.Expect(tidied[0].Package).To(Equal("example.com/user"))
	g.Expect(tidied[0].Removed).To(Equal(0), "they are gone")

	m.write("testdata/answer.txt", "Nothing of the kind.")
	r = commandWith(t, m.dir, m.env, "tidy", ".")
	g.Expect(r.code).To(Equal(1), "its test fails")
	g.Expect(r.out).To(ContainSubstring("left as it is: its tests failed"))
}

// The command is a tool of the module that uses the library.
func TestAsGoTool(t *testing.T) {
	g := NewWithT(t)
	m := newModule(t, map[string]string{"user.go": "package user\n"})
	_, err := m.run("go", "mod", "edit", "-tool=github.com/ragomega/ragomega/cmd/ragtest")
	g.Expect(err).NotTo(HaveOccurred())
	out, err := m.run("go", "tool", "ragtest", "check")
	g.Expect(err).To(HaveOccurred())
	g.Expect(out).To(ContainSubstring("no recordings in ./..., expected testdata/ragtest/*.jsonl"))
	out, err = m.run("go", "tool", "ragtest", "help", "diff")
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(out).To(ContainSubstring("ragtest diff main..HEAD -- rag"))
}

// Flags that run tests again, in another order and side by side ask for nothing
// twice.
func TestGoTestFlags(t *testing.T) {
	g := NewWithT(t)
	judge := fixtures.NewJudge(t).
		On("claims", fixtures.Claims("The bridge opened in 1932.")).
		On("verify", fixtures.Verdicts(true))
	m := newModule(t, map[string]string{
		"suite_test.go":       suite,
		"testdata/answer.txt": "The bridge opened in 1932.",
	})
	out, err := m.run("OPENAI_BASE_URL="+judge.BaseURL(), "go", "test", "-v", "-count=3", "-shuffle=on", "-parallel=8", ".")
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(strings.Count(out, "--- PASS: TestGrounded")).To(Equal(3))
	g.Expect(out).To(ContainSubstring("2 asked, 4 repeated"))
	g.Expect(judge.Asked(fixtures.Any)).To(Equal(2))
}

// A judge that fails fails the run: go test exits with an error.
func TestFailOpenIsNoOption(t *testing.T) {
	g := NewWithT(t)
	judge := fixtures.NewJudge(t).On(fixtures.Any, fixtures.Error(401, "invalid_api_key", "bad key"))
	m := newModule(t, map[string]string{
		"suite_test.go":       strings.Replace(suite, "To(BeFaithfulTo", "NotTo(BeFaithfulTo", 1),
		"testdata/answer.txt": "The bridge opened in 1932.",
	})
	out, err := m.run("OPENAI_BASE_URL="+judge.BaseURL(), "go", "test", ".")
	g.Expect(err).To(HaveOccurred())
	g.Expect(out).To(And(ContainSubstring("status 401 (invalid_api_key): bad key"), ContainSubstring("--- FAIL: TestGrounded")))
	g.Expect(judge.Asked(fixtures.Any)).To(Equal(1))
	g.Expect(m.files()).NotTo(HaveKey(m.path(recording)), "a failure is not recorded")
}
