package ragtest

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"

	"github.com/ragomega/ragomega/cache"
)

// Rubric returns a metric that says which level of a rubric of yours the answer
// is on: the score is the level's number.
//
//	ragtest.Rubric("tone", map[int]string{1: "rude", 2: "cold", 3: "friendly"})
//
// It needs Response. Whatever else the sample has is shown too, under its name in
// JSON: user_input, retrieved_contexts, reference and reference_contexts. The
// rubric is sent beside the texts, as data. One call. The one verdict has the
// level that was chosen, and is a yes if there is none higher. A blank name, no
// levels or a level without words is an error of every measurement.
//
// The score is Ragas' rubrics score, with these differences: it is a level of
// the rubric, any other number is [ErrMalformed]; there is no rubric that is used
// if you give none; nothing is asked without an answer.
func Rubric(name string, levels map[int]string) rubric {
	return rubric{name, maps.Clone(levels)}
}

type rubric struct {
	name   string
	levels map[int]string
}

func (m rubric) Name() string { return m.name }

// Range returns the lowest and the highest level.
func (m rubric) Range() (lowest, highest float64) {
	levels := slices.Sorted(maps.Keys(m.levels))
	if len(levels) == 0 {
		return 0, 0
	}
	return float64(levels[0]), float64(levels[len(levels)-1])
}

func (m rubric) Measure(ctx context.Context, j *Judge, s Sample) (Score, error) {
	if err := needs(m.check(), needResponse(s)); err != nil {
		return Score{}, err
	}
	return j.level(ctx, m.name, m.levels, show(s))
}

func (m rubric) check() error {
	switch {
	case blank(m.name):
		return errors.New("Rubric: a name is needed, by which results call it")
	case len(m.levels) == 0:
		return fmt.Errorf("Rubric: %q needs levels, and has none", m.name)
	}
	for _, l := range slices.Sorted(maps.Keys(m.levels)) {
		if blank(m.levels[l]) {
			return fmt.Errorf("Rubric: %q does not say what level %d means", m.name, l)
		}
	}
	return nil
}

// InstanceRubric is [Rubric] with a rubric that comes with the sample, as each
// question may need its own. Scores of samples with different rubrics are not to
// be averaged, and it has no range.
//
// It needs Response and Rubrics, whose keys are those of Ragas, such as
// "score1_description", or plain numbers. A key of another form, or two for one
// level, is an [InputError]. A level whose text is blank does not count, as files
// with one column a level have those.
//
// The score is Ragas' instance-specific rubrics, with the differences that Rubric
// has.
var InstanceRubric = instanceRubric{}

type instanceRubric struct{}

func (instanceRubric) Name() string { return "instance_rubric" }

func (m instanceRubric) Measure(ctx context.Context, j *Judge, s Sample) (Score, error) {
	levels, err := readRubric(s.Rubrics)
	if err := needs(needResponse(s), err); err != nil {
		return Score{}, err
	}
	return j.level(ctx, m.Name(), levels, show(s))
}

var rubricKey = regexp.MustCompile(`^(?:score(-?\d+)_description|(-?\d+))$`)

// readRubric reads the levels of a sample's rubric.
func readRubric(rubrics map[string]string) (map[int]string, error) {
	levels := map[int]string{}
	for _, key := range slices.Sorted(maps.Keys(rubrics)) {
		found := rubricKey.FindStringSubmatch(key)
		if found == nil {
			return nil, &InputError{"Rubrics", fmt.Sprintf(`keys such as "score1_description" or "1" are needed, got %q`, key)}
		}
		level, err := strconv.Atoi(found[1] + found[2])
		if err != nil {
			return nil, &InputError{"Rubrics", fmt.Sprintf("the level of %q is no number to compute with", key)}
		}
		if blank(rubrics[key]) {
			continue
		}
		if levels[level] != "" {
			return nil, &InputError{"Rubrics", fmt.Sprintf("%q is a second text for level %d", key, level)}
		}
		levels[level] = rubrics[key]
	}
	if len(levels) == 0 {
		return nil, &InputError{"Rubrics", "a rubric to judge by is needed, and there is none"}
	}
	return levels, nil
}

// level asks which level of a rubric the answer is on.
func (j *Judge) level(ctx context.Context, metric string, levels map[int]string, texts shown) (Score, error) {
	type line struct {
		Rating int    `json:"rating"`
		Means  string `json:"means"`
	}
	ratings := slices.Sorted(maps.Keys(levels))
	data := struct {
		Rubric []line `json:"rubric"`
		shown
	}{shown: texts}
	var parts []cache.Part
	for _, l := range ratings {
		data.Rubric = append(data.Rubric, line{l, levels[l]})
		name := fmt.Sprintf("level %d", l)
		parts = append(parts, cache.TextPart(name, name+" of the rubric", levels[l]))
	}
	r, err := j.rate(ctx, "rubric", ratings, question{
		data: data, about: shorten(texts.Response, 200), parts: append(parts, texts.parts()...),
	})
	if err != nil {
		return Score{}, err
	}
	value := float64(r.Value)
	return Score{Metric: metric, Value: value, Verdicts: []Verdict{{
		Claim: fmt.Sprintf("%d: %s", r.Value, levels[r.Value]), OK: r.Value == ratings[len(ratings)-1], Value: value, Reason: r.Reason,
	}}}, nil
}
