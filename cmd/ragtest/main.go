// Ragtest looks after recordings: what is not a test.
//
//	ragtest resolve -keep ours|theirs|neither FILE...
//	ragtest tidy PACKAGE...
//
// Resolve settles the conflicts that a merge of two branches left in a
// recording, where both had recorded a reply to the same request. Ours is the
// reply of the branch that was merged into, theirs that of the other; neither
// drops both, so that the next run asks again.
//
// Tidy runs all tests of the packages from their recordings, and removes the
// exchanges that none of them needed. It leaves a package alone whose tests
// fail, in which a test is skipped, or whose tests do not end in ragtest.Run.
// Tests that a build tag keeps out are not seen: give the tag with GOFLAGS.
//
// The exit code is 0 if all went well, 1 if something failed, 2 if the command
// was not understood.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
)

const usage = `usage:
  ragtest resolve -keep ours|theirs|neither FILE...   settle the conflicts that a merge left in recordings
  ragtest tidy PACKAGE...                             remove what no test of the packages needs any more
`

func main() {
	err := run(os.Args[1:], os.Stdout, os.Stderr)
	var wrong usageError
	switch {
	case err == nil:
	case errors.As(err, &wrong):
		if wrong.text != "" {
			fmt.Fprintln(os.Stderr, "ragtest:", wrong.text)
		}
		fmt.Fprint(os.Stderr, usage)
		os.Exit(2)
	default:
		fmt.Fprintln(os.Stderr, "ragtest:", err)
		os.Exit(1)
	}
}

type usageError struct{ text string }

func (e usageError) Error() string { return e.text }

func run(args []string, stdout, stderr io.Writer) error {
	if len(args) == 0 {
		return usageError{}
	}
	switch args[0] {
	case "resolve":
		return resolve(args[1:], stdout)
	case "tidy":
		return tidy(args[1:], stdout, stderr)
	case "help", "-h", "-help", "--help":
		fmt.Fprint(stdout, usage)
		return nil
	}
	return usageError{fmt.Sprintf("unknown command %q", args[0])}
}

// parse reads the flags of a command, and leaves at least one argument.
func parse(flags *flag.FlagSet, args []string, want string) error {
	flags.SetOutput(io.Discard)
	if err := flags.Parse(args); err != nil {
		return usageError{flags.Name() + ": " + err.Error()}
	}
	if flags.NArg() == 0 {
		return usageError{flags.Name() + ": no " + want + " given"}
	}
	return nil
}
