package ragtest_test

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	openai "github.com/sashabaranov/go-openai"

	"github.com/ragomega/ragomega/cache"
	"github.com/ragomega/ragomega/fixtures"
	"github.com/ragomega/ragomega/matchers"
	"github.com/ragomega/ragomega/ragtest"
)

// withBudget makes the test a run of its own, with limits. An empty one is none.
func withBudget(t *testing.T, calls, tokens string) {
	t.Helper()
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	t.Setenv("RAGTEST_RUN", "one")
	t.Setenv("RAGTEST_MAX_CALLS", calls)
	t.Setenv("RAGTEST_MAX_TOKENS", tokens)
	ragtest.ForgetBudget()
	t.Cleanup(ragtest.ForgetBudget) // runs before the variables are reset, and nothing is asked between
}

// closing closes the suite and returns what it says.
func closing(t *testing.T) string {
	t.Helper()
	var out strings.Builder
	NewWithT(t).Expect(ragtest.CloseSuite(&out)).To(Succeed())
	return out.String()
}

// willing answers whatever is asked with one claim, always another, that is
// supported.
func willing(t *testing.T) *lab {
	l, n := newLab(t), 0
	l.Otherwise(func(r fixtures.Request) fixtures.Reply {
		if r.Step == "claims" {
			n++
			return fixtures.Claims(string(rune('A' + n%26)))
		}
		return fixtures.Verdicts(true)
	})
	return l
}

func responding(text string) ragtest.Sample {
	s := bridge
	s.Response = text
	return s
}

func TestBudgetOfCalls(t *testing.T) {
	g, l := NewWithT(t), willing(t)
	withBudget(t, "3", "")
	c := l.cache(cache.Auto)
	j := l.Judge.Judge().CachedIn(c)
	_, err := j.Measure(t.Context(), ragtest.Faithfulness, responding("One."))
	g.Expect(err).NotTo(HaveOccurred())
	score, err := j.Measure(t.Context(), ragtest.Faithfulness, responding("Two."))
	g.Expect(score).To(BeZero(), "never half-scored")
	g.Expect(err).To(MatchError(ragtest.ErrBudget))
	var spent *ragtest.BudgetError
	g.Expect(asError(err, &spent)).To(BeTrue())
	g.Expect(*spent).To(Equal(ragtest.BudgetError{Variable: "RAGTEST_MAX_CALLS", Spent: 3, Max: 3}))
	g.Expect(err.Error()).To(MatchRegexp(`^not measured: faithfulness of sample "bridge" in TestBudgetOfCalls \(budget_test\.go:\d+\): ` +
		`budget: 3 of 3 calls of this run are spent \(RAGTEST_MAX_CALLS\), so nothing more is asked$`))
	_, err = j.Measure(t.Context(), ragtest.Faithfulness, responding("One."))
	g.Expect(err).NotTo(HaveOccurred(), "a replay costs nothing")
	g.Expect(l.Asked(fixtures.Any)).To(Equal(3))
	g.Expect(c.Close()).To(Succeed())
	g.Expect(closing(t)).To(Equal("ragtest: budget of this run, all its processes so far: 3 of 3 calls spent; 1 calls of this process were not made\n"))

	// Another run goes on where that one stopped: what was answered is kept, and
	// nothing else.
	t.Setenv("RAGTEST_RUN", "two")
	ragtest.ForgetBudget()
	_, err = l.measure(l.Judge.Judge(), ragtest.Faithfulness, responding("Two."))
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(l.Asked(fixtures.Any)).To(Equal(4))
	g.Expect(closing(t)).To(ContainSubstring("1 of 3 calls spent\n"))
}

// A call that is made may spend more than is left; the next is not made. A reply
// that no score can rest on has been paid as well.
func TestBudgetOfTokens(t *testing.T) {
	g, l := NewWithT(t), newLab(t)
	withBudget(t, "", "20")
	l.On("claims", fixtures.Choice(`{"role":"assistant","content":"{"}`, "length"), fixtures.Claims("A"))
	j := l.Judge.Judge().CachedIn(off(t))
	_, err := j.Measure(t.Context(), ragtest.Faithfulness, bridge)
	g.Expect(err).To(MatchError(ragtest.ErrTruncated))
	_, err = j.Measure(t.Context(), ragtest.Faithfulness, bridge)
	g.Expect(err).To(MatchError(ragtest.ErrBudget))
	g.Expect(err).To(MatchError(ContainSubstring("budget: 30 of 20 tokens of this run are spent (RAGTEST_MAX_TOKENS)")))
	g.Expect(l.Asked(fixtures.Any)).To(Equal(2))
	g.Expect(closing(t)).To(Equal("ragtest: budget of this run, all its processes so far: 30 of 20 tokens spent; 1 calls of this process were not made\n"))
}

