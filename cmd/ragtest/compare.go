package main

import (
	"bytes"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ragomega/ragomega/cmd/ragtest/internal/measured"
	"github.com/ragomega/ragomega/ragtest"
)

// comparing is what compare was told.
type comparing struct {
	smallest, confidence float64
	tag                  string
	notWorse             bool
	pick                 pick
}

// pick says which measurements of results count.
type pick struct {
	pkg, test, judge string
	trial            int
}

func compareCommand() *cobra.Command {
	var c comparing
	cmd := &cobra.Command{
		Use:   "compare BEFORE NOW --smallest X",
		Short: "Whether scores became worse, and on what evidence",
		Long: `Compare holds the scores of one run against those of another, sample by sample. Each
side is a baseline that Report.SaveBaseline wrote, or a file that RAGTEST_RESULTS
named. A metric is worse, not worse by the smallest difference that matters, or it
cannot be told; see ragtest.Compare for the rules. What matters is yours to say.

If a sample was measured several times by a metric in one file, with different
scores, say by --package, --test, --judge or --trial which measurement counts. Of one that
was tried again in one test the last try counts.

Exit codes: 0 no metric is worse (with --not-worse: all are shown not to be); 1 one
is (with --not-worse: or it cannot be told); 2 not understood, not readable, or
nothing that could be compared, such as scores of two judges.`,
		Example: `  ragtest compare main.jsonl branch.jsonl --smallest 0.05
  ragtest compare testdata/baseline.json results.jsonl --smallest 0.05 --not-worse
  ragtest compare old.jsonl new.jsonl --smallest 0.1 --tag critical --package ./rag`,
		Args: exactly(2, "two files, the scores before and those now"),
		RunE: func(cmd *cobra.Command, files []string) error { return c.run(cmd, files[0], files[1]) },
	}
	flags := cmd.Flags()
	flags.Float64Var(&c.smallest, "smallest", 0, "the smallest difference of a mean that matters (`X`)")
	flags.Float64Var(&c.confidence, "confidence", 0.95, "of the intervals")
	flags.BoolVar(&c.notWorse, "not-worse", false, "want evidence that no metric is worse")
	flags.StringVar(&c.tag, "tag", "", "only samples with this `TAG`")
	flags.StringVar(&c.pick.pkg, "package", "", "only measurements of this `PACKAGE`, as in results: ./rag")
	flags.StringVar(&c.pick.test, "test", "", "only measurements of this `TEST` and its subtests")
	flags.StringVar(&c.pick.judge, "judge", "", "only measurements by this judge, as in results: its `MODEL`, or \"model at identity\"; and those that asked none")
	flags.IntVar(&c.pick.trial, "trial", 0, "only measurements of this trial")
	return cmd
}

func (c comparing) run(cmd *cobra.Command, before, now string) error {
	switch {
	case !(c.smallest > 0):
		return wrong("compare: say with --smallest which difference of a mean is the smallest that matters: a number above 0, such as 0.05")
	case !(c.confidence > 0 && c.confidence < 1):
		return wrong("compare: --confidence is %v, expected a number between 0 and 1 such as 0.95", c.confidence)
	}
	o := ragtest.ComparisonOptions{Confidence: c.confidence, Tag: c.tag}
	b, err := c.pick.baseline(cmd, before)
	if err != nil {
		return err
	}
	r, err := c.pick.report(cmd, now)
	if err != nil {
		return err
	}
	found, err := ragtest.Compare(b, r, c.smallest, o)
	if err != nil {
		return err
	}
	if inJSON(cmd) {
		err = printJSON(cmd.OutOrStdout(), jsonComparison(found))
	} else {
		_, err = fmt.Fprintln(terminal(cmd), found)
	}
	if err != nil {
		return err
	}
	if o := found.Outcome(); o == ragtest.Worse || c.notWorse && o != ragtest.NotWorse {
		return errFound
	}
	return nil
}

