package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ragomega/ragomega/ragtest"

	"github.com/ragomega/ragomega/cache"
)

func impactCommand() *cobra.Command {
	var results, root, old string
	var prompts, samples []string
	cmd := &cobra.Command{
		Use:   "impact --results FILE (--prompt STEP=FILE | --sample NAME | --changed-samples OLD NEW)",
		Short: "What a change invalidates, and what it costs to record it again",
		Long: `Impact tells which tests, samples and steps have to be asked for again if a prompt
or samples change, before anything is asked. It goes by a file of results, which has
the exchanges of each measurement, and by the recordings, which have digests of what
each request was made of.

  --prompt verify=new.txt          the prompt of a step gets the text of a file
  --sample student-discount        a sample changes, in what is not said
  --changed-samples old.jsonl new.jsonl
                                   the samples of a file change

"At least" is what the change is certain to invalidate: requests that contain the
prompt or a text that is gone. "At most" adds what may follow: later steps of the
same measurements, which are asked anew only if the replies before them change, and
requests of which it is not known what they were made of. What it cannot know: how
many claims a new reply will have, and so how much is asked about them; what other
prompts cost in tokens; embeddings and the application's calls, which are in no
results; tests that the results do not have. Tokens are those of the recorded
replies. RAGTEST_CACHE=plan asks the tests themselves.

Exit codes: 0 nothing is invalidated; 1 something is or may be; 2 not understood, or
not readable.`,
		Example: `  RAGTEST_RESULTS=results.jsonl go test -count=1 ./...
  ragtest impact --results results.jsonl --prompt verify=prompts/strict.txt
  ragtest impact --results results.jsonl --sample student-discount --json
  git show HEAD:testdata/samples.jsonl > old.jsonl
  ragtest impact --results results.jsonl --changed-samples old.jsonl testdata/samples.jsonl`,
		RunE: func(cmd *cobra.Command, args []string) error {
			given := 0
			for _, yes := range []bool{len(prompts) > 0, len(samples) > 0, old != ""} {
				if yes {
					given++
				}
			}
			switch {
			case given != 1:
				return wrong("impact: say what changes: one of --prompt STEP=FILE, --sample NAME and --changed-samples OLD NEW")
			case old == "" && len(args) > 0, old != "" && len(args) != 1:
				return wrong("impact: --changed-samples takes two files, the old one and the new one; nothing else takes arguments")
			}
			for _, p := range prompts {
				if step, file, _ := strings.Cut(p, "="); step == "" || file == "" {
					return wrong("impact: --prompt is %q, expected STEP=FILE such as verify=prompts/strict.txt", p)
				}
			}
			records, err := readResults(cmd, results)
			if err != nil {
				return err
			}
			recorded, warnings := recordedBy(root, records)
			var c change
			switch {
			case len(prompts) > 0:
				c, err = promptChange(prompts, records, recorded)
			case len(samples) > 0:
				c, err = namedChange(samples, records)
			default:
				c, err = samplesChange(old, args[0], records, recorded)
			}
			if err != nil {
				return err
			}
			i := weighImpact(records, c)
			i.Unknown = append(c.unknown, warnings...)
			if inJSON(cmd) {
				err = printJSON(cmd.OutOrStdout(), i)
			} else {
				i.print(terminal(cmd))
			}
			if err == nil && (len(i.Measurements) > 0 || len(i.New) > 0) {
				return errFound
			}
			return err
		},
	}
	resultsFlag(cmd, &results, "the measurements")
	cmd.Flags().StringVar(&root, "root", "", "the `DIR` of the module that the results are of (default: that of the go.mod above)")
	cmd.Flags().StringArrayVar(&prompts, "prompt", nil, "`STEP=FILE`: a step, with its version or without, and the file of its new text; may be repeated")
	cmd.Flags().StringArrayVar(&samples, "sample", nil, "the `NAME` of a sample that changes; may be repeated")
	cmd.Flags().StringVar(&old, "changed-samples", "", "the `OLD` file of samples; the new one is the argument")
	return cmd
}

