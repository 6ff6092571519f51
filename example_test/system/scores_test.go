package system

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/ragomega/ragomega/ragtest"
)

// TestScoresOfTheVariants holds what the system does and what the judge says of
// it against testdata/scores.txt. UPDATE_SCORES=1 writes the file anew.
func TestScoresOfTheVariants(t *testing.T) {
	var got strings.Builder
	for _, v := range variants {
		samples, report := run(t, v)
		for i, s := range samples {
			fmt.Fprintf(&got, "%s: %s\nfault: %s\nQ: %s\nA: %s\ncontexts: %s\n",
				v.name, s.Name, v.fault, s.UserInput, s.Response, strings.Join(s.RetrievedContextIDs, " "))
			for _, r := range report.Results[i*len(five) : (i+1)*len(five)] {
				got.WriteString(line(t, r) + "\n")
			}
			got.WriteByte('\n')
		}
	}
	const file = "testdata/scores.txt"
	if os.Getenv("UPDATE_SCORES") != "" {
		if err := os.WriteFile(file, []byte(got.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if normal := strings.ReplaceAll(string(want), "\r\n", "\n"); got.String() != normal {
		t.Errorf("scores differ from %s:\n%s", file, got.String())
	}
}

// line is a score, or why there is none.
func line(t *testing.T, r ragtest.Result) string {
	t.Helper()
	switch {
	case errors.Is(r.Err, ragtest.ErrUndefined):
		return fmt.Sprintf("  %s undefined", r.Metric)
	case r.Err != nil:
		t.Fatal(r.Err)
	}
	return fmt.Sprintf("  %s %.3f", r.Metric, r.Score.Value)
}
