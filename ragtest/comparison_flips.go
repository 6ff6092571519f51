package ragtest

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// Flip is a verdict that is not what it was, and speaks for why a score moved: a
// claim that is decided otherwise, a new one that is a no, one that was a yes and
// is gone, a useful context at another rank.
type Flip struct {
	Part string // of the verdict, as in [Verdict]; "context" for contexts, whose parts are their ranks
	// Claim is what is judged now, and Was before. They differ if a claim was
	// reworded: then they are those with most words in common. One of them is "" if
	// the claim is new, or gone.
	Claim, Was string
	// Number is the claim's among the verdicts, from 1, and of a context its rank, now
	// and before; 0 where there is none.
	Number, NumberBefore int
	OK, OKBefore         bool

	yes, no string // what messages call them
}

// Reworded reports whether the claim was put otherwise before.
func (f Flip) Reworded() bool { return f.Claim != "" && f.Was != "" && f.Claim != f.Was }

// String is one line: "claim 3: supported → unsupported: …".
func (f Flip) String() string {
	what := "claim"
	if f.Part != "" {
		what = f.Part
	}
	word := func(ok bool) string {
		if ok {
			return f.yes
		}
		return f.no
	}
	switch {
	case f.Was == "":
		return fmt.Sprintf("%s %d is new: %s: %q", what, f.Number, word(f.OK), shorten(f.Claim, 200))
	case f.Claim == "":
		return fmt.Sprintf("%s %d is gone: it was %s: %q", what, f.NumberBefore, word(f.OKBefore), shorten(f.Was, 200))
	}
	number := fmt.Sprint(f.Number)
	if f.Number != f.NumberBefore {
		number = fmt.Sprintf("%d (%d before)", f.Number, f.NumberBefore)
	}
	if f.Part == contextPart {
		number = fmt.Sprintf("at rank %d", f.Number)
		if f.Number != f.NumberBefore {
			number = fmt.Sprintf("from rank %d to %d", f.NumberBefore, f.Number)
		}
	}
	became := word(f.OK)
	if f.OK != f.OKBefore {
		became = word(f.OKBefore) + " → " + became
	}
	line := fmt.Sprintf("%s %s: %s: %q", what, number, became, shorten(f.Claim, 200))
	if f.Reworded() {
		line += fmt.Sprintf(", nearest to what was %q", shorten(f.Was, 200))
	}
	return line
}

// contextPart is what all parts are called that are contexts of a ranking.
const contextPart = "context"

var rankedPart = regexp.MustCompile(`^context \d+$`)

func partOf(v BaselineVerdict) string {
	if rankedPart.MatchString(v.Part) {
		return contextPart
	}
	return v.Part
}

// yesNo are the words for verdicts of the steps of a metric.
func yesNo(steps []string) [2]string {
	for _, s := range steps {
		switch nameOf(s) {
		case "verify":
			return [2]string{"supported", "unsupported"}
		case "useful":
			return [2]string{"useful", "not useful"}
		case "compare":
			return [2]string{"found", "not found"}
		}
	}
	return [2]string{"yes", "no"}
}

// flips finds what changed from one list of verdicts to another. Verdicts of one
// part belong together that have the same text, in their order, and of the rest
// those with most words in common.
func flips(before, now []BaselineVerdict, words [2]string) []Flip {
	was := counterparts(before, now)
	gone := make([]bool, len(before))
	for i := range gone {
		gone[i] = !slices.Contains(was, i)
	}
	var found []Flip
	add := func(f Flip) {
		f.yes, f.no = words[0], words[1]
		found = append(found, f)
	}
	for i, v := range now {
		f := Flip{Part: partOf(v), Claim: v.Claim, Number: i + 1, OK: v.OK}
		if was[i] < 0 {
			if !v.OK {
				add(f)
			}
			continue
		}
		b := before[was[i]]
		f.Was, f.NumberBefore, f.OKBefore = b.Claim, was[i]+1, b.OK
		moved := f.Part == contextPart && f.OK && f.Number != f.NumberBefore
		if f.OK != f.OKBefore || moved {
			add(f)
		}
	}
	for i, b := range before {
		if gone[i] && b.OK {
			add(Flip{Part: partOf(b), Was: b.Claim, NumberBefore: i + 1, OKBefore: true})
		}
	}
	return found
}

// counterparts returns for each verdict of now which of before it is, or -1.
func counterparts(before, now []BaselineVerdict) []int {
	was := make([]int, len(now))
	taken := make([]bool, len(before))
	for i, v := range now {
		was[i] = slices.IndexFunc(before, func(b BaselineVerdict) bool { return partOf(b) == partOf(v) && b.Claim == v.Claim })
		for was[i] >= 0 && taken[was[i]] { // the next of equal ones
			next := slices.IndexFunc(before[was[i]+1:], func(b BaselineVerdict) bool { return partOf(b) == partOf(v) && b.Claim == v.Claim })
			if next < 0 {
				was[i] = -1
				break
			}
			was[i] += 1 + next
		}
		if was[i] >= 0 {
			taken[was[i]] = true
		}
	}
	for {
		best, from, to := 0.0, -1, -1
		for i, v := range now {
			if was[i] >= 0 || partOf(v) == contextPart {
				continue // another text is another context
			}
			for k, b := range before {
				if taken[k] || partOf(b) != partOf(v) {
					continue
				}
				if s := likeness(v.Claim, b.Claim); s > best {
					best, from, to = s, k, i
				}
			}
		}
		if best < 0.5 {
			return was
		}
		was[to], taken[from] = from, true
	}
}

// likeness is the share of the words of two claims that both have, from 0 to 1.
func likeness(a, b string) float64 {
	wa, wb := everyWord(a), everyWord(b)
	both := shared(wa, wb)
	if all := len(wa) + len(wb) - both; all > 0 {
		return float64(both) / float64(all)
	}
	return 0
}

// everyWord is [words] for texts too short to leave out any.
func everyWord(text string) map[string]bool {
	found := words(text)
	for _, w := range strings.Fields(strings.ToLower(text)) {
		found[strings.Trim(w, ".,;:!?\"'()")] = true
	}
	return found
}
