package main

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// table collects the figures of one size.
type table struct {
	title string
	rows  []*row
}

type row struct {
	subject subject
	phase   string
	runs    []figures
}

func newTable(n int, latency time.Duration) *table {
	return &table{title: fmt.Sprintf("%d samples, judge's latency %v", n, latency)}
}

func (t *table) add(s subject, got map[string]figures) {
	for _, phase := range s.phases {
		r := t.row(s.name, phase)
		if r == nil {
			r = &row{subject: s, phase: phase}
			t.rows = append(t.rows, r)
		}
		r.runs = append(r.runs, got[phase])
	}
}

func (t *table) row(name, phase string) *row {
	for _, r := range t.rows {
		if r.subject.name == name && r.phase == phase {
			return r
		}
	}
	return nil
}

// check says where this module asked more than it had to.
func (t *table) check() error {
	var wrong []error
	for _, r := range t.rows {
		for _, f := range r.runs {
			if r.subject.ours && (f.calls != f.unique || (f.calls == 0) == (r.phase == cold)) {
				wrong = append(wrong, fmt.Errorf("%s: %s, %s: %d calls for %d requests", t.title, r.subject.name, r.phase, f.calls, f.unique))
			}
		}
	}
	return errors.Join(wrong...)
}

func wall(f figures) time.Duration { return f.wall }
func cpu(f figures) time.Duration  { return f.cpu }

// String spells the table in Markdown, with medians, and the least and the most
// in brackets if there are several runs; then what the others take for each second
// of this module.
func (t *table) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "### %s\n\n| runner | phase | wall s | CPU s | calls | unique requests |\n|---|---|---|---|---|---|\n", t.title)
	for _, r := range t.rows {
		calls := func(f figures) int { return f.calls }
		unique := func(f figures) int { return f.unique }
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s | %s |\n", r.subject.name, r.phase, r.seconds(wall), r.seconds(cpu), span(r.runs, calls), span(r.runs, unique))
	}
	var ours []string
	head, line := "| peer ÷ ragomega | phase |", "|---|---|"
	for _, r := range t.rows {
		if r.subject.ours && r.phase == cold {
			ours = append(ours, r.subject.name)
			short := strings.TrimPrefix(r.subject.name, "ragomega, ")
			head += fmt.Sprintf(" CPU, %s | wall, %s |", short, short)
			line += "---|---|"
		}
	}
	ratios := ""
	for _, r := range t.rows {
		if r.subject.ours {
			continue
		}
		ratios += fmt.Sprintf("| %s | %s |", r.subject.name, r.phase)
		for _, name := range ours {
			base := t.row(name, r.phase)
			ratios += fmt.Sprintf(" %s | %s |", ratio(r, base, cpu), ratio(r, base, wall))
		}
		ratios += "\n"
	}
	if ratios != "" {
		fmt.Fprintf(&b, "\n%s\n%s\n%s", head, line, ratios)
	}
	return b.String()
}

func (r *row) seconds(of func(figures) time.Duration) string {
	v := sorted(r.runs, of)
	if len(v) == 1 {
		return fmt.Sprintf("%.2f", v[0].Seconds())
	}
	return fmt.Sprintf("%.2f (%.2f-%.2f)", median(v).Seconds(), v[0].Seconds(), v[len(v)-1].Seconds())
}

func ratio(r, base *row, of func(figures) time.Duration) string {
	q := float64(median(sorted(r.runs, of))) / float64(median(sorted(base.runs, of)))
	if q < 10 {
		return fmt.Sprintf("%.1f", q)
	}
	return fmt.Sprintf("%.0f", q)
}

// span is the one number that all runs have, or the least and the most.
func span(runs []figures, of func(figures) int) string {
	v := sorted(runs, of)
	if v[0] == v[len(v)-1] {
		return fmt.Sprint(v[0])
	}
	return fmt.Sprintf("%d-%d", v[0], v[len(v)-1])
}

func sorted[T cmp.Ordered](runs []figures, of func(figures) T) []T {
	var v []T
	for _, f := range runs {
		v = append(v, of(f))
	}
	slices.Sort(v)
	return v
}

// median is the middle of sorted values, or the lower of the two.
func median(v []time.Duration) time.Duration { return v[(len(v)-1)/2] }
