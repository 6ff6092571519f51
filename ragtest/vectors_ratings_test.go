package ragtest_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/ragomega/ragomega/fixtures"
	"github.com/ragomega/ragomega/ragtest"
)

func init() {
	plays["answer_accuracy"] = playRatings(ragtest.AnswerAccuracy, "accuracy", "accuracy_swapped")
	plays["context_relevance"] = playRatings(ragtest.ContextRelevance, "relevance", "relevance_reworded")
	plays["response_groundedness"] = playRatings(ragtest.ResponseGroundedness, "groundedness", "groundedness_reworded")
}

// playRatings has the two wordings get the replies of the two judges. After the
// last comes one that is no rating.
func playRatings(m ragtest.Metric, first, second string) play {
	return func(t *testing.T, j *fixtures.Judge, v vector) ragtest.Metric {
		var says struct {
			First  []string `json:"judge1_replies"`
			Second []string `json:"judge2_replies"`
		}
		v.says(t, &says)
		for _, text := range append(says.First, "none") {
			j.On(first, rated(text))
		}
		for _, text := range append(says.Second, "none") {
			j.On(second, rated(text))
		}
		return m
	}
}

var integer = regexp.MustCompile(`^-?\d+$`)

// rated is a reply with this rating, or this reply if it is no integer.
func rated(text string) fixtures.Reply {
	if text = strings.TrimSpace(text); integer.MatchString(text) {
		return fixtures.Text(fmt.Sprintf(`{"reason":"r","rating":%s}`, text))
	}
	return fixtures.Text(text)
}
