package ragtest_test

import (
	"errors"
	"regexp"
	"strings"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/ragomega/ragomega/ragtest"
)

func TestWriteBench(t *testing.T) {
	g := NewWithT(t)
	samples := []ragtest.Sample{answering("a", "0.25"), answering("b", "no"), answering("c", "0.30000000000000004"), answering("d", "1e-9")}
	odd := ragtest.NewMetric("odd/metric - of*mine", func(c ctx, j *ragtest.Judge, s ragtest.Sample) (ragtest.Score, error) {
		score, err := fixed.Measure(c, j, s)
		if s.Name == "d" {
			err = errors.New("not this one")
		}
		return score, err
	})
	report, err := (&flaky{}).judge(t).Evaluate(t.Context(), samples, less{fixed}, odd)
	g.Expect(err).NotTo(HaveOccurred())
	var out strings.Builder
	g.Expect(report.WriteBench(&out)).To(Succeed())
	g.Expect(out.String()).To(Equal(`judge: m at here
Unit fixed_at better=lower assume=nothing
Unit odd_metric___of_mine better=higher assume=nothing
Unit unmeasured better=lower assume=exact
BenchmarkScores 1 0.25 fixed_at 0.25 odd_metric___of_mine
BenchmarkScores 1 0.30000000000000004 fixed_at 0.30000000000000004 odd_metric___of_mine
BenchmarkScores 1 1e-09 fixed_at
BenchmarkScores 1 3 unmeasured
`))

	// The forms that golang.org/design/14313-benchmark-format has for lines.
	config := regexp.MustCompile(`^\p{Ll}\S*: `)
	unit := regexp.MustCompile(`^Unit \S+ better=(higher|lower) assume=(nothing|exact)$`)
	result := regexp.MustCompile(`^Benchmark[A-Z]\w* [1-9]\d*( [0-9.e+-]+ \S+)+$`)
	for line := range strings.Lines(out.String()) {
		line = strings.TrimSuffix(line, "\n")
		if !config.MatchString(line) && !unit.MatchString(line) && !result.MatchString(line) {
			t.Errorf("no line of a benchmark: %s", line)
		}
	}
	g.Expect(report.WriteBench(brokenWriter{})).To(MatchError("ragtest: the benchmark lines cannot be written: broken"))
}

type brokenWriter struct{}

func (brokenWriter) Write([]byte) (int, error) { return 0, errors.New("broken") }
