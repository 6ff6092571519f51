package ragtest

// averagePrecision is the mean, over the places of a ranking that hold what was
// wanted, of the share of wanted ones up to that place: 1 if they all come
// first, 0 if there is none. It is not divided by how many there are elsewhere.
func averagePrecision(wanted []bool) float64 {
	sum, found := precisions(wanted)
	if found == 0 {
		return 0
	}
	return sum / float64(found)
}

// precisions adds up the shares of wanted ones, up to each place that holds one, and
// counts these.
func precisions(wanted []bool) (sum float64, found int) {
	for i, w := range wanted {
		if w {
			found++
			sum += float64(found) / float64(i+1)
		}
	}
	return sum, found
}
