package ragtest

import (
	"fmt"
	"strings"

	"github.com/ragomega/ragomega/ragtest/agreement"
)

// Reliability parts the verdicts by the judge's probability of a yes, and tells for
// each part how often people say yes: the same share, if the probability is one. It
// also returns how well the probability ranks what people say, 0.5 for a judge that
// guesses. It takes verdicts of yes or no by a judge that was asked for
// [Judge.Probabilities].
func (c *Calibration) Reliability(bins int) (parts []agreement.Bin, auc float64, err error) {
	p, human, err := c.probabilities()
	if err != nil {
		return nil, 0, err
	}
	if parts, err = agreement.Reliability(p, human, bins); err != nil {
		return nil, 0, err
	}
	auc, err = agreement.AUC(p, human)
	return parts, auc, err
}

// probabilities are those of the verdicts, beside what people say.
func (c *Calibration) probabilities() (p []float64, human []bool, err error) {
	if c.kind() != agreement.BinaryLabels || c.Prompt == "" {
		return nil, nil, fmt.Errorf("ragtest: %s has no verdicts of yes or no, which could have a probability", c.Step)
	}
	for _, x := range c.Compared() {
		if x.P == 0 {
			return nil, nil, fmt.Errorf("ragtest: the verdict on %q has no probability: calibrate with Judge.Probabilities", x.Sample)
		}
		h, _ := x.Human()
		p, human = append(p, x.P), append(human, h == 1)
	}
	return p, human, nil
}

// sureness shows the reliability, where there are probabilities.
func (c *Calibration) sureness() string {
	bins, auc, err := c.Reliability(5)
	if err != nil {
		return ""
	}
	var shown []string
	for _, b := range bins {
		shown = append(shown, fmt.Sprintf("%.2f → %.2f (n=%d)", b.Predicted, b.Observed, b.N))
	}
	return fmt.Sprintf("P of a yes, and how often people say yes: %s; AUC %.2f", strings.Join(shown, ", "), auc)
}
