package ragtest

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"sync"
)

// callingTest finds the test on the stack: its function, if it is a Test of
// package testing, and the line in the _test.go file that called into the
// library. Both are empty if no test file is on the stack.
func callingTest() (name, at string) {
	pcs := make([]uintptr, 64)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(2, pcs)])
	for {
		f, more := frames.Next()
		if strings.HasSuffix(f.File, "_test.go") {
			if at == "" {
				at = fmt.Sprintf("%s:%d", filepath.Base(f.File), f.Line)
			}
			if t := testOf(f.Function); t != "" {
				name = t
			}
		}
		if !more {
			return name, at
		}
	}
}

// caller is where a call into the library came from.
type caller struct{ test, at string }

type callerKey struct{}

// withCaller keeps the calling test in ctx, for work in other goroutines, on
// whose stacks it is not to be found.
func withCaller(ctx context.Context) context.Context {
	name, at := callingTest()
	return context.WithValue(ctx, callerKey{}, caller{name, at})
}

// callerOf returns the calling test that ctx keeps, or the one on the stack.
func callerOf(ctx context.Context) (name, at string) {
	if c, ok := ctx.Value(callerKey{}).(caller); ok {
		return c.test, c.at
	}
	return callingTest()
}

// testOf finds TestX in example.com/pkg.TestX and example.com/pkg.TestX.func1.
// TestMain is none: examples run in its goroutine.
func testOf(function string) string {
	m := testFunction.FindStringSubmatch(function)
	if m == nil || m[1] == "TestMain" {
		return ""
	}
	return m[1]
}

var testFunction = regexp.MustCompile(`\.((?:Test|Benchmark|Example)[^.]*)(?:\.func[\d.]*)?$`)

var startedIn, _ = os.Getwd()

// recordCommand returns the command that records what one test asks. A name
// with spaces is Ginkgo's.
func recordCommand(test string) string {
	command := "RAGTEST_CACHE=auto CI= go test"
	switch {
	case strings.Contains(test, " "):
		return fmt.Sprintf("%s %s -ginkgo.focus=%s", command, packagePath(), quote(regexp.QuoteMeta(test)))
	case test != "":
		levels := strings.Split(test, "/")
		for i, l := range levels {
			levels[i] = "^" + regexp.QuoteMeta(l) + "$"
		}
		command += " -run " + quote(strings.Join(levels, "/"))
	}
	return command + " " + packagePath()
}

func quote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

// packagePath returns the folder of the test package as go test takes it from
// the root of the module, or "." if there is no module to be seen.
func packagePath() string {
	root, ok := moduleRoot()
	if !ok {
		return "."
	}
	rel, err := filepath.Rel(root, startedIn)
	if err != nil || rel == "." {
		return "."
	}
	return "./" + filepath.ToSlash(rel)
}

// moduleRoot is the folder of the go.mod that the process was started under.
var moduleRoot = sync.OnceValues(func() (dir string, ok bool) {
	for dir := startedIn; dir != ""; dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir, true
		}
		if dir == filepath.Dir(dir) {
			break
		}
	}
	return "", false
})
