package page_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"html"
	"io"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/ragomega/ragomega/cache"
	"github.com/ragomega/ragomega/cmd/ragtest/internal/page"
	"github.com/ragomega/ragomega/ragtest"
)

// record is a score that a judge was asked for; another score is another answer.
func record(sample, metric string, score float64, verdicts ...ragtest.Verdict) ragtest.Record {
	return ragtest.Record{
		Package: "./rag", Test: "TestRAG", At: "rag_test.go:12", Sample: sample, Metric: metric,
		Score: &score, Verdicts: verdicts, Model: "m", Identity: "e",
		Exchanges: []ragtest.Exchange{{Step: "verify/v2", Key: keyOf(sample + metric + fmt.Sprint(score)), Tokens: ragtest.Tokens{In: 100, Out: 20}}},
	}
}

// keyOf is a key as the cache has them.
func keyOf(text string) cache.Key {
	sum := sha256.Sum256([]byte(text))
	return cache.Key(sum[:16])
}

// computed is a score that nobody was asked for.
func computed(sample, metric string, score float64, verdicts ...ragtest.Verdict) ragtest.Record {
	r := record(sample, metric, score, verdicts...)
	r.Model, r.Identity, r.Exchanges = "", "", nil
	return r
}

// tagged is r of a sample with tags.
func tagged(r ragtest.Record, tags ...string) ragtest.Record {
	r.Tags = tags
	return r
}

func unmeasured(sample, metric, kind, text string) ragtest.Record {
	r := record(sample, metric, 0)
	r.Score, r.Exchanges, r.Error = nil, nil, &ragtest.RecordedError{Kind: kind, Text: text}
	return r
}

