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

var _ = Describe("the help centre's assistant", Label("rag"), func() {
	DescribeTable("answers from its documents", func(ctx SpecContext, name string) {
		Expect(sample(name)).To(BeFaithful().WithContext(ctx))
	},
		Entry(nil, "small-locker-limits"),
		Entry(nil, "wrong-codes"),
		Entry(nil, "chilled-temperature"),
		Entry(nil, "report-damage"),
		Entry(nil, "power-bank"),
		Entry(nil, "share-code"),
		Entry(nil, "cancel-yearly-plus"),
		Entry(nil, "delete-account"),
		Entry(nil, "age-check"),
		Entry(nil, "all-refunds"),
		Entry(nil, "needs-photo-id"),
		Entry(nil, "service-line-limits"),
	)

	DescribeTable("does not get away with an invention", func(ctx SpecContext, name string) {
		Expect(sample(name)).NotTo(BeFaithful().WithContext(ctx))
	},
		Entry(nil, "jammed-door"),
		Entry(nil, "sending-a-plant"),
		Entry(nil, "student-discount"),
	)

	DescribeTable("is given what it needs", func(ctx SpecContext, name string) {
		Expect(sample(name)).To(HaveContextRecallAbove(0.9).WithContext(ctx))
	},
		Entry(nil, "small-locker-limits"),
		Entry(nil, "wrong-codes"),
		Entry(nil, "chilled-temperature"),
		Entry(nil, "saturday-drop-off"),
		Entry(nil, "report-damage"),
		Entry(nil, "power-bank"),
		Entry(nil, "share-code"),
		Entry(nil, "cancel-yearly-plus"),
		Entry(nil, "delete-account"),
		Entry(nil, "age-check"),
		Entry(nil, "plus-chilled-time"),
		Entry(nil, "jammed-door"),
		Entry(nil, "sending-a-plant"),
	)

	DescribeTable("is given too little where the documents are scattered", func(ctx SpecContext, name string) {
		Expect(sample(name)).NotTo(HaveContextRecallAbove(0.5).WithContext(ctx))
	},
		Entry(nil, "wine-for-neighbour"),
		Entry(nil, "service-line-limits"),
		Entry(nil, "lost-parcel-receiver"),
	)

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