// recordedBy reads the recordings of the packages that were measured, by key. What
// cannot be read is told, as the rest can be said without it.
func recordedBy(root string, records []ragtest.Record) (recorded map[string]exchange, warnings []string) {
	if root == "" {
		root = moduleRoot()
	}
	recorded = map[string]exchange{}
	var packages []string
	for _, r := range records {
		if len(r.Exchanges) > 0 {
			packages = distinct(packages, r.Package)
		}
	}
	for _, p := range packages {
		dir := filepath.Join(root, filepath.FromSlash(p), "testdata", "ragtest")
		recordings, err := readRecordings([]string{dir})
		if err != nil {
			warnings = append(warnings, fmt.Sprintf("what the requests of %s were made of: there are no recordings in %s; give the module with --root", p, dir))
			continue
		}
		for _, r := range recordings {
			for _, x := range r.exchanges {
				recorded[x.Key] = x
			}
		}
	}
	return recorded, warnings
}

// moduleRoot is the folder of the go.mod above, or the one that the command runs in.
func moduleRoot() string {
	dir, err := os.Getwd()
	if err != nil {
		return "."
	}
	for at := dir; ; at = filepath.Dir(at) {
		if _, err := os.Stat(filepath.Join(at, "go.mod")); err == nil {
			return at
		}
		if at == filepath.Dir(at) {
			return dir
		}
	}
}

// effect is what a change does to a request.
type effect int

const (
	none effect = iota
	may
	certain
)

// change is something that changes, by what it does to each request.
type change struct {
	what    []string // in words
	of      func(ragtest.Record, ragtest.Exchange) effect
	new     []string // samples that nothing is known of
	unknown []string // what cannot be told
}

// promptChange is that of the prompts of steps, each given as STEP=FILE. Where a
// recording has that text already, nothing changes.
func promptChange(prompts []string, records []ragtest.Record, recorded map[string]exchange) (change, error) {
	type prompt struct{ step, digest string }
	var c change
	var all []prompt
	var steps []string
	for _, r := range records {
		for _, x := range r.Exchanges {
			steps = distinct(steps, x.Step)
		}
	}
	for _, p := range prompts {
		step, file, _ := strings.Cut(p, "=")
		text, err := os.ReadFile(file)
		if err != nil {
			return c, fmt.Errorf("the prompt cannot be read: %w", err)
		}
		known := false
		for _, s := range steps {
			known = known || isStep(s, step)
		}
		if len(steps) == 0 {
			return c, errors.New("no measurement of the results has a step, as nobody was asked: prompts change none of them")
		}
		if !known {
			return c, fmt.Errorf("no measurement of the results has a step %q, expected one of %s", step, strings.Join(steps, ", "))
		}
		d := cache.TextDigest(strings.TrimSpace(strings.ReplaceAll(string(text), "\r\n", "\n")))
		all = append(all, prompt{step, d})
		c.what = append(c.what, fmt.Sprintf("the prompt of %s, to %s of %s", step, d, file))
	}
	c.of = func(_ ragtest.Record, x ragtest.Exchange) effect {
		for _, p := range all {
			if isStep(x.Step, p.step) && recorded[x.Key.String()].Parts["prompt"] != p.digest {
				return certain
			}
		}
		return none
	}
	return c, nil
}

// namedChange is that of samples in what is not said.
func namedChange(names []string, records []ragtest.Record) (change, error) {
	c := change{unknown: []string{"which texts of the samples change: every request about them may stay as it is"}}
	all := map[string]bool{}
	for _, name := range names {
		known := false
		for _, r := range records {
			known = known || r.Sample == name
		}
		if !known {
			return c, fmt.Errorf("no measurement of the results is of a sample %q; ragtest ls --results lists them", name)
		}
		all[name] = true
		c.what = append(c.what, fmt.Sprintf("sample %q", name))
	}
	c.of = func(r ragtest.Record, _ ragtest.Exchange) effect {
		if all[r.Sample] {
			return may
		}
		return none
	}
	return c, nil
}
