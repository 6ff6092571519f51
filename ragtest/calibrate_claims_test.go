package ragtest_test

import (
	"testing"

	. "github.com/onsi/gomega"

	"github.com/ragomega/ragomega/fixtures"
	"github.com/ragomega/ragomega/ragtest"
)

func TestCalibrateClaims(t *testing.T) {
	g := NewWithT(t)
	l := newLab(t)
	l.On("claims",
		fixtures.Claims("The ferry leaves at noon.", "The ferry leaves at 7 a.m.", "Dogs travel with the captain."),
		fixtures.Claims(), fixtures.Text("none"), fixtures.Text("none"))
	j := l.Judge.Judge().CachedIn(off(t)).Limits(1, 0).Prompted("claims/v1", "Split.")
	c, err := j.CalibrateClaims(t.Context(), []ragtest.LabelledClaims{{
		Name: "ferry", Question: "When?", Text: "The ferry leaves at 7 a.m. and at noon. Tickets cost 15 euros.",
		Claims: []string{"The ferry leaves at 7 a.m.", "The ferry leaves at noon.", "Tickets cost 15 euros."},
	}})
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(c.Texts).To(Equal([]ragtest.MatchedClaims{{
		Name:    "ferry",
		Matched: [][2]string{{"The ferry leaves at 7 a.m.", "The ferry leaves at 7 a.m."}, {"The ferry leaves at noon.", "The ferry leaves at noon."}},
		Missed:  []string{"Tickets cost 15 euros."},
		Extra:   []string{"Dogs travel with the captain."},
	}}))
	precision, recall, err := c.Rates()
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect([]float64{precision, recall}).To(Equal([]float64{2.0 / 3, 2.0 / 3}))
	g.Expect(c.String()).To(Equal("claims/v1 (own) by scripted at localhost: precision 0.67, recall 0.67 of claims, n=1 texts\n" +
		"  ferry: missed: Tickets cost 15 euros.\n  ferry: extra: Dogs travel with the captain."))

	// A text without claims, and a judge that makes none, are no claims matched.
	c, err = j.CalibrateClaims(t.Context(), []ragtest.LabelledClaims{{Name: "none", Text: "Thanks!", Claims: []string{"It is said."}}})
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(c.Texts[0].Missed).To(HaveLen(1))
	_, _, err = c.Rates()
	g.Expect(err).To(MatchError(ragtest.ErrUndefined))
	c, err = j.CalibrateClaims(t.Context(), []ragtest.LabelledClaims{{Name: "broken", Text: "Thanks!"}})
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(c.Texts[0].Err).To(MatchError(ragtest.ErrMalformed))
	g.Expect(c.String()).To(ContainSubstring(`broken: not measured: claims/v1 (own) of sample "broken"`))

	_, err = j.CalibrateClaims(t.Context(), nil)
	g.Expect(err).To(HaveOccurred())
	_, err = j.CalibrateClaims(t.Context(), []ragtest.LabelledClaims{{Name: "blank", Text: " "}})
	g.Expect(err).To(MatchError(ContainSubstring(`labelled text "blank" is blank`)))
}
