package ragtest_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/ragomega/ragomega/cache"
	"github.com/ragomega/ragomega/fixtures"
	"github.com/ragomega/ragomega/ragtest"
)

// ferry has claims that can be told apart in a request.
var ferry = ragtest.Sample{
	Name:      "ferry",
	UserInput: "When does the ferry to Tolma leave?",
	Response:  "The ferry leaves at 7 a.m. and at noon. A ticket costs 15 euros. Dogs travel free.",
	RetrievedContexts: []string{
		"The station has lockers.\nThe ferry leaves at 7 a.m. and at 5 p.m.",
		"A ticket costs 12 euros; children under six travel free. Nobody may smoke on board.",
	},
	Reference: "The ferry leaves at 7 a.m. and at 5 p.m.",
}

var ferryClaims = []string{"The ferry leaves at 7 a.m.", "The ferry leaves at noon.", "A ticket costs 15 euros.", "Dogs travel free."}

// schemaOf is the schema that a request asks for.
func schemaOf(g *WithT, r fixtures.Request) string {
	var body struct {
		Format struct {
			Type   string `json:"type"`
			Schema struct {
				Schema json.RawMessage `json:"schema"`
				Strict bool            `json:"strict"`
			} `json:"json_schema"`
		} `json:"response_format"`
	}
	g.Expect(json.Unmarshal(r.Body, &body)).To(Succeed())
	g.Expect(body.Format.Type).To(Equal("json_schema"))
	g.Expect(body.Format.Schema.Strict).To(BeTrue())
	return string(body.Format.Schema.Schema)
}

// compact is JSON without the blanks between its parts.
func compact(g *WithT, text string) string {
	var b bytes.Buffer
	g.Expect(json.Compact(&b, []byte(text))).To(Succeed())
	return b.String()
}

// Claims are sent in order under their numbers, and the schema asks for an entry
// for each, with the reason before the verdict.
func TestRequestToVerify(t *testing.T) {
	g := NewWithT(t)
	l := newLab(t)
	claims := make([]string, 11)
	for i := range claims {
		claims[i] = fmt.Sprintf("The %dth \"bridge\"", i+1)
	}
	l.On("claims", fixtures.Claims(claims...)).On("verify", fixtures.Verdicts(make([]bool, 11)...))
	_, err := l.measure(l.Judge.Judge().Prompted("claims/v1", "Split."), ragtest.Faithfulness, bridge)
	g.Expect(err).NotTo(HaveOccurred())
	var sent, properties, required []string
	for i, c := range claims {
		text, _ := json.Marshal(c)
		sent = append(sent, fmt.Sprintf(`"%d":%s`, i+1, text))
		properties = append(properties, fmt.Sprintf(`"%d":{"$ref":"#/$defs/entry"}`, i+1))
		required = append(required, fmt.Sprintf(`"%d"`, i+1))
	}
	g.Expect(compact(g, l.Requests()[1].Messages()[1].Content)).To(Equal(
		`{"documents":["The bridge opened in 1932 after eight years of work."],"claims":{` + strings.Join(sent, ",") + `}}`))
	g.Expect(schemaOf(g, l.Requests()[1])).To(Equal(
		`{"type":"object","properties":{` + strings.Join(properties, ",") + `},"required":[` + strings.Join(required, ",") + `],"additionalProperties":false,` +
			`"$defs":{"entry":{"type":"object","properties":{"reason":{"type":"string"},"supported":{"type":"boolean"}},"required":["reason","supported"],"additionalProperties":false}}}`))
}

// A claim that is not supported stands beside what the contexts have nearest to
// it; one that is supported, or has nothing near, stands alone.
func TestNearestSentenceIsShown(t *testing.T) {
	g := NewWithT(t)
	l := newLab(t)
	l.On("claims", fixtures.Claims(ferryClaims...)).On("verify", fixtures.Text(
		`{"1":{"reason":"It says so.","supported":true},"2":{"reason":"At 5 p.m., not at noon.","supported":false},"3":{"reason":"12, not 15.","supported":false},"4":{"reason":"","supported":false}}`))
	s := ferry
	s.RetrievedContexts = []string{ferry.RetrievedContexts[0], "A ticket costs 12 euros.\nNobody may smoke."}
	score, err := l.measure(l.Judge.Judge(), ragtest.Faithfulness, s)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(score.String()).To(Equal(`faithfulness 0.25 (1/4)
  ✓ 1. The ferry leaves at 7 a.m.
  ✗ 2. The ferry leaves at noon.
       At 5 p.m., not at noon.
       nearest: "The ferry leaves at 7 a.m."
  ✗ 3. A ticket costs 15 euros.
       12, not 15.
       nearest: "A ticket costs 12 euros."
  ✗ 4. Dogs travel free.
judge: scripted at localhost, uncalibrated; claims/v2, verify/v2; asked`))

	replayed, err := l.measure(l.Judge.Judge(), ragtest.Faithfulness, s)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(replayed.Verdicts).To(Equal(score.Verdicts))
}

