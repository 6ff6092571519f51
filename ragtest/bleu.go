package ragtest

import (
	"context"
	"fmt"
	"strings"

	"github.com/ragomega/ragomega/ragtest/lexical"
)

// BLEU compares Response with Reference by n-grams of one to four tokens, from 0 to
// 1: the geometric mean of the shares of the answer's that the reference has, lowered
// for an answer that is shorter. It rewards the reference's words in its order, and
// knows no other way to say the same. See [lexical.BLEU.Compare].
//
// Nobody is asked. A blank text has 0, and so has an answer of fewer than four
// tokens, even if it is the reference: for short answers take [ChrF], or With and
// EffectiveOrder. Punctuation counts, and case; a text without spaces, such as
// Chinese, is one token: for those there is Unicode. The verdicts are of the orders,
// with the n-grams that the reference lacks, and of the length.
//
// It is sacrebleu's score over 100. Ragas compares the first sentence alone.
var BLEU = bleu{}

type bleu struct {
	ofTexts
	name    string
	options *lexical.BLEU // nil is the default; a function in it cannot be compared, and metrics can
}

// Unicode returns a copy of m whose tokens are those of [lexical.UnicodeTokens], for
// text in any script.
func (m bleu) Unicode() bleu { return m.With("unicode", lexical.BLEU{Tokenize: lexical.UnicodeTokens}) }

// With returns a copy of m that computes as o says, under a name of its own: scores
// of two ways are not to be compared.
func (m bleu) With(name string, o lexical.BLEU) bleu { return bleu{name: "_" + name, options: &o} }

func (m bleu) Name() string { return "bleu" + m.name }

func (m bleu) Measure(_ context.Context, _ *Judge, s Sample) (Score, error) {
	var options lexical.BLEU
	if m.options != nil {
		options = *m.options
	}
	b := options.Compare(s.Response, s.Reference)
	score := Score{Metric: m.Name(), Weighed: true, Value: b.Value}
	for _, o := range b.Orders {
		if o.Answer == 0 && options.EffectiveOrder && o.Order > 1 {
			break // it is not counted
		}
		v := ofAnswer(o, grams(o.Order), "")
		if o.Answer == 0 {
			v.Reason = "an answer of fewer than four tokens has 0 without EffectiveOrder"
		}
		score.Verdicts = append(score.Verdicts, v)
	}
	score.Verdicts = append(score.Verdicts, Verdict{
		Claim: fmt.Sprintf("the answer has %d tokens, the reference %d", b.Answer, b.Reference), OK: b.Answer >= b.Reference && b.Answer > 0,
		Value: b.Brevity, Reason: "it is shorter, and the score is lowered by this factor",
	})
	return score, nil
}

// grams names n-grams of tokens.
func grams(n int) string {
	if n == 1 {
		return "tokens"
	}
	return fmt.Sprintf("%d-grams", n)
}

// ofAnswer is a verdict on the n-grams of the answer: whether the reference has all.
func ofAnswer(o lexical.Overlap, grams, how string) Verdict {
	return Verdict{
		Claim: fmt.Sprintf("the reference has %d of %d %s of the answer%s", o.Shared, o.Answer, grams, how),
		OK:    o.Answer > 0 && o.Shared == o.Answer, Value: o.Precision(), Reason: listed("beyond the reference", o.Extra),
	}
}

// ofReference is the reverse.
func ofReference(o lexical.Overlap, grams, how string) Verdict {
	return Verdict{
		Claim: fmt.Sprintf("the answer has %d of %d %s of the reference%s", o.Shared, o.Reference, grams, how),
		OK:    o.Reference > 0 && o.Shared == o.Reference, Value: o.Recall(), Reason: listed("missing from the answer", o.Missing),
	}
}

// inReason is how many n-grams are worth reading.
const inReason = 5

// listed shows what one text has and the other has not, or not as often.
func listed(what string, s lexical.Shown) string {
	if s.All == 0 {
		return ""
	}
	first := s.First[:min(inReason, len(s.First))]
	quoted := make([]string, len(first))
	for i, w := range first {
		quoted[i] = fmt.Sprintf("%q", shorten(w, 60))
	}
	list := strings.Join(quoted, ", ")
	if n := s.All - len(first); n > 0 {
		list += fmt.Sprintf(" and %d more", n)
	}
	return what + ": " + list
}
