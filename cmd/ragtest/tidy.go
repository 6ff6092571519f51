package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/ragomega/ragomega/cache"
)

// tidy lets the tests write down what they did not need. They do so only after
// a run of all of them that passed; a package in which one was skipped is left
// alone, too, as that one may need what the others do not.
func tidy(args []string, stdout, stderr io.Writer) error {
	flags := flag.NewFlagSet("tidy", flag.ContinueOnError)
	if err := parse(flags, args, "package"); err != nil {
		return err
	}
	packages, err := listPackages(flags.Args(), stderr)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "ragtest-tidy")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	list := filepath.Join(dir, "unused")
	skipped, failed := runTests(flags.Args(), list, stderr)
	unused, err := readUnused(list)
	if err != nil {
		return err
	}
	for _, p := range packages {
		recordings := filepath.Join(p.Dir, "testdata", "ragtest")
		files, _ := filepath.Glob(filepath.Join(recordings, "*.jsonl"))
		keys, told := unused[recordings]
		switch {
		case len(files) == 0:
		case skipped[p.ImportPath] != "":
			fmt.Fprintf(stdout, "%s: left as it is, as %s was skipped\n", p.ImportPath, skipped[p.ImportPath])
		case !told:
			fmt.Fprintf(stdout, "%s: left as it is: its tests failed, or do not end in ragtest.Run, which tells what they need\n", p.ImportPath)
		default:
			removed := 0
			for _, f := range files {
				n, err := cache.Tidy(f, keys)
				if err != nil {
					return err
				}
				removed += n
			}
			fmt.Fprintf(stdout, "%s: %d exchanges removed\n", p.ImportPath, removed)
		}
	}
	if failed != nil {
		return fmt.Errorf("go test: %w", failed)
	}
	return nil
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
