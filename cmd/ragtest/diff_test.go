package main_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	. "github.com/onsi/gomega"
)

// differs is what diff prints in JSON.
type differs struct {
	Flips []struct {
		Step, Claim, Before, After string
		Changed                    []string
	}
	Same, Ambiguous int
	Reworded        []struct{ Added, Removed []string }
	Added, Removed  []struct{ Step string }
	Bad             []struct{ Why string }
}

const greenOfTwo = `{"1":{"reason":"It says so.","supported":true},"2":{"reason":"It does not.","supported":false}}`

var twoClaims = []string{"It is green.", "It is red."}

func TestDiffOfTheSameRequest(t *testing.T) {
	g := NewWithT(t)
	before, now := t.TempDir(), t.TempDir()
	record(t, before, verification("p", twoClaims, "c", greenOfTwo))
	record(t, now, verification("p", twoClaims, "c", `{"1":{"reason":"It is blue.","supported":false},"2":{"reason":"It does not.","supported":false}}`))

	g.Expect(command(t, ".", "diff", before, before)).To(Equal(ran{out: "0 verdicts flipped, 2 the same; 0 exchanges added, 0 removed\n"}))
	g.Expect(command(t, ".", "diff", before, now)).To(Equal(ran{code: 1, out: `verify/v2 It is green.: supported → unsupported
  was: It says so.
  now: It is blue.
1 verdict flipped, 1 the same; 0 exchanges added, 0 removed
`}))
	var d differs
	command(t, ".", "diff", "--json", before, now).read(g, &d)
	g.Expect(d.Flips).To(HaveLen(1))
	g.Expect(d.Flips[0].Changed).To(BeEmpty())

	// The packages of two checkouts are found by their names.
	checkouts := t.TempDir()
	record(t, filepath.Join(checkouts, "a", "rag"), verification("p", twoClaims, "c", greenOfTwo))
	record(t, filepath.Join(checkouts, "b", "rag"), verification("p", twoClaims, "c", greenOfTwo))
	g.Expect(command(t, checkouts, "diff", "a", "b")).To(Equal(ran{out: "0 verdicts flipped, 2 the same; 0 exchanges added, 0 removed\n"}))

	// A file is compared with a file of any name.
	other := filepath.Join(t.TempDir(), "other.jsonl")
	g.Expect(os.Rename(filepath.Join(now, "testdata", "ragtest", "judge.jsonl"), other)).To(Succeed())
	g.Expect(command(t, ".", "diff", filepath.Join(before, "testdata", "ragtest", "judge.jsonl"), other).code).To(Equal(1))
}

func TestDiffOfOtherWords(t *testing.T) {
	g := NewWithT(t)
	before, now := t.TempDir(), t.TempDir()
	record(t, before, verification("p", twoClaims, "c", greenOfTwo))
	record(t, now, verification("p", twoClaims, "c", `{"1":{"reason":"Yes.","supported":true},"2":{"reason":"It does not.","supported":false}}`))
	r := command(t, ".", "diff", before, now)
	g.Expect(r.code).To(Equal(0), "no verdict differs")
	g.Expect(r.out).To(ContainSubstring("another reply, no verdict of which differs\n  - It says so.\n  + Yes.\n"))
}

// Where a prompt, the claims or a context changed the request is another, and the
// verdicts on the same claim are compared.
func TestDiffByClaim(t *testing.T) {
	before := verification("p", twoClaims, "c", greenOfTwo)
	for name, test := range map[string]struct {
		now     recorded
		changed []string
		same    int
	}{
		"prompt":  {verification("q", twoClaims, "c", `{"1":{"reason":"","supported":true},"2":{"reason":"","supported":true}}`), []string{"prompt"}, 1},
		"context": {verification("p", twoClaims, "d", `{"1":{"reason":"","supported":true},"2":{"reason":"","supported":true}}`), []string{"context 1"}, 1},
		"claims":  {verification("p", []string{"It is red."}, "c", `{"1":{"reason":"","supported":true}}`), []string{"other claims beside it"}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			old, now := t.TempDir(), t.TempDir()
			record(t, old, before)
			record(t, now, test.now)
			r := command(t, ".", "diff", "-json", old, now)
			g.Expect(r.code).To(Equal(1))
			var d differs
			r.read(g, &d)
			g.Expect(d.Flips).To(HaveLen(1))
			g.Expect(d.Flips[0].Claim).To(Equal("It is red."))
			g.Expect(d.Flips[0].Before).To(Equal("unsupported"))
			g.Expect(d.Flips[0].After).To(Equal("supported"))
			g.Expect(d.Flips[0].Changed).To(Equal(test.changed))
			g.Expect(d.Same).To(Equal(test.same))
			g.Expect(d.Added).To(HaveLen(1))
			g.Expect(d.Removed).To(HaveLen(1))
		})
	}
}

