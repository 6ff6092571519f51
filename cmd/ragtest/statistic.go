package main

import "github.com/ragomega/ragomega/ragtest/agreement"

// statistic is an estimate in JSON. What is undefined has no value and says why;
// an interval that is, too, is left out.
type statistic struct {
	Name  string   `json:"name"`
	Value *float64 `json:"value,omitempty"`
	Low   *float64 `json:"low,omitempty"`
	High  *float64 `json:"high,omitempty"`
	Why   string   `json:"undefined,omitempty"`
}

func statisticsOf(a agreement.Comparison) []statistic {
	all := []statistic{}
	for _, e := range []agreement.Estimate{a.Agreement, a.Point, a.TPR, a.TNR, a.Difference, a.Spearman} {
		if e.Name == "" {
			continue // not of labels of this kind
		}
		s := statistic{Name: e.Name}
		v, err := e.Value()
		if err != nil {
			s.Why = err.Error()
		} else {
			s.Value = &v
			if i, err := e.Interval(); err == nil {
				s.Low, s.High = &i.Low, &i.High
			}
		}
		all = append(all, s)
	}
	return all
}
