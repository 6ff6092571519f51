// Package agreement has the statistics that a judge is judged by: how far it
// agrees with people, how sure that is, what its errors do to the figures that it
// is used for, and whether one run is better than another.
//
// All of it is arithmetic on labels and scores. It knows nothing of judges,
// samples or metrics, and can be used without the rest of this module.
//
// # Undefined
//
// A statistic that the data do not define is an [ErrUndefined], never 0, 1 or
// NaN: kappa of two raters who both use one category, the true positive rate of
// labels without a positive, an interval of nothing.
//
// # Which one
//
//	two raters, yes or no   Confusion.TPR and TNR, Table.Kappa
//	two raters, categories  Table.Kappa, with the table
//	two raters, a scale     Table.WeightedKappa on the whole scale, and the mean difference
//	two raters, numbers     ICC, and the mean difference
//	more raters             Alpha at the level of the labels
//	a rate, from a judge    RoganGladen, or PPIMean if the labels are a random sample
//	two runs, yes or no     McNemar
//	two runs, scores        Permutation, and Bootstrap.Difference
//
// [Compare] chooses for two raters, and warns of what the figure would hide.
//
// # Random numbers
//
// What is drawn is drawn from a stream that is laid down and seeded, so the same
// data give the same figures to the last bit on every platform.
package agreement
