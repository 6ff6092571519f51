package ragtest_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/ragomega/ragomega/fixtures"
	"github.com/ragomega/ragomega/ragtest"
)

func init() {
	plays["faithfulness"] = playFaithfulness
	plays["context_recall"] = playContextRecall
}

func playFaithfulness(t *testing.T, j *fixtures.Judge, v vector) ragtest.Metric {
	var says struct {
		Statements    []string          `json:"statements"`
		Verdicts      []json.RawMessage `json:"verdicts"`
		RawStatements *string           `json:"raw_statement_reply"`
		RawVerdicts   *string           `json:"raw_verdict_reply"`
		Fixed         *string           `json:"fixed_reply"` // to the attempt to mend RawStatements
	}
	v.says(t, &says)
	if says.RawStatements != nil {
		j.On("claims", fixtures.Text(translate("claims", *says.RawStatements)), fixtures.Text(translate("claims", *says.Fixed)))
	} else {
		j.On("claims", claimsOf(v.Inputs.Response, says.Statements))
	}
	if says.RawVerdicts != nil {
		j.On("verify", fixtures.Text(translate("verify", *says.RawVerdicts)))
	} else {
		j.On("verify", verdictsAre("supported", says.Verdicts))
	}
	return ragtest.Faithfulness
}

func playContextRecall(t *testing.T, j *fixtures.Judge, v vector) ragtest.Metric {
	var says struct {
		Statements []string          `json:"statements"`
		Attributed []json.RawMessage `json:"attributed"`
	}
	v.says(t, &says)
	claims := says.Statements
	if claims == nil { // Ragas' judge finds them while it looks for them
		for i := range says.Attributed {
			claims = append(claims, fmt.Sprintf("claim %d", i))
		}
	}
	j.On("claims", claimsOf(v.Inputs.Reference, claims)).On("verify", verdictsAre("supported", says.Attributed))
	return ragtest.ContextRecall
}