func TestBudgetOfNothing(t *testing.T) {
	for _, limits := range [][2]string{{"0", ""}, {"", "0"}, {" 0 ", "100"}} {
		t.Run(strings.Join(limits[:], ","), func(t *testing.T) {
			g, l := NewWithT(t), willing(t)
			withBudget(t, limits[0], limits[1])
			_, err := l.Judge.Judge().CachedIn(off(t)).Measure(t.Context(), ragtest.Faithfulness, bridge)
			g.Expect(err).To(MatchError(ragtest.ErrBudget))
			g.Expect(err).To(MatchError(ContainSubstring("0 of 0")))
			g.Expect(l.Asked(fixtures.Any)).To(BeZero())
			g.Expect(closing(t)).To(ContainSubstring(" of 0 "))
		})
	}
}

// A limit that cannot be read is none that anybody wanted: nothing is measured,
// not even from a recording.
func TestBudgetThatCannotBeRead(t *testing.T) {
	for _, test := range []struct{ calls, tokens, want string }{
		{"-1", "", `ragtest: RAGTEST_MAX_CALLS is "-1", expected a whole number from 0 up; nothing is asked`},
		{"1e3", "", `RAGTEST_MAX_CALLS is "1e3"`},
		{"", "many", `RAGTEST_MAX_TOKENS is "many"`},
		{"", "99999999999999999999", `RAGTEST_MAX_TOKENS is "99999999999999999999"`},
	} {
		t.Run(test.calls+test.tokens, func(t *testing.T) {
			g, l := NewWithT(t), willing(t)
			_, err := l.measure(l.Judge.Judge(), ragtest.Faithfulness, bridge)
			g.Expect(err).NotTo(HaveOccurred())
			asked := l.Asked(fixtures.Any)
			withBudget(t, test.calls, test.tokens)
			_, err = l.measure(l.Judge.Judge(), ragtest.Faithfulness, bridge)
			g.Expect(err).To(MatchError(ContainSubstring(test.want)))
			_, err = l.Embedder().CachedIn(off(t)).Embed(t.Context(), "a")
			g.Expect(err).To(MatchError(ContainSubstring(test.want)))
			g.Expect(l.Asked(fixtures.Any)).To(Equal(asked))
		})
	}
}

// Whatever is sent is a call: the request to mend a reply, the try after a
// failure, embeddings. What came before the end is told.
func TestBudgetCountsWhatIsSent(t *testing.T) {
	t.Run("mending", func(t *testing.T) {
		g, l := NewWithT(t), newLab(t)
		withBudget(t, "1", "")
		l.On("claims", fixtures.Text("prose"), fixtures.Claims("A"))
		err := ask(t, l)
		g.Expect(err).To(MatchError(ragtest.ErrBudget))
		g.Expect(err).NotTo(MatchError(ragtest.ErrMalformed))
		g.Expect(err).To(MatchError(ContainSubstring("nothing more is asked. The reply that was to be mended: malformed reply")))
		g.Expect(l.Asked(fixtures.Any)).To(Equal(1))
	})
	t.Run("another try", func(t *testing.T) {
		g, l := NewWithT(t), newLab(t)
		withBudget(t, "1", "")
		l.On("claims", fixtures.Error(http.StatusTooManyRequests, "busy", "wait").With("Retry-After-Ms", "1"), fixtures.Claims("A"))
		err := ask(t, l)
		g.Expect(err).To(MatchError(ragtest.ErrBudget))
		g.Expect(err).To(MatchError(ContainSubstring("nothing more is asked. The try before failed: call to scripted at localhost failed")))
		var call *ragtest.CallError
		g.Expect(asError(err, &call)).To(BeFalse(), "a failure that may pass would be tried again by Eventually")
		g.Expect(l.Asked(fixtures.Any)).To(Equal(1))
	})
	t.Run("embeddings", func(t *testing.T) {
		g, l := NewWithT(t), newLab(t)
		withBudget(t, "1", "")
		l.Embeds(map[string][]float64{"a": {1}, "b": {1}, "c": {1}})
		e := l.Embedder().CachedIn(l.cache(cache.Auto))
		_, err := e.Embed(t.Context(), "a", "b")
		g.Expect(err).NotTo(HaveOccurred())
		_, err = e.Embed(t.Context(), "b", "c")
		g.Expect(err).To(MatchError(ragtest.ErrBudget))
		g.Expect(l.Asked(fixtures.Any)).To(Equal(1))
	})
	ragtest.ForgetBudget()
}

