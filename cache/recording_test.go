package cache_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/ragomega/ragomega/cache"
)

// recorded returns a place whose recording has replies to texts, and its lines
// in the order of texts.
func recorded(t *testing.T, texts ...string) (place, []string) {
	t.Helper()
	p := newPlace(t)
	var lines []string
	for _, text := range texts {
		q := newPlace(t)
		put(t, q, asking(text), fmt.Sprintf("%q", "reply to "+text))
		lines = append(lines, strings.TrimSpace(q.read(t)))
	}
	sorted := slices.Sorted(slices.Values(lines))
	p.write(t, strings.Join(sorted, "\n")+"\n")
	return p, lines
}

func put(t *testing.T, p place, r cache.Request, value string) {
	t.Helper()
	var calls atomic.Int64
	c := p.open(t, cache.Auto)
	if _, err := c.Do(t.Context(), r, answering(&calls, value)); err != nil {
		t.Fatal(err)
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
}

func replay(t *testing.T, p place, r cache.Request) (string, error) {
	t.Helper()
	c := p.open(t, cache.Replay)
	reply, err := c.Do(t.Context(), r, unreachable(t))
	return string(reply.Value), err
}

func TestRecordingIsReadHoweverItWasCheckedOut(t *testing.T) {
	_, lines := recorded(t, "a", "b")
	for name, text := range map[string]string{
		"CRLF":                       lines[0] + "\r\n" + lines[1] + "\r\n",
		"byte order mark":            "\ufeff" + lines[0] + "\n" + lines[1] + "\n",
		"another order":              lines[1] + "\n" + lines[0] + "\n",
		"lines repeated by a merge":  lines[0] + "\n" + lines[1] + "\n" + lines[0] + "\n",
		"no line end at the end":     lines[0] + "\n" + lines[1],
		"blank lines":                "\n" + lines[0] + "\n\n\n" + lines[1] + "\n\n",
		"blanks at the ends of line": "  " + lines[0] + " \n\t" + lines[1] + "\n",
	} {
		t.Run(name, func(t *testing.T) {
			g, p := NewWithT(t), newPlace(t)
			p.write(t, text)
			for _, want := range []string{"a", "b"} {
				got, err := replay(t, p, asking(want))
				g.Expect(err).NotTo(HaveOccurred())
				g.Expect(got).To(Equal(fmt.Sprintf("%q", "reply to "+want)))
			}
		})
	}
}

func TestTornLineIsAMissThatSaysSo(t *testing.T) {
	g := NewWithT(t)
	p, lines := recorded(t, "a", "b")
	p.write(t, lines[0]+"\n"+lines[1][:len(lines[1])-30])
	_, err := replay(t, p, asking("b"))
	g.Expect(err).To(MatchError(cache.ErrMiss))
	g.Expect(err).To(MatchError(ContainSubstring("torn lines: 2 (cut off; perhaps this one)")))
	_, err = replay(t, p, asking("a"))
	g.Expect(err).NotTo(HaveOccurred())

	// Recording it again mends the line, and swallows no other.
	put(t, p, asking("b"), `"reply to b"`)
	g.Expect(strings.Split(strings.TrimSpace(p.read(t)), "\n")).To(ConsistOf(lines))
}

func TestTornLineWithoutAKeyIsKept(t *testing.T) {
	g := NewWithT(t)
	p, lines := recorded(t, "a")
	p.write(t, lines[0]+"\n<<<<<<< ours")
	put(t, p, asking("b"), `1`)
	g.Expect(p.read(t)).To(And(ContainSubstring("<<<<<<< ours\n"), ContainSubstring(lines[0]+"\n")))
	_, err := replay(t, p, asking("b"))
	g.Expect(err).NotTo(HaveOccurred())
}

func TestChangedLineIsAnErrorInEveryMode(t *testing.T) {
	for name, change := range map[string]func(string) string{
		"reply":    func(l string) string { return strings.Replace(l, "reply to", "answer to", 1) },
		"identity": func(l string) string { return strings.Replace(l, "example.com", "example.org", 1) },
		"request": func(l string) string {
			i := strings.Index(l, `"request":"`) + len(`"request":"`)
			return l[:i] + strings.Map(func(r rune) rune {
				if r == '0' {
					return '1'
				}
				return r
			}, l[i:i+64]) + l[i+64:]
		},
		"flipped bit": func(l string) string { return strings.Replace(l, "claims/v1", "claims/v0", 1) },
	} {
		for _, mode := range []cache.Mode{cache.Replay, cache.Auto} {
			t.Run(name+" "+string(mode), func(t *testing.T) {
				g := NewWithT(t)
				p, lines := recorded(t, "a")
				p.write(t, "\n"+change(lines[0])+"\n")
				c := p.open(t, mode)
				_, err := c.Do(t.Context(), asking("a"), unreachable(t))
				var line *cache.LineError
				g.Expect(errors.As(err, &line)).To(BeTrue(), "got %v", err)
				g.Expect(line.Line).To(Equal(2))
				g.Expect(err).To(MatchError(And(
					ContainSubstring("judge.jsonl:2 was changed after it was recorded"),
					ContainSubstring("Restore the line from version control, or delete it and record it again with RAGTEST_CACHE=auto"))))
				g.Expect(err).NotTo(MatchError(cache.ErrMiss))
				g.Expect(c.Close()).To(Succeed())
			})
		}
	}
}

func TestLineOfAnotherKeyIsAnError(t *testing.T) {
	g := NewWithT(t)
	p, lines := recorded(t, "a", "b")
	// A line whose own checksum is right, under the key of another.
	forged := strings.Replace(lines[1], asking("b").Key().String(), asking("a").Key().String(), 1)
	p.write(t, forged+"\n")
	_, err := replay(t, p, asking("a"))
	g.Expect(err).To(MatchError(ContainSubstring("was changed after it was recorded")))
}

func TestTwoRepliesForOneKeyAreAConflict(t *testing.T) {
	g := NewWithT(t)
	p, lines := recorded(t, "a", "b")
	q := newPlace(t)
	put(t, q, asking("a"), `"theirs"`)
	p.write(t, lines[0]+"\n"+lines[1]+"\n"+q.read(t))
	_, err := replay(t, p, asking("a"))
	var conflict *cache.ConflictError
	g.Expect(errors.As(err, &conflict)).To(BeTrue(), "got %v", err)
	g.Expect(conflict.Lines).To(Equal([2]int{1, 3}))
	g.Expect(conflict.Replies).To(Equal([2]string{`"reply to a"`, `"theirs"`}))
	g.Expect(err).To(MatchError(And(ContainSubstring(`line 1: "reply to a"`), ContainSubstring(`line 3: "theirs"`))))

	_, err = replay(t, p, asking("b"))
	g.Expect(err).NotTo(HaveOccurred(), "only the key in conflict is affected")

	// A run that adds a line settles nothing on its own.
	put(t, p, asking("c"), `1`)
	_, err = replay(t, p, asking("a"))
	g.Expect(errors.As(err, &conflict)).To(BeTrue(), "got %v", err)
}

func TestSameReplyServedTwiceIsNoConflict(t *testing.T) {
	g := NewWithT(t)
	p, lines := recorded(t, "a")
	q := newPlace(t)
	c := q.open(t, cache.Auto)
	_, err := c.Do(t.Context(), asking("a"), func(context.Context) (cache.Reply, error) {
		return cache.Reply{Value: json.RawMessage(`"reply to a"`), Served: json.RawMessage(`{"ms":99}`)}, nil
	})
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(c.Close()).To(Succeed())
	p.write(t, lines[0]+"\n"+q.read(t))
	got, err := replay(t, p, asking("a"))
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(got).To(Equal(`"reply to a"`))
}

func TestEachReplyIsWrittenAsItComesAndSortedAtTheEnd(t *testing.T) {
	g, p := NewWithT(t), newPlace(t)
	c := p.open(t, cache.Auto)
	var calls atomic.Int64
	for i := range 20 {
		_, err := c.Do(t.Context(), asking(fmt.Sprint(i)), answering(&calls, `1`))
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(strings.Count(p.read(t), "\n")).To(Equal(i+1), "a run that is killed now loses nothing")
	}
	g.Expect(c.Close()).To(Succeed())
	lines := strings.Split(strings.TrimSpace(p.read(t)), "\n")
	g.Expect(lines).To(HaveLen(20))
	g.Expect(slices.IsSorted(lines)).To(BeTrue())
	entries, err := os.ReadDir(p.dir)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(entries).To(HaveLen(1), "nothing is left beside the recording")
}

func TestARunThatOnlyReplaysWritesNothing(t *testing.T) {
	g := NewWithT(t)
	p, lines := recorded(t, "a", "b")
	p.write(t, lines[0]+"\n"+lines[1]+"\n\n") // as nobody would sort it
	before, err := os.Stat(p.file())
	g.Expect(err).NotTo(HaveOccurred())
	c := p.open(t, cache.Auto)
	_, err = c.Do(t.Context(), asking("a"), unreachable(t))
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(c.Close()).To(Succeed())
	after, err := os.Stat(p.file())
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(after.ModTime()).To(Equal(before.ModTime()))
	g.Expect(os.SameFile(before, after)).To(BeTrue())
	g.Expect(p.home).NotTo(BeADirectory(), "nor is the store opened for what is recorded")
}

func TestTwoRunsOfOnePackageUniteTheirLines(t *testing.T) {
	g, p := NewWithT(t), newPlace(t)
	var calls atomic.Int64
	a, b := p.open(t, cache.Auto), p.open(t, cache.Auto)
	for i, c := range []*cache.Cache{a, b, a, b} {
		_, err := c.Do(t.Context(), asking(fmt.Sprint(i)), answering(&calls, `1`))
		g.Expect(err).NotTo(HaveOccurred())
	}
	_, err := b.Do(t.Context(), asking("0"), unreachable(t))
	g.Expect(err).NotTo(HaveOccurred(), "what the other run wrote is seen")
	g.Expect(a.Close()).To(Succeed())
	_, err = b.Do(t.Context(), asking("4"), answering(&calls, `1`))
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(b.Close()).To(Succeed())
	for i := range 5 {
		_, err := replay(t, p, asking(fmt.Sprint(i)))
		g.Expect(err).NotTo(HaveOccurred())
	}
	g.Expect(strings.Count(p.read(t), "\n")).To(Equal(5))
}

func TestLargeReply(t *testing.T) {
	g, p := NewWithT(t), newPlace(t)
	value := fmt.Sprintf("%q", strings.Repeat("x", 5<<20))
	put(t, p, asking("a"), value)
	got, err := replay(t, p, asking("a"))
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(got == value).To(BeTrue())

	// It is clipped where people read it.
	q := newPlace(t)
	put(t, q, asking("a"), `"theirs"`)
	p.write(t, p.read(t)+q.read(t))
	_, err = replay(t, p, asking("a"))
	g.Expect(len(err.Error())).To(BeNumerically("<", 2000))
}

func TestNothingIsAskedThatCouldNotBeRecorded(t *testing.T) {
	g, p := NewWithT(t), newPlace(t)
	g.Expect(os.MkdirAll(filepath.Dir(p.dir), 0o755)).To(Succeed())
	g.Expect(os.WriteFile(p.dir, nil, 0o644)).To(Succeed(), "a file where the folder should be")
	c := p.open(t, cache.Auto)
	_, err := c.Do(t.Context(), asking("a"), unreachable(t))
	g.Expect(err).To(MatchError(And(
		ContainSubstring("the recording cannot be"),
		ContainSubstring("judge.jsonl"))))
	g.Expect(c.Close()).To(Succeed())
}

func TestWithoutAStoreRepliesAreStillRecorded(t *testing.T) {
	g, p := NewWithT(t), newPlace(t)
	g.Expect(os.WriteFile(p.home, nil, 0o644)).To(Succeed(), "a file where the store should be")
	put := p.open(t, cache.Auto)
	var calls atomic.Int64
	_, err := put.Do(t.Context(), asking("a"), answering(&calls, `1`))
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(put.Warnings()).To(ConsistOf(And(
		HavePrefix("no store: "), HaveSuffix("Replies are recorded, but not shared with other packages and branches"))))
	g.Expect(put.Close()).To(Succeed())
	_, err = replay(t, p, asking("a"))
	g.Expect(err).NotTo(HaveOccurred())
}
