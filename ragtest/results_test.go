package ragtest_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/ragomega/ragomega/cache"
	"github.com/ragomega/ragomega/fixtures"
	"github.com/ragomega/ragomega/ragtest"
)

// resultsOf sets RAGTEST_RESULTS for a run of its own, measures and closes.
func resultsOf(t *testing.T, file string, measure func()) error {
	t.Helper()
	_ = ragtest.CloseSuite(io.Discard) // what other tests left
	t.Setenv("RAGTEST_RUN", fmt.Sprint(t.Name(), file))
	t.Setenv("RAGTEST_RESULTS", file)
	measure()
	return ragtest.CloseSuite(io.Discard)
}

func TestResultsAreWrittenAndRead(t *testing.T) {
	g, l := NewWithT(t), newLab(t)
	l.On("claims", fixtures.Claims("A", "B")).On("verify", fixtures.Verdicts(true, false))
	file := filepath.Join(t.TempDir(), "results.jsonl")
	var score, replayed ragtest.Score
	var refused error
	tagged := bridge
	tagged.Tags = []string{"critical", "bridges"}
	tb := newFakeTB()
	g.Expect(resultsOf(t, file, func() {
		score, _ = l.measure(l.Judge.Judge(), ragtest.Faithfulness, tagged)
		replayed, _ = l.measure(l.Judge.Judge().For(tb), ragtest.Faithfulness, bridge)
		l.On("claims", fixtures.Refusal("I would rather not."))
		_, refused = l.measure(l.Judge.Judge().Trial(2), ragtest.Faithfulness, bridge)
		_, _ = l.measure(l.Judge.Judge(), ragtest.Faithfulness, ragtest.Sample{Response: "An answer."})
	})).To(Succeed())

	records, err := ragtest.ReadResults(file)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(records).To(HaveLen(4))
	first := records[0]
	g.Expect(first.Run).To(HavePrefix("TestResultsAreWrittenAndRead"))
	g.Expect(first.Package).To(Equal("./ragtest"))
	g.Expect(first.Test).To(Equal("TestResultsAreWrittenAndRead"))
	g.Expect(first.At).To(MatchRegexp(`^\w+_test\.go:\d+$`))
	g.Expect(first.Tags).To(Equal([]string{"critical", "bridges"}))
	g.Expect([]any{first.Sample, first.Metric, *first.Score, first.Model, first.Identity, first.Trial, first.Cached}).To(Equal(
		[]any{"bridge", "faithfulness", 0.5, "scripted", "localhost", 0, false}))
	g.Expect(first.Verdicts).To(Equal(score.Verdicts))
	g.Expect(first.Exchanges).To(HaveLen(2))
	for i, x := range first.Exchanges {
		want := score.Exchanges[i]
		g.Expect([]any{x.Step, x.Key, x.Source, x.Tokens}).To(Equal([]any{want.Step, want.Key, cache.Asked, want.Tokens}))
		g.Expect(x.Key).NotTo(BeZero())
		g.Expect(x.Tokens).NotTo(BeZero())
	}
	got := first.Result()
	g.Expect(got.Err).NotTo(HaveOccurred())
	g.Expect(got.Score.String()).To(Equal(score.String()))

	g.Expect(records[1].Test).To(Equal("TestOuter/inner_case"))
	g.Expect(records[1].Cached).To(BeTrue())
	g.Expect(records[1].Result().Score.String()).To(Equal(replayed.String()))

	g.Expect(records[2].Score).To(BeNil())
	g.Expect(records[2].Trial).To(Equal(2))
	g.Expect(records[2].Error.Kind).To(Equal("refused"))
	g.Expect(refused).To(MatchError(ragtest.ErrRefused))
	g.Expect(refused.Error()).To(HaveSuffix(records[2].Error.Text))
	err = records[2].Result().Err
	g.Expect(errors.Is(err, ragtest.ErrRefused)).To(BeTrue())
	g.Expect(errors.Is(err, ragtest.ErrMalformed)).To(BeFalse())
	g.Expect(errors.Is(err, io.EOF)).To(BeFalse())

	g.Expect(records[3].Sample).To(Equal("An answer."))
	g.Expect(records[3].Error.Kind).To(Equal("missing_input"))
}

