package ragtest

import (
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/ragomega/ragomega/cache"
)

// planned are requests of one step that would be asked.
type planned struct {
	step  string
	most  int // requests of the cache in one call
	keys  []cache.Key
	bytes []int // of each
}

func (p *planned) add(r cache.Request) {
	p.step = r.Step
	p.keys = append(p.keys, r.Key())
	p.bytes = append(p.bytes, len(r.Body))
}

// notePlanned keeps p for the measurement that ctx is of. A caller that does not
// measure is a test by itself.
func notePlanned(ctx context.Context, p planned) {
	if t, ok := ctx.Value(traceKey{}).(*trace); ok {
		t.plan(p)
		return
	}
	name, at := callerOf(ctx)
	suite.mu.Lock()
	defer suite.mu.Unlock()
	suite.plan.add(place(name, at), p)
}

// place is what a plan calls a test: its name, or else where it measures.
func place(name, at string) string {
	switch {
	case name != "":
		return name
	case at != "":
		return at
	}
	return "a test"
}

// plan is what a suite would ask.
type plan struct {
	known map[cache.Key]bool // a request that two tests need is paid once
	tests []string           // in the order in which they came
	needs map[string]need    // by test
}

// need is what would be asked, by step.
type need map[string]amount

type amount struct{ calls, bytes int }

// add notes p for a test, but for what another test needs as well and was noted
// for that.
func (p *plan) add(test string, more planned) {
	if p.known == nil {
		p.known, p.needs = map[cache.Key]bool{}, map[string]need{}
	}
	requests, bytes := 0, 0
	for i, k := range more.keys {
		if !p.known[k] {
			p.known[k] = true
			requests++
			bytes += more.bytes[i]
		}
	}
	if requests == 0 {
		return
	}
	if p.needs[test] == nil {
		p.tests = append(p.tests, test)
		p.needs[test] = need{}
	}
	p.needs[test].add(more.step, amount{(requests + more.most - 1) / more.most, bytes})
}

func (n need) add(step string, more amount) {
	a := n[step]
	n[step] = amount{a.calls + more.calls, a.bytes + more.bytes}
}

// String has the calls, the tokens and the steps.
func (n need) String() string {
	var all amount
	var steps []string
	for _, step := range slices.Sorted(maps.Keys(n)) {
		all.calls += n[step].calls
		all.bytes += n[step].bytes
		steps = append(steps, fmt.Sprintf("%s %d", step, n[step].calls))
	}
	return fmt.Sprintf("%d calls, about %d prompt tokens (%s)", all.calls, (all.bytes+bytesPerToken-1)/bytesPerToken, strings.Join(steps, ", "))
}

// bytesPerToken is a rule of thumb for English. Only the model's tokenizer knows
// better.
const bytesPerToken = 4

// summarize prints the plan of c's test package, with what the application would
// ask through c.
func (p *plan) summarize(w io.Writer, c *cache.Cache) {
	if c != nil {
		for _, r := range c.Planned() {
			if r.Kind == "transport" {
				var call planned
				call.most = 1
				call.add(r)
				p.add("the application", call)
			}
		}
	}
	if len(p.tests) == 0 {
		if c != nil && c.Mode() == cache.Plan {
			fmt.Fprintln(w, "ragtest: plan: nothing would be asked")
		}
		return
	}
	all := need{}
	for _, test := range p.tests {
		fmt.Fprintf(w, "ragtest: plan: %s: %v\n", test, p.needs[test])
		for step, a := range p.needs[test] {
			all.add(step, a)
		}
	}
	fmt.Fprintf(w, "ragtest: plan: in all at least %v; tokens are estimated at %d bytes each\n", all, bytesPerToken)
	fmt.Fprintln(w, "ragtest: plan: this is a lower bound: a later step depends on the reply to an earlier one, and a test ends at the first assertion that fails")
}
