package example_test

import (
	"testing"

	. "github.com/onsi/gomega"

	. "github.com/ragomega/ragomega/matchers"
	"github.com/ragomega/ragomega/ragtest"
)

// sample returns an answer that the assistant gave; see assistant.
func sample(t *testing.T, name string) ragtest.Sample {
	t.Helper()
	all, err := ragtest.ReadSamples("testdata/samples.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range all {
		if s.Name == name {
			return s
		}
	}
	t.Fatalf("there is no sample %q", name)
	return ragtest.Sample{}
}

// each runs a test for each of the samples with a tag. One of them alone:
// go test -run 'TestAnswersAreFaithful/share-code'.
func each(t *testing.T, tag string, test func(t *testing.T, s ragtest.Sample)) {
	t.Helper()
	ragtest.EachSample(t, "testdata/samples.jsonl", func(t *testing.T, s ragtest.Sample) {
		t.Parallel()
		test(t, s)
	}, tag)
}

// These answers say nothing that the retrieved paragraphs do not say.
func TestAnswersAreFaithful(t *testing.T) {
	each(t, "faithful", func(t *testing.T, s ragtest.Sample) {
		NewWithT(t).Expect(s).To(BeFaithful())
	})
}

// These say more: a telephone number that nobody gave, a discount that does not
// exist, a plastic bag for a plant.
func TestInventedClaimsAreFound(t *testing.T) {
	each(t, "invents", func(t *testing.T, s ragtest.Sample) {
		NewWithT(t).Expect(s).NotTo(BeFaithful())
	})
}

// For these questions the three paragraphs hold what a good answer needs.
func TestRetrieverFindsWhatIsNeeded(t *testing.T) {
	each(t, "complete", func(t *testing.T, s ragtest.Sample) {
		NewWithT(t).Expect(s).To(HaveContextRecallAbove(0.9))
	})
}

// For these it is spread over more paragraphs than were retrieved.
func TestMissedContextIsFound(t *testing.T) {
	each(t, "scattered", func(t *testing.T, s ragtest.Sample) {
		NewWithT(t).Expect(s).NotTo(HaveContextRecallAbove(0.5))
	})
}

// An answer is judged by documents at hand just as well.
func TestOneAnswer(t *testing.T) {
	g := NewWithT(t)
	s := sample(t, "jammed-door")
	g.Expect(s.Response).NotTo(BeFaithfulTo(s.RetrievedContexts...).Asked(s.UserInput))
}

// A judge that is bound to the test reports scores as attributes of the test
// (go test -v shows them), and fails it if a measurement fails.
func TestBoundJudge(t *testing.T) {
	standing, err := ragtest.Standing()
	if err != nil {
		t.Fatal(err)
	}
	judge := standing.For(t)
	NewWithT(t).Expect(sample(t, "service-line-limits")).To(And(
		HaveFaithfulnessAbove(0.9).Using(judge),
		HaveScore(ragtest.ContextRecall, BeNumerically("<", 0.5)).Using(judge),
	))
}

// mistakes are the verdicts of this judge that a careful reader does not share;
// see the table in assistant. A small model is a mediocre judge: it is easily
// led by words that occur in both texts. A better one makes this test fail, and
// then the list gets shorter.
var mistakes = []struct {
	name   string
	metric ragtest.Metric
	judged float64
	reader string
}{
	{"depot-hours", ragtest.Faithfulness, 0, "faithful"},
	{"plus-medium-other-region", ragtest.Faithfulness, 1, "the price is that of the plan, not of the parcel"},
	{"plus-chilled-time", ragtest.Faithfulness, 1, "the two times are swapped"},
	{"depot-pick-up", ragtest.Faithfulness, 1, "it is within 10 days, not after"},
	{"wheelchair-chilled", ragtest.Faithfulness, 1, "a temperature is given for a height, and tall lockers for low ones"},
	{"lost-parcel-receiver", ragtest.Faithfulness, 1, "the rules are those for damage, and for a code that was not used"},
	{"depot-hours", ragtest.ContextRecall, 0, "complete"},
	{"plus-medium-other-region", ragtest.ContextRecall, 0.2, "complete: the price follows from two paragraphs"},
	{"wheelchair-chilled", ragtest.ContextRecall, 0.5, "complete"},
	{"depot-pick-up", ragtest.ContextRecall, 1, "the opening hours are missing"},
	{"all-refunds", ragtest.ContextRecall, 1, "three of the cases are missing"},
	{"needs-photo-id", ragtest.ContextRecall, 1, "the depot and the phone number are missing"},
}

// A reference that states nothing cannot be looked for: there is no score, rather
// than one that is 0 or 1. A matcher would fail, whichever way it is turned.
func TestNothingToRecall(t *testing.T) {
	g := NewWithT(t)
	judge, err := ragtest.Standing()
	g.Expect(err).NotTo(HaveOccurred())
	_, err = judge.Measure(t.Context(), ragtest.ContextRecall, sample(t, "student-discount"))
	g.Expect(err).To(MatchError(ragtest.ErrUndefined))
}

func TestKnownMistakesOfTheJudge(t *testing.T) {
	for _, m := range mistakes {
		s := sample(t, m.name)
		t.Run(m.name+" "+m.metric.Name(), func(t *testing.T) {
			t.Parallel()
			NewWithT(t).Expect(s).To(HaveScore(m.metric, m.judged), "a reader finds: %s", m.reader)
		})
	}
}
