package ragtest

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
)

// limit is a metric of a diagnosis, and below what it is low.
type limit struct {
	metric Metric
	low    *float64
}

// limits are all metrics of a diagnosis, in the order in which they are looked at.
func (t *Thresholds) limits() []limit {
	return []limit{
		{ContextRecall, &t.ContextRecall},
		{ContextPrecision, &t.ContextPrecision},
		{Faithfulness, &t.Faithfulness},
		{AnswerRelevance, &t.AnswerRelevance},
		{AnswerCorrectness, &t.AnswerCorrectness},
	}
}

// diagnosed are the metrics that a diagnosis rests on.
func (t Thresholds) diagnosed() []Metric {
	var metrics []Metric
	for _, l := range t.limits() {
		if *l.low != 0 {
			metrics = append(metrics, l.metric)
		}
	}
	return metrics
}

// check refuses thresholds that nothing, or everything, is below.
func (t Thresholds) check() error {
	for _, l := range t.limits() {
		low := *l.low
		if math.IsNaN(low) || low < 0 || low > 1 {
			return fmt.Errorf("ragtest: a threshold is %v, expected a score below which others are low, above 0 and at most 1, or 0 to leave its metric out", low)
		}
	}
	if len(t.diagnosed()) == 0 {
		return errNoThresholds
	}
	return nil
}

// Diagnose measures s by the metrics that t has thresholds for, with the judge of
// [Use], and says which surface broke; see [DiagnoseScores]. What cannot be measured
// is missing from the diagnosis, which says why. The error is for what no score is
// to blame for: no judge, no threshold, a context that ended.
func Diagnose(ctx context.Context, s Sample, t Thresholds) (Diagnosis, error) {
	j, err := Standing()
	if err != nil {
		return Diagnosis{}, err
	}
	return j.Diagnose(ctx, s, t)
}

// Diagnose is the function of that name, with j.
func (j *Judge) Diagnose(ctx context.Context, s Sample, t Thresholds) (Diagnosis, error) {
	if err := t.check(); err != nil {
		return Diagnosis{}, err
	}
	metrics := t.diagnosed()
	r, err := j.Evaluate(ctx, []Sample{s}, metrics...)
	if err != nil {
		return Diagnosis{}, err
	}
	return diagnose(s.title(), r.Results, t), nil
}

var errNoThresholds = errors.New("ragtest: there are no thresholds to diagnose by, expected ragtest.Thresholds with those below which a score is low")

// Diagnose says of each sample of r which surface broke, in their order; see
// [DiagnoseScores].
func (r *Report) Diagnose(t Thresholds) (Diagnoses, error) {
	if err := t.check(); err != nil {
		return nil, err
	}
	var names []string
	of := map[string][]Result{}
	for _, x := range r.Results {
		if of[x.Sample] == nil {
			names = append(names, x.Sample)
		}
		of[x.Sample] = append(of[x.Sample], x)
	}
	var all Diagnoses
	for _, name := range names {
		all = append(all, diagnose(name, of[name], t))
	}
	return all, nil
}

// DiagnoseScores says which surface broke from the scores of one sample, by these
// rules; the first that applies is the Fault, the others are in Also. A score is low
// if it is below its threshold. A score that is missing decides nothing.
//
//  1. Context recall is low: [RetrievalMiss]. But if the contexts say what the
//     reference says in the same words with other numbers, and the answer keeps to
//     them: [WrongSource].
//  2. Context precision is low, and recall is not: [BadRanking]. It is the early
//     warning: it falls before faithfulness does.
//  3. The answer evades every question: [Evasive].
//  4. Faithfulness is low: [ReaderInvents].
//  5. Answer relevance is low: [OffTopic].
//  6. Answer correctness is low, and recall is not: [IgnoresContext].
//
// They are rules of thumb, and no better than the judge: see [Calibrate].
func DiagnoseScores(sample string, t Thresholds, scores ...Score) (Diagnosis, error) {
	if err := t.check(); err != nil {
		return Diagnosis{}, err
	}
	var results []Result
	for _, s := range scores {
		results = append(results, Result{Sample: sample, Metric: s.Metric, Score: s})
	}
	return diagnose(sample, results, t), nil
}

