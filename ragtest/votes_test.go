package ragtest_test

import (
	"fmt"
	"slices"
	"sync"
	"testing"

	. "github.com/onsi/gomega"
	"pgregory.net/rapid"

	"github.com/ragomega/ragomega/cache"
	"github.com/ragomega/ragomega/fixtures"
	"github.com/ragomega/ragomega/ragtest"
)

var (
	politeAnswer = ragtest.AspectCritic("polite", "Is the response polite?")
	brief        = ragtest.Criteria("brief", "Score 0 to 5 by how brief the response is.")
)

func opinion(yes bool) string { return fmt.Sprintf(`{"reason":"because %v","verdict":%v}`, yes, yes) }

// inTurn is a judge within the process that gives replies one after the other,
// whoever asks.
func inTurn(c *cache.Cache, replies []string) *ragtest.Judge {
	var mu sync.Mutex
	return ragtest.NewJudgeClient(clientFunc(func(_ ctx, _ chatRequest) (chatResponse, error) {
		mu.Lock()
		defer mu.Unlock()
		next := replies[0]
		replies = replies[1:]
		return reply(next), nil
	}), "here", "m").CachedIn(c)
}

// Votes are trials of their own: each is asked for, kept and replayed, and no
// two trials of the judge share one.
func TestVotesAreTrials(t *testing.T) {
	for name, test := range map[string]struct {
		one, three ragtest.Metric
		step       string
		reply      string
	}{
		"aspect":   {politeAnswer, politeAnswer.Votes(3), "aspect", opinion(true)},
		"criteria": {brief, brief.Votes(3), "criteria", ratingReply(2)},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			l := newLab(t)
			for range 6 {
				l.On(test.step, fixtures.Text(test.reply))
			}
			var votes []cache.Key
			for trial := range 2 {
				score, err := l.measure(l.Judge.Judge().Trial(trial), test.three, bridge)
				g.Expect(err).NotTo(HaveOccurred())
				g.Expect(score.Verdicts).To(HaveLen(3))
				for i, x := range score.Exchanges {
					votes = append(votes, x.Key)
					g.Expect(score.Verdicts[i].Part).To(Equal(fmt.Sprintf("vote %d", i+1)))
				}
			}
			g.Expect(l.Asked(fixtures.Any)).To(Equal(6))
			for i, key := range votes {
				score, err := l.measure(l.Judge.Judge().Temperature(0.3).Trial(i), test.one, bridge)
				g.Expect(err).NotTo(HaveOccurred())
				g.Expect(score.Exchanges[0].Key).To(Equal(key), "trial %d", i)
				g.Expect(score.Verdicts[0].Part).To(BeEmpty(), "a single vote has no number")
			}
			g.Expect(l.Asked(fixtures.Any)).To(Equal(6), "all was replayed")
		})
	}
}

// At temperature 0 all votes would be one, so several are drawn above it. What
// the user set stays.
func TestTemperatureOfVotes(t *testing.T) {
	const none = `"max_completion_tokens":`
	for name, test := range map[string]struct {
		change func(*ragtest.Judge) *ragtest.Judge
		votes  int
		sent   string
	}{
		"one vote":     {func(j *ragtest.Judge) *ragtest.Judge { return j }, 1, `"temperature":0,`},
		"three votes":  {func(j *ragtest.Judge) *ragtest.Judge { return j }, 3, `"temperature":0.3,`},
		"warm judge":   {func(j *ragtest.Judge) *ragtest.Judge { return j.Temperature(0.7) }, 3, `"temperature":0.7,`},
		"thinks first": {func(j *ragtest.Judge) *ragtest.Judge { return j.Reasoning() }, 3, none},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			l := newLab(t)
			for range test.votes {
				l.On("aspect", fixtures.Text(opinion(true)))
			}
			_, err := l.measure(test.change(l.Judge.Judge()), politeAnswer.Votes(test.votes), bridge)
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(l.Requests()).To(HaveLen(test.votes))
			for _, r := range l.Requests() {
				g.Expect(string(r.Body)).To(ContainSubstring(test.sent))
				if test.sent == none {
					g.Expect(string(r.Body)).NotTo(ContainSubstring(`"temperature"`))
				}
			}
		})
	}
}

func TestVotesAreCastAtOnce(t *testing.T) {
	g := NewWithT(t)
	_, err := answeredTogether(t, 5, map[string]string{"aspect": opinion(true)}).Measure(t.Context(), politeAnswer.Votes(5), bridge)
	g.Expect(err).NotTo(HaveOccurred())
	_, err = answeredTogether(t, 4, map[string]string{"criteria": ratingReply(1)}).Measure(t.Context(), brief.Votes(4), bridge)
	g.Expect(err).NotTo(HaveOccurred())
}

// An even number of votes on a yes or no is raised, so that one side wins;
// integers have a rule for ties.
func TestEvenVotes(t *testing.T) {
	g := NewWithT(t)
	c := off(t)
	score, err := inTurn(c, []string{opinion(false), opinion(true), opinion(true)}).Measure(t.Context(), politeAnswer.Votes(2), bridge)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(score.Verdicts).To(HaveLen(3))
	g.Expect(score.Value).To(Equal(1.0))

	score, err = inTurn(c, []string{ratingReply(5), ratingReply(1), ratingReply(5), ratingReply(1)}).Measure(t.Context(), brief.Votes(4), bridge)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(score.Value).To(Equal(1.0), "of equally frequent ones the smaller")
	ok := 0
	for _, v := range score.Verdicts {
		g.Expect(v.OK).To(Equal(v.Value == 1))
		if v.OK {
			ok++
		}
	}
	g.Expect(ok).To(Equal(2))
}

// One vote that cannot be read is no majority of the others.
func TestBadVoteIsNoScore(t *testing.T) {
	l := newLab(t)
	l.On("aspect", fixtures.Text(opinion(true)), fixtures.Text(opinion(true)), fixtures.Text(`{"reason":"r","verdict":"maybe"}`))
	_, err := l.measure(l.Judge.Judge(), politeAnswer.Votes(3), bridge)
	NewWithT(t).Expect(err).To(MatchError(ragtest.ErrMalformed))
}

// The majority does not depend on who voted first, and one more yes never turns
// it into a no.
func TestMajorityRapid(t *testing.T) {
	c := off(t)
	measure := func(rt *rapid.T, votes []bool) float64 {
		var replies []string
		for _, v := range votes {
			replies = append(replies, opinion(v))
		}
		score, err := inTurn(c, replies).Measure(t.Context(), politeAnswer.Votes(len(votes)), bridge)
		if err != nil {
			rt.Fatal(err)
		}
		return score.Value
	}
	rapid.Check(t, func(rt *rapid.T) {
		votes := rapid.SliceOfN(rapid.Bool(), 1, 9).Draw(rt, "votes")
		if len(votes)%2 == 0 {
			votes = votes[1:]
		}
		yes := 0
		for _, v := range votes {
			if v {
				yes++
			}
		}
		value := measure(rt, votes)
		if value != 0 && value != 1 || (value == 1) != (yes > len(votes)-yes) {
			rt.Fatalf("%v by %v", value, votes)
		}
		votes = rapid.Permutation(votes).Draw(rt, "in another order")
		if v := measure(rt, votes); v != value {
			rt.Fatalf("%v in another order, not %v", v, value)
		}
		if yes < len(votes) {
			votes[slices.Index(votes, false)] = true
			if v := measure(rt, votes); v < value {
				rt.Fatalf("%v with one more yes, not %v", v, value)
			}
		}
	})
}
