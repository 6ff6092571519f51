package ragtest_test

import (
	"bytes"
	"encoding/json"
	"testing"

	. "github.com/onsi/gomega"
	"pgregory.net/rapid"

	"github.com/ragomega/ragomega/ragtest"
)

var talk = []ragtest.Message{
	{Role: "user", Content: "Tell me about tides."},
	{Role: "assistant", Content: "They come twice a day."},
	{Role: "user", Content: "And football?"},
	{Role: "assistant", Content: "I cannot speak of that."},
}

// A conversation loads under Ragas' names, and under those of a chat API.
func TestReadConversations(t *testing.T) {
	g := NewWithT(t)
	samples, err := ragtest.ReadSamples(file(t, ""+
		`{"name":"a","user_input":[{"content":"q","metadata":null,"type":"human"},{"content":"","type":"ai","tool_calls":[{"name":"f","args":{}}]},{"content":"r","type":"tool"}],"reference_topics":["science"],"rubrics":{"score1_description":"x","2":null}}`+"\n"+
		`{"user_input":[{"role":"user","content":"q"},{"role":"assistant","content":null}],"reference":"ref"}`+"\n"+
		`{"user_input":[{"type":"message","role":"user","content":"q"}]}`+"\n"+
		`{"user_input":"q","conversation":[{"role":"user","content":"c"}]}`+"\n"+
		`{"User_Input":"q"}`+"\n"+
		`{"user_input":null,"reference_topics":null,"rubrics":null}`+"\n"+
		`{"user_input":[],"response":"r"}`))
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(samples).To(Equal([]ragtest.Sample{
		{
			Name: "a", Messages: []ragtest.Message{{Role: "human", Content: "q"}, {Role: "ai"}, {Role: "tool", Content: "r"}}, ReferenceTopics: []string{"science"},
			Rubrics: map[string]string{"score1_description": "x", "2": ""},
		},
		{Messages: []ragtest.Message{{Role: "user", Content: "q"}, {Role: "assistant"}}, Reference: "ref"},
		{Messages: []ragtest.Message{{Role: "user", Content: "q"}}},
		{UserInput: "q", Messages: []ragtest.Message{{Role: "user", Content: "c"}}},
		{UserInput: "q"},
		{},
		{Messages: []ragtest.Message{}, Response: "r"},
	}))
}

func TestBadConversations(t *testing.T) {
	for text, says := range map[string]string{
		`{"user_input":7}`:       "json: cannot unmarshal number into Go struct field Sample.user_input of type string",
		`{"user_input":{}}`:      "json: cannot unmarshal object into Go struct field Sample.user_input of type string",
		`{"user_input":["q"]}`:   `expected a message such as {"role":"user","content":"…"}, got "q"`,
		`{"user_input":[null]}`:  `a message has a "role" or "type", got null`,
		`{"user_input":[{}]}`:    `a message has a "role" or "type", got {}`,
		`{"reference_topics":1}`: "json: cannot unmarshal number into Go struct field Sample.reference_topics of type []string",
		`{"user_input":[{"role":"user","content":[{"type":"text","text":"q"}]}]}`:                       `expected a message such as {"role":"user","content":"…"}, got {"role":"user","content":[{"type":"text","text":"q"}]}`,
		`{"user_input":[{"role":"user","content":"a"}],"conversation":[{"role":"user","content":"b"}]}`: `a sample has one conversation, got two: "user_input" and "conversation"`,
		`{"user_input":[{"role":"user","content":"a"}],"retrieved_contexts":[1]}`:                       "json: cannot unmarshal number into Go struct field Sample.retrieved_contexts of type string",
		`{"conversation":"no list"}`: "json: cannot unmarshal string into Go struct field Sample.conversation of type []ragtest.Message",
	} {
		t.Run(text, func(t *testing.T) {
			g := NewWithT(t)
			path := file(t, text)
			_, err := ragtest.ReadSamples(path)
			g.Expect(err).To(MatchError("ragtest: " + path + ":1 is not a sample: " + says))
		})
	}
}

// What is written can be read again, whatever the sample has: nothing is lost
// and nothing added.
func TestSamplesRoundTrip(t *testing.T) {
	text := rapid.String()
	texts := rapid.Map(rapid.SliceOfN(text, 0, 3), func(s []string) []string {
		if len(s) == 0 {
			return nil
		}
		return s
	})
	rapid.Check(t, func(rt *rapid.T) {
		s := ragtest.Sample{
			Name: text.Draw(rt, "name"), Tags: texts.Draw(rt, "tags"),
			UserInput: text.Draw(rt, "question"), Response: text.Draw(rt, "answer"), Reference: text.Draw(rt, "reference"),
			RetrievedContexts: texts.Draw(rt, "contexts"), ReferenceContexts: texts.Draw(rt, "reference contexts"),
			RetrievedContextIDs: texts.Draw(rt, "IDs"), ReferenceContextIDs: texts.Draw(rt, "reference IDs"),
			ReferenceTopics: texts.Draw(rt, "topics"),
		}
		for range rapid.IntRange(0, 3).Draw(rt, "messages") {
			s.Messages = append(s.Messages, ragtest.Message{Role: text.Draw(rt, "role"), Content: text.Draw(rt, "content")})
		}
		if m := rapid.MapOfN(text, text, 0, 3).Draw(rt, "rubrics"); len(m) > 0 {
			s.Rubrics = m
		}
		g := NewWithT(rt)
		for _, v := range []any{s, &s, []ragtest.Sample{s}, map[string]ragtest.Sample{"x": s}} {
			_, err := json.Marshal(v)
			g.Expect(err).NotTo(HaveOccurred())
		}
		b, err := json.Marshal(s)
		g.Expect(err).NotTo(HaveOccurred())
		var again ragtest.Sample
		g.Expect(json.Unmarshal(b, &again)).To(Succeed())
		g.Expect(again).To(Equal(s))
	})
}

// A sample without a conversation is written as it was before there were any:
// in the order of its fields, and escaped as the encoder is told to.
func TestSamplesAreWrittenInOrder(t *testing.T) {
	g := NewWithT(t)
	s := ragtest.Sample{Name: "n", UserInput: "a<b", Response: "r", ReferenceContextIDs: ragtest.IDs{"1"}}
	b, err := json.Marshal(s)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(string(b)).To(Equal(`{"name":"n","user_input":"a\u003cb","response":"r","reference_context_ids":["1"]}`))
	var plain bytes.Buffer
	enc := json.NewEncoder(&plain)
	enc.SetEscapeHTML(false)
	g.Expect(enc.Encode(s)).To(Succeed())
	g.Expect(plain.String()).To(Equal(`{"name":"n","user_input":"a<b","response":"r","reference_context_ids":["1"]}` + "\n"))

	s.UserInput, s.Messages = "", talk[:1]
	b, err = json.Marshal(s)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(string(b)).To(Equal(`{"name":"n","response":"r","reference_context_ids":["1"],"user_input":[{"role":"user","content":"Tell me about tides."}]}`))
}

// A conversation has no question that messages could call the sample by; its
// first words serve.
func TestConversationsInMessages(t *testing.T) {
	g := NewWithT(t)
	s := ragtest.Sample{Messages: talk[:2]}
	g.Expect(s.GomegaString()).To(Equal("Tell me about tides.\nuser: Tell me about tides.\nassistant: They come twice a day.\n(0 contexts)"))
	_, err := within(off(t), nil).Measure(t.Context(), ragtest.TopicAdherence, s)
	g.Expect(err).To(MatchError(HavePrefix(`not measured: topic_adherence of sample "Tell me about tides."`)))
}
