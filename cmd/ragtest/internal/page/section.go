package page

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ragomega/ragomega/cmd/ragtest/internal/measured"
	"github.com/ragomega/ragomega/ragtest"
)

// texts are those of a sample.
type texts struct {
	Question  string
	Messages  []ragtest.Message
	Answer    []span
	Unfound   []int // numbers of unsupported claims that no part of the answer is marked for
	Reference string
	Contexts  []contextView
	Below     int        // ranks that are left out
	Missing   []idOfFile // relevant, and not retrieved
}

// contextView is a context at its rank, and what the sample and a judge say of it.
type contextView struct {
	Rank     int
	ID       string
	Text     string
	Relevant *idOfFile // nil if it is not known
	Judged   []judgedContext
}

type judgedContext struct {
	OK     bool
	Reason string
}

// newTexts returns the texts of a sample, with the claims marked that faithfulness
// found no support for.
func newTexts(s ragtest.Sample, w *row) *texts {
	t := &texts{Question: s.UserInput, Messages: s.Messages, Reference: s.Reference}
	claims := map[int]string{}
	tries := w.cells[ragtest.Faithfulness.Name()].scored()
	if len(tries) > 0 {
		for i, v := range tries[len(tries)-1].Verdicts {
			if !v.OK {
				claims[i+1] = v.Claim
			}
		}
	}
	t.Answer, t.Unfound = mark(clip(s.Response), claims)
	t.contexts(s, w)
	return t
}

// judgments are the verdicts about the context of a rank. A test may have measured
// the sample with others, or in another order.
func judgments(w *row, rank int, text string) (all []judgedContext) {
	part := fmt.Sprintf("context %d", rank)
	for _, metric := range []string{ragtest.ContextPrecision.Name(), ragtest.ContextUtilization.Name()} {
		for _, x := range slices.Backward(w.cells[metric].scored()) {
			at := slices.IndexFunc(x.Verdicts, func(v ragtest.Verdict) bool { return v.Part == part && begins(text, v.Claim) })
			if at >= 0 {
				all = append(all, judgedContext{x.Verdicts[at].OK, x.Verdicts[at].Reason})
				break
			}
		}
	}
	return all
}

// begins reports whether a claim is how a text begins, as messages shorten it.
func begins(text, claim string) bool {
	claim = strings.TrimSuffix(claim, "…")
	text = text[:min(len(text), 8*len(claim)+64)] // white space is most of what is left out
	return strings.HasPrefix(strings.Join(strings.Fields(text), " "), claim)
}

// metricView is what a metric found of a sample.
type metricView struct {
	Metric string
	Lower  bool
	Tries  []tryView
}

// tryView is one measurement.
type tryView struct {
	Measured bool
	Score    float64
	Fraction string
	Reason   string // why there is no score, in full
	Kind     string
	Verdicts []verdictView
	Trial    int
	Where    string // the test
	How      string // prompts and tokens
}

// verdictView is a verdict with the words for it.
type verdictView struct {
	Number int
	Anchor bool // the answer's marks lead here
	Word   string
	Value  string
	ragtest.Verdict
}

func newMetricView(c column, tries cell) metricView {
	v := metricView{Metric: c.Metric, Lower: c.Lower}
	scored := tries.scored()
	for _, x := range tries {
		t := tryView{Trial: x.Trial, Where: where(x), How: how(x)}
		words := wordsOf(x)
		switch {
		case x.Error != nil:
			t.Reason, t.Kind = x.Error.Text, x.Error.Kind
		case x.Score != nil:
			t.Measured, t.Score = true, *x.Score
			t.Fraction = x.Result().Score.Fraction()
		}
		numbers := slices.ContainsFunc(x.Verdicts, func(v ragtest.Verdict) bool { return v.Value != 0 })
		last := len(scored) > 0 && c.Metric == ragtest.Faithfulness.Name() && sameKeys(x.Exchanges, scored[len(scored)-1].Exchanges)
		for i, v := range x.Verdicts {
			d := verdictView{Number: i + 1, Word: words[1], Verdict: v, Anchor: last}
			switch {
			case v.OK:
				d.Word = words[0]
			case words == ofRanks && v.Part == "missing":
				d.Word = ofIDs[1]
			}
			if numbers && !(len(x.Verdicts) == 1 && v.Value == t.Score) {
				d.Value = fmt.Sprintf("%.4g", v.Value)
			}
			t.Verdicts = append(t.Verdicts, d)
		}
		v.Tries = append(v.Tries, t)
	}
	return v
}

// The words for IDs that were looked for in a ranking, and for what is at its ranks.
var (
	ofIDs   = [2]string{"found", "not found"}
	ofRanks = [2]string{"relevant", "not relevant"}
)

// wordsOf are the words for a yes and a no of the step that decides, or of the metric
// if it asks nobody.
func wordsOf(x ragtest.Record) [2]string {
	if measured.By(x) == "" {
		name, _, _ := strings.Cut(x.Metric, "_at_")
		switch name {
		case "recall", "hit_rate", ragtest.IDContextRecall.Name():
			return ofIDs
		case "precision", "mrr", "map", "ndcg", "ndcg_exponential", ragtest.IDContextPrecision.Name():
			return ofRanks
		}
	}
	for _, e := range x.Exchanges {
		name, _, _ := strings.Cut(e.Step, "/")
		switch name {
		case "verify":
			return [2]string{"supported", "not supported"}
		case "useful":
			return [2]string{"useful", "not useful"}
		case "compare":
			return [2]string{"found", "not found"}
		case "questions":
			return [2]string{"committed", "evasive"}
		}
	}
	return [2]string{"yes", "no"}
}

// where is the test that measured.
func where(x ragtest.Record) string {
	var parts []string
	for _, p := range []string{x.Package, x.Test, x.At} {
		if p != "" {
			parts = append(parts, p)
		}
	}
	return strings.Join(parts, " ")
}

// how says which prompts were used, and what they cost when they were asked.
func how(x ragtest.Record) string {
	var steps []string
	in, out := 0, 0
	for _, e := range x.Exchanges {
		if !slices.Contains(steps, e.Step) {
			steps = append(steps, e.Step)
		}
		in, out = in+e.Tokens.In, out+e.Tokens.Out
	}
	if len(steps) == 0 {
		return ""
	}
	line := fmt.Sprintf("%s; %d tokens in, %d out", strings.Join(steps, ", "), in, out)
	if x.Cached {
		line += ", recorded"
	}
	return line
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
}
