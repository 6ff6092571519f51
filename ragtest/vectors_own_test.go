package ragtest_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/ragomega/ragomega/fixtures"
	"github.com/ragomega/ragomega/ragtest"
)

func init() {
	plays["aspect_critic"] = playAspectCritic
	plays["simple_criteria"] = playCriteria
	plays["rubrics_score"] = playRubric
	plays["instance_rubrics"] = playRubric
}

type ownParams struct {
	Strictness int    `json:"strictness"`
	Definition string `json:"definition"`
}

func playAspectCritic(t *testing.T, j *fixtures.Judge, v vector) ragtest.Metric {
	var params ownParams
	var says struct{ Verdicts []json.RawMessage }
	v.params(t, &params)
	v.says(t, &says)
	for _, verdict := range says.Verdicts {
		j.On("aspect", fixtures.Text(fmt.Sprintf(`{"reason":"r","verdict":%s}`, verdict)))
	}
	return ragtest.AspectCritic("aspect", params.Definition).Votes(params.Strictness)
}

func playCriteria(t *testing.T, j *fixtures.Judge, v vector) ragtest.Metric {
	var params ownParams
	var says struct{ Scores []json.RawMessage }
	v.params(t, &params)
	v.says(t, &says)
	for _, score := range says.Scores {
		j.On("criteria", rated(string(score)))
	}
	return ragtest.Criteria("criteria", params.Definition).Votes(params.Strictness)
}

// playRubric plays both: where the metric has no rubric of its own, Ragas has
// one of five levels.
func playRubric(t *testing.T, j *fixtures.Judge, v vector) ragtest.Metric {
	var says struct{ Score json.RawMessage }
	v.says(t, &says)
	j.On("rubric", rated(string(says.Score)))
	if v.Metric == "instance_rubrics" {
		return ragtest.InstanceRubric
	}
	return ragtest.Rubric("rubric", map[int]string{1: "a", 2: "b", 3: "c", 4: "d", 5: "e"})
}