func ask(t *testing.T, l *lab) error {
	t.Helper()
	_, err := l.Judge.Judge().CachedIn(off(t)).Measure(t.Context(), ragtest.Faithfulness, bridge)
	return err
}

// Tokens that no server reported cannot be counted, which is told.
func TestBudgetOfTokensThatAreNotReported(t *testing.T) {
	g := NewWithT(t)
	withBudget(t, "", "10")
	_, err := (&flaky{}).judge(t).Measure(t.Context(), ragtest.Faithfulness, bridge)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(closing(t)).To(Equal("ragtest: budget of this run, all its processes so far: 0 of 10 tokens spent\n" +
		"ragtest: warning: 2 answers did not say how many tokens they cost, which RAGTEST_MAX_TOKENS cannot count\n"))
}

// Without a folder to share sums in, a process has the budget for itself, over
// all its suites, and says so.
func TestBudgetWithoutAHome(t *testing.T) {
	g, l := NewWithT(t), willing(t)
	withBudget(t, "3", "")
	t.Setenv("HOME", "")
	t.Setenv("XDG_CACHE_HOME", "")
	j := l.Judge.Judge().CachedIn(off(t))
	_, err := j.Measure(t.Context(), ragtest.Faithfulness, bridge)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(closing(t)).To(MatchRegexp(`^ragtest: budget of this run, all its processes so far: 2 of 3 calls spent\n` +
		`ragtest: warning: the budget is counted in this process only, and other processes of the run count theirs: .*HOME.*\n$`))
	_, err = j.Measure(t.Context(), ragtest.Faithfulness, bridge)
	g.Expect(err).To(MatchError(ragtest.ErrBudget))
	g.Expect(l.Asked(fixtures.Any)).To(Equal(3))
}

// Sums that cannot be read allow nothing.
func TestBudgetThatCannotBeTold(t *testing.T) {
	g, l := NewWithT(t), willing(t)
	withBudget(t, "3", "")
	dir := filepath.Join(os.Getenv("XDG_CACHE_HOME"), "ragtest", "v1", "runs", "one")
	g.Expect(os.MkdirAll(dir, 0o700)).To(Succeed())
	g.Expect(os.WriteFile(filepath.Join(dir, "tally-budget"), []byte("calls many\n"), 0o600)).To(Succeed())
	err := ask(t, l)
	g.Expect(err).To(MatchError(ContainSubstring("what this run has spent cannot be told, so nothing is asked: cache: cannot read ")))
	g.Expect(l.Asked(fixtures.Any)).To(BeZero())
	g.Expect(closing(t)).To(HavePrefix("ragtest: warning: what this run has spent cannot be told: cache: cannot read "))
}

// No further attempt mends a budget that is spent.
func TestBudgetStopsEventually(t *testing.T) {
	g, l := NewWithT(t), willing(t)
	withBudget(t, "0", "")
	polls := 0
	var failures []string
	NewGomega(func(message string, _ ...int) { failures = append(failures, message) }).
		Eventually(func() ragtest.Sample { polls++; return bridge }, "5s", "1ms").
		Should(matchers.HaveFaithfulnessAbove(0.5).Using(l.Judge.Judge().CachedIn(off(t))))
	g.Expect(polls).To(Equal(1))
	g.Expect(failures).To(ConsistOf(ContainSubstring("budget: 0 of 0 calls of this run are spent")))
	// A judge that is bound to no test leaves its failure to the suite.
	g.Expect(ragtest.CloseSuite(io.Discard)).To(MatchError(ragtest.ErrBudget))
}

