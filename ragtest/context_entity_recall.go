package ragtest

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/ragomega/ragomega/cache"
)

// ContextEntityRecall is the share of the reference's entities, such as names,
// dates and amounts, that the retrieved contexts have too, from 0 to 1. It is
// meant for questions that ask for facts about things with names.
//
// It needs Reference and RetrievedContexts. The judge lists the entities of the
// reference, and those of all contexts together: two calls. Entities are equal
// if they are spelled alike, to the letter, and each counts once. A reference
// without an entity is [ErrUndefined].
//
// The score is Ragas' context entity recall, with these differences: it has no
// epsilon, so that a perfect recall is exactly 1; an entity that is listed twice
// counts once; a reference without an entity has no score, where Ragas has 0.
var ContextEntityRecall = contextEntityRecall{}

type contextEntityRecall struct{}

func (contextEntityRecall) Name() string                     { return "context_entity_recall" }
func (contextEntityRecall) Range() (lowest, highest float64) { return 0, 1 }

func (m contextEntityRecall) Measure(ctx context.Context, j *Judge, s Sample) (Score, error) {
	if err := needs(needReference(s), needContexts(s)); err != nil {
		return Score{}, err
	}
	contexts := make([]string, len(s.RetrievedContexts))
	for i := range contexts {
		contexts[i] = fmt.Sprintf("context %d", i+1)
	}
	texts := [][]string{{s.Reference}, s.RetrievedContexts}
	labels := [][]string{{"the reference"}, contexts}
	var entities [2][]string
	err := each(ctx, 2, func(ctx context.Context, i int) (err error) {
		entities[i], err = j.entities(ctx, texts[i], labels[i])
		return err
	})
	if err != nil {
		return Score{}, err
	}
	if len(entities[0]) == 0 {
		return Score{}, fmt.Errorf("%w: the reference has no entity, so there is nothing to look for in the contexts", ErrUndefined)
	}
	var verdicts []Verdict
	for _, e := range entities[0] {
		v := Verdict{Claim: e, OK: slices.Contains(entities[1], e)}
		if !v.OK {
			v.Reason = "the contexts have no entity that is spelled so"
			v.Quote = nearest(e, s.RetrievedContexts)
		}
		verdicts = append(verdicts, v)
	}
	return Score{Metric: m.Name(), Value: share(verdicts), Verdicts: verdicts}, nil
}

const entitiesSchema = `{"type":"object","properties":{"entities":{"type":"array","items":{"type":"string"}}},"required":["entities"],"additionalProperties":false}`

// entities lists the entities of texts, each once. The labels are what messages
// call the texts.
func (j *Judge) entities(ctx context.Context, texts, labels []string) ([]string, error) {
	p, err := j.prompt("entities")
	if err != nil {
		return nil, err
	}
	var parts []cache.Part
	for i, t := range texts {
		parts = append(parts, cache.TextPart(fmt.Sprintf("text %d", i+1), labels[i], t))
	}
	read := func(reply string) (json.RawMessage, []string, error) { return readEntities(reply, texts, p) }
	var entities []string
	err = j.ask(ctx, question{
		prompt: p,
		data: struct {
			Texts []string `json:"texts"`
		}{texts},
		schema: json.RawMessage(entitiesSchema),
		about:  shorten(strings.Join(texts, " | "), 200),
		parts:  parts,
		read: func(reply string) (raw json.RawMessage, err error) {
			raw, entities, err = read(reply)
			return raw, err
		},
		differs: otherwise(read, func(a, b []string) bool {
			slices.Sort(a)
			slices.Sort(b)
			return slices.Equal(a, b)
		}),
	})
	return entities, err
}

func readEntities(reply string, texts []string, p prompt) (json.RawMessage, []string, error) {
	var r struct {
		Entities *[]*string `json:"entities"`
	}
	raw, err := parse(reply, &r)
	if err != nil {
		return nil, nil, err
	}
	if r.Entities == nil {
		return nil, nil, &ReplyError{Kind: ErrMalformed, Want: `the field "entities"`, Got: keys(raw), Raw: reply}
	}
	var entities []string
	for i, e := range *r.Entities {
		if e == nil || blank(*e) {
			return nil, nil, &ReplyError{Kind: ErrMalformed, Want: "a text for each entity", Got: fmt.Sprintf("none for entity %d", i+1), Raw: reply}
		}
		inText := func(text string) bool { return strings.Contains(text, *e) }
		if p.shows(*e) && !slices.ContainsFunc(texts, inText) {
			return nil, nil, &ReplyError{Kind: ErrMalformed, Want: "entities of the texts", Got: fmt.Sprintf("entity %d (%q), which is copied from the prompt", i+1, *e), Raw: reply}
		}
		if !slices.Contains(entities, *e) {
			entities = append(entities, *e)
		}
	}
	return raw, entities, nil
}
