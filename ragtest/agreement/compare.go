package agreement

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
)

// Kind is what labels are, which decides by what statistic they are compared.
type Kind string

// The kinds of labels.
const (
	BinaryLabels     Kind = "binary"     // 0 and 1
	NominalLabels    Kind = "nominal"    // categories without an order
	OrdinalLabels    Kind = "ordinal"    // points of a scale
	ContinuousLabels Kind = "continuous" // numbers
)

// Options say how labels are compared. The zero value finds out their kind.
type Options struct {
	// Kind is that of the labels. "" is BinaryLabels for labels that are all 0 or 1;
	// otherwise OrdinalLabels if Scale is set or if they are at most ten different whole
	// numbers within 100 of each other; otherwise ContinuousLabels. NominalLabels has to be said, as numbers have an order.
	Kind Kind
	// Scale has all points of an ordinal scale in order, or all categories. nil is
	// every whole number from the least label to the greatest, or for NominalLabels what
	// occurs. Weighted kappa depends on it.
	Scale []float64
	// Bootstrap is how intervals are found. Its Clusters are those of the items.
	Bootstrap Bootstrap
	// Spearman says that the caller was going to judge by a rank correlation, so
	// that a warning can say where that is the wrong one.
	Spearman bool
}

// Comparison is what two raters' labels of the same items have in common: people's
// and a judge's.
type Comparison struct {
	Kind Kind
	N    int
	// Agreement is the share of items with the same label, with Wilson's interval:
	// the headline, and never enough. It is undefined for ContinuousLabels.
	Agreement Estimate
	// Point is the statistic to judge by: "kappa" for BinaryLabels and NominalLabels, "weighted
	// kappa" (quadratic) for OrdinalLabels, "ICC" (A,1) for ContinuousLabels.
	Point Estimate
	// Kappa is Cohen's, unweighted; undefined for ContinuousLabels.
	Kappa Estimate
	// Confusion counts yes and no, with the human's labels as the truth, and TPR and
	// TNR are its rates with Wilson's intervals; only for BinaryLabels.
	Confusion Confusion
	TPR, TNR  Estimate
	Table     Table // rows human, columns judge; not for ContinuousLabels
	// Difference is the mean of judge minus human, and Spearman the rank correlation,
	// which a constant difference does not show in; only for OrdinalLabels and ContinuousLabels.
	Difference, Spearman Estimate
	Warnings             []Warning
}

// Compare compares the labels that people and a judge gave to the same items, in
// the same order, by the statistic that fits their kind, and warns of what the
// figures would hide. Labels are numbers; there are no missing ones. It is an
// error if there are none, if the numbers of them differ, or if a label is not of
// the kind or not on the scale; what is merely undefined is in the comparison.
func Compare(human, judge []float64, o Options) (Comparison, error) {
	if len(human) != len(judge) {
		return Comparison{}, fmt.Errorf("agreement: there are %d labels of the human and %d of the judge, expected one of each for every item", len(human), len(judge))
	}
	if len(human) == 0 {
		return Comparison{}, undefined("agreement", "there are no labels")
	}
	for i := range human {
		for _, v := range []float64{human[i], judge[i]} {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return Comparison{}, fmt.Errorf("agreement: item %d has the label %v, expected a number", i, v)
			}
		}
	}
	kind, err := kindOf(human, judge, o)
	if err != nil {
		return Comparison{}, err
	}
	c := Comparison{Kind: kind, N: len(human)}
	p := pairs{human, judge, o.Bootstrap, o.Scale}
	if kind == ContinuousLabels {
		err = p.numbers(&c)
	} else {
		err = p.categories(&c)
	}
	if err == nil && (kind == OrdinalLabels || kind == ContinuousLabels) {
		err = p.order(&c)
	}
	if err != nil {
		return Comparison{}, err
	}
	c.Warnings = p.warnings(c, o.Spearman)
	return c, nil
}

// mostPoints is how many whole numbers a scale that is not given may span.
const mostPoints = 100

func kindOf(human, judge []float64, o Options) (Kind, error) {
	binary, whole := true, true
	used := map[float64]bool{}
	for _, v := range slices.Concat(human, judge) {
		binary = binary && (v == 0 || v == 1)
		whole = whole && v == math.Trunc(v)
		used[v] = true
	}
	all := slices.Concat(human, judge)
	span := slices.Max(all) - slices.Min(all)
	switch {
	case o.Kind == OrdinalLabels && o.Scale == nil && span > mostPoints:
		return "", fmt.Errorf("agreement: the labels span %v, and a scale of more than %d points has to be given", span, mostPoints)
	case o.Kind == BinaryLabels && !binary:
		return "", errors.New("agreement: binary labels are 0 and 1, and there are others")
	case o.Kind == OrdinalLabels && o.Scale == nil && !whole:
		return "", errors.New("agreement: the labels are no whole numbers, so the scale that they are points of has to be given")
	case o.Kind != "" && !slices.Contains([]Kind{BinaryLabels, NominalLabels, OrdinalLabels, ContinuousLabels}, o.Kind):
		return "", fmt.Errorf("agreement: no kind of labels is called %q", o.Kind)
	case o.Kind != "":
		return o.Kind, nil
	case o.Scale != nil && !(binary && len(o.Scale) == 2):
		return OrdinalLabels, nil
	case binary:
		return BinaryLabels, nil
	case whole && len(used) <= 10 && span <= mostPoints:
		return OrdinalLabels, nil
	}
	return ContinuousLabels, nil
}