// The judge's own quote, which verify/v1 asks for, comes before what is near by
// its words; where it has none, that is shown.
func TestQuoteOfTheJudgeComesFirst(t *testing.T) {
	g := NewWithT(t)
	l := newLab(t)
	l.On("claims", fixtures.Claims(ferryClaims[1:]...)).On("verify", fixtures.Text(
		`{"verdicts":[{"claim":1,"quote":"at 5 p.m.","reason":"","supported":false},{"claim":2,"quote":"","reason":"","supported":false},{"claim":3,"quote":"travel free","reason":"","supported":true}]}`))
	score, err := l.measure(pinnedToV1(l.Judge.Judge()), ragtest.Faithfulness, ferry)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(score.String()).To(HavePrefix(`faithfulness 0.33 (1/3)
  ✗ 1. The ferry leaves at noon.
       nearest: "at 5 p.m."
  ✗ 2. A ticket costs 15 euros.
       nearest: "A ticket costs 12 euros; children under six travel free."
  ✓ 3. Dogs travel free.
judge:`))
}

// only is a request to verify that is about this claim alone.
func only(claim string) func(fixtures.Request) bool {
	return func(r fixtures.Request) bool {
		var data checkedClaims
		return r.Data(&data) == nil && len(data.Claims) == 1 && data.Claims["1"] == claim
	}
}

// PerClaim asks about each claim alone, and comes to the same score.
func TestPerClaim(t *testing.T) {
	g := NewWithT(t)
	verdicts := []bool{true, false, false, true}
	together := newLab(t)
	together.On("claims", fixtures.Claims(ferryClaims...)).On("verify", fixtures.Verdicts(verdicts...))
	want, err := together.measure(together.Judge.Judge(), ragtest.Faithfulness, ferry)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(together.Asked(fixtures.Any)).To(Equal(2))

	l := newLab(t)
	l.On("claims", fixtures.Claims(ferryClaims...))
	for i, c := range ferryClaims {
		l.When("verify", only(c), fixtures.Verdicts(verdicts[i]))
	}
	j := l.Judge.Judge().PerClaim()
	score, err := l.measure(j, ragtest.Faithfulness, ferry)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(score.Value).To(Equal(want.Value))
	g.Expect(score.Verdicts).To(Equal(want.Verdicts))
	g.Expect(l.Asked("claims")).To(Equal(1))
	g.Expect(l.Asked("verify")).To(Equal(len(ferryClaims)))
	keys := map[cache.Key]bool{}
	for i, x := range score.Exchanges {
		keys[x.Key] = true
		g.Expect(x.Step).To(Equal([]string{"claims/v2", "verify/v2"}[min(i, 1)]))
	}
	g.Expect(keys).To(HaveLen(1 + len(ferryClaims)))
	for _, r := range l.Requests()[1:] {
		var data checkedClaims
		exactly(g, r, &data, "documents", "claims")
		g.Expect(data.Documents).To(Equal(ferry.RetrievedContexts), "all of them, each time")
	}

	replayed, err := l.measure(j, ragtest.Faithfulness, ferry)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(replayed.Verdicts).To(Equal(score.Verdicts))
	for i := range score.Exchanges {
		g.Expect(replayed.Exchanges[i].Key).To(Equal(score.Exchanges[i].Key))
	}
	g.Expect(l.Asked(fixtures.Any)).To(Equal(1 + len(ferryClaims)))
}

