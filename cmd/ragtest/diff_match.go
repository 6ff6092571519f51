package main

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// compareSides finds the exchanges of both sides: first those of the same request,
// then, among what is left, the verdicts on the same claim.
func compareSides(before, after side) difference {
	d := difference{Flips: []flip{}, Reworded: []reworded{}, Added: []exchange{}, Removed: []exchange{}}
	old, now := before.byPlace(&d), after.byPlace(&d)
	moved := map[string][]place{} // by key, as a package may have moved
	for _, p := range old.order {
		if _, ok := now.at[p]; !ok {
			moved[p.key] = append(moved[p.key], p)
		}
	}
	paired := map[place]bool{}
	for _, p := range now.order {
		was := p
		if _, ok := old.at[p]; !ok && len(moved[p.key]) > 0 {
			was, moved[p.key] = moved[p.key][0], moved[p.key][1:]
		}
		x, ok := old.at[was]
		if !ok {
			d.Added = append(d.Added, now.at[p])
			continue
		}
		paired[was] = true
		d.sameRequest(x, now.at[p])
	}
	for _, p := range old.order {
		if !paired[p] {
			d.Removed = append(d.Removed, old.at[p])
		}
	}
	d.sameClaims()
	return d
}

// place is where an exchange stands.
type place struct{ file, key string }

type placed struct {
	order []place
	at    map[place]exchange
}

// byPlace sorts the exchanges of a side by file and key. Of two replies to one
// request neither counts: that is a conflict.
func (s side) byPlace(d *difference) placed {
	all := placed{at: map[place]exchange{}}
	for _, name := range slices.Sorted(maps.Keys(s)) {
		r := s[name]
		d.Bad = append(d.Bad, r.bad...)
		conflicts := conflictsOf(r)
		for _, c := range conflicts {
			d.Bad = append(d.Bad, badLine{r.file, c.Lines[0], c.String()})
		}
		for _, x := range r.exchanges {
			p := place{name, x.Key}
			if _, twice := all.at[p]; twice || slices.ContainsFunc(conflicts, func(c conflict) bool { return c.Key == x.Key }) {
				continue
			}
			all.order = append(all.order, p)
			all.at[p] = x
		}
	}
	return all
}

// sameRequest compares two replies to one request.
func (d *difference) sameRequest(was, is exchange) {
	if bytes.Equal(was.Reply, is.Reply) || was.isVector() && sameVector(was.Reply, is.Reply) {
		d.Same += len(is.verdicts())
		return
	}
	old := map[string]verdict{}
	for _, v := range was.verdicts() {
		old[v.Path] = v
	}
	flipped, compared := 0, 0
	for _, v := range is.verdicts() {
		o, ok := old[v.Path]
		if !ok {
			continue
		}
		compared++
		if o.Value != v.Value {
			flipped++
			d.Flips = append(d.Flips, flipOf(was, is, o, v))
		}
	}
	d.Same += compared - flipped
	if flipped == 0 {
		added, removed := otherTexts(was.Reply, is.Reply)
		d.Reworded = append(d.Reworded, reworded{Step: is.Step, Key: is.Key, About: is.About, Added: added, Removed: removed})
	}
}

func flipOf(was, is exchange, o, v verdict) flip {
	return flip{
		Step: is.Step, Claim: v.Claim, Before: o.Value, After: v.Value, WhyBefore: o.Reason, WhyAfter: v.Reason,
		Changed: changedParts(was, is), KeyBefore: was.Key, KeyAfter: is.Key,
	}
}

// changedParts tells what differs between two requests.
func changedParts(was, is exchange) []string {
	if was.Key == is.Key {
		return nil
	}
	var changed []string
	if was.Step != is.Step {
		changed = append(changed, "step "+was.Step)
	}
	if was.Identity != is.Identity {
		changed = append(changed, "by "+was.Identity)
	}
	if was.Trial != is.Trial {
		changed = append(changed, "trial")
	}
	names := maps.Clone(was.Parts)
	if names == nil {
		names = map[string]string{}
	}
	maps.Copy(names, is.Parts)
	for _, name := range slices.SortedFunc(maps.Keys(names), byNumber) {
		switch o, ok := was.Parts[name]; {
		case o == is.Parts[name] && ok:
		case name == "model":
			changed = append(changed, "model "+o)
		case name == "claims":
			changed = append(changed, "other claims beside it")
		default:
			changed = append(changed, name)
		}
	}
	return changed
}

