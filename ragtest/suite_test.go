package ragtest_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	. "github.com/onsi/gomega"

	"github.com/ragomega/ragomega/cache"
	"github.com/ragomega/ragomega/fixtures"
	"github.com/ragomega/ragomega/ragtest"
)

// fakeTB is a test that is watched.
type fakeTB struct {
	attrs    map[string]string
	errors   []string
	cleanups []func()
	failed   bool
	ctx      context.Context
}

func newFakeTB() *fakeTB { return &fakeTB{attrs: map[string]string{}, ctx: context.Background()} }

func (f *fakeTB) Helper()                  {}
func (f *fakeTB) Name() string             { return "TestOuter/inner_case" }
func (f *fakeTB) Context() context.Context { return f.ctx }
func (f *fakeTB) Attr(key, value string)   { f.attrs[key] = value }
func (f *fakeTB) Output() io.Writer        { return io.Discard }
func (f *fakeTB) Cleanup(c func())         { f.cleanups = append(f.cleanups, c) }
func (f *fakeTB) Failed() bool             { return f.failed }
func (f *fakeTB) Errorf(s string, args ...any) {
	f.errors = append(f.errors, fmt.Sprintf(s, args...))
	f.failed = true
}

func (f *fakeTB) end() {
	for _, c := range f.cleanups {
		c()
	}
}

// flaky is a judge within the process that fails while down is set.
type flaky struct{ down bool }

func (f *flaky) judge(t *testing.T) *ragtest.Judge {
	return ragtest.NewJudgeClient(clientFunc(func(c ctx, r chatRequest) (chatResponse, error) {
		if f.down {
			return chatResponse{}, errors.New("the judge is down")
		}
		return answer(c, r)
	}), "here", "m").CachedIn(off(t))
}

func TestNoJudge(t *testing.T) {
	g := NewWithT(t)
	ragtest.Use(nil)
	_, err := ragtest.Standing()
	g.Expect(err).To(MatchError(ragtest.ErrNoJudge))
	g.Expect(err).To(MatchError(`no judge: call ragtest.Use(ragtest.OpenAI("…")) in TestMain or BeforeSuite, or give the matcher one with Using`))

	j := (&flaky{}).judge(t)
	ragtest.Use(j)
	defer ragtest.Use(nil)
	g.Expect(ragtest.Standing()).To(BeIdenticalTo(j))
}

// A score becomes an attribute of the test that the judge is bound to.
func TestForReportsScores(t *testing.T) {
	g := NewWithT(t)
	tb := newFakeTB()
	j := (&flaky{}).judge(t).For(tb)
	g.Expect(j.Context()).To(BeIdenticalTo(tb.ctx))
	g.Expect((&flaky{}).judge(t).Context()).To(Equal(context.Background()))
	_, err := j.Assert(t.Context(), ragtest.Faithfulness, bridge)
	g.Expect(err).NotTo(HaveOccurred())
	third := ragtest.NewMetric("my own\tmetric", func(ctx, *ragtest.Judge, ragtest.Sample) (ragtest.Score, error) {
		return ragtest.Score{Value: 1.0 / 3}, nil
	})
	_, err = j.Assert(t.Context(), third, bridge)
	g.Expect(err).NotTo(HaveOccurred())
	tb.end()
	g.Expect(tb.attrs).To(Equal(map[string]string{"ragtest.faithfulness": "1.0000", "ragtest.my_own_metric": "0.3333"}))
	g.Expect(tb.errors).To(BeEmpty())
}

// A failure that no assertion reports fails the test when it ends.
func TestForReportsFailures(t *testing.T) {
	g := NewWithT(t)
	f, tb := &flaky{down: true}, newFakeTB()
	_, err := f.judge(t).For(tb).Assert(t.Context(), ragtest.Faithfulness, bridge)
	g.Expect(err).To(HaveOccurred())
	g.Expect(err.Error()).To(MatchRegexp(`^not measured: faithfulness of sample "bridge" in TestOuter/inner_case \(suite_test\.go:\d+\): call to m at here failed: the judge is down$`))
	g.Expect(tb.errors).To(BeEmpty(), "the test is not over")
	tb.end()
	g.Expect(tb.errors).To(Equal([]string{"no assertion reported this: " + err.Error()}))
	g.Expect(tb.attrs).To(BeEmpty())
}

