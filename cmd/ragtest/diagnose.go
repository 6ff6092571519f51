package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ragomega/ragomega/cmd/ragtest/internal/measured"
	"github.com/ragomega/ragomega/ragtest"
)

func diagnoseCommand() *cobra.Command {
	var results, tag string
	var t ragtest.Thresholds
	cmd := &cobra.Command{
		Use:   "diagnose --results FILE [--recall X] [--precision X] [--faithfulness X] [--relevance X] [--correctness X]",
		Short: "Which surface of the system broke, by sample",
		Long: `Diagnose says of each sample of the results which surface broke: what was
retrieved, its order, or what was made of it; what shows it, and what to try. A
score is low if it is below its threshold. Thresholds are yours to say, and at least
one is needed; a metric without one is left out, and one that was not measured makes
the diagnosis say so. The rules are those of ragtest.DiagnoseScores: rules of thumb,
and no better than the judge.

Of a sample that was measured several times in a package by one judge the last
measurement counts. Metrics that ask no judge decide nothing: samples that only
those measured are left out, unless there are no others.

Exit codes: 0 every sample was measured, and none is at fault; 1 some are, or there
is not enough to tell; 2 not understood, or not readable.`,
		Example: `  RAGTEST_RESULTS=results.jsonl go test -count=1 ./...
  ragtest diagnose --results results.jsonl --recall 0.8 --faithfulness 0.9
  ragtest diagnose --results results.jsonl --faithfulness 0.9 --tag critical --json`,
		Args: exactly(0, "no arguments but flags"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			for _, x := range []float64{t.ContextRecall, t.ContextPrecision, t.Faithfulness, t.AnswerRelevance, t.AnswerCorrectness} {
				if !(x >= 0 && x <= 1) {
					return wrong("diagnose: a threshold is %v, expected a number from 0 to 1", x)
				}
			}
			if t == (ragtest.Thresholds{}) {
				return wrong("diagnose: no threshold given, expected at least one of --recall, --precision, --faithfulness, --relevance and --correctness, such as 0.8")
			}
			records, err := readResults(cmd, results)
			if err != nil {
				return err
			}
			all, err := diagnoseRecords(records, t, tag)
			if err != nil {
				return err
			}
			return printDiagnoses(cmd, all)
		},
	}
	resultsFlag(cmd, &results, "the measurements")
	flags := cmd.Flags()
	flags.Float64Var(&t.ContextRecall, "recall", 0, "below which context recall is low")
	flags.Float64Var(&t.ContextPrecision, "precision", 0, "below which context precision is low")
	flags.Float64Var(&t.Faithfulness, "faithfulness", 0, "below which faithfulness is low")
	flags.Float64Var(&t.AnswerRelevance, "relevance", 0, "below which answer relevance is low")
	flags.Float64Var(&t.AnswerCorrectness, "correctness", 0, "below which answer correctness is low")
	flags.StringVar(&tag, "tag", "", "only samples with this `TAG`")
	return cmd
}

// diagnosed are the samples of one package by one judge.
type diagnosed struct {
	Package   string
	Judge     string // "" for nobody
	heading   string // what follows the package
	Diagnoses ragtest.Diagnoses
}

// jsonDiagnosis is a diagnosis and whose it is.
type jsonDiagnosis struct {
	Package  string           `json:"package"`
	Judge    string           `json:"judge,omitempty"`
	Sample   string           `json:"sample"`
	Fault    ragtest.Fault    `json:"fault"`
	Also     []ragtest.Fault  `json:"also,omitempty"`
	Quadrant ragtest.Quadrant `json:"quadrant"`
	Evidence []string         `json:"evidence"`
	Lever    string           `json:"lever,omitempty"`
}

func jsonDiagnoses(all []diagnosed) []jsonDiagnosis {
	list := []jsonDiagnosis{}
	for _, d := range all {
		for _, x := range d.Diagnoses {
			list = append(list, jsonDiagnosis{d.Package, d.Judge, x.Sample, x.Fault, x.Also, x.Quadrant, x.Evidence, x.Lever})
		}
	}
	return list
}

func diagnoseRecords(records []ragtest.Record, t ragtest.Thresholds, tag string) ([]diagnosed, error) {
	type of struct {
		pkg, judge string
		trial      int
	}
	groups := measured.Groups(records)
	at := func(i int) of { return of{records[i].Package, groups[i], records[i].Trial} }
	asked := map[of]map[string]bool{} // samples that a judge measured
	for i, r := range records {
		if measured.By(r) == "" {
			continue
		}
		if asked[at(i)] == nil {
			asked[at(i)] = map[string]bool{}
		}
		asked[at(i)][r.Sample] = true
	}
	var order []of
	reports := map[of]*ragtest.Report{}
	tagged := false
	for i, r := range records {
		if tag != "" && !slices.Contains(r.Tags, tag) {
			continue
		}
		tagged = true
		key := at(i)
		if len(asked) > 0 && !asked[key][r.Sample] {
			continue
		}
		if reports[key] == nil {
			order = append(order, key)
			reports[key] = &ragtest.Report{}
		}
		reports[key].Results = append(reports[key].Results, r.Result())
	}
	switch {
	case !tagged:
		return nil, fmt.Errorf("no sample of the results has the tag %q", tag)
	case len(order) == 0:
		return nil, fmt.Errorf("no sample of the results with the tag %q was measured by a judge", tag)
	}
	all := []diagnosed{}
	for _, key := range order {
		d, err := reports[key].Diagnose(t)
		if err != nil {
			return nil, err
		}
		of := diagnosed{key.pkg, key.judge, "", d}
		if key.judge != "" {
			of.heading = " by " + oneLine(key.judge)
		}
		if key.trial > 0 {
			trial := fmt.Sprintf(", trial %d", key.trial)
			of.heading += trial
			of.Judge = strings.TrimPrefix(of.Judge+trial, ", ")
		}
		all = append(all, of)
	}
	slices.SortStableFunc(all, func(a, b diagnosed) int { return cmp.Compare(a.Package, b.Package) })
	return all, nil
}

func printDiagnoses(cmd *cobra.Command, all []diagnosed) error {
	w := terminal(cmd)
	fine := true
	for _, d := range all {
		n := d.Diagnoses.Count()
		fine = fine && n[ragtest.NoFault] == len(d.Diagnoses)
		if inJSON(cmd) {
			continue
		}
		fmt.Fprintf(w, "%s%s\n", d.Package, d.heading)
		for _, x := range d.Diagnoses {
			if x.Fault != ragtest.NoFault {
				fmt.Fprintln(w, x)
			}
		}
		fmt.Fprintf(w, "%s: %d without a fault\n", count(len(d.Diagnoses), "sample"), n[ragtest.NoFault])
	}
	if inJSON(cmd) {
		if err := printJSON(cmd.OutOrStdout(), jsonDiagnoses(all)); err != nil {
			return err
		}
	}
	if !fine {
		return errFound
	}
	return nil
}
