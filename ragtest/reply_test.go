package ragtest_test

import (
	"testing"

	. "github.com/onsi/gomega"

	"github.com/ragomega/ragomega/fixtures"
	"github.com/ragomega/ragomega/ragtest"
)

const (
	good     = `{"claims":["A"]}`
	verdict1 = `{"verdicts":[{"claim":1,"quote":"","reason":"r","supported":true}]}`
)

// A reply that cannot be used is no score, and is not kept. The judge may mend
// it once; here it fails again.
func TestBadReply(t *testing.T) {
	four := fixtures.Claims("A", "B", "C", "D")
	one := fixtures.Claims("A")
	for name, test := range map[string]struct {
		claims fixtures.Reply
		verify string // "" if the claims are what is bad
		kind   error
		want   string // text of the ReplyError
	}{
		"prose": {
			fixtures.Text("I cannot do that."), "", ragtest.ErrMalformed,
			"malformed reply in step claims/v1: expected a JSON object, got none that is complete\n  reply: I cannot do that.",
		},
		"half an object": {
			fixtures.Text(`{"claims":["A","B`), "", ragtest.ErrMalformed,
			"malformed reply in step claims/v1: expected a JSON object, got none that is complete\n  reply: {\"claims\":[\"A\",\"B",
		},
		"half an object after whole ones": {
			one, `{"verdicts":[{"claim":1,"quote":"","reason":"r","supported":true},`, ragtest.ErrMalformed,
			"malformed reply in step verify/v1: expected a JSON object, got none that is complete\n  reply: {\"verdicts\":[{\"claim\":1,\"quote\":\"\",\"reason\":\"r\",\"supported\":true},",
		},
		"half an object in a fence": {
			fixtures.Text("```json\n{\"claims\":[\"A\"]\n```"), "", ragtest.ErrMalformed,
			"malformed reply in step claims/v1: expected a JSON object, got none that is complete\n  reply: ```json {\"claims\":[\"A\"] ```",
		},
		"a list": {
			fixtures.Text(`["A"]`), "", ragtest.ErrMalformed,
			"malformed reply in step claims/v1: expected a JSON object, got JSON of another kind\n  reply: [\"A\"]",
		},
		"null": {
			fixtures.Text(`null`), "", ragtest.ErrMalformed,
			"malformed reply in step claims/v1: expected a JSON object, got JSON of another kind\n  reply: null",
		},
		"wrong key": {
			fixtures.Text(`{"statements":["A"],"n":1}`), "", ragtest.ErrMalformed,
			"malformed reply in step claims/v1: expected the field \"claims\", got the field \"statements\", \"n\"\n  reply: {\"statements\":[\"A\"],\"n\":1}",
		},
		"an empty object": {
			fixtures.Text(`{}`), "", ragtest.ErrMalformed,
			"malformed reply in step claims/v1: expected the field \"claims\", got an empty object\n  reply: {}",
		},
		"claims null": {
			fixtures.Text(`{"claims":null}`), "", ragtest.ErrMalformed,
			"malformed reply in step claims/v1: expected the field \"claims\", got the field \"claims\"\n  reply: {\"claims\":null}",
		},
		"claim null": {
			fixtures.Text(`{"claims":["A",null]}`), "", ragtest.ErrMalformed,
			"malformed reply in step claims/v1: expected a text for each claim, got none for claim 2\n  reply: {\"claims\":[\"A\",null]}",
		},
		"claim blank": {
			fixtures.Text(`{"claims":["\u200b"]}`), "", ragtest.ErrMalformed,
			"malformed reply in step claims/v1: expected a text for each claim, got none for claim 1\n  reply: {\"claims\":[\"\\u200b\"]}",
		},
		"two objects": {
			fixtures.Text("First {\"claims\":[\"X\"]}, no: {\"claims\":[\"A\"]}"), "", ragtest.ErrMalformed,
			"malformed reply in step claims/v1: expected one JSON object, got several\n  reply: First {\"claims\":[\"X\"]}, no: {\"claims\":[\"A\"]}",
		},
		"thoughts that do not end": {
			fixtures.Text("<think>Perhaps {\"claims\":[\"X\"]}? Or"), "", ragtest.ErrMalformed,
			"malformed reply in step claims/v1: expected a JSON object, got thoughts that do not end\n  reply: <think>Perhaps {\"claims\":[\"X\"]}? Or",
		},
		"3 verdicts for 4 claims": {
			four, verdictsFor("1", "2", "3"), ragtest.ErrMiscounted,
			"miscounted verdicts in step verify/v1: expected one verdict for each of 4 claims, got 3\n  reply: " + verdictsFor("1", "2", "3"),
		},
		"5 verdicts for 4 claims": {
			four, verdictsFor("1", "2", "3", "4", "5"), ragtest.ErrMiscounted,
			"miscounted verdicts in step verify/v1: expected one verdict for each of 4 claims, got 5\n  reply: " + verdictsFor("1", "2", "3", "4", "5"),
		},
		"no verdict": {
			one, `{"verdicts":[]}`, ragtest.ErrMiscounted,
			"miscounted verdicts in step verify/v1: expected one verdict for each of 1 claims, got 0\n  reply: {\"verdicts\":[]}",
		},
		"the same number twice": {
			four, verdictsFor("1", "2", "2", "4"), ragtest.ErrMiscounted,
			"miscounted verdicts in step verify/v1: expected one verdict for each of 4 claims, got two for claim 2\n  reply: " + verdictsFor("1", "2", "2", "4"),
		},
		"a number out of range": {
			one, verdictsFor("2"), ragtest.ErrMiscounted,
			"miscounted verdicts in step verify/v1: expected one verdict for each of 1 claims, got one for claim 2, which was not asked about\n  reply: " + verdictsFor("2"),
		},
		"number 0": {
			one, verdictsFor("0"), ragtest.ErrMiscounted,
			"miscounted verdicts in step verify/v1: expected one verdict for each of 1 claims, got one for claim 0, which was not asked about\n  reply: " + verdictsFor("0"),
		},
		"no number": {
			one, `{"verdicts":[{"quote":"","reason":"r","supported":true}]}`, ragtest.ErrMalformed,
			"malformed reply in step verify/v1: expected \"claim\" and \"supported\" in every verdict, got not both in verdict 1\n  reply: {\"verdicts\":[{\"quote\":\"\",\"reason\":\"r\",\"supported\":true}]}",
		},
		"no verdict field": {
			one, `{"verdicts":[{"claim":1,"reason":"looks fine"}]}`, ragtest.ErrMalformed,
			"malformed reply in step verify/v1: expected \"claim\" and \"supported\" in every verdict, got not both in verdict 1\n  reply: {\"verdicts\":[{\"claim\":1,\"reason\":\"looks fine\"}]}",
		},
		"verdicts null": {
			one, `{"verdicts":null}`, ragtest.ErrMalformed,
			"malformed reply in step verify/v1: expected the field \"verdicts\", got the field \"verdicts\"\n  reply: {\"verdicts\":null}",
		},
		"a verdict twice in one object": {
			one, `{"verdicts":[{"claim":1,"supported":false,"Supported":true}]}`, ragtest.ErrMalformed,
			"malformed reply in step verify/v1: expected each field once, got the field \"Supported\" twice\n  reply: {\"verdicts\":[{\"claim\":1,\"supported\":false,\"Supported\":true}]}",
		},
		"the list twice": { // a decoder would fill the second from the first
			one, `{"verdicts":[{"claim":1,"supported":true}],"verdicts":[{"claim":1}]}`, ragtest.ErrMalformed,
			"malformed reply in step verify/v1: expected each field once, got the field \"verdicts\" twice\n  reply: {\"verdicts\":[{\"claim\":1,\"supported\":true}],\"verdicts\":[{\"claim\":1}]}",
		},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			l := newLab(t)
			l.On("claims", test.claims)
			if test.verify == "" {
				l.On("claims", test.claims)
			} else {
				l.On("verify", fixtures.Text(test.verify), fixtures.Text(test.verify))
			}
			_, err := l.measure(l.Judge.Judge(), ragtest.Faithfulness, bridge)
			g.Expect(err).To(MatchError(test.kind))
			var bad *ragtest.ReplyError
			g.Expect(asError(err, &bad)).To(BeTrue())
			g.Expect(bad.Error()).To(Equal(test.want))
			g.Expect(err.Error()).To(HavePrefix(`not measured: faithfulness of sample "bridge" in TestBadReply (`))

			asked := l.Asked(fixtures.Any)
			_, err = l.measure(l.Judge.Judge(), ragtest.Faithfulness, bridge)
			g.Expect(err).To(HaveOccurred())
			g.Expect(l.Asked(fixtures.Any)).To(BeNumerically(">", asked), "a bad reply is not kept")
		})
	}
}

