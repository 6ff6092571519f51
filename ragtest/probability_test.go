package ragtest_test

import (
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"strings"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/ragomega/ragomega/cache"
	"github.com/ragomega/ragomega/fixtures"
	"github.com/ragomega/ragomega/ragtest"
)

// token is one of a reply, with its alternatives and their probabilities.
type token struct {
	text string
	or   map[string]float64
}

// spelled is a reply whose tokens are given one by one; content is what the
// server makes of them.
func spelled(content string, tokens ...token) fixtures.Reply {
	var list []string
	for _, t := range tokens {
		alternatives := []map[string]any{}
		for text, p := range t.or {
			alternatives = append(alternatives, map[string]any{"token": text, "logprob": math.Log(p)})
		}
		b, _ := json.Marshal(map[string]any{"token": t.text, "logprob": -0.1, "top_logprobs": alternatives})
		list = append(list, string(b))
	}
	message, _ := json.Marshal(map[string]string{"role": "assistant", "content": content})
	return fixtures.Raw(http.StatusOK, fmt.Sprintf(
		`{"id":"1","model":"m","choices":[{"index":0,"message":%s,"finish_reason":"stop","logprobs":{"content":[%s]}}]}`, message, strings.Join(list, ",")))
}

// P is read at the token that spells the verdict, whatever the server calls a
// token and whatever stands around the reply.
func TestProbabilityOfAVerdict(t *testing.T) {
	const reply = `{"1":{"reason":"it is true: \"false\"","supported":true}}`
	head := strings.TrimSuffix(reply, "true}}")
	for name, of := range map[string]struct {
		content string
		tokens  []token
		want    float64
	}{
		"both words": {reply, []token{{text: head}, {"true", map[string]float64{"true": 0.9, "false": 0.06, "maybe": 0.04}}, {text: "}}"}}, 0.9375},
		"spellings":  {reply, []token{{text: head}, {"true", map[string]float64{"true": 0.5, " true": 0.1, "False": 0.2, "f": 0.1, " ": 0.1}}, {text: "}}"}}, 0.6 / 0.9},
		"the token begins before": {
			reply, []token{{text: strings.TrimSuffix(head, `":`)}, {`":true`, map[string]float64{`":true`: 0.6, `":false`: 0.2, `" :true`: 0.2}}, {text: "}}"}}, 0.75,
		},
		"the token goes on": {reply, []token{{text: head}, {"true}", map[string]float64{"true}": 0.4, "false}": 0.4, "true": 0.1}}, {text: "}"}}, 5.0 / 9},
		"a word in pieces":  {reply, []token{{text: head}, {"t", map[string]float64{"t": 0.8, "f": 0.2}}, {text: "rue}}"}}, 0.8},
		"a fence that is no content": {
			reply, []token{{text: "```json\n"}, {text: head}, {"true", map[string]float64{"true": 0.7, "false": 0.3}}, {text: "}}"}, {text: "\n```"}}, 0.7,
		},
		"letters of several bytes": {
			`{"1":{"reason":"東京は — ✓","supported":true}}`,
			[]token{{text: `{"1":{"reason":"東京`}, {text: `は — ✓","supported":`}, {"true", map[string]float64{"true": 0.7, "false": 0.3}}, {text: "}}"}},
			0.7,
		},
		"numbers": {
			`{"1":{"reason":"r","supported":1}}`,
			[]token{{text: `{"1":{"reason":"r","supported":`}, {"1", map[string]float64{"1": 0.6, "0": 0.2, "true": 0.2}}, {text: "}}"}},
			0.8,
		},
		// What is not among the alternatives has at most what they leave.
		"no other word":       {reply, []token{{text: head}, {"true", map[string]float64{"true": 0.96, "maybe": 0.03}}, {text: "}}"}}, 0.96 / 0.97},
		"the least of many":   {reply, []token{{text: head}, {"true", map[string]float64{"true": 0.9, "maybe": 0.001}}, {text: "}}"}}, 0.9 / 0.901},
		"certain":             {reply, []token{{text: head}, {"true", map[string]float64{"true": 1}}, {text: "}}"}}, 1 - 1e-9},
		"against the verdict": {reply, []token{{text: head}, {"true", map[string]float64{"true": 0.2, "false": 0.8}}, {text: "}}"}}, 0.2},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			l := newLab(t)
			l.On("claims", fixtures.Claims("The bridge opened in 1932.")).On("verify", spelled(of.content, of.tokens...))
			s, err := l.measure(l.Judge.Judge().Probabilities(), ragtest.Faithfulness, bridge)
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(s.Verdicts).To(HaveLen(1))
			g.Expect(s.Verdicts[0].P).To(BeNumerically("~", of.want, 1e-12))
			g.Expect(s.Verdicts[0].OK).To(BeTrue(), "the judge's word decides")
		})
	}
}

