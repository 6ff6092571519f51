package matchers_test

import (
	"testing"

	. "github.com/onsi/gomega"

	. "github.com/ragomega/ragomega/matchers"
	"github.com/ragomega/ragomega/ragtest"
	"github.com/ragomega/ragomega/ragtest/agreement"
)

// judging is the calibration of another judge on the items of c, some of which it
// has the other way round than people.
func judging(c *ragtest.Calibration, model string, wrong func(i int) bool) *ragtest.Calibration {
	other := *c
	other.Model, other.Items = model, nil
	for i, x := range c.Items {
		x.Judge, _ = x.Human()
		if wrong(i) {
			x.Judge = 1 - x.Judge
		}
		other.Items = append(other.Items, x)
	}
	return &other
}

func every(n, but int) func(i int) bool { return func(i int) bool { return i%n == but } }

// of200 are 100 items of yes and 100 of no.
var of200 = binary(100, 0, 0, 100)

func TestBeNotWorseThan(t *testing.T) {
	small, large := judging(of200, "small", every(10, 1)), judging(of200, "large", every(10, 2))
	weak := judging(of200, "weak", every(4, 1))
	lost := func(c *ragtest.Calibration) *ragtest.Calibration {
		l := *c
		l.Items = append([]ragtest.Judged(nil), c.Items...)
		return lose(&l, errDown)
	}
	for name, test := range map[string]struct {
		actual  *ragtest.Calibration
		matcher *CalibrationMatcher
		want    bool
	}{
		// Kappa 0.8 of both, which err on 20 items each, and never on the same.
		"as good":                       {small, BeNotWorseThan(large, 0.2), true},
		"as good, but who knows":        {small, BeNotWorseThan(large, 0.1), false},
		"as good, on the point":         {small, BeNotWorseThan(large, 0.01).OnPoint(), true},
		"worse":                         {weak, BeNotWorseThan(large, 0.2), false},
		"worse, on the point":           {weak, BeNotWorseThan(large, 0.2).OnPoint(), false},
		"worse, by less than matters":   {weak, BeNotWorseThan(large, 0.6), true},
		"better":                        {large, BeNotWorseThan(weak, 0.01), true},
		"itself, on the point":          {small, BeNotWorseThan(small, 0.1).OnPoint(), true},
		"without an item":               {lost(small), BeNotWorseThan(large, 0.2).AllowUnmeasured(1), true},
		"that the other lacks":          {small, BeNotWorseThan(lost(large), 0.2).AllowUnmeasured(1), true},
		"the confidence that there is":  {small, BeNotWorseThan(large, 0.2).Confidence(0.95), true},
		"among those that have the tag": {tagItems(judging(of200, "small", every(10, 1)), "a", 50, 150), BeNotWorseThan(tagItems(judging(of200, "large", every(10, 2)), "a", 50, 150), 0.3).ForTag("a"), true},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := test.matcher.Match(test.actual)
			if err != nil || got != test.want {
				t.Errorf("got %v, %v, want %v", got, err, test.want)
			}
		})
	}
}

