package matchers_test

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/ragomega/ragomega/cache"
	"github.com/ragomega/ragomega/fixtures"
	. "github.com/ragomega/ragomega/matchers"
	"github.com/ragomega/ragomega/ragtest"
)

// scripted is a judge over HTTP that says of a claim what it ends with, "… yes",
// and of an answer that it is one claim.
func scripted(t *testing.T) *ragtest.Judge {
	t.Helper()
	server := fixtures.NewJudge(t).Otherwise(func(r fixtures.Request) fixtures.Reply {
		var data struct {
			Claims map[string]string `json:"claims"`
			Text   string            `json:"text"`
		}
		if err := r.Data(&data); err != nil {
			return fixtures.Error(http.StatusBadRequest, "unexpected", err.Error())
		}
		if r.Step == "claims" {
			return fixtures.Claims(data.Text)
		}
		said := make([]bool, len(data.Claims))
		for i := range said {
			said[i] = strings.HasSuffix(data.Claims[strconv.Itoa(i+1)], "yes")
			if strings.HasSuffix(data.Claims[strconv.Itoa(i+1)], "silent") {
				return fixtures.Refusal("I will not say")
			}
		}
		return fixtures.Verdicts(said...)
	})
	c, err := cache.Open(cache.Options{Dir: t.TempDir(), Home: t.TempDir(), Mode: cache.Off})
	if err != nil {
		t.Fatal(err)
	}
	return server.Judge().CachedIn(c).Tries(1)
}

// labelled are n claims with one label, each about a text of its own.
func labelled(n int, human float64, judge string) (all []ragtest.Labelled) {
	for i := range n {
		name := fmt.Sprintf("%v %s %d", human, judge, i+1)
		all = append(all, ragtest.Labelled{
			Sample: ragtest.Sample{Name: name, Response: fmt.Sprintf("claim %d %s", i+1, judge), RetrievedContexts: []string{"text of " + name}},
			Labels: []ragtest.Label{{Value: human}},
		})
	}
	return all
}

// The whole road: labels, a judge that is asked, what it says, and the gate.
func TestCalibrateAndAsk(t *testing.T) {
	g := NewWithT(t)
	judge := scripted(t)
	good := slices.Concat(labelled(18, 1, "yes"), labelled(2, 1, "no"), labelled(1, 0, "yes"), labelled(19, 0, "no"))
	c, err := judge.Calibrate(t.Context(), ragtest.Faithfulness, good)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(c).To(And(HaveKappaAbove(0.6), HaveTPRAbove(0.69), HaveTNRAbove(0.76), HaveAlphaAbove(0.6)))
	g.Expect(c).NotTo(HaveKappaAbove(0.85))
	message := failure(func(g Gomega) { g.Expect(c).To(HaveTNRAbove(0.9)) })
	g.Expect(message).To(HavePrefix("Expected\n    <*ragtest.Calibration>: verify/v2 of faithfulness by scripted at localhost, prompt " + c.Prompt + ", 40 items\n"))
	g.Expect(message).To(HaveSuffix("no by people, yes by the judge\n    0 yes 1: people 0, judge 1: claim 1 yes\n       r"))

	report, err := judge.Evaluate(t.Context(), []ragtest.Sample{
		{Name: "a", Response: "one yes", RetrievedContexts: []string{"x"}},
		{Name: "b", Response: "two yes", RetrievedContexts: []string{"x"}},
		{Name: "c", Response: "three no", RetrievedContexts: []string{"x"}},
	}, ragtest.Faithfulness)
	g.Expect(err).NotTo(HaveOccurred())
	// (2/3 + 0.95 - 1) / (0.9 + 0.95 - 1), 0.7255.
	g.Expect(report).To(HaveCorrectedMeanAbove(ragtest.Faithfulness, c, 0.725).OnPoint())
	g.Expect(report).NotTo(HaveCorrectedMeanAbove(ragtest.Faithfulness, c, 0.726).OnPoint())
	g.Expect(report).NotTo(HaveCorrectedMeanAbove(ragtest.Faithfulness, c, 0.5), "three samples are too few to say so")

	perClaim, err := judge.PerClaim().Calibrate(t.Context(), ragtest.Faithfulness, good)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(perClaim).To(BeNotWorseThan(c, 0.1).OnPoint())
}

func TestCalibrateAndLearnNothing(t *testing.T) {
	g := NewWithT(t)
	judge := scripted(t)
	few, err := judge.Calibrate(t.Context(), ragtest.Faithfulness, slices.Concat(labelled(30, 1, "yes"), labelled(6, 0, "yes")))
	g.Expect(err).NotTo(HaveOccurred())
	for _, m := range []*CalibrationMatcher{HaveKappaAbove(0), HaveTNRAbove(0), HaveKappaAbove(0).OnPoint()} {
		_, err := m.Match(few)
		g.Expect(err).To(MatchError(ContainSubstring("6")), m.String())
	}
	g.Expect(few).To(HaveTPRAbove(0.8), "which is all that it can be asked")

	silent, err := judge.Calibrate(t.Context(), ragtest.Faithfulness, slices.Concat(labelled(20, 1, "yes"), labelled(19, 0, "no"), labelled(1, 0, "silent")))
	g.Expect(err).NotTo(HaveOccurred())
	_, err = HaveTNRAbove(0.8).Match(silent)
	g.Expect(err).To(MatchError(ragtest.ErrRefused))
	g.Expect(err).To(MatchError(HavePrefix("HaveTNRAbove(0.8): 1 of 40 samples were not measured, and AllowUnmeasured allows 0\n    0 silent 1: ")))
	g.Expect(silent).To(HaveTNRAbove(0.8).AllowUnmeasured(1))
	_ = ragtest.Close() // forget the refusal
}
