package page

import (
	"slices"

	"github.com/ragomega/ragomega/ragtest"
)

// idOfFile is what the file of the samples says of a context.
type idOfFile struct {
	ID    string
	OK    bool // relevant
	Grade int
	Shown bool // the grade, as grades are given
	Again int  // the higher rank at which it is already, and counts
}

// mostIDs is how many ranks are shown of which there are no texts.
const mostIDs = 50

// contexts are those of the file of the samples, in its order. Their IDs stand at
// them, and whether they are relevant, where each has one.
func (t *texts) contexts(s ragtest.Sample, w *row) {
	ids := s.RetrievedContextIDs
	ranks := len(s.RetrievedContexts)
	if ranks == 0 {
		ranks = min(len(ids), mostIDs)
		t.Below = len(ids) - ranks
	}
	reference := referenceOf(s)
	if n := len(s.RetrievedContexts); len(ids) == 0 || n > 0 && n != len(ids) {
		reference = nil // it is not known what was retrieved, or whose the IDs are
	}
	at := map[string]int{}
	for i := range ranks {
		c := contextView{Rank: i + 1}
		if i < len(s.RetrievedContexts) {
			c.Text = s.RetrievedContexts[i]
			c.Judged = judgments(w, i+1, c.Text)
		}
		if i < len(ids) {
			c.ID = ids[i]
			if reference != nil {
				x := reference[c.ID]
				x.Again = at[c.ID]
				c.Relevant = &x
			}
			if at[c.ID] == 0 {
				at[c.ID] = i + 1
			}
		}
		t.Contexts = append(t.Contexts, c)
	}
	for _, id := range s.ReferenceContextIDs {
		x, ok := reference[id]
		if ok && x.OK && !slices.Contains(ids, id) && !slices.Contains(t.Missing, x) {
			t.Missing = append(t.Missing, x)
		}
	}
}

// referenceOf are the IDs of the reference; nil if there are none, or grades that are
// not theirs.
func referenceOf(s ragtest.Sample) map[string]idOfFile {
	grades := s.ReferenceContextGrades
	if len(s.ReferenceContextIDs) == 0 || len(grades) > 0 && len(grades) != len(s.ReferenceContextIDs) {
		return nil
	}
	all := map[string]idOfFile{}
	for i, id := range s.ReferenceContextIDs {
		x := idOfFile{ID: id, OK: true, Grade: 1}
		if len(grades) > 0 {
			x.Grade, x.Shown = grades[i], true
			x.OK = x.Grade > 0
		}
		all[id] = x
	}
	return all
}
