package ragtest_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/ragomega/ragomega/ragtest"
)

// wordsJudge returns a judge to whom a text is its words: each is a claim and an
// entity, a document supports the words that it has, and is useful if it has one
// of the answer. So tests can say with sets what a metric has to find.
func wordsJudge(t *testing.T) *ragtest.Judge {
	client := clientFunc(func(_ ctx, r chatRequest) (chatResponse, error) {
		var data struct {
			Text, Answer, Document string
			Texts, Documents       []string
			Claims                 map[string]string
		}
		if err := json.Unmarshal([]byte(r.Messages[1].Content), &data); err != nil {
			return chatResponse{}, err
		}
		var said any
		switch r.ResponseFormat.JSONSchema.Name {
		case "entities":
			said = map[string][]string{"entities": wordsOf(data.Texts...)}
		case "useful":
			said = map[string]any{"reason": "r", "useful": common(wordsOf(data.Answer), wordsOf(data.Document)) > 0}
		case "verify":
			entries := map[string]any{}
			for number, claim := range data.Claims {
				entries[number] = map[string]any{"reason": "r", "supported": slices.Contains(wordsOf(data.Documents...), claim)}
			}
			said = entries
		default:
			said = map[string][]string{"claims": wordsOf(data.Text)}
		}
		content, err := json.Marshal(said)
		return reply(string(content)), err
	})
	return ragtest.NewJudgeClient(client, "here", "words").CachedIn(off(t))
}

// wordsOf is never nil, as JSON tells the two apart.
func wordsOf(texts ...string) []string {
	return append([]string{}, strings.Fields(strings.Join(texts, " "))...)
}

// common counts the words of a that b has.
func common(a, b []string) (n int) {
	for _, w := range a {
		if slices.Contains(b, w) {
			n++
		}
	}
	return n
}

// wordsSample draws a sample of such texts. Contexts may be blank.
func wordsSample(t *rapid.T) ragtest.Sample {
	facts := func(least int) *rapid.Generator[string] {
		word := rapid.SampledFrom([]string{"f0", "f1", "f2", "f3", "f4", "f5", "f6", "f7"})
		return rapid.Map(rapid.SliceOfNDistinct(word, least, 6, rapid.ID[string]), func(words []string) string { return strings.Join(words, " ") })
	}
	s := ragtest.Sample{
		UserInput:         "q?",
		Response:          facts(1).Draw(t, "response"),
		Reference:         facts(1).Draw(t, "reference"),
		RetrievedContexts: rapid.SliceOfN(facts(0), 0, 4).Draw(t, "contexts"),
	}
	at := rapid.IntRange(0, len(s.RetrievedContexts)).Draw(t, "place of one that is not blank")
	s.RetrievedContexts = slices.Insert(s.RetrievedContexts, at, facts(1).Draw(t, "context"))
	return s
}
