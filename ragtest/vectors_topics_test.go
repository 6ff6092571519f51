package ragtest_test

import (
	"encoding/json"
	"testing"

	"github.com/ragomega/ragomega/fixtures"
	"github.com/ragomega/ragomega/ragtest"
)

func init() { plays["topic_adherence"] = playTopicAdherence }

func playTopicAdherence(t *testing.T, j *fixtures.Judge, v vector) ragtest.Metric {
	var params struct{ Mode string }
	var says struct {
		Topics          []string          `json:"topics"`
		Refused         []json.RawMessage `json:"refused"`
		Classifications []json.RawMessage `json:"classifications"`
	}
	v.params(t, &params)
	v.says(t, &says)
	j.On("topics", fixtures.Text(`{"topics":`+string(listed(t, says.Topics))+`}`))
	j.On("refusals", verdictsAre("refused", says.Refused))
	j.On("classification", verdictsAre("on_topic", says.Classifications))
	switch params.Mode {
	case "precision":
		return ragtest.TopicAdherence.Precision()
	case "recall":
		return ragtest.TopicAdherence.Recall()
	}
	return ragtest.TopicAdherence
}
