package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/ragomega/ragomega/cmd/ragtest/internal/page"
	"github.com/ragomega/ragomega/ragtest"
)

// reportFlags are those of ragtest report.
type reportFlags struct {
	results, samples, baseline, out string
	calibrations                    []string
	smallest                        float64
	low                             ragtest.Thresholds
}

// reportCommand makes one page of HTML from the file that RAGTEST_RESULTS named.
func reportCommand() *cobra.Command {
	var f reportFlags
	c := &cobra.Command{
		Use:   "report --results FILE -o PAGE.html",
		Short: "make a page of HTML from the results of a run",
		Long: `Make one page of HTML, with all that it needs in it, from the results of a run:

	RAGTEST_RESULTS=results.jsonl go test ./...
	ragtest report --results results.jsonl --samples testdata/samples.jsonl -o report.html

Results have the scores, the verdicts and the judge's reasons, and not the texts:
give the samples too, to see questions, answers and contexts.

A score is low if it is below the threshold of its metric. With thresholds the page
says of each sample which surface of the system broke.`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return f.run(c.OutOrStdout(), c.ErrOrStderr()) },
	}
	flags := c.Flags()
	flags.StringVar(&f.results, "results", "", "`file` that RAGTEST_RESULTS named")
	flags.StringVar(&f.samples, "samples", "", "`file` of the samples, .jsonl or .csv: their questions, answers and contexts")
	flags.StringVar(&f.baseline, "baseline", "", "`file` to compare with: a baseline, or the results of an earlier run")
	flags.Float64Var(&f.smallest, "smallest", 0.05, "the smallest `difference` of a mean from the baseline's that matters")
	flags.StringArrayVar(&f.calibrations, "calibration", nil, "`file` with a calibration of the judge; may be given again")
	flags.StringVarP(&f.out, "output", "o", "", "`file` to write; - is the standard output")
	flags.Float64Var(&f.low.ContextRecall, "recall", 0, "context recall is low below `score`")
	flags.Float64Var(&f.low.ContextPrecision, "precision", 0, "context precision is low below `score`")
	flags.Float64Var(&f.low.Faithfulness, "faithfulness", 0, "faithfulness is low below `score`")
	flags.Float64Var(&f.low.AnswerRelevance, "relevance", 0, "answer relevance is low below `score`")
	flags.Float64Var(&f.low.AnswerCorrectness, "correctness", 0, "answer correctness is low below `score`")
	for _, name := range []string{"results", "output"} {
		if err := c.MarkFlagRequired(name); err != nil {
			panic(err) // the flag is defined above
		}
	}
	return c
}

func (f *reportFlags) run(stdout, stderr io.Writer) error {
	o := page.Options{Source: filepath.Base(f.results), Smallest: f.smallest, Thresholds: f.low}
	records, err := ragtest.ReadResults(f.results)
	switch {
	case errors.Is(err, ragtest.ErrTorn):
		fmt.Fprintln(stderr, err)
		o.Notes = append(o.Notes, err.Error())
	case err != nil:
		return err
	}
	if f.samples != "" {
		if o.Samples, err = ragtest.ReadSamples(f.samples); err != nil {
			return err
		}
	}
	if f.baseline != "" {
		if o.Baselines, err = readBaselines(f.baseline); err != nil {
			return err
		}
	}
	for _, file := range f.calibrations {
		c, err := ragtest.ReadCalibration(file)
		if err != nil {
			return err
		}
		o.Calibrations = append(o.Calibrations, c)
	}
	var text bytes.Buffer // so that a page that fails leaves no half of it
	if err := page.Write(&text, records, o); err != nil {
		return fmt.Errorf("%s: %w", f.results, err)
	}
	if f.out == "-" {
		_, err := stdout.Write(text.Bytes())
		return err
	}
	if err := os.WriteFile(f.out, text.Bytes(), 0o666); err != nil {
		return fmt.Errorf("the page cannot be written: %w", err)
	}
	return nil
}

// readBaselines reads a baseline, or results to make baselines of. Both are JSON;
// that of a baseline is one object, and what is neither is reported as the one that
// it begins like.
func readBaselines(file string) ([]*ragtest.Baseline, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("the baseline cannot be read: %w", err)
	}
	if bytes.HasPrefix(bytes.TrimSpace(text), []byte(`{"metrics"`)) {
		b, err := ragtest.ReadBaseline(file)
		if err != nil {
			return nil, err
		}
		return []*ragtest.Baseline{b}, nil
	}
	records, err := ragtest.ReadResults(file)
	if err != nil {
		return nil, err
	}
	all, err := page.Baselines(records)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return all, nil
}
