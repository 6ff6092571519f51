package ragtest

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
)

// Repeatability is how far a judge agrees with itself: what its scores and verdicts
// do if the same is asked again. It bounds what a difference of two runs can mean:
// one that the judge's own draws make says nothing of the system.
//
// It is of the judge alone, on these samples. The system's answers vary too, from
// run to run, and so do samples; [Compare] takes all of that together.
type Repeatability struct {
	Metric string
	Judge  string
	Trials int
	// SameDraw says that the judge draws at temperature 0, so that all trials are one
	// draw but for the server's rounding. That they agree does not show that the
	// judge is sure.
	SameDraw bool

	Samples    []Repeated // those that all trials measured
	Unmeasured []Result   // those that some did not, with the first reason

	// Verdicts counts comparisons of a verdict between two trials, Flips those that
	// came out otherwise, and Reworded the verdicts that another trial did not come
	// to, as it split the text into other claims.
	Verdicts, Flips, Reworded int
	// SD is the standard deviation within a sample, pooled over them: the repeatability
	// standard deviation of ISO 5725.
	SD float64
}

// Repeated is what the trials made of one sample.
type Repeated struct {
	Sample   string
	Scores   []float64 // by each trial
	SD       float64
	Verdicts int // see [Repeatability]
	Flips    int
}

// Noise measures how far the judge of [Use] agrees with itself; see [Judge.Noise].
func Noise(ctx context.Context, m Metric, samples []Sample, trials int) (*Repeatability, error) {
	j, err := Standing()
	if err != nil {
		return nil, err
	}
	return j.Noise(ctx, m, samples, trials)
}

// Noise measures every sample by m in so many trials, at least 2: independent draws
// of the same requests, each recorded under a key of its own. They are those of
// [Judge.Trials], so the first is what Evaluate measures and costs nothing more.
//
// At temperature 0, the default, trials are the same draw: Repeatability.SameDraw.
// Ask a judge with the temperature that a model would be sampled at, such as
// judge.Temperature(0.7), to see how sure it is.
//
// What could not be measured is listed. The error is for nothing to measure, and
// for a context that ended; it is [ErrUndefined] if all trials measured no sample.
func (j *Judge) Noise(ctx context.Context, m Metric, samples []Sample, trials int) (*Repeatability, error) {
	if j == nil || j.dial == nil {
		return nil, ErrNoJudge
	}
	if trials < 2 {
		return nil, fmt.Errorf("ragtest: noise shows in 2 trials or more, not in %d", trials)
	}
	if m == nil {
		return nil, fmt.Errorf("ragtest: there is no metric to measure the noise of, expected one such as ragtest.Faithfulness")
	}
	t := j.sampling.temperature
	found := &Repeatability{Metric: m.Name(), Judge: j.String(), Trials: trials, SameDraw: t != nil && *t == 0}
	reports := make([]*Report, trials)
	for i, trial := range j.Trials(trials) {
		var err error
		if reports[i], err = trial.Evaluate(ctx, samples, m); err != nil {
			return nil, err
		}
	}
	for i := range reports[0].Results {
		found.add(reports, i)
	}
	if len(found.Samples) == 0 {
		return found, fmt.Errorf("%w: no sample was measured by %s in all of %d trials; the first: %w", ErrUndefined, m.Name(), trials, found.Unmeasured[0].Err)
	}
	sum := 0.0
	for _, s := range found.Samples {
		sum += float64(s.SD * s.SD)
	}
	found.SD = math.Sqrt(sum / float64(len(found.Samples)))
	return found, nil
}

// add adds what the trials made of sample i.
func (r *Repeatability) add(reports []*Report, i int) {
	s := Repeated{Sample: reports[0].Results[i].Sample}
	for _, report := range reports {
		x := report.Results[i]
		if x.Err != nil {
			r.Unmeasured = append(r.Unmeasured, x)
			return
		}
		s.Scores = append(s.Scores, x.Score.Value)
	}
	s.SD, _ = deviation(s.Scores) // scores are numbers, so they have one
	for a := range reports {
		for b := range a {
			verdicts, flips, reworded := verdictsBetween(reports[b].Results[i].Score, reports[a].Results[i].Score)
			s.Verdicts += verdicts
			s.Flips += flips
			r.Reworded += reworded
		}
	}
	r.Verdicts += s.Verdicts
	r.Flips += s.Flips
	r.Samples = append(r.Samples, s)
}

