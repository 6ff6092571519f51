package ragtest_test

import (
	"testing"

	. "github.com/onsi/gomega"
	"pgregory.net/rapid"

	"github.com/ragomega/ragomega/cache"
	"github.com/ragomega/ragomega/fixtures"
	"github.com/ragomega/ragomega/ragtest"
)

var classroom = ragtest.Sample{
	Name: "classroom", Messages: talk, ReferenceTopics: []string{"science", "history"},
	Response: "not shown", Reference: "not shown", RetrievedContexts: []string{"not shown"},
}

// Who decides about refusals does not see the list, and who decides about the
// list does not see the conversation.
func TestTopicsAreJudgedApart(t *testing.T) {
	g := NewWithT(t)
	l := newLab(t)
	l.On("topics", fixtures.Text(`{"topics":["tides","football","Rome"]}`)).
		On("refusals", fixtures.Text(`{"1":{"reason":"a","refused":false},"2":{"reason":"b","refused":true},"3":{"reason":"c","refused":true}}`)).
		On("classification", fixtures.Text(`{"1":{"reason":"x","on_topic":true},"2":{"reason":"y","on_topic":false},"3":{"on_topic":true}}`))
	score, err := l.measure(l.Judge.Judge(), ragtest.TopicAdherence, classroom)
	g.Expect(err).NotTo(HaveOccurred())
	tides := ragtest.Verdict{Claim: "tides", Part: "spoken of, on the list", OK: true, Reason: "a; x"}
	football := ragtest.Verdict{Claim: "football", Part: "refused, not on the list", OK: true, Reason: "b; y"}
	rome := ragtest.Verdict{Claim: "Rome", Part: "refused, on the list", Reason: "c"}
	g.Expect(score.Value).To(Equal(2 * (1 * 0.5) / (1 + 0.5)))
	g.Expect(score.Verdicts).To(Equal([]ragtest.Verdict{tides, football, rome}))

	var steps []string
	for _, r := range l.Requests() {
		steps = append(steps, r.Step)
		g.Expect(string(r.Body)).NotTo(ContainSubstring("not shown"))
		var a struct {
			Conversation    []map[string]string
			ReferenceTopics []string `json:"reference_topics"`
			Topics          map[string]string
		}
		topics := map[string]string{"1": "tides", "2": "football", "3": "Rome"}
		switch r.Step {
		case "topics":
			exactly(g, r, &a, "conversation")
			g.Expect(a.Conversation).To(HaveLen(4))
			g.Expect(a.Conversation[3]).To(Equal(map[string]string{"role": "assistant", "content": "I cannot speak of that."}))
		case "refusals":
			exactly(g, r, &a, "conversation", "topics")
			g.Expect(a.Conversation).To(HaveLen(4))
			g.Expect(a.Topics).To(Equal(topics))
		case "classification":
			exactly(g, r, &a, "reference_topics", "topics")
			g.Expect(a.ReferenceTopics).To(Equal(classroom.ReferenceTopics))
			g.Expect(a.Topics).To(Equal(topics))
		}
	}
	g.Expect(steps).To(ConsistOf("topics", "refusals", "classification"))

	// The other modes are computed from the same replies. Their evidence is what
	// they are a share of.
	precision, err := l.measure(l.Judge.Judge(), ragtest.TopicAdherence.Precision(), classroom)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(precision.Metric).To(Equal("topic_adherence_precision"))
	g.Expect(precision.Fraction()).To(Equal("1/1"))
	g.Expect(precision.Verdicts).To(Equal([]ragtest.Verdict{tides}))
	recall, err := l.measure(l.Judge.Judge(), ragtest.TopicAdherence.Recall(), classroom)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(recall.Metric).To(Equal("topic_adherence_recall"))
	g.Expect(recall.Verdicts).To(Equal([]ragtest.Verdict{tides, rome}))
	g.Expect(l.Asked(fixtures.Any)).To(Equal(3))
}

func TestTopicsAreJudgedAtOnce(t *testing.T) {
	j := answeredTogether(t, 2, map[string]string{"refusals": entriesOf("refused", []bool{false}), "classification": entriesOf("on_topic", []bool{true})})
	_, err := j.Measure(t.Context(), ragtest.TopicAdherence, classroom)
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
}

