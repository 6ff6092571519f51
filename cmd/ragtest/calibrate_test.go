package main_test

import (
	"path/filepath"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/ragomega/ragomega/ragtest"
)

// The judge of the example suite is calibrated from its recording.
func TestCalibrate(t *testing.T) {
	g := NewWithT(t)
	judge := []string{
		"calibrate", "--replay", "--labels", "../fixtures/labelled/claims40.jsonl", "--metric", "faithfulness",
		"--model", "qwen2.5-coder-1.5b", "--name", "llama.cpp b10068", "--probabilities",
	}
	with := func(more ...string) ran {
		t.Helper()
		return command(t, examples, append(judge[:len(judge):len(judge)], more...)...)
	}

	saved := filepath.Join(t.TempDir(), "calibration.json")
	r := with("--save", saved)
	g.Expect(r.code).To(Equal(0))
	g.Expect(r.out).To(HavePrefix("verify/v2 of faithfulness by qwen2.5-coder-1.5b at llama.cpp b10068\n  n=40, agreement 0.80 [0.65, 0.90], kappa 0.60 [0.33, 0.80], TPR 0.95 [0.76, 0.99], TNR 0.65 [0.43, 0.82]\n"))
	c, err := ragtest.ReadCalibration(saved)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(c.Items).To(HaveLen(40))

	g.Expect(with("--kappa-above", "0.3").code).To(Equal(0))
	r = with("--kappa-above", "0.6")
	g.Expect(r.code).To(Equal(1))
	g.Expect(r.err).To(Equal("ragtest: kappa is not above 0.6 at the lower end of its interval: it is kappa 0.60 [0.33, 0.80]\n"))

	var out struct {
		N          int
		Statistics []struct {
			Name             string
			Value, Low, High float64
		}
		Calibration struct{ Items []any }
	}
	with("--json").read(g, &out)
	g.Expect(out.N).To(Equal(40))
	g.Expect(out.Calibration.Items).To(HaveLen(40))
	g.Expect(out.Statistics[1].Name).To(Equal("kappa"))
	g.Expect(out.Statistics[1].Value).To(BeNumerically("~", 0.6, 1e-12))

	// Of another model nothing is recorded.
	judge[7] = "another"
	r = with()
	g.Expect(r.code).To(Equal(2))
	g.Expect(r.err).To(And(ContainSubstring("0 are divided, 40 not measured"), HaveSuffix("Without --replay it would be asked and recorded\n")))
	g.Expect(r.out).To(BeEmpty())
}

// What the recording lacks is not passed over.
func TestCalibrateMinds(t *testing.T) {
	g := NewWithT(t)
	args := []string{
		"calibrate", "--replay", "--labels", "../fixtures/labelled/expertqa60.jsonl", "--metric", "faithfulness",
		"--model", "qwen2.5-coder-1.5b", "--name", "llama.cpp b10068", "--probabilities",
	}
	r := command(t, examples, args...)
	g.Expect(r.code).To(Equal(1))
	g.Expect(r.err).To(HavePrefix("ragtest: 1 item not measured, and 0 may be; the first is "))
	g.Expect(command(t, examples, append(args, "--allow-unmeasured", "1")...).code).To(Equal(0))
}