// The names of the fields are for other programs, in any language.
func TestResultsHaveStableNames(t *testing.T) {
	g, file := NewWithT(t), filepath.Join(t.TempDir(), "results.jsonl")
	g.Expect(resultsOf(t, file, func() {
		_, _ = (&flaky{}).judge(t).Measure(t.Context(), ragtest.Faithfulness, bridge)
		_, _ = (&flaky{down: true}).judge(t).Measure(t.Context(), ragtest.Faithfulness, bridge)
	})).To(Succeed())
	text, err := os.ReadFile(file)
	g.Expect(err).NotTo(HaveOccurred())
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	g.Expect(lines).To(HaveLen(2))
	key := func(i int) string {
		r, err := ragtest.ReadResults(file)
		g.Expect(err).NotTo(HaveOccurred())
		return r[0].Exchanges[i].Key.String()
	}
	at := func(line string) string {
		var r ragtest.Record
		g.Expect(json.Unmarshal([]byte(line), &r)).To(Succeed())
		return r.At
	}
	steps, _ := (&flaky{}).judge(t).Measure(t.Context(), ragtest.Faithfulness, bridge)
	g.Expect(lines[0]).To(MatchJSON(fmt.Sprintf(`{
		"run": %q, "package": "./ragtest", "test": "TestResultsHaveStableNames", "at": %q,
		"sample": "bridge", "inputs": "fff115449dad", "metric": "faithfulness", "score": 1,
		"verdicts": [{"claim": "A", "ok": true, "reason": "r"}],
		"model": "m", "identity": "here", "cached": false,
		"exchanges": [
			{"step": %q, "key": %q, "source": "asked", "tokens": {"in": 0, "out": 0}},
			{"step": %q, "key": %q, "source": "asked", "tokens": {"in": 0, "out": 0}}]}`,
		runOf(t, file), at(lines[0]), steps.Exchanges[0].Step, key(0), steps.Exchanges[1].Step, key(1))))
	g.Expect(lines[1]).To(MatchJSON(fmt.Sprintf(`{
		"run": %q, "package": "./ragtest", "test": "TestResultsHaveStableNames", "at": %q,
		"sample": "bridge", "inputs": "fff115449dad", "metric": "faithfulness",
		"error": {"kind": "call", "text": "call to m at here failed: the judge is down"},
		"model": "m", "identity": "here", "cached": false}`, runOf(t, file), at(lines[1]))))
}

func runOf(t *testing.T, file string) string {
	t.Helper()
	records, err := ragtest.ReadResults(file)
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	return records[0].Run
}

// An evaluation has a line for every result, also for what was not begun.
func TestResultsOfAnEvaluation(t *testing.T) {
	g, file := NewWithT(t), filepath.Join(t.TempDir(), "results.jsonl")
	var samples []ragtest.Sample
	for i := range 200 {
		samples = append(samples, answering("", fmt.Sprint(float64(i)/200)))
	}
	g.Expect(resultsOf(t, file, func() {
		report, err := (&flaky{}).judge(t).Evaluate(t.Context(), samples, fixed)
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(report.Results).To(HaveLen(200))
	})).To(Succeed())
	records, err := ragtest.ReadResults(file)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(records).To(HaveLen(200))
	scores := map[string]float64{}
	for _, r := range records {
		scores[r.Sample] = *r.Score
		g.Expect(r.Test).To(Equal("TestResultsOfAnEvaluation"))
	}
	for i := range 200 {
		g.Expect(scores).To(HaveKeyWithValue(fmt.Sprintf("#%d", i+1), float64(i)/200))
	}
}

// What an evaluation did not come to has its line too.
func TestResultsOfAnEvaluationThatWasEnded(t *testing.T) {
	g, file := NewWithT(t), filepath.Join(t.TempDir(), "results.jsonl")
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	g.Expect(resultsOf(t, file, func() {
		_, err := (&flaky{}).judge(t).Evaluate(ended, []ragtest.Sample{answering("a", "1"), answering("b", "1")}, fixed)
		g.Expect(err).To(HaveOccurred())
	})).To(Succeed())
	g.Expect(ragtest.ReadResults(file)).To(ConsistOf(
		HaveField("Error", Equal(&ragtest.RecordedError{Kind: "canceled", Text: "it was not begun: context canceled"})),
		HaveField("Sample", "b")))
}

