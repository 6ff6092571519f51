package example_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/ragomega/ragomega/cache"
	. "github.com/ragomega/ragomega/matchers"
	"github.com/ragomega/ragomega/ragtest"
)

// TestMessagesOfTheDocs makes docs/messages.md of failures that happen here, and
// holds it against what is there. UPDATE_MESSAGES=1 writes it anew.
func TestMessagesOfTheDocs(t *testing.T) {
	samples, err := ragtest.ReadSamples("testdata/samples.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	report, err := ragtest.Evaluate(t.Context(), samples[:22], ragtest.Faithfulness, ragtest.ContextRecall)
	if err != nil {
		t.Fatal(err)
	}
	strict, err := cache.Open(cache.Options{Mode: cache.Replay})
	if err != nil {
		t.Fatal(err)
	}
	standing, err := ragtest.Standing()
	if err != nil {
		t.Fatal(err)
	}
	replay := standing.CachedIn(strict).For(quiet{t})
	changed := sample(t, "jammed-door")
	changed.RetrievedContexts = append([]string{"The service line has the number 555-0100."}, changed.RetrievedContexts[1:]...)
	ranked := sample(t, "report-damage")
	slices.Reverse(ranked.RetrievedContexts) // what a bad ranker would have made of it
	without := sample(t, "share-code")
	without.RetrievedContexts = nil

	labelled := sample(t, "service-line-limits")
	labelled.ReferenceContextIDs = ragtest.IDs{"depot#2", "locker-sizes#2", "storage-time#2"}

	failures := []struct {
		title, code string
		assert      func(g Gomega)
	}{
		{"An answer says what no document says", `Expect(sample).To(BeFaithful())`, func(g Gomega) {
			g.Expect(sample(t, "student-discount")).To(BeFaithful())
		}},
		{"The retriever missed what a good answer needs", `Expect(sample).To(HaveContextRecallAbove(0.8))`, func(g Gomega) {
			g.Expect(sample(t, "service-line-limits")).To(HaveContextRecallAbove(0.8))
		}},
		{"What is useful is not ranked first", `Expect(sample).To(HaveContextPrecisionAbove(0.9))`, func(g Gomega) {
			g.Expect(ranked).To(HaveContextPrecisionAbove(0.9))
		}},
		{"The chunk at rank 1 is of no use", `Expect(sample).To(HaveVerdict(ragtest.ContextPrecision, 1, true))`, func(g Gomega) {
			g.Expect(ranked).To(HaveVerdict(ragtest.ContextPrecision, 1, true))
		}},
		{"A relevant context is not among the first, told from IDs without a judge", `Expect(sample).To(HaveRecallAtAbove(3, 0.8))`, func(g Gomega) {
			g.Expect(labelled).To(HaveRecallAtAbove(3, 0.8))
		}},
		{"The answer is to another question", `Expect(sample).To(HaveAnswerRelevanceAbove(0.7))`, func(g Gomega) {
			g.Expect(sample(t, "share-code")).To(HaveAnswerRelevanceAbove(0.7))
		}},
		{"The answer is wrong, or leaves something out", `Expect(sample).To(BeCorrect())`, func(g Gomega) {
			g.Expect(sample(t, "service-line-limits")).To(BeCorrect())
		}},
		{"Another claim is rejected than the test says", `Expect(sample).To(HaveRejected(ragtest.Faithfulness, ContainSubstring("telephone")))`, func(g Gomega) {
			g.Expect(sample(t, "sending-a-plant")).To(HaveRejected(ragtest.Faithfulness, ContainSubstring("telephone")))
		}},
		{"A known mistake is not found any more", `Expect(sample).NotTo(BeFaithful())`, func(g Gomega) {
			g.Expect(sample(t, "wrong-codes")).NotTo(BeFaithful())
		}},
		{"The mean of a data set is too low", `Expect(report).To(HaveMeanAbove(ragtest.Faithfulness, 0.9))`, func(g Gomega) {
			g.Expect(report).To(HaveMeanAbove(ragtest.Faithfulness, 0.9))
		}},
		{"Too few samples pass", `Expect(report).To(HavePassRateAbove(BeFaithful(), 0.9))`, func(g Gomega) {
			g.Expect(report).To(HavePassRateAbove(BeFaithful(), 0.9))
		}},
		{"Nothing was retrieved: not measured", `Expect(sample).To(BeFaithful())`, func(g Gomega) {
			g.Expect(without).To(BeFaithful().Using(standing.For(quiet{t})))
		}},
		{"A document changed, and nothing may be asked: not measured", `Expect(sample).To(BeFaithful().Using(judge))`, func(g Gomega) {
			g.Expect(changed).To(BeFaithful().Using(replay))
		}},
		{"The number can never be reached", `Expect(sample).To(HaveFaithfulnessAbove(1))`, func(g Gomega) {
			g.Expect(sample(t, "wrong-codes")).To(HaveFaithfulnessAbove(1))
		}},
	}
	var page strings.Builder
	page.WriteString("# Failure messages\n\nWhat tests print, as the [example suite](../example_test) makes it from recorded replies of a small local model. `UPDATE_MESSAGES=1 go test -run MessagesOfTheDocs ./example_test` writes this page.\n")
	dir, _ := filepath.Abs(".")
	for i, f := range failures {
		var message string
		f.assert(NewGomega(func(m string, _ ...int) { message = m }))
		if message == "" {
			t.Errorf("%q does not fail", f.title)
		}
		message = pointer.ReplaceAllString(message, "")
		message = strings.ReplaceAll(message, dir+string(filepath.Separator), "")
		fmt.Fprintf(&page, "\n## %d. %s\n\n```go\n%s\n```\n\n```\n%s\n```\n", i+1, f.title, f.code, lineNumber.ReplaceAllString(filepath.ToSlash(message), "_test.go:1"))
	}
	const file = "../docs/messages.md"
	if os.Getenv("UPDATE_MESSAGES") != "" {
		if err := os.WriteFile(file, []byte(page.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	NewWithT(t).Expect(page.String()).To(Equal(strings.ReplaceAll(string(want), "\r\n", "\n")))
}

var pointer = regexp.MustCompile(` \| 0x[0-9a-f]+`)

// quiet is a test that knows of its failed measurements: here they are the
// point.
type quiet struct{ *testing.T }

func (quiet) Failed() bool { return true }