// String shows the headline and the statistic to judge by, the table, and what
// warns of them.
func (c Comparison) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "n=%d", c.N)
	for _, e := range []Estimate{c.Agreement, c.Point, c.TPR, c.TNR, c.Difference, c.Spearman} {
		if _, err := e.Value(); err == nil || e.Name == c.Point.Name {
			b.WriteString(", " + e.String())
		}
	}
	switch c.Kind {
	case BinaryLabels:
		b.WriteString("\n" + c.Confusion.String())
	case OrdinalLabels, NominalLabels:
		b.WriteString("\n" + c.Table.String())
	}
	for _, w := range c.Warnings {
		fmt.Fprintf(&b, "\n! %s: %s", w.Kind, w.Text)
	}
	return b.String()
}

// pairs are the labels that are compared.
type pairs struct {
	human, judge []float64
	bootstrap    Bootstrap
	scale        []float64
}

// categories fills in what labels that are categories have.
func (p pairs) categories(c *Comparison) (err error) {
	if c.Table, err = Tabulate(p.human, p.judge, p.categoriesOf(c.Kind)...); err != nil {
		return err
	}
	share, err := c.Table.Agreement()
	same := 0
	for i := range p.human {
		if p.human[i] == p.judge[i] {
			same++
		}
	}
	confidence := p.bootstrap.Confidence
	if confidence == 0 {
		confidence = 0.95
	}
	if c.Agreement, err = estimate("agreement", share, err, func() (Interval, error) { return Wilson(same, c.N, confidence) }); err != nil {
		return err
	}
	if c.Kappa, err = p.kappa(c.Table, "kappa", Unweighted); err != nil {
		return err
	}
	c.Point = c.Kappa
	switch c.Kind {
	case OrdinalLabels:
		c.Point, err = p.kappa(c.Table, "weighted kappa", Quadratic)
	case BinaryLabels:
		n := c.Table.Counts
		c.Confusion = Confusion{TP: n[1][1], FP: n[0][1], FN: n[1][0], TN: n[0][0]}
		tpr, tprErr := c.Confusion.TPR()
		tnr, tnrErr := c.Confusion.TNR()
		c.TPR, err = estimate("TPR", tpr, tprErr, func() (Interval, error) { return Wilson(c.Confusion.TP, c.Confusion.Positives(), confidence) })
		if err == nil {
			c.TNR, err = estimate("TNR", tnr, tnrErr, func() (Interval, error) { return Wilson(c.Confusion.TN, c.Confusion.Negatives(), confidence) })
		}
	}
	return err
}

// categoriesOf are the categories of a table.
func (p pairs) categoriesOf(kind Kind) []float64 {
	switch {
	case kind == BinaryLabels:
		return []float64{0, 1}
	case p.scale != nil:
		return p.scale
	case kind == OrdinalLabels:
		all := slices.Concat(p.human, p.judge)
		var scale []float64
		for v := slices.Min(all); v <= slices.Max(all); v++ {
			scale = append(scale, v)
		}
		return scale
	}
	return nil
}

// kappa is Cohen's, with its interval over the items.
func (p pairs) kappa(t Table, name string, w Weights) (Estimate, error) {
	value, err := t.WeightedKappa(w)
	return estimate(name, value, err, func() (Interval, error) {
		return p.bootstrap.Kappa(t, p.human, p.judge, w)
	})
}

// numbers fills in what labels that are numbers have.
func (p pairs) numbers(c *Comparison) (err error) {
	none := func(name string) Estimate {
		return Estimate{Name: name, err: undefined(name, "the labels are numbers, of which two are hardly ever the same")}
	}
	c.Agreement, c.Kappa = none("agreement"), none("kappa")
	icc := func(at []int) (float64, error) {
		units := make([][]float64, len(at))
		for k, i := range at {
			units[k] = []float64{p.human[i], p.judge[i]}
		}
		a, err := ICC(units)
		if err != nil {
			return 0, err
		}
		return a.Value(AgreementSingle)
	}
	value, err := icc(all(c.N))
	c.Point, err = estimate("ICC", value, err, func() (Interval, error) { return p.bootstrap.Interval(c.N, icc) })
	return err
}

// order fills in what labels with an order have.
func (p pairs) order(c *Comparison) error {
	sum := 0.0
	for i := range p.human {
		sum += p.judge[i] - p.human[i]
	}
	var err error
	c.Difference, err = estimate("difference", sum/float64(c.N), nil, func() (Interval, error) { return p.bootstrap.Difference(p.human, p.judge) })
	if err != nil {
		return err
	}
	c.Spearman, err = RankCorrelation(p.human, p.judge, p.bootstrap)
	return err
}

// RankCorrelation returns Spearman's rank correlation of x and y, with the
// percentile interval of b. It is an error if the numbers of them differ; a rank
// correlation of a constant is undefined, as the estimate says.
func RankCorrelation(x, y []float64, b Bootstrap) (Estimate, error) {
	if len(x) != len(y) {
		return Estimate{}, fmt.Errorf("agreement: there are %d and %d values, expected pairs", len(x), len(y))
	}
	rho := func(at []int) (float64, error) {
		u, v := make([]float64, len(at)), make([]float64, len(at))
		for k, i := range at {
			u[k], v[k] = x[i], y[i]
		}
		r, err := Spearman(u, v)
		return r.R, err
	}
	value, err := rho(all(len(x)))
	b.Percentile = true
	return estimate("Spearman's rho", value, err, func() (Interval, error) { return b.Interval(len(x), rho) })
}

// all are the indexes of n items.
func all(n int) []int {
	at := make([]int, n)
	for i := range at {
		at[i] = i
	}
	return at
}
