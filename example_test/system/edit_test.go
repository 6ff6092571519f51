package system

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/ragomega/ragomega/cache"
	"github.com/ragomega/ragomega/example_test/assistant"
	"github.com/ragomega/ragomega/fixtures"
	"github.com/ragomega/ragomega/ragtest"
)

// The prompt of the system is edited, and one answer of four comes out otherwise.
// All four are asked for again, as the prompt is a part of each; of the
// judgments only the four that rest on the changed answer. Nothing is embedded
// again but that answer and the three questions that the judge reads from it.
func TestAnEditOfThePromptAsksOnlyWhatDependsOnIt(t *testing.T) {
	g := NewWithT(t)
	model := fixtures.NewJudge(t).Otherwise(scripted)
	kept, err := cache.Open(cache.Options{Dir: t.TempDir(), Home: t.TempDir(), Mode: cache.Auto})
	g.Expect(err).NotTo(HaveOccurred())
	t.Cleanup(func() { g.Expect(kept.Close()).To(Succeed()) })
	judge := model.Judge().CachedIn(kept).WithEmbedder(model.Embedder().CachedIn(kept))

	suite := func(prompt string) map[string]int {
		before := len(model.Requests())
		system := build(t, assistant.Config{
			ChatURL: model.BaseURL(), ChatModel: "scripted",
			EmbedURL: model.BaseURL(), EmbedModel: "scripted",
			Client: &http.Client{Transport: &cache.Transport{Cache: kept}},
			Prompt: prompt,
		})
		var samples []ragtest.Sample
		for _, name := range []string{"small-locker-limits", "wrong-codes", "saturday-drop-off", "share-code"} {
			samples = append(samples, ask(t, system, question(t, name)))
		}
		report, err := judge.Evaluate(t.Context(), samples, five...)
		g.Expect(err).NotTo(HaveOccurred())
		for _, r := range report.Results {
			g.Expect(r.Err).NotTo(HaveOccurred())
		}
		return counted(model.Requests()[before:])
	}

	g.Expect(suite(assistant.Prompt)).To(Equal(map[string]int{
		"chunks embedded": 40, "questions embedded": 4, "answers": 4,
		"claims": 8, "verify": 8, "useful": 12, "questions": 4, "compare": 4, "texts embedded by the judge": 24,
	}))
	g.Expect(suite(assistant.Prompt)).To(BeEmpty())
	g.Expect(suite(assistant.Prompt + " Use a 12-hour clock.")).To(Equal(map[string]int{
		"answers": 4,
		"claims":  1, "verify": 1, "questions": 1, "compare": 1, "texts embedded by the judge": 4,
	}))
}

// counted says how often what was asked for. Texts to embed are counted one by
// one, as a request may hold several.
func counted(requests []fixtures.Request) map[string]int {
	n := map[string]int{}
	for _, r := range requests {
		switch r.Step {
		case "":
			n["answers"]++
		case fixtures.Embeddings:
			for _, text := range r.Input() {
				switch {
				case strings.HasPrefix(text, "search_document: "):
					n["chunks embedded"]++
				case strings.HasPrefix(text, "search_query: "):
					n["questions embedded"]++
				default:
					n["texts embedded by the judge"]++
				}
			}
		default:
			n[r.Step]++
		}
	}
	return n
}

// scripted is a model that says yes to everything.
func scripted(r fixtures.Request) fixtures.Reply {
	var data struct{ Text string }
	_ = r.Data(&data) // the system's own questions are no JSON
	switch r.Step {
	case "":
		return fixtures.Text(answered(r.Messages()))
	case fixtures.Embeddings:
		var vectors [][]float64
		for _, text := range r.Input() {
			vectors = append(vectors, letters(text))
		}
		return fixtures.Vectors(vectors...)
	case "claims":
		return fixtures.Claims(data.Text)
	case "verify":
		return fixtures.Verdicts(true)
	case "useful":
		return fixtures.Text(`{"reason": "r", "useful": true}`)
	case "questions":
		written := map[string]any{}
		for i := range 3 {
			written[fmt.Sprint(i+1)] = map[string]any{"question": fmt.Sprintf("Question %d: %s?", i+1, data.Text), "noncommittal": false}
		}
		b, _ := json.Marshal(written)
		return fixtures.Text(string(b))
	case "compare":
		return fixtures.Text(`{"a1": {"reason": "r", "found": true}, "r1": {"reason": "r", "found": true}}`)
	}
	return fixtures.Error(http.StatusBadRequest, "unknown", "there is no script for "+r.Step)
}

// answered repeats the question. Of the clock it speaks only where the question
// is about a time.
func answered(messages []fixtures.Message) string {
	system, question := messages[0].Content, messages[1].Content
	if strings.Contains(system, "12-hour clock") && strings.Contains(question, "time") && strings.Contains(question, "Saturday") {
		return "By 11 AM: " + question
	}
	return "Answered: " + question
}

// letters counts the letters of a text.
func letters(text string) []float64 {
	v := make([]float64, 26)
	for _, c := range strings.ToLower(text) {
		if c >= 'a' && c <= 'z' {
			v[c-'a']++
		}
	}
	return v
}
