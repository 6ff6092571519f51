package ragtest

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
)

// Confirmed makes of m a metric that takes a second look where the first is near a
// threshold: a score no farther from at than within is replaced by the median of n
// more trials, n odd and at least 3. The median is above a threshold exactly if most
// trials are, so a matcher decides by their majority:
//
//	var Faithful = ragtest.Confirmed(ragtest.Faithfulness, 0.8, 0.1, 3)
//	Expect(sample).To(HaveScoreAbove(Faithful, 0.8))
//
// The score is that of the trial in the middle, with its verdicts. A verdict for
// each trial follows, the first look too, so that messages tell that there was a
// second one and how it came out: a yes is a score that is better than at.
//
// Scores on both sides of the threshold are looked at again, and the first look,
// which said that the sample is borderline, has no vote. To confirm failures alone
// would be simpler, and wrong: a sample that passes would never be asked again and
// one that fails would, so that every repetition could only turn failures into
// passes. With a judge that is wrong in one of five looks, a bad sample passes in
// 20 % at the first look; with failures tried once more, in 36 %.
//
// The trials are the judge's next, [Judge.Trial], and recorded like all others, so
// that a replay decides the same. At temperature 0 they would repeat the first
// look: they are drawn at 0.3. Confirmed scores are not to be compared with others,
// so the metric's name tells them apart; and noise is to be measured by m itself.
//
// Arguments that make no sense are an error of every measurement.
func Confirmed(m Metric, at, within float64, n int) Metric {
	c := confirmed{m, at, within, n}
	if m != nil && lowerIsBetter(m) {
		return confirmedLower{c}
	}
	return c
}

type confirmed struct {
	metric     Metric
	at, within float64
	n          int
}

// confirmedLower is one of a metric of which less is better.
type confirmedLower struct{ confirmed }

func (confirmedLower) LowerIsBetter() {}

func (c confirmed) Name() string {
	if c.metric == nil {
		return "confirmed"
	}
	return fmt.Sprintf("%s_confirmed_%d_within_%v_of_%v", c.metric.Name(), c.n, c.within, c.at)
}

func (c confirmed) Range() (lowest, highest float64) {
	if r, ok := c.metric.(interface {
		Range() (lowest, highest float64)
	}); ok {
		return r.Range()
	}
	return math.Inf(-1), math.Inf(1)
}

func (c confirmed) check() error {
	switch {
	case c.metric == nil:
		return fmt.Errorf("ragtest.Confirmed: there is no metric to confirm, expected one such as ragtest.Faithfulness")
	case c.n < 3 || c.n%2 == 0:
		return fmt.Errorf("ragtest.Confirmed: the number of trials is %d, expected an odd one of at least 3, so that there is a majority", c.n)
	case !(c.within > 0) || math.IsInf(c.within, 0) || math.IsNaN(c.at) || math.IsInf(c.at, 0):
		return fmt.Errorf("ragtest.Confirmed: scores within %v of %v, expected a distance above 0 of a number", c.within, c.at)
	}
	return nil
}

func (c confirmed) Measure(ctx context.Context, j *Judge, s Sample) (Score, error) {
	if err := c.check(); err != nil {
		return Score{}, err
	}
	first, err := c.metric.Measure(ctx, j, s)
	if err != nil {
		return Score{}, err
	}
	if math.Abs(first.Value-c.at) > c.within*(1+1e-12) {
		return first, nil
	}
	again := j
	if t := j.sampling.temperature; t != nil && *t == 0 {
		again = j.Temperature(votesTemperature)
	}
	trials := make([]Score, c.n)
	err = each(ctx, c.n, func(ctx context.Context, i int) (err error) {
		trials[i], err = c.metric.Measure(ctx, again.Trial(j.trial+1+i), s)
		return err
	})
	if err != nil {
		return Score{}, err
	}
	sorted := slices.Clone(trials)
	slices.SortStableFunc(sorted, func(a, b Score) int { return cmp.Compare(a.Value, b.Value) })
	score := sorted[c.n/2]
	score.Verdicts = append(slices.Clip(score.Verdicts), c.look("first look, which has no vote", first))
	for i, x := range trials {
		score.Verdicts = append(score.Verdicts, c.look(fmt.Sprintf("trial %d of %d", i+1, c.n), x))
	}
	return score, nil
}

// look shows a trial as a verdict.
func (c confirmed) look(part string, x Score) Verdict {
	better := x.Value > c.at
	if lowerIsBetter(c.metric) {
		better = x.Value < c.at
	}
	says := fmt.Sprintf("%s %.3g", c.metric.Name(), x.Value)
	if f := x.Fraction(); f != "" {
		says += " (" + f + ")"
	}
	v := Verdict{Part: part, Claim: says, OK: better}
	if !better {
		v.Reason = fmt.Sprintf("it is not better than %v", c.at)
	}
	return v
}