// verdictsFor is a reply to verify with a yes for each number.
func verdictsFor(numbers ...string) string {
	s := `{"verdicts":[`
	for i, n := range numbers {
		if i > 0 {
			s += ","
		}
		s += `{"claim":` + n + `,"quote":"","reason":"r","supported":true}`
	}
	return s + "]}"
}

// A verdict is a yes or a no. Another word is neither, and the message shows it.
func TestVerdictThatIsNone(t *testing.T) {
	for value, got := range map[string]string{
		`"No, the context does not say this."`: `"No, the context does not say this." in verdict 1`,
		`"true"`:                               `"true" in verdict 1`,
		`-1`:                                   `-1 in verdict 1`,
		`0.5`:                                  `0.5 in verdict 1`,
		`2`:                                    `2 in verdict 1`,
		`1.0`:                                  `1.0 in verdict 1`,
		`null`:                                 `null in verdict 1`,
		`[]`:                                   `[] in verdict 1`,
	} {
		t.Run(value, func(t *testing.T) {
			g := NewWithT(t)
			l := newLab(t)
			bad := fixtures.Text(`{"verdicts":[{"claim":1,"quote":"","reason":"r","supported":` + value + `}]}`)
			l.On("claims", fixtures.Claims("A")).On("verify", bad, bad)
			err := l.fails(l.Judge.Judge())
			g.Expect(err).To(MatchError(ragtest.ErrMalformed))
			g.Expect(err.Error()).To(ContainSubstring(`expected true or false for "supported", got ` + got + "\n"))
		})
	}
}

