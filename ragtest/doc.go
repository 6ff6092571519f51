// Package ragtest measures retrieval-augmented generation with a language model
// as the judge.
//
// A RAG system fails on separate surfaces: the retriever (was the right context
// fetched?), the reader (does the answer say only what the context supports?)
// and the answer itself (is it what was asked, is it true?). A [Metric] measures
// one of them on a [Sample]; the matchers of package matchers put it into an
// assertion.
//
// # A suite
//
// Name the judge once, before the tests run:
//
//	func TestMain(m *testing.M) {
//		ragtest.Use(ragtest.OpenAI("gpt-4o-mini-2024-07-18"))
//		os.Exit(ragtest.Run(m))
//	}
//
// Under Ginkgo, call [Use] in BeforeSuite and [Close] in AfterSuite.
//
// Whatever the judge answers is recorded in testdata/ragtest of the test's
// package, see package cache. The next run replays it: no key, no network, no
// cost, and the same score to the last bit.
//
// # Three outcomes
//
// An assertion passes, fails, or is not measured. A judge that refuses, is cut
// off, forgets a claim or writes prose has given no score, and neither has a
// sample without contexts: that is an error, which fails To and NotTo alike, and
// never a silent 0 or 1. See [MeasureError].
package ragtest
