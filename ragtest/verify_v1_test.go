package ragtest_test

import (
	"encoding/json"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/ragomega/ragomega/fixtures"
	"github.com/ragomega/ragomega/ragtest"
)

// pinnedToV1 makes a judge the one of the first release.
func pinnedToV1(j *ragtest.Judge) *ragtest.Judge { return j.Pinned("claims/v1", "verify/v1") }

// verdictsFor is a reply to verify/v1 with a yes for each number.
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

// The form of verify/v1 is read as strictly as ever.
func TestBadReplyToV1(t *testing.T) {
	four := fixtures.Claims("A", "B", "C", "D")
	one := fixtures.Claims("A")
	const step = "step verify/v1: expected "
	for name, test := range map[string]badReply{
		"prose for claims": {
			fixtures.Text("I cannot do that."), "", ragtest.ErrMalformed,
			"malformed reply in step claims/v1: expected a JSON object, got none that is complete\n  reply: I cannot do that.",
		},
		"half an object after whole ones": {
			one, `{"verdicts":[{"claim":1,"quote":"","reason":"r","supported":true},`, ragtest.ErrMalformed,
			"malformed reply in " + step + "a JSON object, got none that is complete\n  reply: {\"verdicts\":[{\"claim\":1,\"quote\":\"\",\"reason\":\"r\",\"supported\":true},",
		},
		"3 verdicts for 4 claims": {
			four, verdictsFor("1", "2", "3"), ragtest.ErrMiscounted,
			"miscounted verdicts in " + step + "one verdict for each of 4 claims, got 3\n  reply: " + verdictsFor("1", "2", "3"),
		},
		"5 verdicts for 4 claims": {
			four, verdictsFor("1", "2", "3", "4", "5"), ragtest.ErrMiscounted,
			"miscounted verdicts in " + step + "one verdict for each of 4 claims, got 5\n  reply: " + verdictsFor("1", "2", "3", "4", "5"),
		},
		"no verdict": {
			one, `{"verdicts":[]}`, ragtest.ErrMiscounted,
			"miscounted verdicts in " + step + "one verdict for each of 1 claims, got 0\n  reply: {\"verdicts\":[]}",
		},
		"the same number twice": {
			four, verdictsFor("1", "2", "2", "4"), ragtest.ErrMiscounted,
			"miscounted verdicts in " + step + "one verdict for each of 4 claims, got two for claim 2\n  reply: " + verdictsFor("1", "2", "2", "4"),
		},
		"a number out of range": {
			one, verdictsFor("2"), ragtest.ErrMiscounted,
			"miscounted verdicts in " + step + "one verdict for each of 1 claims, got one for claim 2, which was not asked about\n  reply: " + verdictsFor("2"),
		},
		"number 0": {
			one, verdictsFor("0"), ragtest.ErrMiscounted,
			"miscounted verdicts in " + step + "one verdict for each of 1 claims, got one for claim 0, which was not asked about\n  reply: " + verdictsFor("0"),
		},
		"no number": {
			one, `{"verdicts":[{"quote":"","reason":"r","supported":true}]}`, ragtest.ErrMalformed,
			"malformed reply in " + step + "\"claim\" and \"supported\" in every verdict, got not both in verdict 1\n  reply: {\"verdicts\":[{\"quote\":\"\",\"reason\":\"r\",\"supported\":true}]}",
		},
		"no verdict field": {
			one, `{"verdicts":[{"claim":1,"reason":"looks fine"}]}`, ragtest.ErrMalformed,
			"malformed reply in " + step + "\"claim\" and \"supported\" in every verdict, got not both in verdict 1\n  reply: {\"verdicts\":[{\"claim\":1,\"reason\":\"looks fine\"}]}",
		},
		"verdicts null": {
			one, `{"verdicts":null}`, ragtest.ErrMalformed,
			"malformed reply in " + step + "the field \"verdicts\", got the field \"verdicts\"\n  reply: {\"verdicts\":null}",
		},
		"the form of verify/v2": {
			one, entries("1"), ragtest.ErrMalformed,
			"malformed reply in " + step + "the field \"verdicts\", got the field \"1\"\n  reply: " + entries("1"),
		},
		"a verdict twice in one object": {
			one, `{"verdicts":[{"claim":1,"supported":false,"Supported":true}]}`, ragtest.ErrMalformed,
			"malformed reply in " + step + "each field once, got the field \"Supported\" twice\n  reply: {\"verdicts\":[{\"claim\":1,\"supported\":false,\"Supported\":true}]}",
		},
		"the list twice": { // a decoder would fill the second from the first
			one, `{"verdicts":[{"claim":1,"supported":true}],"verdicts":[{"claim":1}]}`, ragtest.ErrMalformed,
			"malformed reply in " + step + "each field once, got the field \"verdicts\" twice\n  reply: {\"verdicts\":[{\"claim\":1,\"supported\":true}],\"verdicts\":[{\"claim\":1}]}",
		},
	} {
		t.Run(name, func(t *testing.T) { test.check(t, pinnedToV1) })
	}
}

