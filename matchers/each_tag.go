package matchers

import (
	"fmt"
	"strings"

	"github.com/onsi/gomega/format"

	"github.com/ragomega/ragomega/ragtest"
)

// ofTag is what a matcher found among the samples with a tag.
type ofTag struct {
	found
	tag string // "" for the samples without one
}

// words are what the group is called in a list, as a part of samples, and in an error.
func (t ofTag) words() (name, of, title string) {
	if t.tag == "" {
		return "(no tag)", "without a tag", "samples without a tag"
	}
	return t.tag, "of " + t.tag, "tag " + t.tag
}

// lookAtEachTag holds the number of each tag's samples against what is expected.
func (m *ReportMatcher) lookAtEachTag(r *ragtest.Report) (found, error) {
	if _, err := partOf(r, m.metric, nil); err != nil {
		return found{}, err
	}
	if len(r.Tags()) == 0 {
		return found{}, noTag("sample of the report", nil)
	}
	all := found{ok: true}
	for _, group := range r.ByTag(m.metric) {
		t := ofTag{tag: group.Tag}
		err := m.enough(group.Scores)
		if err == nil {
			t.found, err = m.hold(group.Scores)
		}
		if err != nil {
			_, _, title := t.words()
			return found{}, fmt.Errorf("%s: %w", title, err)
		}
		all.ok = all.ok && t.ok
		all.tags = append(all.tags, t)
	}
	return all, nil
}

// tagsText is a line for each tag, and what speaks against those that fall short.
func (m *ReportMatcher) tagsText(tags []ofTag) string {
	var lines, against []string
	failed := 0
	for _, t := range tags {
		mark := "✓"
		name, of, _ := t.words()
		if !t.ok {
			failed++
			mark = "✗"
			if len(t.against) > 0 {
				against = append(against, fmt.Sprintf("%s %s%s", t.which, of, listed(t.against)))
			}
		}
		lines = append(lines, fmt.Sprintf("%s %s: %s", mark, name, t.figures(m)))
	}
	text := fmt.Sprintf("%d of %d tags fall short\n%s", failed, len(tags), format.IndentString(strings.Join(lines, "\n"), 1))
	return strings.Join(append([]string{text}, against...), "\n")
}
