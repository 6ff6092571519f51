package ragtest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"

	openai "github.com/sashabaranov/go-openai"
)

// Probabilities returns a copy of j that also asks how likely the judge found
// each yes: a verdict's P. It takes a server that returns log-probabilities, such
// as OpenAI's (not for models that think first) or llama.cpp's; from others the
// measurement is an error.
//
// P is read in the steps "verify", "useful" and "questions". It is no probability
// that the claim is true: judges are overconfident, each in its own way. What it
// is good for is to choose another threshold than the judge's own, on labelled
// data; see [Calibrate].
func (j *Judge) Probabilities() *Judge {
	c := *j
	c.probabilities = true
	return &c
}

// alternatives is how many tokens the server is asked about for each place: the
// most that OpenAI's takes. It is part of the key.
const alternatives = 20

// weighed is a reply with the probabilities of its verdicts, as it is kept.
type weighed struct {
	Reply json.RawMessage    `json:"reply"`
	Yes   map[string]float64 `json:"yes"` // of each true or false in Reply, by its path: "2.supported"
}

// readWeighed takes apart what is kept of a reply. One without probabilities is
// the reply itself.
func readWeighed(asked bool, kept json.RawMessage) (weighed, error) {
	w := weighed{Reply: kept}
	if !asked {
		return w, nil
	}
	w.Reply = nil
	if err := json.Unmarshal(kept, &w); err != nil || w.Reply == nil {
		return weighed{}, &ReplyError{Kind: ErrMalformed, Want: "a reply with probabilities", Got: "another form", Raw: string(kept)}
	}
	return w, nil
}

// weigh adds the probabilities of its verdicts to a reply: those of the tokens
// that spell them.
func weigh(reply json.RawMessage, tokens []openai.LogProb) (weighed, error) {
	none := func(got string) (weighed, error) {
		return weighed{}, &ReplyError{
			Kind: ErrMalformed, Want: "the log-probabilities of the reply's tokens", Got: got,
			Next: "This server or model does not give them: leave out Judge.Probabilities", Raw: string(reply),
		}
	}
	if len(tokens) == 0 {
		return none("none")
	}
	// The server may have cut a fence or thoughts from the content, not from the
	// tokens.
	var all strings.Builder
	for _, t := range tokens {
		all.WriteString(spelling(t.Token, t.Bytes))
	}
	start := strings.LastIndex(all.String(), string(reply))
	if start < 0 {
		return none("those of another text")
	}
	w := weighed{Reply: reply, Yes: map[string]float64{}}
	for path, at := range truths(reply) {
		p, ok := pYes(tokens, start+at)
		if !ok {
			return none("none at " + path)
		}
		w.Yes[path] = p
	}
	return w, nil
}

// truths returns where each true and false stands in a JSON text, by its path.
func truths(text json.RawMessage) map[string]int {
	found := map[string]int{}
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	var value func(path string)
	value = func(path string) {
		t, err := dec.Token()
		if err != nil {
			return
		}
		switch t := t.(type) {
		case bool:
			found[path] = int(dec.InputOffset()) - len(strconv.FormatBool(t))
		case json.Number: // 1 and 0 are how servers without schemas write it
			if t == "1" || t == "0" {
				found[path] = int(dec.InputOffset()) - 1
			}
		case json.Delim:
			for i := 0; dec.More(); i++ {
				key := strconv.Itoa(i)
				if t == '{' {
					name, _ := dec.Token()
					key = fmt.Sprint(name)
				}
				value(strings.TrimPrefix(path+"."+key, "."))
			}
			_, _ = dec.Token() // the end
		}
	}
	value("")
	return found
}

// pYes returns the probability of true rather than false for the token that
// spells it at an offset: it is above 0 and below 1. A word that is not among the
// alternatives has at most what they leave, and no more than the least of them.
func pYes(tokens []openai.LogProb, offset int) (float64, bool) {
	for _, t := range tokens {
		text := spelling(t.Token, t.Bytes)
		if offset >= len(text) {
			offset -= len(text)
			continue
		}
		before := text[:offset]
		var yes, no, sum float64
		least := 1.0
		for _, a := range t.TopLogProbs {
			p := math.Exp(a.LogProb)
			sum += p
			least = min(least, p)
			word, same := strings.CutPrefix(spelling(a.Token, a.Bytes), before)
			switch word = strings.ToLower(strings.TrimSpace(word)); {
			case !same || word == "":
			case begins(word, "true"), word[0] == '1':
				yes += p
			case begins(word, "false"), word[0] == '0':
				no += p
			}
		}
		if yes+no == 0 {
			return 0, false
		}
		unseen := max(min(least, 1-sum), 0)
		if yes == 0 {
			yes = unseen
		}
		if no == 0 {
			no = unseen
		}
		const edge = 1e-9
		return min(max(yes/(yes+no), edge), 1-edge), true
	}
	return 0, false
}

// spelling is what a token stands for. One that is a part of a letter cannot be
// written as text: then the server gives its bytes, and some escape as text.
func spelling(token string, b []byte) string {
	if len(b) > 0 {
		return string(b)
	}
	return token
}

// begins reports whether a token is the beginning of a word, or the word and
// what follows it.
func begins(token, word string) bool {
	return strings.HasPrefix(word, token) || strings.HasPrefix(token, word)
}
