package ragtest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/ragomega/ragomega/cache"
)

// question is one step of a metric: what is asked of the judge, and how its
// reply is read.
type question struct {
	prompt prompt
	data   any             // for the user message, as JSON: nothing in it can end it
	schema json.RawMessage // of the reply
	about  string          // what a reviewer of the recording wants to read
	parts  []cache.Part    // what data was made of
	// read checks a reply and takes what it says. It is called again for every
	// reply that comes from the cache, so it must not depend on anything else.
	read func(reply string) (json.RawMessage, error)
	// weighed is called with the probabilities of the yes or no in a reply, by
	// their paths, before read takes what it says; nil does not ask for any.
	weighed func(yes map[string]float64)
	// differs reports whether a judge that is asked again decides otherwise;
	// nil takes any other reply for another decision.
	differs func(recorded, now json.RawMessage) bool
}

// otherwise makes the differs of a question from the way its replies are read: a
// judge decides otherwise if one of the two cannot be read, or if they are not
// the same.
func otherwise[T any](read func(reply string) (json.RawMessage, T, error), same func(a, b T) bool) func(recorded, now json.RawMessage) bool {
	return func(recorded, now json.RawMessage) bool {
		_, before, errBefore := read(string(recorded))
		_, after, errAfter := read(string(now))
		return errBefore != nil || errAfter != nil || !same(before, after)
	}
}

// refusal is what is kept of a judge that will not answer: asking it again
// would cost the same and bring the same.
type refusal struct {
	Refused  string `json:"refused,omitempty"`
	Filtered string `json:"filtered,omitempty"`
}

func (r refusal) err(step string) error {
	switch {
	case r.Refused != "":
		return &ReplyError{Kind: ErrRefused, Step: step, Got: r.Refused}
	case r.Filtered != "":
		return &ReplyError{Kind: ErrFiltered, Step: step, Got: r.Filtered}
	}
	return nil
}

// readRefusal returns the refusal that v is, or none. A reply that has such a
// field among others is a reply.
func readRefusal(v json.RawMessage) refusal {
	var r refusal
	dec := json.NewDecoder(bytes.NewReader(v))
	dec.DisallowUnknownFields()
	if dec.Decode(&r) != nil {
		return refusal{}
	}
	return r
}

// request spells q as j asks it.
func (j *Judge) request(q question) (chatRequest, error) {
	p := q.prompt
	data, err := marshal(q.data)
	if err != nil {
		return chatRequest{}, err
	}
	r := chatRequest{
		Model:       j.model,
		Messages:    []chatMessage{{"system", p.text}, {"user", q.prompt.spell(data)}},
		Temperature: j.sampling.temperature,
		Seed:        j.sampling.seed,
	}
	if j.sampling.reasoning {
		r.MaxCompletionTokens = j.sampling.maxTokens
	} else {
		r.MaxTokens = j.sampling.maxTokens
	}
	if j.weighs(q) {
		r.LogProbs, r.TopLogProbs = true, alternatives
	}
	if j.plain {
		r.Messages[0].Content += "\n\nThe reply must match this JSON schema:\n" + string(q.schema)
	} else {
		r.ResponseFormat = &responseFormat{"json_schema", jsonSchema{Name: p.name, Schema: q.schema, Strict: true}}
	}
	return r, nil
}

// parts lists what the request depends on, for the diagnosis of a miss.
func (j *Judge) parts(q question) []cache.Part {
	p := q.prompt
	parts := append(make([]cache.Part, 0, len(q.parts)+7), q.parts...)
	parts = append(parts,
		cache.TextPart("prompt", "the text of prompt "+p.name, p.text),
		cache.Part{Name: "model", Value: j.model, Label: "the model"},
		cache.Part{Name: "max tokens", Value: fmt.Sprint(j.sampling.maxTokens), Label: "the token limit"},
	)
	if t := j.sampling.temperature; t != nil {
		parts = append(parts, cache.Part{Name: "temperature", Value: fmt.Sprint(*t), Label: "the temperature"})
	}
	if s := j.sampling.seed; s != nil {
		parts = append(parts, cache.Part{Name: "seed", Value: fmt.Sprint(*s), Label: "the seed"})
	}
	if j.sampling.reasoning {
		parts = append(parts, cache.Part{Name: "reasoning", Value: "yes", Label: "Judge.Reasoning"})
	}
	if j.weighs(q) {
		parts = append(parts, cache.Part{Name: "probabilities", Value: "yes", Label: "Judge.Probabilities"})
	}
	if j.plain {
		parts = append(parts, cache.Part{Name: "plain JSON", Value: "yes", Label: "Judge.PlainJSON"})
	}
	return parts
}

