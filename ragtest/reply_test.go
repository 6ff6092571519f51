package ragtest_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	. "github.com/onsi/gomega"
	"pgregory.net/rapid"

	"github.com/ragomega/ragomega/fixtures"
	"github.com/ragomega/ragomega/ragtest"
)

const (
	good      = `{"claims":["A"]}`
	supported = `{"1":{"reason":"r","supported":true}}`
)

// badReply is a reply that cannot be used.
type badReply struct {
	claims fixtures.Reply
	verify string // "" if the claims are what is bad
	kind   error
	want   string // text of the ReplyError
}

// check has the judge reply so, also to the attempt to mend it: that is no
// score, and is not kept. prepare makes the judge what it is to be.
func (b badReply) check(t *testing.T, prepare func(*ragtest.Judge) *ragtest.Judge) {
	g := NewWithT(t)
	l := newLab(t)
	l.On("claims", b.claims)
	if b.verify == "" {
		l.On("claims", b.claims)
	} else {
		l.On("verify", fixtures.Text(b.verify), fixtures.Text(b.verify))
	}
	j := prepare(l.Judge.Judge())
	score, err := l.measure(j, ragtest.Faithfulness, bridge)
	g.Expect(score).To(BeZero())
	g.Expect(err).To(MatchError(b.kind))
	var bad *ragtest.ReplyError
	g.Expect(asError(err, &bad)).To(BeTrue())
	g.Expect(bad.Error()).To(Equal(b.want))
	g.Expect(err.Error()).To(HavePrefix(`not measured: faithfulness of sample "bridge" in `))
	g.Expect(err.Error()).To(ContainSubstring(" in TestBadReply"))

	asked := l.Asked(fixtures.Any)
	_, err = l.measure(j, ragtest.Faithfulness, bridge)
	g.Expect(err).To(HaveOccurred())
	g.Expect(l.Asked(fixtures.Any)).To(BeNumerically(">", asked), "a bad reply is not kept")
}

func unchanged(j *ragtest.Judge) *ragtest.Judge { return j }

