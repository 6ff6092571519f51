package matchers

import (
	"errors"

	"github.com/onsi/gomega"

	"github.com/ragomega/ragomega/ragtest"
)

// stop ends Eventually and Consistently for errors that no further attempt
// mends. In a plain Expect it is an error like any other.
func stop(err error) error {
	var call *ragtest.CallError
	if errors.As(err, &call) && call.Temporary() {
		return err
	}
	return permanent{gomega.StopTrying(err.Error()).Wrap(err), err}
}

// permanent is Gomega's signal to stop, with the text of the error alone.
type permanent struct {
	gomega.PollingSignalError
	err error
}

func (p permanent) Error() string { return p.err.Error() }

func (p permanent) Unwrap() []error { return []error{p.PollingSignalError, p.err} }
