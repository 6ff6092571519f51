package cache_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/ragomega/ragomega/cache"
)

// A checkout may be on a read-only disk. Root writes anywhere, so the replay is
// watched: it creates and changes nothing.
func TestReadonlyCheckoutReplays(t *testing.T) {
	g := NewWithT(t)
	p, _ := recorded(t, "a", "b")
	g.Expect(os.Chmod(p.file(), 0o444)).To(Succeed())
	g.Expect(os.Chmod(p.dir, 0o555)).To(Succeed())
	t.Cleanup(func() { _ = os.Chmod(p.dir, 0o755) })
	before, err := os.ReadDir(p.dir)
	g.Expect(err).NotTo(HaveOccurred())
	for _, mode := range []cache.Mode{cache.Replay, cache.Auto} {
		c := p.open(t, mode)
		_, err = c.Do(t.Context(), asking("a"), unreachable(t))
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(c.Close()).To(Succeed())
	}
	after, err := os.ReadDir(p.dir)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(after).To(HaveLen(len(before)))
	g.Expect(p.home).NotTo(BeADirectory())
}

// Names that Windows reserves, blanks and long names are no trouble, as keys and
// files of the store hold nothing of a path.
func TestWindowsNamesOfFoldersAreInNoKeyAndNoFile(t *testing.T) {
	for _, name := range []string{"dir with spaces", "CON", "ünï-код-目录", strings.Repeat("long", 40)} {
		t.Run(name[:3], func(t *testing.T) {
			g := NewWithT(t)
			p := place{filepath.Join(t.TempDir(), name, "testdata"), filepath.Join(t.TempDir(), name, "home")}
			put(t, p, asking("a"), `1`)
			got, err := replay(t, p, asking("a"))
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(got).To(Equal("1"))
			q := newPlace(t)
			put(t, q, asking("a"), `1`)
			g.Expect(p.read(t)).To(Equal(q.read(t)), "wherever the package lies, the line is the same")
			plain := regexp.MustCompile(`^[A-Za-z0-9_.-]+$`)
			g.Expect(filepath.WalkDir(p.home, func(path string, d os.DirEntry, err error) error {
				if path != p.home {
					g.Expect(d.Name()).To(MatchRegexp(plain.String()))
				}
				return err
			})).To(Succeed())
		})
	}
}

func TestWindowsAndDarwinBuild(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles for other systems")
	}
	for _, goos := range []string{"windows", "darwin"} {
		if goos == runtime.GOOS {
			continue
		}
		cmd := exec.Command("go", "build", "./...")
		cmd.Dir = ".."
		cmd.Env = append(os.Environ(), "GOOS="+goos, "CGO_ENABLED=0")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("GOOS=%s: %v\n%s", goos, err, out)
		}
	}
}
