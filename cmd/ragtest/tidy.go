package main

import (
	"bufio"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ragomega/ragomega/cache"
)

// tidy lets the tests write down what they did not need. They do so only after
// a run of all of them that passed.
func tidy(args []string, stdout, stderr io.Writer) error {
	flags := flag.NewFlagSet("tidy", flag.ContinueOnError)
	if err := parse(flags, args, "package"); err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "ragtest-tidy")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	list := filepath.Join(dir, "unused")

	test := exec.Command("go", append([]string{"test", "-count=1"}, flags.Args()...)...)
	test.Env = append(os.Environ(), "RAGTEST_CACHE="+string(cache.Replay), "RAGTEST_UNUSED="+list)
	test.Stdout, test.Stderr = stderr, stderr
	failed := test.Run()

	unused, err := readUnused(list)
	if err != nil {
		return err
	}
	for _, file := range slices.Sorted(maps.Keys(unused)) {
		n, err := cache.Tidy(file, unused[file])
		if err != nil {
			return err
		}
		fmt.Fprintf(stdout, "%s: %d exchanges removed\n", file, n)
	}
	if failed != nil {
		return fmt.Errorf("packages with failing tests were left as they are: go test: %w", failed)
	}
	return nil
}

// readUnused reads the lines "key file" that test processes wrote.
func readUnused(list string) (map[string][]cache.Key, error) {
	f, err := os.Open(list)
	if os.IsNotExist(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	unused := map[string][]cache.Key{}
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		key, file, ok := strings.Cut(lines.Text(), " ")
		k, err := cache.ParseKey(key)
		if !ok || err != nil {
			return nil, fmt.Errorf("the tests wrote %q where a key and a file were expected", lines.Text())
		}
		unused[file] = append(unused[file], k)
	}
	return unused, lines.Err()
}