// settings are the parts of a request that are not what is judged.
var settings = []string{"prompt", "model", "max tokens", "temperature", "seed", "reasoning", "probabilities", "plain JSON", "claims"}

// judged is a verdict and where it stands.
type judged struct {
	x    exchange
	v    verdict
	done bool
}

// likeness says how much of two requests must be alike for their verdicts to be
// of the same claim.
type likeness struct{ version, judge, evidence bool }

// likenesses are tried one after the other: what differs least is compared first.
var likenesses = []likeness{
	{version: true, judge: true, evidence: true},
	{judge: true, evidence: true},
	{version: true, evidence: true},
	{evidence: true},
	{version: true, judge: true},
	{judge: true},
	{},
}

func (l likeness) of(j *judged) string {
	field := j.v.Path[strings.LastIndex(j.v.Path, ".")+1:]
	parts := []string{stepName(j.x.Step), strconv.Itoa(j.x.Trial), field, j.v.Claim}
	if l.version {
		parts = append(parts, j.x.Step)
	}
	if l.judge {
		parts = append(parts, j.x.judge())
	}
	if l.evidence {
		for _, name := range slices.Sorted(maps.Keys(j.x.Parts)) {
			if !slices.Contains(settings, name) {
				parts = append(parts, name+"="+j.x.Parts[name])
			}
		}
	}
	return strings.Join(parts, "\x00")
}

// sameClaims compares the verdicts of requests that are on one side only.
func (d *difference) sameClaims() {
	old, now := judgedIn(d.Removed), judgedIn(d.Added)
	for _, like := range likenesses {
		was, is := like.group(old), like.group(now)
		for _, j := range now {
			key := like.of(j)
			if j.done || len(is[key]) != 1 || len(was[key]) != 1 {
				continue
			}
			o := was[key][0]
			o.done, j.done = true, true
			if o.v.Value != j.v.Value {
				d.Flips = append(d.Flips, flipOf(o.x, j.x, o.v, j.v))
			} else {
				d.Same++
			}
		}
	}
	loosest := likenesses[len(likenesses)-1]
	left := loosest.group(old)
	for _, j := range now {
		if !j.done && len(left[loosest.of(j)]) > 0 {
			d.Ambiguous++
		}
	}
}

// judgedIn are the verdicts of some exchanges. One that several packages have
// recorded is one.
func judgedIn(list []exchange) (all []*judged) {
	seen := map[string]bool{}
	for _, x := range list {
		id := x.Key + string(x.Reply)
		if seen[id] {
			continue
		}
		seen[id] = true
		for _, v := range x.verdicts() {
			all = append(all, &judged{x: x, v: v})
		}
	}
	return all
}

// group sorts what is not compared yet by what must be alike.
func (l likeness) group(list []*judged) map[string][]*judged {
	groups := map[string][]*judged{}
	for _, j := range list {
		if !j.done {
			groups[l.of(j)] = append(groups[l.of(j)], j)
		}
	}
	return groups
}

// otherTexts are the texts that one of two replies has and the other has not.
func otherTexts(was, is json.RawMessage) (added, removed []string) {
	old, now := textsOf(was), textsOf(is)
	for _, t := range now {
		if !slices.Contains(old, t) {
			added = append(added, t)
		}
	}
	for _, t := range old {
		if !slices.Contains(now, t) {
			removed = append(removed, t)
		}
	}
	return added, removed
}

func textsOf(reply json.RawMessage) (texts []string) {
	var v any
	if json.Unmarshal(reply, &v) != nil {
		return nil
	}
	var see func(any)
	see = func(v any) {
		switch v := v.(type) {
		case string:
			if !packed.MatchString(`"` + v + `"`) {
				texts = append(texts, v)
			}
		case []any:
			for _, e := range v {
				see(e)
			}
		case map[string]any:
			for _, name := range slices.SortedFunc(maps.Keys(v), byNumber) {
				see(v[name])
			}
		}
	}
	see(v)
	return texts
}
