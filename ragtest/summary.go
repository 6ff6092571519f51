package ragtest

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/ragomega/ragomega/cache"
)

// cost adds up what the exchanges of a suite cost, or would have cost.
type cost struct {
	paid   Tokens        // by this run
	saved  Tokens        // by earlier runs, for what was replayed
	waited time.Duration // by earlier runs, for what was replayed

	counted map[cache.Key]bool // what is repeated saves nothing more
}

func (c *cost) add(t *trace) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, x := range t.exchanges {
		switch {
		case x.Source == cache.Asked:
			c.paid.In += x.Tokens.In
			c.paid.Out += x.Tokens.Out
		case !c.counted[x.Key]:
			c.saved.In += x.Tokens.In
			c.saved.Out += x.Tokens.Out
			c.waited += x.took
		}
		if c.counted == nil {
			c.counted = map[cache.Key]bool{}
		}
		c.counted[x.Key] = true
	}
}

// summarize prints one line about a run, and one for everything that needs
// attention.
func summarize(w io.Writer, c *cache.Cache, paid cost, unused int) {
	n := c.Counts()
	parts := []string{fmt.Sprintf("%d replayed", n.Recorded)}
	add := func(count int, what string) {
		if count > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", count, what))
		}
	}
	add(n.Stored, "from the store")
	parts = append(parts, fmt.Sprintf("%d asked", n.Asked))
	add(n.Repeated, "repeated")
	add(n.Missed, "not recorded")
	add(n.Verified, "asked again and compared")
	add(n.Unverified, "had nothing to be compared with")
	if n.Asked+n.Verified > 0 {
		parts = append(parts, fmt.Sprintf("%d+%d tokens paid", paid.paid.In, paid.paid.Out))
	}
	if paid.saved.In > 0 {
		parts = append(parts, fmt.Sprintf("%d+%d tokens and %.0f s of judging saved", paid.saved.In, paid.saved.Out, paid.waited.Seconds()))
	}
	add(unused, "recorded that no test needs")
	fmt.Fprintf(w, "ragtest (%s): %s\n", c.Mode(), strings.Join(parts, ", "))
	for _, d := range c.Drifts() {
		fmt.Fprintf(w, "ragtest: another reply than recorded: %s\n", d)
	}
	for _, warning := range c.Warnings() {
		fmt.Fprintf(w, "ragtest: warning: %s\n", warning)
	}
}
