package ragtest_test

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/ragomega/ragomega/fixtures"
	"github.com/ragomega/ragomega/ragtest"
)

func init() {
	plays["answer_relevancy"] = playAnswerRelevance
	plays["semantic_similarity"] = playSemanticSimilarity
	plays["answer_correctness"] = playAnswerCorrectness
}

func playAnswerRelevance(t *testing.T, j *fixtures.Judge, v vector) ragtest.Metric {
	var params struct {
		Strictness int `json:"strictness"`
	}
	v.params(t, &params)
	var says struct {
		Questions    []string          `json:"questions"`
		Noncommittal []json.RawMessage `json:"noncommittal"`
	}
	v.says(t, &says)
	entries := map[string]map[string]any{}
	for i := range max(len(says.Questions), len(says.Noncommittal)) {
		e := map[string]any{}
		if i < len(says.Questions) {
			e["question"] = says.Questions[i]
		}
		if i < len(says.Noncommittal) {
			e["noncommittal"] = says.Noncommittal[i]
		}
		entries[strconv.Itoa(i+1)] = e
	}
	text, err := json.Marshal(entries)
	if err != nil {
		t.Fatal(err)
	}
	j.On("questions", fixtures.Text(string(text))).Embeds(exactVectors(v.Embeddings))
	return ragtest.AnswerRelevance.Questions(params.Strictness)
}

func playSemanticSimilarity(t *testing.T, j *fixtures.Judge, v vector) ragtest.Metric {
	var params struct {
		Threshold *float64 `json:"threshold"`
	}
	v.params(t, &params)
	j.Embeds(exactVectors(v.Embeddings))
	if params.Threshold != nil {
		return ragtest.SemanticSimilarity.Threshold(*params.Threshold)
	}
	return ragtest.SemanticSimilarity
}

// Ragas' judge sorts claims into three lists, and only their lengths count: a
// reference claim that it does not call missing was found.
func playAnswerCorrectness(t *testing.T, j *fixtures.Judge, v vector) ragtest.Metric {
	var params struct {
		Weights [2]float64 `json:"weights"`
		Beta    float64    `json:"beta"`
	}
	v.params(t, &params)
	var says struct {
		Answer    []string `json:"response_statements"`
		Reference []string `json:"reference_statements"`
		TP        []string `json:"tp"`
		FP        []string `json:"fp"`
		FN        []string `json:"fn"`
	}
	v.says(t, &says)
	j.When("claims", asksOf(v.Inputs.Response), claimsOf(v.Inputs.Response, says.Answer))
	j.When("claims", asksOf(v.Inputs.Reference), claimsOf(v.Inputs.Reference, says.Reference))
	answer := slices.Concat(slices.Repeat([]bool{true}, len(says.TP)), slices.Repeat([]bool{false}, len(says.FP)))
	found := max(len(says.Reference)-len(says.FN), 0)
	reference := slices.Concat(slices.Repeat([]bool{true}, found), slices.Repeat([]bool{false}, len(says.FN)))
	j.On("compare", matches(answer, reference)).Embeds(exactVectors(v.Embeddings))
	return ragtest.AnswerCorrectness.Weights(params.Weights[0], params.Weights[1]).Beta(params.Beta)
}

// matches is the reply to the step "compare" with these verdicts.
func matches(answer, reference []bool) fixtures.Reply {
	return fixtures.Text(matched(answer, reference))
}

func matched(answer, reference []bool) string {
	var entries []string
	for i, found := range answer {
		entries = append(entries, fmt.Sprintf(`"a%d":{"reason":"r","found":%t}`, i+1, found))
	}
	for i, found := range reference {
		entries = append(entries, fmt.Sprintf(`"r%d":{"reason":"r","found":%t}`, i+1, found))
	}
	return "{" + strings.Join(entries, ",") + "}"
}

// exactVectors are vectors of the same directions that servers can send as they
// are: the vectors are decimals, servers send float32s, which have no 0.3 but
// hold its tenfold, and a cosine does not depend on lengths.
func exactVectors(vectors map[string][]float64) map[string][]float64 {
	exact := map[string][]float64{}
	for text, v := range vectors {
		exact[text] = exactVector(v)
	}
	return exact
}

func exactVector(v []float64) []float64 {
	for scale := 1.0; scale <= 1e6; scale *= 10 {
		whole := make([]float64, len(v))
		ok := true
		for i, x := range v {
			whole[i] = math.Round(x * scale)
			ok = ok && math.Abs(whole[i]-x*scale) <= 1e-12*math.Abs(whole[i]) && whole[i] == float64(float32(whole[i]))
		}
		if ok {
			return whole
		}
	}
	return v // there is none
}
