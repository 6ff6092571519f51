package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

func showCommand() *cobra.Command {
	var every bool
	cmd := &cobra.Command{
		Use:   "show KEY|STEP [PACKAGE|DIR|FILE...]",
		Short: "Show an exchange: what was asked about, and what was answered",
		Long: `Show prints the exchange whose key begins with KEY, or those of a STEP: "verify",
"verify/v2". If there are several, it lists them; --all shows them all. JSON has
them all anyway.

Exit codes: 0 shown or listed; 1 there is none; 2 not understood, no recording, or
not readable.`,
		Example: `  ragtest show 01ea3480
  ragtest show verify ./rag
  ragtest show --all useful/v1`,
		Args: atLeast(1, "key or step"),
		RunE: func(cmd *cobra.Command, args []string) error {
			recordings, err := readRecordings(args[1:])
			if err != nil {
				return err
			}
			found := matching(recordings, args[0])
			w := terminal(cmd)
			switch {
			case inJSON(cmd):
				if err := printJSON(cmd.OutOrStdout(), found); err != nil {
					return err
				}
			case len(found) == 1 || every || sameExchange(found):
				for i, x := range found {
					if i > 0 && !every {
						fmt.Fprintf(w, "  also in: %s:%d\n", x.File, x.Line)
						continue
					}
					if i > 0 {
						fmt.Fprintln(w)
					}
					printExchange(w, x)
				}
			case len(found) > 1:
				printList(w, found)
			}
			if len(found) == 0 {
				fmt.Fprintf(cmd.ErrOrStderr(), "ragtest: no exchange has a key that begins with %q, or is of a step of that name; ragtest ls lists the steps\n", args[0])
				return errFound
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&every, "all", false, "show all that match")
	return cmd
}

// matching returns the exchanges of a step, or whose keys begin with a prefix.
func matching(recordings []recording, what string) []exchange {
	found := []exchange{}
	prefix := strings.ToLower(what)
	for _, r := range recordings {
		for _, x := range r.exchanges {
			if x.isOf(what) || strings.HasPrefix(x.Key, prefix) {
				found = append(found, x)
			}
		}
	}
	return found
}

// isOf reports whether x is of a step that is named with its version or without:
// "verify/v2" is also "verify/v2 (own)".
func (x exchange) isOf(step string) bool { return isStep(x.Step, step) }

func isStep(step, named string) bool {
	return step == named || step == named+" (own)" || stepName(step) == named
}

// sameExchange reports whether several recordings have one exchange.
func sameExchange(found []exchange) bool {
	return len(found) > 0 && !slices.ContainsFunc(found, func(x exchange) bool {
		return x.Key != found[0].Key || !bytes.Equal(x.Reply, found[0].Reply)
	})
}

func printList(w io.Writer, found []exchange) {
	t := table(w)
	for _, x := range found {
		fmt.Fprintf(t, "%s\t%s\t%s:%d\t%s\n", x.Key[:12], oneLine(x.Step), x.File, x.Line, cut(x.About, 80))
	}
	_ = t.Flush()
	fmt.Fprintf(w, "%d match; give more of a key, or --all\n", len(found))
}

func printExchange(w io.Writer, x exchange) {
	fmt.Fprintf(w, "%s  %s\n  in:      %s:%d\n  by:      %s\n", x.Key, x.Step, x.File, x.Line, x.judge())
	if x.Trial != 0 {
		fmt.Fprintf(w, "  trial:   %d\n", x.Trial)
	}
	fmt.Fprintf(w, "  about:   %s\n", indented(x.About, 11))
	if len(x.Served) > 0 {
		fmt.Fprintf(w, "  served:  %s\n", x.Served)
	}
	if len(x.Parts) > 0 {
		var parts []string
		for _, name := range slices.SortedFunc(maps.Keys(x.Parts), byNumber) {
			parts = append(parts, name+" "+x.Parts[name])
		}
		fmt.Fprintf(w, "  parts:   %s\n", strings.Join(parts, ", "))
	}
	fmt.Fprintf(w, "  request: %s\n", x.Request)
	if verdicts := x.verdicts(); len(verdicts) > 0 {
		fmt.Fprintln(w, "  verdicts:")
		for _, v := range verdicts {
			fmt.Fprintf(w, "    %s", v.Value)
			if v.P > 0 {
				fmt.Fprintf(w, " (P %.3f)", v.P)
			}
			fmt.Fprintf(w, ": %s\n", indented(v.Claim, 6))
			if v.Reason != "" {
				fmt.Fprintf(w, "      %s\n", indented(v.Reason, 6))
			}
		}
	}
	fmt.Fprintf(w, "  reply:\n    %s\n", pretty(x.Reply, "    "))
}

// indented puts the further lines of a text under its first.
func indented(text string, by int) string {
	return strings.ReplaceAll(strings.TrimRight(text, "\n"), "\n", "\n"+strings.Repeat(" ", by))
}

// packed is a vector or another text that nobody reads.
var packed = regexp.MustCompile(`"[A-Za-z0-9+/=]{200,}"`)

// pretty writes JSON on several lines. Vectors are cut.
func pretty(reply json.RawMessage, prefix string) string {
	var b bytes.Buffer
	if json.Indent(&b, reply, prefix, "  ") != nil {
		return string(reply)
	}
	return packed.ReplaceAllStringFunc(b.String(), func(s string) string {
		return fmt.Sprintf(`%s…" (%d characters)`, s[:40], len(s)-2)
	})
}
