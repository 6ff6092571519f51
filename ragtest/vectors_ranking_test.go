package ragtest_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/ragomega/ragomega/fixtures"
	"github.com/ragomega/ragomega/ragtest"
)

func init() {
	plays["context_precision_with_reference"] = playRanking(ragtest.ContextPrecision)
	plays["context_precision_without_reference"] = playRanking(ragtest.ContextUtilization)
	plays["context_entity_recall"] = playContextEntityRecall
}

func playRanking(m ragtest.Metric) play {
	return func(t *testing.T, j *fixtures.Judge, v vector) ragtest.Metric {
		var says struct {
			Verdicts []json.RawMessage `json:"verdicts"`
		}
		v.says(t, &says)
		for i, c := range v.Inputs.RetrievedContexts {
			useful := fixtures.Text("no reply")
			if i < len(says.Verdicts) {
				useful = fixtures.Text(fmt.Sprintf(`{"reason":"r","useful":%s}`, says.Verdicts[i]))
			}
			j.When("useful", aboutDocument(c), useful)
		}
		return m
	}
}

// aboutDocument matches requests that show this document alone.
func aboutDocument(document string) func(fixtures.Request) bool {
	return func(r fixtures.Request) bool {
		var data struct {
			Document  string
			Documents []string
		}
		if r.Data(&data) != nil {
			return false
		}
		return data.Document == document || len(data.Documents) == 1 && data.Documents[0] == document
	}
}

func playContextEntityRecall(t *testing.T, j *fixtures.Judge, v vector) ragtest.Metric {
	var says struct {
		Reference []string `json:"reference_entities"`
		Contexts  []string `json:"context_entities"`
	}
	v.says(t, &says)
	j.When("entities", ofTexts(v.Inputs.Reference), entities(says.Reference...))
	j.When("entities", ofTexts(v.Inputs.RetrievedContexts...), entities(says.Contexts...))
	return ragtest.ContextEntityRecall
}

// ofTexts matches requests for the entities of these texts.
func ofTexts(texts ...string) func(fixtures.Request) bool {
	return func(r fixtures.Request) bool {
		var data struct{ Texts []string }
		return r.Data(&data) == nil && fmt.Sprintf("%q", data.Texts) == fmt.Sprintf("%q", texts)
	}
}

// entities is the reply to the step "entities".
func entities(names ...string) fixtures.Reply {
	b, err := json.Marshal(map[string][]string{"entities": append([]string{}, names...)})
	if err != nil {
		panic(err)
	}
	return fixtures.Text(string(b))
}
