package ragtest_test

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	. "github.com/onsi/gomega"

	"github.com/ragomega/ragomega/cache"
	"github.com/ragomega/ragomega/fixtures"
	"github.com/ragomega/ragomega/ragtest"
	"github.com/ragomega/ragomega/ragtest/agreement"
)

// shape is a way to ask whether a sample's answer is supported.
type shape func(context.Context, *ragtest.Judge, ragtest.Sample) (bool, []ragtest.Exchange, error)

// asClaim asks about the answer as one claim, in the step "verify".
func asClaim(change func(*ragtest.Judge) *ragtest.Judge) shape {
	return func(ctx context.Context, j *ragtest.Judge, s ragtest.Sample) (bool, []ragtest.Exchange, error) {
		v, x, err := ragtest.Verify(ctx, change(j), []string{s.Response}, s.RetrievedContexts)
		return err == nil && v[0].OK, x, err
	}
}

// asMetric measures faithfulness: an answer is supported if all of its claims are.
func asMetric(change func(*ragtest.Judge) *ragtest.Judge) shape {
	return func(ctx context.Context, j *ragtest.Judge, s ragtest.Sample) (bool, []ragtest.Exchange, error) {
		score, err := change(j).Measure(ctx, ragtest.Faithfulness, s)
		return err == nil && score.Value == 1, score.Exchanges, err
	}
}

func read(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(text))
}

// row is a labelled sample, with the number of its text.
type row struct {
	ragtest.Labelled
	text int
}

// halves parts rows into one to choose a shape by and one to report it on: rows
// of the same text stay together.
func halves(rows []ragtest.Labelled) (halves [2][]row) {
	seen := []string{}
	for _, r := range rows {
		text := strings.Join(r.Sample.RetrievedContexts, "\x00")
		at := slices.Index(seen, text)
		if at < 0 {
			at = len(seen)
			seen = append(seen, text)
		}
		halves[at%2] = append(halves[at%2], row{r, at})
	}
	return halves
}

// figures are what a shape came to.
type figures struct {
	rows   []ragtest.Judged
	calls  int
	tokens ragtest.Tokens
}

func (f *figures) add(o figures) {
	f.rows, f.calls = append(f.rows, o.rows...), f.calls+o.calls
	f.tokens.In, f.tokens.Out = f.tokens.In+o.tokens.In, f.tokens.Out+o.tokens.Out
}

// asked is what a shape came to with one row.
func asked(t *testing.T, judge *ragtest.Judge, ask shape, r row) figures {
	yes, exchanges, err := ask(t.Context(), judge, r.Sample)
	if err != nil {
		// No reply that was no good is recorded, so a row that was lost is lost in a
		// replay, too: as a miss.
		t.Logf("%s: %v", r.Sample.Name, err)
	}
	judged := ragtest.Judged{Sample: r.Sample.Name, Group: r.text, Labels: r.Labels, Err: err}
	if yes {
		judged.Judge = 1
	}
	f := figures{rows: []ragtest.Judged{judged}, calls: len(exchanges)}
	for _, x := range exchanges {
		f.tokens.In, f.tokens.Out = f.tokens.In+x.Tokens.In, f.tokens.Out+x.Tokens.Out
	}
	return f
}

// line is one of the table.
func (f figures) line(t *testing.T, cells ...string) string {
	t.Helper()
	c := ragtest.Calibration{Scale: []float64{0, 1}, Items: f.rows}
	a, err := c.Agreement()
	if err != nil {
		t.Fatal(err)
	}
	n := len(f.rows)
	cells = append(cells, fmt.Sprint(n), fmt.Sprint(len(c.Unmeasured())))
	for _, e := range []agreement.Estimate{a.Agreement, a.TPR, a.TNR, a.Kappa} {
		v, err := e.Value()
		if err != nil {
			t.Fatal(err)
		}
		cells = append(cells, fmt.Sprintf("%.2f", v))
	}
	i, err := a.Kappa.Interval()
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("| %s %v | %.1f | %d + %d |\n", strings.Join(cells, " | "), i, float64(f.calls)/float64(n), f.tokens.In/n, f.tokens.Out/n)
}