// A token may be a part of a letter: then its text is none, and its bytes are.
func TestTokensThatSplitALetter(t *testing.T) {
	g := NewWithT(t)
	l := newLab(t)
	const reply = `{"1":{"reason":"🌉","supported":true}}`
	at := strings.Index(reply, "🌉")
	var list []string
	for _, part := range []string{reply[:at], reply[at : at+2], reply[at+2 : at+4], reply[at+4 : len(reply)-6]} {
		numbers := make([]int, len(part))
		for i := range part {
			numbers[i] = int(part[i])
		}
		b, _ := json.Marshal(map[string]any{"token": fmt.Sprintf("%q", part), "bytes": numbers, "logprob": 0, "top_logprobs": []any{}})
		list = append(list, string(b))
	}
	list = append(list, `{"token":"true","logprob":-0.1,"top_logprobs":[{"token":"true","logprob":-0.2231435513142097},{"token":"false","logprob":-1.6094379124341003}]}`, `{"token":"}}","logprob":0,"top_logprobs":[]}`)
	message, _ := json.Marshal(map[string]string{"role": "assistant", "content": reply})
	l.On("claims", fixtures.Claims("The bridge opened in 1932.")).On("verify", fixtures.Raw(http.StatusOK, fmt.Sprintf(
		`{"id":"1","model":"m","choices":[{"index":0,"message":%s,"finish_reason":"stop","logprobs":{"content":[%s]}}]}`, message, strings.Join(list, ","))))
	s, err := l.measure(l.Judge.Judge().Probabilities(), ragtest.Faithfulness, bridge)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(s.Verdicts[0].P).To(BeNumerically("~", 0.8, 1e-12))
}

// Verdicts of the first version have no probabilities, and nobody is asked for any.
func TestPromptWithoutProbabilities(t *testing.T) {
	g := NewWithT(t)
	l := newLab(t)
	l.On("claims", fixtures.Claims("The bridge opened in 1932."))
	_, err := l.measure(l.Judge.Judge().Pinned("verify/v1").Probabilities(), ragtest.Faithfulness, bridge)
	g.Expect(err).To(MatchError(ContainSubstring("the verdicts of prompt verify/v1 have no probabilities")))
	g.Expect(l.Asked("verify")).To(BeZero())
}

// Without log-probabilities there is no score: a judge that was asked for them
// must not pass for one that gives them.
func TestServerWithoutProbabilities(t *testing.T) {
	const reply = `{"1":{"reason":"r","supported":true}}`
	for name, r := range map[string]fixtures.Reply{
		"none":            fixtures.Verdicts(true),
		"of another text": spelled(reply, token{text: "Sure"}, token{"true", map[string]float64{"true": 1}}),
		"no alternatives": spelled(reply, token{text: reply}),
		"other words":     spelled(reply, token{text: strings.TrimSuffix(reply, "true}}")}, token{"true", map[string]float64{"yes": 0.9}}, token{text: "}}"}),
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			l := newLab(t)
			l.On("claims", fixtures.Claims("The bridge opened in 1932.")).On("verify", r)
			_, err := l.measure(l.Judge.Judge().Probabilities(), ragtest.Faithfulness, bridge)
			g.Expect(err).To(MatchError(ragtest.ErrMalformed))
			g.Expect(err).To(MatchError(And(ContainSubstring("expected the log-probabilities of the reply's tokens"), ContainSubstring("leave out Judge.Probabilities"))))
			g.Expect(l.Asked("verify")).To(Equal(1), "nothing about the reply is to be mended")
		})
	}
}