// ask puts q to the judge, or to what the judge is known to answer, and reads
// the reply.
func (j *Judge) ask(ctx context.Context, q question) error {
	if j.nobody() {
		return ErrNoJudge
	}
	c, err := cacheOr(j.cache)
	if err != nil {
		return err
	}
	if _, err := budgetOfRun(); err != nil {
		return err
	}
	r, err := j.request(q)
	if err != nil {
		return err
	}
	body, err := marshal(r)
	if err != nil {
		return err
	}
	req := cache.Request{
		Kind: "judge", Identity: j.identity, Body: body, Trial: j.trial,
		Step: q.prompt.String(), About: q.about, Parts: j.parts(q), Differs: j.differs(q),
	}
	if j.onlyKnown && !c.Known(req) {
		return errNotKnown
	}
	reply, err := c.Do(ctx, req, func(ctx context.Context) (cache.Reply, error) {
		reply, err := j.live(ctx, q, r)
		return reply, inStep(err, q.prompt.String()) // before others share the error
	})
	if errors.Is(err, cache.ErrPlan) {
		p := planned{most: 1}
		p.add(req)
		notePlanned(ctx, p)
	}
	if err != nil {
		return err
	}
	var s served
	_ = json.Unmarshal(reply.Served, &s) // for counting only
	traceOf(ctx).add(Exchange{
		Step: req.Step, Key: reply.Key, Source: reply.Source, Tokens: s.Tokens,
		took: time.Duration(s.Millis) * time.Millisecond,
	})
	if err := readRefusal(reply.Value).err(req.Step); err != nil {
		return err
	}
	w, err := readWeighed(j.weighs(q), reply.Value)
	if err != nil {
		return inStep(err, req.Step)
	}
	if j.weighs(q) {
		q.weighed(w.Yes)
	}
	_, err = q.read(string(w.Reply))
	return inStep(err, req.Step)
}

// weighs reports whether j asks for the probabilities of q's verdicts.
func (j *Judge) weighs(q question) bool { return j.probabilities && q.weighed != nil }

// differs is that of q, for replies as they are kept.
func (j *Judge) differs(q question) func(recorded, now json.RawMessage) bool {
	if !j.weighs(q) || q.differs == nil {
		return q.differs
	}
	return func(recorded, now json.RawMessage) bool {
		before, errBefore := readWeighed(true, recorded)
		after, errAfter := readWeighed(true, now)
		return errBefore != nil || errAfter != nil || q.differs(before.Reply, after.Reply)
	}
}

// live asks the judge over its connection. A reply that cannot be read is sent
// back once, with what is wrong with it; what comes then is kept under the
// first request's key.
func (j *Judge) live(ctx context.Context, q question, r chatRequest) (cache.Reply, error) {
	a, err := j.chat(ctx, r)
	if err != nil {
		return final(err, a.served)
	}
	value, err := q.read(a.text)
	if err != nil {
		r.Messages = append(r.Messages,
			chatMessage{"assistant", a.text},
			chatMessage{"user", "That reply cannot be used: " + err.Error() + "\nReply again, complete, with JSON only."})
		second, errAgain := j.chat(ctx, r)
		a.In, a.Out, a.Millis = a.In+second.In, a.Out+second.Out, a.Millis+second.Millis
		a.tokens = second.tokens
		if errAgain == nil {
			value, errAgain = q.read(second.text)
		}
		if errAgain != nil {
			switch {
			case ctx.Err() != nil:
				return cache.Reply{}, errAgain
			case errors.Is(errAgain, ErrBudget):
				return cache.Reply{}, fmt.Errorf("%w. The reply that was to be mended: %v", errAgain, err)
			}
			return cache.Reply{}, err // the first reply says more than the attempt to mend it
		}
	}
	if !j.weighs(q) {
		return keep(value, a.served)
	}
	w, err := weigh(value, a.tokens)
	if err != nil {
		return cache.Reply{}, err
	}
	return keep(w, a.served)
}

// final turns a judge's refusal into a reply to keep; other errors stay errors.
func final(err error, s served) (cache.Reply, error) {
	var r *ReplyError
	if errors.As(err, &r) {
		switch r.Kind {
		case ErrRefused:
			return keep(refusal{Refused: r.Got}, s)
		case ErrFiltered:
			return keep(refusal{Filtered: r.Got}, s)
		}
	}
	return cache.Reply{}, err
}

func keep(value any, s served) (cache.Reply, error) {
	v, err := marshal(value)
	if err != nil {
		return cache.Reply{}, err
	}
	by, err := marshal(s)
	return cache.Reply{Value: v, Served: by}, err
}

// inStep adds the step to a ReplyError that does not have it.
func inStep(err error, step string) error {
	var r *ReplyError
	if errors.As(err, &r) && r.Step == "" {
		r.Step = step
	}
	return err
}
