package ragtest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// LabelledClaims is a text with the claims that people find in it.
type LabelledClaims struct {
	Name     string   `json:"name"`
	Question string   `json:"user_input,omitempty"` // that the text answers
	Text     string   `json:"response"`
	Claims   []string `json:"human_claims"`
}

// ClaimCalibration tells how the judge's claims match people's, text by text.
type ClaimCalibration struct {
	Step     string // with its version: "claims/v2"
	Model    string
	Identity string
	Texts    []MatchedClaims
}

// MatchedClaims are the claims of one text.
type MatchedClaims struct {
	Name    string
	Matched [][2]string // a claim of people, and the judge's
	Missed  []string    // claims of people that the judge does not have
	Extra   []string    // claims of the judge that people do not have
	Err     error       // why the judge made no claims
}

// CalibrateClaims has j split texts into claims, the first step of several
// metrics, and matches these with people's: a claim with the one that it shares
// most words with, if that is at least two thirds of the words of both, each with
// one at most. Two claims that differ in a word or two match, so read the pairs
// before you trust the numbers.
func (j *Judge) CalibrateClaims(ctx context.Context, labelled []LabelledClaims) (*ClaimCalibration, error) {
	if j == nil || j.dial == nil {
		return nil, ErrNoJudge
	}
	if len(labelled) == 0 {
		return nil, errors.New("ragtest: there are no labelled texts to calibrate by")
	}
	for _, l := range labelled {
		if blank(l.Text) {
			return nil, fmt.Errorf("ragtest: labelled text %q is blank", l.Name)
		}
	}
	p, err := j.prompt("claims")
	if err != nil {
		return nil, err
	}
	c := &ClaimCalibration{Step: p.String(), Model: j.model, Identity: j.identity, Texts: make([]MatchedClaims, len(labelled))}
	ctx = withCaller(ctx)
	_ = each(ctx, len(labelled), func(ctx context.Context, i int) error {
		l := labelled[i]
		var claims []string
		_, err := j.traced(ctx, func(ctx context.Context) (err error) {
			claims, err = j.claims(ctx, l.Question, l.Text, "the text")
			return err
		})
		c.Texts[i] = matchClaims(l.Claims, claims)
		c.Texts[i].Name = l.Name
		if err != nil {
			c.Texts[i] = MatchedClaims{Name: l.Name, Err: j.unmeasured(ctx, NewMetric(c.Step, nil), Sample{Name: l.Name}, err)}
		}
		return nil
	})
	return c, endOf(ctx)
}

// matchClaims pairs claims that have most words in common, the nearest first.
func matchClaims(human, judge []string) MatchedClaims {
	type pair struct {
		h, j  int
		share float64
	}
	var pairs []pair
	for h := range human {
		of := words(human[h])
		for j := range judge {
			other := words(judge[j])
			if n := len(of) + len(other); n > 0 {
				if share := 2 * float64(shared(of, other)) / float64(n); share >= 2.0/3 {
					pairs = append(pairs, pair{h, j, share})
				}
			}
		}
	}
	slices.SortStableFunc(pairs, func(a, b pair) int { return cmp.Compare(b.share, a.share) })
	var m MatchedClaims
	doneH, doneJ := map[int]bool{}, map[int]bool{}
	for _, p := range pairs {
		if !doneH[p.h] && !doneJ[p.j] {
			doneH[p.h], doneJ[p.j] = true, true
			m.Matched = append(m.Matched, [2]string{human[p.h], judge[p.j]})
		}
	}
	for h, claim := range human {
		if !doneH[h] {
			m.Missed = append(m.Missed, claim)
		}
	}
	for j, claim := range judge {
		if !doneJ[j] {
			m.Extra = append(m.Extra, claim)
		}
	}
	return m
}

// Rates returns the share of the judge's claims that people have too, and the
// share of people's that the judge has, over all texts that it made claims of.
// It is [ErrUndefined] if there are none of either.
func (c *ClaimCalibration) Rates() (precision, recall float64, err error) {
	matched, judge, human := 0, 0, 0
	for _, t := range c.Texts {
		if t.Err == nil {
			matched += len(t.Matched)
			judge += len(t.Matched) + len(t.Extra)
			human += len(t.Matched) + len(t.Missed)
		}
	}
	if judge == 0 || human == 0 {
		return 0, 0, fmt.Errorf("%w: the judge has %d claims and people have %d", ErrUndefined, judge, human)
	}
	return float64(matched) / float64(judge), float64(matched) / float64(human), nil
}

// String shows the rates, and what does not match, text by text.
func (c *ClaimCalibration) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s by %s at %s: ", c.Step, c.Model, c.Identity)
	if precision, recall, err := c.Rates(); err != nil {
		b.WriteString(err.Error())
	} else {
		n := 0
		for _, t := range c.Texts {
			if t.Err == nil {
				n++
			}
		}
		fmt.Fprintf(&b, "precision %.2f, recall %.2f of claims, n=%d texts", precision, recall, n)
	}
	for _, t := range c.Texts {
		if t.Err != nil {
			fmt.Fprintf(&b, "\n  %s: %v", t.Name, t.Err)
		}
		for _, claim := range t.Missed {
			fmt.Fprintf(&b, "\n  %s: missed: %s", t.Name, shorten(claim, 200))
		}
		for _, claim := range t.Extra {
			fmt.Fprintf(&b, "\n  %s: extra: %s", t.Name, shorten(claim, 200))
		}
	}
	return b.String()
}
