package main_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	. "github.com/onsi/gomega"
)

// binary is the command, built once.
var binary string

func TestMain(m *testing.M) {
	os.Exit(func() int {
		dir, err := os.MkdirTemp("", "ragtest-command")
		if err != nil {
			panic(err)
		}
		defer os.RemoveAll(dir)
		binary = filepath.Join(dir, "ragtest")
		if out, err := exec.Command("go", "build", "-o", binary, ".").CombinedOutput(); err != nil {
			os.Stderr.Write(out)
			return 1
		}
		return m.Run()
	}())
}

// ran is what a run of the command came to.
type ran struct {
	out, err string
	code     int
}

// command runs it in a folder.
func command(t *testing.T, dir string, args ...string) ran {
	t.Helper()
	return commandWith(t, dir, nil, args...)
}

// commandWith runs it with variables "NAME=value" besides.
func commandWith(t *testing.T, dir string, env []string, args ...string) ran {
	t.Helper()
	var stdout, stderr bytes.Buffer
	cmd := exec.Command(binary, args...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, &stdout, &stderr
	cmd.Env = append(os.Environ(), env...)
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	r := ran{stdout.String(), stderr.String(), cmd.ProcessState.ExitCode()}
	t.Logf("ragtest %q: %d\n%s%s", args, r.code, r.out, r.err)
	return r
}

// read reads what the command printed with --json.
func (r ran) read(g Gomega, into any) {
	dec := json.NewDecoder(bytes.NewReader([]byte(r.out)))
	g.ExpectWithOffset(1, dec.Decode(into)).To(Succeed())
	g.ExpectWithOffset(1, dec.More()).To(BeFalse(), "nothing stands behind the JSON")
}

// Two replies to one key, as a union merge of two branches leaves them.
const merged = `{"k":"338220e87aa424d2d7aacedb96e5bcd9","step":"claims/v1","by":"example.com","about":"a","reply":{"claims":[]},"served":{"ms":1},"parts":{"model":"m","prompt":"c29591bce8c9","text":"ca978112ca1b"},"request":"b4d7912f4406bf5346998aca86d799fadcfae84d6ceabe266141aee5fb38e87d","sum":"48c8bbaf9d1631f8"}
{"k":"338220e87aa424d2d7aacedb96e5bcd9","step":"claims/v1","by":"example.com","about":"a","reply":{"claims":["a"]},"request":"b4d7912f4406bf5346998aca86d799fadcfae84d6ceabe266141aee5fb38e87d","sum":"9a0fbd28e401ccb4"}
`

func TestResolveCommand(t *testing.T) {
	for name, flags := range map[string][]string{
		"one dash": {"-keep", "ours"}, "two dashes": {"--keep", "ours"}, "equals": {"-keep=ours"},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			file := filepath.Join(t.TempDir(), "judge.jsonl")
			g.Expect(os.WriteFile(file, []byte(merged), 0o644)).To(Succeed())
			g.Expect(command(t, ".", append(append([]string{"resolve"}, flags...), file)...)).To(Equal(ran{out: file + ": 1 conflicts settled\n"}))
			left, err := os.ReadFile(file)
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(string(left)).To(HaveSuffix(`"sum":"48c8bbaf9d1631f8"}` + "\n"))
			g.Expect(bytes.Count(left, []byte("\n"))).To(Equal(1))

			var resolved []struct {
				File    string
				Settled int
			}
			command(t, ".", "resolve", "-keep", "theirs", "-json", file).read(g, &resolved)
			g.Expect(resolved).To(HaveLen(1))
			g.Expect(resolved[0].Settled).To(Equal(0), "it was settled before")
		})
	}
	g := NewWithT(t)
	g.Expect(command(t, ".", "resolve", "-keep", "ours", filepath.Join(t.TempDir(), "none.jsonl")).code).To(Equal(1))
	r := command(t, ".", "resolve", "-keep", "mine", "main.go")
	g.Expect(r.code).To(Equal(1))
	g.Expect(r.err).To(ContainSubstring(`cannot keep "mine"`))
}