// A test that has failed has said enough, and a failure that a later try makes
// good is forgotten. Another sample, metric or judge makes nothing good.
func TestForForgetsWhatIsMadeGood(t *testing.T) {
	other := bridge
	other.Response = "Another answer."
	assert := func(j *ragtest.Judge, m ragtest.Metric, s ragtest.Sample) { // one line, one assertion
		_, _ = j.Assert(t.Context(), m, s)
	}
	retry := func(f *flaky, j *ragtest.Judge, m ragtest.Metric, s ragtest.Sample) {
		f.down = false
		assert(j, m, s)
	}
	for name, test := range map[string]struct {
		then   func(*fakeTB, *flaky, *ragtest.Judge)
		errors int
	}{
		"nothing":        {func(*fakeTB, *flaky, *ragtest.Judge) {}, 1},
		"failed anyway":  {func(tb *fakeTB, _ *flaky, _ *ragtest.Judge) { tb.failed = true }, 0},
		"a later try":    {func(_ *fakeTB, f *flaky, j *ragtest.Judge) { retry(f, j, ragtest.Faithfulness, bridge) }, 0},
		"another sample": {func(_ *fakeTB, f *flaky, j *ragtest.Judge) { retry(f, j, ragtest.Faithfulness, other) }, 1},
		"another metric": {func(_ *fakeTB, f *flaky, j *ragtest.Judge) { retry(f, j, ragtest.ContextRecall, bridge) }, 1},
		"another trial":  {func(_ *fakeTB, f *flaky, j *ragtest.Judge) { retry(f, j.Trial(1), ragtest.Faithfulness, bridge) }, 1},
		"another judge":  {func(_ *fakeTB, f *flaky, j *ragtest.Judge) { retry(f, j.Named("there"), ragtest.Faithfulness, bridge) }, 1},
		"twice the same": {func(_ *fakeTB, _ *flaky, j *ragtest.Judge) { assert(j, ragtest.Faithfulness, bridge) }, 1},
		"another prompt": {func(_ *fakeTB, f *flaky, j *ragtest.Judge) {
			retry(f, j.Pinned("claims/v2"), ragtest.Faithfulness, bridge)
		}, 1},
		"another assertion": {func(_ *fakeTB, f *flaky, j *ragtest.Judge) {
			f.down = false
			_, _ = j.Assert(t.Context(), ragtest.Faithfulness, bridge)
		}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			f, tb := &flaky{down: true}, newFakeTB()
			j := f.judge(t).For(tb)
			assert(j, ragtest.Faithfulness, bridge)
			test.then(tb, f, j)
			tb.end()
			NewWithT(t).Expect(tb.errors).To(HaveLen(test.errors))
		})
	}
}

// tests is a testing.M.
type tests func() int

func (t tests) Run() int { return t() }

// A failure of a judge that is bound to no test fails the run, unless a later
// try makes it good. A measurement that nobody asserts is nobody's failure.
func TestRunReportsFailures(t *testing.T) {
	f := &flaky{}
	j := f.judge(t)
	assert := func(down bool, j *ragtest.Judge) {
		f.down = down
		_, _ = j.Assert(t.Context(), ragtest.Faithfulness, bridge)
	}
	for name, test := range map[string]struct {
		run  func() int
		code int
	}{
		"good":          {func() int { assert(false, j); return 0 }, 0},
		"swallowed":     {func() int { assert(true, j); return 0 }, 1},
		"failed":        {func() int { assert(true, j); return 3 }, 3},
		"made good":     {func() int { assert(true, j); assert(false, j); return 0 }, 0},
		"by another":    {func() int { assert(true, j); assert(false, j.Named("there")); return 0 }, 1},
		"only measured": {func() int { f.down = true; _, _ = j.Measure(t.Context(), ragtest.Faithfulness, bridge); return 0 }, 0},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			g.Expect(ragtest.Run(tests(test.run))).To(Equal(test.code))
			g.Expect(ragtest.Close()).To(Succeed(), "what was reported is forgotten")
		})
	}

	g := NewWithT(t)
	assert(true, j)
	err := ragtest.CloseSuite(io.Discard)
	g.Expect(err).To(HaveOccurred())
	g.Expect(err.Error()).To(HavePrefix("ragtest: 1 measurement(s) failed. If no test has reported this, a matcher such as gstruct's or ConsistOf took the error for a mismatch; " +
		"bind the judge with For(t) to fail the test itself:\nnot measured: faithfulness of sample \"bridge\""))
}