// A claim that two requests are about is compared with neither.
func TestDiffDoesNotGuess(t *testing.T) {
	g := NewWithT(t)
	before, now := t.TempDir(), t.TempDir()
	record(t, before, verification("p", []string{"It is red."}, "c", `{"1":{"reason":"","supported":true}}`),
		verification("p", []string{"It is red."}, "d", `{"1":{"reason":"","supported":false}}`))
	record(t, now, verification("p", []string{"It is red."}, "e", `{"1":{"reason":"","supported":false}}`))
	r := command(t, ".", "diff", before, now)
	g.Expect(r.code).To(Equal(0))
	g.Expect(r.out).To(HaveSuffix("0 verdicts flipped, 0 the same; 1 exchange added, 2 removed\n1 verdict not compared, as their claims are there more than once\n"))

	// Two replies to one request are a conflict, and neither counts.
	file := filepath.Join(t.TempDir(), "judge.jsonl")
	g.Expect(os.WriteFile(file, []byte(merged), 0o644)).To(Succeed())
	var d differs
	command(t, ".", "diff", "--json", file, file).read(g, &d)
	g.Expect(d.Bad).To(HaveLen(2))
	g.Expect(d.Same + len(d.Added) + len(d.Removed)).To(BeZero())
}

func TestDiffOfRevisions(t *testing.T) {
	g := NewWithT(t)
	dir := t.TempDir()
	git := func(args ...string) {
		t.Helper()
		cmd := exec.Command("git", append([]string{"-c", "user.name=a", "-c", "user.email=a@example.com", "-c", "commit.gpgsign=false"}, args...)...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	commit := func() {
		t.Helper()
		git("add", ".")
		git("commit", "-q", "-m", "a")
	}
	git("init", "-q", "-b", "main")
	rag, other := filepath.Join(dir, "rag"), filepath.Join(dir, "other")
	g.Expect(os.MkdirAll(other, 0o755)).To(Succeed())
	file := record(t, rag, verification("p", twoClaims, "c", greenOfTwo))
	commit()
	edit(t, file, `"supported":true`, `"supported":false`, true)
	commit()
	record(t, other, verification("q", []string{"It is blue."}, "c", `{"1":{"reason":"","supported":true}}`))

	flip := "verify/v2 It is green.: supported → unsupported\n1 verdict flipped, 1 the same; 0 exchanges added, 0 removed\n"
	g.Expect(command(t, dir, "diff", "HEAD~1..HEAD")).To(Equal(ran{code: 1, out: flip}))
	g.Expect(command(t, dir, "diff", "HEAD~1", "main")).To(Equal(ran{code: 1, out: flip}))
	g.Expect(command(t, dir, "diff", "HEAD~1", "--", "rag")).To(Equal(ran{code: 1, out: flip}))
	g.Expect(command(t, rag, "diff", "HEAD~1")).To(Equal(ran{code: 1, out: flip}), "of the folder that it is run in")
	g.Expect(command(t, dir, "diff", "HEAD~1..HEAD", "--", "rag/testdata/ragtest/judge.jsonl")).To(Equal(ran{code: 1, out: flip}))
	r := command(t, dir, "diff", "HEAD")
	g.Expect(r.code).To(Equal(0))
	g.Expect(r.out).To(HaveSuffix("0 verdicts flipped, 2 the same; 1 exchange added, 0 removed\n"))

	g.Expect(os.Remove(file)).To(Succeed())
	r = command(t, dir, "diff", "HEAD", "--", "rag")
	g.Expect(r.code).To(Equal(0))
	g.Expect(r.out).To(HaveSuffix("0 exchanges added, 1 removed\n"))
	g.Expect(command(t, dir, "diff", "HEAD", "--", "none").code).To(Equal(2))
}
