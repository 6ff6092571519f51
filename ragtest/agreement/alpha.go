package agreement

import (
	"fmt"
	"math"
	"slices"
)

// Level says what the values of ratings mean, and so how far two are apart.
type Level int

const (
	// NominalLevel: names. Any two different values are equally far apart.
	NominalLevel Level = iota
	// OrdinalLevel: an order. Values are apart by how many ratings lie between.
	OrdinalLevel
	// IntervalLevel: numbers whose differences mean something.
	IntervalLevel
	// RatioLevel: numbers from 0 whose ratios do.
	RatioLevel
)

// Alpha returns Krippendorff's alpha (Computing Krippendorff's
// Alpha-Reliability, 2011): 1 for full agreement, 0 for that by chance, and below
// 0 for less, which few units make likely. Ratings are a slice for each rater, of
// the units in the same order, with [Missing] where a rater gave none. Units with
// fewer than two ratings do not count. The domain is every value there can be; it
// changes nothing but that others are errors.
//
// One dissent among many equal ratings gives about 0: so few show nothing of
// whether the raters could tell the values apart. It is [ErrUndefined] if only one
// value occurs, or no unit has two ratings.
//
// It takes time by the number of ratings, at RatioLevel also by the square of the
// number of different values.
func Alpha(ratings [][]float64, level Level, domain ...float64) (float64, error) {
	p, err := pair(ratings, level, domain)
	if err != nil {
		return 0, err
	}
	return p.alpha(nil)
}

// AlphaInterval returns a bootstrap interval of [Alpha] over the units that have
// two ratings. Undefined as Alpha, and as [Bootstrap.Interval].
func AlphaInterval(ratings [][]float64, level Level, b Bootstrap) (Interval, error) {
	p, err := pair(ratings, level, nil)
	if err != nil {
		return Interval{}, err
	}
	return b.Interval(len(p.units), p.alpha)
}

// paired are the ratings of units that have two or more, by the places of their
// values.
type paired struct {
	level  Level
	values []float64 // all that occur, ascending
	units  [][]int   // places of the ratings of a unit, ascending
}

func pair(ratings [][]float64, level Level, domain []float64) (paired, error) {
	p := paired{level: level}
	n, err := unitsOf(ratings)
	if err != nil {
		return p, err
	}
	var units [][]float64
	for i := range n {
		var unit []float64
		for g := range ratings {
			v := ratings[g][i]
			switch {
			case math.IsNaN(v):
				continue
			case math.IsInf(v, 0), level == RatioLevel && v < 0, len(domain) > 0 && !slices.Contains(domain, v):
				return p, fmt.Errorf("agreement: rater %d gives unit %d the rating %v, expected %s", g, i, v, expectedOf(level, domain))
			}
			unit = append(unit, v)
		}
		if len(unit) >= 2 {
			units = append(units, unit)
			p.values = append(p.values, unit...)
		}
	}
	slices.Sort(p.values)
	p.values = slices.Compact(p.values)
	place := make(map[float64]int, len(p.values))
	for k, v := range p.values {
		place[v] = k
	}
	for _, unit := range units {
		places := make([]int, len(unit))
		for i, v := range unit {
			places[i] = place[v]
		}
		slices.Sort(places)
		p.units = append(p.units, places)
	}
	return p, nil
}

func expectedOf(level Level, domain []float64) string {
	switch {
	case len(domain) > 0:
		return fmt.Sprintf("one of %v", domain)
	case level == RatioLevel:
		return "a number from 0"
	}
	return "a number"
}

// alpha is that of the units with these indexes, of all for nil: 1 less the
// disagreement within units over that among all ratings. Both are found from how
// often values occur, not pair by pair.
func (p paired) alpha(at []int) (float64, error) {
	units := p.units
	if at != nil {
		units = make([][]int, len(at))
		for i, u := range at {
			units[i] = p.units[u]
		}
	}
	n, counts := 0, make([]int, len(p.values))
	for _, unit := range units {
		n += len(unit)
		for _, k := range unit {
			counts[k]++
		}
	}
	if n == 0 {
		return 0, undefined("alpha", "no unit has ratings of two raters")
	}
	x := p.numbers(counts)
	var all []run
	for k, count := range counts {
		if count > 0 {
			all = append(all, run{x[k], float64(count)})
		}
	}
	if len(all) == 1 {
		return 0, undefined("alpha", "all %d ratings are equal, so they do not show whether the raters could tell others from them", n)
	}
	expected := p.level.disagreement(all)
	if !(expected > 0) || math.IsInf(expected, 0) {
		return 0, fmt.Errorf("agreement: the squares of the differences of ratings from %v to %v are no numbers; scale them", p.values[0], p.values[len(p.values)-1])
	}
	observed := 0.0
	var runs []run
	for _, unit := range units {
		runs = runs[:0]
		for i, k := range unit {
			if i > 0 && k == unit[i-1] {
				runs[len(runs)-1].n++
			} else {
				runs = append(runs, run{x[k], 1})
			}
		}
		if len(runs) > 1 {
			observed += p.level.disagreement(runs) / float64(len(unit)-1)
		}
	}
	return 1 - float64(n-1)*observed/expected, nil
}

// numbers are what the differences of the values are taken of: at OrdinalLevel
// their mean ranks, which are as far apart as ratings lie between.
func (p paired) numbers(counts []int) []float64 {
	if p.level != OrdinalLevel {
		return p.values
	}
	ranks, below := make([]float64, len(counts)), 0
	for k, count := range counts {
		ranks[k] = float64(below) + float64(count)/2
		below += count
	}
	return ranks
}

// run is a value that occurs n times.
type run struct{ x, n float64 }

// disagreement is the sum over all pairs, each way round, of the square of how far
// the two are apart.
func (l Level) disagreement(runs []run) float64 {
	n, total, squares := 0.0, 0.0, 0.0
	for _, r := range runs {
		n += r.n
		total += float64(r.n * r.x)
		squares += float64(r.n * r.n)
	}
	sum := 0.0
	switch l {
	case NominalLevel:
		return float64(n*n) - squares
	case RatioLevel:
		for i, a := range runs {
			for _, b := range runs[:i] {
				d := (a.x - b.x) / (a.x + b.x)
				sum += float64(2 * a.n * b.n * d * d)
			}
		}
	default: // the pairs' squares are those of the distances to the mean
		mean := total / n
		for _, r := range runs {
			d := r.x - mean
			sum += float64(2 * n * r.n * d * d)
		}
	}
	return sum
}
