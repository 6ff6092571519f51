package ragtest_test

import (
	"encoding/json"
	"testing"

	"github.com/ragomega/ragomega/fixtures"
	"github.com/ragomega/ragomega/ragtest"
)

func init() { plays["summary_score"] = playSummary }

func playSummary(t *testing.T, j *fixtures.Judge, v vector) ragtest.Metric {
	var params struct {
		LengthPenalty bool    `json:"length_penalty"`
		Coefficient   float64 `json:"coeff"`
	}
	var says struct {
		Keyphrases []string `json:"keyphrases"`
		Questions  []string `json:"questions"`
		Answers    []string `json:"answers"`
	}
	v.params(t, &params)
	v.says(t, &says)
	answers := make([]json.RawMessage, len(says.Answers))
	for i, a := range says.Answers {
		switch a {
		case "0":
			answers[i] = json.RawMessage("false")
		case "1":
			answers[i] = json.RawMessage("true")
		default:
			answers[i] = listed(t, a)
		}
	}
	j.On("keyphrases", fixtures.Text(`{"keyphrases":`+string(listed(t, says.Keyphrases))+`}`))
	j.On("quiz", fixtures.Text(`{"questions":`+string(listed(t, says.Questions))+`}`))
	j.On("quiz_answers", verdictsAre("yes", answers))
	m := ragtest.Summary.Coefficient(params.Coefficient)
	if !params.LengthPenalty {
		m = m.WithoutLengthPenalty()
	}
	return m
}

// listed is a text, or a list of them, in JSON.
func listed(t *testing.T, v any) json.RawMessage {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return b
}
