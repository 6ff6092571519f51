package main

import (
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/ragomega/ragomega/ragtest"
)

// readResults reads a file that RAGTEST_RESULTS named. Torn lines are told, and
// the others taken.
func readResults(cmd *cobra.Command, file string) ([]ragtest.Record, error) {
	if file == "" {
		return nil, wrong("%s: no results given: --results FILE, which RAGTEST_RESULTS=FILE go test ./... writes", cmd.Name())
	}
	records, err := ragtest.ReadResults(file)
	if errors.Is(err, ragtest.ErrTorn) {
		fmt.Fprintln(visible{cmd.ErrOrStderr()}, "ragtest: warning:", err)
		err = nil
	}
	if err == nil && len(records) == 0 {
		err = fmt.Errorf("%s has no measurements", file)
	}
	return records, err
}

// resultsFlag is --results of a command.
func resultsFlag(cmd *cobra.Command, file *string, use string) {
	cmd.Flags().StringVar(file, "results", "", use+" (`FILE` that RAGTEST_RESULTS named)")
}

// inTest is where a measurement was made: "./rag TestAnswers/bridge".
func inTest(r ragtest.Record) string {
	if r.Test == "" {
		return r.Package
	}
	return r.Package + " " + r.Test
}

// keysOf are the keys of all exchanges of some records.
func keysOf(records []ragtest.Record) map[string]bool {
	keys := map[string]bool{}
	for _, r := range records {
		for _, x := range r.Exchanges {
			keys[x.Key.String()] = true
		}
	}
	return keys
}

// recordingsFor reads the recordings that args name, for the keys that measurements
// need. There need be none if they need none: nobody was asked.
func recordingsFor(keys map[string]bool, args []string) ([]recording, error) {
	recordings, err := readRecordings(args)
	if len(keys) == 0 && errors.Is(err, errNoRecordings) {
		return nil, nil
	}
	return recordings, err
}

// distinct adds s to a list that does not have it.
func distinct(list []string, s string) []string {
	if slices.Contains(list, s) {
		return list
	}
	return append(list, s)
}
