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
