package ragtest

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Change says which surface of the system a change broke, as a comparison with what
// was before shows it.
type Change struct {
	Fault Fault // NoFault if nothing went down
	// Shown: the drop is one that the comparison shows ([Worse]). Otherwise the mean is
	// lower by as much as matters, and the samples are too few to tell.
	Shown bool
	// Early: what useful contexts there are stand further down, and nothing else went
	// down yet. Faithfulness follows when the reader no longer gets to them.
	Early    bool
	Evidence []string // the differences, and for ranks which context went from where to where
	Lever    string   // what to try
}

// Diagnose says from the differences of the metrics which surface a change broke:
//
//	context recall down                    [RetrievalMiss]
//	context precision down, recall not     [BadRanking]; alone it is an early warning
//	faithfulness down, recall not          [ReaderInvents]
//	answer relevance down                  [OffTopic]
//	answer correctness down, all else not  [WrongSource]
//
// What is shown to be worse comes before what merely looks it. It takes the metrics:
// of one that was not compared it knows nothing.
func (c Comparison) Diagnose() Change {
	for _, shown := range []bool{true, false} {
		down := map[string]MetricComparison{}
		for _, m := range c.Metrics {
			if m.Outcome == Worse || !shown && m.Outcome == CannotTell && m.Difference <= -c.Smallest {
				down[m.Metric] = m
			}
		}
		if len(down) > 0 {
			return changeOf(down, shown)
		}
	}
	return Change{Fault: NoFault}
}

func changeOf(down map[string]MetricComparison, shown bool) Change {
	c := Change{Shown: shown, Fault: Undiagnosed}
	for _, of := range []struct {
		metric Metric
		fault  Fault
	}{
		{ContextRecall, RetrievalMiss},
		{ContextPrecision, BadRanking},
		{Faithfulness, ReaderInvents},
		{AnswerRelevance, OffTopic},
		{AnswerCorrectness, WrongSource},
	} {
		if _, ok := down[of.metric.Name()]; ok {
			c.Fault = of.fault
			break
		}
	}
	c.Early = c.Fault == BadRanking && len(down) == 1
	c.Lever = levers[c.Fault]
	for _, name := range slices.Sorted(maps.Keys(down)) {
		m := down[name]
		c.Evidence = append(c.Evidence, fmt.Sprintf("%s %.3f → %.3f, n=%d", m.Metric, m.Before, m.Now, m.N))
	}
	if m, ok := down[ContextPrecision.Name()]; ok {
		c.Evidence = append(c.Evidence, slides(m)...)
	}
	return c
}

// slides lists useful contexts that stand further down than before.
func slides(m MetricComparison) (found []string) {
	for _, p := range m.Pairs {
		for _, f := range p.Flips {
			if f.OKBefore && f.NumberBefore > 0 && f.Number > f.NumberBefore && len(found) < inEvidence {
				found = append(found, fmt.Sprintf("%s: useful context from rank %d to %d: %s", p.Sample, f.NumberBefore, f.Number, shorten(f.Claim, 120)))
			}
		}
	}
	return found
}

// String is the fault, what shows it, and what to try.
func (c Change) String() string {
	line := string(c.Fault)
	switch {
	case c.Fault == NoFault:
		return line
	case c.Early:
		line += ", an early warning"
	}
	if !c.Shown {
		line += ", which these samples do not show"
	}
	var b strings.Builder
	b.WriteString(line)
	for _, e := range c.Evidence {
		b.WriteString("\n  " + e)
	}
	if c.Lever != "" {
		b.WriteString("\n  try: " + c.Lever)
	}
	return b.String()
}