func TestUsage(t *testing.T) {
	for want, args := range map[string][]string{
		"no command given":            nil,
		`unknown command "mend"`:      {"mend"},
		`did you mean tidy?`:          {"tody"},
		"resolve: no recording given": {"resolve", "-keep", "ours"},
		"resolve: say what to keep: --keep ours, theirs or neither": {"resolve", "x.jsonl"},
		"unknown shorthand flag: 'k' in -kep":                       {"resolve", "-kep", "ours", "x"},
		"tidy: no package given":                                    {"tidy"},
		"show: no key or step given":                                {"show"},
		"diff: expected two recordings, or one or two revisions":    {"diff"},
		"main.go and no-such-file: expected two files or folders":   {"diff", "main.go", "no-such-file"},
		`"no-such-revision" is neither a file nor a revision`:       {"diff", "no-such-revision"},
		"no-such-folder is neither a file, a folder nor a package":  {"ls", "no-such-folder"},
		"no recordings in .":                                        {"check", "."},
		"impact: say what changes":                                  {"impact", "--results", "x"},
		"impact: no results given":                                  {"impact", "--sample", "x"},
		"impact: --changed-samples takes two files":                 {"impact", "--changed-samples", "x"},
		`impact: --prompt is "verify", expected STEP=FILE`:          {"impact", "--results", "x", "--prompt", "verify"},
		"diagnose: no threshold given":                              {"diagnose", "--results", "x"},
		"diagnose: a threshold is 8":                                {"diagnose", "--recall", "8"},
		"diagnose: no results given":                                {"diagnose", "--recall", "0.8"},
		"the results cannot be read":                                {"diagnose", "--recall", "0.8", "--results", "no-such-file"},
		"scores: no results given":                                  {"scores"},
		"scores: expected no arguments but flags":                   {"scores", "x.jsonl"},
		"calibrate: no labels given":                                {"calibrate", "--model", "m"},
		"calibrate: no model given":                                 {"calibrate", "--labels", "x"},
		"calibrate: no metric given":                                {"calibrate", "--labels", "x", "--model", "m"},
		`calibrate: unknown metric "grace"`:                         {"calibrate", "--labels", "x", "--model", "m", "--metric", "grace"},
		"the labelled samples cannot be read":                       {"calibrate", "--labels", "x", "--model", "m", "--metric", "faithfulness"},
		"init: expected one folder, got 2":                          {"init", "a", "b"},
		"init: main.go is no folder":                                {"init", "main.go"},
	} {
		t.Run(want, func(t *testing.T) {
			g := NewWithT(t)
			r := command(t, ".", args...)
			g.Expect(r.code).To(Equal(2))
			g.Expect(r.err).To(ContainSubstring(want))
			g.Expect(r.out).To(BeEmpty())
		})
	}
}

// Every command has help with examples and its exit codes.
func TestHelp(t *testing.T) {
	g := NewWithT(t)
	r := command(t, ".", "help")
	g.Expect(r.code).To(Equal(0))
	for _, name := range []string{"init", "ls", "show", "diff", "check", "tidy", "resolve", "impact", "diagnose", "calibrate", "scores"} {
		g.Expect(r.out).To(MatchRegexp(`(?m)^  ` + name + ` +[A-Z]`))
		for _, args := range [][]string{{"help", name}, {name, "-help"}, {name, "-h"}} {
			help := command(t, ".", args...)
			g.Expect(help.code).To(Equal(0))
			g.Expect(help.out).To(And(ContainSubstring("Examples:\n  "), ContainSubstring("Exit codes: 0 "), ContainSubstring("--json")), "%v", args)
		}
	}
	g.Expect(r.out).NotTo(ContainSubstring("completion"))
}
