package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/ragomega/ragomega/ragtest"
)

// reported runs ragtest report, and returns its exit code, page and errors.
func reported(args ...string) (code int, page, errors string) {
	var stdout, stderr bytes.Buffer
	code = run(append([]string{"report"}, args...), &stdout, &stderr)
	return code, stdout.String(), stderr.String()
}

func TestReport(t *testing.T) {
	g := NewWithT(t)
	dir := t.TempDir()
	write := func(name string, values ...any) string {
		var b bytes.Buffer
		for _, v := range values {
			g.Expect(json.NewEncoder(&b).Encode(v)).To(Succeed())
		}
		file := filepath.Join(dir, name)
		g.Expect(os.WriteFile(file, b.Bytes(), 0o600)).To(Succeed())
		return file
	}
	of := func(score float64) ragtest.Record {
		return ragtest.Record{Package: ".", Sample: "bridge", Metric: "faithfulness", Score: &score, Model: "m", Identity: "e"}
	}
	now, before := write("now.jsonl", of(0.5)), write("before.jsonl", of(1))
	samples := write("samples.jsonl", ragtest.Sample{Name: "bridge", UserInput: "When was it built?", Response: "In 1932."})

	code, page, errors := reported("--results", now, "--samples", samples, "--baseline", before, "--faithfulness", "0.8", "-o", "-")
	g.Expect(errors).To(BeEmpty())
	g.Expect(code).To(Equal(exitFine))
	for _, part := range []string{"now.jsonl", "When was it built?", "reader invents", "Comparison with the baseline", "−0.500"} {
		g.Expect(page).To(ContainSubstring(part))
	}

	out := filepath.Join(dir, "page.html")
	code, page, errors = reported("--results", now, "-o", out)
	g.Expect(errors).To(BeEmpty())
	g.Expect(code).To(Equal(exitFine))
	g.Expect(page).To(BeEmpty())
	g.Expect(os.ReadFile(out)).To(HavePrefix("<!DOCTYPE html>"))
}

// A page that cannot be made is not written, and a torn line stands in one that is.
func TestReportThatCannotBe(t *testing.T) {
	g := NewWithT(t)
	results := filepath.Join(t.TempDir(), "results.jsonl")
	line := `{"package":".","sample":"a","metric":"m","score":1,"model":"m","identity":"e"}` + "\n"
	g.Expect(os.WriteFile(results, []byte(line+`{"package":".","sam`), 0o600)).To(Succeed())

	code, page, errors := reported("--results", results, "-o", "-")
	g.Expect(code).To(Equal(exitFine))
	g.Expect(errors).To(ContainSubstring("torn line"))
	g.Expect(page).To(ContainSubstring("torn line"), "its readers do not see the warning")

	for want, args := range map[string][]string{
		"no page to write given":         {"--results", results},
		"no results given":               {"-o", "-"},
		"a threshold is 80":              {"--results", results, "-o", "-", "--recall", "80"},
		"--smallest is 0":                {"--results", results, "-o", "-", "--smallest", "0"},
		"the samples cannot be read":     {"--results", results, "-o", "-", "--samples", "none.jsonl"},
		"the scores cannot be read":      {"--results", results, "-o", "-", "--baseline", "none.jsonl"},
		"the calibration cannot be read": {"--results", results, "-o", "-", "--calibration", "none.json"},
	} {
		code, page, errors := reported(args...)
		g.Expect(code).To(Equal(exitWrong), "%v", args)
		g.Expect(page).To(BeEmpty())
		g.Expect(errors).To(ContainSubstring(want))
	}
}
