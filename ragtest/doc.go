// Package ragtest measures retrieval-augmented generation, with a language model as
// the judge or, where none is needed, without.
//
// A RAG system fails on separate surfaces: the retriever (was the right context
// fetched, and ranked high?), the reader (does the answer say only what the
// context supports?) and the answer itself (is it what was asked, is it true?).
// A [Metric] measures one of them on a [Sample]; the matchers of package
// matchers put it into an assertion.
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
//
// # Many samples
//
// [EachSample] and [Entries] make a test of each sample of a file, for those that
// each have to be good. [Evaluate] measures many samples and reports on them
// together: means with their intervals, percentiles, the worst, by tag, and what
// was not measured. [ReadSamples] reads the files, Ragas' exports among them.
//
// # Reports
//
// A judge that is bound to its test with [Judge.For] reports every score with
// the test: in go test -json, in Ginkgo's reports, in JUnit, as metrics of
// benchmarks. Besides, the environment asks for reports on a run:
//
//   - RAGTEST_REPORT=summary prints a table of the scores when the suite ends,
//     one for each process: for each metric the number of samples, mean, lowest
//     and highest score, how many were not measured, and the worst samples.
//   - RAGTEST_RESULTS=results.jsonl writes every measurement to a file, one JSON
//     object a line, with its verdicts, its exchanges and what they cost, or the
//     reason why there is no score. [ReadResults] reads it.
//
// The file of results is that of one run, however many processes this has: go
// test ./... and ginkgo -p write into one, and the next run begins it anew. What
// is one run is said by RAGTEST_RUN, or else by the go or ginkgo command that
// started the processes. A relative path begins at the root of the module, not at
// the folder of each package. Packages whose results go test has cached measure
// nothing: if the file lies outside the module, give -count=1. (Within it, the
// file itself keeps go test from caching.) A file that cannot be written is an
// error of [Close], and so is one that holds something else than results.
//
// # Environment
//
// What may be asked, by the variable RAGTEST_CACHE, is a matter of package cache,
// see [cache.Mode]; OPENAI_API_KEY and OPENAI_BASE_URL lead to the judge, see
// [OpenAI]. What is asked can be bounded and planned:
//
//   - RAGTEST_MAX_CALLS=100 and RAGTEST_MAX_TOKENS=50000 are what a run may spend,
//     all its processes together. What is left then is not measured, with
//     [ErrBudget]. [BudgetError] tells what is counted. A value that is no whole
//     number from 0 up is an error of every measurement.
//   - RAGTEST_CACHE=plan asks for nothing. What is recorded or stored is replayed;
//     what is not fails with [cache.ErrPlan], and is listed when the suite ends: by
//     test, how many calls would be made in which step, and for how many prompt
//     tokens, estimated at four bytes each. It is a lower bound: what a later step
//     asks depends on the reply to an earlier one, a test ends at the first
//     assertion that fails, and failures are tried again. A request that two tests
//     need is counted for the first; two packages that need it both count it,
//     though it is paid once.
//   - RAGTEST_RUN names the run, where its processes are started by something else
//     than one go or ginkgo command.
//   - RAGTEST_REPORT and RAGTEST_RESULTS ask for reports, see above.
//   - RAGTEST_BASELINE=update has matchers write their baseline rather than compare;
//     it is refused where CI is set. See [Report.Against].
//   - RAGTEST_UNUSED names a file for what is recorded and no test needs; ragtest
//     tidy sets it.
//
// While live calls take longer than a few seconds, a line on the terminal tells how
// far they are, if standard error is one: go test shows it for the package that it
// is started in, not for lists such as ./..., whose output it holds back. Under
// Ginkgo, a judge that is bound with [Judge.For] tells it in the progress reports.
//
// # How good the judge is
//
// [Calibrate] holds a judge against labels that people made ([ReadLabelled]), in
// the step that a metric rests on, and returns a [Calibration]: agreement and
// kappa with intervals, TPR and TNR, the disagreements, groups by tag and length.
// [Judge.Calibrated] puts it beside what is measured, until the judge or its
// prompt changes; [Report.Corrected] takes the judge's errors out of a mean;
// [CompareJudges] and [Cheapest] choose among judges; [Calibration.Threshold]
// looks for a better place to draw the line. [Stratified], [Split] and
// [CountLabels] are for those who label.
//
// # What broke, and whether a change helped
//
// [Diagnose] says from the scores of a sample which surface of the system broke, and
// [Report.Diagnose] of each sample of a report. [Report.SaveBaseline] keeps scores and
// verdicts; [Compare] holds a later report against them, sample by sample, and says
// worse, not worse, or that it cannot tell; [Comparison.Diagnose] says which surface a
// change broke. [Noise] measures how far a judge differs from itself, and [Confirmed]
// has what is borderline judged again.
//
// # Which metric
//
// With an answer known to be good (a golden set, which is stable and small):
//   - [AnswerCorrectness] says whether the answer is right, and [ContextRecall]
//     whether the retriever found what a right answer needs. A drop of the first
//     without the second is the reader's fault; of both, the retriever's.
//   - [ContextPrecision] says whether what is useful is ranked first. It drops
//     before recall does.
//   - [FactualCorrectness] tells the two halves of a wrong answer apart: what is
//     false, and what is left out.
//
// Without one (live traffic, new questions):
//   - [Faithfulness] says whether the answer is drawn from the contexts,
//     [AnswerRelevance] whether it is an answer to the question, and
//     [ContextUtilization] whether the contexts that the answer used stand first.
//
// With the IDs of the contexts that should be found (a labelled set of questions),
// and without a judge:
//   - [RecallAt] says whether the retriever found them among the first k, [MRR] how far
//     down the first one is, [NDCG] whether the more relevant come first.
//     [Report.ByTag] says for which questions it does not.
//
// If only one can be paid for, take [Faithfulness]: two calls a sample, no
// reference, and what it finds is what does harm: an answer that is not relevant
// is seen by its reader, one that is invented is not.
//
// # What a score does not mean
//
//   - Faithfulness 1 means grounded, not true: a wrong document is followed
//     faithfully. And an answer that says little is easily faithful.
//   - Context recall says nothing of the answer, and precision nothing of what was
//     not found.
//   - Answer relevance does not look at facts. Its number is a cosine, whose scale
//     is the embedding model's: unrelated texts have 0.4 with one and 0.75 with
//     another. Compare it with itself, not with a bound from elsewhere.
//   - The metrics of letters and words ([BLEU], [ROUGEL], [ChrF], the similarities) say
//     how near a text is to the words of another. An answer that says the same
//     otherwise scores low, and one that adds "not" scores high.
//   - Every verdict of a judge is a model's. What it is worth has to be measured against
//     people's labels; prompts/README.md has such figures for the prompts here.
//
// # Without a judge
//
// Metrics of IDs and of letters and words ask nobody: they cost nothing, need no key
// and no recording, and are measured where [Use] was given no judge. [NewCheck] makes
// one of a function of your own. They are metrics like any other: for matchers,
// reports, baselines and comparisons.
//
// # Conventions of all metrics
//
// Inputs are checked before anything is asked; one that is missing is an
// [InputError]. Blank contexts count as not retrieved. Verdicts are yes or no, one
// for each thing that was asked about, under its number; anything else is an error,
//
// A score with nothing to judge is [ErrUndefined]. With the same verdicts every
// score equals that of Ragas 0.4.3 to the last bit, and with the same vectors to
// 1e-12, except where a difference is named below; Ragas' additions of 1e-10 and
// 1e-8 to denominators are left out everywhere, so that a perfect score is 1.
//
// The claims of a text are asked for once, whichever metrics need them: the five
// metrics of a sample with k contexts take at most k+6 calls and 2 requests for
// embeddings.
//
// # Metrics
//
// For each: what it needs of a sample; the score; calls and embeddings; when it is
// undefined; how it differs from Ragas.
//
// [Faithfulness]: Response, RetrievedContexts. Claims of the answer that the
// contexts support, of all claims: 0 to 1. 2 calls, or with [Judge.PerClaim] one
// and one a claim. Undefined for an answer without claims. Ragas divides by the
// verdicts that came back, not by the claims; asks on without contexts; has no
// check that a claim is the answer's.
//
// [AnswerRelevance]: UserInput, Response. The mean cosine of the question and n
// questions (3 unless [AnswerRelevance].Questions says otherwise) that the judge
// thinks the answer answers, exactly 0 if it finds the answer evasive in all: -1
// to 1. 1 call, 1 request for n+1 embeddings. Ragas makes n calls, which at
// temperature 0 bring one question n times; some of its clients ask for 1 of 3
// unnoticed; it has NaN for a zero vector, and drops questions that are empty.
//
// [ContextPrecision]: UserInput, Reference, RetrievedContexts. The average
// precision of the ranked contexts, each judged useful or not for arriving at the
// reference: 0 to 1; 0 if none is. k calls. Ragas never reaches 1, and its newer
// form counts a verdict of 2 twice.
//
// [ContextUtilization]: the same judged against Response. In Ragas it is context
// precision without reference.
//
// [ContextRecall]: Reference, RetrievedContexts. Claims of the reference that the
// contexts support, of all claims: 0 to 1. 2 calls. Undefined for a reference
// without claims. In Ragas the judge splits and decides in one reply, and nothing
// notices what it left out.
//
// [AnswerCorrectness]: UserInput, Response, Reference. 0.75 of the F1 of claims
// (found in the other text or not) and 0.25 of the cosine of both texts: -0.25 to
// 1. 3 calls, 1 request for 2 embeddings. Undefined if neither text makes a claim.
// Ragas counts the entries of three lists and does not notice claims that are in
// none; its newer form gives full marks for facts if one text has none.
//
// [SemanticSimilarity]: Response, Reference. Their cosine, or 1 or 0 by a
// threshold: -1 to 1. No call, 1 request for 2 embeddings. Ragas ignores a
// threshold of 0, and turns NaN into 0 by one.
//
// [FactualCorrectness]: Response, Reference. F1 of claims, or precision (claims of
// the answer that the reference supports) or recall (the reverse): 0 to 1. 4 calls,
// or 2 for one half. Undefined without the claims that it divides by. Ragas' recall
// divides the answer's claims by those plus the reference's that are missing, which
// a longer answer raises; it rounds to two decimals, and has 0 for no claims. Its
// default is coarse claims, here it is the claims of all other metrics.
//
// [ContextEntityRecall]: Reference, RetrievedContexts. Names and things of the
// reference that are among those of the contexts, as they are written: 0 to 1. 2
// calls. Undefined without any in the reference. Ragas has 0 then, and one of its
// forms counts repetitions.
//
// [NoiseSensitivity] and [IrrelevantNoiseSensitivity]: UserInput, Response,
// Reference, RetrievedContexts. Claims of the answer that are wrong by the
// reference and come from a context that holds something of the reference, or from
// one that does not, of all claims: 0 to 1, and lower is better. 2k+3 calls.
// Undefined if either text makes no claim. Ragas stretches a single verdict over
// all claims.
//
// [AnswerAccuracy]: UserInput, Response, Reference. The mean of two ratings, 0, 2
// or 4 of 4, by two wordings: 0 to 1. [ContextRelevance] (UserInput,
// RetrievedContexts) and [ResponseGroundedness] (Response, RetrievedContexts): the
// same of 0, 1 or 2. 2 calls each. Ragas takes a digit anywhere in the reply for
// the rating ("4, not 0" is a 0), keeps one rating if the other is lost, or not,
// depending on which, and gives full marks without asking to an answer that is a
// piece of the contexts ("a" in "cat").
//
// [AspectCritic]: Response and what else the sample has. 1 or 0 by a definition of
// your own. [Criteria]: the same with a whole number. 1 call, or n votes. Ragas
// has a number of votes too, and asks once.
//
// [Rubric] and [InstanceRubric]: Response and what else the sample has. A level of
// a rubric of yours, or of the sample's. 1 call. Ragas takes any number.
//
// [Summary]: Response, ReferenceContexts. Half the share of questions about key
// phrases that the summary answers, half its brevity: 0 to 1. 3 calls. Undefined
// without key phrases or questions. Without the length penalty Ragas halves the
// score.
//
// [TopicAdherence]: Messages, ReferenceTopics. F1 (or precision, or recall) of the
// topics that were answered and those that are on the list: 0 to 1. 3 calls.
// Undefined without topics. Ragas pads and cuts what the judge classified.
//
// # Metrics without a judge
//
// [RecallAt], [PrecisionAt], [HitRateAt], [MRR], [MAP], [NDCG]: RetrievedContextIDs,
// ReferenceContextIDs, and for grades ReferenceContextGrades. 0 to 1. Undefined where
// nothing is relevant; 0 where nothing was retrieved. They equal trec_eval's. Ragas has
// none of them.
//
// [IDContextRecall], [IDContextPrecision]: the same IDs, at any rank. 0 to 1. Ragas has
// NaN where these are undefined.
//
// [TextContextRecall], [TextContextPrecision]: RetrievedContexts, ReferenceContexts;
// which of them are spelled alike, by a similarity and a threshold. 0 to 1. Ragas calls
// them non-LLM context recall and precision; a similarity at the threshold counts in the
// one and not in the other, and its precision does not reach 1.
//
// [ExactMatch], [StringPresence]: Response, Reference; 1 or 0. In Ragas a blank
// reference is in any answer.
//
// [LevenshteinSimilarity], [HammingSimilarity], [JaroSimilarity],
// [JaroWinklerSimilarity]: Response, Reference. 0 to 1, as Ragas has them.
//
// [BLEU], [ROUGE1], [ROUGE2], [ROUGEL], [ChrF]: Response, Reference. 0 to 1; a blank
// text has 0. Their values are those of sacrebleu and of Google's rouge_score. Ragas'
// BLEU compares only the first sentence of the answer, so that the same text in three
// sentences has 0; and it has no words in other scripts than Latin for ROUGE, nor other
// tokens for BLEU than those of Western languages: [BLEU] and ROUGE have Unicode for
// those.
//
// [QuotedSpans]: Response, RetrievedContexts. Quotations that the contexts have letter
// for letter, of all: 0 to 1. Undefined without any. Ragas has 0 or 1 then.
//
// # Metrics of your own
//
// A metric of your own is made with [NewMetric] and [Ask], or with [NewCheck] if it
// needs no judge.
package ragtest
