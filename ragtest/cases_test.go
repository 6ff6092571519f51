package ragtest_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"net"
	"os"
	"strings"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	openai "github.com/sashabaranov/go-openai"

	"github.com/ragomega/ragomega/fixtures"
	"github.com/ragomega/ragomega/ragtest"
)

// knownFault is a fault that users of evaluation libraries have met: what the
// judge did, and what must come of it.
type knownFault struct {
	Kind   string         `json:"kind"`
	Fault  string         `json:"fault"`
	Metric string         `json:"metric"` // "all" is every one that it can happen to
	Sample ragtest.Sample `json:"sample"`
	// Variants are other contexts, and ReplyVariants other first replies, that
	// the same must come of.
	Variants      [][]string `json:"variants"`
	ReplyVariants []string   `json:"reply_variants"`
	ContextBytes  int        `json:"context_bytes"` // of one context, to be made
	Texts         []string   `json:"texts"`         // to embed
	Models        []string   `json:"models"`
	Trials        int        `json:"trials"`
	Judge         struct {
		Tries      int    `json:"tries"`
		TimeoutMS  int    `json:"timeout_ms"`
		Reasoning  bool   `json:"reasoning"`
		Cancel     bool   `json:"cancel"` // the context ends when the judge is asked
		Azure      string `json:"azure"`  // the deployment
		APIVersion string `json:"api_version"`
	} `json:"judge"`
	Replies []faultyReply `json:"replies"`
	Expect  struct {
		outcome
		Vectors [][]float64 `json:"vectors"`
		Cosine  *float64    `json:"cosine"`
		Scores  []float64   `json:"scores"`
		Exit    int         `json:"exit"` // of a run whose tests swallow the error
		Then    *outcome    `json:"then"` // of the next run, with the replies that are left
	} `json:"expect"`
}

type outcome struct {
	Score *float64 `json:"score"`
	Error string   `json:"error"`
	Says  string   `json:"says"`
	Asked *int     `json:"asked"`
}

type faultyReply struct {
	Step      string          `json:"step"`
	Content   string          `json:"content"`
	Finish    string          `json:"finish_reason"`
	Message   json.RawMessage `json:"raw_message"`
	RawBody   string          `json:"raw_body"`
	Status    int             `json:"http"`
	Body      string          `json:"body"`
	Behaviour string          `json:"behaviour"`
}

// scripted is r as the server sends it. No test waits for a pause.
func (r faultyReply) scripted() fixtures.Reply {
	finish := "stop"
	if r.Finish != "" {
		finish = r.Finish
	}
	switch {
	case r.Behaviour == "hang":
		return fixtures.Hang()
	case r.Behaviour == "reset":
		return fixtures.Reset().With("Retry-After-Ms", "1")
	case r.Status != 0:
		return fixtures.Raw(r.Status, r.Body).With("Retry-After-Ms", "1")
	case r.RawBody != "":
		return fixtures.Raw(200, r.RawBody)
	case r.Message != nil:
		return fixtures.Choice(translate(r.Step, string(r.Message)), finish)
	}
	content, _ := json.Marshal(translate(r.Step, r.Content))
	return fixtures.Choice(`{"role":"assistant","content":`+string(content)+`}`, finish)
}

var faultErrors = map[string]error{
	"missing_input": ragtest.ErrMissingInput, "malformed": ragtest.ErrMalformed, "miscounted": ragtest.ErrMiscounted,
	"truncated": ragtest.ErrTruncated, "filtered": ragtest.ErrFiltered, "canceled": context.Canceled,
}

func TestKnownFaults(t *testing.T) {
	text, err := os.ReadFile("testdata/cases.json")
	if err != nil {
		t.Fatal(err)
	}
	var faults []knownFault
	if err := json.Unmarshal(text, &faults); err != nil {
		t.Fatal(err)
	}
	for _, f := range faults {
		t.Run(f.Kind+"/"+f.Fault, func(t *testing.T) {
			switch {
			case f.Texts != nil:
				f.embeds(t)
			case f.Expect.Scores != nil:
				f.keepsApart(t)
			default:
				f.measures(t)
			}
		})
	}
}

