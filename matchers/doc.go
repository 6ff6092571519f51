// Package matchers has the Gomega matchers for RAG systems. Dot-import it beside
// Gomega:
//
//	import (
//		. "github.com/onsi/gomega"
//		. "github.com/ragomega/ragomega/matchers"
//	)
//
// A name says what it compares. A matcher that begins with Be asks a question of
// quality and succeeds if every single verdict of the judge is a yes. One of the
// form Have…Above(x) compares a score with a number, and above means greater
// than: 4 of 5 is not above 0.8. [HaveScore] is every other reading.
//
// The actual value is an answer (a string) or a sample: a [ragtest.Sample], a
// pointer to one, or anything that is a [ragtest.Sampler]. A slice of them is an
// error: use HaveEach to judge each.
//
// What cannot be measured is an error, which fails To and NotTo alike. Some
// matchers of Gomega swallow errors of the matchers they are given (those of
// gstruct, and ConsistOf and its kin under NotTo): bind the judge to the test
// with [ragtest.Judge.For], and such an error fails the test all the same.
//
// The judge is the one that ragtest.Use was given, or the one of
// [Matcher.Using]. One answer has one score, so Eventually and Consistently
// judge a value once; given a function they judge each new answer it returns.
package matchers
