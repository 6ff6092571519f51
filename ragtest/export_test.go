package ragtest

import (
	"errors"
	"fmt"
	"io"

	"github.com/ragomega/ragomega/cache"
)

// CloseSuite is Close with the summary written to w.
func CloseSuite(w io.Writer) error {
	failed, err := closeSuite(w, false)
	return errors.Join(err, unreported(failed))
}

// UseCache makes c the cache of the test package until the suite is closed.
func UseCache(c *cache.Cache) {
	suite.mu.Lock()
	defer suite.mu.Unlock()
	suite.cache = c
}

// SetPrompts appends to the text of all prompts until the returned function is
// called.
func SetPrompts(more string) (restore func()) {
	read := readPrompt
	readPrompt = func(name string) ([]byte, error) {
		b, err := read(name)
		if more != "" {
			b = fmt.Appendf(nil, "%s|%s|", b, more) // also where more is white space
		}
		return b, err
	}
	return func() { readPrompt = read }
}
