package cache_test

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/ragomega/ragomega/cache"
)

// conflicting returns a place whose recording has two replies for "a", ours
// first, and one for "b".
func conflicting(t *testing.T) place {
	t.Helper()
	p, q := newPlace(t), newPlace(t)
	put(t, p, asking("b"), `"fine"`)
	put(t, p, asking("a"), `"ours"`)
	put(t, q, asking("a"), `"theirs"`)
	p.write(t, p.read(t)+q.read(t))
	return p
}

func TestResolve(t *testing.T) {
	for keep, want := range map[cache.Keep]string{cache.Ours: `"ours"`, cache.Theirs: `"theirs"`, cache.Neither: ""} {
		for _, added := range []bool{false, true} {
			t.Run(string(keep), func(t *testing.T) {
				g, p := NewWithT(t), conflicting(t)
				if added { // a run sorts the file, and it is still clear which is whose
					put(t, p, asking("c"), `1`)
				}
				_, err := replay(t, p, asking("a"))
				var conflict *cache.ConflictError
				g.Expect(errors.As(err, &conflict)).To(BeTrue())
				g.Expect(err).To(MatchError(HaveSuffix("cmd/ragtest resolve -keep ours|theirs|neither " + p.file())))
				g.Expect(cache.Resolve(p.file(), keep)).To(Equal(1))
				got, err := replay(t, p, asking("a"))
				if keep == cache.Neither {
					g.Expect(err).To(MatchError(cache.ErrMiss))
				} else {
					g.Expect(err).NotTo(HaveOccurred())
				}
				g.Expect(got).To(Equal(want))
				_, err = replay(t, p, asking("b"))
				g.Expect(err).NotTo(HaveOccurred())
				g.Expect(cache.Resolve(p.file(), keep)).To(BeZero(), "nothing is left to settle")
			})
		}
	}
	_, err := cache.Resolve("x.jsonl", "mine")
	NewWithT(t).Expect(err).To(MatchError(`cache: cannot keep "mine", expected ours, theirs or neither`))
}

func TestVectorsThatDifferByRoundingAreNoConflict(t *testing.T) {
	g, p := NewWithT(t), conflicting(t)
	r := asking("a")
	r.Same = func(a, b json.RawMessage) bool { return true }
	c := p.open(t, cache.Replay)
	first, err := c.Do(t.Context(), r, unreachable(t))
	g.Expect(err).NotTo(HaveOccurred())

	// Whichever line stands first, it is the same one that counts.
	lines := strings.Split(strings.TrimSpace(p.read(t)), "\n")
	p.write(t, lines[2]+"\n"+lines[1]+"\n"+lines[0]+"\n")
	second, err := p.open(t, cache.Replay).Do(t.Context(), r, unreachable(t))
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(string(second.Value)).To(Equal(string(first.Value)))
}

func TestUnusedAndTidy(t *testing.T) {
	g := NewWithT(t)
	p, lines := recorded(t, "a", "b", "c")
	c := p.open(t, cache.Replay)
	_, err := c.Do(t.Context(), asking("b"), unreachable(t))
	g.Expect(err).NotTo(HaveOccurred())
	unused, err := c.Unused()
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(unused).To(HaveKeyWithValue(p.file(), ConsistOf(asking("a").Key(), asking("c").Key())))
	g.Expect(strings.Count(p.read(t), "\n")).To(Equal(3), "a run deletes nothing")

	g.Expect(cache.Tidy(p.file(), unused[p.file()])).To(Equal(2))
	g.Expect(p.read(t)).To(Equal(lines[1] + "\n"))
	g.Expect(cache.Tidy(p.file(), unused[p.file()])).To(BeZero())
	g.Expect(cache.Tidy(filepath.Join(p.dir, "none.jsonl"), nil)).To(BeZero())
}

// Two branches record different things, and git merges them with the
// attributes that README gives.
func TestGitMergesTwoBranchesThatRecorded(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("needs git")
	}
	g := NewWithT(t)
	repo := t.TempDir()
	p := place{filepath.Join(repo, "pkg", "testdata", "ragtest"), filepath.Join(t.TempDir(), "home")}
	git := func(args ...string) {
		t.Helper()
		cmd := exec.Command("git", append([]string{"-c", "user.name=t", "-c", "user.email=t@example.com"}, args...)...)
		cmd.Dir = repo
		cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	record := func(texts ...string) {
		t.Helper()
		for _, text := range texts {
			put(t, p, asking(text), `"`+text+`"`)
		}
		git("add", ".")
		git("commit", "-qm", "record")
	}
	attributes, err := os.ReadFile(filepath.Join("..", ".gitattributes"))
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(os.WriteFile(filepath.Join(repo, ".gitattributes"), attributes, 0o644)).To(Succeed())
	git("init", "-q", "-b", "main")
	record("base 1", "base 2", "base 3")
	git("checkout", "-qb", "topic")
	record("topic 1", "topic 2", "topic 3", "both")
	git("checkout", "-q", "main")
	record("main 1", "main 2", "main 3", "both")
	git("merge", "-q", "topic", "-m", "merge")
	for _, text := range []string{"base 1", "base 3", "topic 1", "topic 3", "main 1", "main 3", "both"} {
		got, err := replay(t, p, asking(text))
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(got).To(Equal(`"` + text + `"`))
	}
}