// Every kind of error is known again when it is read.
func TestRecordedErrors(t *testing.T) {
	_ = ragtest.CloseSuite(io.Discard)
	for kind, err := range map[string]error{
		"missing_input": &ragtest.InputError{Field: "Reference"},
		"undefined":     ragtest.ErrUndefined,
		"malformed":     &ragtest.ReplyError{Kind: ragtest.ErrMalformed},
		"miscounted":    ragtest.ErrMiscounted,
		"truncated":     ragtest.ErrTruncated,
		"refused":       ragtest.ErrRefused,
		"filtered":      ragtest.ErrFiltered,
		"bad_vector":    ragtest.ErrBadVector,
		"budget":        ragtest.ErrBudget,
		"not_recorded":  cache.ErrMiss,
		"planned":       cache.ErrPlan,
		"no_key":        ragtest.ErrNoKey,
		"no_prompt":     ragtest.ErrNoPrompt,
		"no_judge":      ragtest.ErrNoJudge,
		"deadline":      context.DeadlineExceeded,
		"canceled":      context.Canceled,
		"call":          &ragtest.CallError{Status: 401},
		"other":         errors.New("what nobody foresaw"),
	} {
		t.Run(kind, func(t *testing.T) {
			g, file := NewWithT(t), filepath.Join(t.TempDir(), "results.jsonl")
			failing := ragtest.NewMetric("failing", func(ctx, *ragtest.Judge, ragtest.Sample) (ragtest.Score, error) {
				return ragtest.Score{}, fmt.Errorf("it is so: %w", err)
			})
			g.Expect(resultsOf(t, file, func() { _, _ = (&flaky{}).judge(t).Measure(t.Context(), failing, bridge) })).To(Succeed())
			records, errRead := ragtest.ReadResults(file)
			g.Expect(errRead).NotTo(HaveOccurred())
			g.Expect(records).To(HaveLen(1))
			g.Expect(records[0].Error).To(Equal(&ragtest.RecordedError{Kind: kind, Text: "it is so: " + err.Error()}))
			for _, sentinel := range []error{ragtest.ErrMissingInput, ragtest.ErrMalformed, ragtest.ErrUndefined, ragtest.ErrBudget, cache.ErrMiss, context.Canceled} {
				g.Expect(errors.Is(records[0].Result().Err, sentinel)).To(Equal(errors.Is(err, sentinel)))
			}
		})
	}
}

// A relative path begins at the root of the module, wherever go test runs the
// package and whatever folder the test goes to.
func TestResultsAreFoundFromTheModule(t *testing.T) {
	g, dir := NewWithT(t), t.TempDir()
	root, err := filepath.Abs("..")
	g.Expect(err).NotTo(HaveOccurred())
	rel, err := filepath.Rel(root, filepath.Join(dir, "results.jsonl"))
	g.Expect(err).NotTo(HaveOccurred())
	t.Chdir(t.TempDir())
	g.Expect(resultsOf(t, rel, func() {
		_, _ = (&flaky{}).judge(t).Measure(t.Context(), fixed, answering("a", "1"))
	})).To(Succeed())
	g.Expect(ragtest.ReadResults(filepath.Join(dir, "results.jsonl"))).To(HaveLen(1))
}

// Results that cannot be written are an error, and the measurements are good.
func TestResultsAreNotLostInSilence(t *testing.T) {
	g, file := NewWithT(t), filepath.Join(t.TempDir(), "no", "results.jsonl")
	err := resultsOf(t, file, func() {
		for range 3 {
			_, err := (&flaky{}).judge(t).Measure(t.Context(), fixed, answering("a", "1"))
			g.Expect(err).NotTo(HaveOccurred())
		}
	})
	g.Expect(err).To(MatchError(os.ErrNotExist))
	g.Expect(err.Error()).To(HavePrefix("ragtest: 3 result(s) could not be written to the file of RAGTEST_RESULTS: open " + file))
	g.Expect(resultsOf(t, file, func() {})).To(MatchError(HavePrefix("ragtest: the file of RAGTEST_RESULTS could not be written: open " + file)))
	g.Expect(ragtest.Run(tests(func() int { return 0 }))).To(Equal(1))

	t.Setenv("RAGTEST_RESULTS", "")
	g.Expect(ragtest.CloseSuite(io.Discard)).To(Succeed())
}

