package agreement

import (
	"fmt"
	"math"
)

// Design is a study that is planned: how many samples it takes to find a
// difference, and which difference the samples at hand could find. Tests are
// two-sided. The zero value has the usual levels.
//
// The numbers of samples are not whole, so that they can be compared; round them
// up. All methods return an error if a level, an effect or a number is out of its
// range.
type Design struct {
	Alpha float64 // the chance of finding a difference that there is not; 0 means 0.05
	Power float64 // the chance of finding the difference that there is; 0 means 0.8
}

func (d Design) withDefaults() (Design, error) {
	if d.Alpha == 0 {
		d.Alpha = 0.05
	}
	if d.Power == 0 {
		d.Power = 0.8
	}
	if !(d.Alpha > 0 && d.Alpha < 1 && d.Power >= d.Alpha && d.Power < 1) {
		return d, fmt.Errorf("agreement: alpha is %v and the power %v, expected alpha between 0 and 1 such as 0.05, and a power from it to below 1 such as 0.8", d.Alpha, d.Power)
	}
	return d, nil
}

// bounds returns the levels in standard deviations.
func (d Design) bounds() (alpha, power float64, err error) {
	d, err = d.withDefaults()
	return -normalQuantile(d.Alpha / 2), normalQuantile(d.Power), err
}

func checkEffect(effect float64) error {
	if effect == 0 || math.IsNaN(effect) || math.IsInf(effect, 0) {
		return fmt.Errorf("agreement: the effect is %v, expected a number other than 0: the mean difference in standard deviations of the differences", effect)
	}
	return nil
}

// PairsZ returns how many pairs the mean difference effect, in standard deviations
// of the differences (Cohen's d_z), takes to be found by the normal test. It is a
// little too few for a t test: see [Design.PairsT].
func (d Design) PairsZ(effect float64) (float64, error) {
	alpha, power, err := d.bounds()
	if err == nil {
		err = checkEffect(effect)
	}
	if err != nil {
		return 0, err
	}
	root := (alpha + power) / effect
	return root * root, nil
}

// DetectableZ returns the smallest mean difference that so many pairs find by the
// normal test, in standard deviations of the differences.
func (d Design) DetectableZ(pairs int) (float64, error) {
	alpha, power, err := d.bounds()
	if err != nil {
		return 0, err
	}
	if pairs < 1 {
		return 0, fmt.Errorf("agreement: there are %d pairs, expected at least 1", pairs)
	}
	return (alpha + power) / math.Sqrt(float64(pairs)), nil
}

// PairsT returns how many pairs the mean difference effect, in standard deviations
// of the differences, takes to be found by [PairedT], at least 2.
func (d Design) PairsT(effect float64) (float64, error) {
	d, err := d.withDefaults()
	if err == nil {
		err = checkEffect(effect)
	}
	if err != nil {
		return 0, err
	}
	effect = math.Abs(effect)
	found := func(pairs float64) bool { return studentPower(effect, pairs, d.Alpha) >= d.Power }
	low, high := 2.0, 4.0
	if found(low) {
		return low, nil
	}
	for !found(high) {
		low, high = high, 2*high
		if high > 1e9 {
			return 0, fmt.Errorf("agreement: an effect of %v takes more than %.0e pairs", effect, low)
		}
	}
	return bisect(low, high, found), nil
}

// DetectableT returns the smallest mean difference that so many pairs, at least 2,
// find by [PairedT], in standard deviations of the differences.
func (d Design) DetectableT(pairs int) (float64, error) {
	d, err := d.withDefaults()
	if err != nil {
		return 0, err
	}
	if pairs < 2 {
		return 0, fmt.Errorf("agreement: there are %d pairs, expected at least 2", pairs)
	}
	found := func(effect float64) bool { return studentPower(effect, float64(pairs), d.Alpha) >= d.Power }
	high := 1.0
	for !found(high) {
		high *= 2
		if math.IsInf(high, 1) {
			return 0, fmt.Errorf("agreement: the power of %d pairs cannot be found", pairs)
		}
	}
	return bisect(0, high, found), nil
}