// A reply that cannot be used is no score, and is not kept. The judge may mend
// it once; here it fails again.
func TestBadReply(t *testing.T) {
	four := fixtures.Claims("A", "B", "C", "D")
	one := fixtures.Claims("A")
	const step = "step verify/v2: expected "
	for name, test := range map[string]badReply{
		"prose": {
			fixtures.Text("I cannot do that."), "", ragtest.ErrMalformed,
			"malformed reply in step claims/v2: expected a JSON object, got none that is complete\n  reply: I cannot do that.",
		},
		"half an object": {
			fixtures.Text(`{"claims":["A","B`), "", ragtest.ErrMalformed,
			"malformed reply in step claims/v2: expected a JSON object, got none that is complete\n  reply: {\"claims\":[\"A\",\"B",
		},
		"half an object in a fence": {
			fixtures.Text("```json\n{\"claims\":[\"A\"]\n```"), "", ragtest.ErrMalformed,
			"malformed reply in step claims/v2: expected a JSON object, got none that is complete\n  reply: ```json {\"claims\":[\"A\"] ```",
		},
		"a list": {
			fixtures.Text(`["A"]`), "", ragtest.ErrMalformed,
			"malformed reply in step claims/v2: expected a JSON object, got JSON of another kind\n  reply: [\"A\"]",
		},
		"null": {
			fixtures.Text(`null`), "", ragtest.ErrMalformed,
			"malformed reply in step claims/v2: expected a JSON object, got JSON of another kind\n  reply: null",
		},
		"wrong key": {
			fixtures.Text(`{"statements":["A"],"n":1}`), "", ragtest.ErrMalformed,
			"malformed reply in step claims/v2: expected the field \"claims\", got the field \"statements\", \"n\"\n  reply: {\"statements\":[\"A\"],\"n\":1}",
		},
		"an empty object": {
			fixtures.Text(`{}`), "", ragtest.ErrMalformed,
			"malformed reply in step claims/v2: expected the field \"claims\", got an empty object\n  reply: {}",
		},
		"claims null": {
			fixtures.Text(`{"claims":null}`), "", ragtest.ErrMalformed,
			"malformed reply in step claims/v2: expected the field \"claims\", got the field \"claims\"\n  reply: {\"claims\":null}",
		},
		"claim null": {
			fixtures.Text(`{"claims":["A",null]}`), "", ragtest.ErrMalformed,
			"malformed reply in step claims/v2: expected a text for each claim, got none for claim 2\n  reply: {\"claims\":[\"A\",null]}",
		},
		"claim blank": {
			fixtures.Text(`{"claims":["\u200b"]}`), "", ragtest.ErrMalformed,
			"malformed reply in step claims/v2: expected a text for each claim, got none for claim 1\n  reply: {\"claims\":[\"\\u200b\"]}",
		},
		"two objects": {
			fixtures.Text("First {\"claims\":[\"X\"]}, no: {\"claims\":[\"A\"]}"), "", ragtest.ErrMalformed,
			"malformed reply in step claims/v2: expected one JSON object, got several\n  reply: First {\"claims\":[\"X\"]}, no: {\"claims\":[\"A\"]}",
		},
		"thoughts that do not end": {
			fixtures.Text("<think>Perhaps {\"claims\":[\"X\"]}? Or"), "", ragtest.ErrMalformed,
			"malformed reply in step claims/v2: expected a JSON object, got thoughts that do not end\n  reply: <think>Perhaps {\"claims\":[\"X\"]}? Or",
		},
		"half an object after whole ones": {
			one, `{"1":{"reason":"r","supported":true},`, ragtest.ErrMalformed,
			"malformed reply in " + step + "a JSON object, got none that is complete\n  reply: {\"1\":{\"reason\":\"r\",\"supported\":true},",
		},
		"no entry for the last of 4 claims": {
			four, entries("1", "2", "3"), ragtest.ErrMiscounted,
			"miscounted verdicts in " + step + "one entry for each of 4 claims, got none for 4\n  reply: " + entries("1", "2", "3"),
		},
		"no entry for two in the middle": {
			four, entries("4", "1"), ragtest.ErrMiscounted,
			"miscounted verdicts in " + step + "one entry for each of 4 claims, got none for 2, 3\n  reply: " + entries("4", "1"),
		},
		"no entry": {
			one, `{}`, ragtest.ErrMiscounted,
			"miscounted verdicts in " + step + "one entry for each of 1 claims, got none for 1\n  reply: {}",
		},
		"one entry too many": {
			four, entries("1", "2", "3", "4", "5"), ragtest.ErrMiscounted,
			"miscounted verdicts in " + step + "one entry for each of 4 claims, got one for 5, not asked about\n  reply: " + entries("1", "2", "3", "4", "5"),
		},
		"another entry": {
			one, entries("2"), ragtest.ErrMiscounted,
			"miscounted verdicts in " + step + "one entry for each of 1 claims, got none for 1 and one for 2, not asked about\n  reply: " + entries("2"),
		},
		"counted from 0": {
			one, entries("0"), ragtest.ErrMiscounted,
			"miscounted verdicts in " + step + "one entry for each of 1 claims, got none for 1 and one for 0, not asked about\n  reply: " + entries("0"),
		},
		"a key that means the same": {
			one, entries("01"), ragtest.ErrMiscounted,
			"miscounted verdicts in " + step + "one entry for each of 1 claims, got none for 1 and one for 01, not asked about\n  reply: " + entries("01"),
		},
		"an entry null": {
			one, `{"1":null}`, ragtest.ErrMiscounted,
			"miscounted verdicts in " + step + "one entry for each of 1 claims, got none for 1\n  reply: {\"1\":null}",
		},
		"one entry null of two": { // it is null that counts, not what the other says
			fixtures.Claims("A", "B"), `{"1":null,"2":{"reason":"r","supported":true}}`, ragtest.ErrMiscounted,
			"miscounted verdicts in " + step + "one entry for each of 2 claims, got none for 1\n  reply: {\"1\":null,\"2\":{\"reason\":\"r\",\"supported\":true}}",
		},
		"an entry twice": {
			four, entries("1", "2", "2", "4"), ragtest.ErrMalformed,
			"malformed reply in " + step + "each field once, got the field \"2\" twice\n  reply: " + entries("1", "2", "2", "4"),
		},
		"no verdict": {
			fixtures.Claims("A", "B"), `{"1":{"reason":"r","supported":true},"2":{"reason":"looks fine"}}`, ragtest.ErrMalformed,
			"malformed reply in " + step + "\"supported\" in every entry, got none in entry 2\n  reply: {\"1\":{\"reason\":\"r\",\"supported\":true},\"2\":{\"reason\":\"looks fine\"}}",
		},
		"no verdict in one too many": {
			one, `{"1":{"supported":true},"2":{}}`, ragtest.ErrMalformed,
			"malformed reply in " + step + "\"supported\" in every entry, got none in entry 2\n  reply: {\"1\":{\"supported\":true},\"2\":{}}",
		},
		"a verdict twice in one entry": {
			one, `{"1":{"supported":false,"Supported":true}}`, ragtest.ErrMalformed,
			"malformed reply in " + step + "each field once, got the field \"Supported\" twice\n  reply: {\"1\":{\"supported\":false,\"Supported\":true}}",
		},
		"values are checked before they are counted": {
			four, `{"2":{"reason":"r","supported":"yes"}}`, ragtest.ErrMalformed,
			"malformed reply in " + step + "true or false, got \"yes\" in entry 2\n  reply: {\"2\":{\"reason\":\"r\",\"supported\":\"yes\"}}",
		},
	} {
		t.Run(name, func(t *testing.T) { test.check(t, unchanged) })
	}
}

