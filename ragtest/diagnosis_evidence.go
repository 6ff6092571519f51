package ragtest

import (
	"fmt"
	"strings"
	"unicode"
)

// rejected lists the claims that speak against a metric.
func (d *diagnosing) rejected(m Metric) (claims []string) {
	for _, v := range d.results[m.Name()].Score.Verdicts {
		if !v.OK && len(claims) < inEvidence {
			claims = append(claims, v.about()+shorten(v.Claim, 200))
		}
	}
	return claims
}

// evades reports whether every question that the answer was turned into is one that
// it evades.
func (d *diagnosing) evades() bool {
	verdicts := d.results[AnswerRelevance.Name()].Score.Verdicts
	return len(verdicts) > 0 && passed(verdicts) == 0
}

// asked are the questions that the answer would be an answer to.
func (d *diagnosing) asked() (questions []string) {
	for _, v := range d.results[AnswerRelevance.Name()].Score.Verdicts {
		if len(questions) < inEvidence {
			questions = append(questions, "it answers: "+shorten(v.Claim, 200))
		}
	}
	return questions
}

// ranks tells where what is useful stands.
func (d *diagnosing) ranks() []string {
	var useful []string
	verdicts := d.results[ContextPrecision.Name()].Score.Verdicts
	for i, v := range verdicts {
		if v.OK {
			useful = append(useful, fmt.Sprint(i+1))
		}
	}
	if len(useful) == 0 {
		return []string{fmt.Sprintf("none of %d contexts is useful", len(verdicts))}
	}
	return []string{fmt.Sprintf("useful at rank %s of %d", strings.Join(useful, ", "), len(verdicts))}
}

// otherNumbers lists what the reference says that the contexts say with another
// number: all words of the claim are in the sentence nearest to it, and its numbers
// are not. Most of the words would not do: that other parcels wait for 120 hours is
// no news of chilled ones, which wait for 14.
func (d *diagnosing) otherNumbers() (found []string) {
	for _, v := range d.results[ContextRecall.Name()].Score.Verdicts {
		if v.OK || v.Quote == "" {
			continue
		}
		claim, quote := words(v.Claim), words(v.Quote)
		names, common, numbers, others := 0, 0, 0, 0
		for w := range claim {
			switch {
			case !hasDigit(w):
				names++
				if quote[w] {
					common++
				}
			case !quote[w]:
				numbers++
			}
		}
		for w := range quote {
			if hasDigit(w) && !claim[w] {
				others++
			}
		}
		if numbers > 0 && others > 0 && common == names && names > 0 {
			found = append(found, fmt.Sprintf("expected %q, and the contexts say %q", shorten(v.Claim, 200), shorten(v.Quote, 200)))
		}
	}
	return found
}

func hasDigit(word string) bool { return strings.ContainsFunc(word, unicode.IsDigit) }
