package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ragomega/ragomega/cmd/ragtest/internal/page"
	"github.com/ragomega/ragomega/ragtest"
)

func scoresCommand() *cobra.Command {
	var results, tag string
	var byTag bool
	cmd := &cobra.Command{
		Use:   "scores --results FILE [--by-tag] [--tag TAG]",
		Short: "The mean of each metric, and by tag",
		Long: `Scores prints a line for each metric: its mean with the 95 % interval, of how many
samples, and how many were not measured, which count neither as 0 nor as anything
else. With --by-tag there is a line below for each tag, and the worst are marked
where tags differ. A sample with several tags counts for each of them.

Of a sample that was measured several times by a metric in a package by one judge
the mean counts; what was tried again counts once. Scores of several judges stand
apart.

Exit codes: 0 printed; 2 not understood, or not readable.`,
		Example: `  RAGTEST_RESULTS=results.jsonl go test -count=1 ./...
  ragtest scores --results results.jsonl
  ragtest scores --results results.jsonl --by-tag
  ragtest scores --results results.jsonl --tag critical --json`,
		Args: exactly(0, "no arguments but flags"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			records, err := readResults(cmd, results)
			if err != nil {
				return err
			}
			if tag != "" {
				records = slices.DeleteFunc(records, func(r ragtest.Record) bool { return !slices.Contains(r.Tags, tag) })
				if len(records) == 0 {
					return fmt.Errorf("no sample of the results has the tag %q", tag)
				}
			}
			tables, err := page.Tables(records)
			if err != nil {
				return err
			}
			all := scoredMetrics(tables, byTag)
			if inJSON(cmd) {
				return printJSON(cmd.OutOrStdout(), all)
			}
			return printScores(terminal(cmd), all)
		},
	}
	resultsFlag(cmd, &results, "the measurements")
	cmd.Flags().BoolVar(&byTag, "by-tag", false, "by tag, too")
	cmd.Flags().StringVar(&tag, "tag", "", "only samples with this `TAG`")
	return cmd
}

// scored are scores of some samples by a metric. What is undefined is left out.
type scored struct {
	Mean       *float64 `json:"mean,omitempty"`
	Low        *float64 `json:"low,omitempty"` // of the 95 % interval
	High       *float64 `json:"high,omitempty"`
	N          int      `json:"n"`
	Unmeasured int      `json:"unmeasured"`
}

// scoredMetric is a metric, as one judge measured it or nobody.
type scoredMetric struct {
	Metric        string `json:"metric"`
	Judge         string `json:"judge,omitempty"`
	LowerIsBetter bool   `json:"lower_is_better,omitempty"`
	scored
	Tags []scoredTag `json:"tags,omitempty"`
}

// scoredTag is the part about samples with a tag, or without one.
type scoredTag struct {
	Tag   string `json:"tag"` // "" for samples without one
	Worst bool   `json:"worst,omitempty"`
	scored
}

func newScored(s ragtest.Scores) scored {
	x := scored{N: len(s.Measured), Unmeasured: len(s.Unmeasured)}
	if mean, err := s.Mean(); err == nil {
		x.Mean = &mean
	}
	if low, high, err := s.Interval(0.95); err == nil {
		x.Low, x.High = &low, &high
	}
	return x
}

func scoredMetrics(tables []page.Table, byTag bool) []scoredMetric {
	all := []scoredMetric{}
	for _, t := range tables {
		for i, m := range t.Metrics {
			x := scoredMetric{Metric: m.Metric, Judge: t.Judge, LowerIsBetter: m.Lower, scored: newScored(t.Scores[i])}
			if byTag && t.ByTag != nil {
				for _, row := range t.ByTag.Rows {
					if c := row.Cells[i]; c.N+c.Missing > 0 {
						x.Tags = append(x.Tags, scoredTag{row.Tag, c.Worst, newScored(c.Scores)})
					}
				}
			}
			all = append(all, x)
		}
	}
	return all
}

// printScores prints a table. Who judged has a column if anybody did.
func printScores(w io.Writer, all []scoredMetric) error {
	judged := slices.ContainsFunc(all, func(m scoredMetric) bool { return m.Judge != "" })
	var text strings.Builder
	t := table(&text)
	head := "metric\tmean\t95 % interval\tn\tnot measured\t"
	if judged {
		head += "judge\t"
	}
	fmt.Fprintln(t, head)
	for _, m := range all {
		name := cut(m.Metric, 60)
		if m.LowerIsBetter {
			name += " (lower is better)"
		}
		line := name + "\t" + m.cells()
		if judged {
			line += oneLine(m.Judge) + "\t"
		}
		fmt.Fprintln(t, line)
		for _, x := range m.Tags {
			name := cut(x.Tag, 40)
			if x.Tag == "" {
				name = "(no tag)"
			}
			line := "  " + name + "\t" + x.cells()
			if judged {
				line += "\t"
			}
			if x.Worst {
				line += "worst"
			}
			fmt.Fprintln(t, line)
		}
	}
	if err := t.Flush(); err != nil {
		return err
	}
	for line := range strings.Lines(text.String()) {
		if _, err := fmt.Fprintln(w, strings.TrimRight(line, " \n")); err != nil {
			return err
		}
	}
	return nil
}

// cells are the columns of numbers, each with a tab behind it.
func (s scored) cells() string {
	mean, interval := "-", "-"
	if s.Mean != nil {
		mean = fmt.Sprintf("%.3f", *s.Mean)
	}
	if s.Low != nil {
		interval = fmt.Sprintf("[%.3f, %.3f]", *s.Low, *s.High)
	}
	return fmt.Sprintf("%s\t%s\t%d\t%d\t", mean, interval, s.N, s.Unmeasured)
}
