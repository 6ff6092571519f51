package agreement

import (
	"errors"
	"fmt"
)

// ErrUndefined says that the data do not define a statistic. What it would have
// to be divided by is 0.
var ErrUndefined = errors.New("undefined")

// undefined reports that a statistic has no value, and why.
func undefined(statistic, why string, args ...any) error {
	return fmt.Errorf("%s is %w: %s", statistic, ErrUndefined, fmt.Sprintf(why, args...))
}

// ErrFewLabels says that there are too few labels to decide by.
var ErrFewLabels = errors.New("too few labels")

func fewLabels(why string) error { return fmt.Errorf("%w: %s", ErrFewLabels, why) }
