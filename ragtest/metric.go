package ragtest

import (
	"context"
	"fmt"
	"time"

	"github.com/ragomega/ragomega/cache"
)

// Metric scores a sample with the help of a judge. A metric whose scores have
// bounds tells them by a method Range() (lowest, highest float64). A metric of
// which less is better has a method LowerIsBetter(). One that asks no judge has a
// method WithoutJudge(), and is measured where there is none, see [NoJudge]. One that
// can do nothing with an answer alone has a method Needs() string, which names the
// fields of a sample that matchers then ask for.
type Metric interface {
	// Name is what results and messages call the metric.
	Name() string
	// Measure returns the score of s. It returns an error rather than a score
	// that rests on less than it should: an input that is missing, a reply that
	// cannot be used, nothing to judge.
	Measure(ctx context.Context, j *Judge, s Sample) (Score, error)
}

// Verdict is one yes or no of a judge.
type Verdict struct {
	Claim  string  `json:"claim"`            // what was judged
	Part   string  `json:"part,omitempty"`   // the text that it is of, where there are several: "reference", "context 2"
	OK     bool    `json:"ok"`               // the judge's answer
	Value  float64 `json:"value,omitempty"`  // of a judgment that is a number besides: a similarity, a rating
	Quote  string  `json:"quote,omitempty"`  // the words of the contexts that come nearest to it
	Reason string  `json:"reason,omitempty"` // in the judge's words
	// P is the judge's probability of a yes, above 0 and below 1; 0 if it was not
	// asked for, see [Judge.Probabilities].
	P float64 `json:"p,omitempty"`
	// Overruled: a threshold decided, and not as the judge's word has it; see
	// [Judge.Deciding].
	Overruled bool `json:"overruled,omitempty"`
}

// Score is what a metric found.
type Score struct {
	Metric   string    `json:"metric"`
	Value    float64   `json:"value"`
	Verdicts []Verdict `json:"verdicts,omitempty"` // what Value was computed from
	Weighed  bool      `json:"weighed,omitempty"`  // Value is no plain share of Verdicts
	Clipped  int       `json:"clipped,omitempty"`  // claims that were not checked, see [Judge.MaxClaims]
	Judge    string    `json:"judge,omitempty"`    // model and identity; "" if nobody was asked
	// Calibration tells how far the judge is known to agree with people, or why that
	// is not known any more; "" if it never was. See [Judge.Calibrated].
	Calibration string `json:"calibration,omitempty"`
	// Exchanges are the requests that the verdicts came from, in order.
	Exchanges []Exchange `json:"exchanges,omitempty"`
}

// Exchange is one request of a measurement and what became of it.
type Exchange struct {
	Step   string       `json:"step"` // the prompt and its version
	Key    cache.Key    `json:"key"`
	Source cache.Source `json:"source"` // "recorded", "stored" or "asked"
	Tokens Tokens       `json:"tokens"`

	took time.Duration // for the judge to answer, when it was asked
}

// Tokens count what a request cost when it was asked.
type Tokens struct {
	In  int `json:"in"`
	Out int `json:"out"`
}

// passed counts the verdicts that are a yes.
func passed(verdicts []Verdict) int {
	n := 0
	for _, v := range verdicts {
		if v.OK {
			n++
		}
	}
	return n
}

// share is the score of metrics that are a share of verdicts. With the same
// verdicts it is the same to the last bit as a division in any language.
func share(verdicts []Verdict) float64 {
	return float64(passed(verdicts)) / float64(len(verdicts))
}

// Fraction returns the score as it came about: "3/4", or "" for a metric that
// is no share of its verdicts.
func (s Score) Fraction() string {
	if len(s.Verdicts) == 0 || s.Weighed || s.Value != share(s.Verdicts) {
		return ""
	}
	for _, v := range s.Verdicts {
		if v.Part != s.Verdicts[0].Part || v.Value != 0 {
			return "" // equal by chance
		}
	}
	return fmt.Sprintf("%d/%d", passed(s.Verdicts), len(s.Verdicts))
}

// NewMetric makes a metric of a function. Errors of measure mean that there is
// no score; see [Metric].
func NewMetric(name string, measure func(ctx context.Context, j *Judge, s Sample) (Score, error)) Metric {
	return metricFunc{name, measure}
}

type metricFunc struct {
	name    string
	measure func(context.Context, *Judge, Sample) (Score, error)
}

func (m metricFunc) Name() string { return m.name }

func (m metricFunc) Measure(ctx context.Context, j *Judge, s Sample) (Score, error) {
	return m.measure(ctx, j, s)
}
