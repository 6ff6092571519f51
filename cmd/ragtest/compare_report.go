package main

import (
	"cmp"

	"github.com/ragomega/ragomega/cmd/ragtest/internal/measured"
	"github.com/ragomega/ragomega/ragtest"
)

// reportOf is the report that an evaluation of the same samples would have made.
func reportOf(records []ragtest.Record) *ragtest.Report {
	r := &ragtest.Report{}
	if judges := measured.Judges(records); len(judges) > 0 {
		r.Judge = judges[0]
	}
	for _, x := range records {
		r.Metrics = distinct(r.Metrics, x.Metric)
		r.Results = append(r.Results, x.Result())
	}
	return r
}

// reportOfBaseline is that of an earlier evaluation, as far as a baseline has it.
func reportOfBaseline(b *ragtest.Baseline) *ragtest.Report {
	r := &ragtest.Report{}
	for _, m := range b.Metrics {
		r.Judge = cmp.Or(r.Judge, m.Judge)
		r.Metrics = append(r.Metrics, m.Metric)
		var steps []ragtest.Exchange
		for _, s := range m.Steps {
			steps = append(steps, ragtest.Exchange{Step: s})
		}
		for _, s := range m.Samples {
			x := ragtest.Result{Sample: s.Sample, Tags: s.Tags, Inputs: s.Inputs, Metric: m.Metric}
			if s.Score == nil {
				x.Err = &ragtest.RecordedError{Kind: s.Unmeasured, Text: s.Unmeasured}
			} else {
				x.Score = ragtest.Score{Metric: m.Metric, Value: *s.Score, Judge: m.Judge, Exchanges: steps}
				for _, v := range s.Verdicts {
					x.Score.Verdicts = append(x.Score.Verdicts, ragtest.Verdict{OK: v.OK, Part: v.Part, Claim: v.Claim})
				}
			}
			r.Results = append(r.Results, x)
		}
	}
	return r
}

// comparedMetric is the part of a comparison that is about one metric, in JSON.
type comparedMetric struct {
	Metric           string          `json:"metric"`
	Outcome          ragtest.Outcome `json:"outcome"`
	LowerIsBetter    bool            `json:"lower_is_better,omitempty"`
	N                int             `json:"n"`
	Moved            int             `json:"moved"`
	Before           float64         `json:"before"`
	Now              float64         `json:"now"`
	Difference       float64         `json:"difference"` // below 0 is worse
	Low              float64         `json:"low"`
	High             float64         `json:"high"`
	P                float64         `json:"p"`
	Adjusted         float64         `json:"adjusted"`
	Test             string          `json:"test"`
	Needed           int             `json:"needed,omitempty"`
	Pairs            []comparedPair  `json:"pairs"`
	Added            []string        `json:"added,omitempty"`
	Removed          []string        `json:"removed,omitempty"`
	Changed          []string        `json:"changed,omitempty"`
	Unmeasured       []string        `json:"unmeasured,omitempty"`
	UnmeasuredBefore []string        `json:"unmeasured_before,omitempty"`
	Unchecked        int             `json:"unchecked,omitempty"`
}

type comparedPair struct {
	Sample string   `json:"sample"`
	Before float64  `json:"before"`
	Now    float64  `json:"now"`
	Flips  []string `json:"flips,omitempty"`
}

// jsonComparison is a comparison for programs.
func jsonComparison(c ragtest.Comparison) any {
	out := struct {
		Outcome    ragtest.Outcome  `json:"outcome"`
		Smallest   float64          `json:"smallest"`
		Confidence float64          `json:"confidence"`
		Metrics    []comparedMetric `json:"metrics"`
		OnlyBefore []string         `json:"only_before,omitempty"`
		OnlyNow    []string         `json:"only_now,omitempty"`
	}{Outcome: c.Outcome(), Smallest: c.Smallest, Confidence: c.Confidence, Metrics: []comparedMetric{}, OnlyBefore: c.OnlyBefore, OnlyNow: c.OnlyNow}
	for _, m := range c.Metrics {
		x := comparedMetric{
			Metric: m.Metric, Outcome: m.Outcome, LowerIsBetter: m.LowerIsBetter, N: m.N, Moved: m.Moved,
			Before: m.Before, Now: m.Now, Difference: m.Difference, Low: m.Interval.Low, High: m.Interval.High,
			P: m.P, Adjusted: m.Adjusted, Test: m.Test, Needed: m.Needed, Pairs: []comparedPair{},
			Added: m.Added, Removed: m.Removed, Changed: m.Changed, UnmeasuredBefore: m.UnmeasuredBefore, Unchecked: m.Unchecked,
		}
		for _, lost := range m.Unmeasured {
			x.Unmeasured = append(x.Unmeasured, lost.Sample)
		}
		for _, p := range m.Pairs {
			pair := comparedPair{Sample: p.Sample, Before: p.Before, Now: p.Now}
			for _, f := range p.Flips {
				pair.Flips = append(pair.Flips, f.String())
			}
			x.Pairs = append(x.Pairs, pair)
		}
		out.Metrics = append(out.Metrics, x)
	}
	return out
}
