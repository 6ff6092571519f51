package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ragomega/ragomega/cache"
	"github.com/ragomega/ragomega/matchers"
	"github.com/ragomega/ragomega/ragtest"
)

// calibrating is what calibrate was told.
type calibrating struct {
	labels, metric, model, name, save, in string

	replay, probabilities, perClaim, plainJSON, reasoning bool

	kappaAbove      float64
	allowUnmeasured int
}

func calibrateCommand() *cobra.Command {
	var c calibrating
	cmd := &cobra.Command{
		Use:   "calibrate --labels FILE --metric METRIC --model MODEL [--name IDENTITY]",
		Short: "Hold a judge against what people say",
		Long: `Calibrate has a judge decide what people decided, and prints how far they agree,
with intervals, and the worst disagreements; see docs/judges.md. Replies are recorded
in testdata/ragtest below the current folder (or --in), as tests do it, in the mode
that RAGTEST_CACHE says; --replay asks nobody. The judge is reached as in tests, by
OPENAI_API_KEY and OPENAI_BASE_URL. Give the flags that its tests use: what is sent
is part of what is calibrated.

With --kappa-above, the lower end of kappa's 95 % interval has to be above a number.
Labels that are too few to tell are then an error.

Exit codes: 0 calibrated; 1 kappa is not above the number, or more items than
--allow-unmeasured were not measured; 2 not understood, not readable, nothing that
could be compared, or too few labels to tell.`,
		Example: `  ragtest calibrate --labels testdata/labels.jsonl --metric faithfulness --model gpt-4o-mini-2024-07-18
  OPENAI_BASE_URL=http://127.0.0.1:8080/v1 ragtest calibrate --labels testdata/labels.jsonl \
    --metric faithfulness --model qwen2.5:7b --name ollama --save testdata/calibration.json
  ragtest calibrate --replay --labels testdata/labels.jsonl --metric context_precision \
    --model qwen2.5:7b --name ollama --kappa-above 0.6`,
		Args: exactly(0, "no arguments but flags"),
		RunE: func(cmd *cobra.Command, _ []string) error { return c.run(cmd) },
	}
	flags := cmd.Flags()
	flags.StringVar(&c.labels, "labels", "", "the `FILE` of labelled samples, one JSON object a line")
	flags.StringVar(&c.metric, "metric", "", "what the labels are about: "+strings.Join(metricNames(), ", "))
	flags.StringVar(&c.model, "model", "", "the judge's `MODEL`")
	flags.StringVar(&c.name, "name", "", "what its endpoint is called, as with Judge.Named (`IDENTITY`)")
	flags.StringVar(&c.save, "save", "", "write the calibration to a `FILE`, to be committed")
	flags.StringVar(&c.in, "in", "", "the `DIR` of the recordings (default testdata/ragtest)")
	flags.BoolVar(&c.replay, "replay", false, "read recordings only")
	flags.BoolVar(&c.probabilities, "probabilities", false, "ask for those of verdicts, as with Judge.Probabilities")
	flags.BoolVar(&c.perClaim, "per-claim", false, "check each claim in a request of its own, as with Judge.PerClaim")
	flags.BoolVar(&c.plainJSON, "plain-json", false, "for a server without JSON schemas, as with Judge.PlainJSON")
	flags.BoolVar(&c.reasoning, "reasoning", false, "for a model that thinks first, as with Judge.Reasoning")
	flags.Float64Var(&c.kappaAbove, "kappa-above", 0, "what the lower end of kappa's interval has to exceed (`X`)")
	flags.IntVar(&c.allowUnmeasured, "allow-unmeasured", 0, "how many items (`N`) may be without a verdict")
	return cmd
}

// calibratable are the metrics whose judgments can be labelled, and need no words
// of your own.
var calibratable = []ragtest.Metric{
	ragtest.Faithfulness, ragtest.ContextRecall, ragtest.ContextPrecision, ragtest.ContextUtilization, ragtest.AnswerRelevance,
	ragtest.FactualCorrectness, ragtest.AnswerCorrectness, ragtest.AnswerAccuracy, ragtest.ContextRelevance, ragtest.ResponseGroundedness,
}

func metricNames() (names []string) {
	for _, m := range calibratable {
		names = append(names, m.Name())
	}
	return names
}

