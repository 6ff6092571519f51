package main_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// module is a module of somebody who uses the library, in a folder of its own.
type module struct {
	t    *testing.T
	dir  string
	home string
	env  []string
}

var moduleLine = regexp.MustCompile(`(?m)^module .*$`)

// newModule makes a module with the given files. Its environment has a HOME
// with nothing in it, and none of what could lead to a judge.
func newModule(t *testing.T, files map[string]string) *module {
	t.Helper()
	if testing.Short() {
		t.Skip("builds a module")
	}
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	m := &module{t: t, dir: t.TempDir(), home: t.TempDir()}
	mod := moduleLine.ReplaceAllString(m.read(filepath.Join(root, "go.mod")), "module example.com/user")
	m.write("go.mod", mod+"\nrequire github.com/ragomega/ragomega v0.0.0\n\nreplace github.com/ragomega/ragomega => "+root+"\n")
	m.write("go.sum", m.read(filepath.Join(root, "go.sum")))
	for name, text := range files {
		m.write(name, text)
	}
	goEnv := func(name string) string {
		out, err := exec.Command("go", "env", name).Output()
		if err != nil {
			t.Fatal(err)
		}
		return name + "=" + strings.TrimSpace(string(out))
	}
	for _, e := range os.Environ() {
		name, _, _ := strings.Cut(e, "=")
		switch {
		case strings.HasPrefix(name, "OPENAI_"), strings.HasPrefix(name, "RAGTEST_"), strings.HasPrefix(name, "XDG_"),
			name == "CI", name == "HOME", name == "GOFLAGS":
		default:
			m.env = append(m.env, e)
		}
	}
	m.env = append(m.env, goEnv("GOMODCACHE"), goEnv("GOCACHE"), "GOFLAGS=-mod=mod", "HOME="+m.home)
	return m
}

func (m *module) path(name string) string { return filepath.Join(m.dir, name) }

func (m *module) read(file string) string {
	m.t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		m.t.Fatal(err)
	}
	return string(b)
}

// write puts a file into the module. It is dated back, since go test caches no
// result that rests on a file of the last two seconds.
func (m *module) write(name, text string) {
	m.t.Helper()
	if err := os.MkdirAll(filepath.Dir(m.path(name)), 0o755); err != nil {
		m.t.Fatal(err)
	}
	if err := os.WriteFile(m.path(name), []byte(text), 0o644); err != nil {
		m.t.Fatal(err)
	}
	m.age(name)
}

func (m *module) age(name string) {
	m.t.Helper()
	past := time.Now().Add(-time.Hour)
	if err := os.Chtimes(m.path(name), past, past); err != nil {
		m.t.Fatal(err)
	}
}

// run runs a command in the module, with variables "NAME=value" before its
// name as in a shell, and returns what it printed.
func (m *module) run(words ...string) (string, error) {
	m.t.Helper()
	env := m.env
	for len(words) > 0 && strings.Contains(words[0], "=") {
		env, words = append(env[:len(env):len(env)], words[0]), words[1:]
	}
	cmd := exec.Command(words[0], words[1:]...)
	cmd.Dir, cmd.Env = m.dir, env
	out, err := cmd.CombinedOutput()
	m.t.Logf("%s\n%s", strings.Join(words, " "), out)
	return string(out), err
}

// files returns every file of the module with the time of its last change.
func (m *module) files() map[string]time.Time {
	m.t.Helper()
	all := map[string]time.Time{}
	err := filepath.WalkDir(m.dir, func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err == nil {
			all[path] = info.ModTime()
		}
		return err
	})
	if err != nil {
		m.t.Fatal(err)
	}
	return all
}
