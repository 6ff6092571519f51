package ragtest_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"testing"

	. "github.com/onsi/gomega"
	"pgregory.net/rapid"

	"github.com/ragomega/ragomega/cache"
	"github.com/ragomega/ragomega/fixtures"
	"github.com/ragomega/ragomega/ragtest"
)

// setting is all that can change a reply.
type setting struct {
	identity, model        string
	temperature            float64
	seed, maxTokens, trial int
	reasoning, plain       bool
	prompts                string
	sample                 ragtest.Sample
}

// keys returns the keys of the requests that faithfulness makes.
func (s setting) keys(t testing.TB, c *cache.Cache) []cache.Key {
	defer ragtest.SetPrompts(s.prompts)()
	j := ragtest.NewJudgeClient(clientFunc(func(_ context.Context, r chatRequest) (chatResponse, error) {
		if len(r.Messages[0].Content) > 0 && r.Messages[0].Content[:13] == "You split a t" {
			return reply(`{"claims":["A"]}`), nil
		}
		return reply(supported), nil
	}), s.identity, s.model).CachedIn(c).Seed(s.seed).MaxTokens(s.maxTokens).Trial(s.trial)
	if s.reasoning {
		j = j.Reasoning()
	}
	j = j.Temperature(s.temperature)
	if s.plain {
		j = j.PlainJSON()
	}
	score, err := j.Measure(context.Background(), ragtest.Faithfulness, s.sample)
	if err != nil {
		t.Fatal(err)
	}
	var keys []cache.Key
	for _, x := range score.Exchanges {
		keys = append(keys, x.Key)
	}
	return keys
}

func drawSetting(t *rapid.T) setting {
	text := rapid.StringN(0, 20, -1)
	shown := rapid.Map(text, func(s string) string { return "x" + s })
	return setting{
		identity:    shown.Draw(t, "identity"),
		model:       text.Draw(t, "model"),
		temperature: rapid.Float64Range(0, 2).Draw(t, "temperature"),
		seed:        rapid.Int().Draw(t, "seed"),
		maxTokens:   rapid.IntRange(1, 1<<20).Draw(t, "max tokens"),
		trial:       rapid.IntRange(0, 1000).Draw(t, "trial"),
		reasoning:   rapid.Bool().Draw(t, "reasoning"),
		plain:       rapid.Bool().Draw(t, "plain"),
		sample: ragtest.Sample{
			Name:              text.Draw(t, "name"),
			UserInput:         text.Draw(t, "question"),
			Response:          shown.Draw(t, "answer"),
			RetrievedContexts: rapid.SliceOfNDistinct(shown, 2, 4, rapid.ID[string]).Draw(t, "contexts"),
		},
	}
}