// A claim that another answer makes too is known, wherever it stands there, and
// whatever the question. Contexts that changed are another question.
func TestPerClaimAsksAboutWhatIsNew(t *testing.T) {
	g := NewWithT(t)
	l := newLab(t)
	l.On("claims", fixtures.Claims(ferryClaims...)).On("verify", fixtures.Verdicts(true), fixtures.Verdicts(true), fixtures.Verdicts(true), fixtures.Verdicts(true))
	j := l.Judge.Judge().PerClaim()
	_, err := l.measure(j, ragtest.Faithfulness, ferry)
	g.Expect(err).NotTo(HaveOccurred())

	other := ferry
	other.UserInput += " Is it cheap?"
	other.Response = "A ticket costs 15 euros. The ferry leaves at 7 a.m. Cats travel free."
	l.On("claims", fixtures.Claims(ferryClaims[2], ferryClaims[0], "Cats travel free.")).
		When("verify", only("Cats travel free."), fixtures.Verdicts(false))
	asked := l.Asked("verify")
	score, err := l.measure(j, ragtest.Faithfulness, other)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(l.Asked("verify")).To(Equal(asked + 1))
	g.Expect(score.Fraction()).To(Equal("2/3"))
	g.Expect(score.Verdicts[2].OK).To(BeFalse())

	other.RetrievedContexts = other.RetrievedContexts[:1]
	l.On("verify", fixtures.Verdicts(false), fixtures.Verdicts(false), fixtures.Verdicts(false))
	score, err = l.measure(j, ragtest.Faithfulness, other)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(l.Asked("verify")).To(Equal(asked + 4))
	g.Expect(score.Value).To(BeZero())
}

// One claim whose verdict cannot be had leaves no score, and the others are kept.
func TestPerClaimWithoutOneVerdict(t *testing.T) {
	g := NewWithT(t)
	l := newLab(t)
	l.On("claims", fixtures.Claims(ferryClaims...))
	for i, c := range ferryClaims {
		if i == 2 {
			l.When("verify", only(c), fixtures.Text("prose"), fixtures.Text("{}"))
		} else {
			l.When("verify", only(c), fixtures.Verdicts(true))
		}
	}
	j := l.Judge.Judge().PerClaim()
	score, err := l.measure(j, ragtest.Faithfulness, ferry)
	g.Expect(err).To(MatchError(ragtest.ErrMalformed))
	g.Expect(score).To(BeZero())

	l.When("verify", only(ferryClaims[2]), fixtures.Verdicts(false))
	asked := l.Asked(fixtures.Any)
	score, err = l.measure(j, ragtest.Faithfulness, ferry)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(score.Fraction()).To(Equal("3/4"))
	g.Expect(l.Asked(fixtures.Any)).To(Equal(asked + 1))
}

// PerClaim is a copy, and goes with the prompts of the first release.
func TestPerClaimOfV1(t *testing.T) {
	g := NewWithT(t)
	l := newLab(t)
	l.On("claims", fixtures.Claims("A", "B")).On("verify", fixtures.Text(verdictsFor("1")), fixtures.Text(verdictsFor("1")))
	j := pinnedToV1(l.Judge.Judge())
	score, err := l.measure(j.PerClaim(), ragtest.ContextRecall, bridge)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(score.Fraction()).To(Equal("2/2"))
	g.Expect(l.Asked("verify")).To(Equal(2))

	l.On("verify", fixtures.Text(verdictsFor("1", "2")))
	_, err = l.measure(j, ragtest.ContextRecall, bridge)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(l.Asked("verify")).To(Equal(3), "the judge itself asks about all at once")
}

// A judge that gives the reason of an example has copied its verdict, too.
func TestCopiedReasonsAreNoVerdicts(t *testing.T) {
	g := NewWithT(t)
	l := newLab(t)
	copied := fixtures.Text(`{"1":{"reason":"The documents say nothing of a restaurant.","supported":false}}`)
	l.On("claims", fixtures.Claims("The bridge opened in 1932.")).On("verify", copied, copied)
	_, err := l.measure(l.Judge.Judge(), ragtest.Faithfulness, bridge)
	g.Expect(err).To(MatchError(ragtest.ErrMalformed))
	g.Expect(err).To(MatchError(ContainSubstring("for claim 1 that of an example of the prompt")))
	g.Expect(l.Asked("verify")).To(Equal(2), "it is asked to mend the reply")
}
