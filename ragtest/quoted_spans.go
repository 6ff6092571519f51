package ragtest

import (
	"context"
	"fmt"
	"index/suffixarray"
	"strings"

	"github.com/ragomega/ragomega/ragtest/lexical"
)

// QuotedSpans is the share of what Response puts in quotation marks that its contexts
// say so, letter for letter, from 0 to 1: whether citations are citations. A span is of
// at least three words; case and white space do not matter. Its methods choose
// otherwise.
//
// It needs Response and RetrievedContexts; nobody is asked. An answer without a span
// is [ErrUndefined]. Any of the marks " “ ” „ ‟ ' ‘ ’ ` ´ ends what any other begins,
// on the same line, so that two apostrophes may look like a span; see
// [lexical.Quotes]. A span is looked for as letters: "he is a man" is in "she is a
// mannequin". The verdicts are of the spans.
//
// It is Ragas' quoted spans alignment. Its older form does not know curly marks and
// has 0 for no spans, its newer form 1.
var QuotedSpans = quotedSpans{words: 3}

type quotedSpans struct {
	computed
	words int
	exact bool
}

// Words returns a copy of m for spans of at least n words, from 1.
func (m quotedSpans) Words(n int) quotedSpans {
	m.words = n
	return m
}

// Exact returns a copy of m for which case and white space matter.
func (m quotedSpans) Exact() quotedSpans {
	m.exact = true
	return m
}

func (m quotedSpans) Name() string {
	name := "quoted_spans"
	if m.exact {
		name += "_exact"
	}
	if m.words != QuotedSpans.words {
		name += fmt.Sprintf("_words_%d", m.words)
	}
	return name
}

func (m quotedSpans) Measure(_ context.Context, _ *Judge, s Sample) (Score, error) {
	err := needs(needResponse(s), needContexts(s))
	if err == nil && m.words < 1 {
		err = fmt.Errorf("QuotedSpans.Words: a span has at least one word, not %d", m.words)
	}
	if err != nil {
		return Score{}, err
	}
	contexts := suffixarray.New([]byte(m.plain(strings.Join(s.RetrievedContexts, " ")))) // for any number of spans
	var sentences index                                                                  // for those that are worth reading
	rejected := 0
	var verdicts []Verdict
	for _, span := range lexical.Quotes(s.Response, m.words) {
		v := Verdict{Claim: span, OK: contexts.Lookup([]byte(m.plain(span)), 1) != nil}
		if !v.OK {
			v.Reason = "no context says so, letter for letter"
			if rejected == 0 {
				sentences = newIndex(s.RetrievedContexts)
			}
			if rejected++; rejected <= inString {
				v.Quote = sentences.nearest(span)
			}
		}
		verdicts = append(verdicts, v)
	}
	if len(verdicts) == 0 {
		return Score{}, fmt.Errorf("%w: the answer quotes nothing of %d words or more", ErrUndefined, m.words)
	}
	return Score{Metric: m.Name(), Value: share(verdicts), Verdicts: verdicts}, nil
}

// plain is a text as it is compared.
func (m quotedSpans) plain(text string) string {
	if m.exact {
		return text
	}
	return lexical.Lower(strings.Join(lexical.Fields(text), " "))
}
