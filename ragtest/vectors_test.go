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
	ID         string               `json:"id"`
	Metric     string               `json:"metric"`
	Inputs     ragtest.Sample       `json:"inputs"`
	Params     json.RawMessage      `json:"params"`
	Judge      json.RawMessage      `json:"judge"`      // what the judge says, whatever the form
	Embeddings map[string][]float64 `json:"embeddings"` // by text
	Ours       json.RawMessage      `json:"ours"`       // a number, {"error": kind} or "skip"
	Why        string               `json:"why"`        // where it is not what Ragas has
}

// params and says read what a metric's vectors have; the fields depend on it.
func (v vector) params(t *testing.T, p any) { v.read(t, v.Params, p) }
func (v vector) says(t *testing.T, s any)   { v.read(t, v.Judge, s) }

func (v vector) read(t *testing.T, raw json.RawMessage, into any) {
	t.Helper()
	if err := json.Unmarshal(raw, into); err != nil {
		t.Fatalf("%s: %v", v.ID, err)
	}
}

// play returns the metric of a vector, and has the judge say its part.
type play func(t *testing.T, j *fixtures.Judge, v vector) ragtest.Metric

// plays has the metrics whose vectors are run, by Ragas' names. Vectors of other
// metrics are passed over. The files of the metrics fill it.
var plays = map[string]play{}

// exact are the metrics that are computed from counts: they agree to the last bit.
// The others compare vectors or take logarithms, and agree to 1e-12.
func exact(metric string) bool {
	return metric != "answer_relevancy" && metric != "answer_correctness" && metric != "semantic_similarity" && metric != "bleu_score"
}

var vectorErrors = map[string]error{
	"missing_input": ragtest.ErrMissingInput, "undefined": ragtest.ErrUndefined, "miscounted": ragtest.ErrMiscounted,
	"malformed": ragtest.ErrMalformed, "bad_vector": ragtest.ErrBadVector,
}

// The same verdicts give the same score as in Ragas, or the error that says why
// there is none. RAGTEST_VECTORS names a folder with other vectors to run.
func TestVectors(t *testing.T) {
	n := 0
	for _, v := range readVectors(t) {
		n++
		t.Run(v.ID, func(t *testing.T) {
			g := NewWithT(t)
			judge := fixtures.NewJudge(t).Embeds(v.Embeddings)
			m := plays[v.Metric](t, judge, v)
			c := off(t)
			j := judge.Judge().CachedIn(c).WithEmbedder(judge.Embedder().CachedIn(c))
			if _, ok := m.(interface{ WithoutJudge() }); ok {
				j = ragtest.NoJudge()
			}
			score, err := j.Measure(t.Context(), m, v.Inputs)

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
			if exact(v.Metric) {
				g.Expect(score.Value).To(Equal(value), v.Why)
			} else {
				g.Expect(score.Value).To(BeNumerically("~", value, 1e-12), v.Why)
			}
			if v.Metric != "semantic_similarity" {
				g.Expect(score.Verdicts).NotTo(BeEmpty(), "a score without evidence")
			}
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
	// Other metrics' inputs have fields of other types.
	var raw []json.RawMessage
	if err := json.Unmarshal(text, &raw); err != nil {
		t.Fatal(err)
	}
	for _, r := range raw {
		var head struct {
			Metric string
			Ours   json.RawMessage
		}
		if err := json.Unmarshal(r, &head); err != nil {
			t.Fatal(err)
		}
		if plays[head.Metric] == nil || string(head.Ours) == `"skip"` {
			continue
		}
		var v vector
		if err := json.Unmarshal(r, &v); err != nil {
			t.Fatalf("%v in %s", err, r)
		}
		vectors = append(vectors, v)
	}
	return vectors
}

// verdictsAre is a reply with these verdicts, as the judge wrote them: 1, true,
// 0.5. The field is "supported" in the step "verify".
func verdictsAre(field string, values []json.RawMessage) fixtures.Reply {
	var list []string
	for i, v := range values {
		list = append(list, fmt.Sprintf(`"%d":{"reason":"r","%s":%s}`, i+1, field, v))
	}
	return fixtures.Text("{" + strings.Join(list, ",") + "}")
}

// claimsOf makes the names of claims, such as "claim 0", claims of a text.
func claimsOf(text string, names []string) fixtures.Reply {
	claims := make([]string, len(names))
	for i, n := range names {
		claims[i] = text + ": " + n
	}
	return fixtures.Claims(claims...)
}