// measures runs f with each metric that it can happen to, in each variant.
func (f knownFault) measures(t *testing.T) {
	metrics := []ragtest.Metric{ragtest.Faithfulness}
	if f.Metric == "all" {
		metrics = append(metrics, ragtest.ContextRecall)
	}
	if f.ContextBytes > 0 {
		f.Sample.RetrievedContexts = []string{strings.Repeat("x", f.ContextBytes)}
	}
	if f.Sample.Response == "" {
		f.Sample = bridge
	}
	f.Sample.Reference = f.Sample.Response // the same text, to the other metric
	for _, m := range metrics {
		t.Run(m.Name(), func(t *testing.T) { f.measure(t, m) })
		for _, contexts := range f.Variants {
			v := f
			v.Sample.RetrievedContexts = contexts
			t.Run(m.Name()+" variant", func(t *testing.T) { v.measure(t, m) })
		}
		for _, content := range f.ReplyVariants {
			v := f
			v.Replies = append([]faultyReply(nil), f.Replies...)
			v.Replies[0].Content = content
			t.Run(m.Name()+" variant", func(t *testing.T) { v.measure(t, m) })
		}
	}
}

func (f knownFault) measure(t *testing.T, m ragtest.Metric) {
	g := NewWithT(t)
	l := newLab(t)
	for _, r := range f.Replies {
		l.On(r.Step, r.scripted())
	}
	j := f.judge(l)
	score, err := f.run(l, j, m)
	f.check(g, l, f.Expect.outcome, score, err, 0)
	if f.Expect.Exit != 0 {
		f.exits(t, m)
	}
	if f.Expect.Score != nil {
		f.sentAsData(g, l, score)
	}

	// Another run: a score and a final word are replayed, all else is asked for.
	asked := l.Asked(fixtures.Any)
	switch {
	case f.Expect.Then != nil:
		score, err = l.measure(j, m, f.Sample)
		f.check(g, l, *f.Expect.Then, score, err, asked)
		asked = l.Asked(fixtures.Any)
		fallthrough
	case f.Expect.Score != nil, f.Expect.Error == "filtered":
		again, errAgain := l.measure(j, m, f.Sample)
		g.Expect(again.Verdicts).To(Equal(score.Verdicts))
		g.Expect(errAgain == nil).To(Equal(err == nil))
		g.Expect(l.Asked(fixtures.Any)).To(Equal(asked))
	case f.Expect.Error != "missing_input" && f.Expect.Error != "timeout":
		_, err := l.measure(j, m, f.Sample) // nothing is scripted any more
		g.Expect(err).To(HaveOccurred())
		g.Expect(l.Asked(fixtures.Any)).To(BeNumerically(">", asked))
	}
}

func (f knownFault) judge(l *lab) *ragtest.Judge {
	config := l.Config()
	if f.Judge.Azure != "" {
		config = openai.DefaultAzureConfig("azure-key", strings.TrimSuffix(l.BaseURL(), "/v1"))
		config.APIVersion = f.Judge.APIVersion
		config.AzureModelMapperFunc = func(string) string { return f.Judge.Azure }
	}
	j := ragtest.NewJudge(config, "scripted")
	if f.Judge.Tries > 0 {
		j = j.Tries(f.Judge.Tries)
	}
	if f.Judge.TimeoutMS > 0 {
		j = j.Timeout(time.Duration(f.Judge.TimeoutMS) * time.Millisecond)
	}
	if f.Judge.Reasoning {
		j = j.Reasoning()
	}
	return j
}

// run measures, in a context that ends in the middle if f says so.
func (f knownFault) run(l *lab, j *ragtest.Judge, m ragtest.Metric) (ragtest.Score, error) {
	if !f.Judge.Cancel {
		return l.measure(j, m, f.Sample)
	}
	ctx, cancel := context.WithCancel(l.t.Context())
	defer cancel()
	go func() {
		for l.Asked(fixtures.Any) == 0 && ctx.Err() == nil {
			time.Sleep(time.Millisecond)
		}
		cancel()
	}()
	c := l.cache("auto")
	defer c.Close()
	return j.CachedIn(c).Measure(ctx, m, f.Sample)
}

func (f knownFault) check(g *WithT, l *lab, want outcome, score ragtest.Score, err error, before int) {
	if want.Asked != nil {
		g.Expect(l.Asked(fixtures.Any)-before).To(Equal(*want.Asked), "requests")
	}
	if want.Score != nil {
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(score.Value).To(Equal(*want.Score))
		return
	}
	g.Expect(err).To(HaveOccurred())
	g.Expect(score).To(BeZero(), "an error is no score")
	g.Expect(err.Error()).To(ContainSubstring(want.Says))
	g.Expect(len(err.Error())).To(BeNumerically("<", 10_000))
	var call *ragtest.CallError
	var timeout net.Error
	switch want.Error {
	case "call":
		g.Expect(asError(err, &call)).To(BeTrue(), "%v", err)
	case "timeout":
		g.Expect(asError(err, &timeout) && timeout.Timeout()).To(BeTrue(), "%v", err)
	default:
		g.Expect(err).To(MatchError(faultErrors[want.Error]))
	}
	for _, r := range l.Requests() {
		if f.Judge.Reasoning {
			g.Expect(string(r.Body)).To(ContainSubstring(`"max_completion_tokens":`))
			g.Expect(string(r.Body)).NotTo(ContainSubstring(`"max_tokens"`))
		}
	}
}

