package ragtest

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
)

// savedJudged is how an item is written: an error as its text.
type savedJudged struct {
	plainJudged
	Unmeasured string `json:"unmeasured,omitempty"`
}

type plainJudged Judged

// MarshalJSON writes the error of an item that was not measured as its text.
func (x Judged) MarshalJSON() ([]byte, error) {
	s := savedJudged{plainJudged: plainJudged(x)}
	if x.Err != nil {
		s.Unmeasured = x.Err.Error()
	}
	return marshal(s)
}

// UnmarshalJSON reads what MarshalJSON writes.
func (x *Judged) UnmarshalJSON(b []byte) error {
	var s savedJudged
	if err := json.Unmarshal(b, &s); err != nil {
		return err
	}
	*x = Judged(s.plainJudged)
	if s.Unmeasured != "" {
		x.Err = errors.New(s.Unmeasured)
	}
	return nil
}

// Save writes c to a file, one item a line, to be committed beside the
// recordings. It has what was said, and not the texts that it was said of. The file
// is replaced at once: a reader never sees half of it.
func (c *Calibration) Save(file string) error {
	head := *c
	head.Items = nil
	text, err := marshal(head)
	if err != nil {
		return err
	}
	text = append(text[:len(text)-len(`null}`)], '[')
	for i, x := range c.Items {
		item, err := marshal(x)
		if err != nil {
			return err
		}
		text = append(append(text, separator(i)+" "...), item...)
	}
	if err := writeWhole(file, append(text, "\n]}\n"...)); err != nil {
		return fmt.Errorf("ragtest: the calibration cannot be saved: %w", err)
	}
	return nil
}

// ReadCalibration reads a file that [Calibration.Save] wrote.
func ReadCalibration(file string) (*Calibration, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("ragtest: the calibration cannot be read: %w", err)
	}
	var c Calibration
	if err := json.Unmarshal(text, &c); err != nil {
		return nil, fmt.Errorf("ragtest: %s is no calibration: %w", file, err)
	}
	if c.Step == "" || c.Model == "" || len(c.Items) == 0 {
		return nil, fmt.Errorf("ragtest: %s is no calibration: expected a step, a model and items, got %q, %q and %d", file, c.Step, c.Model, len(c.Items))
	}
	return &c, nil
}
