package ragtest

import (
	"errors"
	"fmt"

	"github.com/ragomega/ragomega/ragtest/agreement"
)

// CorrectedMean is the mean of a report's scores as it would be by a judge without
// errors, as far as the errors are known.
type CorrectedMean struct {
	Metric   string
	Value    float64 // from 0 to 1
	Raw      float64 // Value before it was cut to that range
	Observed float64 // the mean by the judge
	// Interval holds the errors of both samples: that of the report, drawn by samples,
	// and that of the calibration, drawn by groups of items.
	Interval agreement.Interval
	Samples  int // of the report
	Items    int // of the calibration
	TPR, TNR float64
}

// ErrCannotCorrect says that a judge is not known to be good enough for a mean of
// its verdicts to be corrected.
var ErrCannotCorrect = errors.New("cannot be corrected")

// Corrected returns the mean of a report's scores by m, corrected for what the
// calibration knows of the judge: (mean + TNR - 1) / (TPR + TNR - 1), after Rogan
// and Gladen (1978). It takes a metric whose score is a share of verdicts of one
// step, [Faithfulness] or [ContextRecall], a calibration of that step by the judge
// of the report, and a report in which every sample was measured.
//
// It rests on TPR and TNR being the same for the report's samples as for those of
// the calibration. So calibrate on texts like these, not on a set that came with a
// library.
//
// It is [ErrCannotCorrect] if TPR+TNR-1 is not clearly above 0, by the lower end of
// its interval, or the labels are too few: the judge would then tell supported from
// unsupported no better than chance, and the quotient is anything.
func (r *Report) Corrected(m Metric, c *Calibration) (CorrectedMean, error) {
	none := CorrectedMean{}
	switch linear, ok := m.(calibrated); {
	case c == nil:
		return none, errNoCalibration
	case !ok || !linearInVerdicts(m):
		return none, fmt.Errorf("%w: %s is no plain share of verdicts, so its mean does not follow from how often the judge errs; Faithfulness and ContextRecall are", ErrCannotCorrect, m.Name())
	case c.Prompt == "" || linear.step().prompt != nameOf(c.Step):
		return none, fmt.Errorf("%w: %s is decided in the step %q, and the calibration is of %s", ErrCannotCorrect, m.Name(), linear.step().prompt, c.Step)
	}
	if err := r.madeBy(c); err != nil {
		return none, fmt.Errorf("%w: %w", ErrCannotCorrect, err)
	}
	scores := r.Scores(m)
	if len(scores.Unmeasured) > 0 || len(scores.Measured) < 2 {
		return none, fmt.Errorf("%w: %d samples were measured by %s and %d were not, expected at least 2 and all", ErrCannotCorrect, len(scores.Measured), m.Name(), len(scores.Unmeasured))
	}
	return corrected(scores, c)
}

// linearInVerdicts reports whether a metric's score is the share of its verdicts
// that are a yes.
func linearInVerdicts(m Metric) bool {
	switch m.(type) {
	case faithfulness, contextRecall:
		return true
	}
	return false
}

// madeBy says why the verdicts of r are not of the judge that c is of.
func (r *Report) madeBy(c *Calibration) error {
	j := Judge{endpoint: endpoint{model: c.Model, identity: c.Identity}}
	if r.Judge != j.String() {
		return fmt.Errorf("the report is by %s, and the calibration is of %s", r.Judge, &j)
	}
	if r.judge != nil {
		if why := r.judge.void(c); why != "" {
			return fmt.Errorf("the calibration is void for the report's judge: %s", why)
		}
	}
	name := nameOf(c.Step)
	for _, x := range r.Results {
		for _, e := range x.Score.Exchanges {
			if nameOf(e.Step) == name && e.Step != c.Step {
				return fmt.Errorf("sample %q was judged by prompt %s, and the calibration is of %s", x.Sample, e.Step, c.Step)
			}
		}
	}
	return nil
}

func corrected(scores Scores, c *Calibration) (CorrectedMean, error) {
	none := CorrectedMean{}
	items := c.Compared()
	if len(items) == 0 {
		return none, fmt.Errorf("%w: %w", ErrCannotCorrect, c.nothing())
	}
	human, judge := labelsOf(items)
	values := scores.Values()
	of := func(at []int) (agreement.Confusion, float64) {
		var found agreement.Confusion
		sum, n := 0.0, 0
		for _, i := range at {
			if i >= len(items) {
				sum += values[i-len(items)]
				n++
				continue
			}
			count(&found, human[i], judge[i])
		}
		return found, sum / float64(n)
	}
	n := len(items) + len(values)
	b := agreement.Bootstrap{Seed: 1, Clusters: make([]int, n), Strata: make([]int, n)}
	all := make([]int, n)
	most := 0
	for i := range all {
		all[i] = i
		if i < len(items) {
			b.Clusters[i] = items[i].Group
			most = max(most, items[i].Group)
		} else {
			b.Clusters[i], b.Strata[i] = most+1+i, 1
		}
	}
	confusion, mean := of(all)
	if err := confusion.Gate(); err != nil {
		return none, fmt.Errorf("%w: %w", ErrCannotCorrect, err)
	}
	found := CorrectedMean{Metric: scores.Metric, Observed: mean, Samples: len(values), Items: len(items)}
	var err error
	if found.TPR, err = confusion.TPR(); err != nil {
		return none, fmt.Errorf("%w: %w", ErrCannotCorrect, err)
	}
	if found.TNR, err = confusion.TNR(); err != nil {
		return none, fmt.Errorf("%w: %w", ErrCannotCorrect, err)
	}
	labelled := agreement.Bootstrap{Seed: 1, Clusters: b.Clusters[:len(items)]}
	informed, err := labelled.Interval(len(items), func(at []int) (float64, error) {
		c, _ := of(at)
		return c.Informedness()
	})
	if err != nil {
		return none, fmt.Errorf("%w: %w", ErrCannotCorrect, err)
	}
	if !(informed.Low > 0) {
		return none, fmt.Errorf("%w: TPR %.2f and TNR %.2f of %d items leave open whether the judge is better than chance, as TPR+TNR-1 is in %v; get more labels, or a better judge",
			ErrCannotCorrect, found.TPR, found.TNR, len(items), informed)
	}
	raw := func(at []int) (float64, error) {
		c, mean := of(at)
		j, err := c.Informedness()
		if err != nil {
			return 0, err
		}
		tnr, err := c.TNR()
		if j <= 0 {
			tpr, _ := c.TPR()
			return 0, agreement.UninformativeError{TPR: tpr, TNR: tnr}
		}
		return (mean + tnr - 1) / j, err
	}
	if found.Raw, err = raw(all); err != nil {
		return none, fmt.Errorf("%w: %w", ErrCannotCorrect, err)
	}
	found.Value = within(found.Raw)
	found.Interval, err = b.Interval(n, raw)
	found.Interval.Low, found.Interval.High = within(found.Interval.Low), within(found.Interval.High)
	found.Interval.Degenerate = found.Interval.Low == found.Interval.High
	return found, err
}

func within(v float64) float64 { return min(max(v, 0), 1) }

// String is one line.
func (c CorrectedMean) String() string {
	return fmt.Sprintf("%s %.3f %v corrected, %.3f by the judge (TPR %.2f, TNR %.2f of %d items), n=%d",
		c.Metric, c.Value, c.Interval, c.Observed, c.TPR, c.TNR, c.Items, c.Samples)
}
