package agreement

import (
	"errors"
	"fmt"
)

// Estimate is a statistic with its interval.
type Estimate struct {
	Name string // of the statistic: "kappa"

	value       float64
	interval    Interval
	err         error // why there is no value
	intervalErr error
}

// estimate makes an Estimate of a statistic and its interval. Undefined is an
// Estimate too; other errors are not.
func estimate(name string, value float64, err error, interval func() (Interval, error)) (Estimate, error) {
	e := Estimate{Name: name, value: value, err: err}
	if err == nil {
		e.interval, e.intervalErr = interval()
	}
	for _, err := range []error{e.err, e.intervalErr} {
		if err != nil && !errors.Is(err, ErrUndefined) {
			return Estimate{}, err
		}
	}
	return e, nil
}

// Value returns the statistic, or [ErrUndefined].
func (e Estimate) Value() (float64, error) {
	if e.err == nil && e.Name == "" {
		return 0, fmt.Errorf("the estimate is %w: nothing was estimated", ErrUndefined)
	}
	return e.value, e.err
}

// Interval returns the interval of the statistic. It is [ErrUndefined] if the
// statistic is, and if the data are too few for an interval.
func (e Estimate) Interval() (Interval, error) {
	if _, err := e.Value(); err != nil {
		return Interval{}, err
	}
	return e.interval, e.intervalErr
}

// Lower returns the lower end of the interval, which is what a gate should be
// held against.
func (e Estimate) Lower() (float64, error) {
	i, err := e.Interval()
	return i.Low, err
}

// String is the statistic with its interval: "kappa 0.50 [0.23, 0.75]".
func (e Estimate) String() string {
	v, err := e.Value()
	if err != nil {
		return e.Name + " undefined"
	}
	if e.intervalErr != nil {
		return fmt.Sprintf("%s %.2f", e.Name, v)
	}
	return fmt.Sprintf("%s %.2f %v", e.Name, v, e.interval)
}
