package ragtest

import (
	"errors"
	"fmt"
	"slices"

	"github.com/ragomega/ragomega/cache"
	"github.com/ragomega/ragomega/ragtest/agreement"
)

// Threshold is the probability of a yes from which a judge's verdicts are taken
// for one, chosen on labelled data in place of the judge's own word. It belongs to
// the judge and the prompt that it was chosen for, and to texts like those it was
// chosen on: on others it may well do worse than the judge's word. So a judge
// that decides by one has to be calibrated again on the texts that it is for.
type Threshold struct {
	At       float64 `json:"at"`
	Step     string  `json:"step"`
	Prompt   string  `json:"prompt"` // digest of its text
	Model    string  `json:"model"`
	Identity string  `json:"identity"`
	Data     string  `json:"data"` // digest of the labelled samples that it was chosen on

	// Word is kappa by the judge's own word. Held is kappa by thresholds that were
	// chosen for each group of items on all the others, so that none decides on what
	// it was chosen by; and Gain is the difference.
	Word, Held, Gain agreement.Estimate `json:"-"`
	// GainLow is the lower end of Gain's interval of 95 %: only above 0 is there
	// reason to decide by the threshold.
	GainLow float64 `json:"gain_low"`
	// AUC is how well P ranks what people say, 0.5 for a judge that guesses.
	AUC float64 `json:"auc"`
	// PerClaim is whether it was chosen for claims that are checked each alone.
	PerClaim bool `json:"per_claim,omitempty"`
	// Refused says why nobody should decide by it; "" if somebody may.
	Refused string `json:"refused,omitempty"`
}

// ErrNoThreshold says that deciding by a threshold is not known to be better than
// the judge's own word.
var ErrNoThreshold = errors.New("no threshold that is known to be better")

// Threshold chooses the threshold with the highest kappa. What it gains is found
// on held-out items: those that share their contexts decide together, by the
// threshold that is best on all the others. A judge is asked for
// [Judge.Probabilities] first.
//
// It is [ErrNoThreshold] together with the threshold, for its figures, if the
// lower end of what it gains is not above 0, or the labels are too few to tell.
func (c *Calibration) Threshold() (*Threshold, error) {
	items := c.Compared()
	p, yes, err := c.probabilities()
	if err != nil {
		return nil, err
	}
	if c.Decided != nil {
		return nil, fmt.Errorf("ragtest: the judge has decided %s by a threshold already", c.Step)
	}
	human, word := labelsOf(items)
	by := groups(items)
	decisions, at, err := agreement.CrossThreshold(p, yes, by, kappaOf)
	if err != nil {
		return nil, fmt.Errorf("ragtest: no threshold can be chosen: %w", err)
	}
	t := &Threshold{At: at, Step: c.Step, Prompt: c.Prompt, Model: c.Model, Identity: c.Identity, Data: c.Data, PerClaim: c.PerClaim}
	if t.AUC, err = agreement.AUC(p, yes); err != nil {
		return nil, err
	}
	held := make([]float64, len(items))
	for i, d := range decisions {
		if d {
			held[i] = 1
		}
	}
	a, err := c.Agreement()
	if err != nil {
		return nil, err
	}
	few := a.Gate()
	t.Word = a.Kappa
	if t.Held, err = kappaWith(human, held, by, c.Scale); err != nil {
		return nil, err
	}
	if t.Gain, err = kappaGain(human, held, word, by); err != nil {
		return nil, err
	}
	low, err := t.Gain.Lower()
	t.GainLow = low
	switch {
	case few != nil:
		err = few
	case err == nil && low <= 0:
		err = fmt.Errorf("held out it has %v, and the judge's own word %v; %v", t.Held, t.Word, t.Gain)
	}
	if err != nil {
		t.Refused = err.Error()
		return t, fmt.Errorf("%w: %w", ErrNoThreshold, err)
	}
	return t, nil
}

func kappaOf(c agreement.Confusion) (float64, error) { return c.Table().Kappa() }

// String names the threshold: "verify/v2 decided at P ≥ 0.93 (held out kappa …)".
func (t *Threshold) String() string {
	s := fmt.Sprintf("%s decided at P ≥ %.3g", t.Step, t.At)
	if held, err := t.Held.Value(); err == nil {
		s += fmt.Sprintf(", held out kappa %.2f", held)
	}
	return s + ", chosen on data " + t.Data
}

func (t *Threshold) same(o *Threshold) bool {
	return t != nil && o != nil && t.At == o.At && t.Step == o.Step && t.Data == o.Data
}

// Deciding returns a copy of j whose verdicts in a step are by a threshold: a yes
// if their P is at least that. It asks for [Judge.Probabilities].
//
// A threshold that is not known to be better than the judge's word, or that is of
// another judge, model or prompt, is an error of every measurement.
func (j *Judge) Deciding(t *Threshold) *Judge {
	c := j.Probabilities()
	c.thresholds = append(slices.Clip(j.thresholds), t)
	return c
}

// threshold returns what the verdicts of a prompt are decided by; nil is the
// judge's own word.
func (j *Judge) threshold(p prompt) (*Threshold, error) {
	var chosen *Threshold
	for _, t := range j.thresholds {
		if t == nil {
			return nil, fmt.Errorf("ragtest: Judge.Deciding was given no threshold")
		}
		if nameOf(t.Step) != p.name {
			continue
		}
		switch {
		case t.Refused != "":
			return nil, fmt.Errorf("%w: %s", ErrNoThreshold, t.Refused)
		case p.name == "verify" && t.PerClaim != j.perClaim:
			return nil, fmt.Errorf("the threshold is void: it was chosen for claims that are checked %s, and here they are %s", together(t.PerClaim), together(j.perClaim))
		case !(t.GainLow > 0):
			return nil, fmt.Errorf("%w: %s, and what it gains in kappa may be as low as %.2f", ErrNoThreshold, t, t.GainLow)
		case t.Model != j.model || t.Identity != j.identity:
			return nil, fmt.Errorf("the threshold is void: it was chosen for %s at %s, and this is %s", t.Model, t.Identity, j)
		case t.Step != p.String() || t.Prompt != cache.TextDigest(p.text):
			return nil, fmt.Errorf("the threshold is void: it was chosen for another text than that of prompt %s", p)
		}
		chosen = t
	}
	return chosen, nil
}

// decided returns v as the threshold has it.
func (t *Threshold) decided(v Verdict) Verdict {
	if t == nil || v.P == 0 {
		return v
	}
	yes := v.P >= t.At
	v.OK, v.Overruled = yes, yes != v.OK
	return v
}

// transfer tells whether the threshold that c was decided by is worth anything on
// its data.
func (c *Calibration) transfer() string {
	if c.Decided == nil {
		return ""
	}
	items := c.Compared()
	human, judge := labelsOf(items)
	word := slices.Clone(judge)
	for i, x := range items {
		if x.Overruled {
			word[i] = 1 - word[i]
		}
	}
	gain, err := kappaGain(human, judge, word, groups(items))
	if err != nil {
		return err.Error()
	}
	if low, err := gain.Lower(); err == nil && low > 0 {
		return fmt.Sprintf("the threshold is better than the judge's word here: %v", gain)
	}
	return fmt.Sprintf("! the threshold is not known to be better than the judge's word here, so do not decide by it: %v", gain)
}
