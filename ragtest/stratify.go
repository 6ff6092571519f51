package ragtest

import (
	"errors"
	"fmt"
	"maps"
	"math/bits"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/ragomega/ragomega/ragtest/agreement"
)

// ClassCounts tells whether labelled samples are enough to know a judge's TPR and
// TNR by.
type ClassCounts struct {
	Yes, No int // samples whose raters say so
	Divided int // samples whose raters are divided, or say something else
	Needed  int // of each class, for the precision that was asked for
}

// CountLabels counts the classes of labels that are yes or no, and how many of
// each it takes to know a rate of about expected to within halfWidth, either way,
// with a confidence of 95 %: 60 for 0.8 to within 0.1. Without an idea of the rate
// take 0.5, which needs most.
func CountLabels(labelled []Labelled, expected, halfWidth float64) (ClassCounts, error) {
	needed, err := agreement.LabelsNeeded(expected, halfWidth, 0.95)
	if err != nil {
		return ClassCounts{}, err
	}
	c := ClassCounts{Needed: needed.Wilson}
	for _, l := range labelled {
		switch v, ok := l.Consensus(); {
		case ok && v == 1:
			c.Yes++
		case ok && v == 0:
			c.No++
		default:
			c.Divided++
		}
	}
	return c, nil
}

// String says what is missing.
func (c ClassCounts) String() string {
	var more []string
	if n := c.Needed - c.Yes; n > 0 {
		more = append(more, fmt.Sprintf("%d more labelled yes", n))
	}
	if n := c.Needed - c.No; n > 0 {
		more = append(more, fmt.Sprintf("%d more labelled no", n))
	}
	text := fmt.Sprintf("%d labelled yes and %d no, of %d each that are needed", c.Yes, c.No, c.Needed)
	if len(more) > 0 {
		text += ": label " + strings.Join(more, " and ")
	}
	if c.Divided > 0 {
		text += fmt.Sprintf("; of %d the raters are divided", c.Divided)
	}
	return text
}

// Stratified draws n samples of each label that occurs, the same ones for the same
// seed, in their order. Where most answers are good, nearly all random labels are
// yes, and TNR would rest on a handful. Kappa, agreement and precision of such a
// draw are those of its own shares, not of the system's; TPR and TNR are not
// touched, nor is what [Report.Corrected] makes of them.
//
// It is an error if a label occurs less often. Draw by people's labels, never by
// the judge's verdicts: those would bias the rates.
func Stratified(labelled []Labelled, n int, seed uint64) ([]Labelled, error) {
	if n < 1 {
		return nil, fmt.Errorf("ragtest: %d samples of each label were asked for, expected at least 1", n)
	}
	of := map[float64][]int{}
	for i, l := range labelled {
		if v, ok := l.Consensus(); ok {
			of[v] = append(of[v], i)
		}
	}
	if len(of) < 2 {
		return nil, fmt.Errorf("ragtest: there are %d different labels, expected at least 2 to draw from", len(of))
	}
	var chosen []int
	for _, v := range slices.Sorted(maps.Keys(of)) {
		if len(of[v]) < n {
			return nil, fmt.Errorf("ragtest: %d samples are labelled %v, expected %d: label more of them", len(of[v]), v, n)
		}
		chosen = append(chosen, shuffled(of[v], seed)[:n]...)
	}
	slices.Sort(chosen)
	return pick(labelled, chosen), nil
}

// Split parts labelled samples into some to choose by, such as a prompt or a
// threshold, and the others to report on, which must not be looked at before. share
// is that of the first, above 0 and below 1. Samples with the same contexts stay
// together, so that nothing is learnt about a text that is reported on. The same
// seed parts them in the same way.
func Split(labelled []Labelled, share float64, seed uint64) (chosenBy, reported []Labelled, err error) {
	if !(share > 0 && share < 1) {
		return nil, nil, fmt.Errorf("ragtest: the share is %v, expected one above 0 and below 1 such as 0.5", share)
	}
	group := map[string]int{}
	var members [][]int
	for i, l := range labelled {
		key := strings.Join(l.Sample.RetrievedContexts, "\x00")
		if key == "" {
			key = "\x01" + fmt.Sprint(i)
		}
		at, ok := group[key]
		if !ok {
			at = len(members)
			group[key] = at
			members = append(members, nil)
		}
		members[at] = append(members[at], i)
	}
	if len(labelled) == 0 {
		return nil, nil, errors.New("ragtest: there are no labelled samples to part")
	}
	if len(members) < 2 {
		return nil, nil, fmt.Errorf("ragtest: all %d samples share their contexts, so they cannot be parted", len(labelled))
	}
	order := make([]int, len(members))
	for i := range order {
		order[i] = i
	}
	var first, second []int
	for i, at := range shuffled(order, seed) {
		if i == 0 || i < len(members)-1 && float64(len(first)) < share*float64(len(labelled)) {
			first = append(first, members[at]...)
		} else {
			second = append(second, members[at]...)
		}
	}
	slices.Sort(first)
	slices.Sort(second)
	return pick(labelled, first), pick(labelled, second), nil
}

func pick(labelled []Labelled, at []int) []Labelled {
	chosen := make([]Labelled, len(at))
	for i, k := range at {
		chosen[i] = labelled[k]
	}
	return chosen
}

// shuffled returns numbers in an order that follows from the seed alone, whatever
// the release of Go.
func shuffled(numbers []int, seed uint64) []int {
	s := slices.Clone(numbers)
	r := rand.NewPCG(seed, uint64(len(s)))
	for i := len(s) - 1; i > 0; i-- {
		k, _ := bits.Mul64(r.Uint64(), uint64(i+1))
		s[i], s[k] = s[k], s[i]
	}
	return s
}
