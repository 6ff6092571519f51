package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
)

func diffCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "diff A B | diff REVISION [-- PATH...] | diff REVISION..REVISION [-- PATH...]",
		Short: "Compare recordings: which verdicts flipped, by claim",
		Long: `Diff compares two recordings (files, or folders of them), a revision of git with
the working tree, or two revisions. It tells which exchanges came and went, and which
verdicts flipped: in replies to the same request, and where the request is another,
in those about the same claim. There it says what differs: the prompt, the judge, a
context. A claim is compared only where it is found once on both sides; how many are
not is told. Of a long list of claims a line has only the beginning.

Exit codes: 0 no verdict differs; 1 some do; 2 not understood, or not readable.`,
		Example: `  ragtest diff HEAD
  ragtest diff main..HEAD -- rag
  ragtest diff old/judge.jsonl new/judge.jsonl`,
		Args: func(cmd *cobra.Command, args []string) error {
			n := len(args)
			if dash := cmd.ArgsLenAtDash(); dash >= 0 {
				n = dash
			}
			if n < 1 || n > 2 {
				return wrong("diff: expected two recordings, or one or two revisions, got %d arguments", n)
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			sides, paths := args, []string(nil)
			if dash := cmd.ArgsLenAtDash(); dash >= 0 {
				sides, paths = args[:dash], args[dash:]
			}
			before, after, err := sidesOf(sides, paths)
			if err != nil {
				return err
			}
			d := compareSides(before, after)
			if inJSON(cmd) {
				err = printJSON(cmd.OutOrStdout(), d)
			} else {
				d.print(terminal(cmd))
			}
			if err == nil && len(d.Flips) > 0 {
				return errFound
			}
			return err
		},
	}
}

// side is one of two states that are compared: recordings by their path.
type side map[string]recording

// difference is what became of some recordings.
type difference struct {
	Flips     []flip     `json:"flips"`
	Same      int        `json:"same"`      // verdicts that were found on both sides and agree
	Reworded  []reworded `json:"reworded"`  // replies to the same request without a verdict that flipped
	Ambiguous int        `json:"ambiguous"` // verdicts on a claim that is there more than once
	Added     []exchange `json:"added"`
	Removed   []exchange `json:"removed"`
	Bad       []badLine  `json:"bad,omitempty"`
}

// flip is a claim that was judged otherwise.
type flip struct {
	Step      string   `json:"step"`
	Claim     string   `json:"claim"`
	Before    string   `json:"before"`
	After     string   `json:"after"`
	WhyBefore string   `json:"why_before,omitempty"` // in the judge's words
	WhyAfter  string   `json:"why_after,omitempty"`
	Changed   []string `json:"changed,omitempty"` // what differs in the requests; nothing if they are the same
	KeyBefore string   `json:"key_before"`
	KeyAfter  string   `json:"key_after"`
}

// reworded is a request with another reply that decides the same, or nothing.
type reworded struct {
	Step    string   `json:"step"`
	Key     string   `json:"key"`
	About   string   `json:"about"`
	Added   []string `json:"added,omitempty"` // texts of the reply, such as claims
	Removed []string `json:"removed,omitempty"`
}

func (d difference) print(w io.Writer) {
	for _, f := range d.Flips {
		fmt.Fprintf(w, "%s %s: %s → %s\n", f.Step, f.Claim, f.Before, f.After)
		if len(f.Changed) > 0 {
			fmt.Fprintf(w, "  another request: %s\n", strings.Join(f.Changed, ", "))
		}
		if f.WhyBefore != f.WhyAfter {
			fmt.Fprintf(w, "  was: %s\n  now: %s\n", cut(f.WhyBefore, 300), cut(f.WhyAfter, 300))
		}
	}
	for _, r := range d.Reworded {
		fmt.Fprintf(w, "%s %s: another reply, no verdict of which differs\n", r.Step, cut(r.About, 120))
		for _, t := range r.Removed {
			fmt.Fprintf(w, "  - %s\n", cut(t, 200))
		}
		for _, t := range r.Added {
			fmt.Fprintf(w, "  + %s\n", cut(t, 200))
		}
	}
	printSide(w, "added", d.Added)
	printSide(w, "removed", d.Removed)
	for _, b := range d.Bad {
		fmt.Fprintf(w, "not compared: %s\n", b)
	}
	fmt.Fprintf(w, "%s flipped, %d the same; %s added, %d removed\n", count(len(d.Flips), "verdict"), d.Same, count(len(d.Added), "exchange"), len(d.Removed))
	if d.Ambiguous > 0 {
		fmt.Fprintf(w, "%s not compared, as their claims are there more than once\n", count(d.Ambiguous, "verdict"))
	}
}

func printSide(w io.Writer, what string, list []exchange) {
	if len(list) == 0 {
		return
	}
	t := table(w)
	for _, x := range list {
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\n", what, x.Key[:12], oneLine(x.Step), x.File, cut(x.About, 80))
	}
	_ = t.Flush()
}