// What is the reply in another dress is taken, at the cost of no call.
func TestReplyInAnotherDress(t *testing.T) {
	for name, content := range map[string]string{
		"plain":                    good,
		"leading blanks":           " \n\t " + good + "\n",
		"byte order mark":          "\ufeff" + good,
		"fence with a tag":         "```json\n" + good + "\n```\n",
		"fence without":            "```\n" + good + "\n```",
		"tildes":                   "~~~\n" + good + "\n~~~",
		"CRLF":                     "```json\r\n" + good + "\r\n```\r\n",
		"indented fence":           "   ```json\n   " + good + "\n   ```",
		"prose around":             "Sure! Here is the list you asked for:\n\n" + good + "\n\nLet me know if {anything} else is needed.",
		"prose with braces before": "For {the text}: " + good,
		"thoughts":                 "<think>\nIs it {\"claims\":[\"X\"]}?\n</think>\n\n" + good,
		"thoughts, then a fence":   "<thinking>x</thinking>```json\n" + good + "\n```",
		"the end of thoughts":      "is it {\"claims\":[\"X\"]}?</think>" + good,
		"extra fields":             `{"claims":["A"],"confidence":0.9,"refused":"no","note":{"a":[1,{"a":2}]}}`,
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			l := newLab(t)
			l.On("claims", fixtures.Text(content)).On("verify", fixtures.Text(verdict1))
			score, err := l.measure(l.Judge.Judge(), ragtest.Faithfulness, bridge)
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(score.Verdicts).To(Equal([]ragtest.Verdict{{Claim: "A", OK: true, Reason: "r"}}))
			g.Expect(l.Asked(fixtures.Any)).To(Equal(2))

			again, err := l.measure(l.Judge.Judge(), ragtest.Faithfulness, bridge)
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(again.Verdicts).To(Equal(score.Verdicts))
			g.Expect(l.Asked(fixtures.Any)).To(Equal(2))
		})
	}
}