const budgetEnv = "RAGTEST_BUDGET_CHILD" // "URL name", for TestChildSpends

// TestChildSpends is the body of another process: it is no test of its own.
func TestChildSpends(t *testing.T) {
	args := strings.Fields(os.Getenv(budgetEnv))
	if len(args) != 2 {
		t.Skip("run by other tests")
	}
	config := openai.DefaultConfig("key")
	config.BaseURL = args[0]
	config.HTTPClient = &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	j := ragtest.NewJudge(config, "scripted").Tries(1).CachedIn(off(t))
	var wg sync.WaitGroup
	for i := range 4 {
		wg.Go(func() {
			for k := range 4 {
				_, err := j.Measure(t.Context(), ragtest.Faithfulness, responding(fmt.Sprint(args[1], i, k)))
				var spent *ragtest.BudgetError
				if err != nil && !asError(err, &spent) {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	if err := ragtest.CloseSuite(os.Stdout); err != nil {
		t.Error(err)
	}
}

func startSpending(t *testing.T, url, name string) (*exec.Cmd, *strings.Builder) {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run", "^TestChildSpends$", "-test.v")
	cmd.Env = append(os.Environ(), budgetEnv+"="+url+" "+name)
	var out strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &out
	NewWithT(t).Expect(cmd.Start()).To(Succeed())
	t.Cleanup(func() {
		if t.Failed() {
			t.Log(out.String())
		}
	})
	return cmd, &out
}

// Eight processes that want 256 calls make as many as are allowed, neither one
// more nor one less.
func TestBudgetOfProcesses(t *testing.T) {
	const most = 101
	g, l := NewWithT(t), willing(t)
	withBudget(t, fmt.Sprint(most), "")
	var children []*exec.Cmd
	var outs []*strings.Builder
	for i := range 8 {
		child, out := startSpending(t, l.BaseURL(), string(rune('a'+i)))
		children, outs = append(children, child), append(outs, out)
	}
	for i, c := range children {
		g.Expect(c.Wait()).To(Succeed())
		g.Expect(outs[i].String()).To(ContainSubstring("of 101 calls spent"))
	}
	g.Expect(l.Asked(fixtures.Any)).To(Equal(most))
}

// The tokens of all processes count, too: with one call in flight in each of the
// goroutines, they go beyond the limit by no more than those.
func TestBudgetOfTokensOfProcesses(t *testing.T) {
	const most, each = 600, 15
	g, l := NewWithT(t), willing(t)
	withBudget(t, "", fmt.Sprint(most))
	var children []*exec.Cmd
	for i := range 4 {
		child, _ := startSpending(t, l.BaseURL(), string(rune('a'+i)))
		children = append(children, child)
	}
	for _, c := range children {
		g.Expect(c.Wait()).To(Succeed())
	}
	g.Expect(l.Asked(fixtures.Any)).To(And(BeNumerically(">=", most/each), BeNumerically("<", most/each+4*4)))
}

// What a killed process had begun stays counted: the rest is what others may
// spend, at once.
func TestBudgetOfAProcessThatIsKilled(t *testing.T) {
	g, l := NewWithT(t), newLab(t)
	withBudget(t, "20", "")
	var mu sync.Mutex
	hang := true
	l.Otherwise(func(r fixtures.Request) fixtures.Reply {
		mu.Lock()
		defer mu.Unlock()
		switch {
		case hang:
			return fixtures.Hang()
		case r.Step == "claims":
			return fixtures.Claims("A")
		}
		return fixtures.Verdicts(true)
	})
	victim, _ := startSpending(t, l.BaseURL(), "a")
	g.Eventually(func() int { return l.Asked(fixtures.Any) }, "20s", "5ms").Should(Equal(4))
	g.Expect(victim.Process.Kill()).To(Succeed())
	_ = victim.Wait()
	mu.Lock()
	hang = false
	mu.Unlock()

	began := time.Now()
	heir, out := startSpending(t, l.BaseURL(), "b")
	g.Expect(heir.Wait()).To(Succeed())
	g.Expect(out.String()).To(ContainSubstring("20 of 20 calls spent"))
	g.Expect(l.Asked(fixtures.Any)).To(Equal(20))
	g.Expect(time.Since(began)).To(BeNumerically("<", 8*time.Second), "nobody waits for the dead")
}