// Close says what was replayed, asked and paid, and closes the cache: what was
// recorded is sorted and can be read.
func TestSummary(t *testing.T) {
	_ = ragtest.CloseSuite(io.Discard) // forget what other tests cost
	g := NewWithT(t)
	l := newLab(t)
	summary := func(mode cache.Mode, samples ...ragtest.Sample) string {
		ragtest.UseCache(l.cache(mode))
		for _, s := range samples {
			_, _ = l.Judge.Judge().Measure(t.Context(), ragtest.Faithfulness, s)
		}
		var out strings.Builder
		g.Expect(ragtest.CloseSuite(&out)).To(Succeed())
		return out.String()
	}
	other := bridge
	other.Response = "Another answer."
	l.On("claims", fixtures.Claims("A"), fixtures.Claims("B")).On("verify", fixtures.Verdicts(true), fixtures.Verdicts(false))

	g.Expect(summary(cache.Replay, bridge)).To(Equal("ragtest (replay): 0 replayed, 0 asked, 1 not recorded\n"))
	asked := summary(cache.Auto, bridge)
	g.Expect(asked).To(HavePrefix("ragtest (auto): 0 replayed, 2 asked, 20+10 tokens paid\n"))
	g.Expect(summary(cache.Replay, bridge)).To(Equal("ragtest (replay): 2 replayed, 0 asked, 20+10 tokens and 0 s of judging saved\n"))
	g.Expect(summary(cache.Auto, bridge, other)).To(HavePrefix("ragtest (auto): 2 replayed, 2 asked, 20+10 tokens paid, 20+10 tokens and 0 s of judging saved\n"))
	g.Expect(summary(cache.Replay)).To(Equal("ragtest (replay): 0 replayed, 0 asked\n"))

	var out strings.Builder
	g.Expect(ragtest.CloseSuite(&out)).To(Succeed())
	g.Expect(out.String()).To(BeEmpty(), "a suite that measured nothing has nothing to say")
}

// What was saved is the tokens and the time of what was replayed, and of nothing
// that was asked.
func TestSummaryOfWhatWasSaved(t *testing.T) {
	_ = ragtest.CloseSuite(io.Discard) // forget what other tests cost
	synctest.Test(t, func(t *testing.T) {
		g := NewWithT(t)
		l := &lab{t: t, dir: t.TempDir()}
		j := ragtest.NewJudgeClient(clientFunc(func(c ctx, r chatRequest) (chatResponse, error) {
			time.Sleep(3 * time.Second)
			a, err := answer(c, r)
			a.Usage.PromptTokens, a.Usage.CompletionTokens = 100, 7
			return a, err
		}), "here", "m")
		other := bridge
		other.Response = "Another answer."
		for _, want := range []string{"2 asked, 200+14 tokens paid\n", "1 asked, 1 repeated, 100+7 tokens paid, 200+14 tokens and 6 s of judging saved\n"} {
			ragtest.UseCache(l.cache(cache.Auto))
			for _, s := range []ragtest.Sample{bridge, other}[:1+strings.Count(want, "saved")] {
				_, err := j.Measure(t.Context(), ragtest.Faithfulness, s)
				g.Expect(err).NotTo(HaveOccurred())
			}
			var out strings.Builder
			g.Expect(ragtest.CloseSuite(&out)).To(Succeed())
			g.Expect(out.String()).To(ContainSubstring(want))
		}
	})
}

// In replay a miss names the test, says what differs and how to record it.
func TestMissTellsWhatToDo(t *testing.T) {
	g := NewWithT(t)
	l := newLab(t)
	l.On("claims", fixtures.Claims("A")).On("verify", fixtures.Verdicts(true))
	_, err := l.measure(l.Judge.Judge(), ragtest.Faithfulness, bridge)
	g.Expect(err).NotTo(HaveOccurred())

	s := bridge
	s.Response = "The bridge opened in 1933."
	tb := newFakeTB()
	_, err = l.Judge.Judge().CachedIn(l.cache(cache.Replay)).For(tb).Measure(t.Context(), ragtest.Faithfulness, s)
	g.Expect(err).To(MatchError(cache.ErrMiss))
	g.Expect(err.Error()).To(MatchRegexp(`^not measured: faithfulness of sample "bridge" in TestOuter/inner_case \(suite_test\.go:\d+\): cache: no recorded reply for step claims/v2\n`))
	g.Expect(err.Error()).To(ContainSubstring("\n  asked about: The bridge opened in 1933.\n"))
	g.Expect(err.Error()).To(ContainSubstring("\n  what differs: the answer changed"))
	g.Expect(err.Error()).To(HaveSuffix("\n  Nothing was asked, as the mode is replay. To record it: RAGTEST_CACHE=auto CI= go test -run '^TestOuter$/^inner_case$' ./ragtest"))
	g.Expect(l.Asked(fixtures.Any)).To(Equal(2))
}
