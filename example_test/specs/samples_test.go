package specs_test

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	. "github.com/ragomega/ragomega/matchers"
	"github.com/ragomega/ragomega/ragtest"
)

// The same answers as in the suite of package example_test.
func sample(name string) ragtest.Sample {
	GinkgoHelper()
	all, err := ragtest.ReadSamples("../testdata/samples.jsonl")
	Expect(err).NotTo(HaveOccurred())
	for _, s := range all {
		if s.Name == name {
			return s
		}
	}
	Fail("there is no sample " + name)
	return ragtest.Sample{}
}

// entries are the samples with a tag. One of them alone:
// ginkgo --focus 'answers from its documents share-code'.
func entries(tag string) []TableEntry {
	return ragtest.Entries("../testdata/samples.jsonl", func(s ragtest.Sample) TableEntry {
		return Entry(s.Name, s)
	}, tag)
}

var _ = Describe("the help centre's assistant", Label("rag"), func() {
	DescribeTable("answers from its documents", func(ctx SpecContext, s ragtest.Sample) {
		Expect(s).To(BeFaithful().WithContext(ctx))
	}, entries("faithful"))

	DescribeTable("does not get away with an invention", func(ctx SpecContext, s ragtest.Sample) {
		Expect(s).NotTo(BeFaithful().WithContext(ctx))
	}, entries("invents"))

	DescribeTable("is given what it needs", func(ctx SpecContext, s ragtest.Sample) {
		Expect(s).To(HaveContextRecallAbove(0.9).WithContext(ctx))
	}, entries("complete"))

	DescribeTable("is given too little where the documents are scattered", func(ctx SpecContext, s ragtest.Sample) {
		Expect(s).NotTo(HaveContextRecallAbove(0.5).WithContext(ctx))
	}, entries("scattered"))

	It("is judged by a judge that reports to the spec", func(ctx SpecContext) {
		standing, err := ragtest.Standing()
		Expect(err).NotTo(HaveOccurred())
		judge := standing.For(GinkgoT())
		Expect(sample("service-line-limits")).To(And(
			HaveFaithfulnessAbove(0.9).Using(judge).WithContext(ctx),
			HaveScore(ragtest.ContextRecall, BeNumerically("<", 0.5)).Using(judge).WithContext(ctx),
		))
	})

	It("is judged by documents at hand", func(ctx SpecContext) {
		s := sample("jammed-door")
		Expect(s.Response).NotTo(BeFaithfulTo(s.RetrievedContexts...).Asked(s.UserInput).WithContext(ctx))
	})
})
