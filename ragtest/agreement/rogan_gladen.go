package agreement

import (
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
)

// CorrectedRate is the share of items that a human would call positive, estimated
// from what a judge says of them and from how often it errs.
type CorrectedRate struct {
	Value     float64 // from 0 to 1
	Unclipped float64 // as it was computed; outside of 0 to 1 the errors do not fit what the judge says
	Observed  float64 // the share that the judge calls positive
	TPR, TNR  float64 // of the judge

	labels    Confusion
	passes, n int
}

// UninformativeError says that a judge is no better than chance on the labels:
// TPR+TNR is at most 1, and what it says cannot be corrected. It is an
// [ErrUndefined].
type UninformativeError struct{ TPR, TNR float64 }

func (e UninformativeError) Error() string {
	return fmt.Sprintf("the corrected rate is %v: the judge's true positive rate is %.3f and its true negative rate %.3f, together at most 1, which is no better than chance; use another judge or prompt", ErrUndefined, e.TPR, e.TNR)
}

func (UninformativeError) Unwrap() error { return ErrUndefined }

// RoganGladen estimates the share of positives among n items of which a judge calls
// passes positive, from its confusion with a human on labelled items (Rogan and
// Gladen 1978): (Observed+TNR-1)/(TPR+TNR-1).
//
// It assumes that the judge errs on these items as on those labelled, which may be
// stratified by the human's class but must not have been used to make the judge.
// If they are a random sample of the same items, [PPIMean] is an alternative.
//
// It is [ErrUndefined] without items, without labelled positives or negatives, and,
// as an [UninformativeError], if the judge is no better than chance. Where it is
// hardly better the value says nothing, so ask [Informative] first.
func RoganGladen(labels Confusion, passes, n int) (CorrectedRate, error) {
	if min(labels.TP, labels.FP, labels.FN, labels.TN) < 0 || passes < 0 || passes > n {
		return CorrectedRate{}, fmt.Errorf("agreement: the counts of the labels are %+v, and the judge calls %d of %d items positive, expected no negative number and no more than there are", labels, passes, n)
	}
	if n == 0 {
		return CorrectedRate{}, undefined("corrected rate", "there are no items")
	}
	tpr, err := labels.TPR()
	if err != nil {
		return CorrectedRate{}, err
	}
	tnr, err := labels.TNR()
	if err != nil {
		return CorrectedRate{}, err
	}
	if tpr+tnr-1 <= noise {
		return CorrectedRate{}, UninformativeError{TPR: tpr, TNR: tnr}
	}
	c := CorrectedRate{Observed: float64(passes) / float64(n), TPR: tpr, TNR: tnr, labels: labels, passes: passes, n: n}
	c.Unclipped = (c.Observed + tnr - 1) / (tpr + tnr - 1)
	c.Value = min(max(c.Unclipped, 0), 1)
	return c, nil
}

// InformednessInterval returns the interval of TPR+TNR-1, which is the difference
// of the shares that the judge calls positive among the human's positives and
// negatives: see [NewcombeDifference]. It is [ErrUndefined] without either.
func InformednessInterval(labels Confusion, confidence float64) (Interval, error) {
	return NewcombeDifference(labels.TP, labels.TP+labels.FN, labels.FP, labels.FP+labels.TN, confidence)
}

// Informative reports whether a judge is clearly better than chance: whether the
// lower end of [InformednessInterval] is above 0. Its errors are those of that.
func Informative(labels Confusion, confidence float64) (bool, error) {
	i, err := InformednessInterval(labels, confidence)
	return err == nil && i.Low > 0, err
}

// LangReiczigel returns the interval of Lang and Reiczigel (2014) for the corrected
// rate, in closed form. It takes the sampling of the labels and of the items into
// account, and is the one to report.
func (c CorrectedRate) LangReiczigel(confidence float64) (Interval, error) {
	if err := checkConfidence(confidence); err != nil {
		return Interval{}, err
	}
	if c.n == 0 {
		return Interval{}, undefined("Lang and Reiczigel's interval", "there is no corrected rate; RoganGladen makes one")
	}
	z := normalBound(confidence)
	z2 := z * z
	n, positives, negatives := float64(c.n)+z2, float64(c.labels.TP+c.labels.FN+2), float64(c.labels.TN+c.labels.FP+2)
	q := (float64(c.passes) + z2/2) / n
	tpr, tnr := float64(c.labels.TP+1)/positives, float64(c.labels.TN+1)/negatives
	j := tpr + tnr - 1
	if j <= noise {
		return Interval{}, UninformativeError{TPR: tpr, TNR: tnr}
	}
	rate := (q + tnr - 1) / j
	vPositives, vNegatives := tpr*(1-tpr)/positives, tnr*(1-tnr)/negatives
	shift := 2 * z2 * (float64(rate*vPositives) - float64((1-rate)*vNegatives))
	half := z / j * math.Sqrt(q*(1-q)/n+float64(rate*rate*vPositives)+float64((1-rate)*(1-rate)*vNegatives))
	clip := func(v float64) float64 { return min(max(v, 0), 1) }
	return Interval{Low: clip(rate + shift - half), High: clip(rate + shift + half), Confidence: confidence, Method: "Lang-Reiczigel"}, nil
}

