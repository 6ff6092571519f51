package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/ragomega/ragomega/example_test/bench"
)

// others are the tools that are installed in dir, each asked for faithfulness
// and context recall only, with its own cache and no telemetry.
func (b *lab) others(dir string) ([]subject, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	var found []subject
	phases := []string{cold, warm}
	// Python leaves files beside its scripts.
	scripts := filepath.Join(b.temp, "peers")
	if err := os.CopyFS(scripts, os.DirFS(filepath.Join(b.pkg, "peers"))); err != nil {
		return nil, err
	}
	quiet := []string{
		"RAGAS_DO_NOT_TRACK=true", "DEEPEVAL_TELEMETRY_OPT_OUT=1", "DO_NOT_TRACK=1", "PROMPTFOO_DISABLE_TELEMETRY=1",
		"PROMPTFOO_DISABLE_UPDATE=1", "PROMPTFOO_DISABLE_DEBUG_LOG=1", "PROMPTFOO_DISABLE_ERROR_LOG=1",
		"PROMPTFOO_DISABLE_REMOTE_GENERATION=1", "PROMPTFOO_DISABLE_SHARING=1",
	}
	in := func(work string, c *exec.Cmd, env ...string) (*exec.Cmd, error) {
		c.Dir, c.Env = work, append(env, quiet...)
		return c, nil
	}

	if python := filepath.Join(dir, "v-ragas", "bin", "python"); exists(python) {
		version, err := pythonVersion(python, "ragas")
		if err != nil {
			return nil, err
		}
		found = append(found, subject{"Ragas " + version, false, phases, func(_, work string) (*exec.Cmd, error) {
			return in(work, exec.Command(python, filepath.Join(scripts, "ragas_two.py")))
		}})
	}
	if tool := filepath.Join(dir, "pf", "node_modules", "promptfoo"); exists(tool) {
		var about struct{ Version string }
		text, err := os.ReadFile(filepath.Join(tool, "package.json"))
		if err == nil {
			err = json.Unmarshal(text, &about)
		}
		if err != nil {
			return nil, err
		}
		found = append(found, subject{"promptfoo " + about.Version, false, phases, func(_, work string) (*exec.Cmd, error) {
			config := filepath.Join(work, "config.json")
			if err := b.promptfooConfig(config); err != nil {
				return nil, err
			}
			return in(work, exec.Command(filepath.Join(dir, "pf", "node_modules", ".bin", "promptfoo"),
				"eval", "-c", config, "--no-table", "--no-progress-bar", "--no-share", "-j", "16"),
				"PROMPTFOO_CONFIG_DIR="+work, "PROMPTFOO_CACHE_PATH="+filepath.Join(work, "cache"))
		}})
	}
	if python := filepath.Join(dir, "v-deepeval", "bin", "python"); exists(python) {
		version, err := pythonVersion(python, "deepeval")
		if err != nil {
			return nil, err
		}
		found = append(found, subject{"DeepEval " + version, false, phases, func(_, work string) (*exec.Cmd, error) {
			const main = "from deepeval.cli.main import app; app()"
			return in(work, exec.Command(python, "-c", main, "test", "run", filepath.Join(scripts, "test_deepeval.py"), "-c"))
		}})
	}
	if found == nil {
		return nil, fmt.Errorf("%s has none of v-ragas, v-deepeval and pf; see README.md", dir)
	}
	return found, nil
}

// promptfooConfig has promptfoo echo the answers and judge them.
func (b *lab) promptfooConfig(file string) error {
	type object = map[string]any
	var tests []object
	for _, s := range bench.Samples(b.n) {
		tests = append(tests, object{
			"vars": object{"query": s.UserInput, "answer": s.Response, "context": strings.Join(s.RetrievedContexts, "\n")},
			"assert": []object{
				{"type": "context-faithfulness", "threshold": 0},
				{"type": "context-recall", "threshold": 0, "value": s.Reference},
			},
		})
	}
	text, err := json.Marshal(object{
		"prompts": []string{"{{answer}}"}, "providers": []string{"echo"}, "tests": tests,
		"defaultTest": object{"options": object{"provider": object{
			"id": "openai:chat:bench", "config": object{"apiBaseUrl": b.judge, "apiKey": "none", "temperature": 0},
		}}},
	})
	if err != nil {
		return err
	}
	return os.WriteFile(file, text, 0o644)
}

func pythonVersion(python, module string) (string, error) {
	out, err := exec.Command(python, "-c", "import importlib.metadata as m; print(m.version('"+module+"'))").Output()
	return strings.TrimSpace(string(out)), err
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
