package lexical_test

import (
	"bytes"
	"encoding/json"
	"math"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ragomega/ragomega/ragtest/lexical"
)

// pair is an answer and a reference.
type pair [2]string

// measures are what is timed, by the names that testdata/originals_bench.py has.
var measures = []struct {
	name  string
	score func(answer, reference string) float64
}{
	{"Levenshtein", lexical.Levenshtein},
	{"Hamming", lexical.Hamming},
	{"Jaro", lexical.Jaro},
	{"JaroWinkler", lexical.JaroWinkler},
	{"BLEU", func(a, r string) float64 { return lexical.BLEU{}.Compare(a, r).Value }},
	{"ChrF", func(a, r string) float64 { return lexical.ChrF{}.Compare(a, r).Value }},
	{"ChrF++", func(a, r string) float64 { return lexical.ChrF{WordOrder: 2}.Compare(a, r).Value }},
	{"ROUGE1", func(a, r string) float64 { return lexical.ROUGE{N: 1}.Compare(a, r).F1 }},
	{"ROUGEL", func(a, r string) float64 { return lexical.ROUGE{}.Compare(a, r).F1 }},
}

// thousand are pairs of two to five sentences that follow each other in the labelled
// texts of this module. Most have sentences in common.
var thousand = sync.OnceValue(func() []pair {
	var sentences []string
	for _, file := range []string{"claims40.jsonl", "expertqa60.jsonl"} {
		text, err := os.ReadFile("../../fixtures/labelled/" + file)
		if err != nil {
			panic(err)
		}
		for line := range strings.Lines(string(text)) {
			var sample struct {
				Response          string
				RetrievedContexts []string `json:"retrieved_contexts"`
			}
			if err := json.Unmarshal([]byte(line), &sample); err != nil {
				panic(err)
			}
			for _, text := range append(sample.RetrievedContexts, sample.Response) {
				sentences = append(sentences, strings.SplitAfter(text, ". ")...)
			}
		}
	}
	slices.Sort(sentences)
	sentences = slices.Compact(sentences)
	pairs := make([]pair, 1000)
	for i := range pairs {
		some := func(from, n int) string {
			var b strings.Builder
			for k := range n {
				b.WriteString(sentences[(i+from+k)%len(sentences)])
			}
			return b.String()
		}
		pairs[i] = pair{some(0, 1+i%3), some(i%2, 1+i/3%4)}
	}
	return pairs
})

func BenchmarkThousandPairs(b *testing.B) {
	pairs := thousand()
	for _, m := range measures {
		b.Run(m.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				for _, p := range pairs {
					m.score(p[0], p[1])
				}
			}
		})
	}
}

// BenchmarkOriginals compares with the Python originals, on the same texts, which
// need the packages that testdata/README.md names:
//
//	LEXICAL_PYTHON=.venv/bin/python go test -run '^$' -bench Originals ./ragtest/lexical
//
// The ratios are of Python's time to Go's, of the best round each and for scoring
// alone: above 1, Go is faster. cpdist is one call of rapidfuzz for all pairs.
func BenchmarkOriginals(b *testing.B) {
	python := os.Getenv("LEXICAL_PYTHON")
	if python == "" {
		b.Skip("LEXICAL_PYTHON is not set: it names a python that has rapidfuzz, sacrebleu and rouge_score")
	}
	pairs := thousand()
	texts, err := json.Marshal(pairs)
	if err != nil {
		b.Fatal(err)
	}
	cmd := exec.Command(python, "testdata/originals_bench.py")
	cmd.Stdin, cmd.Stderr = bytes.NewReader(texts), os.Stderr
	out, err := cmd.Output()
	if err != nil {
		b.Fatalf("%s testdata/originals_bench.py: %v", python, err)
	}
	var originals map[string]struct {
		Seconds float64
		Values  []float64
	}
	if err := json.Unmarshal(out, &originals); err != nil {
		b.Fatal(err)
	}
	for _, m := range measures {
		b.Run(m.name, func(b *testing.B) {
			python, ok := originals[m.name]
			if !ok || len(python.Values) != len(pairs) {
				b.Fatalf("there are %d values of %s by Python, not %d", len(python.Values), m.name, len(pairs))
			}
			for i, p := range pairs {
				got, want := m.score(p[0], p[1]), min(1, python.Values[i])
				if got != want && !(m.name == "BLEU" && math.Abs(got-want) <= 1e-12) {
					b.Errorf("%s of %q and %q is %v, and %v by Python", m.name, p[0], p[1], got, want)
				}
			}
			best := math.Inf(1) // as for Python
			for b.Loop() {
				start := time.Now()
				for _, p := range pairs {
					m.score(p[0], p[1])
				}
				best = min(best, time.Since(start).Seconds())
			}
			b.ReportMetric(best*1e6/float64(len(pairs)), "best-µs/pair")
			b.ReportMetric(python.Seconds/best, "python/go")
			if batch, ok := originals[m.name+" cpdist"]; ok {
				b.ReportMetric(batch.Seconds/best, "cpdist/go")
			}
		})
	}
}
