package example_test

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/ragomega/ragomega/cache"
	. "github.com/ragomega/ragomega/matchers"
	"github.com/ragomega/ragomega/ragtest"
)

// TestScoresAreTheSameEverywhere holds every score, verdict and message against
// testdata/scores.txt: on every machine, in every order, under every runner, a
// replay comes out the same. UPDATE_SCORES=1 writes the file anew.
func TestScoresAreTheSameEverywhere(t *testing.T) {
	judge, err := ragtest.Standing()
	if err != nil {
		t.Fatal(err)
	}
	samples, err := ragtest.ReadSamples("testdata/samples.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	var got strings.Builder
	asked := false
	for _, s := range samples {
		for _, m := range []ragtest.Metric{ragtest.Faithfulness, ragtest.ContextRecall} {
			score, err := judge.Measure(t.Context(), m, s)
			if errors.Is(err, ragtest.ErrUndefined) {
				fmt.Fprintf(&got, "%s %s\n%v\n\n", s.Name, m.Name(), errors.Unwrap(err))
				continue
			}
			if err != nil {
				t.Fatal(err)
			}
			for _, x := range score.Exchanges {
				asked = asked || x.Source != cache.Recorded
			}
			matcher := HaveScore(m, BeNumerically("<", 0))
			if _, err := matcher.Match(s); err != nil {
				t.Fatal(err)
			}
			fmt.Fprintf(&got, "%s %s %v\n%s\n\n", s.Name, m.Name(), score.Value, matcher.FailureMessage(s))
		}
	}
	if asked {
		t.Skip("some replies were asked for just now")
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
