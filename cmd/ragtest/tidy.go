package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ragomega/ragomega/cache"
)

func tidyCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "tidy PACKAGE...",
		Short: "Remove what no test of the packages needs any more",
		Long: `Tidy runs all tests of the packages from their recordings, and removes the
exchanges that none of them needed. It leaves a package alone whose tests fail, in
which a test is skipped, or whose tests do not end in ragtest.Run. Tests that a
build tag keeps out are not seen: give the tag with GOFLAGS.

Exit codes: 0 done; 1 tests failed, or a recording could not be written; 2 not
understood.`,
		Example: `  ragtest tidy ./...
  GOFLAGS=-tags=integration ragtest tidy ./rag`,
		Args: atLeast(1, "package"),
		RunE: func(cmd *cobra.Command, packages []string) error {
			if err := tidy(cmd, packages); err != nil {
				return failedError{err}
			}
			return nil
		},
	}
}

// tidied is what became of a package.
type tidied struct {
	Package string `json:"package"`
	Removed int    `json:"removed"`
	Left    string `json:"left,omitempty"` // why it was left as it is
}

func (t tidied) String() string {
	if t.Left != "" {
		return t.Package + ": left as it is" + t.Left
	}
	return fmt.Sprintf("%s: %d exchanges removed", t.Package, t.Removed)
}

// tidy lets the tests write down what they did not need. They do so only after
// a run of all of them that passed; a package in which one was skipped is left
// alone, too, as that one may need what the others do not.
func tidy(cmd *cobra.Command, args []string) error {
	stdout, stderr := cmd.OutOrStdout(), cmd.ErrOrStderr()
	packages, err := listPackages(args, stderr)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "ragtest-tidy")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	list := filepath.Join(dir, "unused")
	skipped, failed := runTests(args, list, stderr)
	unused, err := readUnused(list)
	if err != nil {
		return err
	}
	all := []tidied{}
	for _, p := range packages {
		t, ok, err := tidyPackage(p, skipped[p.ImportPath], unused)
		if err != nil {
			return err
		}
		if !ok {
			continue
		}
		all = append(all, t)
		if !inJSON(cmd) {
			fmt.Fprintln(stdout, t)
		}
	}
	if inJSON(cmd) {
		if err := printJSON(stdout, all); err != nil {
			return err
		}
	}
	if failed != nil {
		return fmt.Errorf("go test: %w", failed)
	}
	return nil
}

// tidyPackage removes what is unused, if p has recordings.
func tidyPackage(p goPackage, skipped string, unused map[string][]cache.Key) (t tidied, ok bool, err error) {
	t.Package = p.ImportPath
	recordings := filepath.Join(p.Dir, "testdata", "ragtest")
	files, _ := filepath.Glob(filepath.Join(recordings, "*.jsonl"))
	keys, told := unused[recordings]
	switch {
	case len(files) == 0:
		return t, false, nil
	case skipped != "":
		t.Left = ", as " + skipped + " was skipped"
	case !told:
		t.Left = ": its tests failed, or do not end in ragtest.Run, which tells what they need"
	default:
		for _, f := range files {
			n, err := cache.Tidy(f, keys)
			if err != nil {
				return t, false, err
			}
			t.Removed += n
		}
	}
	return t, true, nil
}

type goPackage struct{ ImportPath, Dir string }

func listPackages(args []string, stderr io.Writer) ([]goPackage, error) {
	cmd := exec.Command("go", append([]string{"list", "-json=ImportPath,Dir"}, args...)...)
	cmd.Stderr = stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w", err)
	}
	var packages []goPackage
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var p goPackage
		switch err := dec.Decode(&p); err {
		case nil:
			packages = append(packages, p)
		case io.EOF:
			return packages, nil
		default:
			return nil, fmt.Errorf("go list: %w", err)
		}
	}
}

// runTests runs all tests from their recordings, and returns by package a test
// that was skipped.
func runTests(args []string, list string, stderr io.Writer) (skipped map[string]string, failed error) {
	test := exec.Command("go", append([]string{"test", "-json", "-count=1"}, args...)...)
	test.Env = append(os.Environ(), "RAGTEST_CACHE="+string(cache.Replay), "RAGTEST_UNUSED="+list)
	test.Stderr = stderr
	out, failed := test.Output()
	skipped = map[string]string{}
	for line := range bytes.Lines(out) {
		var event struct{ Action, Package, Test, Output string }
		if json.Unmarshal(line, &event) != nil {
			continue
		}
		if event.Action == "skip" && event.Test != "" {
			skipped[event.Package] = event.Test
		}
		if event.Action == "output" && failed != nil {
			fmt.Fprint(stderr, event.Output)
		}
	}
	return skipped, failed
}

// readUnused reads what test processes wrote: a line "- folder" for each of
// them, and after it the lines "key file" of what it did not need.
func readUnused(list string) (map[string][]cache.Key, error) {
	text, err := os.ReadFile(list)
	if os.IsNotExist(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	unused := map[string][]cache.Key{}
	for line := range strings.Lines(string(text)) {
		key, path, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		if key == "-" {
			unused[path] = append([]cache.Key{}, unused[path]...)
			continue
		}
		k, err := cache.ParseKey(key)
		if err != nil {
			return nil, fmt.Errorf("the tests wrote %q where a key and a file were expected", line)
		}
		dir := filepath.Dir(path)
		unused[dir] = append(unused[dir], k)
	}
	return unused, nil
}
