package lexical

import (
	"fmt"
	"math"
)

// BLEU says how [BLEU.Compare] computes; its zero value is what sacrebleu does by
// default.
type BLEU struct {
	Tokenize  Tokenizer // nil is [Tokens13a]
	Lowercase bool      // before tokens are made
	Smooth    Smoothing
	// SmoothValue is how much SmoothFloor and SmoothAddK add; 0 is sacrebleu's 0.1 and 1.
	SmoothValue float64
	// EffectiveOrder leaves out the orders that are longer than the answer. Without it
	// an answer of fewer than four tokens has 0, even if it is the reference, but for
	// SmoothAddK.
	EffectiveOrder bool
}

// Smoothing is what stands for an order without a shared n-gram (Chen and Cherry
// 2014): the geometric mean of a 0 would be 0.
type Smoothing int

// The ways to smooth.
const (
	SmoothExp   Smoothing = iota // half a match of the answer's n-grams, then a quarter, …
	SmoothFloor                  // a part of a match, such as 0.1
	SmoothAddK                   // more matches and n-grams at every order above 1, such as one
	SmoothNone                   // nothing: the score is 0
)

// String returns sacrebleu's word for s.
func (s Smoothing) String() string {
	if s < SmoothExp || s > SmoothNone {
		return fmt.Sprintf("Smoothing(%d)", int(s))
	}
	return []string{"exp", "floor", "add-k", "none"}[s]
}

// BLEUScore is a score and what it was computed from.
type BLEUScore struct {
	Value     float64    // 0 to 1
	Orders    []Overlap  // of n-grams of 1 to 4 tokens
	Precision [4]float64 // of each order, smoothed, 0 to 1
	Brevity   float64    // the factor for an answer that is shorter than the reference, at most 1
	Answer    int        // tokens
	Reference int
}

// Compare returns the BLEU score of an answer (Papineni et al. 2002): the geometric
// mean of the shares of its n-grams of one to four tokens that the reference has,
// lowered for an answer that is the shorter text. It equals sacrebleu's for one text
// and one reference, but is between 0 and 1; sacrebleu exceeds that by rounding.
// A text without tokens has 0.
func (o BLEU) Compare(answer, reference string) BLEUScore {
	x, y := o.tokens(answer), o.tokens(reference)
	numbersX, numbersY, tokens := numbered(x, y)
	s := BLEUScore{
		Orders: overlaps(numbersX, numbersY, tokens, 4, wordsOf(x), wordsOf(y)),
		Answer: len(x), Reference: len(y), Brevity: 1,
	}
	if len(x) < len(y) {
		s.Brevity = math.Exp(1 - float64(len(y))/float64(len(x))) // 0 for none of some
	}
	s.Value = s.Brevity * o.mean(&s)
	return s
}

// mean fills in the precisions, and returns their geometric mean.
func (o BLEU) mean(s *BLEUScore) float64 {
	if s.Orders[0].Shared == 0 {
		return 0 // and nothing is smoothed
	}
	logs, orders, halved := 0.0, len(s.Orders), 1.0
	floor, more := 0.1, 1.0
	if o.SmoothValue > 0 {
		floor = min(o.SmoothValue, 1e300) // an infinite share is none
		more = floor
	}
	for i, n := range s.Orders {
		matches, all := float64(n.Shared), float64(n.Answer)
		if o.Smooth == SmoothAddK && i > 0 {
			matches, all = matches+more, all+more
		}
		if all == 0 {
			if o.EffectiveOrder {
				orders = i
				break
			}
			return 0
		}
		if matches == 0 {
			switch o.Smooth {
			case SmoothExp:
				halved /= 2
				matches = halved
			case SmoothFloor:
				matches = floor
			default:
				return 0
			}
		}
		s.Precision[i] = matches / all
		logs += math.Log(s.Precision[i])
	}
	return min(1, math.Exp(logs/float64(orders)))
}

func (o BLEU) tokens(text string) []string {
	if o.Lowercase {
		text = Lower(text)
	}
	if o.Tokenize == nil {
		return Tokens13a(text)
	}
	return o.Tokenize(text)
}