// verdictsBetween compares the verdicts of two trials that are about the same.
func verdictsBetween(a, b Score) (verdicts, flips, reworded int) {
	plain := func(s Score) (v []BaselineVerdict) {
		for _, x := range s.Verdicts {
			v = append(v, BaselineVerdict{OK: x.OK, Part: x.Part, Claim: x.Claim})
		}
		return v
	}
	before, now := plain(a), plain(b)
	matched := 0
	for i, k := range counterparts(before, now) {
		if k < 0 {
			reworded++
			continue
		}
		matched++
		if before[k].Claim != now[i].Claim {
			reworded++ // another claim may have another verdict
			continue
		}
		verdicts++
		if before[k].OK != now[i].OK {
			flips++
		}
	}
	return verdicts, flips, reworded + len(before) - matched
}

// FlipRate is the chance that a verdict comes out otherwise if it is asked again,
// from 0 to 1. It is [ErrUndefined] if no two trials judged the same claim.
func (r *Repeatability) FlipRate() (float64, error) {
	if r.Verdicts == 0 {
		return 0, fmt.Errorf("%w: no two trials gave a verdict on the same claim", ErrUndefined)
	}
	return float64(r.Flips) / float64(r.Verdicts), nil
}

// Believable returns the smallest difference of two means of n samples, at least 1,
// that is worth believing: of two runs on the same answers 95 % differ by less, as
// far as draws of the judge go. It is the repeatability limit of ISO 5725, 2.77
// standard deviations, over the root of n. A difference above it is not the judge's
// noise; whether it is the system's takes [Compare].
func (r *Repeatability) Believable(n int) (float64, error) {
	if n < 1 {
		return 0, fmt.Errorf("ragtest: a mean of %d samples, expected at least 1", n)
	}
	const z = 1.959963984540054 // of 95 %
	return z * math.Sqrt2 * r.SD / math.Sqrt(float64(n)), nil
}

// String shows the share of verdicts that flip, the deviation, what differences are
// worth believing, and the least sure samples.
func (r *Repeatability) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s by %s, %d trials of %d samples: ", r.Metric, r.Judge, r.Trials, len(r.Samples))
	if rate, err := r.FlipRate(); err == nil {
		fmt.Fprintf(&b, "a verdict flips in %.1f %% (%d of %d)", 100*rate, r.Flips, r.Verdicts)
	} else {
		b.WriteString("no verdict was given twice on the same claim")
	}
	if r.Reworded > 0 {
		fmt.Fprintf(&b, ", %d claims were put otherwise", r.Reworded)
	}
	fmt.Fprintf(&b, "; a score's standard deviation is %.3f", r.SD)
	if r.SameDraw {
		b.WriteString("\n! at temperature 0 trials are the same draw, so that this is the server's noise and not how sure the judge is: ask judge.Temperature(0.7)")
	}
	b.WriteString("\nworth believing, as the judge's noise goes:")
	for i, n := range []int{10, 30, 100} {
		d, _ := r.Believable(n)
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, " %.3f or more of %d samples", d, n)
	}
	if n := len(r.Unmeasured); n > 0 {
		why, _, _ := strings.Cut(r.Unmeasured[0].Err.Error(), "\n")
		fmt.Fprintf(&b, "\nnot measured by all trials: %d, the first because of: %s", n, why)
	}
	worst := slices.Clone(r.Samples)
	slices.SortStableFunc(worst, func(a, b Repeated) int {
		switch {
		case a.SD > b.SD:
			return -1
		case a.SD < b.SD:
			return 1
		}
		return b.Flips - a.Flips
	})
	for _, s := range worst[:min(inEvidence, len(worst))] {
		if s.SD == 0 && s.Flips == 0 {
			break
		}
		fmt.Fprintf(&b, "\n  %s: from %.2f to %.2f, %d of %d verdicts flip", s.Sample, slices.Min(s.Scores), slices.Max(s.Scores), s.Flips, s.Verdicts)
	}
	return b.String()
}
