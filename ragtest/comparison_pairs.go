package ragtest

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/ragomega/ragomega/ragtest/agreement"
)

// pairUp finds the samples that both have, and lists the others.
func pairUp(before, now *MetricBaseline, lost map[string]Result) MetricComparison {
	m := MetricComparison{Metric: now.Metric, LowerIsBetter: before.LowerIsBetter || now.LowerIsBetter}
	for _, was := range before.Samples {
		is := now.sample(was.Sample)
		switch {
		case is == nil:
			m.Removed = append(m.Removed, was.Sample)
		case was.Inputs != "" && is.Inputs != "" && was.Inputs != is.Inputs:
			m.Changed = append(m.Changed, was.Sample)
		case is.Score == nil:
			m.Unmeasured = append(m.Unmeasured, lost[was.Sample])
		case was.Score == nil:
			m.UnmeasuredBefore = append(m.UnmeasuredBefore, was.Sample)
		default:
			if was.Inputs == "" || is.Inputs == "" {
				m.Unchecked++
			}
			m.Pairs = append(m.Pairs, Pair{Sample: was.Sample, Before: *was.Score, Now: *is.Score, Flips: flips(was.Verdicts, is.Verdicts, yesNo(now.Steps))})
		}
	}
	for _, is := range now.Samples {
		if before.sample(is.Sample) == nil {
			m.Added = append(m.Added, is.Sample)
		}
	}
	return m
}

// fewestMoved is how many pairs must differ for an exact test of their signs to
// find anything at 0.05, as 2^-5 is 0.031 and is the p of both sides of 6.
const fewestMoved = 6

// measure computes what the pairs tell, but for what depends on other metrics.
func (m *MetricComparison) measure(c Comparison, o ComparisonOptions) error {
	var before, now []float64
	for _, p := range m.Pairs {
		if m.LowerIsBetter {
			p.Before, p.Now = -p.Before, -p.Now
		}
		before, now = append(before, p.Before), append(now, p.Now)
	}
	d, err := agreement.Differences(before, now)
	if err != nil {
		return err
	}
	clusters, units := m.clusters(d, o.Cluster)
	size := math.Abs(slices.MaxFunc(append(slices.Clone(before), now...), func(a, b float64) int { return cmp.Compare(math.Abs(a), math.Abs(b)) }))
	drops, rises := 0, 0
	for i, u := range units {
		switch {
		case math.Abs(u) <= 1e-12*size:
			units[i] = 0 // sums in another order
		case u < 0:
			drops++
		default:
			rises++
		}
	}
	m.N, m.Clusters, m.Moved = len(d), len(units), drops+rises
	m.Difference = mean(units)
	m.Before, m.Now = mean(before), mean(now)
	if m.LowerIsBetter {
		m.Before, m.Now = -m.Before, -m.Now
	}
	if m.SD, err = deviation(units); err != nil {
		return err
	}
	if err := m.test(units, clusters != nil); err != nil {
		return err
	}
	width := m.width(o)
	if m.Moved >= fewestMoved {
		m.Interval, err = agreement.Bootstrap{Confidence: c.Confidence, Seed: 1, Clusters: clusters}.Difference(before, now)
	} else {
		m.Interval, err = fewMoved(drops, rises, len(units), width, c.Confidence)
	}
	if err != nil {
		return err
	}
	m.Needed = m.needed(c, width)
	slices.SortStableFunc(m.Pairs, func(a, b Pair) int { return cmp.Compare(m.drop(b), m.drop(a)) })
	return nil
}

// drop is by how much a sample is worse than it was.
func (m *MetricComparison) drop(p Pair) float64 {
	if m.LowerIsBetter {
		return p.Now - p.Before
	}
	return p.Before - p.Now
}

// clusters numbers the cluster of each pair, nil if each is its own, and returns
// the differences of the clusters, whose mean is that of the pairs.
func (m *MetricComparison) clusters(d []float64, of func(string) string) (at []int, units []float64) {
	if of == nil {
		return nil, slices.Clone(d)
	}
	number := map[string]int{}
	for i, p := range m.Pairs {
		name := of(p.Sample)
		k, ok := number[name]
		if !ok {
			k = len(units)
			number[name] = k
			units = append(units, 0)
		}
		at = append(at, k)
		units[k] += d[i]
	}
	if len(units) == len(d) {
		return nil, slices.Clone(d)
	}
	scale := float64(len(units)) / float64(len(d))
	for k := range units {
		units[k] *= scale
	}
	return at, units
}