// entries is a reply to verify with a yes for each number.
func entries(numbers ...string) string {
	list := make([]string, len(numbers))
	for i, n := range numbers {
		list[i] = `"` + n + `":{"reason":"r","supported":true}`
	}
	return "{" + strings.Join(list, ",") + "}"
}

// However many entries are missing, the message stays short, and names the
// first by their numbers.
func TestBadReplyWithoutManyEntries(t *testing.T) {
	claims := make([]string, 12)
	for i := range claims {
		claims[i] = "A"
	}
	badReply{
		fixtures.Claims(claims...), entries("1", "13"), ragtest.ErrMiscounted,
		"miscounted verdicts in step verify/v2: expected one entry for each of 12 claims, got none for 2, 3, 4, 5, 6, 7, 8, 9 and 3 more and one for 13, not asked about\n  reply: " + entries("1", "13"),
	}.check(t, unchanged)
}

// An entry is an object: what a model writes in its place is none, even where it
// is true.
func TestEntryThatIsNone(t *testing.T) {
	for _, value := range []string{`true`, `1`, `"true"`, `"{\"supported\":true}"`, `[]`, `[{"supported":true}]`, `{"reason":1,"supported":true}`} {
		t.Run(value, func(t *testing.T) {
			g := NewWithT(t)
			l := newLab(t)
			bad := fixtures.Text(`{"1":` + value + `}`)
			l.On("claims", fixtures.Claims("A")).On("verify", bad, bad)
			err := l.fails(l.Judge.Judge())
			g.Expect(err).To(MatchError(ragtest.ErrMalformed))
			g.Expect(err.Error()).To(ContainSubstring("malformed reply in step verify/v2: expected JSON of the schema, got "))
			g.Expect(err.Error()).To(ContainSubstring(" in entry 1\n"))
		})
	}
}