func (c calibrating) run(cmd *cobra.Command) (err error) {
	switch {
	case c.labels == "":
		return wrong("calibrate: no labels given: --labels FILE")
	case c.model == "":
		return wrong("calibrate: no model given: --model MODEL, with its date if it has one")
	case c.metric == "":
		return wrong("calibrate: no metric given: --metric, one of %s", strings.Join(metricNames(), ", "))
	case c.allowUnmeasured < 0:
		return wrong("calibrate: --allow-unmeasured is %d, expected at least 0", c.allowUnmeasured)
	}
	var metric ragtest.Metric
	for _, m := range calibratable {
		if m.Name() == c.metric {
			metric = m
		}
	}
	if metric == nil {
		return wrong("calibrate: unknown metric %q, expected one of %s. Metrics of your own are calibrated in a test, with ragtest.Calibrate", c.metric, strings.Join(metricNames(), ", "))
	}
	labelled, err := ragtest.ReadLabelled(c.labels)
	if err != nil {
		return err
	}
	options := cache.Options{Dir: c.in}
	if c.replay {
		options.Mode = cache.Replay
	}
	kept, err := cache.Open(options)
	if err != nil {
		return err
	}
	found, err := c.judge().CachedIn(kept).Calibrate(cmd.Context(), metric, labelled)
	if err = errors.Join(err, kept.Close()); err != nil {
		return err
	}
	for _, warning := range kept.Warnings() {
		fmt.Fprintln(visible{cmd.ErrOrStderr()}, "ragtest: warning:", warning)
	}
	return c.report(cmd, found)
}

func (c calibrating) judge() *ragtest.Judge {
	j := ragtest.OpenAI(c.model)
	if c.name != "" {
		j = j.Named(c.name)
	}
	if c.reasoning {
		j = j.Reasoning()
	}
	if c.plainJSON {
		j = j.PlainJSON()
	}
	if c.perClaim {
		j = j.PerClaim()
	}
	if c.probabilities {
		j = j.Probabilities()
	}
	return j
}

// report prints and saves what was found, and holds it against what is wanted.
func (c calibrating) report(cmd *cobra.Command, found *ragtest.Calibration) error {
	if _, err := found.Agreement(); err != nil {
		if lost := found.Unmeasured(); len(lost) > 0 {
			if c.replay && errors.Is(lost[0].Err, cache.ErrMiss) {
				return fmt.Errorf("%w; the first is %w\nWithout --replay it would be asked and recorded", err, lost[0].Err)
			}
			return fmt.Errorf("%w; the first is %w", err, lost[0].Err)
		}
		return err
	}
	if inJSON(cmd) {
		if err := c.printJSON(cmd, found); err != nil {
			return err
		}
	} else {
		fmt.Fprintln(terminal(cmd), found)
	}
	if c.save != "" {
		if err := found.Save(c.save); err != nil {
			return err
		}
		fmt.Fprintln(cmd.ErrOrStderr(), "ragtest: wrote", c.save)
	}
	if n := len(found.Unmeasured()); n > c.allowUnmeasured {
		fmt.Fprintf(visible{cmd.ErrOrStderr()}, "ragtest: %s not measured, and %d may be; the first is %v\n", count(n, "item"), c.allowUnmeasured, found.Unmeasured()[0].Err)
		return errFound
	}
	if !cmd.Flags().Changed("kappa-above") {
		return nil
	}
	gate := matchers.HaveKappaAbove(c.kappaAbove).AllowUnmeasured(c.allowUnmeasured)
	ok, err := gate.Match(found)
	if err != nil {
		return err
	}
	if !ok {
		a, err := found.Agreement()
		if err != nil {
			return err
		}
		fmt.Fprintf(cmd.ErrOrStderr(), "ragtest: kappa is not above %v at the lower end of its interval: it is %v\n", c.kappaAbove, a.Kappa)
		return errFound
	}
	return nil
}

func (c calibrating) printJSON(cmd *cobra.Command, found *ragtest.Calibration) error {
	a, err := found.Agreement()
	if err != nil {
		return err
	}
	out := struct {
		Calibration *ragtest.Calibration `json:"calibration"`
		N           int                  `json:"n"`
		Statistics  []statistic          `json:"statistics"`
		Divided     int                  `json:"divided"`
		Unmeasured  int                  `json:"unmeasured"`
	}{found, a.N, statisticsOf(a), len(found.Divided()), len(found.Unmeasured())}
	return printJSON(cmd.OutOrStdout(), out)
}