// diagnosing is what the rules look at.
type diagnosing struct {
	found   Diagnosis
	results map[string]Result
	low     map[string]bool
	missing []string
}

func diagnose(sample string, results []Result, t Thresholds) Diagnosis {
	d := diagnosing{found: Diagnosis{Sample: sample}, results: map[string]Result{}, low: map[string]bool{}}
	for _, x := range results {
		d.results[x.Metric] = x
	}
	for _, l := range t.limits() {
		d.look(l.metric, *l.low)
	}
	d.quadrant()
	d.retrieval()
	if d.low[AnswerRelevance.Name()] && d.evades() {
		d.add(Evasive)
	}
	if d.low[Faithfulness.Name()] {
		d.add(ReaderInvents, d.rejected(Faithfulness)...)
	}
	if d.low[AnswerRelevance.Name()] && !d.evades() {
		d.add(OffTopic, d.asked()...)
	}
	if d.low[AnswerCorrectness.Name()] {
		d.correctness()
	}
	low := false
	for _, is := range d.low {
		low = low || is
	}
	switch {
	case d.found.Fault != "":
	case low, len(d.missing) > 0:
		d.found.Fault = Undiagnosed
	default:
		d.found.Fault = NoFault
	}
	d.found.Evidence = append(d.found.Evidence, d.missing...)
	d.found.Lever = levers[d.found.Fault]
	return d.found
}

// look notes a score, and whether it is low.
func (d *diagnosing) look(m Metric, low float64) {
	if low == 0 {
		return
	}
	x, ok := d.results[m.Name()]
	switch {
	case !ok:
		d.missing = append(d.missing, m.Name()+" was not measured")
	case x.Err != nil:
		why, _, _ := strings.Cut(x.Err.Error(), "\n")
		d.missing = append(d.missing, m.Name()+" is missing: "+why)
	default:
		d.low[m.Name()] = x.Score.Value < low
		mark := "≥"
		if d.low[m.Name()] {
			mark = "<"
		}
		d.found.Evidence = append(d.found.Evidence, fmt.Sprintf("%s %.2f %s %v", m.Name(), x.Score.Value, mark, low))
	}
}

// add notes a fault; the first one is the one to begin with.
func (d *diagnosing) add(f Fault, evidence ...string) {
	if d.found.Fault == "" {
		d.found.Fault = f
		d.found.Evidence = append(d.found.Evidence, evidence...)
	} else if f != d.found.Fault && !slices.Contains(d.found.Also, f) {
		d.found.Also = append(d.found.Also, f)
	}
}

func (d *diagnosing) measured(m Metric) bool {
	_, ok := d.low[m.Name()]
	return ok
}

func (d *diagnosing) quadrant() {
	d.found.Quadrant = NoQuadrant
	if !d.measured(Faithfulness) || !d.measured(AnswerRelevance) {
		return
	}
	unfaithful, irrelevant := d.low[Faithfulness.Name()], d.low[AnswerRelevance.Name()]
	switch {
	case unfaithful && irrelevant:
		d.found.Quadrant = UnfaithfulIrrelevant
	case unfaithful:
		d.found.Quadrant = UnfaithfulRelevant
	case irrelevant:
		d.found.Quadrant = FaithfulIrrelevant
	default:
		d.found.Quadrant = FaithfulRelevant
	}
}

// retrieval has the rules about what was retrieved, and in which order.
func (d *diagnosing) retrieval() {
	if d.low[ContextRecall.Name()] {
		if other := d.otherNumbers(); len(other) > 0 && d.measured(Faithfulness) && !d.low[Faithfulness.Name()] {
			d.add(WrongSource, other...)
		} else {
			d.add(RetrievalMiss, d.rejected(ContextRecall)...)
		}
	}
	if d.low[ContextPrecision.Name()] {
		d.add(BadRanking, d.ranks()...)
	}
}

func (d *diagnosing) correctness() {
	if d.measured(ContextRecall) && !d.low[ContextRecall.Name()] {
		d.add(IgnoresContext, d.rejected(AnswerCorrectness)...)
	}
}
