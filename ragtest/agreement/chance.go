package agreement

import (
	"fmt"
	"math"
	"slices"
)

// Missing stands for a rating that a rater did not give.
var Missing = math.NaN()

// Coefficient is an agreement of raters corrected for chance,
// (Observed-Chance)/(1-Chance), as Gwet has it (Handbook of Inter-Rater
// Reliability): the raters are these, and the units are drawn from more.
type Coefficient struct {
	Value    float64 // 1 for full agreement, 0 for that by chance
	Observed float64 // the mean share of pairs of raters that agree on a unit, those in part by their weight
	Chance   float64 // that share among raters who do not look at the unit
	Units    int     // with a rating; those with a single one count for Chance only

	variance float64
}

// SE returns the standard error of the value, by Gwet's linearization. It is
// [ErrUndefined] for fewer than 2 units.
func (c Coefficient) SE() (float64, error) {
	if c.Units < 2 {
		return 0, undefined("standard error", "it takes 2 units, and there is 1")
	}
	return math.Sqrt(c.variance), nil
}

// Interval returns Value ± t·SE with Units-1 degrees of freedom, cut off at 1. It
// is [ErrUndefined] for fewer than 2 units.
func (c Coefficient) Interval(confidence float64) (Interval, error) {
	if err := checkConfidence(confidence); err != nil {
		return Interval{}, err
	}
	se, err := c.SE()
	if err != nil {
		return Interval{}, err
	}
	half := studentQuantile((1+confidence)/2, float64(c.Units-1)) * se
	return Interval{Low: c.Value - half, High: min(1, c.Value+half), Confidence: confidence, Method: "linearized", Degenerate: se == 0}, nil
}

// AC1 returns Gwet's AC1 (2008). Ratings are a slice for each rater, of the units
// in the same order, with [Missing] where a rater gave none. Categories are all
// that a rating can be, used or not.
//
// It is high where nearly all units are of one category, and for a judge who says
// nothing else: 0.76 for one who always says "pass" of labels that are so by 80 %.
// Put it beside kappa, not in its place. It is [ErrUndefined] if no unit has two
// ratings.
func AC1(ratings [][]float64, categories []float64) (Coefficient, error) {
	return gwet("AC1", ratings, categories, Unweighted)
}

// AC2 returns AC1 with weights for how far ratings are apart: Linear and Quadratic
// by the values of the categories, Ordinal by their places.
func AC2(ratings [][]float64, categories []float64, w Weights) (Coefficient, error) {
	return gwet("AC2", ratings, categories, w)
}

func gwet(name string, ratings [][]float64, categories []float64, w Weights) (Coefficient, error) {
	return coefficient(name, ratings, categories, w, func(r rated) []float64 {
		q := float64(len(r.categories))
		alike := 0.0
		for _, row := range r.alike {
			for _, a := range row {
				alike += a
			}
		}
		chance := r.shares()
		for k, p := range chance {
			chance[k] = alike * (1 - p) / (q * (q - 1))
		}
		return r.means(chance)
	})
}

// ScottPi returns Scott's pi (1955) of two raters: kappa with chance from the
// shares of the categories among the ratings of both. Input as for [AC1]. It is
// [ErrUndefined] if no unit has two ratings, or both raters use one category.
func ScottPi(ratings [][]float64, categories []float64) (Coefficient, error) {
	if len(ratings) != 2 {
		return Coefficient{}, fmt.Errorf("agreement: Scott's pi is of 2 raters, and there are %d; use FleissRaw or Alpha", len(ratings))
	}
	return fleiss("Scott's pi", ratings, categories)
}

// FleissRaw returns Fleiss' kappa of raters who did not all rate every unit. Input
// and undefined as for [ScottPi], which it is for two. [Fleiss] takes counts.
func FleissRaw(ratings [][]float64, categories []float64) (Coefficient, error) {
	return fleiss("Fleiss' kappa", ratings, categories)
}

func fleiss(name string, ratings [][]float64, categories []float64) (Coefficient, error) {
	return coefficient(name, ratings, categories, Unweighted, func(r rated) []float64 { return r.means(r.shares()) })
}

// BrennanPrediger returns the coefficient of Brennan and Prediger (1981), with the
// same chance for every category: for two raters and two categories
// [Confusion.PABAK]. It is the observed agreement on another scale. Input as for
// [AC1]. It is [ErrUndefined] if no unit has two ratings.
func BrennanPrediger(ratings [][]float64, categories []float64) (Coefficient, error) {
	return coefficient("the coefficient of Brennan and Prediger", ratings, categories, Unweighted, func(r rated) []float64 {
		return slices.Repeat([]float64{1 / float64(len(r.categories))}, len(r.units))
	})
}

// Conger returns Conger's kappa (1980): Cohen's for more than two raters, each
// with shares of their own. Input as for [AC1]; a rater without any rating does not
// count. It is [ErrUndefined] if no unit has two ratings, or all raters use one
// category.
func Conger(ratings [][]float64, categories []float64) (Coefficient, error) {
	return coefficient("Conger's kappa", ratings, categories, Unweighted, func(r rated) []float64 {
		n, raters := float64(len(r.units)), float64(len(r.places))
		own := make([][]float64, len(r.places)) // share of each category, by rater
		given := make([]float64, len(r.places))
		all := make([]float64, len(r.categories))
		for g, places := range r.places {
			own[g] = make([]float64, len(all))
			for _, k := range places {
				if k >= 0 {
					own[g][k]++
					given[g]++
				}
			}
			for k := range all {
				own[g][k] /= given[g]
				all[k] += own[g][k]
			}
		}
		// Chance is a mean over pairs of raters of their products of shares. A unit
		// adds to it what it changes in the shares.
		chance := make([]float64, len(r.units))
		for g, places := range r.places {
			usual := 0.0
			for k, p := range own[g] {
				usual += float64(p * (all[k] - p))
			}
			for i, k := range places {
				chance[i] += usual
				if k >= 0 {
					chance[i] += float64(n / given[g] * (all[k] - own[g][k] - usual))
				}
			}
		}
		for i := range chance {
			chance[i] /= raters * (raters - 1)
		}
		return chance
	})
}

