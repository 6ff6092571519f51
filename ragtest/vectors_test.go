package ragtest_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/ragomega/ragomega/fixtures"
	"github.com/ragomega/ragomega/ragtest"
)

// vector is what a metric must make of inputs and of a judge's replies.
type vector struct {
	ID     string          `json:"id"`
	Metric string          `json:"metric"`
	Inputs ragtest.Sample  `json:"inputs"`
	Judge  vectorJudge     `json:"judge"`
	Ours   json.RawMessage `json:"ours"` // a number, {"error": kind} or "skip"
	Why    string          `json:"why"`  // where it is not what Ragas has
}

// vectorJudge is what the judge says, whatever the form.
type vectorJudge struct {
	Statements    []string          `json:"statements"`
	Verdicts      []json.RawMessage `json:"verdicts"`
	Attributed    []json.RawMessage `json:"attributed"`
	RawStatements *string           `json:"raw_statement_reply"`
	RawVerdicts   *string           `json:"raw_verdict_reply"`
	Fixed         *string           `json:"fixed_reply"` // to the attempt to mend RawStatements
}

// implemented are the metrics whose vectors are run, with what the judge says in
// each step. Vectors of other metrics are passed over.
var implemented = map[string]struct {
	metric ragtest.Metric
	script func(*fixtures.Judge, vectorJudge)
}{
	"faithfulness": {ragtest.Faithfulness, func(j *fixtures.Judge, v vectorJudge) {
		if v.RawStatements != nil {
			j.On("claims", fixtures.Text(translate("claims", *v.RawStatements)), fixtures.Text(translate("claims", *v.Fixed)))
		} else {
			j.On("claims", fixtures.Claims(v.Statements...))
		}
		if v.RawVerdicts != nil {
			j.On("verify", fixtures.Text(translate("verify", *v.RawVerdicts)))
		} else {
			j.On("verify", verdictsAre(v.Verdicts))
		}
	}},
	"context_recall": {ragtest.ContextRecall, func(j *fixtures.Judge, v vectorJudge) {
		claims := v.Statements
		if claims == nil { // Ragas' judge finds them while it looks for them
			for i := range v.Attributed {
				claims = append(claims, fmt.Sprintf("claim %d", i))
			}
		}
		j.On("claims", fixtures.Claims(claims...)).On("verify", verdictsAre(v.Attributed))
	}},
}

// verdictsAre is a reply with these verdicts, as the judge wrote them.
func verdictsAre(values []json.RawMessage) fixtures.Reply {
	var list []string
	for i, v := range values {
		list = append(list, fmt.Sprintf(`{"claim":%d,"quote":"","reason":"r","supported":%s}`, i+1, v))
	}
	return fixtures.Text(`{"verdicts":[` + strings.Join(list, ",") + `]}`)
}

var vectorErrors = map[string]error{
	"missing_input": ragtest.ErrMissingInput, "undefined": ragtest.ErrUndefined, "miscounted": ragtest.ErrMiscounted,
	"malformed": ragtest.ErrMalformed, "bad_vector": ragtest.ErrBadVector,
}

// The same verdicts give the same score as in Ragas, to the last bit, or the
// error that says why there is none. RAGTEST_VECTORS names a folder with other
// vectors to run.
func TestVectors(t *testing.T) {
	n := 0
	for _, v := range readVectors(t) {
		m, ok := implemented[v.Metric]
		if !ok || string(v.Ours) == `"skip"` {
			continue
		}
		n++
		t.Run(v.ID, func(t *testing.T) {
			g := NewWithT(t)
			judge := fixtures.NewJudge(t)
			m.script(judge, v.Judge)
			score, err := judge.Judge().CachedIn(off(t)).Measure(t.Context(), m.metric, v.Inputs)

			var want struct{ Error string }
			if json.Unmarshal(v.Ours, &want) == nil {
				kind := vectorErrors[want.Error]
				g.Expect(kind).To(HaveOccurred(), "%s is no kind of error", v.Ours)
				g.Expect(err).To(MatchError(kind), v.Why)
				g.Expect(score).To(BeZero())
				if want.Error == "missing_input" {
					g.Expect(judge.Asked(fixtures.Any)).To(BeZero())
				}
				return
			}
			var value float64
			g.Expect(json.Unmarshal(v.Ours, &value)).To(Succeed())
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(score.Value).To(Equal(value), v.Why)
			g.Expect(score.Fraction()).NotTo(BeEmpty())
		})
	}
	t.Logf("%d cases", n)
	if n == 0 {
		t.Error("no vector was run")
	}
}

func readVectors(t *testing.T) (vectors []vector) {
	t.Helper()
	dir := "testdata"
	if other := os.Getenv("RAGTEST_VECTORS"); other != "" {
		dir = other
		if _, err := os.Stat(dir); errors.Is(err, os.ErrNotExist) {
			dir = filepath.Join("..", other) // as seen from the root of the module
		}
	}
	text, err := os.ReadFile(filepath.Join(dir, "ragas.json"))
	if err != nil {
		t.Fatal(err)
	}
	// Other metrics' judges and inputs have fields of other types.
	var raw []json.RawMessage
	if err := json.Unmarshal(text, &raw); err != nil {
		t.Fatal(err)
	}
	for _, r := range raw {
		var v vector
		var name struct{ Metric string }
		if err := json.Unmarshal(r, &name); err != nil {
			t.Fatal(err)
		}
		if _, ok := implemented[name.Metric]; !ok {
			continue
		}
		if err := json.Unmarshal(r, &v); err != nil {
			t.Fatalf("%v in %s", err, r)
		}
		vectors = append(vectors, v)
	}
	return vectors
}