// sentAsData looks at what was asked: the sample's texts and the judge's claims,
// each in its place and as it is, and nothing else.
func (f knownFault) sentAsData(g *WithT, l *lab, score ragtest.Score) {
	requests := l.Requests()
	claims, verify := requests[0], requests[len(requests)-1]
	var asked struct{ Question, Text string }
	exactly(g, claims, &asked, "question", "text")
	g.Expect(asked.Question).To(Equal(f.Sample.UserInput))
	g.Expect(asked.Text).To(Equal(f.Sample.Response))
	for _, r := range f.Sample.Response {
		if r > 0x7f {
			g.Expect(string(claims.Body)).To(ContainSubstring(string(r)), "as people read it")
		}
	}
	var checked checkedClaims
	exactly(g, verify, &checked, "documents", "claims")
	g.Expect(checked.Claims).To(HaveLen(len(score.Verdicts)))
	g.Expect(checked.Documents).To(Equal(f.Sample.RetrievedContexts))
	var said string
	for _, r := range f.Replies {
		said += translate(r.Step, r.Content+string(r.Message))
	}
	for i, v := range score.Verdicts {
		g.Expect(checked.Claims).To(HaveKeyWithValue(fmt.Sprint(i+1), v.Claim))
		g.Expect(said).To(ContainSubstring(v.Claim))
	}
	if f.Judge.Azure != "" {
		g.Expect(claims.Path).To(Equal("/openai/deployments/" + f.Judge.Azure + "/chat/completions"))
		g.Expect(claims.Header.Get("Api-Key")).To(Equal("azure-key"))
		g.Expect(claims.Query.Get("api-version")).To(Equal(f.Judge.APIVersion))
	}
}

// exits runs a suite whose one test takes the error for a mismatch.
func (f knownFault) exits(t *testing.T, m ragtest.Metric) {
	l := newLab(t)
	for _, r := range f.Replies {
		l.On(r.Step, r.scripted())
	}
	j := f.judge(l).CachedIn(l.cache("auto"))
	code := ragtest.Run(tests(func() int {
		_, _ = j.Assert(t.Context(), m, f.Sample)
		return 0
	}))
	NewWithT(t).Expect(code).To(Equal(f.Expect.Exit))
}

// keepsApart measures with several models or trials, which answer differently,
// and again from what was kept.
func (f knownFault) keepsApart(t *testing.T) {
	g := NewWithT(t)
	l := newLab(t)
	var judges []*ragtest.Judge
	for _, model := range f.Models {
		judges = append(judges, ragtest.NewJudge(l.Config(), model))
	}
	judges = append(judges, l.Judge.Judge().Trials(f.Trials)...)
	for _, s := range f.Expect.Scores {
		l.On("claims", fixtures.Claims("A")).On("verify", fixtures.Verdicts(s == 1))
	}
	for range 2 {
		for i, j := range judges {
			score, err := l.measure(j, ragtest.Faithfulness, bridge)
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(score.Value).To(Equal(f.Expect.Scores[i]))
		}
		g.Expect(l.Asked(fixtures.Any)).To(Equal(*f.Expect.Asked))
	}
}

func (f knownFault) embeds(t *testing.T) {
	g := NewWithT(t)
	l := newLab(t)
	for _, r := range f.Replies {
		l.On(r.Step, r.scripted())
	}
	for range 2 {
		v, err := l.embed(f.Texts...)
		g.Expect(err).NotTo(HaveOccurred())
		if f.Expect.Vectors != nil {
			g.Expect(v).To(Equal(f.Expect.Vectors))
		}
		if f.Expect.Cosine != nil {
			g.Expect(cosine(v[0], v[1])).To(BeNumerically("~", *f.Expect.Cosine, 1e-12))
		}
	}
	g.Expect(l.Asked(fixtures.Any)).To(Equal(*f.Expect.Asked))
}

func cosine(a, b []float64) float64 {
	var ab, aa, bb float64
	for i := range a {
		ab += a[i] * b[i]
		aa += a[i] * a[i]
		bb += b[i] * b[i]
	}
	return ab / (math.Sqrt(aa) * math.Sqrt(bb))
}