// bisect returns where found, false at low and true at high, turns.
func bisect(low, high float64, found func(float64) bool) float64 {
	for high-low > 1e-12*high {
		middle := low + (high-low)/2
		if middle == low || middle == high {
			break
		}
		if found(middle) {
			high = middle
		} else {
			low = middle
		}
	}
	return high
}

// McNemarPairs returns how many samples [McNemar]'s test takes to find that the
// shares onlyA and onlyB of them pass in one run only (Connor 1987).
func (d Design) McNemarPairs(onlyA, onlyB float64) (float64, error) {
	alpha, power, err := d.bounds()
	if err != nil {
		return 0, err
	}
	if !(onlyA >= 0 && onlyB >= 0 && onlyA+onlyB <= 1 && onlyA != onlyB) {
		return 0, fmt.Errorf("agreement: the shares that pass in one run only are %v and %v, expected two that differ and are at most 1 together", onlyA, onlyB)
	}
	s, by := onlyA+onlyB, math.Abs(onlyA-onlyB)
	root := (alpha*math.Sqrt(s) + power*math.Sqrt(s-by*by)) / by
	return root * root, nil
}

// DetectableMcNemar returns the smallest difference of two pass rates that so many
// samples find by [McNemar]'s test, if the runs differ on the share discordance of
// them (Connor 1987). It is [ErrUndefined] if they would not find it even if all of
// those passed in the same run, which is as far as the rates can differ.
func (d Design) DetectableMcNemar(discordance float64, pairs int) (float64, error) {
	alpha, power, err := d.bounds()
	if err != nil {
		return 0, err
	}
	if !(discordance > 0 && discordance <= 1) || pairs < 1 {
		return 0, fmt.Errorf("agreement: the runs differ on the share %v of %d samples, expected one above 0 and at most 1, of at least 1", discordance, pairs)
	}
	n := float64(pairs)
	inner := n + power*power - alpha*alpha
	by := math.Sqrt(discordance) * (alpha*math.Sqrt(n) + power*math.Sqrt(max(inner, 0))) / (n + power*power)
	if inner < 0 || by > discordance {
		return 0, undefined("detectable difference", "%d samples are too few to find a difference in pass rates of %v, the largest that runs have which differ on the share %v of the samples", pairs, discordance, discordance)
	}
	return by, nil
}

// PerGroup returns how many samples each of two runs takes, on different samples,
// for the pass rates p1 and p2 to be told apart by the normal test of Cohen's h.
// The same samples in both take fewer: see [Design.McNemarPairs].
func (d Design) PerGroup(p1, p2 float64) (float64, error) {
	alpha, power, err := d.bounds()
	if err != nil {
		return 0, err
	}
	h, err := CohenH(p1, p2)
	if err == nil {
		err = checkEffect(h)
	}
	if err != nil {
		return 0, err
	}
	// A test may find the difference the wrong way around, too.
	levels, _ := d.withDefaults()
	found := func(shift float64) bool { return normalCDF(shift-alpha)+normalCDF(-shift-alpha) >= levels.Power }
	root := bisect(0, alpha+math.Abs(power)+1, found) / h
	return 2 * root * root, nil
}

// CohenH returns the difference p2-p1 of two proportions on the scale of the
// arcsine, on which it is as hard to find wherever they are (Cohen 1988). It is an
// error if one is not from 0 to 1.
func CohenH(p1, p2 float64) (float64, error) {
	if !(p1 >= 0 && p1 <= 1 && p2 >= 0 && p2 <= 1) {
		return 0, fmt.Errorf("agreement: the proportions are %v and %v, expected shares from 0 to 1", p1, p2)
	}
	return 2 * (math.Asin(math.Sqrt(p2)) - math.Asin(math.Sqrt(p1))), nil
}