// versus compares two shapes on the rows that both measured: the difference of
// their kappas with its interval, and how many rows only one of them got right.
func versus(t *testing.T, a, b figures) string {
	t.Helper()
	var human, first, second []float64
	var texts []int
	var onlyA, onlyB int
	for i, x := range a.rows {
		y := b.rows[i]
		if x.Err != nil || y.Err != nil {
			continue
		}
		label, _ := x.Human()
		human, texts = append(human, label), append(texts, x.Group)
		first, second = append(first, x.Judge), append(second, y.Judge)
		switch {
		case x.Judge == y.Judge:
		case x.Judge == label:
			onlyA++
		default:
			onlyB++
		}
	}
	d, err := agreement.KappaDifference(human, first, second, agreement.Bootstrap{Seed: 1, Clusters: texts})
	if err != nil {
		t.Fatal(err)
	}
	v, err := d.Value()
	if err != nil {
		t.Fatal(err)
	}
	i, err := d.Interval()
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("%d | %+.2f [%+.2f, %+.2f] | %d / %d |\n", len(human), v, i.Low, i.High, onlyA, onlyB)
}

// How well the prompts agree with people, with a small model as the judge, from
// its recorded replies. prompts/README.md has the table that this makes;
// UPDATE_AGREEMENT=1 writes it anew.
func TestAgreement(t *testing.T) {
	g := NewWithT(t)
	c := openCache(t, cache.Options{Dir: "testdata/agreement"})
	judge := ragtest.OpenAI("qwen2.5-coder-1.5b").Named("llama.cpp b10068").Limits(1, 0).Timeout(10 * time.Minute).CachedIn(c)
	same := func(j *ragtest.Judge) *ragtest.Judge { return j }
	old := func(j *ragtest.Judge) *ragtest.Judge { return j.Pinned("claims/v1", "verify/v1") }
	by := func(file string) func(*ragtest.Judge) *ragtest.Judge {
		text := read(t, "testdata/agreement/shapes/"+file)
		return func(j *ragtest.Judge) *ragtest.Judge { return j.Prompted("verify/v2", text) }
	}
	shapes := []struct {
		name   string
		ask    shape
		halves []int
	}{
		{"verify/v1", asClaim(old), []int{0, 1}},
		{"verify/v2", asClaim(same), []int{0, 1}},
		{"reasons without a quote", asClaim(by("reason.txt")), []int{0}},
		{"faithfulness", asMetric(same), []int{1}},
		{"faithfulness, PerClaim", asMetric((*ragtest.Judge).PerClaim), []int{1}},
	}
	halfNames := []string{"chosen by", "reported"}
	var table, pairs strings.Builder
	pairs.WriteString("\n| rows | half | asked | n | difference of kappa [95 %] | only the first right / only the second |\n|---|---|---|---|---|---|\n")
	table.WriteString("| rows | half | asked | n | lost | accuracy | TPR | TNR | kappa [95 %] | calls a row | tokens a row |\n|---|---|---|---|---|---|---|---|---|---|---|\n")
	for _, set := range []struct {
		name string
		rows []ragtest.Labelled
	}{{"claims40", fixtures.Claims40()}, {"expertqa60", fixtures.ExpertQA60()}} {
		parts := halves(set.rows)
		reported := map[string]figures{}
		for _, s := range shapes {
			var both, clear figures
			for _, half := range s.halves {
				var f figures
				for _, r := range parts[half] {
					one := asked(t, judge, s.ask, r)
					f.add(one)
					if !slices.Contains(r.Sample.Tags, "doubtful") {
						clear.add(one)
					}
				}
				both.add(f)
				if half == 1 {
					reported[s.name] = f
				}
				table.WriteString(f.line(t, set.name, halfNames[half], s.name))
			}
			if len(s.halves) == 2 {
				table.WriteString(both.line(t, set.name, "both", s.name))
				if set.name == "expertqa60" {
					table.WriteString(clear.line(t, set.name, "both, clear rows", s.name))
				}
			}
		}
		for _, p := range [][2]string{{"verify/v2", "verify/v1"}, {"faithfulness, PerClaim", "faithfulness"}} {
			fmt.Fprintf(&pairs, "| %s | reported | %s - %s | %s", set.name, p[0], p[1], versus(t, reported[p[0]], reported[p[1]]))
		}
	}
	g.Expect(c.Close()).To(Succeed())
	table.WriteString(pairs.String())
	before, rest, ok := strings.Cut(read(t, "prompts/README.md"), "<!-- agreement -->\n")
	g.Expect(ok).To(BeTrue())
	was, after, ok := strings.Cut(rest, "<!-- /agreement -->")
	g.Expect(ok).To(BeTrue())
	if os.Getenv("UPDATE_AGREEMENT") != "" {
		text := before + "<!-- agreement -->\n" + table.String() + "<!-- /agreement -->" + after + "\n"
		g.Expect(os.WriteFile("prompts/README.md", []byte(text), 0o644)).To(Succeed())
		return
	}
	g.Expect(was).To(Equal(table.String()))
}
