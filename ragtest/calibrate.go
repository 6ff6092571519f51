package ragtest

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"unicode/utf8"

	"github.com/ragomega/ragomega/cache"
)

// Calibrate holds the judge of [Use] against people; see [Judge.Calibrate].
func Calibrate(ctx context.Context, m Metric, labelled []Labelled) (*Calibration, error) {
	j, err := Standing()
	if err != nil {
		return nil, err
	}
	return j.Calibrate(ctx, m, labelled)
}

// Calibrate has j judge what people judged, and returns both. What is judged is
// one step of the metric, in the request that the metric makes of it:
//
//	Faithfulness, FactualCorrectness  the step "verify": the label says whether
//	                                  RetrievedContexts support Response, which is
//	                                  one claim
//	ContextRecall                     the same for Reference, which is one claim
//	ContextPrecision                  the step "useful": whether the one context is
//	                                  useful to arrive at Reference, or with
//	ContextUtilization                this metric at Response, as the answer to
//	                                  UserInput
//	AnswerRelevance                   the step "questions": whether Response commits
//	                                  itself, 1, or is evasive, 0
//	any other                         the metric as a whole: the label is the score
//	                                  that a sample should have
//
// Claims with the same contexts are checked together, up to ten in a request, as
// those of one answer are; with [Judge.PerClaim] each alone.
//
// Labels of a step are 1 and 0; of several raters the majority counts. Samples
// whose raters are divided are set aside, and so are those that the judge gave no
// verdict on; both are in the calibration. The error is for what leaves nothing
// to compare: no samples, a label that is none, a sample without what the step
// needs, a context that ended.
//
// The samples must not be those that the prompt was written by: a judge knows
// its examples.
func (j *Judge) Calibrate(ctx context.Context, m Metric, labelled []Labelled) (*Calibration, error) {
	if j == nil || j.dial == nil {
		return nil, ErrNoJudge
	}
	if m == nil {
		return nil, errors.New("ragtest: there is no metric to calibrate, expected one such as ragtest.Faithfulness")
	}
	if len(labelled) == 0 {
		return nil, errors.New("ragtest: there are no labelled samples to calibrate by")
	}
	s := stepOf(m)
	c := &Calibration{Metric: m.Name(), Model: j.model, Identity: j.identity, Data: dataDigest(labelled)}
	var err error
	if c.Step, c.Prompt, c.Decided, err = j.stepIdentity(s); err != nil {
		return nil, err
	}
	if c.Decided != nil && c.Decided.Data == c.Data {
		return nil, errors.New("ragtest: the threshold was chosen on these labelled samples, which therefore cannot show what it is worth; calibrate on others")
	}
	c.PerClaim = s.prompt == "verify" && j.perClaim
	ctx, t := withTrace(withCaller(ctx))
	if c.Items, err = j.judgeAll(ctx, s, labelled); err != nil {
		return nil, err
	}
	c.Scale = c.scaleOf(m, s)
	for _, x := range t.exchanges {
		c.Tokens.In, c.Tokens.Out = c.Tokens.In+x.Tokens.In, c.Tokens.Out+x.Tokens.Out
	}
	if ctx.Err() != nil {
		return c, fmt.Errorf("ragtest: the calibration was ended early: %w", endOf(ctx))
	}
	return c, nil
}

// judgeAll has the items judged, those together that belong together.
func (j *Judge) judgeAll(ctx context.Context, s step, labelled []Labelled) ([]Judged, error) {
	samples := make([]Sample, len(labelled))
	for i, l := range labelled {
		samples[i] = l.Sample
	}
	names, err := namesOf(samples)
	if err != nil {
		return nil, err
	}
	items := make([]Judged, len(labelled))
	group := map[string]int{}
	batches := [][]int{}
	open := map[string]int{} // the batch of a group that is not full
	for i, l := range labelled {
		if err := s.fits(l); err != nil {
			return nil, fmt.Errorf("ragtest: labelled sample %q: %w", l.Sample.title(), err)
		}
		key := s.together(l.Sample)
		if key == "" {
			key = fmt.Sprint("\x01", i) // with no other
		}
		if _, ok := group[key]; !ok {
			group[key] = len(group)
		}
		claim := s.claim(l.Sample)
		items[i] = Judged{
			Sample: names[i], Tags: l.Sample.Tags, Claim: shorten(claim, 400), Length: utf8.RuneCountInString(claim),
			Group: group[key], Labels: l.Labels,
		}
		at, ok := open[key]
		if !ok {
			at = len(batches)
			batches = append(batches, nil)
			open[key] = at
		}
		batches[at] = append(batches[at], i)
		if len(batches[at]) == s.most {
			delete(open, key)
		}
	}
	underWay := make(chan struct{}, inEvaluation)
	_ = each(ctx, len(batches), func(ctx context.Context, i int) error {
		underWay <- struct{}{}
		defer func() { <-underWay }()
		j.judgeBatch(ctx, s, labelled, batches[i], items)
		return nil
	})
	return items, nil
}

// judgeBatch fills in what the judge says of some items.
func (j *Judge) judgeBatch(ctx context.Context, s step, labelled []Labelled, batch []int, items []Judged) {
	samples := make([]Sample, len(batch))
	for k, i := range batch {
		samples[k] = labelled[i].Sample
	}
	var score Score
	exchanges, err := j.traced(ctx, func(ctx context.Context) (err error) {
		score, err = s.judge(ctx, j, samples)
		return err
	})
	for _, x := range exchanges {
		traceOf(ctx).add(x)
	}
	for k, i := range batch {
		if err != nil {
			items[i].Err = j.unmeasured(ctx, s.metric, samples[k], err)
			continue
		}
		v := score.Verdicts[k]
		x := &items[i]
		x.Judge, x.P, x.Overruled, x.Reason, x.Quote = v.Value, v.P, v.Overruled, v.Reason, v.Quote
	}
}

// fits says what a labelled sample lacks.
func (s step) fits(l Labelled) error {
	if len(l.Labels) == 0 {
		return errors.New("it has no label")
	}
	lowest, highest := math.Inf(-1), math.Inf(1)
	if r, ok := s.metric.(interface {
		Range() (lowest, highest float64)
	}); ok {
		lowest, highest = r.Range()
	}
	for _, x := range l.Labels {
		switch {
		case s.prompt != "" && x.Value != 0 && x.Value != 1:
			return fmt.Errorf("the label is %v, expected 1 for yes or 0 for no: the step %q decides", x.Value, s.prompt)
		case !(x.Value >= lowest && x.Value <= highest) || math.IsInf(x.Value, 0):
			return fmt.Errorf("the label is %v, expected a score of %s, from %v to %v", x.Value, s.metric.Name(), lowest, highest)
		}
	}
	return s.needs(l.Sample)
}

// stepIdentity names the step with its version, what its prompt says, and what
// its verdicts are decided by.
func (j *Judge) stepIdentity(s step) (name, digest string, t *Threshold, err error) {
	if s.prompt == "" {
		return s.metric.Name(), "", nil, nil
	}
	p, err := j.prompt(s.prompt)
	if err != nil {
		return "", "", nil, err
	}
	t, err = j.threshold(p)
	return p.String(), cache.TextDigest(p.text), t, err
}

// dataDigest tells labelled data from others.
func dataDigest(labelled []Labelled) string {
	var all strings.Builder
	for _, l := range labelled {
		b, _ := marshal(l) // texts and numbers always can
		all.Write(b)
		all.WriteByte('\n')
	}
	return cache.TextDigest(all.String())
}
