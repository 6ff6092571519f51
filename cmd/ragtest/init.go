package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
)

const libraryPath = "github.com/ragomega/ragomega"

func initCommand() *cobra.Command {
	var ci bool
	var model, name string
	cmd := &cobra.Command{
		Use:   "init [DIR]",
		Short: "Begin: a TestMain, git attributes and a first test",
		Long: `Init prepares a package for RAG tests. It writes, and never overwrites,

  ragtest_main_test.go  a TestMain that gives the tests a judge, if there is none
  ragtest_first_test.go a first test, which fails on purpose
  .gitattributes        two lines for recordings, at the root of the repository

and prints a step for a build server; with --ci it writes a workflow for GitHub to
.github/workflows/ragtest.yml. It does not touch go.mod.

Exit codes: 0 ready; 1 something is left to you, which it names; 2 not understood, no
module, or not writable.`,
		Example: `  ragtest init
  ragtest init ./rag --model qwen2.5:7b --name ollama
  ragtest init --ci`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 1 {
				return wrong("init: expected one folder, got %d", len(args))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			b := beginning{dir: ".", model: model, name: name}
			if len(args) == 1 {
				b.dir = args[0]
			}
			if err := b.begin(ci); err != nil {
				return err
			}
			if inJSON(cmd) {
				if err := printJSON(cmd.OutOrStdout(), b.Done); err != nil {
					return err
				}
			} else {
				b.Done.print(cmd.OutOrStdout())
			}
			if len(b.Done.Left) > 0 {
				return errFound
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&ci, "ci", false, "write a workflow for GitHub")
	cmd.Flags().StringVar(&model, "model", "gpt-4o-mini-2024-07-18", "the judge's `MODEL`")
	cmd.Flags().StringVar(&name, "name", "", "what its endpoint is called (`IDENTITY`), if it is not OpenAI's")
	return cmd
}

// done is what init did.
type done struct {
	Package string   `json:"package"` // of the tests
	Written []string `json:"written"`
	Kept    []string `json:"kept"` // what was there
	Left    []string `json:"left"` // to the user
	Next    []string `json:"next"`
	CI      string   `json:"ci"` // a step for a build server
}

// beginning prepares one package.
type beginning struct {
	dir, model, name string

	Done done
}

func (b *beginning) begin(ci bool) error {
	b.Done = done{Written: []string{}, Kept: []string{}, Left: []string{}}
	if info, err := os.Stat(b.dir); err != nil {
		return err
	} else if !info.IsDir() {
		return wrong("init: %s is no folder", b.dir)
	}
	p, err := packageIn(b.dir)
	if err != nil {
		return err
	}
	b.Done.Package = p.testName()
	if err := b.testMain(p); err != nil {
		return err
	}
	if err := b.write(filepath.Join(b.dir, "ragtest_first_test.go"), fmt.Sprintf(firstTest, b.Done.Package)); err != nil {
		return err
	}
	root := repositoryOf(b.dir, p.Module.Dir)
	if err := b.attributes(filepath.Join(root, ".gitattributes")); err != nil {
		return err
	}
	b.Done.CI = ciStep
	if ci {
		if err := b.write(filepath.Join(root, ".github", "workflows", "ragtest.yml"), workflow); err != nil {
			return err
		}
	}
	if !requires(p.Module.Dir) {
		b.Done.Next = append(b.Done.Next, "go get "+libraryPath+" github.com/onsi/gomega")
	}
	rel, err := filepath.Rel(p.Module.Dir, p.Dir)
	if err != nil {
		return err
	}
	b.Done.Next = append(b.Done.Next,
		b.record(rel)+"    # records; the first test fails, and shows which claim is wrong",
		"git add "+filepath.ToSlash(filepath.Join(b.dir, "testdata", "ragtest"))+"    # commit what was recorded: other runs replay it, without a key")
	return nil
}

// record is the command that asks the judge.
func (b *beginning) record(rel string) string {
	pkg := "."
	if rel != "." {
		pkg = "./" + filepath.ToSlash(rel)
	}
	with := "OPENAI_API_KEY=…"
	if b.name != "" {
		with = "OPENAI_BASE_URL=http://…/v1"
	}
	return with + " go test " + pkg
}

// testMain writes a TestMain, if there is none.
func (b *beginning) testMain(p testPackage) error {
	file, ends, err := p.testMain()
	if err != nil {
		return err
	}
	judge := fmt.Sprintf("ragtest.OpenAI(%q)", b.model)
	if b.name != "" {
		judge += fmt.Sprintf(".Named(%q)", b.name)
	}
	switch {
	case file != "" && ends:
		b.Done.Kept = append(b.Done.Kept, file+" (TestMain)")
		return nil
	case file != "":
		b.Done.Kept = append(b.Done.Kept, file+" (TestMain)")
		b.Done.Left = append(b.Done.Left, fmt.Sprintf("%s has a TestMain without ragtest.Run: before the tests call ragtest.Use(%s), and end in os.Exit(ragtest.Run(m))", file, judge))
		return nil
	}
	return b.write(filepath.Join(b.dir, "ragtest_main_test.go"), fmt.Sprintf(mainTest, b.Done.Package, judge))
}

// write makes a file that is not there.
func (b *beginning) write(file, text string) error {
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		return err
	}
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if errors.Is(err, fs.ErrExist) {
		b.Done.Kept = append(b.Done.Kept, file)
		return nil
	}
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	b.Done.Written = append(b.Done.Written, file)
	return nil
}

// attributes appends the lines that are not there.
func (b *beginning) attributes(file string) error {
	old, err := os.ReadFile(file)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	there := map[string]bool{}
	for line := range strings.Lines(string(old)) {
		there[strings.Join(strings.Fields(line), " ")] = true
	}
	var more string
	for _, line := range gitAttributes {
		if !there[line] {
			more += line + "\n"
		}
	}
	if more == "" {
		b.Done.Kept = append(b.Done.Kept, file)
		return nil
	}
	if len(old) > 0 && !strings.HasSuffix(string(old), "\n") {
		more = "\n" + more
	}
	f, err := os.OpenFile(file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666)
	if err != nil {
		return err
	}
	_, err = f.WriteString(more)
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	b.Done.Written = append(b.Done.Written, file)
	return nil
}

// testPackage is what the go command knows of a folder.
type testPackage struct {
	Dir, Name, ImportPath     string
	TestGoFiles, XTestGoFiles []string
	Module                    struct{ Path, Dir string }
}

func packageIn(dir string) (testPackage, error) {
	var p testPackage
	if err := goList(dir, &p, "-e", "-json=Dir,Name,ImportPath,TestGoFiles,XTestGoFiles,Module", "."); err != nil {
		return p, err
	}
	if p.Module.Dir != "" {
		return p, nil
	}
	// A folder without Go files is of no module to the go command, though it lies
	// in one.
	if err := goList(dir, &p.Module, "-m", "-json=Path,Dir"); err != nil {
		return p, err
	}
	rel, err := filepath.Rel(p.Module.Dir, p.Dir)
	if err == nil {
		p.ImportPath = path.Join(p.Module.Path, filepath.ToSlash(rel))
	}
	return p, err
}

// goList has the go command tell what it knows of a folder.
func goList(dir string, into any, args ...string) error {
	cmd := exec.Command("go", append([]string{"list"}, args...)...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOWORK=off") // the module that the folder is in, and no other
	out, err := cmd.Output()
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit) && len(exit.Stderr) > 0:
		return fmt.Errorf("go list: %s. Where there is no module, begin with go mod init", strings.TrimSpace(string(exit.Stderr)))
	case err != nil:
		return fmt.Errorf("go list: %w", err)
	}
	if err := json.Unmarshal(out, into); err != nil {
		return fmt.Errorf("go list: %w", err)
	}
	return nil
}

// repositoryOf is the root of the repository, or that of the module where there
// is none. A path below the current folder is given as one.
func repositoryOf(dir, module string) string {
	cmd := exec.Command("git", "rev-parse", "--show-cdup")
	cmd.Dir = dir
	if up, err := cmd.Output(); err == nil {
		return filepath.Join(dir, cmp.Or(strings.TrimSpace(string(up)), "."))
	}
	return module
}

// requires reports whether a module has the library.
func requires(module string) bool {
	cmd := exec.Command("go", "list", "-m", libraryPath)
	cmd.Dir = module
	return cmd.Run() == nil
}
