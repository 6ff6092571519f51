package main

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ragomega/ragomega/ragtest"
)

func lsCommand() *cobra.Command {
	var results string
	cmd := &cobra.Command{
		Use:   "ls [PACKAGE|DIR|FILE...]",
		Short: "List what is recorded, by step or by test",
		Long: `Ls counts the exchanges of recordings and the tokens that they cost, by step. With
a file of results it counts those of each test and sample instead: an exchange that
several need counts for each of them, and once in the last line.

Embeddings and the calls of the application do not tell what they cost.

Exit codes: 0 listed; 1 a line cannot be used, or with --results an exchange of a
measurement is not recorded; 2 not understood, nothing there, or not readable.`,
		Example: `  ragtest ls
  ragtest ls ./rag testdata/ragtest/judge.jsonl
  RAGTEST_RESULTS=results.jsonl go test -count=1 ./... && ragtest ls --results results.jsonl`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if cmd.Flags().Changed("results") {
				records, err := readResults(cmd, results)
				if err != nil {
					return err
				}
				recordings, err := recordingsFor(keysOf(records), args)
				if err != nil {
					return err
				}
				return listTests(cmd, recordings, records)
			}
			recordings, err := readRecordings(args)
			if err != nil {
				return err
			}
			return listSteps(cmd, recordings)
		},
	}
	resultsFlag(cmd, &results, "list by test and sample")
	return cmd
}

// listed is what a recording has of a step.
type listed struct {
	Step      string   `json:"step"`
	Exchanges int      `json:"exchanges"`
	Tokens    tokens   `json:"tokens"`
	By        []string `json:"by"` // models and who serves them
}

type listedRecording struct {
	File  string    `json:"file"`
	Steps []listed  `json:"steps"`
	Bad   []badLine `json:"bad,omitempty"`
}

func listSteps(cmd *cobra.Command, recordings []recording) error {
	all := []listedRecording{}
	bad := 0
	for _, r := range recordings {
		all = append(all, listedRecording{r.file, stepsOf(r.exchanges), r.bad})
		bad += len(r.bad)
	}
	if inJSON(cmd) {
		if err := printJSON(cmd.OutOrStdout(), all); err != nil {
			return err
		}
	} else {
		printSteps(terminal(cmd), all)
	}
	if bad > 0 {
		return errFound
	}
	return nil
}

func stepsOf(exchanges []exchange) []listed {
	steps := []listed{}
	for _, x := range exchanges {
		i := slices.IndexFunc(steps, func(l listed) bool { return l.Step == x.Step })
		if i < 0 {
			i = len(steps)
			steps = append(steps, listed{Step: x.Step})
		}
		l := &steps[i]
		l.Exchanges++
		t := x.tokens()
		l.Tokens.In, l.Tokens.Out = l.Tokens.In+t.In, l.Tokens.Out+t.Out
		l.By = distinct(l.By, x.judge())
	}
	for i := range steps {
		slices.Sort(steps[i].By)
	}
	slices.SortFunc(steps, func(a, b listed) int { return strings.Compare(a.Step, b.Step) })
	return steps
}

// judge is who answered: the model and who serves it.
func (x exchange) judge() string {
	if m := x.Parts["model"]; m != "" {
		return m + " at " + x.Identity
	}
	return x.Identity
}

func printSteps(w io.Writer, all []listedRecording) {
	var sum listed
	for _, r := range all {
		fmt.Fprintln(w, r.File)
		t := table(w)
		fmt.Fprintln(t, "  step\texchanges\ttokens in\tout\tby")
		for _, l := range r.Steps {
			fmt.Fprintf(t, "  %s\t%d\t%d\t%d\t%s\n", oneLine(l.Step), l.Exchanges, l.Tokens.In, l.Tokens.Out, oneLine(strings.Join(l.By, ", ")))
			sum.Exchanges += l.Exchanges
			sum.Tokens.In, sum.Tokens.Out = sum.Tokens.In+l.Tokens.In, sum.Tokens.Out+l.Tokens.Out
		}
		_ = t.Flush()
		for _, b := range r.Bad {
			fmt.Fprintf(w, "  line %d %s\n", b.Line, b.Why)
		}
	}
	fmt.Fprintf(w, "%s, %v\n", count(sum.Exchanges, "exchange"), sum.Tokens)
}