// Every change of what can change a reply is another key: of both steps, or of
// the one that sees it.
func TestWhatAKeyDependsOn(t *testing.T) {
	const both, claims, verify = "both steps", "claims", "verify"
	changes := map[string]struct {
		change func(*setting)
		steps  string
	}{
		"identity":                        {func(s *setting) { s.identity += "'" }, both},
		"model":                           {func(s *setting) { s.model += "'" }, both},
		"identity and model run together": {func(s *setting) { s.identity, s.model = s.identity+s.model+"'", "" }, both},
		"temperature":                     {func(s *setting) { s.temperature += 0.001 }, both},
		"seed":                            {func(s *setting) { s.seed ^= 1 }, both},
		"max tokens":                      {func(s *setting) { s.maxTokens += 1 << 20 }, both},
		"trial":                           {func(s *setting) { s.trial++ }, both},
		"reasoning":                       {func(s *setting) { s.reasoning = !s.reasoning }, both},
		"plain":                           {func(s *setting) { s.plain = !s.plain }, both},
		"prompts":                         {func(s *setting) { s.prompts += "." }, both},
		"question":                        {func(s *setting) { s.sample.UserInput += "?" }, claims},
		"answer":                          {func(s *setting) { s.sample.Response += "." }, claims},
		"answer, space":                   {func(s *setting) { s.sample.Response += " " }, claims},
		"a context":                       {func(s *setting) { s.sample.RetrievedContexts[0] += "." }, verify},
		"one more":                        {func(s *setting) { s.sample.RetrievedContexts = append(s.sample.RetrievedContexts, "") }, verify},
		"order": {func(s *setting) {
			slices.Reverse(s.sample.RetrievedContexts)
		}, verify},
		"contexts joined": {func(s *setting) {
			c := s.sample.RetrievedContexts
			s.sample.RetrievedContexts = append([]string{c[0] + c[1]}, c[2:]...)
		}, verify},
	}
	names := slices.Sorted(maps.Keys(changes))
	c := off(t)
	rapid.Check(t, func(rt *rapid.T) {
		s := drawSetting(rt)
		before := s.keys(t, c)
		for _, name := range names {
			changed := s
			changed.sample.RetrievedContexts = slices.Clone(s.sample.RetrievedContexts)
			changes[name].change(&changed)
			after := changed.keys(t, c)
			if got, want := before[0] != after[0], changes[name].steps != verify; got != want {
				rt.Fatalf("%s: the key of claims changed: %v, want %v", name, got, want)
			}
			if got, want := before[1] != after[1], changes[name].steps != claims; got != want {
				rt.Fatalf("%s: the key of verify changed: %v, want %v", name, got, want)
			}
		}
	})
}

// What no model sees changes no key.
func TestWhatAKeyDoesNotDependOn(t *testing.T) {
	c := off(t)
	rapid.Check(t, func(rt *rapid.T) {
		s := drawSetting(rt)
		before := s.keys(t, c)
		s.sample.Name += "'"
		s.sample.Tags = append(s.sample.Tags, "tag")
		s.sample.Reference += "another reference"
		s.sample.ReferenceContexts = []string{"x"}
		s.sample.RetrievedContextIDs = ragtest.IDs{"1"}
		if after := s.keys(t, c); !slices.Equal(before, after) {
			rt.Fatal("a key changed")
		}
	})
}

// How a call is made changes no key either.
func TestKeyDoesNotDependOnTheCall(t *testing.T) {
	g := NewWithT(t)
	j := ragtest.NewJudgeClient(clientFunc(answer), "here", "m").CachedIn(off(t))
	want, err := j.Measure(t.Context(), ragtest.Faithfulness, bridge)
	g.Expect(err).NotTo(HaveOccurred())
	for _, j := range []*ragtest.Judge{j.Limits(1, 0), j.Timeout(1 << 40), j.Tries(2), j.For(newFakeTB()), j.Trial(0), j.Temperature(0)} {
		got, err := j.Measure(t.Context(), ragtest.Faithfulness, bridge)
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(got.Exchanges).To(Equal(want.Exchanges))
	}
}

// Two judges with the same prompt, and trials of one, each have their own
// replies.
func TestJudgesAndTrialsHaveTheirOwnReplies(t *testing.T) {
	g := NewWithT(t)
	l := newLab(t)
	no := fixtures.Verdicts(false)
	yes := fixtures.Verdicts(true)
	one := fixtures.Claims("A")
	l.On("claims", one, one, one, one, one).On("verify", yes, no, yes, no, yes)
	a, b := ragtest.NewJudge(l.Config(), "judge-a"), ragtest.NewJudge(l.Config(), "judge-b")
	judges := append([]*ragtest.Judge{a, b}, a.Named("x").Trials(3)...)
	for range 2 {
		for i, want := range []float64{1, 0, 1, 0, 1} {
			score, err := l.measure(judges[i], ragtest.Faithfulness, bridge)
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(score.Value).To(Equal(want), fmt.Sprint(judges[i], i))
		}
		g.Expect(l.Asked(fixtures.Any)).To(Equal(10))
	}
}
