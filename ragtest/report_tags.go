package ragtest

import (
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"
)

// TagScores are the scores of a metric among the samples with a tag.
type TagScores struct {
	Tag string // "" for the samples without one
	Scores
}

// ByTag returns what r has of a metric, tag by tag: the tags as [Report.Tags] has
// them, and then the samples without a tag, if there are any. A sample with two tags
// is in both. Where the tags are the types of questions, it shows which of them a
// retriever or a reader does badly; a mean over all hides it.
func (r *Report) ByTag(m Metric) []TagScores {
	parts := r.parts()
	var groups []TagScores
	for _, tag := range r.Tags() {
		groups = append(groups, TagScores{tag, parts[tag].Scores(m)})
	}
	if rest := parts[""]; rest != nil {
		groups = append(groups, TagScores{"", rest.Scores(m)})
	}
	return groups
}

// parts are the parts of r that are about samples with each tag, and under "" about
// those without one.
func (r *Report) parts() map[string]*Report {
	parts := map[string]*Report{}
	add := func(tag string, x Result) {
		part := parts[tag]
		if part == nil {
			part = &Report{}
			parts[tag] = part
		}
		part.Results = append(part.Results, x)
	}
	for _, x := range r.Results {
		tagged := false
		for i, tag := range x.Tags {
			if tag != "" && !slices.Contains(x.Tags[:i], tag) {
				tagged = true
				add(tag, x)
			}
		}
		if !tagged {
			add("", x)
		}
	}
	return parts
}

// TagTable is a table of the means, with a line for each tag and a column for each
// metric, and how many samples a mean is of. What was not measured is counted beside
// it.
//
//	tag         recall_at_5   ndcg_at_5
//	all         0.833 (n=12)  0.790 (n=12)
//	multi-hop   0.500 (n=4)   0.463 (n=4)
//	single-hop  1.000 (n=8)   0.953 (n=8)
func (r *Report) TagTable() string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	row := func(name string, part *Report) {
		cells := []string{name}
		for _, metric := range r.Metrics {
			cells = append(cells, part.scores(metric, false).cell())
		}
		fmt.Fprintln(w, strings.Join(cells, "\t"))
	}
	fmt.Fprintln(w, strings.Join(append([]string{"tag"}, r.Metrics...), "\t"))
	row("all", r)
	parts := r.parts()
	for _, tag := range r.Tags() {
		row(shorten(tag, 40), parts[tag])
	}
	if rest := parts[""]; rest != nil && len(parts) > 1 {
		row("(none)", rest)
	}
	w.Flush()
	return strings.TrimSuffix(b.String(), "\n")
}

// cell is the mean and the numbers of samples.
func (s Scores) cell() string {
	m, err := s.Mean()
	if err != nil {
		return fmt.Sprintf("- (n=0, %d not measured)", len(s.Unmeasured))
	}
	cell := fmt.Sprintf("%.3f (n=%d", m, len(s.Measured))
	if n := len(s.Unmeasured); n > 0 {
		cell += fmt.Sprintf(", %d not measured", n)
	}
	return cell + ")"
}
