package page_test

import (
	"fmt"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/ragomega/ragomega/cmd/ragtest/internal/page"
	"github.com/ragomega/ragomega/ragtest"
)

// An empty tag is none: samples with nothing but empty tags are in the one row of
// those without a tag, and an empty tag beside another adds nothing.
func TestByTagWithEmptyTags(t *testing.T) {
	g := NewWithT(t)
	records := []ragtest.Record{
		tagged(computed("empty", "mrr", 0.25), ""), tagged(computed("none", "mrr", 0.75)),
		tagged(computed("one", "mrr", 1), "a"), tagged(computed("both", "mrr", 0.5), "a", ""),
	}
	tables, err := page.Tables(records)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(tables).To(HaveLen(1))
	rows := tables[0].ByTag.Rows
	g.Expect(rows).To(HaveLen(2))
	g.Expect([]string{rows[0].Tag, rows[1].Tag}).To(Equal([]string{"a", ""}))
	g.Expect(rows[0].Cells[0].Value).To(Equal(0.75), "of one and both")
	g.Expect(rows[1].Cells[0].Value).To(Equal(0.5), "of empty and none")
	g.Expect([]int{rows[0].Samples, rows[1].Samples}).To(Equal([]int{2, 2}))

	text := written(t, records, page.Options{})
	g.Expect(read(text)).To(ContainSubstring("Tag mrr a 2 samples 0.750 n=2 no tag 2 samples ▾ worst 0.500 n=2 Scores"))
	g.Expect(text).To(ContainSubstring(`<option value="">any</option><option value="0">a</option><option value="none">no tag</option></select>`))

	for _, tags := range [][]string{{""}, {"", ""}, {}, nil} {
		tables, err := page.Tables([]ragtest.Record{tagged(computed("a", "mrr", 1), tags...)})
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(tables[0].ByTag).To(BeNil(), "of %q", tags)
	}
}

// Every sample may have a tag of its own, and one that many share.
func TestByTagOfManyTags(t *testing.T) {
	g := NewWithT(t)
	var records []ragtest.Record
	for i := range 2000 {
		name := fmt.Sprintf("s%04d", 1999-i)
		for _, m := range []string{"mrr", "ndcg"} {
			records = append(records, tagged(computed(name, m, float64(i%2)), "of "+name, "shared"))
		}
	}
	tables, err := page.Tables(records)
	g.Expect(err).NotTo(HaveOccurred())
	rows := tables[0].ByTag.Rows
	g.Expect(rows).To(HaveLen(2001))
	for i, row := range rows[:2000] {
		g.Expect(row.Tag).To(Equal(fmt.Sprintf("of s%04d", i)))
		g.Expect(row.Samples).To(Equal(1))
		g.Expect(row.Cells).To(HaveLen(2))
		for _, c := range row.Cells {
			g.Expect(c.N).To(Equal(1))
			g.Expect(c.Value).To(Equal(float64((1999 - i) % 2)))
		}
	}
	g.Expect(rows[2000].Tag).To(Equal("shared"))
	g.Expect(rows[2000].Samples).To(Equal(2000))
	g.Expect(rows[2000].Cells[0].Value).To(Equal(0.5))
	first := rows[2000].Cells[1].Measured[0]
	g.Expect([]string{first.Metric, first.Sample}).To(Equal([]string{"ndcg", "s0000"}), "by the names of the samples")
}
