package ragtest

import (
	"context"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
)

// rating is a whole number that the judge gives, and why.
type rating struct {
	Reason string
	Value  int
}

// rate asks for one of these ratings, or for any integer if there are none. q
// lacks the prompt and all about the reply.
func (j *Judge) rate(ctx context.Context, prompt string, ratings []int, q question) (rating, error) {
	p, err := j.prompt(prompt)
	if err != nil {
		return rating{}, err
	}
	read := func(reply string) (json.RawMessage, rating, error) { return readRating(reply, ratings) }
	var r rating
	q.prompt = p
	q.schema = ratingSchema(ratings)
	q.read = func(reply string) (raw json.RawMessage, err error) {
		raw, r, err = read(reply)
		return raw, err
	}
	q.differs = otherwise(read, func(a, b rating) bool { return a.Value == b.Value })
	err = j.ask(ctx, q)
	return r, err
}

func ratingSchema(ratings []int) json.RawMessage {
	enum := ""
	if ratings != nil {
		list, _ := marshal(ratings) // integers always can
		enum = `,"enum":` + string(list)
	}
	return json.RawMessage(`{"type":"object","properties":{"reason":{"type":"string"},"rating":{"type":"integer"` + enum + `}},"required":["reason","rating"],"additionalProperties":false}`)
}

func readRating(reply string, ratings []int) (json.RawMessage, rating, error) {
	var r struct {
		Reason string `json:"reason"`
		Rating *int   `json:"rating"`
	}
	raw, err := parse(reply, &r)
	if err != nil {
		return nil, rating{}, err
	}
	if r.Rating == nil {
		return nil, rating{}, &ReplyError{Kind: ErrMalformed, Want: `the field "rating"`, Got: keys(raw), Raw: reply}
	}
	if ratings != nil && !slices.Contains(ratings, *r.Rating) {
		return nil, rating{}, &ReplyError{Kind: ErrMalformed, Want: "a rating of " + either(ratings), Got: strconv.Itoa(*r.Rating), Raw: reply}
	}
	return raw, rating{r.Reason, *r.Rating}, nil
}

// either names numbers to choose from: "0, 2 or 4".
func either(numbers []int) string {
	names := make([]string, len(numbers))
	for i, n := range numbers {
		names[i] = strconv.Itoa(n)
	}
	last := len(names) - 1
	if last == 0 {
		return names[0]
	}
	return strings.Join(names[:last], ", ") + " or " + names[last]
}

// wording is one way to ask for a rating: a prompt, and the texts as it calls
// them.
type wording struct {
	prompt string
	data   any
}

// rated asks for a rating in two wordings at once, and scores the mean of the
// two as a share of the best rating. The first of the ratings is 0, the last is
// the best. claim is what the best rating says.
func (j *Judge) rated(ctx context.Context, metric, claim string, ratings []int, q question, wordings [2]wording) (Score, error) {
	best := ratings[len(ratings)-1]
	var verdicts [2]Verdict
	err := each(ctx, len(wordings), func(ctx context.Context, i int) error {
		q := q
		q.data = wordings[i].data
		r, err := j.rate(ctx, wordings[i].prompt, ratings, q)
		verdicts[i] = Verdict{Claim: claim, Part: wordings[i].prompt, OK: r.Value == best, Value: float64(r.Value), Reason: r.Reason}
		return err
	})
	if err != nil {
		return Score{}, err
	}
	shareOf := func(v Verdict) float64 { return v.Value / float64(best) }
	return Score{Metric: metric, Value: (shareOf(verdicts[0]) + shareOf(verdicts[1])) / 2, Verdicts: verdicts[:]}, nil
}
