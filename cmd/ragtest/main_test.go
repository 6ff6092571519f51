package main

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"

	. "github.com/onsi/gomega"
)

// Two replies to one key, as a union merge of two branches leaves them.
const merged = `{"k":"338220e87aa424d2d7aacedb96e5bcd9","step":"claims/v1","by":"example.com","about":"a","reply":{"claims":[]},"served":{"ms":1},"parts":{"model":"m","prompt":"c29591bce8c9","text":"ca978112ca1b"},"request":"b4d7912f4406bf5346998aca86d799fadcfae84d6ceabe266141aee5fb38e87d","sum":"48c8bbaf9d1631f8"}
{"k":"338220e87aa424d2d7aacedb96e5bcd9","step":"claims/v1","by":"example.com","about":"a","reply":{"claims":["a"]},"request":"b4d7912f4406bf5346998aca86d799fadcfae84d6ceabe266141aee5fb38e87d","sum":"9a0fbd28e401ccb4"}
`

func TestResolveCommand(t *testing.T) {
	g := NewWithT(t)
	file := filepath.Join(t.TempDir(), "judge.jsonl")
	g.Expect(os.WriteFile(file, []byte(merged), 0o644)).To(Succeed())
	var out bytes.Buffer
	g.Expect(run([]string{"resolve", "-keep", "ours", file}, &out, &out)).To(Succeed())
	g.Expect(out.String()).To(Equal(file + ": 1 conflicts settled\n"))
	left, err := os.ReadFile(file)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(string(left)).To(HaveSuffix(`"sum":"48c8bbaf9d1631f8"}` + "\n"))
	g.Expect(bytes.Count(left, []byte("\n"))).To(Equal(1))
}

func TestUsage(t *testing.T) {
	for want, args := range map[string][]string{
		"":                            nil,
		`unknown command "mend"`:      {"mend"},
		"resolve: no recording given": {"resolve", "-keep", "ours"},
		"resolve: say what to keep: -keep ours, theirs or neither": {"resolve", "x.jsonl"},
		"resolve: flag provided but not defined: -kep":             {"resolve", "-kep", "ours", "x"},
		"tidy: no package given":                                   {"tidy"},
	} {
		t.Run(want, func(t *testing.T) {
			g := NewWithT(t)
			var out bytes.Buffer
			err := run(args, &out, &out)
			var wrong usageError
			g.Expect(errors.As(err, &wrong)).To(BeTrue(), "got %v", err)
			g.Expect(wrong.text).To(Equal(want))
		})
	}
	g := NewWithT(t)
	var out bytes.Buffer
	g.Expect(run([]string{"help"}, &out, &out)).To(Succeed())
	g.Expect(out.String()).To(Equal(usage))
	g.Expect(run([]string{"resolve", "-keep", "ours", filepath.Join(t.TempDir(), "none.jsonl")}, &out, &out)).To(MatchError(os.ErrNotExist))
	g.Expect(run([]string{"resolve", "-keep", "mine", os.Args[0]}, &out, &out)).To(MatchError(ContainSubstring(`cannot keep "mine"`)))
}