// test finds P.
func (m *MetricComparison) test(units []float64, clustered bool) error {
	graded := func(p Pair) bool { return p.Before != 0 && p.Before != 1 || p.Now != 0 && p.Now != 1 }
	if !clustered && !slices.ContainsFunc(m.Pairs, graded) {
		drops, rises := 0, 0
		for _, u := range units {
			if u < 0 {
				drops++
			} else if u > 0 {
				rises++
			}
		}
		counts, err := agreement.McNemar(drops, rises)
		m.P, m.Test = counts.MidP, "McNemar's mid-p"
		return err
	}
	f, err := agreement.Permutation(units, 1)
	m.P, m.Test = f.TwoSided, "paired permutation"
	return err
}

// deviation is the standard deviation of a sample; 0 for one value.
func deviation(values []float64) (float64, error) {
	if len(values) < 2 {
		return 0, nil
	}
	t, err := agreement.PairedT(make([]float64, len(values)), values, 0.95)
	return t.SD, err
}

// width is the range of the metric: no score moves by more.
func (m *MetricComparison) width(o ComparisonOptions) float64 {
	for _, x := range o.Metrics {
		if r, ok := x.(interface {
			Range() (lowest, highest float64)
		}); ok && x.Name() == m.Metric {
			if lowest, highest := r.Range(); !math.IsInf(highest-lowest, 0) {
				return highest - lowest
			}
		}
	}
	lowest, highest := 0.0, 1.0
	for _, p := range m.Pairs {
		lowest, highest = min(lowest, p.Before, p.Now), max(highest, p.Before, p.Now)
	}
	return highest - lowest
}

// fewMoved is an interval of the mean difference of n pairs of which so many drop
// and rise: at worst all those that may drop drop by the whole width.
func fewMoved(drops, rises, n int, width, confidence float64) (agreement.Interval, error) {
	down, err := agreement.ClopperPearson(drops, n, confidence)
	if err != nil {
		return down, err
	}
	up, err := agreement.ClopperPearson(rises, n, confidence)
	return agreement.Interval{Low: -down.High * width, High: up.High * width, Confidence: confidence, Method: "Clopper-Pearson"}, err
}

// needed is Needed.
func (m *MetricComparison) needed(c Comparison, width float64) int {
	n := 0.0
	if m.SD > 0 {
		pairs, err := agreement.Design{Alpha: 1 - c.Confidence}.PairsZ(c.Smallest / m.SD)
		if err != nil {
			return 0
		}
		n = math.Ceil(pairs-1e-9) + 2 // which is what a t test takes more
	}
	if m.Moved < fewestMoved {
		// So many of which none drops bound the share that may by what matters.
		if c.Smallest >= width {
			return int(n)
		}
		n = max(n, math.Floor(math.Log((1-c.Confidence)/2)/math.Log1p(-c.Smallest/width))+1)
	}
	return int(n)
}

// decide finds the outcome; see [Compare].
func (m *MetricComparison) decide(c Comparison) {
	rejected := agreement.Reject([]float64{m.Adjusted}, 1-c.Confidence)[0]
	switch {
	case m.Interval.Low > -c.Smallest:
		m.Outcome = NotWorse
	case rejected && m.Difference < 0 && m.Moved >= fewestMoved:
		m.Outcome = Worse
	default:
		m.Outcome = CannotTell
	}
}

// Unpaired returns the samples of the baseline that were left out, in the order
// unmeasured now, unmeasured before, removed, changed.
func (m MetricComparison) Unpaired() []string {
	var names []string
	for _, x := range m.Unmeasured {
		names = append(names, x.Sample)
	}
	return slices.Concat(names, m.UnmeasuredBefore, m.Removed, m.Changed)
}

// unpaired says the same, and what was added, a line for each kind.
func (m MetricComparison) unpaired() []string {
	var lines []string
	add := func(what string, names []string) {
		if n := len(names); n > 0 {
			line := fmt.Sprintf("%s: %d (%s", what, n, strings.Join(names[:min(n, inEvidence)], ", "))
			if n > inEvidence {
				line += fmt.Sprintf(" and %d more", n-inEvidence)
			}
			lines = append(lines, line+")")
		}
	}
	var lost []string
	for _, x := range m.Unmeasured {
		lost = append(lost, x.Sample)
	}
	add("not measured now", lost)
	add("not measured in the baseline", m.UnmeasuredBefore)
	add("removed since", m.Removed)
	add("another question or reference than in the baseline", m.Changed)
	add("added since", m.Added)
	return lines
}
