package ragtest

import (
	"context"
	"fmt"
	"strconv"
	"strings"
)

// NoiseSensitivity is the share of the answer's claims that the reference does
// not support, and a relevant context does, from 0 to 1: how often the answer
// took up what stands beside the facts that were asked for. A context is
// relevant if it supports a claim of the reference. Less is better.
//
// It needs UserInput, Response, Reference and RetrievedContexts. The judge
// splits the answer and the reference into claims; checks both lists against
// each context alone; and checks the answer's claims against the reference: for
// k contexts 2k+3 calls. A blank context supports nothing, and nobody is asked
// about it. An answer or a reference without a claim is [ErrUndefined].
//
// The score is Ragas' noise sensitivity in its mode "relevant", after RAGChecker
// (Ru et al., 2024). The differences are that every claim has exactly one
// verdict from each text, and that a verdict is yes or no.
var NoiseSensitivity = noiseSensitivity{}

// IrrelevantNoiseSensitivity is the share of the answer's claims that the
// reference does not support, no relevant context does, and an irrelevant
// context does, from 0 to 1: how often the answer was misled by what should not
// have been retrieved. Less is better.
//
// It asks what [NoiseSensitivity] asks, so that both together cost as much as
// one. It is Ragas' mode "irrelevant".
var IrrelevantNoiseSensitivity = noiseSensitivity{irrelevant: true}

type noiseSensitivity struct {
	irrelevant bool
}

func (m noiseSensitivity) Name() string {
	if m.irrelevant {
		return "noise_sensitivity_irrelevant"
	}
	return "noise_sensitivity"
}

func (noiseSensitivity) Range() (lowest, highest float64) { return 0, 1 }

// LowerIsBetter marks the metric as one of which less is better.
func (noiseSensitivity) LowerIsBetter() {}

func (m noiseSensitivity) Measure(ctx context.Context, j *Judge, s Sample) (Score, error) {
	if err := needs(needQuestion(s), needResponse(s), needReference(s), needContexts(s)); err != nil {
		return Score{}, err
	}
	n, err := j.noise(ctx, s)
	if err != nil {
		return Score{}, err
	}
	verdicts := make([]Verdict, len(n.claims))
	noise := 0
	for i := range n.claims {
		verdicts[i] = n.verdict(i, m.irrelevant)
		if !verdicts[i].OK {
			noise++
		}
	}
	return Score{Metric: m.Name(), Value: float64(noise) / float64(len(verdicts)), Verdicts: verdicts}, nil
}

// noise is what both metrics rest on.
type noise struct {
	contexts []string
	relevant []bool      // by context: it supports a claim of the reference
	claims   []Verdict   // of the answer: whether the reference supports them
	found    [][]Verdict // by context: whether it supports the answer's claims; nil if it is blank
}

// noise asks for all that is needed.
func (j *Judge) noise(ctx context.Context, s Sample) (noise, error) {
	texts := []string{s.Reference, s.Response}
	roles := []string{"the reference", "the answer"}
	var claims [2][]string
	err := each(ctx, 2, func(ctx context.Context, i int) (err error) {
		claims[i], err = j.claims(ctx, s.UserInput, texts[i], roles[i])
		return err
	})
	if err != nil {
		return noise{}, err
	}
	for i, c := range claims {
		if len(c) == 0 {
			return noise{}, fmt.Errorf("%w: %s makes no claim, so there is nothing to compare", ErrUndefined, roles[i])
		}
	}
	k := len(s.RetrievedContexts)
	n := noise{contexts: s.RetrievedContexts, relevant: make([]bool, k), found: make([][]Verdict, k)}
	// The reference's claims against each context, the answer's against each,
	// and the answer's against the reference.
	err = each(ctx, 2*k+1, func(ctx context.Context, i int) (err error) {
		switch {
		case i == 2*k:
			n.claims, err = j.verify(ctx, claims[1], []string{s.Reference})
		case blank(s.RetrievedContexts[i%k]):
		case i < k:
			var verdicts []Verdict
			verdicts, err = j.verify(ctx, claims[0], s.RetrievedContexts[i:i+1])
			n.relevant[i] = passed(verdicts) > 0
		default:
			n.found[i-k], err = j.verify(ctx, claims[1], s.RetrievedContexts[i-k:i-k+1])
		}
		return err
	})
	return n, err
}

// verdict says whether claim i of the answer is free of the noise that counts:
// that of relevant contexts, or that of irrelevant ones alone.
func (n noise) verdict(i int, irrelevant bool) Verdict {
	v := Verdict{Claim: n.claims[i].Claim, OK: true}
	if n.claims[i].OK {
		v.Reason = "the reference supports it"
		return v
	}
	if from := n.supporting(i, true); len(from) > 0 {
		v.OK = irrelevant
		v.Reason = fmt.Sprintf("follows %s, which the reference rests on, but the reference does not say it", named(from))
		v.Quote = n.nearest(v.Claim, from)
	} else if from := n.supporting(i, false); len(from) > 0 {
		v.OK = !irrelevant
		v.Reason = fmt.Sprintf("follows %s, which the reference does not rest on", named(from))
		v.Quote = n.nearest(v.Claim, from)
	} else {
		v.Reason = "neither the reference nor a context supports it: that is no noise"
	}
	return v
}

// supporting returns the contexts, relevant or not, that support claim i.
func (n noise) supporting(i int, relevant bool) (contexts []int) {
	for c, verdicts := range n.found {
		if verdicts != nil && verdicts[i].OK && n.relevant[c] == relevant {
			contexts = append(contexts, c)
		}
	}
	return contexts
}

// nearest is what these contexts have of a claim.
func (n noise) nearest(claim string, contexts []int) string {
	var texts []string
	for _, c := range contexts {
		texts = append(texts, n.contexts[c])
	}
	return nearest(claim, texts)
}

// named is "context 2" or "contexts 2, 3 and 5".
func named(contexts []int) string {
	var numbers []string
	for _, c := range contexts {
		numbers = append(numbers, strconv.Itoa(c+1))
	}
	last := len(numbers) - 1
	if last == 0 {
		return "context " + numbers[0]
	}
	return "contexts " + strings.Join(numbers[:last], ", ") + " and " + numbers[last]
}
