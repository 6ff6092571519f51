package ragtest_test

import (
	"fmt"
	"strings"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/ragomega/ragomega/ragtest"
)

// labels are samples with these labels, three of each context.
func labels(values ...float64) (all []ragtest.Labelled) {
	for i, v := range values {
		all = append(all, ragtest.Labelled{
			Sample: ragtest.Sample{Name: fmt.Sprint("s", i), Response: fmt.Sprint("claim ", i), RetrievedContexts: []string{fmt.Sprint("context ", i/3)}},
			Labels: []ragtest.Label{{Value: v}},
		})
	}
	return all
}

func namesOfLabelled(all []ragtest.Labelled) (names []string) {
	for _, l := range all {
		names = append(names, l.Sample.Name)
	}
	return names
}

func repeat(v float64, n int) []float64 {
	values := make([]float64, n)
	for i := range values {
		values[i] = v
	}
	return values
}

// With 94 % of passes, chance finds six failures of a hundred, and 60 are needed.
func TestCountLabels(t *testing.T) {
	g := NewWithT(t)
	all := labels(append(repeat(1, 94), repeat(0, 6)...)...)
	all = append(all, ragtest.Labelled{Labels: []ragtest.Label{{Value: 1}, {Value: 0}}})
	c, err := ragtest.CountLabels(all, 0.8, 0.1)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(c.String()).To(Equal("94 labelled yes and 6 no, of 60 each that are needed: label 54 more labelled no; of 1 the raters are divided"))
	c, err = ragtest.CountLabels(all, 0.5, 0.05)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(c.Needed).To(Equal(381))
	g.Expect(c.String()).To(ContainSubstring("label 287 more labelled yes and 375 more labelled no"))
	_, err = ragtest.CountLabels(all, 1.2, 0.1)
	g.Expect(err).To(HaveOccurred())
}

func TestStratified(t *testing.T) {
	g := NewWithT(t)
	all := labels(append(repeat(1, 90), repeat(0, 10)...)...)
	drawn, err := ragtest.Stratified(all, 10, 1)
	g.Expect(err).NotTo(HaveOccurred())
	c, err := ragtest.CountLabels(drawn, 0.8, 0.1)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect([]int{c.Yes, c.No}).To(Equal([]int{10, 10}))
	again, err := ragtest.Stratified(all, 10, 1)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(again).To(Equal(drawn))
	other, err := ragtest.Stratified(all, 10, 2)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(namesOfLabelled(other)).NotTo(Equal(namesOfLabelled(drawn)))
	_, err = ragtest.Stratified(all, 11, 1)
	g.Expect(err).To(MatchError(ContainSubstring("10 samples are labelled 0, expected 11: label more of them")))
	_, err = ragtest.Stratified(all[:90], 5, 1)
	g.Expect(err).To(MatchError(ContainSubstring("1 different labels, expected at least 2")))
	_, err = ragtest.Stratified(all, 0, 1)
	g.Expect(err).To(MatchError(ContainSubstring("expected at least 1")))
}

// No text is on both sides, and nothing is lost.
func TestSplit(t *testing.T) {
	g := NewWithT(t)
	all := labels(append(repeat(1, 30), repeat(0, 30)...)...)
	chosenBy, reported, err := ragtest.Split(all, 0.5, 3)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(len(chosenBy)).To(BeNumerically("~", 30, 3))
	g.Expect(append(namesOfLabelled(chosenBy), namesOfLabelled(reported)...)).To(ConsistOf(namesOfLabelled(all)))
	texts := map[string]bool{}
	for _, l := range chosenBy {
		texts[strings.Join(l.Sample.RetrievedContexts, "")] = true
	}
	for _, l := range reported {
		g.Expect(texts).NotTo(HaveKey(strings.Join(l.Sample.RetrievedContexts, "")))
	}
	again, _, err := ragtest.Split(all, 0.5, 3)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(again).To(Equal(chosenBy))
	few, rest, err := ragtest.Split(all, 0.01, 3)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect([]int{len(few), len(rest)}).To(Equal([]int{3, 57}), "neither side is empty")
	most, rest, err := ragtest.Split(all, 0.99, 3)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect([]int{len(most), len(rest)}).To(Equal([]int{57, 3}))
	for _, share := range []float64{0, 1, -1, 2} {
		_, _, err = ragtest.Split(all, share, 3)
		g.Expect(err).To(MatchError(ContainSubstring("above 0 and below 1")))
	}
	_, _, err = ragtest.Split(all[:3], 0.5, 3)
	g.Expect(err).To(MatchError(ContainSubstring("all 3 samples share their contexts")))
}
