package ragtest

import (
	"fmt"
	"slices"
)

// Subtests is what [EachSample] needs of a test. *testing.T and *testing.B have
// it.
type Subtests[T any] interface {
	Helper()
	Fatal(args ...any)
	Run(name string, test func(T)) bool
}

// EachSample runs a subtest for each sample of a file (see [ReadSamples]), named
// by the sample, so that one can be run alone: go test -run 'TestAnswers/bridge'.
// With tags, it is for the samples that have one of them. A sample without a name
// is called by its place in the file, "#3", as in a [Report]. A file that cannot
// be read fails the test.
//
//	func TestAnswers(t *testing.T) {
//		ragtest.EachSample(t, "testdata/samples.jsonl", func(t *testing.T, s ragtest.Sample) {
//			t.Parallel()
//			NewWithT(t).Expect(s).To(BeFaithful())
//		})
//	}
func EachSample[T Subtests[T]](t T, file string, test func(t T, s Sample), tags ...string) {
	t.Helper()
	samples, err := namedSamples(file, tags)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range samples {
		t.Run(s.Name, func(t T) { test(t, s) })
	}
}

// Entries makes an entry of each sample of a file, for Ginkgo's DescribeTable;
// names and tags are as for [EachSample].
//
//	DescribeTable("answers", func(ctx SpecContext, s ragtest.Sample) {
//		Expect(s).To(BeFaithful().WithContext(ctx))
//	}, ragtest.Entries("testdata/samples.jsonl", func(s ragtest.Sample) TableEntry {
//		return Entry(s.Name, s, Label(s.Tags...))
//	}))
//
// Entries are made before any spec runs, so a file that cannot be read is a
// panic. Within a Describe, Ginkgo reports it with the line of the table.
func Entries[E any](file string, entry func(s Sample) E, tags ...string) []E {
	samples, err := namedSamples(file, tags)
	if err != nil {
		panic(err)
	}
	entries := make([]E, len(samples))
	for i, s := range samples {
		entries[i] = entry(s)
	}
	return entries
}

// namedSamples returns the samples of a file that have one of the tags, or all,
// each with a name. A tag that none has is a typing error.
func namedSamples(file string, tags []string) ([]Sample, error) {
	samples, err := ReadSamples(file)
	if err != nil {
		return nil, err
	}
	names, err := namesOf(samples)
	if err != nil {
		return nil, fmt.Errorf("%w (%s)", err, file)
	}
	for i := range samples {
		samples[i].Name = names[i]
	}
	if len(tags) == 0 {
		return samples, nil
	}
	for _, tag := range tags {
		if !slices.ContainsFunc(samples, func(s Sample) bool { return slices.Contains(s.Tags, tag) }) {
			return nil, fmt.Errorf("ragtest: %s has no sample with the tag %q", file, tag)
		}
	}
	return slices.DeleteFunc(samples, func(s Sample) bool {
		return !slices.ContainsFunc(tags, func(tag string) bool { return slices.Contains(s.Tags, tag) })
	}), nil
}