// listedTest is what one test needs for one sample.
type listedTest struct {
	Package   string   `json:"package"`
	Test      string   `json:"test,omitempty"`
	Sample    string   `json:"sample"`
	Metrics   []string `json:"metrics"`
	Exchanges int      `json:"exchanges"`
	Tokens    tokens   `json:"tokens"`

	keys map[string]bool
}

func listTests(cmd *cobra.Command, recordings []recording, records []ragtest.Record) error {
	recorded := map[string]bool{}
	n := 0
	for _, r := range recordings {
		for _, x := range r.exchanges {
			recorded[x.Key] = true
			if stepName(x.Step) != "embed" && !strings.Contains(x.Step, " /") {
				n++
			}
		}
	}
	var out struct {
		Tests    []listedTest `json:"tests"`
		Needed   int          `json:"needed"`   // different exchanges
		Missing  []string     `json:"missing"`  // keys that are not recorded
		Recorded int          `json:"recorded"` // exchanges of judges
	}
	out.Tests, out.Missing, out.Recorded = byTest(records), []string{}, n
	for key := range keysOf(records) {
		out.Needed++
		if !recorded[key] {
			out.Missing = append(out.Missing, key)
		}
	}
	slices.Sort(out.Missing)
	if inJSON(cmd) {
		if err := printJSON(cmd.OutOrStdout(), out); err != nil {
			return err
		}
	} else {
		w := terminal(cmd)
		t := table(w)
		fmt.Fprintln(t, "test\tsample\tmetrics\texchanges\ttokens in\tout")
		for _, l := range out.Tests {
			fmt.Fprintf(t, "%s\t%s\t%s\t%d\t%d\t%d\n", strings.TrimSpace(l.Package+" "+l.Test), cut(l.Sample, 40), oneLine(strings.Join(l.Metrics, ", ")), l.Exchanges, l.Tokens.In, l.Tokens.Out)
		}
		_ = t.Flush()
		if out.Needed+out.Recorded == 0 {
			fmt.Fprintln(w, "no measurement needs an exchange, and none is recorded")
		} else {
			fmt.Fprintf(w, "%d different exchanges are needed by measurements; %s of judges recorded\n", out.Needed, count(out.Recorded, "exchange"))
		}
		for _, key := range out.Missing {
			fmt.Fprintf(w, "not recorded: %s\n", key)
		}
	}
	if len(out.Missing) > 0 {
		return errFound
	}
	return nil
}

// byTest adds up the measurements of each test and sample.
func byTest(records []ragtest.Record) []listedTest {
	all := []listedTest{}
	for _, r := range records {
		i := slices.IndexFunc(all, func(l listedTest) bool {
			return l.Package == r.Package && l.Test == r.Test && l.Sample == r.Sample
		})
		if i < 0 {
			i = len(all)
			all = append(all, listedTest{Package: r.Package, Test: r.Test, Sample: r.Sample, keys: map[string]bool{}})
		}
		l := &all[i]
		l.Metrics = distinct(l.Metrics, r.Metric)
		for _, x := range r.Exchanges {
			if key := x.Key.String(); !l.keys[key] {
				l.keys[key] = true
				l.Exchanges++
				l.Tokens.In, l.Tokens.Out = l.Tokens.In+x.Tokens.In, l.Tokens.Out+x.Tokens.Out
			}
		}
	}
	slices.SortStableFunc(all, func(a, b listedTest) int {
		return cmp.Or(strings.Compare(a.Package, b.Package), strings.Compare(a.Test, b.Test))
	})
	return all
}