func TestErrorsOfBeNotWorseThan(t *testing.T) {
	small, large := judging(of200, "small", every(10, 1)), judging(of200, "large", every(10, 2))
	others := judging(of200, "others", every(10, 2))
	others.Data = "e"
	few := binary(9, 0, 0, 30)
	one := func(c *ragtest.Calibration) *ragtest.Calibration {
		for i := range c.Items {
			c.Items[i].Group = 1
		}
		return c
	}
	lost := lose(judging(of200, "lost", every(10, 1)), errDown)
	for name, test := range map[string]struct {
		actual  any
		matcher *CalibrationMatcher
		want    string
	}{
		"nobody":         {small, BeNotWorseThan(nil, 0.1), `BeNotWorseThan(<nil>, 0.1): there is nothing to compare with, expected the calibration of another judge`},
		"no margin":      {small, BeNotWorseThan(large, 0), `BeNotWorseThan(large at h, 0): the margin is a difference of kappa that does not matter, and must be above 0 and below 1, such as 0.1`},
		"all of kappa":   {small, BeNotWorseThan(large, 1), `must be above 0 and below 1`},
		"confidence":     {small, BeNotWorseThan(large, 0.1).Confidence(0.9), `BeNotWorseThan(large at h, 0.1).Confidence(0.9): judges are compared with an interval of 95 %, and no other`},
		"other data":     {small, BeNotWorseThan(others, 0.1), `BeNotWorseThan(others at h, 0.1): ragtest: the judges were calibrated for faithfulness on data d and for faithfulness on data e, expected the same`},
		"numbers":        {numbers(), BeNotWorseThan(numbers(), 0.1), `the labels of words are no categories, so there is no kappa to compare`},
		"few labels":     {judging(few, "a", every(5, 1)), BeNotWorseThan(judging(few, "b", every(5, 2)), 0.1).OnPoint(), `too few labels: 9 items are labelled 1 and 30 are labelled 0`},
		"the same":       {small, BeNotWorseThan(judging(of200, "twin", every(10, 1)), 0.1), `BeNotWorseThan(twin at h, 0.1): the difference of kappa is 0.00 [0.00, 0.00], whose lower end is nothing to go by: it is the same in every draw of these items, which does not show how far it may vary. OnPoint() goes by the point`},
		"one text":       {one(judging(of200, "a", every(10, 1))), BeNotWorseThan(one(judging(of200, "b", every(10, 2))), 0.3), `BeNotWorseThan(b at h, 0.3): the difference of kappa is 0.00, and has no lower end to go by: bootstrap interval is undefined: it takes 2 items or clusters that are drawn independently, and there are 1. OnPoint() goes by the point`},
		"unmeasured":     {lost, BeNotWorseThan(large, 0.1), "BeNotWorseThan(large at h, 0.1): 1 of 200 samples were not measured, and AllowUnmeasured allows 0\n    s1: the judge is down"},
		"the other's":    {small, BeNotWorseThan(lost, 0.1), "BeNotWorseThan(lost at h, 0.1): lost at h: 1 of 200 samples were not measured, and AllowUnmeasured allows 0\n    s1: the judge is down"},
		"a tag of one":   {tagItems(judging(of200, "small", every(10, 1)), "a", 0, 200), BeNotWorseThan(large, 0.1).ForTag("a"), `BeNotWorseThan(large at h, 0.1).ForTag("a"): large at h: no item of the calibration has a tag`},
		"a report":       {quarters(4), BeNotWorseThan(large, 0.1), `BeNotWorseThan(large at h, 0.1) is about the calibration of a judge, got the report of samples.`},
		"no calibration": {nil, BeNotWorseThan(large, 0.1), `BeNotWorseThan(large at h, 0.1) expects the calibration of judge.Calibrate, got nil`},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			_, err := test.matcher.Match(test.actual)
			g.Expect(err).To(MatchError(ContainSubstring(test.want)))
			g.Expect(failure(func(g Gomega) { g.Expect(test.actual).NotTo(test.matcher) })).To(ContainSubstring(test.want))
		})
	}
	_, err := BeNotWorseThan(judging(few, "b", every(5, 2)), 0.1).Match(judging(few, "a", every(5, 1)))
	NewWithT(t).Expect(err).To(MatchError(agreement.ErrFewLabels))
}

// Items that one judge lacks are no labels to decide by: ten of yes are nine.
func TestLabelsOfItemsThatBothDecided(t *testing.T) {
	g := NewWithT(t)
	ten := binary(10, 0, 0, 30)
	a, b := judging(ten, "a", every(5, 1)), judging(ten, "b", every(5, 2))
	_, err := BeNotWorseThan(b, 0.1).Match(a)
	g.Expect(err).NotTo(HaveOccurred())
	_, err = BeNotWorseThan(lose(b, errDown), 0.1).AllowUnmeasured(1).Match(a)
	g.Expect(err).To(MatchError(ContainSubstring("9 items are labelled 1 and 30 are labelled 0")))
}