// Verdicts may come in any order, with 1 and 0, and with fields of the judge's
// own.
func TestVerdictsInAnotherDress(t *testing.T) {
	g := NewWithT(t)
	l := newLab(t)
	l.On("claims", fixtures.Claims("A", "B", "C")).On("verify", fixtures.Text(
		`{"note":"n","verdicts":[{"claim":3,"supported":1},{"claim":1,"supported":false,"quote":"q","reason":"r","sure":true},{"claim":2,"supported":0}]}`))
	score, err := l.measure(l.Judge.Judge(), ragtest.ContextRecall, bridge)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(score.Metric).To(Equal("context_recall"))
	g.Expect(score.Value).To(Equal(1.0 / 3))
	g.Expect(score.Verdicts).To(Equal([]ragtest.Verdict{
		{Claim: "A", Quote: "q", Reason: "r"}, {Claim: "B"}, {Claim: "C", OK: true},
	}))
}

// Valid JSON is never rewritten: what looks like a fault in it is text.
func TestValidReplyIsNotRewritten(t *testing.T) {
	claims := []string{
		"Limits are (1, ] and {2, }", "```json", "</think> ends it", "a\u2028b", "quote \" and \\ back", "<b>&amp;</b>", "塔高41米 🗼", "tab\tand\nline",
	}
	g := NewWithT(t)
	l := newLab(t)
	l.On("claims", fixtures.Claims(claims...)).On("verify", fixtures.Verdicts(make([]bool, len(claims))...))
	score, err := l.measure(l.Judge.Judge(), ragtest.Faithfulness, bridge)
	g.Expect(err).NotTo(HaveOccurred())
	var data struct{ Claims []struct{ Text string } }
	g.Expect(l.Requests()[1].Data(&data)).To(Succeed())
	for i, c := range claims {
		g.Expect(score.Verdicts[i].Claim).To(Equal(c))
		g.Expect(data.Claims[i].Text).To(Equal(c))
	}
}

// One repair: what is wrong goes back to the judge, and what comes then is kept
// under the first request.
func TestRepair(t *testing.T) {
	g := NewWithT(t)
	l := newLab(t)
	l.On("claims", fixtures.Claims("A", "B")).
		On("verify", fixtures.Text(verdict1), fixtures.Verdicts(true, false))
	score, err := l.measure(l.Judge.Judge(), ragtest.Faithfulness, bridge)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(score.Value).To(Equal(0.5))
	g.Expect(l.Asked("verify")).To(Equal(2))
	g.Expect(score.Exchanges).To(HaveLen(2))
	g.Expect(score.Exchanges[1].Tokens).To(Equal(ragtest.Tokens{In: 20, Out: 10}), "both calls are paid")

	first, second := l.Requests()[1].Messages(), l.Requests()[2].Messages()
	g.Expect(second).To(HaveLen(4))
	g.Expect(second[:2]).To(Equal(first))
	g.Expect(second[2]).To(Equal(fixtures.Message{Role: "assistant", Content: verdict1}))
	g.Expect(second[3]).To(Equal(fixtures.Message{
		Role: "user",
		Content: "That reply cannot be used: miscounted verdicts: expected one verdict for each of 2 claims, got 1\n  reply: " + verdict1 +
			"\nReply again, complete, with JSON only.",
	}))

	replayed, err := l.measure(l.Judge.Judge(), ragtest.Faithfulness, bridge)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(replayed.Verdicts).To(Equal(score.Verdicts))
	g.Expect(replayed.Exchanges[1].Key).To(Equal(score.Exchanges[1].Key))
	g.Expect(l.Asked(fixtures.Any)).To(Equal(3))
}

// After a second bad reply the first one is reported, whatever the second was.
func TestRepairThatFails(t *testing.T) {
	for name, second := range map[string]fixtures.Reply{
		"another bad reply": fixtures.Text("still not json"),
		"a refusal":         fixtures.Refusal("no"),
		"an error":          fixtures.Error(400, "bad", "bad request"),
		"cut off":           fixtures.Choice(`{"role":"assistant","content":"{\"claims\":[\"A\"]}"}`, "length"),
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			l := newLab(t)
			l.On("claims", fixtures.Text("not json"), second)
			err := l.fails(l.Judge.Judge())
			g.Expect(err).To(MatchError(ragtest.ErrMalformed))
			g.Expect(err.Error()).To(HaveSuffix("\n  reply: not json"))
			g.Expect(l.Requests()[1].Messages()).To(HaveLen(4))
			g.Expect(l.Requests()[2].Messages()).To(HaveLen(2), "the next run asks from the beginning")
		})
	}
}
