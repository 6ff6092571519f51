package ragtest

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/ragomega/ragomega/ragtest/agreement"
)

// LengthBand is how a judge did on items of similar length.
type LengthBand struct {
	From, To int     // letters of the shortest and the longest
	N        int     // items
	Right    float64 // share on which the judge is of people's opinion
	Human    float64 // mean of people's labels: the share of yes
	Judge    float64 // mean of the judge's
}

// ByLength parts the items into a number of bands of equal size by the length of
// what was judged, the shortest first. Items of one length stay together.
func (c *Calibration) ByLength(bands int) []LengthBand {
	items := c.Compared()
	slices.SortStableFunc(items, func(a, b Judged) int { return cmp.Compare(a.Length, b.Length) })
	var found []LengthBand
	for from := 0; from < len(items) && bands > 0; bands-- {
		to := from + (len(items)-from+bands-1)/bands
		for to < len(items) && items[to].Length == items[to-1].Length {
			to++
		}
		b := LengthBand{From: items[from].Length, To: items[to-1].Length, N: to - from}
		for _, x := range items[from:to] {
			h, _ := x.Human()
			if h == x.Judge {
				b.Right++
			}
			b.Human += h
			b.Judge += x.Judge
		}
		n := float64(b.N)
		b.Right, b.Human, b.Judge = b.Right/n, b.Human/n, b.Judge/n
		found = append(found, b)
		from = to
	}
	return found
}

// LengthBias tells whether the judge's errors go with the length of what it
// judges: Spearman's rank correlation of the length with the judge's value minus
// people's, and its interval of 95 %. Above 0 longer texts get more than they
// deserve, below 0 less. It is undefined if the judge makes no error, or always
// the same.
func (c *Calibration) LengthBias() (agreement.Estimate, error) {
	items := c.Compared()
	human, judge := labelsOf(items)
	var length, over []float64
	for i, x := range items {
		length, over = append(length, float64(x.Length)), append(over, judge[i]-human[i])
	}
	return agreement.RankCorrelation(length, over, agreement.Bootstrap{Seed: 1, Clusters: groups(items)})
}

// Lengths returns the shortest, the median and the longest length, in letters, of
// what was judged: what the calibration can speak for. It is 0 without items.
func (c *Calibration) Lengths() (shortest, median, longest int) {
	var all []int
	for _, x := range c.Items {
		all = append(all, x.Length)
	}
	if len(all) == 0 {
		return 0, 0, 0
	}
	slices.Sort(all)
	return all[0], all[len(all)/2], all[len(all)-1]
}

// lengths shows whether length matters to the judge.
func (c *Calibration) lengths() string {
	shortest, median, longest := c.Lengths()
	line := fmt.Sprintf("length: %d to %d letters, median %d", shortest, longest, median)
	for _, b := range c.ByLength(3) {
		if c.kind() == agreement.BinaryLabels {
			line += fmt.Sprintf("\n  %d to %d letters: right %.2f, yes by people %.2f, by the judge %.2f, n=%d", b.From, b.To, b.Right, b.Human, b.Judge, b.N)
		} else {
			line += fmt.Sprintf("\n  %d to %d letters: mean by people %.2f, by the judge %.2f, n=%d", b.From, b.To, b.Human, b.Judge, b.N)
		}
	}
	bias, err := c.LengthBias()
	if err != nil {
		return line
	}
	i, err := bias.Interval()
	switch {
	case err != nil:
	case i.Low > 0:
		line += fmt.Sprintf("\n! length bias: longer texts get more than people give them, rho %v", i)
	case i.High < 0:
		line += fmt.Sprintf("\n! length bias: longer texts get less than people give them, rho %v", i)
	}
	return line
}