func written(t testing.TB, records []ragtest.Record, o page.Options) string {
	t.Helper()
	var b strings.Builder
	if err := page.Write(&b, records, o); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

var tags = regexp.MustCompile(`<[^>]*>`)

// read is what a page shows, without what it is made of.
func read(text string) string {
	return strings.Join(strings.Fields(html.UnescapeString(tags.ReplaceAllString(text, " "))), " ")
}

func TestOverview(t *testing.T) {
	g := NewWithT(t)
	text := written(t, []ragtest.Record{
		record("a", "faithfulness", 1), record("b", "faithfulness", 0.5), record("c", "faithfulness", 0),
		unmeasured("d", "faithfulness", "refused", "the judge refused\nat length"),
		record("a", "noise", 0.25),
	}, page.Options{Source: "results.jsonl"})
	shown := read(text)
	g.Expect(shown).To(ContainSubstring("4 samples · 2 metrics · 5 measurements"))
	g.Expect(shown).To(ContainSubstring("faithfulness 0.500"), "the mean of the three that were measured")
	g.Expect(shown).To(ContainSubstring("1 × refused, such as: the judge refused at length"))
	g.Expect(shown).To(ContainSubstring("noise 0.250 one sample has no interval"))
	g.Expect(shown).To(ContainSubstring("uncalibrated"))
	g.Expect(shown).To(MatchRegexp(`d not measured`), "what was not measured is no score")
}

func TestNoResults(t *testing.T) {
	g := NewWithT(t)
	g.Expect(page.Write(io.Discard, nil, page.Options{})).To(MatchError(page.ErrNoResults))
	g.Expect(page.Write(fails{}, []ragtest.Record{record("a", "m", 1)}, page.Options{})).To(MatchError(errFails))
}

type fails struct{}

var errFails = errors.New("the disk is full")

func (fails) Write([]byte) (int, error) { return 0, errFails }

// What was tried again counts once, and several answers to one question each.
func TestTriesAndMeans(t *testing.T) {
	g := NewWithT(t)
	failed := unmeasured("a", "faithfulness", "malformed", "the reply is no JSON")
	again := record("a", "faithfulness", 1)
	same := record("b", "faithfulness", 0.5)
	shown := read(written(t, []ragtest.Record{
		failed, again, // tried again
		same, same, // asked the same in two tests
		record("c", "faithfulness", 1), record("c", "faithfulness", 0), // two answers
	}, page.Options{}))
	g.Expect(shown).To(ContainSubstring("4 measurements"))
	g.Expect(shown).To(ContainSubstring("faithfulness 0.667"), "the mean of 1, 0.5 and the mean of 1 and 0")
	g.Expect(shown).NotTo(ContainSubstring("malformed"))
	g.Expect(shown).To(ContainSubstring("c 0.50 ×2"))
}

// Scores of two judges have no mean, and neither have samples that two packages
// call the same.
func TestJudgesAndPackagesApart(t *testing.T) {
	g := NewWithT(t)
	other, elsewhere := record("a", "faithfulness", 0), record("a", "faithfulness", 0.25)
	other.Model = "other"
	elsewhere.Package = "./elsewhere"
	shown := read(written(t, []ragtest.Record{record("a", "faithfulness", 1), other, elsewhere}, page.Options{}))
	g.Expect(shown).To(ContainSubstring("3 samples · 1 metric · 3 measurements"))
	g.Expect(shown).To(MatchRegexp(`Judged by m at e faithfulness 0\.625 .*Judged by other at e faithfulness 0\.000`))
	g.Expect(shown).To(ContainSubstring("a ./elsewhere m at e"))
}

func TestUnsupportedClaimsAreMarked(t *testing.T) {
	g := NewWithT(t)
	text := written(t, []ragtest.Record{record("a", "faithfulness", 1.0/3,
		ragtest.Verdict{Claim: "The warranty of the pump is two years.", OK: true},
		ragtest.Verdict{Claim: "The pump can run dry for 5 minutes.", Reason: "The documents forbid it.", Quote: "Never run it dry."},
		ragtest.Verdict{Claim: "The pump is made of 90 % steel."},
	)}, page.Options{Samples: []ragtest.Sample{{
		Name: "a", UserInput: "What of the pump?",
		Response:          "It has a warranty of two years. Also, the pump can run dry for 5 minutes or so! The pump is made of steel.",
		RetrievedContexts: []string{"Never run it dry."},
	}}})
	g.Expect(text).To(ContainSubstring(`Also, <mark>the pump can run dry for 5 minutes<span class="refs"><a href="#s1c2"`))
	g.Expect(strings.Count(text, "<mark>")).To(Equal(1), "the number of the other claim is not in the answer")
	g.Expect(read(text)).To(ContainSubstring("Not located in the answer, and listed below: claim 3 ."))
	g.Expect(text).To(ContainSubstring(`<li id="s1c2"`))
	g.Expect(read(text)).To(ContainSubstring("✗ not supported The pump can run dry for 5 minutes. The documents forbid it. nearest: Never run it dry."))
}

// Scripts that do not divide words are read by letters.
func TestMarksInJapanese(t *testing.T) {
	g := NewWithT(t)
	text := written(t, []ragtest.Record{record("図書館", "faithfulness", 0.5,
		ragtest.Verdict{Claim: "図書館は日曜日は休館です。", OK: true}, ragtest.Verdict{Claim: "本は一人10冊まで借りられます。"},
	)}, page.Options{Samples: []ragtest.Sample{{Name: "図書館", Response: "日曜日は休館です。本は一人10冊まで借りられます。"}}})
	g.Expect(text).To(ContainSubstring("日曜日は休館です。<mark>本は一人10冊まで借りられます<"))
}

// The verdicts of a ranking stand at the contexts that they are about, which a test
// may have put into another order than the file has them.
func TestContextsByRank(t *testing.T) {
	g := NewWithT(t)
	shown := read(written(t, []ragtest.Record{record("a", "context_precision", 1,
		ragtest.Verdict{Part: "context 1", Claim: "Opening hours: from nine…", OK: true, Reason: "It has the hours."},
		ragtest.Verdict{Part: "context 2", Claim: "Something else", Reason: "It is about something else."},
	)}, page.Options{Samples: []ragtest.Sample{{
		Name: "a", RetrievedContexts: []string{"Opening  hours:\nfrom nine to five", "Prices"}, RetrievedContextIDs: ragtest.IDs{"hours#1"},
	}}}))
	g.Expect(shown).To(ContainSubstring("Contexts hours#1 ✓ useful Opening hours: from nine to five It has the hours. Prices context_precision"))
}

func TestDiagnosisNeedsThresholds(t *testing.T) {
	g := NewWithT(t)
	records := []ragtest.Record{record("a", "faithfulness", 0.5, ragtest.Verdict{Claim: "It flies."}), record("a", "answer_relevance", 0.9)}
	g.Expect(read(written(t, records, page.Options{}))).NotTo(ContainSubstring("Diagnosis"))
	shown := read(written(t, records, page.Options{Thresholds: ragtest.Thresholds{Faithfulness: 0.8, AnswerRelevance: 0.7}}))
	g.Expect(shown).To(ContainSubstring("reader invents · not faithful, relevant: the highest risk faithfulness 0.50 < 0.8"))
	g.Expect(shown).To(ContainSubstring("1 reader invents"))
}

// Points with the same scores are one, which leads to the list of its samples.
func TestQuadrants(t *testing.T) {
	g := NewWithT(t)
	var records []ragtest.Record
	for _, s := range []struct {
		name               string
		faithful, relevant float64
	}{{"a", 1, 0.9}, {"b", 1, 0.9}, {"c", 0.2, 0.9}, {"d", 0.2, 0.1}} {
		records = append(records, record(s.name, "faithfulness", s.faithful), record(s.name, "answer_relevance", s.relevant))
	}
	records = append(records, record("e", "faithfulness", 1))
	text := written(t, records, page.Options{Thresholds: ragtest.Thresholds{Faithfulness: 0.8, AnswerRelevance: 0.7}})
	g.Expect(text).To(ContainSubstring(`<a href="#p1" class="pt circle" aria-label="2 samples: faithfulness 1.00, relevance 0.90, faithful and relevant">`))
	g.Expect(text).To(ContainSubstring(`<a href="#s3" class="pt triangle" aria-label="c: faithfulness 0.20, relevance 0.90, not faithful, relevant: the highest risk">`))
	g.Expect(text).To(ContainSubstring(`class="pt square" aria-label="d: `))
	g.Expect(text).To(ContainSubstring(`<tr id="p1"`))
	g.Expect(read(text)).To(ContainSubstring("4 samples by m at e ; a larger point is several with the same scores. 1 lack one of the two scores."))
}

func TestComparison(t *testing.T) {
	g := NewWithT(t)
	var before, now []ragtest.Record
	for i := range 12 {
		name := fmt.Sprintf("s%02d", i)
		before = append(before, record(name, "faithfulness", 1, ragtest.Verdict{Claim: "It swims.", OK: true}))
		now = append(now, record(name, "faithfulness", 0, ragtest.Verdict{Claim: "It swims."}))
	}
	shown := read(written(t, now, page.Options{Before: before}))
	g.Expect(shown).To(ContainSubstring("faithfulness ▼ worse 1.000 0.000 −1.000"))
	g.Expect(shown).To(ContainSubstring(`s00 1.00 → 0.00 claim 1: supported → unsupported: "It swims."`))

	// The page tells samples of two packages apart, and finds them in a run that had
	// one package only.
	elsewhere := record("s00", "faithfulness", 1)
	elsewhere.Package = "./elsewhere"
	shown = read(written(t, append(now, elsewhere), page.Options{Before: before}))
	g.Expect(shown).To(ContainSubstring("faithfulness ▼ worse 1.000 0.000"))
	g.Expect(shown).To(ContainSubstring("1 new: s00 in ./elsewhere"))

	for i := range now {
		now[i].Model = "another"
	}
	shown = read(written(t, now, page.Options{Before: before}))
	g.Expect(shown).To(ContainSubstring("Not compared ragtest: another judge"))
}

// A calibration is of one judge and step, and void for others.
func TestCalibration(t *testing.T) {
	g := NewWithT(t)
	c := &ragtest.Calibration{Metric: "faithfulness", Step: "verify/v2", Prompt: "p", Model: "m", Identity: "e", Scale: []float64{0, 1}}
	for i := range 20 {
		label, judge := float64(i%2), float64(i%2)
		if i == 3 {
			judge = 0
		}
		c.Items = append(c.Items, ragtest.Judged{Sample: fmt.Sprint(i), Claim: fmt.Sprintf("Claim %d.", i), Group: i, Labels: []ragtest.Label{{Value: label}}, Judge: judge, Reason: "So it is."})
	}
	records := []ragtest.Record{record("a", "faithfulness", 1)}
	shown := read(written(t, records, page.Options{Calibrations: []*ragtest.Calibration{c}}))
	g.Expect(shown).To(ContainSubstring("verify/v2 TPR .90 TNR 1.00, n=20"))
	g.Expect(shown).To(ContainSubstring("people \\ judge yes no total yes 9 1 10 no 0 10 10"))
	g.Expect(shown).To(MatchRegexp(`kappa 0\.90 \[0\.\d\d, 1\.00\]`))
	g.Expect(shown).To(ContainSubstring("1 disagreement Claim 3. people 1, judge 0 · 3 So it is."))
	g.Expect(shown).NotTo(ContainSubstring("uncalibrated"))

	c.Model = "other"
	shown = read(written(t, records, page.Options{Calibrations: []*ragtest.Calibration{c}}))
	g.Expect(shown).To(ContainSubstring("uncalibrated calibrated is: verify/v2 of other at e"))
}

// The policy names the digests of the only style and script of the page.
func TestPolicy(t *testing.T) {
	g := NewWithT(t)
	text := written(t, []ragtest.Record{record("a", "faithfulness", 1)}, page.Options{})
	policy := html.UnescapeString(regexp.MustCompile(`http-equiv="Content-Security-Policy" content="([^"]*)"`).FindStringSubmatch(text)[1])
	for tag, directive := range map[string]string{"style": "style-src", "script": "script-src"} {
		g.Expect(strings.Count(text, "<"+tag)).To(Equal(1))
		_, inner, _ := strings.Cut(text, "<"+tag+">")
		inner, _, _ = strings.Cut(inner, "</"+tag+">")
		sum := sha256.Sum256([]byte(inner))
		g.Expect(policy).To(ContainSubstring(directive + " 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"))
	}
	g.Expect(policy).To(HavePrefix("default-src 'none';"))
	g.Expect(policy).NotTo(ContainSubstring("unsafe"))
	for _, outside := range []string{"http:", "https:", " src=", " style=", " onclick", "@import", "url("} {
		g.Expect(text).NotTo(ContainSubstring(outside))
	}
}

// generated are n samples with five scores each, the same ones every time.
func generated(n int) ([]ragtest.Record, []ragtest.Sample) {
	r := rand.New(rand.NewPCG(1, 2))
	words := strings.Fields("the parcel locker depot opens at nine and members pay less for small boxes that wait ten days before they return to sender with a code")
	sentence := func(n int) string {
		var w []string
		for range n {
			w = append(w, words[r.IntN(len(words))])
		}
		return strings.ToUpper(w[0][:1]) + strings.Join(w, " ")[1:] + "."
	}
	var records []ragtest.Record
	var samples []ragtest.Sample
	for i := range n {
		s := ragtest.Sample{Name: fmt.Sprintf("sample-%04d", i+1), UserInput: sentence(12), Reference: sentence(15)}
		var claims []ragtest.Verdict
		yes := 0
		for range 4 {
			claim := sentence(10)
			s.Response += claim + " "
			ok := r.Float64() < 0.8
			if ok {
				yes++
			}
			claims = append(claims, ragtest.Verdict{Claim: claim, OK: ok, Reason: sentence(14), Quote: sentence(9)})
		}
		var ranked []ragtest.Verdict
		for k := range 5 {
			s.RetrievedContexts = append(s.RetrievedContexts, sentence(60))
			ranked = append(ranked, ragtest.Verdict{Part: fmt.Sprintf("context %d", k+1), Claim: s.RetrievedContexts[k][:150] + "…", OK: r.Float64() < 0.5, Reason: sentence(12)})
		}
		share := float64(yes) / 4
		tags := []string{fmt.Sprintf("tag-%d", i%7), fmt.Sprintf("topic-%d", i%5)}
		for _, x := range []ragtest.Record{
			record(s.Name, "faithfulness", share, claims...), record(s.Name, "context_recall", share, claims...),
			record(s.Name, "context_precision", r.Float64(), ranked...), record(s.Name, "answer_relevance", 0.5+r.Float64()/2, claims[:3]...),
			record(s.Name, "answer_correctness", r.Float64(), claims...),
		} {
			x.Tags = tags
			records = append(records, x)
		}
		samples = append(samples, s)
	}
	return records, samples
}

func BenchmarkThousandSamples(b *testing.B) {
	records, samples := generated(1000)
	o := page.Options{
		Samples: samples, Before: records,
		Thresholds: ragtest.Thresholds{ContextRecall: 0.8, ContextPrecision: 0.7, Faithfulness: 0.8, AnswerRelevance: 0.7, AnswerCorrectness: 0.5},
	}
	for b.Loop() {
		var text bytes.Buffer
		if err := page.Write(&text, records, o); err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64(text.Len()), "bytes")
	}
}
