// Package matchers has the Gomega matchers for RAG systems. Dot-import it beside
// Gomega:
//
//	import (
//		. "github.com/onsi/gomega"
//		. "github.com/ragomega/ragomega/matchers"
//	)
//
// # Names
//
// A name says what it compares. A matcher of a sample that begins with Be asks
// a question of quality, and succeeds if every single verdict of the judge is a
// yes. One of the form Have…Above(x) compares a number with x, and above means
// greater than: 4 of 5 is not above 0.8. The same name without Above is the
// general road: it takes a matcher, or a number to be equal to. No matcher has
// a threshold that is not written where it is used.
//
// Of one sample, that is an answer and what it was made from:
//
//	BeFaithful()  BeFaithfulTo(docs...)  BeCorrect()
//	HaveFaithfulnessAbove(x)  HaveAnswerRelevanceAbove(x)  HaveContextPrecisionAbove(x)
//	HaveContextRecallAbove(x)  HaveAnswerCorrectnessAbove(x)
//	HaveScore(metric, x|matcher)  HaveScoreAbove(metric, x)
//	HaveVerdicts(metric, matcher)  HaveVerdict(metric, n, yes|matcher)  HaveRejected(metric, claims...)
//
// Of one sample's ranking of IDs, for which there is no judge to ask:
//
//	HaveHitAt(k)  HaveRecallAtAbove(k, x)  HavePrecisionAtAbove(k, x)
//	HaveMRRAbove(x)  HaveMAPAbove(x)  HaveNDCGAtAbove(k, x)
//
// Of the report of many, which [ragtest.Evaluate] returns:
//
//	HaveMean(metric, x|matcher)  HaveMeanAbove(metric, x)  HaveLowerBoundAbove(metric, x)
//	HavePassRate(pass, x|matcher)  HavePassRateAbove(pass, x)
//	RegressFrom(file, smallest)  BeNonInferiorTo(file, margin)
//
// A pass is whatever a matcher of samples says it is: BeFaithful(), or
// HaveScore(ragtest.ContextRecall, BeNumerically(">=", 0.5)). So a threshold
// means the same of one sample and of many. With ForTag it is held against the
// samples with one tag, with ForEachTag against those of every tag by themselves.
//
// The last two compare with a file that is committed: NotTo(RegressFrom(…)) is an
// alarm, and To(BeNonInferiorTo(…)) shows that no harm was done.
//
// Of the calibration of a judge, which [ragtest.Judge.Calibrate] returns, and of a
// report by what it knows:
//
//	HaveKappaAbove(x)  HaveWeightedKappaAbove(x)  HaveAlphaAbove(x)
//	HaveTPRAbove(x)  HaveTNRAbove(x)  BeNotWorseThan(calibration, margin)
//	HaveCorrectedMeanAbove(metric, calibration, x)
//
// These compare the lower end of an interval of 95 % with x, unless OnPoint says
// otherwise: what a few labels happen to show is no reason to trust a judge.
//
// Of a diagnosis, as ragtest.Diagnose makes it of a sample's scores:
//
//	HaveFault(fault)   BeInQuadrant(quadrant)
//
// # What is left out
//
//   - Have…Below, AtLeast and Between: HaveScore and HaveMean with BeNumerically
//     say it, and above stays the one word that has to be remembered.
//   - A matcher for each of the other metrics, such as those of letters and words:
//     HaveScore takes them all, and one of your own too.
//   - HaveRecallAt(k, x) and the like: HaveScore(ragtest.RecallAt(k), x) says it.
//   - HaveHitRateAbove: the hit rate is HavePassRateAbove(HaveHitAt(k), x), and its
//     failures name the samples without a hit.
//   - BeRelevant, BePrecise and the like: relevance is a cosine and precision a
//     ranking; neither is a set of verdicts that are all a yes.
//   - BeCorrectBy(reference): the reference, the question and the answer together
//     are a [ragtest.Sample], which names them.
//   - A matcher for a slice of samples that means their mean: HaveEach judges each,
//     and Evaluate measures them at once and keeps what it found.
//   - HaveAgreementAbove: percent agreement is in every message, and high for a
//     judge that says yes to everything where most is a yes.
//   - HaveKappa and the like with a matcher: calibration.Agreement() returns the
//     estimates for any other question.
//   - Names for rates of the five metrics, and an upper bound: HavePassRate(…) and
//     report.Scores(metric).Interval(0.95) have them.
//
// # What is judged
//
// The actual value is an answer (a string) or a sample: a [ragtest.Sample], a
// pointer to one, or anything that is a [ragtest.Sampler]. A slice of them is an
// error, and so is a report where a sample is asked for, or a judge where its
// calibration is; the error says which matcher to use, or what to do first.
//
// The judge is the one that ragtest.Use was given, or the one of
// [Matcher.Using]. Metrics that compare IDs or texts ask none, and are measured
// where there is none; of a ranking the actual value is a sample, never an answer
// alone. One answer has one score, so Eventually and Consistently judge a value
// once; given a function they judge each new answer it returns.
//
// # Errors
//
// What cannot be measured is an error, which fails To and NotTo alike, and ends
// Eventually and Consistently unless it may pass. So is a threshold that nothing
// or everything can be above, a k below 1, a sample of which no relevant ID is
// known, and a report in which more samples have no score than
// [ReportMatcher.AllowUnmeasured] allows. Too few labels are an error, as is an
// interval of them that should not be relied on.
//
// Some matchers of Gomega swallow errors of the matchers they are given (those of
// gstruct, and ConsistOf and its kin under NotTo): bind the judge to the test
// with [ragtest.Judge.For], and such an error fails the test all the same. Where
// there is no judge, bind [ragtest.NoJudge]. Matchers of reports and calibrations
// measure nothing, so nothing can tell: leave them out of these.
//
// # Messages
//
// A failure shows the score and every verdict that it was computed from, with the
// judge's reason where it is a no: the claim that no document supports, the claim
// of the reference that is missing from the answer, the rank of each context. Of a
// metric that asks no judge it is what "the metric found": at which rank each
// relevant ID is, or the words that one of two texts lacks. A report shows the
// number, its interval, what was not measured and why, and the five worst samples
// with what speaks against them; for each tag by itself, if that is asked for. A
// calibration shows percent agreement beside kappa and the rates, the table of what
// people and the judge said, what these figures hide, and the five worst
// disagreements with the judge's reasons.
package matchers
