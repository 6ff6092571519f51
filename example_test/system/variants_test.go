package system

import (
	"io/fs"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/ragomega/ragomega/example_test/assistant"
	"github.com/ragomega/ragomega/ragtest"
)

// What can be wrong with the system, or with what it was given.
const (
	retrieval = "retrieval" // what the answer needs is not among the contexts
	ranking   = "ranking"   // it is, but behind what is not needed
	reader    = "reader"    // the answer says what the contexts do not
	source    = "source"    // a document is wrong, and is followed
	answer    = "answer"    // the answer is to another question, or to none
	none      = "none"      // nothing is wrong
)

// variant is the system with one thing changed.
type variant struct {
	name      string
	fault     string                              // what is wrong with it
	questions []string                            // names in assistant/questions.json
	reworded  string                              // how the one question is asked instead
	change    func(*testing.T, *assistant.Config) // nil changes nothing
}

var variants = []variant{
	{
		name: "splitter cuts sentences", fault: retrieval,
		questions: []string{"wrong-codes"},
		change: func(_ *testing.T, c *assistant.Config) {
			c.Splitter = assistant.Splitter{Unit: assistant.Words, Size: 10}
		},
	},
	{
		name: "needed chunk at rank 8", fault: ranking,
		questions: []string{"saturday-drop-off"},
		change: func(_ *testing.T, c *assistant.Config) {
			c.K, c.Rank = 8, moved(8, "sending#2")
		},
	},
	{
		name: "K too small", fault: retrieval,
		questions: []string{"plus-chilled-time"},
		change:    func(_ *testing.T, c *assistant.Config) { c.K = 1 },
	},
	{
		name: "index of another help centre", fault: retrieval,
		questions: []string{"cancel-yearly-plus"},
		change: func(t *testing.T, c *assistant.Config) {
			c.Documents = documents(t, os.DirFS("testdata/other"))
		},
	},
	{
		name: "prompt that invites inventions", fault: reader,
		questions: []string{"power-bank"},
		change: func(_ *testing.T, c *assistant.Config) {
			c.Prompt = "You are a friendly help desk. Answer the customer's question from your general knowledge of parcel services, " +
				"with telephone numbers, prices and deadlines. The text below is only an example."
		},
	},
	{
		name: "evasive prompt", fault: answer,
		questions: []string{"share-code"},
		change: func(_ *testing.T, c *assistant.Config) {
			c.Prompt = "You are the help desk of Oakhatch. Never give an answer. " +
				"Say only that you are sorry, that you cannot say, and that the customer should ask somebody else."
		},
	},
	{
		name: "stale document", fault: source,
		questions: []string{"saturday-drop-off"},
		change: func(t *testing.T, c *assistant.Config) {
			c.Documents = edited(t, "sending", "before 11:00 on Saturday", "before 14:00 on Saturday")
		},
	},
	{
		name: "swapped numbers", fault: source,
		questions: []string{"wrong-codes"},
		change: func(t *testing.T, c *assistant.Config) {
			c.Documents = edited(t, "collecting", "30 seconds", "20 seconds", "20 minutes", "30 minutes")
		},
	},
	{
		name: "answers the question before", fault: answer,
		questions: []string{"cancel-yearly-plus"},
		change: func(_ *testing.T, c *assistant.Config) {
			c.Rewrite = func(question string) string {
				if strings.Contains(question, "Plus") {
					return "What does Oakhatch Plus cost?"
				}
				return "What do I do if the printer is out of paper?"
			}
		},
	},
	{
		name: "context cut off", fault: retrieval,
		questions: []string{"wrong-codes"},
		change:    func(_ *testing.T, c *assistant.Config) { c.MaxContext = 60 },
	},

	{name: "as it is", fault: none, questions: []string{"small-locker-limits", "share-code"}},
	{
		name: "K 5", fault: none, questions: []string{"saturday-drop-off"},
		change: func(_ *testing.T, c *assistant.Config) { c.K = 5 },
	},
	{
		name: "K 2", fault: none, questions: []string{"wrong-codes"},
		change: func(_ *testing.T, c *assistant.Config) { c.K = 2 },
	},
	{
		name: "three sentences that overlap", fault: none, questions: []string{"cancel-yearly-plus"},
		change: func(_ *testing.T, c *assistant.Config) {
			c.Splitter = assistant.Splitter{Unit: assistant.Sentences, Size: 3, Overlap: 1}
		},
	},
	{
		name: "whole documents", fault: none, questions: []string{"cancel-yearly-plus"},
		change: func(_ *testing.T, c *assistant.Config) { c.Splitter.Size, c.K = 100, 1 },
	},
	{
		name: "reworded prompt", fault: none, questions: []string{"cancel-yearly-plus"},
		change: func(_ *testing.T, c *assistant.Config) {
			c.Prompt = "You work at the counter of Oakhatch, which runs parcel lockers. " +
				"Reply to the customer in at most three sentences. Say nothing that the following text does not say."
		},
	},
	{
		name: "short prompt", fault: none, questions: []string{"wrong-codes"},
		change: func(_ *testing.T, c *assistant.Config) {
			c.Prompt = "Answer briefly and only from this text:"
		},
	},
	{
		name: "documents in another order", fault: none, questions: []string{"share-code", "cancel-yearly-plus"},
		change: func(t *testing.T, c *assistant.Config) {
			c.Documents = edited(t, "prices")
			slices.Reverse(c.Documents)
		},
	},
	{name: "other questions", fault: none, questions: []string{"report-damage", "age-check"}},
	{
		name: "reworded question", fault: none, questions: []string{"saturday-drop-off"},
		reworded: "It is Saturday. What is the latest time to bring a parcel to the station if it is to leave today?",
	},
}