func TestVerdictThatIsNoneInV1(t *testing.T) {
	for _, value := range []string{`"No, the context does not say this."`, `"true"`, `-1`, `0.5`, `2`, `1.0`, `null`, `[]`} {
		t.Run(value, func(t *testing.T) {
			g := NewWithT(t)
			l := newLab(t)
			bad := fixtures.Text(`{"verdicts":[{"claim":1,"quote":"","reason":"r","supported":` + value + `}]}`)
			l.On("claims", fixtures.Claims("A")).On("verify", bad, bad)
			err := l.fails(pinnedToV1(l.Judge.Judge()))
			g.Expect(err).To(MatchError(ragtest.ErrMalformed))
			g.Expect(err.Error()).To(ContainSubstring(`expected true or false for "supported", got ` + value + " in verdict 1\n"))
		})
	}
}

// Verdicts of v1 may come in any order, with 1 and 0, and with fields of the
// judge's own; they have a quote.
func TestVerdictsInAnotherDressInV1(t *testing.T) {
	g := NewWithT(t)
	l := newLab(t)
	l.On("claims", fixtures.Claims("A", "B", "C")).On("verify", fixtures.Text(
		`{"note":"n","verdicts":[{"claim":3,"supported":1},{"claim":1,"supported":false,"quote":"q","reason":"r","sure":true},{"claim":2,"supported":0}]}`))
	score, err := l.measure(pinnedToV1(l.Judge.Judge()), ragtest.ContextRecall, bridge)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(score.Value).To(Equal(1.0 / 3))
	g.Expect(score.Verdicts).To(Equal([]ragtest.Verdict{
		{Claim: "A", Quote: "q", Reason: "r"}, {Claim: "B"}, {Claim: "C", OK: true},
	}))
	g.Expect(score.Exchanges[1].Step).To(Equal("verify/v1"))

	replayed, err := l.measure(pinnedToV1(l.Judge.Judge()), ragtest.ContextRecall, bridge)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(replayed.Verdicts).To(Equal(score.Verdicts))
	g.Expect(l.Asked(fixtures.Any)).To(Equal(2))
}

// What v1 sends does not change either: a key is made of it.
func TestRequestOfV1(t *testing.T) {
	g := NewWithT(t)
	l := newLab(t)
	l.On("claims", fixtures.Claims("A", `B "b"`)).On("verify", fixtures.Text(verdictsFor("1", "2")))
	_, err := l.measure(pinnedToV1(l.Judge.Judge()), ragtest.Faithfulness, bridge)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(l.Requests()[1].Messages()[1].Content).To(Equal(
		`{"documents":["The bridge opened in 1932 after eight years of work."],"claims":[{"claim":1,"text":"A"},{"claim":2,"text":"B \"b\""}]}`))
	var body struct {
		Format struct {
			Schema struct {
				Schema json.RawMessage `json:"schema"`
			} `json:"json_schema"`
		} `json:"response_format"`
	}
	g.Expect(json.Unmarshal(l.Requests()[1].Body, &body)).To(Succeed())
	g.Expect(string(body.Format.Schema.Schema)).To(Equal(
		`{"type":"object","properties":{"verdicts":{"type":"array","minItems":2,"maxItems":2,"items":{"type":"object","properties":{` +
			`"claim":{"type":"integer"},"quote":{"type":"string"},"reason":{"type":"string"},"supported":{"type":"boolean"}},` +
			`"required":["claim","quote","reason","supported"],"additionalProperties":false}}},"required":["verdicts"],"additionalProperties":false}`))
}
