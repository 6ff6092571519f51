package ragtest

import (
	"context"
	"fmt"
)

// votesTemperature is where votes are drawn if the judge's temperature is 0,
// at which all of them would be the same one.
const votesTemperature = 0.3

// votes returns the judges of n votes on one question. Each is a trial of its
// own, and no two of j's trials have a vote in common: trial t has the votes t*n
// to t*n+n-1. A judge that sends no temperature is left as it is.
func (j *Judge) votes(n int) []*Judge {
	voter := j
	if t := j.sampling.temperature; n > 1 && t != nil && *t == 0 {
		voter = j.Temperature(votesTemperature)
	}
	judges := make([]*Judge, n)
	for i := range judges {
		judges[i] = voter.Trial(j.trial*n + i)
	}
	return judges
}

// vote has n votes cast at once, and returns them in their order. Each is a part
// of the evidence, if there are several.
func (j *Judge) vote(ctx context.Context, n int, cast func(context.Context, *Judge) (Verdict, error)) ([]Verdict, error) {
	judges := j.votes(n)
	verdicts := make([]Verdict, n)
	err := each(ctx, n, func(ctx context.Context, i int) (err error) {
		verdicts[i], err = cast(ctx, judges[i])
		if n > 1 {
			verdicts[i].Part = fmt.Sprintf("vote %d", i+1)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return verdicts, nil
}

// checkOwn says what a metric by the user's words lacks.
func checkOwn(metric, name, definition string, votes int) error {
	switch {
	case blank(name):
		return fmt.Errorf("%s: a name is needed, by which results call it", metric)
	case blank(definition):
		return fmt.Errorf("%s: %q needs a definition of what to judge, and it is blank", metric, name)
	case votes < 1:
		return fmt.Errorf("%s.Votes: at least 1 vote is needed, not %d", metric, votes)
	}
	return nil
}
