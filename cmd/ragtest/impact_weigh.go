package main

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/ragomega/ragomega/ragtest"
)

// impact is what a change does.
type impact struct {
	Changes      []string      `json:"changes"`
	Measurements []invalidated `json:"measurements"`
	Samples      []string      `json:"samples"` // names of the samples of those
	Steps        []stepImpact  `json:"steps"`
	Tests        []testImpact  `json:"tests"`
	AtLeast      amount        `json:"at_least"`
	AtMost       amount        `json:"at_most"` // if replies stay as long as they are
	New          []string      `json:"new,omitempty"`
	Unknown      []string      `json:"unknown,omitempty"`
}

// invalidated is a measurement that changes or may.
type invalidated struct {
	Package string   `json:"package"`
	Test    string   `json:"test,omitempty"`
	Sample  string   `json:"sample"`
	Metric  string   `json:"metric"`
	Certain []string `json:"certain"` // keys
	May     []string `json:"may"`
}

// amount is what it takes to ask again.
type amount struct {
	Calls  int    `json:"calls"`
	Tokens tokens `json:"tokens"`
}

func (a *amount) add(x ragtest.Exchange) {
	a.Calls++
	a.Tokens.In, a.Tokens.Out = a.Tokens.In+x.Tokens.In, a.Tokens.Out+x.Tokens.Out
}

func (a amount) String() string {
	if a.Calls == 0 {
		return "nothing"
	}
	return fmt.Sprintf("%s, %v", count(a.Calls, "call"), a.Tokens)
}

type stepImpact struct {
	Step    string `json:"step"`
	AtLeast amount `json:"at_least"`
	AtMost  amount `json:"at_most"`
}

type testImpact struct {
	Package string `json:"package"`
	Test    string `json:"test,omitempty"`
	AtLeast amount `json:"at_least"`
	AtMost  amount `json:"at_most"`
}

// weighImpact looks at every measurement. What several measurements need is paid
// once; what is certain for one of them is certain.
func weighImpact(records []ragtest.Record, c change) impact {
	i := impact{Changes: c.what, Measurements: []invalidated{}, Samples: []string{}, New: c.new}
	effects := map[string]effect{}
	exchanges := map[string]ragtest.Exchange{}
	tests := map[string]map[string]bool{} // keys by test
	named := map[string]ragtest.Record{}
	seen := map[string]bool{}
	for _, r := range records {
		m := invalidated{Package: r.Package, Test: r.Test, Sample: r.Sample, Metric: r.Metric, Certain: []string{}, May: []string{}}
		changed := map[string]bool{} // steps whose replies may be others now
		for _, x := range r.Exchanges {
			key := x.Key.String()
			e := c.of(r, x)
			if e == none && (len(changed) > 1 || len(changed) == 1 && !changed[x.Step]) {
				e = may // it follows a reply that may be another
			}
			if e == none {
				continue
			}
			changed[x.Step] = true
			exchanges[key] = x
			effects[key] = max(effects[key], e)
			if e == certain {
				m.Certain = append(m.Certain, key)
			} else {
				m.May = append(m.May, key)
			}
			t := inTest(r)
			if tests[t] == nil {
				tests[t], named[t] = map[string]bool{}, r
			}
			tests[t][key] = true
		}
		if again := fmt.Sprint(m); len(changed) > 0 && !seen[again] {
			seen[again] = true
			i.Measurements = append(i.Measurements, m)
			i.Samples = distinct(i.Samples, r.Sample)
		}
	}
	steps := map[string]*stepImpact{}
	for _, key := range slices.Sorted(maps.Keys(effects)) {
		x := exchanges[key]
		if steps[x.Step] == nil {
			steps[x.Step] = &stepImpact{Step: x.Step}
		}
		s := steps[x.Step]
		i.AtMost.add(x)
		s.AtMost.add(x)
		if effects[key] == certain {
			i.AtLeast.add(x)
			s.AtLeast.add(x)
		}
	}
	for _, step := range slices.Sorted(maps.Keys(steps)) {
		i.Steps = append(i.Steps, *steps[step])
	}
	for _, t := range slices.Sorted(maps.Keys(tests)) {
		test := testImpact{Package: named[t].Package, Test: named[t].Test}
		for key := range tests[t] {
			test.AtMost.add(exchanges[key])
			if effects[key] == certain {
				test.AtLeast.add(exchanges[key])
			}
		}
		i.Tests = append(i.Tests, test)
	}
	return i
}

func (i impact) print(w io.Writer) {
	if len(i.Changes) == 0 {
		fmt.Fprintln(w, "nothing changes")
	}
	for _, c := range i.Changes {
		fmt.Fprintln(w, "changes:", c)
	}
	if len(i.Measurements) == 0 {
		fmt.Fprintln(w, "no measurement of the results is invalidated")
	} else {
		fmt.Fprintf(w, "%s of %s:\n", count(len(i.Measurements), "measurement"), count(len(i.Samples), "sample"))
		t := table(w)
		for _, m := range i.Measurements {
			fmt.Fprintf(t, "  %s\t%s\t%s\t%d certain, %d may follow\n", strings.TrimSpace(m.Package+" "+m.Test), cut(m.Sample, 40), oneLine(m.Metric), len(m.Certain), len(m.May))
		}
		fmt.Fprintln(t, "by test (what several need counts for each)\tat least\tat most")
		for _, x := range i.Tests {
			fmt.Fprintf(t, "  %s\t%v\t%v\n", strings.TrimSpace(x.Package+" "+x.Test), x.AtLeast, x.AtMost)
		}
		fmt.Fprintln(t, "by step\tat least\tat most")
		for _, x := range i.Steps {
			fmt.Fprintf(t, "  %s\t%v\t%v\n", oneLine(x.Step), x.AtLeast, x.AtMost)
		}
		_ = t.Flush()
	}
	fmt.Fprintf(w, "in all at least %v; at most %v if new replies are like the recorded ones\n", i.AtLeast, i.AtMost)
	for _, n := range i.New {
		fmt.Fprintf(w, "new: sample %q, of which nothing is known\n", n)
	}
	for _, u := range i.Unknown {
		fmt.Fprintln(w, "not known:", u)
	}
}
