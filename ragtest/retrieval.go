package ragtest

import "fmt"

// Retrieval at rank compares IDs: what was retrieved, best first, with what is known
// to be relevant. Nobody is asked.

// ranking is what was retrieved for a sample, and what should have been.
type ranking struct {
	retrieved IDs
	grades    []int          // by rank; 0 for what is not relevant, or stands higher already
	at        map[string]int // the first rank of each, from 1
	relevant  IDs            // of the reference, each once
	wanted    map[string]int // grades of the reference
	graded    bool
}

// rankingOf reads the IDs of a sample. That nothing was retrieved is a ranking like
// any other, but not where there are contexts whose IDs are not given.
func rankingOf(s Sample) (ranking, error) {
	r := ranking{
		retrieved: s.RetrievedContextIDs, grades: make([]int, len(s.RetrievedContextIDs)), at: map[string]int{},
		wanted: map[string]int{}, graded: len(s.ReferenceContextGrades) > 0,
	}
	if n := len(s.RetrievedContexts); n > 0 && len(r.retrieved) == 0 {
		return r, &InputError{"RetrievedContextIDs", fmt.Sprintf("the IDs of what was retrieved are needed, and there are none of %d contexts", n)}
	}
	if err := r.want(s.ReferenceContextIDs, s.ReferenceContextGrades); err != nil {
		return r, err
	}
	for i, id := range r.retrieved {
		if blank(id) {
			return r, &InputError{"RetrievedContextIDs", fmt.Sprintf("IDs are needed, and that of rank %d is blank", i+1)}
		}
		if r.at[id] == 0 {
			r.at[id], r.grades[i] = i+1, r.wanted[id]
		}
	}
	return r, nil
}

// want reads which IDs are relevant.
func (r *ranking) want(ids IDs, grades Grades) error {
	if n := len(grades); r.graded && n != len(ids) {
		return &InputError{"ReferenceContextGrades", fmt.Sprintf("a grade for each of %d ReferenceContextIDs is needed, and there are %d", len(ids), n)}
	}
	for i, id := range ids {
		grade := 1
		if r.graded {
			grade = grades[i]
		}
		before, again := r.wanted[id]
		switch {
		case blank(id):
			return &InputError{"ReferenceContextIDs", fmt.Sprintf("IDs are needed, and number %d is blank", i+1)}
		case grade < 0:
			return &InputError{"ReferenceContextGrades", fmt.Sprintf("grades of at least 0 are needed, and that of %q is %d", id, grade)}
		case again && before != grade:
			return &InputError{"ReferenceContextGrades", fmt.Sprintf("one grade for each ID is needed, and %q has %d and %d", id, before, grade)}
		case !again && grade > 0:
			r.relevant = append(r.relevant, id)
		}
		r.wanted[id] = grade
	}
	return nil
}

// rankingToFind is rankingOf for metrics that are undefined where nothing is relevant.
func rankingToFind(s Sample) (ranking, error) {
	r, err := rankingOf(s)
	switch {
	case err != nil || len(r.relevant) > 0:
		return r, err
	case len(r.wanted) > 0:
		return r, fmt.Errorf("%w: all ReferenceContextIDs have grade 0, so there is nothing to find", ErrUndefined)
	}
	return r, fmt.Errorf("%w: there are no ReferenceContextIDs, so there is nothing to find", ErrUndefined)
}

// top are the grades of the first k.
func (r ranking) top(k int) []int { return r.grades[:min(k, len(r.grades))] }

// hits are the first k ranks, and whether what is there is relevant.
func (r ranking) hits(k int) []bool {
	hits := make([]bool, len(r.top(k)))
	for i, g := range r.top(k) {
		hits[i] = g > 0
	}
	return hits
}

// depth is how far down a ranking is looked at.
type depth struct {
	k     int
	whole bool // in place of k
}

// named adds the depth to the name of a metric.
func (d depth) named(metric string) string {
	if d.whole {
		return metric
	}
	return fmt.Sprintf("%s_at_%d", metric, d.k)
}

func (d depth) check(metric string) error {
	if !d.whole && d.k < 1 {
		return fmt.Errorf("%s: %d is no number of ranks, expected 1 or more", metric, d.k)
	}
	return nil
}

// look reads the ranking of a sample for a metric, and how many ranks are looked at.
func (d depth) look(metric string, s Sample) (r ranking, k int, err error) {
	if err := d.check(metric); err != nil {
		return r, 0, err
	}
	if r, err = rankingToFind(s); err != nil {
		return r, 0, err
	}
	if d.whole {
		return r, len(r.retrieved), nil
	}
	return r, d.k, nil
}

// byID has a verdict for each relevant ID: whether it is among the first k.
func (r ranking) byID(k int) []Verdict {
	verdicts := make([]Verdict, len(r.relevant))
	for i, id := range r.relevant {
		at := r.at[id]
		verdicts[i] = Verdict{Claim: id, OK: 0 < at && at <= k, Reason: r.where(at, k)}
	}
	return verdicts
}

// where says at which rank an ID is.
func (r ranking) where(at, k int) string {
	switch {
	case len(r.retrieved) == 0:
		return "nothing was retrieved"
	case at == 0:
		return fmt.Sprintf("not retrieved, among %d", len(r.retrieved))
	case at > k:
		return fmt.Sprintf("at rank %d, below the first %d", at, k)
	}
	return fmt.Sprintf("at rank %d", at)
}

// inRanks is how many ranks have a verdict of their own even if nothing relevant is
// at them or below.
const inRanks = 20

// byRank has a verdict for each of the first k ranks: whether what is there is
// relevant. Of a long tail that is not, there is one for all.
func (r ranking) byRank(k int) []Verdict {
	var verdicts []Verdict
	last := 0 // that is relevant
	for i, g := range r.top(k) {
		if g > 0 {
			last = i + 1
		}
	}
	n := min(k, len(r.retrieved))
	for i := range n {
		if i >= max(last, inRanks) && n-i > 1 {
			verdicts = append(verdicts, Verdict{Claim: ranks(i+1, n), Reason: "none of them is relevant"})
			break
		}
		v := Verdict{Claim: r.retrieved[i], OK: r.grades[i] > 0}
		if r.graded {
			v.Value = float64(r.grades[i])
		}
		if !v.OK {
			v.Reason = r.why(i)
		}
		verdicts = append(verdicts, v)
	}
	return verdicts
}

// why says why what is retrieved i-th is not relevant.
func (r ranking) why(i int) string {
	id := r.retrieved[i]
	if at := r.at[id]; at <= i {
		return fmt.Sprintf("the same as at rank %d, and counted there", at)
	}
	if _, ok := r.wanted[id]; ok {
		return "its grade is 0"
	}
	return "it is not among ReferenceContextIDs"
}

// missing has a verdict for each relevant ID that is not among the first k.
func (r ranking) missing(k int) []Verdict {
	var verdicts []Verdict
	for _, v := range r.byID(k) {
		if !v.OK {
			v.Part = "missing"
			if r.graded {
				v.Value = float64(r.wanted[v.Claim])
			}
			verdicts = append(verdicts, v)
		}
	}
	return verdicts
}

func ranks(from, to int) string {
	if from == to {
		return fmt.Sprintf("rank %d", from)
	}
	return fmt.Sprintf("ranks %d to %d", from, to)
}
