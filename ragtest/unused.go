package ragtest

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/ragomega/ragomega/cache"
)

// countUnused returns how many recorded exchanges no test needed. Where
// RAGTEST_UNUSED names a file, it appends the folder of the recordings and then
// their keys, for ragtest tidy.
func countUnused(c *cache.Cache) (int, error) {
	unused, err := c.Unused()
	if err != nil {
		return 0, err
	}
	n := 0
	var list strings.Builder
	fmt.Fprintf(&list, "- %s\n", c.Dir())
	for _, file := range slices.Sorted(maps.Keys(unused)) {
		n += len(unused[file])
		for _, k := range unused[file] {
			fmt.Fprintf(&list, "%s %s\n", k, file)
		}
	}
	path := os.Getenv("RAGTEST_UNUSED")
	if path == "" {
		return n, nil
	}
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return n, err
	}
	if _, err := f.WriteString(list.String()); err != nil {
		f.Close()
		return n, err
	}
	return n, f.Close()
}

// selective are the flags with which go test and Ginkgo run less than all tests
// of a package, and the values with which they do not.
var selective = map[string]string{
	"test.run": "", "test.skip": "", "test.short": "false", "test.list": "",
	"ginkgo.focus": "", "ginkgo.skip": "", "ginkgo.focus-file": "", "ginkgo.skip-file": "",
	"ginkgo.label-filter": "", "ginkgo.sem-ver-filter": "", "ginkgo.dry-run": "false",
	"ginkgo.parallel.total": "1",
}

// ranAll reports whether this process was told to run all tests of its package.
// Only then does it mean anything that a recorded exchange was not needed.
func ranAll() bool {
	for name, all := range selective {
		if f := flag.Lookup(name); f != nil && f.Value.String() != all && strings.Trim(f.Value.String(), "[]") != all {
			return false
		}
	}
	return true
}
