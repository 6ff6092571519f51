package main

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/ragomega/ragomega/ragtest"

	"github.com/ragomega/ragomega/cache"
)

// samplesChange is that of one file of samples to another. A request is certain to
// be another if it was made of a text that is gone, or of contexts that moved.
func samplesChange(oldFile, newFile string, records []ragtest.Record, recorded map[string]exchange) (change, error) {
	var c change
	before, err := ragtest.ReadSamples(oldFile)
	if err != nil {
		return c, err
	}
	after, err := ragtest.ReadSamples(newFile)
	if err != nil {
		return c, err
	}
	measured := map[string]bool{}
	for _, r := range records {
		measured[r.Sample] = true
	}
	now := byName(after)
	changed := map[string]sampleChange{} // by the names that results may have
	old := byName(before)
	for _, name := range slices.Sorted(maps.Keys(old)) {
		s, there := now[name]
		if !there {
			c.what = append(c.what, fmt.Sprintf("sample %q is gone: what it needed can be removed with ragtest tidy", name))
			continue
		}
		ch := changeOf(old[name], s)
		if len(ch.fields) == 0 {
			continue
		}
		known := false
		for _, n := range []string{name, titleOf(old[name])} {
			changed[n] = ch
			known = known || measured[n]
		}
		c.what = append(c.what, fmt.Sprintf("sample %q: %s", name, strings.Join(ch.fields, ", ")))
		if len(ch.more) > 0 {
			c.unknown = append(c.unknown, fmt.Sprintf("sample %q: what will be asked about more %s than there were", name, strings.Join(ch.more, " and ")))
		}
		if !known {
			c.unknown = append(c.unknown, fmt.Sprintf("sample %q: no measurement of the results is of it", name))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(now)) {
		if _, ok := old[name]; !ok {
			c.new = append(c.new, name)
		}
	}
	c.of = func(r ragtest.Record, x ragtest.Exchange) effect {
		ch, ok := changed[r.Sample]
		if !ok {
			return none
		}
		return ch.of(recorded[x.Key.String()])
	}
	return c, nil
}

// byName names samples as an evaluation does.
func byName(samples []ragtest.Sample) map[string]ragtest.Sample {
	all := map[string]ragtest.Sample{}
	for i, s := range samples {
		name := s.Name
		if name == "" {
			name = fmt.Sprintf("#%d", i+1)
		}
		all[name] = s
	}
	return all
}

// titleOf is what matchers call a sample.
func titleOf(s ragtest.Sample) string {
	title, _, _ := strings.Cut(s.GomegaString(), "\n")
	return title
}

// sampleChange is what differs between two samples of one name.
type sampleChange struct {
	fields []string
	texts  map[string]bool // the digests of all texts that there were
	gone   map[string]bool // of those that are there no more
	more   []string        // what requests there will be about that there were none about
}

func changeOf(old, now ragtest.Sample) sampleChange {
	c := sampleChange{texts: map[string]bool{}, gone: map[string]bool{}}
	was, is := fieldsOf(old), fieldsOf(now)
	stay := map[string]bool{}
	for _, f := range is {
		for _, t := range f.texts {
			stay[cache.TextDigest(t)] = true
		}
	}
	for i, f := range was {
		for _, t := range f.texts {
			d := cache.TextDigest(t)
			c.texts[d] = true
			if !stay[d] {
				c.gone[d] = true
			}
		}
		if slices.Equal(f.texts, is[i].texts) {
			continue
		}
		c.fields = append(c.fields, f.name)
		if len(is[i].texts) > len(f.texts) {
			c.more = append(c.more, f.name)
		}
	}
	return c
}

type field struct {
	name  string
	texts []string
}

// fieldsOf are the fields of a sample that can stand in a request.
func fieldsOf(s ragtest.Sample) []field {
	var messages, rubrics, grades []string
	for _, m := range s.Messages {
		messages = append(messages, m.Role+": "+m.Content)
	}
	for _, score := range slices.Sorted(maps.Keys(s.Rubrics)) {
		rubrics = append(rubrics, s.Rubrics[score])
	}
	for _, g := range s.ReferenceContextGrades {
		grades = append(grades, strconv.Itoa(g))
	}
	return []field{
		{"user_input", texts(s.UserInput)},
		{"messages", messages},
		{"response", texts(s.Response)},
		{"retrieved_contexts", s.RetrievedContexts},
		{"retrieved_context_ids", s.RetrievedContextIDs},
		{"reference", texts(s.Reference)},
		{"reference_contexts", s.ReferenceContexts},
		{"reference_context_ids", s.ReferenceContextIDs},
		{"reference_context_grades", grades},
		{"reference_topics", s.ReferenceTopics},
		{"rubrics", rubrics},
	}
}

func texts(text string) []string {
	if text == "" {
		return nil
	}
	return []string{text}
}

// listParts are the parts of requests that have all texts of a field, in order.
var listParts = map[string]string{"context ": "retrieved_contexts", "reference context ": "reference_contexts"}

// derived are the parts that come from earlier replies of the measurement, or from
// the metric, and not from the sample. Those of the step compare are lists of
// claims, too.
var derived = []string{"claims", "questions", "keyphrases", "topics", "aspect", "criteria"}

// of is what the change does to a request. One that was made of texts that stay is
// what it was. Of one that was made of several texts in one, as of a conversation
// or for a metric of your own, there is no telling.
func (c sampleChange) of(x exchange) effect {
	if x.Parts == nil {
		return may
	}
	e := none
	for name, value := range x.Parts {
		for prefix, field := range listParts {
			if strings.HasPrefix(name, prefix) && slices.Contains(c.fields, field) {
				return certain
			}
		}
		compared := stepName(x.Step) == "compare" && (name == "answer" || name == "reference")
		switch {
		case slices.Contains(settings, name), slices.Contains(derived, name), compared:
		case c.gone[value]:
			return certain
		case !c.texts[value]:
			e = may
		}
	}
	return e
}
