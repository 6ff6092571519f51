// Package lexical compares texts letter by letter and word by word, without a model:
// edit distances, BLEU, ROUGE and chrF. It is pure arithmetic, and the metrics of
// package ragtest that ask no judge are made of it.
//
// # What it equals
//
// The values are those of the programs that Python users have: rapidfuzz 3.14
// ([Levenshtein], [Hamming], [Jaro], [JaroWinkler]), sacrebleu 2.6 ([BLEU], [ChrF])
// and Google's rouge_score 0.1.2 ([ROUGE]), to the last bit but for BLEU, whose
// logarithms may differ in it. testdata has tables that they made.
//
// # Texts
//
// A letter is a Unicode code point, as in Python: a character with a combining mark
// is two, and an emoji of a family seven. Nothing is normalised. A byte that is not
// UTF-8 counts as U+FFFD.
//
// Scores are from 0 to 1. The edit distances, ROUGE's F1, and chrF where Beta is 1,
// are the same if answer and reference change places; ROUGE's precision and recall
// change with them. Texts that are equal have 1, with the exceptions that the
// functions name: texts with too few tokens for the longest n-grams.
//
// # Time
//
// All but two take time in proportion to the length of the texts. Levenshtein and
// ROUGE-L compare each letter or word of one text with each of the other, 64 at a
// time; Levenshtein takes much less where the texts have much in common.
package lexical
