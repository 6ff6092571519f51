// Ragtest looks after recordings and results: what is not a test.
//
//	ragtest init [DIR]                  begin: TestMain, .gitattributes, a first test
//	ragtest ls [PACKAGE|DIR|FILE...]    what is recorded, by step or by test
//	ragtest show KEY|STEP               one exchange, to read
//	ragtest diff A B                    verdicts that flipped between recordings or revisions
//	ragtest check [PACKAGE|DIR|FILE...] damage, conflicts, orphans, secrets
//	ragtest tidy PACKAGE...             remove what no test needs any more
//	ragtest resolve --keep ours FILE... settle the conflicts of a merge
//	ragtest impact --results FILE       what a change of a prompt or of samples invalidates
//	ragtest diagnose --results FILE     which surface broke, by sample
//	ragtest compare BEFORE NOW          whether scores became worse
//	ragtest calibrate --labels FILE     hold a judge against people
//	ragtest scores --results FILE       the mean of each metric, and by tag
//	ragtest report --results FILE       a page of HTML
//
// Run it with go run github.com/ragomega/ragomega/cmd/ragtest, or as go tool
// ragtest after go get -tool of that path. "ragtest help COMMAND" has flags and
// examples. Flags may be written with one dash or two.
//
// The exit code is 0 if all is well, 1 if the command found what it looks for
// (verdicts that differ, a damaged line, a fault) or if tidy or resolve failed,
// and 2 if the command was not understood or a file could not be read or written.
package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

// The exit codes.
const (
	exitFine  = 0
	exitFound = 1
	exitWrong = 2
)

// errFound ends a command that has said what it found.
var errFound = errors.New("found")

// failedError is the error of a command whose failures are findings.
type failedError struct{ error }

func (e failedError) Unwrap() error { return e.error }

// usageError is a command that was not understood.
type usageError struct{ text string }

func (e usageError) Error() string { return e.text }

func wrong(format string, args ...any) error { return usageError{fmt.Sprintf(format, args...)} }

func run(args []string, stdout, stderr io.Writer) int {
	root := rootCommand()
	root.SetOut(stdout)
	root.SetErr(stderr)
	root.SetArgs(twoDashes(root, args))
	cmd, err := root.ExecuteC()
	stderr = visible{stderr} // errors quote what they read
	var usage usageError
	var failed failedError
	switch {
	case err == nil:
		return exitFine
	case errors.Is(err, errFound):
		return exitFound
	case errors.As(err, &failed):
		fmt.Fprintln(stderr, "ragtest:", err)
		return exitFound
	case errors.As(err, &usage):
		fmt.Fprintf(stderr, "ragtest: %s\n", err)
		if cmd == root {
			fmt.Fprint(stderr, root.UsageString())
		} else {
			fmt.Fprintf(stderr, "usage: %s\nSee: ragtest help %s\n", cmd.UseLine(), cmd.Name())
		}
	default:
		fmt.Fprintln(stderr, "ragtest:", err)
	}
	return exitWrong
}

func rootCommand() *cobra.Command {
	root := &cobra.Command{
		Use:   "ragtest COMMAND",
		Short: "Look after the recordings and results of RAG tests",
		Long: `Ragtest looks after the recordings and results of RAG tests.

Where a command takes PACKAGE, DIR or FILE, give a recording (judge.jsonl), the
folder of a test package or of recordings, an import path, or DIR/... for all
below it, which is the default.

Exit codes: 0 all is well; 1 found what the command looks for (or tidy or resolve
failed); 2 not understood, or a file that cannot be read or written.`,
		SilenceUsage:      true,
		SilenceErrors:     true,
		CompletionOptions: cobra.CompletionOptions{DisableDefaultCmd: true},
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return wrong("no command given")
			}
			text := fmt.Sprintf("unknown command %q", args[0])
			if near := cmd.SuggestionsFor(args[0]); len(near) > 0 {
				text += ", did you mean " + strings.Join(near, " or ") + "?"
			}
			return usageError{text}
		},
		RunE:                       func(*cobra.Command, []string) error { return nil },
		SuggestionsMinimumDistance: 2,
	}
	root.PersistentFlags().Bool("json", false, "print JSON")
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return usageError{err.Error()} })
	root.AddGroup(
		&cobra.Group{ID: "recordings", Title: "Recordings:"},
		&cobra.Group{ID: "results", Title: "Results:"},
		&cobra.Group{ID: "begin", Title: "To begin with:"},
	)
	for group, commands := range map[string][]*cobra.Command{
		"begin":      {initCommand()},
		"recordings": {lsCommand(), showCommand(), diffCommand(), checkCommand(), tidyCommand(), resolveCommand()},
		"results":    {impactCommand(), diagnoseCommand(), compareCommand(), calibrateCommand(), scoresCommand(), reportCommand()},
	} {
		for _, c := range commands {
			c.GroupID = group
			c.DisableFlagsInUseLine = true
			root.AddCommand(c)
		}
	}
	return root
}

// twoDashes gives -keep and the like their second dash: the go command's flags
// are written with one.
func twoDashes(root *cobra.Command, args []string) []string {
	known := map[string]bool{"help": true}
	note := func(f *pflag.Flag) { known[f.Name] = true }
	root.PersistentFlags().VisitAll(note)
	for _, c := range root.Commands() {
		c.Flags().VisitAll(note)
	}
	long := make([]string, len(args))
	for i, a := range args {
		long[i] = a
		if a == "--" {
			copy(long[i:], args[i:])
			break
		}
		if name, _, _ := strings.Cut(strings.TrimPrefix(a, "-"), "="); len(name) > 1 && len(a) > 1 && a[0] == '-' && known[name] {
			long[i] = "-" + a
		}
	}
	return long
}

// atLeast wants so many arguments.
func atLeast(n int, what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) < n {
			return wrong("%s: no %s given", cmd.Name(), what)
		}
		return nil
	}
}

// exactly wants so many arguments.
func exactly(n int, what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) != n {
			return wrong("%s: expected %s, got %d arguments", cmd.Name(), what, len(args))
		}
		return nil
	}
}