// coefficient corrects the agreement for chance, which is given for each unit and
// is their mean.
func coefficient(name string, ratings [][]float64, categories []float64, w Weights, chance func(rated) []float64) (Coefficient, error) {
	r, err := rate(ratings, categories, w)
	if err != nil {
		return Coefficient{}, err
	}
	n, pairs := float64(len(r.units)), 0.0
	observed := make([]float64, len(r.units))
	c := Coefficient{Units: len(r.units)}
	for i, counts := range r.units {
		if r.given[i] < 2 {
			continue
		}
		pairs++
		for k, a := range counts {
			if a > 0 {
				observed[i] += float64(a * (dot(r.alike[k], counts) - 1))
			}
		}
		observed[i] /= r.given[i] * (r.given[i] - 1)
		c.Observed += observed[i]
	}
	if pairs == 0 {
		return Coefficient{}, undefined(name, "no unit has ratings of two raters")
	}
	c.Observed /= pairs
	byUnit := chance(r)
	for _, e := range byUnit {
		c.Chance += e / n
	}
	rest := 1 - c.Chance
	if rest < noise {
		return Coefficient{}, undefined(name, "all ratings are of one category, so they do not show whether the raters could tell others from it")
	}
	c.Value = (c.Observed - c.Chance) / rest
	for i := range r.units {
		g := 0.0
		if r.given[i] >= 2 {
			g = n / pairs * (observed[i] - c.Chance) / rest
		}
		d := g - float64(2*(1-c.Value)*(byUnit[i]-c.Chance)/rest) - c.Value
		c.variance += float64(d * d)
	}
	if len(r.units) > 1 {
		c.variance = variance(c.variance / (n * (n - 1)))
	}
	return c, nil
}

// rated are ratings by the places of the categories.
type rated struct {
	categories []float64   // ascending
	alike      [][]float64 // from 0 to 1, by two categories
	units      [][]float64 // how often each category, for each unit with a rating
	given      []float64   // ratings of each unit
	places     [][]int     // of the ratings of each rater with any, by unit; -1 for none
}

func rate(ratings [][]float64, categories []float64, w Weights) (rated, error) {
	r := rated{categories: slices.Sorted(slices.Values(categories))}
	place := map[float64]int{}
	for k, c := range r.categories {
		place[c] = k
	}
	if len(categories) < 2 || len(place) != len(categories) {
		return r, fmt.Errorf("agreement: the categories are %v, expected 2 or more different ones, all that a rating can be", categories)
	}
	r.alike = alike(r.categories, w)
	units, err := unitsOf(ratings)
	if err != nil {
		return r, err
	}
	chosen := make([][]int, len(ratings))
	for i := range units {
		counts, given := make([]float64, len(r.categories)), 0.0
		places := make([]int, len(ratings))
		for g := range ratings {
			value := ratings[g][i]
			k, ok := place[value]
			switch {
			case math.IsNaN(value):
				places[g] = -1
				continue
			case !ok:
				return r, fmt.Errorf("agreement: rater %d gives unit %d the rating %v, which is none of the categories %v", g, i, value, categories)
			}
			places[g] = k
			counts[k]++
			given++
		}
		if given == 0 {
			continue
		}
		r.units, r.given = append(r.units, counts), append(r.given, given)
		for g, k := range places {
			chosen[g] = append(chosen[g], k)
		}
	}
	for _, places := range chosen {
		if slices.ContainsFunc(places, func(k int) bool { return k >= 0 }) {
			r.places = append(r.places, places)
		}
	}
	return r, nil
}

// unitsOf returns how many units the raters rated.
func unitsOf(ratings [][]float64) (int, error) {
	if len(ratings) == 0 {
		return 0, nil
	}
	for g, given := range ratings {
		if len(given) != len(ratings[0]) {
			return 0, fmt.Errorf("agreement: rater %d has %d ratings and rater 0 has %d, expected one for every unit, Missing where there is none", g, len(given), len(ratings[0]))
		}
	}
	return len(ratings[0]), nil
}

// alike says how much two categories agree, from 0 to 1.
func alike(categories []float64, w Weights) [][]float64 {
	at := func(k int) float64 { return float64(k) }
	if w == Linear || w == Quadratic {
		at = func(k int) float64 { return categories[k] }
	}
	last := len(categories) - 1
	most := w.disagreement(at(last) - at(0))
	rows := make([][]float64, len(categories))
	for k := range rows {
		for l := range categories {
			rows[k] = append(rows[k], 1-w.disagreement(at(k)-at(l))/most)
		}
	}
	return rows
}

// shares returns the mean over the units of the share of each category.
func (r rated) shares() []float64 {
	shares := make([]float64, len(r.categories))
	for i, counts := range r.units {
		for k, a := range counts {
			shares[k] += a / r.given[i]
		}
	}
	for k := range shares {
		shares[k] /= float64(len(r.units))
	}
	return shares
}

// means returns the mean over the ratings of each unit of what each category has.
func (r rated) means(values []float64) []float64 {
	means := make([]float64, len(r.units))
	for i, counts := range r.units {
		means[i] = dot(counts, values) / r.given[i]
	}
	return means
}

func dot(a, b []float64) float64 {
	sum := 0.0
	for k := range a {
		sum += float64(a[k] * b[k])
	}
	return sum
}