// Probabilities are asked for where there are verdicts, are part of the key there,
// and come back from the recording as they were.
func TestProbabilitiesAreRecorded(t *testing.T) {
	g := NewWithT(t)
	l := newLab(t)
	l.On("claims", fixtures.Claims("The bridge opened.", "It opened in 1932.", "The bridge is red.")).
		On("verify", fixtures.Probable("supported", 0.97, 0.5, 0.125), fixtures.Verdicts(true, true, false))
	j := l.Judge.Judge()
	weighed, err := l.measure(j.Probabilities(), ragtest.Faithfulness, bridge)
	g.Expect(err).NotTo(HaveOccurred())
	plain, err := l.measure(j, ragtest.Faithfulness, bridge)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(l.Asked("claims")).To(Equal(1), "claims have no verdicts")
	g.Expect(l.Asked("verify")).To(Equal(2))
	var body struct {
		LogProbs    bool `json:"logprobs"`
		TopLogProbs int  `json:"top_logprobs"`
	}
	g.Expect(json.Unmarshal(l.Requests()[1].Body, &body)).To(Succeed())
	g.Expect(body.LogProbs).To(BeTrue())
	g.Expect(body.TopLogProbs).To(Equal(20))
	g.Expect(string(l.Requests()[0].Body)).NotTo(ContainSubstring("logprobs"))
	g.Expect(string(l.Requests()[2].Body)).NotTo(ContainSubstring("logprobs"))
	g.Expect(plain.Verdicts[0].P).To(BeZero())
	again, err := l.measure(j.Probabilities(), ragtest.Faithfulness, bridge)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(again.Verdicts).To(Equal(weighed.Verdicts))
	g.Expect(again.Exchanges[1].Source).NotTo(Equal(cache.Asked))
	var p []float64
	for _, v := range again.Verdicts {
		p = append(p, v.P)
	}
	g.Expect(p).To(HaveExactElements(BeNumerically("~", 0.97, 1e-12), BeNumerically("~", 0.5, 1e-12), BeNumerically("~", 0.125, 1e-12)))
	g.Expect(again.Value).To(Equal(2.0 / 3))
}

// The other steps with verdicts have them too; of an evasive answer P is that of
// the answer to commit itself.
func TestProbabilitiesOfOtherSteps(t *testing.T) {
	g := NewWithT(t)
	l := newLab(t)
	const use = `{"reason":"r","useful":true}`
	l.On("useful", spelled(use, token{text: `{"reason":"r","useful":`}, token{"true", map[string]float64{"true": 0.75, "false": 0.25}}, token{text: "}"}))
	s, err := l.measure(l.Judge.Judge().Probabilities(), ragtest.ContextUtilization, bridge)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(s.Verdicts[0].P).To(BeNumerically("~", 0.75, 1e-12))

	const written = `{"1":{"question":"When did the bridge open?","noncommittal":false}}`
	l.On("questions", spelled(written, token{text: strings.TrimSuffix(written, "false}}")}, token{"false", map[string]float64{"true": 0.1, "false": 0.9}}, token{text: "}}"})).
		Embeds(map[string][]float64{"When did the bridge open?": {1, 0}, bridge.UserInput: {1, 0}})
	j := l.Judge.Judge().Probabilities().WithEmbedder(l.Embedder().CachedIn(off(t)))
	s, err = l.measure(j, ragtest.AnswerRelevance.Questions(1), bridge)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(s.Verdicts[0].P).To(BeNumerically("~", 0.9, 1e-12))
}
