package ragtest_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	. "github.com/onsi/gomega"

	"github.com/ragomega/ragomega/cache"
	"github.com/ragomega/ragomega/ragtest"
)

// labelled is a row of testdata/agreement: an answer, contexts, and whether
// people found that these support it.
type labelled struct {
	ragtest.Sample
	Label int
}

// shape is a way to ask whether a row's answer is supported.
type shape func(context.Context, *ragtest.Judge, labelled) (bool, []ragtest.Exchange, error)

// asClaim asks about the answer as one claim, in the step "verify".
func asClaim(change func(*ragtest.Judge) *ragtest.Judge) shape {
	return func(ctx context.Context, j *ragtest.Judge, row labelled) (bool, []ragtest.Exchange, error) {
		v, x, err := ragtest.Verify(ctx, change(j), []string{row.Response}, row.RetrievedContexts)
		return err == nil && v[0].OK, x, err
	}
}

// asMetric measures faithfulness: a row is supported if all of its claims are.
func asMetric(change func(*ragtest.Judge) *ragtest.Judge) shape {
	return func(ctx context.Context, j *ragtest.Judge, row labelled) (bool, []ragtest.Exchange, error) {
		s, err := change(j).Measure(ctx, ragtest.Faithfulness, row.Sample)
		return err == nil && s.Value == 1, s.Exchanges, err
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

func readLabelled(t *testing.T, file string) (rows []labelled) {
	t.Helper()
	for line := range strings.Lines(read(t, file)) {
		var row labelled
		var label struct {
			Human int `json:"human_label"`
		}
		err := errors.Join(json.Unmarshal([]byte(line), &row.Sample), json.Unmarshal([]byte(line), &label))
		if err != nil {
			t.Fatal(err)
		}
		row.Label = label.Human
		row.Name = fmt.Sprintf("line %d", len(rows)+1) // not all IDs differ
		rows = append(rows, row)
	}
	return rows
}

// halves parts rows into one to choose a shape by and one to report it on: rows
// with the same contexts stay together.
func halves(rows []labelled) (halves [2][]labelled) {
	seen := []string{}
	for _, r := range rows {
		contexts := strings.Join(r.RetrievedContexts, "\x00")
		at := slices.Index(seen, contexts)
		if at < 0 {
			at = len(seen)
			seen = append(seen, contexts)
		}
		halves[at%2] = append(halves[at%2], r)
	}
	return halves
}

// decided is what people and the judge said of a row.
type decided struct {
	row          string
	human, judge bool
}

// figures are what a shape came to.
type figures struct {
	decided []decided
	lost    int // rows that could not be measured
	calls   int
	tokens  ragtest.Tokens
}

func (f *figures) add(o figures) {
	f.decided = append(f.decided, o.decided...)
	f.lost, f.calls = f.lost+o.lost, f.calls+o.calls
	f.tokens.In, f.tokens.Out = f.tokens.In+o.tokens.In, f.tokens.Out+o.tokens.Out
}

// rates returns the accuracy and the shares of yes among what people found
// supported, and of no among the rest.
func rates(d []decided) (acc, tpr, tnr float64) {
	var right, yes, tp, tn float64
	for _, x := range d {
		right += b2f(x.human == x.judge)
		yes += b2f(x.human)
		tp += b2f(x.human && x.judge)
		tn += b2f(!x.human && !x.judge)
	}
	n := float64(len(d))
	return right / n, tp / yes, tn / (n - yes)
}

func b2f(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// kappa is Cohen's; NaN where it is undefined.
func kappa(d []decided) float64 {
	acc, _, _ := rates(d)
	var human, judge float64
	for _, x := range d {
		human += b2f(x.human) / float64(len(d))
		judge += b2f(x.judge) / float64(len(d))
	}
	chance := human*judge + (1-human)*(1-judge)
	return (acc - chance) / (1 - chance)
}

// interval is the middle 95 % of a statistic in 10,000 draws of the rows.
func interval[T any](rows []T, statistic func([]T) float64) (low, high float64) {
	r := rand.New(rand.NewPCG(7, 7))
	var drawn []float64
	draw := make([]T, len(rows))
	for range 10_000 {
		for i := range draw {
			draw[i] = rows[r.IntN(len(rows))]
		}
		if k := statistic(draw); !math.IsNaN(k) {
			drawn = append(drawn, k)
		}
	}
	slices.Sort(drawn)
	return drawn[len(drawn)*25/1000], drawn[len(drawn)*975/1000]
}

// versus compares two shapes on the rows that both measured: the difference of
// their kappas, with the middle 95 % of it in 10,000 draws of the rows, and how
// many rows only one of them got right.
func versus(a, b figures) string {
	of := map[string]decided{}
	for _, d := range b.decided {
		of[d.row] = d
	}
	var both [][2]decided
	var onlyA, onlyB int
	for _, x := range a.decided {
		y, ok := of[x.row]
		if !ok {
			continue
		}
		both = append(both, [2]decided{x, y})
		if right := x.human == x.judge; right != (y.human == y.judge) {
			if right {
				onlyA++
			} else {
				onlyB++
			}
		}
	}
	difference := func(pairs [][2]decided) float64 {
		var xs, ys []decided
		for _, p := range pairs {
			xs, ys = append(xs, p[0]), append(ys, p[1])
		}
		return kappa(xs) - kappa(ys)
	}
	low, high := interval(both, difference)
	return fmt.Sprintf("%d | %+.2f [%+.2f, %+.2f] | %d / %d |\n", len(both), difference(both), low, high, onlyA, onlyB)
}

func (f figures) row(cells ...string) string {
	acc, tpr, tnr := rates(f.decided)
	low, high := interval(f.decided, kappa)
	n := len(f.decided) + f.lost
	return fmt.Sprintf("| %s | %d | %d | %.2f | %.2f | %.2f | %.2f [%.2f, %.2f] | %.1f | %d + %d |\n", strings.Join(cells, " | "), n, f.lost,
		acc, tpr, tnr, kappa(f.decided), low, high, float64(f.calls)/float64(n), f.tokens.In/n, f.tokens.Out/n)
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
	doubtful := map[string]bool{} // lines of expertqa60, as somebody found who read them
	for line := range strings.Lines(read(t, "testdata/agreement/doubtful.txt")) {
		number, _, _ := strings.Cut(line, " ")
		doubtful["line "+number] = true
	}
	var table, pairs strings.Builder
	pairs.WriteString("\n| rows | half | asked | n | difference of kappa [95 %] | only the first right / only the second |\n|---|---|---|---|---|---|\n")
	table.WriteString("| rows | half | asked | n | lost | accuracy | TPR | TNR | kappa [95 %] | calls a row | tokens a row |\n|---|---|---|---|---|---|---|---|---|---|---|\n")
	for _, set := range []string{"claims40", "expertqa60"} {
		parts := halves(readLabelled(t, "testdata/agreement/"+set+".jsonl"))
		reported := map[string]figures{}
		for _, s := range shapes {
			var both, clear figures
			for _, half := range s.halves {
				var f figures
				for _, row := range parts[half] {
					yes, exchanges, err := s.ask(t.Context(), judge, row)
					one := figures{calls: len(exchanges)}
					for _, x := range exchanges {
						one.tokens.In, one.tokens.Out = one.tokens.In+x.Tokens.In, one.tokens.Out+x.Tokens.Out
					}
					if err != nil {
						// No reply that was no good is recorded, so a row that was lost
						// is lost in a replay, too: as a miss.
						t.Logf("%s, %s, %s: %v", set, s.name, row.Name, err)
						one.lost = 1
					} else {
						one.decided = []decided{{row.Name, row.Label == 1, yes}}
					}
					f.add(one)
					if !doubtful[row.Name] {
						clear.add(one)
					}
				}
				both.add(f)
				if half == 1 {
					reported[s.name] = f
				}
				table.WriteString(f.row(set, halfNames[half], s.name))
			}
			if len(s.halves) == 2 {
				table.WriteString(both.row(set, "both", s.name))
				if set == "expertqa60" {
					table.WriteString(clear.row(set, "both, clear rows", s.name))
				}
			}
		}
		for _, p := range [][2]string{{"verify/v2", "verify/v1"}, {"faithfulness, PerClaim", "faithfulness"}} {
			fmt.Fprintf(&pairs, "| %s | reported | %s - %s | %s", set, p[0], p[1], versus(reported[p[0]], reported[p[1]]))
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
