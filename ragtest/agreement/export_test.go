package agreement

var (
	NormalQuantile   = normalQuantile
	NormalCDF        = normalCDF
	StudentTwoSided  = studentTwoSided
	StudentQuantile  = studentQuantile
	FisherUpper      = fisherUpper
	FisherQuantile   = fisherQuantile
	JackknifeOfItems = func(n int, statistic func(at []int) (float64, error)) ([]float64, error) {
		return jackknife(Bootstrap{}.units(n), statistic)
	}
)

// IntervalOf is [Bootstrap.Interval] with the draws given.
func (b Bootstrap) IntervalOf(n int, draws [][]int, statistic func(at []int) (float64, error)) (Interval, error) {
	b.Draws = len(draws)
	b, err := b.withDefaults(n)
	if err != nil {
		return Interval{}, err
	}
	next := 0
	return b.interval(b.units(n), func(at []int) []int {
		next++
		return append(at, draws[next-1]...)
	}, statistic)
}

// IntervalOf is [CorrectedRate.Bootstrap] with the labels that were drawn, as judgy
// has it.
func (c CorrectedRate) IntervalOf(confidence float64, drawn []Confusion) (Interval, error) {
	next := 0
	return c.interval(Bootstrap{Draws: len(drawn), Confidence: confidence}, func() (Confusion, float64) {
		next++
		return drawn[next-1], c.Observed
	})
}
