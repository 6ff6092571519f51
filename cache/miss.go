package cache

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// ErrMiss reports a request that is not recorded, in a mode that may not ask.
// Every such error is a [*MissError].
var ErrMiss = errors.New("cache: no recorded reply")

// MissError is an [ErrMiss] with what is known about its cause.
type MissError struct {
	Request Request
	Path    string // of the recording
	// Torn has the numbers of lines that are cut off; one of them may be what
	// is missed.
	Torn []int
	// Nearest is the recorded exchange of the same step that has the most parts
	// in common with the request, and the line it stands on. It is empty if
	// none has anything in common but the way of asking.
	Nearest string
	Line    int
	// Differs are the parts in which the two differ.
	Differs []Difference
}

// Difference is one part of a request that the nearest recorded one does not
// share.
type Difference struct {
	Part string // as the asker calls it: "the answer"
	Was  string // in the recording; empty if it had no such part
	Now  string // in the request; empty if it has no such part
}

// String says what changed in a few words. A text is recorded only as a digest,
// so there is no more to say than that it changed.
func (d Difference) String() string {
	switch {
	case d.Was == "":
		return d.Part + " is new"
	case d.Now == "":
		return d.Part + " is gone"
	case isDigest(d.Was) && isDigest(d.Now):
		return d.Part + " changed"
	}
	return fmt.Sprintf("%s changed: %s → %s", d.Part, d.Was, d.Now)
}

func isDigest(s string) bool {
	return len(s) == 12 && strings.Trim(s, "0123456789abcdef") == ""
}

// Is makes errors.Is(err, ErrMiss) true.
func (e *MissError) Is(target error) bool { return target == ErrMiss }

func (e *MissError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%v for step %s", ErrMiss, e.Request.Step)
	if e.Request.Trial > 0 {
		fmt.Fprintf(&b, ", trial %d", e.Request.Trial)
	}
	fmt.Fprintf(&b, "\n  asked about: %s\n  recording: %s", clip(e.Request.About), e.Path)
	switch {
	case e.Nearest == "":
		fmt.Fprintf(&b, "\n  what differs: everything; nothing like it is recorded for this step")
	case len(e.Differs) == 0:
		fmt.Fprintf(&b, "\n  nearest recorded: line %d, %s\n  what differs: something that is in no part of it; it was made by another version of this library", e.Line, clip(e.Nearest))
	default:
		fmt.Fprintf(&b, "\n  nearest recorded: line %d, %s", e.Line, clip(e.Nearest))
		for i, d := range e.Differs {
			if i == 8 {
				fmt.Fprintf(&b, "\n  … and %d more", len(e.Differs)-i)
				break
			}
			fmt.Fprintf(&b, "\n  what differs: %s", d)
		}
	}
	if len(e.Torn) > 0 {
		fmt.Fprintf(&b, "\n  torn lines: %s (cut off; perhaps this one)", strings.Trim(fmt.Sprint(e.Torn), "[]"))
	}
	return b.String()
}

// miss explains why req is not in r.
func (r *recording) miss(req Request) error {
	e := &MissError{Request: req, Path: r.path}
	r.mu.Lock()
	for _, l := range r.torn {
		e.Torn = append(e.Torn, l.no)
	}
	r.mu.Unlock()
	label := map[string]string{"step": "the prompt", "identity": "the judge's identity"}
	if req.Kind == "transport" {
		label["identity"] = "the host"
	}
	now := map[string]string{"identity": req.Identity, "step": req.Step}
	for _, p := range req.Parts {
		label[p.Name], now[p.Name] = p.Label, p.recorded()
	}
	var best nearness
	for _, x := range r.exchanges() {
		if stepName(x.Step) != stepName(req.Step) {
			continue
		}
		near, differs := compare(x.Exchange, req, maps.Clone(now), label)
		if near.near() && near.better(best) {
			best, e.Nearest, e.Line, e.Differs = near, x.About, x.line, differs
		}
	}
	return e
}

// nearness tells how much a recorded exchange and a request have in common.
type nearness struct {
	texts   int     // the same in both
	differs int     // parts
	alike   float64 // share of words, of what they are about
}

// near reports whether the two have anything in common but the way of asking.
func (n nearness) near() bool { return n.texts > 0 || n.alike >= 0.5 }

func (n nearness) better(than nearness) bool {
	return cmp.Or(
		cmp.Compare(n.texts, than.texts),
		cmp.Compare(n.alike, than.alike),
		cmp.Compare(than.differs, n.differs),
	) > 0
}

// compare returns what x and req, whose parts are now, do not share. Parts that are the same in every
// request, such as the model and the prompt, say nothing about nearness.
func compare(x Exchange, req Request, now, label map[string]string) (nearness, []Difference) {
	was := map[string]string{"identity": x.Identity, "step": x.Step}
	for name, value := range x.Parts {
		was[name] = value
	}
	if x.Trial != req.Trial {
		was["trial"], now["trial"] = fmt.Sprint(x.Trial), fmt.Sprint(req.Trial)
	}
	near := nearness{alike: alike(x.About, req.About)}
	var differs []Difference
	for _, name := range slices.Sorted(maps.Keys(union(was, now))) {
		switch {
		case was[name] != now[name]:
			differs = append(differs, Difference{Part: cmp.Or(label[name], name), Was: was[name], Now: now[name]})
		case isDigest(now[name]) && name != "prompt":
			near.texts++
		}
	}
	near.differs = len(differs)
	return near, differs
}

func union(a, b map[string]string) map[string]string {
	all := maps.Clone(a)
	maps.Copy(all, b)
	return all
}

// alike returns how many words two texts share, twice, over how many they have
// (the Dice coefficient on sets of words).
func alike(a, b string) float64 {
	words := func(s string) map[string]bool {
		set := map[string]bool{}
		for _, w := range strings.Fields(s) {
			set[w] = true
		}
		return set
	}
	wa, wb := words(a), words(b)
	if len(wa)+len(wb) == 0 {
		return 0
	}
	shared := 0
	for w := range wa {
		if wb[w] {
			shared++
		}
	}
	return float64(2*shared) / float64(len(wa)+len(wb))
}
