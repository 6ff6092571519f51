package cache_test

import (
	"errors"
	"fmt"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/ragomega/ragomega/cache"
)

// verifying makes the request of a metric's second step.
func verifying(model, claims string, contexts ...string) cache.Request {
	r := cache.Request{
		Kind: "judge", Identity: "example.com", Body: []byte(fmt.Sprintf("%q %q %q", model, claims, contexts)),
		Step: "verify/v1", About: claims,
		Parts: []cache.Part{
			{Name: "model", Value: model, Label: "the model"},
			cache.TextPart("prompt", "the text of prompt verify", "Check."),
			cache.TextPart("claims", "the claims", claims),
		},
	}
	for i, c := range contexts {
		name := fmt.Sprintf("context %d", i+1)
		r.Parts = append(r.Parts, cache.TextPart(name, name, c))
	}
	return r
}

func TestMissSaysWhatDiffers(t *testing.T) {
	recorded := []cache.Request{
		asking("You can return items within 30 days of delivery."),
		asking("The moon is far away."),
		verifying("m", "Items can be returned.", "c1", "c2", "c3"),
		verifying("m", "The moon is far.", "c4", "c5"),
	}
	change := func(r cache.Request, f func(*cache.Request)) cache.Request {
		r.Parts = append([]cache.Part(nil), r.Parts...)
		r.Body = append([]byte("changed "), r.Body...)
		f(&r)
		return r
	}
	items := recorded[2]
	for name, test := range map[string]struct {
		missed  cache.Request
		nearest string
		differs []string
	}{
		"a word of the answer": {
			asking("You can return items within 60 days of delivery."),
			recorded[0].About,
			[]string{"the answer changed"},
		},
		"a new answer":    {asking("Lockers are open day and night."), "", nil},
		"a context":       {verifying("m", "Items can be returned.", "c1", "other", "c3"), items.About, []string{"context 2 changed"}},
		"a context more":  {verifying("m", "Items can be returned.", "c1", "c2", "c3", "c9"), items.About, []string{"context 4 is new"}},
		"a context less":  {verifying("m", "Items can be returned.", "c1", "c2"), items.About, []string{"context 3 is gone"}},
		"contexts, order": {verifying("m", "Items can be returned.", "c2", "c1", "c3"), items.About, []string{"context 1 changed", "context 2 changed"}},
		"the claims":      {verifying("m", "Items can not be returned.", "c1", "c2", "c3"), items.About, []string{"the claims changed"}},
		"the model":       {verifying("n", "Items can be returned.", "c1", "c2", "c3"), items.About, []string{"the model changed: m → n"}},
		"the identity": {
			change(items, func(r *cache.Request) { r.Identity = "example.org" }), items.About,
			[]string{"the judge's identity changed: example.com → example.org"},
		},
		"the prompt's version": {
			change(items, func(r *cache.Request) { r.Step = "verify/v2" }), items.About,
			[]string{"the prompt changed: verify/v1 → verify/v2"},
		},
		"the prompt's text": {
			change(items, func(r *cache.Request) {
				r.Parts[1] = cache.TextPart("prompt", "the text of prompt verify", "Check well.")
			}), items.About,
			[]string{"the text of prompt verify changed"},
		},
		"a parameter": {
			change(items, func(r *cache.Request) {
				r.Parts = append(r.Parts, cache.Part{Name: "temperature", Value: "0.2", Label: "the temperature"})
			}), items.About,
			[]string{"the temperature is new"},
		},
		"the trial": {
			change(items, func(r *cache.Request) { r.Body, r.Trial = items.Body, 2 }), items.About,
			[]string{"trial changed: 0 → 2"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			g, p := NewWithT(t), newPlace(t)
			for _, r := range recorded {
				put(t, p, r, `1`)
			}
			_, err := replay(t, p, test.missed)
			g.Expect(err).To(MatchError(cache.ErrMiss))
			var miss *cache.MissError
			g.Expect(errors.As(err, &miss)).To(BeTrue())
			g.Expect(miss.Nearest).To(Equal(test.nearest))
			var differs []string
			for _, d := range miss.Differs {
				differs = append(differs, d.String())
				g.Expect(err).To(MatchError(ContainSubstring("what differs: " + d.String())))
			}
			g.Expect(differs).To(Equal(test.differs))
		})
	}
}

func TestMissMessage(t *testing.T) {
	g, p := NewWithT(t), newPlace(t)
	_, err := replay(t, p, asking("a"))
	g.Expect(err).To(MatchError(`cache: no recorded reply for step claims/v1
  asked about: a
  recording: ` + p.file() + `
  what differs: everything; nothing like it is recorded for this step`))

	put(t, p, verifying("m", "Items can be returned.", "c1", "c2"), `1`)
	_, err = replay(t, p, verifying("n", "Items can be returned.", "c1", "c9"))
	g.Expect(err).To(MatchError(`cache: no recorded reply for step verify/v1
  asked about: Items can be returned.
  recording: ` + p.file() + `
  nearest recorded: line 1, Items can be returned.
  what differs: context 2 changed
  what differs: the model changed: m → n`))
}