// Resampling says what the bootstrap of a corrected rate draws.
type Resampling int

const (
	// ResampleAll draws the labelled items, of either class as they come, and the
	// other ones.
	ResampleAll Resampling = iota
	// ResampleWithinClass draws as many positives and negatives as were labelled: for
	// labels that were stratified by class.
	ResampleWithinClass
	// JudgyCompatible draws the labelled items alone, as judgy 0.1 does. That is too
	// narrow, unless the items are all that there are.
	JudgyCompatible
)

// mostItems is the most items that are drawn one by one.
const mostItems = 10_000

// Bootstrap returns the percentile interval of the corrected rate. Draws without
// labelled positives or negatives, or in which the judge is no better than chance,
// are left out and counted in Interval.Undefined; the interval is too narrow where
// they are many. b.Clusters and b.Percentile are not used. For more than 10,000
// items their share is drawn from the normal distribution that it comes near to.
func (c CorrectedRate) Bootstrap(b Bootstrap, resampling Resampling) (Interval, error) {
	b.Clusters = nil
	b, err := b.withDefaults(0)
	if err != nil {
		return Interval{}, err
	}
	if resampling < ResampleAll || resampling > JudgyCompatible {
		return Interval{}, fmt.Errorf("agreement: the resampling is %d, expected ResampleAll, ResampleWithinClass or JudgyCompatible", resampling)
	}
	if c.n == 0 {
		return Interval{}, undefined("bootstrap interval of the corrected rate", "there is no corrected rate; RoganGladen makes one")
	}
	stream := rand.NewPCG(b.Seed, uint64(c.n))
	below := func(n int) int {
		i, _ := bits.Mul64(stream.Uint64(), uint64(n))
		return int(i)
	}
	return c.interval(b, func() (Confusion, float64) {
		var labels Confusion
		if resampling == ResampleWithinClass {
			labels.TP = drawCount(c.labels.TP, c.labels.Positives(), below)
			labels.FN = c.labels.Positives() - labels.TP
			labels.TN = drawCount(c.labels.TN, c.labels.Negatives(), below)
			labels.FP = c.labels.Negatives() - labels.TN
		} else {
			labels = c.labels.draw(below)
		}
		switch {
		case resampling == JudgyCompatible:
			return labels, c.Observed
		case c.n > mostItems:
			u := (float64(stream.Uint64()>>11) + 0.5) / (1 << 53)
			sd := math.Sqrt(c.Observed * (1 - c.Observed) / float64(c.n))
			return labels, min(max(c.Observed+float64(sd*normalQuantile(u)), 0), 1)
		}
		return labels, float64(drawCount(c.passes, c.n, below)) / float64(c.n)
	})
}

// drawCount draws n of n items, and returns how many are of the first count.
func drawCount(count, n int, below func(int) int) (drawn int) {
	for range n {
		if below(n) < count {
			drawn++
		}
	}
	return drawn
}

// draw draws as many items as there are, with replacement.
func (c Confusion) draw(below func(int) int) (drawn Confusion) {
	n := c.N()
	for range n {
		switch i := below(n); {
		case i < c.TP:
			drawn.TP++
		case i < c.TP+c.FN:
			drawn.FN++
		case i < c.TP+c.FN+c.FP:
			drawn.FP++
		default:
			drawn.TN++
		}
	}
	return drawn
}

// interval is that of the labels, and the share that the judge calls positive, which
// draw returns.
func (c CorrectedRate) interval(b Bootstrap, draw func() (Confusion, float64)) (Interval, error) {
	found := Interval{Confidence: b.Confidence, Draws: b.Draws, Method: "percentile"}
	values := make([]float64, 0, b.Draws)
	for range b.Draws {
		labels, observed := draw()
		p, n := labels.Positives(), labels.Negatives()
		if p == 0 || n == 0 {
			found.Undefined++
			continue
		}
		tpr, tnr := float64(labels.TP)/float64(p), float64(labels.TN)/float64(n)
		if tpr+tnr-1 <= noise {
			found.Undefined++
			continue
		}
		values = append(values, min(max((observed+tnr-1)/(tpr+tnr-1), 0), 1))
	}
	if len(values) == 0 {
		return Interval{}, undefined("bootstrap interval of the corrected rate", "none of %d draws had positives, negatives and a judge better than chance", b.Draws)
	}
	slices.Sort(values)
	tail := (1 - b.Confidence) / 2
	found.Low, found.High = quantile(values, tail), quantile(values, 1-tail)
	found.Degenerate = values[0] == values[len(values)-1]
	return found, nil
}