func TestTopicAdherenceNeeds(t *testing.T) {
	for field, s := range map[string]ragtest.Sample{
		"Messages":        {UserInput: "q", ReferenceTopics: []string{"a"}, Messages: []ragtest.Message{{Role: "user", Content: " "}}},
		"ReferenceTopics": {Messages: talk, ReferenceTopics: []string{"", " "}},
	} {
		needsField(t, ragtest.TopicAdherence, s, field)
		needsField(t, ragtest.TopicAdherence.Precision(), s, field)
	}
	g := NewWithT(t)
	_, err := within(off(t), nil).Measure(t.Context(), ragtest.TopicAdherence, ragtest.Sample{ReferenceTopics: []string{"a"}})
	g.Expect(err).To(MatchError(ContainSubstring("missing input: Sample.Messages: a conversation to judge is needed, and there are none. Nothing was asked")))
	_, err = within(off(t), nil).Measure(t.Context(), ragtest.TopicAdherence, ragtest.Sample{Messages: talk})
	g.Expect(err).To(MatchError(ContainSubstring("missing input: Sample.ReferenceTopics: topics to keep to are needed, and there are none. Nothing was asked")))
}

func TestNothingToAdhereTo(t *testing.T) {
	for name, test := range map[string]struct {
		metric        ragtest.Metric
		topics        string
		refused, list []bool
		says          string
	}{
		"no topic":         {ragtest.TopicAdherence, `[]`, nil, nil, "the conversation has no topic"},
		"all refused":      {ragtest.TopicAdherence.Precision(), `["a","b"]`, []bool{true, true}, []bool{true, false}, "every topic was refused"},
		"none on the list": {ragtest.TopicAdherence.Recall(), `["a","b"]`, []bool{true, false}, []bool{false, false}, "no topic of the conversation is on the list"},
		"neither":          {ragtest.TopicAdherence, `["a"]`, []bool{true}, []bool{false}, "no topic was spoken of, and none is on the list"},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			j := within(off(t), map[string]string{"topics": `{"topics":` + test.topics + `}`, "refusals": entriesOf("refused", test.refused), "classification": entriesOf("on_topic", test.list)})
			_, err := j.Measure(t.Context(), test.metric, classroom)
			g.Expect(err).To(MatchError(ragtest.ErrUndefined))
			g.Expect(err).To(MatchError(ContainSubstring(test.says)))
		})
	}
}

// All scores are within their range and do not depend on the order of the
// topics; F1 lies between precision and recall, and all are 1 together if the
// assistant spoke of just what is on the list.
func TestTopicAdherenceRapid(t *testing.T) {
	type topic struct{ refused, onList bool }
	c := off(t)
	rapid.Check(t, func(rt *rapid.T) {
		topics := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) topic {
			return topic{rapid.Bool().Draw(t, "refused"), rapid.Bool().Draw(t, "on the list")}
		}), 0, 7).Draw(rt, "topics")
		topics = append(topics, topic{false, true}) // so that each has a score
		measure := func(m ragtest.Metric, topics []topic) float64 {
			names, refused, onList := "", []bool(nil), []bool(nil)
			for _, p := range topics {
				names += `,"t"`
				refused, onList = append(refused, p.refused), append(onList, p.onList)
			}
			return topicsOf(rt, c, m, names[1:], refused, onList)
		}
		f1 := measure(ragtest.TopicAdherence, topics)
		p, r := measure(ragtest.TopicAdherence.Precision(), topics), measure(ragtest.TopicAdherence.Recall(), topics)
		if f1 <= 0 || f1 > 1 || f1 < min(p, r)-1e-15 || f1 > max(p, r)+1e-15 {
			rt.Fatalf("F1 %v of precision %v and recall %v", f1, p, r)
		}
		just := true
		for _, p := range topics {
			just = just && p.refused != p.onList
		}
		if (f1 == 1) != just || (p == 1 && r == 1) != just {
			rt.Fatalf("F1 %v, precision %v and recall %v of %v", f1, p, r, topics)
		}
		if again := measure(ragtest.TopicAdherence, rapid.Permutation(topics).Draw(rt, "in another order")); again != f1 {
			rt.Fatalf("%v in another order, not %v", again, f1)
		}
	})
}

func topicsOf(rt *rapid.T, c *cache.Cache, m ragtest.Metric, names string, refused, onList []bool) float64 {
	score, err := within(c, map[string]string{
		"topics": `{"topics":[` + names + `]}`, "refusals": entriesOf("refused", refused), "classification": entriesOf("on_topic", onList),
	}).Measure(rt.Context(), m, classroom)
	if err != nil {
		rt.Fatal(err)
	}
	return score.Value
}
