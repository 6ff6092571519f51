package ragtest

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"unicode"
)

// Sample is one question put to a RAG system, and what came back. Its JSON
// names are those of Ragas' datasets, so that a Ragas file loads as it is. Which
// fields are needed depends on the metric; one that is needed and blank is an
// [InputError].
type Sample struct {
	Name string   `json:"name,omitempty"` // what messages call it; no part of any request
	Tags []string `json:"tags,omitempty"` // for results by group

	UserInput         string   `json:"user_input,omitempty"`         // the question
	Response          string   `json:"response,omitempty"`           // the answer
	RetrievedContexts []string `json:"retrieved_contexts,omitempty"` // as retrieved, best first
	Reference         string   `json:"reference,omitempty"`          // an answer known to be good
	ReferenceContexts []string `json:"reference_contexts,omitempty"` // the texts that Reference rests on

	RetrievedContextIDs IDs `json:"retrieved_context_ids,omitempty"` // in the order of RetrievedContexts
	ReferenceContextIDs IDs `json:"reference_context_ids,omitempty"`
	// ReferenceContextGrades say how relevant each of ReferenceContextIDs is, in their
	// order: 0 is not at all, and more is better. Without them each is 1.
	ReferenceContextGrades Grades `json:"reference_context_grades,omitempty"`

	Rubrics map[string]string `json:"rubrics,omitempty"` // for [InstanceRubric]: what each score means

	Messages        []Message `json:"-"` // a conversation, in place of UserInput and under its name
	ReferenceTopics []string  `json:"reference_topics,omitempty"`
}

// IDs name contexts. In JSON they may be strings or numbers, as in Ragas.
type IDs []string

// UnmarshalJSON reads a list of strings and numbers.
func (ids *IDs) UnmarshalJSON(b []byte) error {
	var raw []json.RawMessage
	if err := json.Unmarshal(b, &raw); err != nil {
		return fmt.Errorf("expected a list of IDs, got %s", b)
	}
	*ids = make(IDs, 0, len(raw))
	for _, r := range raw {
		var s string
		var n json.Number
		switch {
		case string(r) == "null":
			return errors.New("an ID is a string or a number, got null")
		case json.Unmarshal(r, &s) == nil:
			*ids = append(*ids, s)
		case json.Unmarshal(r, &n) == nil:
			*ids = append(*ids, n.String())
		default:
			return fmt.Errorf("an ID is a string or a number, got %s", r)
		}
	}
	return nil
}

// Grades say how relevant contexts are. In JSON they are whole numbers, with or
// without a point, as in 2 and 2.0.
type Grades []int

// UnmarshalJSON reads a list of whole numbers. A grade that is not there is none, and
// not 0.
func (grades *Grades) UnmarshalJSON(b []byte) error {
	var raw []*float64
	if err := json.Unmarshal(b, &raw); err != nil {
		return fmt.Errorf("expected a list of grades, which are whole numbers, got %s", cut(string(b), 80))
	}
	*grades = make(Grades, 0, len(raw))
	for _, g := range raw {
		if g == nil {
			return errors.New("a grade is a whole number, got null")
		}
		if *g != math.Trunc(*g) || math.Abs(*g) > math.MaxInt32 {
			return fmt.Errorf("a grade is a whole number, got %v", *g)
		}
		*grades = append(*grades, int(*g))
	}
	return nil
}

// Sampler is what a type of your own implements to be judged as a [Sample].
type Sampler interface{ RAGSample() Sample }

// RAGSample makes Sample a [Sampler].
func (s Sample) RAGSample() Sample { return s }

// title is how errors and messages call the sample.
func (s Sample) title() string {
	if s.Name != "" {
		return s.Name
	}
	texts := []string{s.UserInput}
	for _, m := range s.Messages {
		texts = append(texts, m.Content)
	}
	for _, text := range append(texts, s.Response) {
		if !blank(text) {
			return shorten(text, 60)
		}
	}
	return "(unnamed)"
}

// GomegaString is how Gomega prints a sample. Contexts are counted, not shown:
// the verdicts quote what matters of them.
func (s Sample) GomegaString() string {
	var b strings.Builder
	b.WriteString(s.title())
	if s.UserInput != "" {
		fmt.Fprintf(&b, "\nQ: %s", shorten(s.UserInput, 500))
	}
	for _, m := range s.Messages {
		fmt.Fprintf(&b, "\n%s: %s", shorten(m.Role, 40), shorten(m.Content, 500))
	}
	if s.Response != "" {
		fmt.Fprintf(&b, "\nA: %s", shorten(s.Response, 1000))
	}
	if s.Reference != "" {
		fmt.Fprintf(&b, "\nreference: %s", shorten(s.Reference, 500))
	}
	contexts, n := "contexts", max(len(s.RetrievedContexts), len(s.RetrievedContextIDs))
	if n == 1 {
		contexts = "context"
	}
	fmt.Fprintf(&b, "\n(%d %s)", n, contexts)
	return b.String()
}

// shorten cuts a text for people to read, at a letter and on one line. It reads
// no more than it needs: it is asked for with every request, long or not.
func shorten(s string, most int) string {
	var b strings.Builder
	n, space, cutAt := 0, false, 0
	for _, r := range s {
		if unicode.IsSpace(r) {
			space = n > 0
			continue
		}
		for _, r := range [2]rune{' ', r} {
			if r == ' ' && !space {
				continue
			}
			space = false
			if n == most {
				return b.String()[:cutAt] + "…"
			}
			if n == most-1 {
				cutAt = b.Len()
			}
			b.WriteRune(r)
			n++
		}
	}
	return b.String()
}

// blank reports whether s shows nothing: white space, control and format
// characters such as a zero-width space are not text.
func blank(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool {
		return !unicode.IsSpace(r) && !unicode.IsControl(r) && !unicode.Is(unicode.Cf, r)
	}) < 0
}