// A verdict is a yes or a no. Another word is neither, and the message shows it.
func TestVerdictThatIsNone(t *testing.T) {
	for _, value := range []string{`"No, the context does not say this."`, `"true"`, `-1`, `0.5`, `2`, `1.0`, `null`, `[]`, `{"value":true}`} {
		t.Run(value, func(t *testing.T) {
			g := NewWithT(t)
			l := newLab(t)
			bad := fixtures.Text(`{"1":{"reason":"r","supported":` + value + `}}`)
			l.On("claims", fixtures.Claims("A")).On("verify", bad, bad)
			err := l.fails(l.Judge.Judge())
			g.Expect(err).To(MatchError(ragtest.ErrMalformed))
			g.Expect(err.Error()).To(ContainSubstring("expected true or false, got " + value + " in entry 1\n"))
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
			l.On("claims", fixtures.Text(content)).On("verify", fixtures.Text(supported))
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

// So is a reply to verify, whose braces are nested.
func TestEntriesInAnotherDress(t *testing.T) {
	for name, content := range map[string]string{
		"fence":        "```json\n" + supported + "\n```\n",
		"prose around": "For {claim 1}:\n" + supported + "\nThat is {all}.",
		"prose before": "Here you are: " + supported,
		"thoughts":     "<think>{\"1\":{\"reason\":\"\",\"supported\":false}}?</think>\n" + supported,
		"blanks":       "{\n  \"1\" : {\n    \"reason\" : \"r\" ,\n    \"supported\" : true\n  }\n}\n",
		"escapes":      `{"\u0031":{"reason":"r","supported":true}}`,
		"other fields": `{"1":{"sure":0.9,"supported":true,"quotes":["x"],"reason":"r"}}`,
		"1 for true":   `{"1":{"reason":"r","supported":1}}`,
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			l := newLab(t)
			l.On("claims", fixtures.Text(good)).On("verify", fixtures.Text(content))
			score, err := l.measure(l.Judge.Judge(), ragtest.Faithfulness, bridge)
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(score.Verdicts).To(Equal([]ragtest.Verdict{{Claim: "A", OK: true, Reason: "r"}}))
			g.Expect(l.Asked(fixtures.Any)).To(Equal(2))
		})
	}
}

// Entries may come in any order, with 1 and 0, and with fields of the judge's
// own.
func TestVerdictsInAnotherDress(t *testing.T) {
	g := NewWithT(t)
	l := newLab(t)
	l.On("claims", fixtures.Claims("A", "B", "C")).On("verify", fixtures.Text(
		`{"3":{"supported":1},"1":{"supported":false,"reason":"r","sure":true},"2":{"supported":0}}`))
	score, err := l.measure(l.Judge.Judge(), ragtest.ContextRecall, bridge)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(score.Metric).To(Equal("context_recall"))
	g.Expect(score.Value).To(Equal(1.0 / 3))
	g.Expect(score.Verdicts).To(Equal([]ragtest.Verdict{
		{Claim: "A", Reason: "r"}, {Claim: "B"}, {Claim: "C", OK: true},
	}))
}

// The order of the entries says nothing: each belongs to the claim of its
// number.
func TestOrderOfEntriesDoesNotMatter(t *testing.T) {
	c := off(t)
	rapid.Check(t, func(rt *rapid.T) {
		said := rapid.SliceOfN(rapid.Bool(), 1, 15).Draw(rt, "verdicts")
		numbers := make([]int, len(said))
		claims := make([]string, len(said))
		for i := range said {
			numbers[i], claims[i] = i+1, fmt.Sprintf("claim %d", i+1)
		}
		var list []string
		for _, n := range rapid.Permutation(numbers).Draw(rt, "order") {
			list = append(list, fmt.Sprintf(`"%d":{"reason":"of %d","supported":%v}`, n, n, said[n-1]))
		}
		j := ragtest.NewJudgeClient(clientFunc(func(_ ctx, r chatRequest) (chatResponse, error) {
			if r.ResponseFormat.JSONSchema.Name == "verify" {
				return reply("{" + strings.Join(list, ",") + "}"), nil
			}
			b, err := json.Marshal(map[string]any{"claims": claims})
			return reply(string(b)), err
		}), "here", "m").CachedIn(c)
		s := bridge
		s.Response = strings.Join(claims, ". ")
		score, err := j.Measure(context.Background(), ragtest.Faithfulness, s)
		if err != nil {
			rt.Fatal(err)
		}
		for i, v := range score.Verdicts {
			if v.Claim != claims[i] || v.OK != said[i] || v.Reason != fmt.Sprintf("of %d", i+1) {
				rt.Fatalf("claim %d has the verdict %+v", i+1, v)
			}
		}
	})
}

// Valid JSON is never rewritten: what looks like a fault in it is text.
func TestValidReplyIsNotRewritten(t *testing.T) {
	claims := []string{
		"Limits are (1, ] and {2, }", "```json", "</think> ends it", "a\u2028b", "quote \" and \\ back", "<b>&amp;</b>", "塔高41米 🗼", "tab\tand\nline",
	}
	g := NewWithT(t)
	l := newLab(t)
	l.On("claims", fixtures.Claims(claims...)).On("verify", fixtures.Verdicts(make([]bool, len(claims))...))
	s := bridge
	s.Response = strings.Join(claims, " ")
	score, err := l.measure(l.Judge.Judge(), ragtest.Faithfulness, s)
	g.Expect(err).NotTo(HaveOccurred())
	var data checkedClaims
	g.Expect(l.Requests()[1].Data(&data)).To(Succeed())
	g.Expect(data.Claims).To(HaveLen(len(claims)))
	for i, c := range claims {
		g.Expect(score.Verdicts[i].Claim).To(Equal(c))
		g.Expect(data.Claims).To(HaveKeyWithValue(fmt.Sprint(i+1), c))
	}
}

// One repair: what is wrong goes back to the judge, and what comes then is kept
// under the first request.
func TestRepair(t *testing.T) {
	g := NewWithT(t)
	l := newLab(t)
	l.On("claims", fixtures.Claims("A", "B")).
		On("verify", fixtures.Text(supported), fixtures.Verdicts(true, false))
	score, err := l.measure(l.Judge.Judge(), ragtest.Faithfulness, bridge)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(score.Value).To(Equal(0.5))
	g.Expect(l.Asked("verify")).To(Equal(2))
	g.Expect(score.Exchanges).To(HaveLen(2))
	g.Expect(score.Exchanges[1].Tokens).To(Equal(ragtest.Tokens{In: 20, Out: 10}), "both calls are paid")

	first, second := l.Requests()[1].Messages(), l.Requests()[2].Messages()
	g.Expect(second).To(HaveLen(4))
	g.Expect(second[:2]).To(Equal(first))
	g.Expect(second[2]).To(Equal(fixtures.Message{Role: "assistant", Content: supported}))
	g.Expect(second[3]).To(Equal(fixtures.Message{
		Role: "user",
		Content: "That reply cannot be used: miscounted verdicts: expected one entry for each of 2 claims, got none for 2\n  reply: " + supported +
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
