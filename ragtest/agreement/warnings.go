package agreement

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// Warning is something that a figure hides.
type Warning struct {
	Kind WarningKind
	Text string // a sentence for people, with the numbers
}

// WarningKind tells warnings apart.
type WarningKind string

// What [Compare] and [CompareRaters] warn of.
const (
	// FewLabels: fewer than [EnoughLabels] are of the rarer class, or there are
	// fewer at all. Do not gate on the figures: their intervals do not hold.
	FewLabels WarningKind = "few labels"
	// Imbalance: four fifths of the labels or more are one and the same, so that
	// agreement is high for a judge that always says it.
	Imbalance WarningKind = "imbalance"
	// ConstantJudge: the judge says the same of all items.
	ConstantJudge WarningKind = "constant judge"
	// ConstantHuman: people say the same of all items.
	ConstantHuman WarningKind = "constant human"
	// RankOnly: the judge ranks as people do (Spearman's rho of 0.7 and more) and
	// labels otherwise (kappa of 0.5 and less).
	RankOnly WarningKind = "rank only"
	// Offset: the judge is higher than people, or lower, by half a point or more.
	Offset WarningKind = "offset"
	// RankOnBinary: a rank correlation was to be the measure of yes and no.
	RankOnBinary WarningKind = "rank correlation of yes and no"
	// UnusedScale: the judge does not use points of the scale that people use.
	UnusedScale WarningKind = "unused scale"
	// DoubtfulInterval: see [Interval.Doubtful].
	DoubtfulInterval WarningKind = "doubtful interval"
)

// EnoughLabels is how many labels of the rarer class an interval takes: with
// fewer, those of kappa and of the class's rate do not cover what they say. See
// the figures at [Bootstrap.Kappa].
const EnoughLabels = 10

// Gate returns an [ErrFewLabels] if there are too few labels to decide by the
// comparison, which says how many there are.
func (c Comparison) Gate() error { return gate(c.Warnings) }

func gate(warnings []Warning) error {
	for _, w := range warnings {
		if w.Kind == FewLabels {
			return fewLabels(w.Text)
		}
	}
	return nil
}

// warnings are what the figures of c hide.
func (p pairs) warnings(c Comparison, spearman bool) (all []Warning) {
	warn := func(k WarningKind, text string, args ...any) {
		all = append(all, Warning{k, fmt.Sprintf(text, args...)})
	}
	common, most := mode(p.human)
	judged, mostJudged := mode(p.judge)
	rest := c.N - most
	switch {
	case c.Kind == ContinuousLabels && c.N < EnoughLabels:
		warn(FewLabels, "there are %d labels, and no figure of fewer than %d says much", c.N, EnoughLabels)
	case c.Kind == BinaryLabels && c.Confusion.Minority() < EnoughLabels:
		warn(FewLabels, "%s", c.Confusion.few())
	case c.Kind != ContinuousLabels && rest < EnoughLabels:
		warn(FewLabels, "%d of %d items are labelled %v and %d otherwise; it takes %d to decide by an interval", most, c.N, common, rest, EnoughLabels)
	}
	if c.Kind != ContinuousLabels && most < c.N && 5*most >= 4*c.N {
		warn(Imbalance, "%d of %d items are labelled %v: who always says so agrees in %.0f %%, with kappa 0", most, c.N, common, 100*float64(most)/float64(c.N))
	}
	if mostJudged == c.N {
		warn(ConstantJudge, "the judge says %v of all %d items, so that it tells nothing apart", judged, c.N)
	}
	if most == c.N {
		warn(ConstantHuman, "people say %v of all %d items, so that the judge had nothing to tell apart", common, c.N)
	}
	rho, errRho := c.Spearman.Value()
	kappa, errKappa := c.Kappa.Value()
	if errRho == nil && errKappa == nil && rho >= 0.7 && kappa <= 0.5 {
		why := "it uses the scale in another way than people"
		if mostJudged > most {
			why = fmt.Sprintf("the judge mostly answers the majority class, %v, in %d of %d items", judged, mostJudged, c.N)
		}
		warn(RankOnly, "the judge ranks items as people do (rho %.2f) and gives other labels (kappa %.2f): %s", rho, kappa, why)
	}
	p.offset(c, warn)
	if spearman && c.Kind == BinaryLabels {
		warn(RankOnBinary, "a rank correlation of yes and no is no measure of agreement: use kappa, with TPR and TNR")
	}
	p.unused(c, warn)
	for _, e := range []Estimate{c.Point, c.TPR, c.TNR, c.Difference} {
		i, err := e.Interval()
		if doubt := i.Doubtful(); err == nil && doubt != "" {
			warn(DoubtfulInterval, "%s: %s", e.Name, doubt)
		}
	}
	return all
}

// offset warns of a judge that is always higher, or lower.
func (p pairs) offset(c Comparison, warn func(WarningKind, string, ...any)) {
	d, err := c.Difference.Value()
	i, errInterval := c.Difference.Interval()
	if err != nil || errInterval != nil || i.Low <= 0 && i.High >= 0 {
		return
	}
	point := 1.0 // between two of the scale
	if c.Kind == ContinuousLabels {
		point = 0.2 * (slices.Max(p.human) - slices.Min(p.human))
	}
	if math.Abs(d) < point/2 {
		return
	}
	side := "higher"
	if d < 0 {
		side = "lower"
	}
	warn(Offset, "the judge is %.2f %s than people on the mean, which %s hides", math.Abs(d), side, "a rank correlation")
}

// unused warns of points that only people use.
func (p pairs) unused(c Comparison, warn func(WarningKind, string, ...any)) {
	if c.Kind != OrdinalLabels && c.Kind != NominalLabels {
		return
	}
	human, judge := c.Table.Margins()
	var names []string
	for i, n := range judge {
		if n == 0 && human[i] > 0 {
			names = append(names, c.Table.Categories[i])
		}
	}
	if len(names) > 0 && len(names) < len(judge)-1 {
		warn(UnusedScale, "people use %s, and the judge never does", strings.Join(names, ", "))
	}
}

// mode returns the most frequent label, the least of several, and how often it
// occurs.
func mode(labels []float64) (label float64, times int) {
	n := map[float64]int{}
	for _, v := range labels {
		n[v]++
	}
	for v, k := range n {
		if k > times || k == times && v < label {
			label, times = v, k
		}
	}
	return label, times
}
