package agreement

import "fmt"

// Confusion counts how a judge's decisions compare to a human's. What is positive
// is for the caller to say: that an answer passes, or that it has the fault that
// the judge is to find. Precision, F1 and the names of the rates depend on it.
type Confusion struct {
	TP int // both say positive
	FP int // the judge says positive, the human negative
	FN int // the judge says negative, the human positive
	TN int // both say negative
}

// ConfusionOf counts the decisions on the same items, in the same order, true for
// positive. It is an error if the numbers of them differ.
func ConfusionOf(human, judge []bool) (Confusion, error) {
	if len(human) != len(judge) {
		return Confusion{}, fmt.Errorf("agreement: there are %d decisions of the human and %d of the judge, expected one of each for every item", len(human), len(judge))
	}
	var c Confusion
	for i, h := range human {
		switch j := judge[i]; {
		case h && j:
			c.TP++
		case h:
			c.FN++
		case j:
			c.FP++
		default:
			c.TN++
		}
	}
	return c, nil
}

// Positives returns how many items are positive to the human.
func (c Confusion) Positives() int { return c.TP + c.FN }

// Negatives returns how many items are negative to the human.
func (c Confusion) Negatives() int { return c.TN + c.FP }

// N returns how many items there are.
func (c Confusion) N() int { return c.Positives() + c.Negatives() }

// Minority returns how many items are of the human's rarer class. With fewer than
// 10 no interval of kappa or of that class's rate says much.
func (c Confusion) Minority() int { return min(c.Positives(), c.Negatives()) }

// Gate returns an [ErrFewLabels] if fewer than [EnoughLabels] are of the human's
// rarer class, which says how many there are of each.
func (c Confusion) Gate() error {
	if c.Minority() < EnoughLabels {
		return fewLabels(c.few())
	}
	return nil
}

func (c Confusion) few() string {
	return fmt.Sprintf("%d items are labelled 1 and %d are labelled 0; it takes %d of each to decide by an interval, and 60 of each for a rate to within 0.1",
		c.Positives(), c.Negatives(), EnoughLabels)
}

// TPR returns the true positive rate, also called recall or sensitivity: the share
// of the human's positives that the judge calls positive. It is [ErrUndefined]
// without any.
func (c Confusion) TPR() (float64, error) {
	return share("true positive rate", c.TP, c.Positives(), "the human calls no item positive")
}

// TNR returns the true negative rate, also called specificity: the share of the
// human's negatives that the judge calls negative. It is [ErrUndefined] without
// any.
func (c Confusion) TNR() (float64, error) {
	return share("true negative rate", c.TN, c.Negatives(), "the human calls no item negative")
}

// Precision returns the share of the judge's positives that the human calls
// positive. It is [ErrUndefined] without any.
func (c Confusion) Precision() (float64, error) {
	return share("precision", c.TP, c.TP+c.FP, "the judge calls no item positive")
}

// NPV returns the negative predictive value, the share of the judge's negatives
// that the human calls negative. It is [ErrUndefined] without any.
func (c Confusion) NPV() (float64, error) {
	return share("negative predictive value", c.TN, c.TN+c.FN, "the judge calls no item negative")
}

// F1 returns the harmonic mean of Precision and TPR, 2TP/(2TP+FP+FN). It is
// [ErrUndefined] if neither calls an item positive.
func (c Confusion) F1() (float64, error) {
	return share("F1", 2*c.TP, 2*c.TP+c.FP+c.FN, "neither calls an item positive")
}

// Accuracy returns the share of the items that both decide alike. It is
// [ErrUndefined] without items.
func (c Confusion) Accuracy() (float64, error) {
	return share("accuracy", c.TP+c.TN, c.N(), "there are no items")
}

// BalancedAccuracy returns the mean of TPR and TNR. It is 0.5 for a judge that
// always says the same, and [ErrUndefined] if either rate is.
func (c Confusion) BalancedAccuracy() (float64, error) {
	tpr, tnr, err := c.rates()
	return (tpr + tnr) / 2, err
}

// Informedness returns TPR+TNR-1, Youden's J (1950): 1 for a judge without error,
// 0 for one whose decisions do not depend on the human's. What is corrected by a
// judge's rates is divided by it. It is [ErrUndefined] if either rate is.
func (c Confusion) Informedness() (float64, error) {
	tpr, tnr, err := c.rates()
	if err != nil {
		return 0, err
	}
	return tpr + tnr - 1, nil
}

func (c Confusion) rates() (tpr, tnr float64, err error) {
	if tpr, err = c.TPR(); err != nil {
		return 0, 0, err
	}
	if tnr, err = c.TNR(); err != nil {
		return 0, 0, err
	}
	return tpr, tnr, nil
}

// PABAK returns kappa adjusted for prevalence and bias (Byrt, Bishop and Carlin
// 1993), 2·Accuracy-1. It says what Accuracy says, on another scale: for kappa's
// question use [Table.Kappa]. It is [ErrUndefined] without items.
func (c Confusion) PABAK() (float64, error) {
	accuracy, err := c.Accuracy()
	if err != nil {
		return 0, err
	}
	return float64(2*accuracy) - 1, nil
}

// Table returns the counts as a Table of "negative" and "positive".
func (c Confusion) Table() Table {
	return Table{
		Categories: []string{"negative", "positive"},
		Counts:     [][]int{{c.TN, c.FP}, {c.FN, c.TP}},
	}
}

// String shows the counts as a table, the positive first.
func (c Confusion) String() string {
	return Table{
		Categories: []string{"positive", "negative"},
		Counts:     [][]int{{c.TP, c.FN}, {c.FP, c.TN}},
	}.String()
}

func share(statistic string, part, whole int, why string) (float64, error) {
	if whole == 0 {
		return 0, undefined(statistic, "%s", why)
	}
	return float64(part) / float64(whole), nil
}
