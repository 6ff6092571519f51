package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/ragomega/ragomega/cmd/ragtest/internal/page"
	"github.com/ragomega/ragomega/ragtest"
)

// reporting is what report was told.
type reporting struct {
	results, samples, baseline, out string
	calibrations                    []string
	smallest                        float64
	low                             ragtest.Thresholds
}

func reportCommand() *cobra.Command {
	var r reporting
	cmd := &cobra.Command{
		Use:   "report --results FILE -o PAGE.html [--samples FILE] [--baseline FILE] [--calibration FILE]",
		Short: "A page of HTML of the scores, and what the judge said of each claim",
		Long: `Report makes one page of HTML from the results of a run. It has all that it needs in
it and loads nothing, so that it can be sent and kept.

Results have the scores, the verdicts and the judge's reasons, and not the texts:
give the samples too, to see questions, answers and contexts. With thresholds the
page says of each sample which surface of the system broke; see ragtest diagnose.
With a baseline, which may be the results of an earlier run, it says what changed;
see ragtest compare.

Samples with tags have a table by tag, whose worst means are marked; see ragtest
scores. Metrics that ask no judge stand in the sample's row, beside what a judge
said of it.

Of a sample that was measured several times by a metric in a package by one judge
the page shows the mean and all measurements; what was tried again counts once.

Exit codes: 0 the page was written; 2 not understood, or not readable.`,
		Example: `  RAGTEST_RESULTS=results.jsonl go test -count=1 ./...
  ragtest report --results results.jsonl --samples testdata/samples.jsonl -o report.html
  ragtest report --results results.jsonl --faithfulness 0.9 --relevance 0.7 -o report.html
  ragtest report --results new.jsonl --baseline old.jsonl --calibration testdata/calibration.json -o -`,
		Args: exactly(0, "no arguments but flags"),
		RunE: func(cmd *cobra.Command, _ []string) error { return r.run(cmd) },
	}
	resultsFlag(cmd, &r.results, "what to show")
	flags := cmd.Flags()
	flags.StringVarP(&r.out, "output", "o", "", "the `PAGE` to write; - is the standard output")
	flags.StringVar(&r.samples, "samples", "", "the `FILE` of the samples, with their questions, answers and contexts")
	flags.StringVar(&r.baseline, "baseline", "", "a `FILE` to compare with: a baseline, or earlier results")
	flags.Float64Var(&r.smallest, "smallest", 0.05, "the smallest difference of a mean from the baseline's that matters (`X`)")
	flags.StringArrayVar(&r.calibrations, "calibration", nil, "a `FILE` with a calibration of the judge; can be given again")
	flags.Float64Var(&r.low.ContextRecall, "recall", 0, "context recall is low below `X`")
	flags.Float64Var(&r.low.ContextPrecision, "precision", 0, "context precision is low below `X`")
	flags.Float64Var(&r.low.Faithfulness, "faithfulness", 0, "faithfulness is low below `X`")
	flags.Float64Var(&r.low.AnswerRelevance, "relevance", 0, "answer relevance is low below `X`")
	flags.Float64Var(&r.low.AnswerCorrectness, "correctness", 0, "answer correctness is low below `X`")
	return cmd
}

func (r reporting) run(cmd *cobra.Command) error {
	for _, x := range []float64{r.low.ContextRecall, r.low.ContextPrecision, r.low.Faithfulness, r.low.AnswerRelevance, r.low.AnswerCorrectness} {
		if !(x >= 0 && x <= 1) {
			return wrong("report: a threshold is %v, expected a number from 0 to 1", x)
		}
	}
	switch {
	case r.results == "":
		return wrong("report: no results given: --results FILE, which RAGTEST_RESULTS=FILE go test ./... writes")
	case r.out == "":
		return wrong("report: no page to write given: -o report.html")
	case !(r.smallest > 0):
		return wrong("report: --smallest is %v, expected a number above 0, such as 0.05", r.smallest)
	}
	o := page.Options{Source: filepath.Base(r.results), Smallest: r.smallest, Thresholds: r.low}
	records, err := ragtest.ReadResults(r.results)
	switch {
	case errors.Is(err, ragtest.ErrTorn):
		fmt.Fprintln(visible{cmd.ErrOrStderr()}, "ragtest: warning:", err)
		o.Notes = append(o.Notes, err.Error()) // readers of the page do not see the warning
	case err != nil:
		return err
	}
	if err := r.read(&o); err != nil {
		return err
	}
	var text bytes.Buffer // a page that fails leaves no half of it
	if err := page.Write(&text, records, o); err != nil {
		return fmt.Errorf("%s: %w", r.results, err)
	}
	if r.out == "-" {
		_, err := cmd.OutOrStdout().Write(text.Bytes())
		return err
	}
	if err := os.WriteFile(r.out, text.Bytes(), 0o666); err != nil {
		return fmt.Errorf("the page cannot be written: %w", err)
	}
	return nil
}

// read reads what goes with the results.
func (r reporting) read(o *page.Options) (err error) {
	if r.samples != "" {
		if o.Samples, err = ragtest.ReadSamples(r.samples); err != nil {
			return err
		}
	}
	if r.baseline != "" {
		if err = readBefore(r.baseline, o); err != nil {
			return err
		}
	}
	for _, file := range r.calibrations {
		c, err := ragtest.ReadCalibration(file)
		if err != nil {
			return err
		}
		o.Calibrations = append(o.Calibrations, c)
	}
	return nil
}

// readBefore reads a baseline, or the results of an earlier run.
func readBefore(file string, o *page.Options) error {
	is, err := isBaseline(file)
	switch {
	case err != nil:
	case is:
		o.Baseline, err = ragtest.ReadBaseline(file)
	default:
		o.Before, err = ragtest.ReadResults(file)
	}
	return err
}
