package example_test

import (
	"context"
	"testing"

	. "github.com/onsi/gomega"

	. "github.com/ragomega/ragomega/matchers"
	"github.com/ragomega/ragomega/ragtest"
)

// timing is what the judge says of one claim, the reason first.
type timing struct {
	Reason string `json:"reason"`
	Time   bool   `json:"time"`
}

// timely is a metric of one's own: the share of an answer's claims that name a
// time. The judge is asked once for all of them, and what it says is cached,
// recorded and shown as for the metrics of the library.
var timely = ragtest.NewMetric("timely", func(ctx context.Context, j *ragtest.Judge, s ragtest.Sample) (ragtest.Score, error) {
	claims, err := j.Claims(ctx, s.UserInput, s.Response)
	if err != nil {
		return ragtest.Score{}, err
	}
	replies, err := ragtest.AskEach[timing](ctx, j, ragtest.Prompt{
		Name: "timely/v1",
		Text: `Say of each item whether it names a time, a date or a period. First the reason in at most 10 words: the words that name it, or that none do. Then "time": true or false.`,
	}, nil, claims)
	if err != nil {
		return ragtest.Score{}, err
	}
	var verdicts []ragtest.Verdict
	for i, r := range replies {
		verdicts = append(verdicts, ragtest.Verdict{Claim: claims[i], OK: r.Time, Reason: r.Reason})
	}
	return ragtest.Share(verdicts...)
})

func TestMetricOfOnesOwn(t *testing.T) {
	g := NewWithT(t)
	g.Expect(sample(t, "wrong-codes")).To(HaveScoreAbove(timely, 0.9))
	g.Expect(sample(t, "small-locker-limits")).To(HaveScore(timely, 0))
}
