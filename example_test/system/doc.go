// Package system tests a RAG system as a whole: not answers that somebody
// stored, but package assistant, which splits, embeds, searches and answers
// within the test. What its models replied is recorded beside what the judge
// said, by a cache.Transport in its HTTP client, so that all of it runs offline
// and comes out the same:
//
//	go test ./example_test/system
//
// The tests take the system apart. variants_test.go has ten faults and ten
// harmless changes of it, testdata/scores.txt what five metrics say of each, and
// testdata/diagnoses.txt which surface the rules of ragtest.Diagnose blame: the
// right one in 14 of 23 samples by this judge's scores, and in all where a reader
// corrects them.
//
// When the system changes, only what depends on the change is asked for. With
// four questions, the five metrics and 40 chunks, all of it takes 48 calls of the
// system and 36 judgments. A line more in the prompt that changes one answer
// takes 4 and 4: all answers, as the prompt is a part of each, and the judgments
// of the one that changed, with four vectors for them. No document is embedded
// again, and nothing that was retrieved is judged again. edit_test.go counts it.
//
// The judge is a model of 1.5 billion parameters that runs on a laptop. It is
// often wrong, and the tests say where.
package system
