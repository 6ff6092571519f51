package ragtest_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/ragomega/ragomega/fixtures"
	"github.com/ragomega/ragomega/ragtest"
)

func init() {
	plays["noise_sensitivity"] = playNoiseSensitivity
	plays["factual_correctness"] = playFactualCorrectness
}

func playNoiseSensitivity(t *testing.T, j *fixtures.Judge, v vector) ragtest.Metric {
	var params struct{ Mode string }
	v.params(t, &params)
	var says struct {
		Reference           []string            `json:"reference_statements"`
		Response            []string            `json:"response_statements"`
		ReferenceByContext  [][]json.RawMessage `json:"reference_vs_context"`
		ResponseByContext   [][]json.RawMessage `json:"response_vs_context"`
		ResponseByReference []json.RawMessage   `json:"response_vs_reference"`
	}
	v.says(t, &says)
	split(j, "claims", v.Inputs.Response, says.Response)
	split(j, "claims", v.Inputs.Reference, says.Reference)
	for i, c := range v.Inputs.RetrievedContexts {
		check(j, v.Inputs.Reference, c, says.ReferenceByContext[i])
		check(j, v.Inputs.Response, c, says.ResponseByContext[i])
	}
	check(j, v.Inputs.Response, v.Inputs.Reference, says.ResponseByReference)
	if params.Mode == "irrelevant" {
		return ragtest.IrrelevantNoiseSensitivity
	}
	return ragtest.NoiseSensitivity
}

func playFactualCorrectness(t *testing.T, j *fixtures.Judge, v vector) ragtest.Metric {
	var params struct {
		Mode, Atomicity, Coverage string
		Beta                      float64
	}
	v.params(t, &params)
	var says struct {
		Response          []string          `json:"response_claims"`
		Reference         []string          `json:"reference_claims"`
		ResponseVerdicts  []json.RawMessage `json:"response_claim_verdicts"`
		ReferenceVerdicts []json.RawMessage `json:"reference_claim_verdicts"`
	}
	v.says(t, &says)
	m, step := ragtest.FactualCorrectness.Beta(params.Beta), "claims"
	switch params.Mode {
	case "precision":
		m = m.Precision()
	case "recall":
		m = m.Recall()
	}
	if params.Coverage == "low" {
		m, step = m.Coverage(ragtest.Low), step+"_main"
	}
	if params.Atomicity == "low" {
		m, step = m.Atomicity(ragtest.Low), step+"_coarse"
	}
	split(j, step, v.Inputs.Response, says.Response)
	split(j, step, v.Inputs.Reference, says.Reference)
	check(j, v.Inputs.Response, v.Inputs.Reference, says.ResponseVerdicts)
	check(j, v.Inputs.Reference, v.Inputs.Response, says.ReferenceVerdicts)
	return m
}

// split scripts the claims of a text.
func split(j *fixtures.Judge, step, text string, names []string) {
	j.When(step, func(r fixtures.Request) bool {
		var data struct{ Text string }
		return r.Data(&data) == nil && data.Text == text
	}, claimsOf(text, names))
}

// check scripts the verdicts of a document on the claims that split made of a
// text.
func check(j *fixtures.Judge, text, document string, verdicts []json.RawMessage) {
	j.When("verify", func(r fixtures.Request) bool {
		var data struct{ Claims map[string]string }
		return r.Data(&data) == nil && strings.HasPrefix(data.Claims["1"], text+": ") && aboutDocument(document)(r)
	}, verdictsAre("supported", verdicts))
}