// run returns what a variant does with its questions, and what the judge says of
// it by five metrics.
func run(t *testing.T, v variant) ([]ragtest.Sample, *ragtest.Report) {
	t.Helper()
	c := config(t)
	if v.change != nil {
		v.change(t, &c)
	}
	system := build(t, c)
	var samples []ragtest.Sample
	for _, name := range v.questions {
		q := question(t, name)
		if v.reworded != "" {
			q.Question = v.reworded
		}
		samples = append(samples, ask(t, system, q))
	}
	return samples, measure(t, samples)
}

// five are the metrics of a RAG system and its parts.
var five = []ragtest.Metric{
	ragtest.ContextRecall, ragtest.ContextPrecision, ragtest.Faithfulness, ragtest.AnswerRelevance, ragtest.AnswerCorrectness,
}

func measure(t *testing.T, samples []ragtest.Sample) *ragtest.Report {
	t.Helper()
	report, err := ragtest.Evaluate(t.Context(), samples, five...)
	if err != nil {
		t.Fatal(err)
	}
	return report
}

// moved returns a ranker that puts a chunk at a rank, from 1.
func moved(rank int, id string) func(string, []assistant.Chunk) []assistant.Chunk {
	return func(_ string, chunks []assistant.Chunk) []assistant.Chunk {
		at := slices.IndexFunc(chunks, func(c assistant.Chunk) bool { return c.ID == id })
		c := chunks[at]
		return slices.Insert(slices.Delete(chunks, at, at+1), rank-1, c)
	}
}

// edited returns the help centre with replacements in one document, done one
// after the other.
func edited(t *testing.T, name string, oldnew ...string) []assistant.Document {
	t.Helper()
	all, err := assistant.HelpCentre()
	if err != nil {
		t.Fatal(err)
	}
	for i, d := range all {
		if d.Name != name {
			continue
		}
		for pair := range slices.Chunk(oldnew, 2) {
			if !strings.Contains(all[i].Text, pair[0]) {
				t.Fatalf("document %q does not have %q", name, pair[0])
			}
			all[i].Text = strings.Replace(all[i].Text, pair[0], pair[1], 1)
		}
		return all
	}
	t.Fatalf("there is no document %q", name)
	return nil
}

func documents(t *testing.T, folder fs.FS) []assistant.Document {
	t.Helper()
	all, err := assistant.Documents(folder)
	if err != nil {
		t.Fatal(err)
	}
	return all
}
