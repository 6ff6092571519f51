package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// verdict is one decision in a judge's reply: a yes or no, or a number.
type verdict struct {
	Path   string  `json:"path"`  // where it stands in the reply: "1.supported"
	Claim  string  `json:"claim"` // what was judged, as far as the line tells
	Value  string  `json:"value"` // in words: "supported"
	Reason string  `json:"reason,omitempty"`
	P      float64 `json:"p,omitempty"` // of a yes
}

// spoken are the words for no and yes of the library's steps.
var spoken = map[string][2]string{
	"supported":    {"unsupported", "supported"},
	"useful":       {"not useful", "useful"},
	"found":        {"missing", "found"},
	"noncommittal": {"commits itself", "evasive"},
}

// verdicts returns the decisions of a reply in their order: every field that is
// true or false or a number, wherever it stands. It knows no step, so that it
// reads those of your own metrics as well. The application's calls and vectors
// have none.
func (x exchange) verdicts() []verdict {
	if x.isVector() || strings.Contains(x.Step, " /") {
		return nil
	}
	reply, yes := x.weighed()
	var v any
	dec := json.NewDecoder(bytes.NewReader(reply))
	dec.UseNumber()
	if dec.Decode(&v) != nil {
		return nil
	}
	w := walk{exchange: x, yes: yes}
	w.see("", v)
	names := x.claims(w.entries)
	for i, v := range w.verdicts {
		if v.Claim == "" {
			w.verdicts[i].Claim = cmp.Or(names[entryOf(v.Path)], cut(x.About, 200))
			if names[entryOf(v.Path)] == "" && entryOf(v.Path) != "" {
				w.verdicts[i].Claim += " [" + entryOf(v.Path) + "]"
			}
		}
	}
	return w.verdicts
}

// weighed returns the reply, and the probabilities that may stand beside it.
func (x exchange) weighed() (json.RawMessage, map[string]float64) {
	var w struct {
		Reply json.RawMessage    `json:"reply"`
		Yes   map[string]float64 `json:"yes"`
	}
	dec := json.NewDecoder(bytes.NewReader(x.Reply))
	dec.DisallowUnknownFields()
	if dec.Decode(&w) == nil && w.Reply != nil && w.Yes != nil {
		return w.Reply, w.Yes
	}
	return x.Reply, nil
}

// walk goes through a reply.
type walk struct {
	exchange exchange
	yes      map[string]float64
	entries  []string // the fields or places whose objects have a verdict
	verdicts []verdict
}

func (w *walk) see(path string, v any) {
	switch v := v.(type) {
	case []any:
		for i, e := range v {
			w.see(join(path, fmt.Sprint(i+1)), e)
		}
	case map[string]any:
		reason, _ := v["reason"].(string)
		question, _ := v["question"].(string)
		decided := false
		for _, name := range slices.SortedFunc(maps.Keys(v), byNumber) {
			var value string
			switch e := v[name].(type) {
			case bool:
				value = word(name, e)
			case json.Number:
				if name == "claim" { // the number of a claim decides nothing
					continue
				}
				value = name + " " + e.String()
			default:
				w.see(join(path, name), e)
				continue
			}
			if !decided {
				w.entries = append(w.entries, path)
				decided = true
			}
			at := join(path, name)
			w.verdicts = append(w.verdicts, verdict{Path: at, Claim: question, Value: value, Reason: reason, P: w.yes[at]})
		}
	}
}

func join(path, name string) string { return strings.TrimPrefix(path+"."+name, ".") }

// entryOf is the path of the object that a verdict stands in.
func entryOf(path string) string { return path[:max(strings.LastIndex(path, "."), 0)] }

func word(name string, yes bool) string {
	words, ok := spoken[name]
	switch {
	case !ok:
		return fmt.Sprintf("%s %v", name, yes)
	case yes:
		return words[1]
	}
	return words[0]
}

// byNumber sorts "2" before "10", and "a2" before "a10".
func byNumber(a, b string) int {
	x, errX := strconv.Atoi(strings.TrimLeft(a, "abcdefghijklmnopqrstuvwxyz"))
	y, errY := strconv.Atoi(strings.TrimLeft(b, "abcdefghijklmnopqrstuvwxyz"))
	if errX != nil || errY != nil {
		return strings.Compare(a, b)
	}
	return cmp.Or(strings.Compare(strings.TrimRight(a, "0123456789"), strings.TrimRight(b, "0123456789")), x-y)
}

// claims names the entries of a reply from what the line is about. The line is
// cut where that is long; an entry whose claim it does not have is not named, and
// none is where their numbers do not agree.
func (x exchange) claims(entries []string) map[string]string {
	names := map[string]string{}
	if len(entries) == 1 && entries[0] == "" {
		return map[string]string{"": x.About}
	}
	var own struct{ Items map[string]string }
	if json.Unmarshal([]byte(x.About), &own) == nil && own.Items != nil {
		return own.Items
	}
	if stepName(x.Step) == "compare" {
		answer, reference, _ := strings.Cut(strings.TrimPrefix(x.About, "answer: "), "; reference: ")
		nameEntries(names, entries, "a", answer)
		nameEntries(names, entries, "r", reference)
		return names
	}
	nameEntries(names, entries, "", x.About)
	return names
}

// nameEntries names the entries with a prefix by the claims in a list.
func nameEntries(names map[string]string, entries []string, prefix, list string) {
	var mine []string
	for _, e := range entries {
		last := e[strings.LastIndex(e, ".")+1:]
		if _, err := strconv.Atoi(strings.TrimPrefix(last, prefix)); err == nil && strings.HasPrefix(last, prefix) {
			mine = append(mine, e)
		}
	}
	claims := strings.Split(list, " | ")
	cutOff := strings.HasSuffix(list, "…")
	if len(claims) > len(mine) || len(claims) < len(mine) && !cutOff {
		return
	}
	for i, c := range claims {
		names[mine[i]] = c
	}
}
