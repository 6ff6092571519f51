package main

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

func checkCommand() *cobra.Command {
	var results string
	var emails bool
	cmd := &cobra.Command{
		Use:   "check [PACKAGE|DIR|FILE...]",
		Short: "Check recordings: damage, conflicts, orphans, secrets",
		Long: `Check reads every line of recordings, and needs no tests to be run:

  damage     a line that is torn or was changed: its checksum, its key, its request
  conflict   two replies to one request, as a merge leaves them (see resolve)
  secret     what looks like an API key, a token or a private key; with --emails
             also addresses
  orphan     with --results: an exchange of a judge that no measurement of the
             results needs. Calibrations are in no results, and neither are
             measurements of tests that were not run; tidy is surer.

Exit codes: 0 nothing found; 1 something was; 2 not understood, nothing there, or
not readable.`,
		Example: `  ragtest check
  ragtest check --emails ./rag
  ragtest check --json ./... | jq '.[].kind'`,
		RunE: func(cmd *cobra.Command, args []string) error {
			read := readRecordings
			var needed map[string]bool
			if cmd.Flags().Changed("results") {
				records, err := readResults(cmd, results)
				if err != nil {
					return err
				}
				needed = keysOf(records)
				read = func(args []string) ([]recording, error) { return recordingsFor(needed, args) }
			}
			recordings, err := read(args)
			if err != nil {
				return err
			}
			faults, lines := []fault{}, 0
			for _, r := range recordings {
				faults = append(faults, checkRecording(r, needed, emails)...)
				lines += len(r.exchanges) + len(r.bad)
			}
			w := terminal(cmd)
			if inJSON(cmd) {
				if err := printJSON(cmd.OutOrStdout(), faults); err != nil {
					return err
				}
			} else {
				for _, f := range faults {
					fmt.Fprintln(w, f)
				}
				fmt.Fprintf(w, "%s in %s: %s\n", count(lines, "line"), count(len(recordings), "recording"), countFaults(faults))
			}
			if len(faults) > 0 {
				return errFound
			}
			return nil
		},
	}
	resultsFlag(cmd, &results, "look for orphans")
	cmd.Flags().BoolVar(&emails, "emails", false, "take addresses for secrets, too")
	return cmd
}

// fault is something that is wrong with a line.
type fault struct {
	File string `json:"file"`
	Line int    `json:"line"`
	Kind string `json:"kind"` // "damage", "conflict", "orphan" or "secret"
	Key  string `json:"key,omitempty"`
	Why  string `json:"why"`
}

func (f fault) String() string { return fmt.Sprintf("%s:%d %s: %s", f.File, f.Line, f.Kind, f.Why) }

func countFaults(faults []fault) string {
	if len(faults) == 0 {
		return "nothing found"
	}
	var found []string
	for _, kind := range []string{"damage", "conflict", "orphan", "secret"} {
		n := 0
		for _, f := range faults {
			if f.Kind == kind {
				n++
			}
		}
		if n > 0 {
			found = append(found, fmt.Sprintf("%s %d", kind, n))
		}
	}
	return strings.Join(found, ", ")
}

// checkRecording returns the faults of a recording in the order of its lines.
// needed are the keys of measurements, nil if they are not known.
func checkRecording(r recording, needed map[string]bool, emails bool) (faults []fault) {
	for _, b := range r.bad {
		faults = append(faults, fault{File: r.file, Line: b.Line, Kind: "damage", Why: b.Why})
	}
	for _, c := range conflictsOf(r) {
		faults = append(faults, fault{r.file, c.Lines[1], "conflict", c.Key, c.String()})
	}
	for _, x := range r.exchanges {
		if needed != nil && !needed[x.Key] && !x.isVector() && !strings.Contains(x.Step, " /") {
			faults = append(faults, fault{r.file, x.Line, "orphan", x.Key, fmt.Sprintf("no measurement needs this reply to %s about %s", x.Step, cut(x.About, 80))})
		}
		for _, s := range secretsIn(x, emails) {
			faults = append(faults, fault{r.file, x.Line, "secret", x.Key, s})
		}
	}
	slices.SortStableFunc(faults, func(a, b fault) int { return cmp.Compare(a.Line, b.Line) })
	return faults
}

// conflict is a key with two replies.
type conflict struct {
	Key   string
	Lines [2]int
}

func (c conflict) String() string {
	return fmt.Sprintf("lines %d and %d have different replies to one request, key %s; ragtest resolve settles it", c.Lines[0], c.Lines[1], c.Key)
}

// conflictsOf finds the keys with replies that are not the same. Vectors that
// differ by rounding are.
func conflictsOf(r recording) (conflicts []conflict) {
	first := map[string]exchange{}
	for _, x := range r.exchanges {
		o, ok := first[x.Key]
		switch {
		case !ok:
			first[x.Key] = x
		case bytes.Equal(o.Reply, x.Reply), x.isVector() && sameVector(o.Reply, x.Reply):
		default:
			conflicts = append(conflicts, conflict{x.Key, [2]int{o.Line, x.Line}})
		}
	}
	return conflicts
}

// sameVector reports whether two vectors differ by no more than rounding, which is
// what the library takes for the same.
func sameVector(a, b json.RawMessage) bool {
	x, okX := vectorOf(a)
	y, okY := vectorOf(b)
	if !okX || !okY || len(x) != len(y) {
		return false
	}
	var square, distance float64
	for i := range x {
		d := x[i] - y[i]
		square += float64(x[i] * x[i])
		distance += float64(d * d)
	}
	return distance <= 1e-10*square
}

// vectorOf reads a vector as it is recorded: float32s, little-endian, in base64.
func vectorOf(reply json.RawMessage) (v []float64, ok bool) {
	var text string
	if json.Unmarshal(reply, &text) != nil {
		return nil, false
	}
	raw, err := base64.StdEncoding.DecodeString(text)
	if err != nil || len(raw)%4 != 0 {
		return nil, false
	}
	for at := 0; at < len(raw); at += 4 {
		v = append(v, float64(math.Float32frombits(binary.LittleEndian.Uint32(raw[at:]))))
	}
	return v, true
}
