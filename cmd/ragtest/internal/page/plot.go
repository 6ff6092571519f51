package page

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/ragomega/ragomega/ragtest"
)

// plot places samples by faithfulness and answer relevance.
type plot struct {
	Judge              string
	Number             int
	Lines              bool    // there are thresholds
	Faithful, Relevant float64 // the thresholds
	LineX, LineY       float64
	Points             []*point
	Left               int // samples that lack one of the two scores
	Quadrants          []quadrantCount
	N                  int
	Ticks              []tick
	LowestRelevance    float64
}

// point has the samples with the same scores.
type point struct {
	ID                 string
	X, Y, R            float64
	Shape              string // "circle", "diamond", "triangle", "square": by quadrant
	Path               string // of shapes other than circles
	Faithful, Relevant float64
	Quadrant           ragtest.Quadrant
	Samples            []pointSample
}

// Label says what the point is, for those who do not see it.
func (p *point) Label() string {
	who := p.Samples[0].Label
	if n := len(p.Samples); n > 1 {
		who = fmt.Sprintf("%d samples", n)
	}
	line := fmt.Sprintf("%s: faithfulness %s, relevance %s", shown(who), digits2(p.Faithful), digits2(p.Relevant))
	if p.Quadrant != "" {
		line += ", " + string(p.Quadrant)
	}
	return line
}

// Target is where the point leads: to its sample, or to the list of them.
func (p *point) Target() string {
	if len(p.Samples) == 1 {
		return fmt.Sprintf("s%d", p.Samples[0].ID)
	}
	return p.ID
}

type pointSample struct {
	ID    int
	Label string
}

type quadrantCount struct {
	Quadrant ragtest.Quadrant
	Shape    string
	N        int
}

type tick struct {
	At    float64
	Label string
}

// The plot's square, in its own units.
const (
	plotLeft, plotTop = 52, 16
	plotSide          = 360
)

var shapes = map[ragtest.Quadrant]string{
	ragtest.FaithfulRelevant: "circle", ragtest.FaithfulIrrelevant: "diamond",
	ragtest.UnfaithfulRelevant: "triangle", ragtest.UnfaithfulIrrelevant: "square",
}

// newPlot is false if no sample has both scores.
func newPlot(judge string, report *ragtest.Report, id func(string) int, t ragtest.Thresholds) (plot, bool) {
	p := plot{Judge: judge, Faithful: t.Faithfulness, Relevant: t.AnswerRelevance, Lines: t.Faithfulness != 0 && t.AnswerRelevance != 0}
	scores := map[string]map[string]float64{}
	var labels []string
	for _, x := range report.Results {
		if x.Metric != ragtest.Faithfulness.Name() && x.Metric != ragtest.AnswerRelevance.Name() {
			continue
		}
		if scores[x.Sample] == nil {
			scores[x.Sample] = map[string]float64{}
			labels = append(labels, x.Sample)
		}
		if x.Err == nil {
			scores[x.Sample][x.Metric] = x.Score.Value
		}
	}
	at := map[string]*point{}
	for _, label := range labels {
		faithful, ok := scores[label][ragtest.Faithfulness.Name()]
		relevant, ok2 := scores[label][ragtest.AnswerRelevance.Name()]
		if !ok || !ok2 {
			p.Left++
			continue
		}
		p.N++
		key := fmt.Sprintf("%.2f %.2f %s", faithful, relevant, p.quadrant(faithful, relevant))
		if at[key] == nil {
			at[key] = &point{Faithful: faithful, Relevant: relevant, Quadrant: p.quadrant(faithful, relevant)}
			p.Points = append(p.Points, at[key])
		}
		at[key].Samples = append(at[key].Samples, pointSample{id(label), label})
		p.LowestRelevance = min(p.LowestRelevance, relevant)
	}
	if p.N == 0 {
		return plot{}, false
	}
	p.place()
	return p, true
}

func (p *plot) quadrant(faithful, relevant float64) ragtest.Quadrant {
	switch {
	case !p.Lines:
		return ""
	case faithful < p.Faithful && relevant < p.Relevant:
		return ragtest.UnfaithfulIrrelevant
	case faithful < p.Faithful:
		return ragtest.UnfaithfulRelevant
	case relevant < p.Relevant:
		return ragtest.FaithfulIrrelevant
	}
	return ragtest.FaithfulRelevant
}

func (p *plot) place() {
	if p.LowestRelevance < 0 {
		p.LowestRelevance = -1
	}
	x := func(v float64) float64 {
		return math.Round(10*(plotLeft+plotSide*(v-p.LowestRelevance)/(1-p.LowestRelevance))) / 10
	}
	y := func(v float64) float64 { return math.Round(10*(plotTop+plotSide*(1-v))) / 10 }
	p.LineX, p.LineY = x(p.Relevant), y(p.Faithful)
	for _, v := range []float64{0, 0.25, 0.5, 0.75, 1} {
		p.Ticks = append(p.Ticks, tick{y(v), digits2(v)})
	}
	// The largest are below, so that none hides another. Keys go from point to point in
	// reading order.
	slices.SortStableFunc(p.Points, func(a, b *point) int {
		return cmp.Or(cmp.Compare(len(b.Samples), len(a.Samples)), cmp.Compare(b.Faithful, a.Faithful), cmp.Compare(a.Relevant, b.Relevant))
	})
	for i, q := range p.Points {
		q.ID = fmt.Sprintf("p%d", q.Samples[0].ID)
		q.X, q.Y = x(q.Relevant), y(q.Faithful)
		q.R = min(14, math.Round(10*(3.2+1.6*math.Sqrt(float64(len(q.Samples)))))/10)
		q.Shape = cmp.Or(shapes[q.Quadrant], "circle")
		q.Path = path(q.Shape, q.X, q.Y, q.R)
		p.Points[i] = q
		if !p.Lines {
			continue
		}
		k := slices.IndexFunc(p.Quadrants, func(c quadrantCount) bool { return c.Quadrant == q.Quadrant })
		if k < 0 {
			k = len(p.Quadrants)
			p.Quadrants = append(p.Quadrants, quadrantCount{q.Quadrant, q.Shape, 0})
		}
		p.Quadrants[k].N += len(q.Samples)
	}
}

// XTicks are the ticks of relevance.
func (p plot) XTicks() (all []tick) {
	for i := range 5 {
		v := p.LowestRelevance + (1-p.LowestRelevance)*float64(i)/4
		all = append(all, tick{plotLeft + plotSide*float64(i)/4, digits2(v)})
	}
	return all
}

// path draws a shape of about the area of a circle.
func path(shape string, x, y, r float64) string {
	var corners [][2]float64
	switch shape {
	case "diamond":
		corners = [][2]float64{{0, -1.25}, {1.25, 0}, {0, 1.25}, {-1.25, 0}}
	case "triangle":
		corners = [][2]float64{{0, -1.35}, {1.2, 0.9}, {-1.2, 0.9}}
	case "square":
		corners = [][2]float64{{-0.9, -0.9}, {0.9, -0.9}, {0.9, 0.9}, {-0.9, 0.9}}
	default:
		return ""
	}
	var at []string
	for _, c := range corners {
		at = append(at, fmt.Sprintf("%.1f %.1f", x+float64(c[0]*r), y+float64(c[1]*r)))
	}
	return "M" + strings.Join(at, "L") + "Z"
}
