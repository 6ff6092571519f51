package ragtest_test

import (
	"io"
	"os"
	"path/filepath"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/ragomega/ragomega/ragtest"
)

// printed is what f prints on the standard error.
func printed(t *testing.T, f func()) string {
	t.Helper()
	g := NewWithT(t)
	r, w, err := os.Pipe()
	g.Expect(err).NotTo(HaveOccurred())
	before := os.Stderr
	os.Stderr = w
	defer func() { os.Stderr = before }()
	f()
	g.Expect(w.Close()).To(Succeed())
	text, err := io.ReadAll(r)
	g.Expect(err).NotTo(HaveOccurred())
	return string(text)
}

// A file that is not there tells the command that writes it, which writes it.
func TestUpdate(t *testing.T) {
	g := NewWithT(t)
	t.Setenv("CI", "")
	file := filepath.Join(t.TempDir(), "baseline.json")
	r := reportOf("m", 1, 0.5)
	_, err := r.Against(file, 0.05, ragtest.ComparisonOptions{})
	g.Expect(err).To(And(MatchError(ragtest.ErrNoBaseline),
		MatchError(HaveSuffix("there is no file "+file+". To write it: RAGTEST_BASELINE=update CI= go test -run '^TestUpdate$' ./ragtest, and commit it"))))

	t.Setenv("RAGTEST_BASELINE", "update")
	out := printed(t, func() {
		c, err := r.Against(file, 0.05, ragtest.ComparisonOptions{})
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(c.Updated).To(Equal(file))
		g.Expect(c.Outcome()).To(Equal(ragtest.CannotTell))
		g.Expect(c.String()).To(Equal("the baseline " + file + " was written, and nothing compared"))
	})
	g.Expect(out).To(Equal("ragtest: baseline " + file + ": wrote 2 sample(s) of m\n"))

	t.Setenv("RAGTEST_BASELINE", "")
	c, err := r.Against(file, 0.05, ragtest.ComparisonOptions{})
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(c.Metrics[0].N).To(Equal(2))
	g.Expect(printed(t, func() { g.Expect(ragtest.CloseSuite(io.Discard)).To(Succeed()) })).To(Equal(
		"ragtest: baseline " + file + ": m: cannot be told to be worse or not, by 0.05: 0.750 → 0.750, difference +0.000 [-0.842, 0.842] (Clopper-Pearson, 95%), p=1 by paired permutation, n=2, 0 moved: it takes about 72 samples\n"))
	g.Expect(printed(t, func() { g.Expect(ragtest.CloseSuite(io.Discard)).To(Succeed()) })).To(BeEmpty(), "it is said once")
}

// A build server writes no baseline, and nothing else is taken for update.
func TestUpdateIsRefused(t *testing.T) {
	for name, test := range map[string]struct {
		ci, word string
		want     any
	}{
		"on CI":             {"true", "update", ragtest.ErrNotOnCI},
		"on CI, 1":          {"1", "update", ragtest.ErrNotOnCI},
		"another word":      {"", "1", `ragtest: RAGTEST_BASELINE is "1", expected update, or nothing to compare`},
		"CI, nothing asked": {"true", "", ragtest.ErrNoBaseline},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			t.Setenv("CI", test.ci)
			t.Setenv("RAGTEST_BASELINE", test.word)
			file := filepath.Join(t.TempDir(), "baseline.json")
			_, err := reportOf("m", 1).Against(file, 0.05, ragtest.ComparisonOptions{})
			g.Expect(err).To(MatchError(test.want))
			g.Expect(file).NotTo(BeAnExistingFile())
		})
	}
	t.Setenv("CI", "true")
	t.Setenv("RAGTEST_BASELINE", "update")
	_, err := reportOf("m", 1).Against("b.json", 0.05, ragtest.ComparisonOptions{})
	NewWithT(t).Expect(err).To(MatchError("ragtest: baselines are not written on a build server: CI is set, and RAGTEST_BASELINE=update would write b.json. " +
		"Write it where you work: RAGTEST_BASELINE=update CI= go test -run '^TestUpdateIsRefused$' ./ragtest, and commit it; or take RAGTEST_BASELINE away, to compare"))
}

// Two tests of one file do not undo each other's work.
func TestUpdateOfOneFileByTwoTests(t *testing.T) {
	g := NewWithT(t)
	t.Setenv("CI", "false")
	t.Setenv("RAGTEST_BASELINE", "update")
	file := filepath.Join(t.TempDir(), "baseline.json")
	update := func(r *ragtest.Report) (err error) {
		printed(t, func() { _, err = r.Against(file, 0.05, ragtest.ComparisonOptions{}) })
		return err
	}
	g.Expect(update(reportOf("m", 1, 1))).To(Succeed())
	g.Expect(update(reportOf("m", 1, 0.5))).To(Succeed(), "the same samples, once more")
	g.Expect(update(reportOf("n", 1))).To(Succeed(), "another metric")
	g.Expect(update(reportOf("m", 1))).To(MatchError("ragtest: two tests write m of different samples to " + file +
		": this one has no sample \"01\", which another has written. Give each a file of its own, or evaluate all samples in one"))
	b, err := ragtest.ReadBaseline(file)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(b.Metrics).To(HaveLen(2))
	g.Expect(*b.Metrics[0].Samples[1].Score).To(Equal(0.5))
}