// baseline reads a baseline, or results to make one of.
func (p pick) baseline(cmd *cobra.Command, file string) (*ragtest.Baseline, error) {
	is, err := isBaseline(file)
	if err != nil {
		return nil, err
	}
	if is {
		return ragtest.ReadBaseline(file)
	}
	records, err := p.results(cmd, file)
	if err != nil {
		return nil, err
	}
	b, err := reportOf(records).Baseline()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	for i := range b.Metrics {
		b.Metrics[i].LowerIsBetter = slices.ContainsFunc(records, func(r ragtest.Record) bool {
			return r.Metric == b.Metrics[i].Metric && r.LowerIsBetter
		})
	}
	return b, nil
}

// report reads results, or a baseline to make a report of.
func (p pick) report(cmd *cobra.Command, file string) (*ragtest.Report, error) {
	is, err := isBaseline(file)
	if err != nil {
		return nil, err
	}
	if is {
		b, err := ragtest.ReadBaseline(file)
		if err != nil {
			return nil, err
		}
		return reportOfBaseline(b), nil
	}
	records, err := p.results(cmd, file)
	if err != nil {
		return nil, err
	}
	return reportOf(records), nil
}

// isBaseline reports whether a file is a baseline rather than results. Both are
// JSON; what is neither is reported by the reader of results.
func isBaseline(file string) (bool, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return false, fmt.Errorf("the scores cannot be read: %w", err)
	}
	return bytes.HasPrefix(bytes.TrimSpace(text), []byte(`{"metrics"`)), nil
}

// results reads the measurements that were picked, one of each sample by each
// metric.
func (p pick) results(cmd *cobra.Command, file string) ([]ragtest.Record, error) {
	all, err := readResults(cmd, file)
	if err != nil {
		return nil, err
	}
	var kept []ragtest.Record
	for _, r := range all {
		if !p.picks(r) {
			continue
		}
		i := slices.IndexFunc(kept, func(k ragtest.Record) bool { return k.Sample == r.Sample && k.Metric == r.Metric })
		switch {
		case i < 0:
			kept = append(kept, r)
		case inTest(kept[i]) == inTest(r) && measured.By(kept[i]) == measured.By(r), sameScore(kept[i], r):
			kept[i] = r
		default:
			return nil, fmt.Errorf("%s has two scores of sample %q by %s: in %s and in %s; choose with --package, --test or --judge",
				file, r.Sample, r.Metric, whereBy(kept[i]), whereBy(r))
		}
	}
	if len(kept) == 0 || p.judge != "" && !slices.ContainsFunc(kept, p.judges) {
		return nil, fmt.Errorf("%s has no measurement that was chosen (--package %q, --test %q, --judge %q, --trial %d)", file, p.pkg, p.test, p.judge, p.trial)
	}
	return kept, nil
}

func (p pick) picks(r ragtest.Record) bool {
	switch {
	case p.pkg != "" && p.pkg != r.Package,
		p.test != "" && p.test != r.Test && !strings.HasPrefix(r.Test, p.test+"/"),
		p.judge != "" && measured.By(r) != "" && !p.judges(r):
		return false
	}
	return p.trial == r.Trial
}

// judges reports whether r is by the judge that was chosen.
func (p pick) judges(r ragtest.Record) bool { return p.judge == r.Model || p.judge == measured.By(r) }

// whereBy is where a measurement was made, and by whom if by anybody.
func whereBy(r ragtest.Record) string {
	if by := measured.By(r); by != "" {
		return inTest(r) + " by " + by
	}
	return inTest(r)
}

// sameScore reports whether two measurements came to the same by the same judge.
func sameScore(a, b ragtest.Record) bool {
	if measured.By(a) != measured.By(b) || (a.Score == nil) != (b.Score == nil) {
		return false
	}
	return a.Score == nil || *a.Score == *b.Score
}