// A run that measures nothing leaves no results of the run before.
func TestResultsOfNothing(t *testing.T) {
	g, file := NewWithT(t), filepath.Join(t.TempDir(), "results.jsonl")
	g.Expect(resultsOf(t, file, func() {
		_, _ = (&flaky{}).judge(t).Measure(t.Context(), fixed, answering("a", "1"))
	})).To(Succeed())
	g.Expect(ragtest.CloseSuite(io.Discard)).To(Succeed())
	g.Expect(ragtest.ReadResults(file)).To(HaveLen(1), "the same run")
	t.Setenv("RAGTEST_RUN", "another")
	g.Expect(ragtest.CloseSuite(io.Discard)).To(Succeed())
	g.Expect(ragtest.ReadResults(file)).To(BeEmpty())
}

func TestReadResults(t *testing.T) {
	const good = `{"run":"1","package":".","sample":"a","metric":"m","score":1,"model":"m","identity":"i","cached":true}`
	for name, test := range map[string]struct {
		text string
		n    int
		err  string // after the name of the file
	}{
		"empty":           {"", 0, ""},
		"good":            {good + "\n" + good + "\n", 2, ""},
		"CRLF, blank":     {good + "\r\n\r\n" + good, 2, ""},
		"unknown fields":  {strings.Replace(good, `"run"`, `"later":[1],"run"`, 1), 1, ""},
		"torn end":        {good + "\n" + good[:50], 1, "torn line: FILE:2: a process was killed as it wrote, and its results are not complete"},
		"torn middle":     {good[:9] + "\n" + good + "\n", 1, "torn line: FILE:1: a process was killed as it wrote, and its results are not complete"},
		"torn twice":      {good[:9] + "\n" + good + "\n" + good[:60] + "\n", 1, "torn line: FILE:1, FILE:3: a process was killed as it wrote, and its results are not complete"},
		"no JSON":         {good + "\nhello\n", 0, "FILE:2 is not a result: invalid character 'h' looking for beginning of value"},
		"a list":          {"[1,\n", 0, "FILE:1 is not a result: unexpected end of JSON input"},
		"another's":       {`{"name":"a"}`, 0, "FILE:1 is not a result: it has no sample"},
		"no metric":       {strings.Replace(good, `"metric":"m",`, "", 1), 0, "FILE:1 is not a result: it has no metric"},
		"no score":        {strings.Replace(good, `"score":1,`, "", 1), 0, "FILE:1 is not a result: it has neither a score nor an error"},
		"score and error": {strings.Replace(good, `"score":1,`, `"score":1,"error":{"kind":"refused","text":"no"},`, 1), 0, "FILE:1 is not a result: it has a score and an error"},
		"bad key":         {strings.Replace(good, `"model"`, `"exchanges":[{"key":"12"}],"model"`, 1), 0, `FILE:1 is not a result: cache: key "12" has 2 characters, not 32`},
		"bad source":      {strings.Replace(good, `"model"`, `"exchanges":[{"source":"dreamt"}],"model"`, 1), 0, `FILE:1 is not a result: cache: the source of a reply is "dreamt", expected asked, recorded or stored`},
	} {
		t.Run(name, func(t *testing.T) {
			g, file := NewWithT(t), filepath.Join(t.TempDir(), "results.jsonl")
			g.Expect(os.WriteFile(file, []byte(test.text), 0o644)).To(Succeed())
			records, err := ragtest.ReadResults(file)
			g.Expect(records).To(HaveLen(test.n))
			if test.err == "" {
				g.Expect(err).NotTo(HaveOccurred())
				return
			}
			g.Expect(err).To(MatchError("ragtest: " + strings.ReplaceAll(test.err, "FILE", file)))
			g.Expect(errors.Is(err, ragtest.ErrTorn)).To(Equal(strings.HasPrefix(name, "torn")))
		})
	}
	_, err := ragtest.ReadResults(filepath.Join(t.TempDir(), "none"))
	NewWithT(t).Expect(err).To(MatchError(os.ErrNotExist))
}
