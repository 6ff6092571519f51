package ragtest

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"sync"

	"github.com/ragomega/ragomega/cache"
)

// suite is what the tests of one process share.
var suite struct {
	mu     sync.Mutex
	judge  *Judge
	cache  *cache.Cache // of the test package; opened when it is first needed
	failed failures     // of judges that are bound to no test
	cost   cost
	budget *budget // of the run; read when it is first needed
	plan   plan
	ends   []func() // what Close does besides
}

// atClose has end called by every [Close] from now on.
func atClose(end func()) {
	suite.mu.Lock()
	defer suite.mu.Unlock()
	suite.ends = append(suite.ends, end)
}

// Use makes j the judge of every matcher that is not given one. Call it before
// the tests run: in TestMain, or in Ginkgo's BeforeSuite. nil takes the judge
// away.
func Use(j *Judge) {
	suite.mu.Lock()
	defer suite.mu.Unlock()
	suite.judge = j
}

// Standing returns the judge that [Use] was given, or [ErrNoJudge].
func Standing() (*Judge, error) {
	suite.mu.Lock()
	defer suite.mu.Unlock()
	if suite.judge == nil {
		return nil, ErrNoJudge
	}
	return suite.judge, nil
}

// StandingFor returns the judge that [Use] was given. Without one it returns
// [NoJudge] if none of the metrics asks one, and else [ErrNoJudge].
func StandingFor(metrics ...Metric) (*Judge, error) {
	j, err := Standing()
	if err != nil && NoJudge().able(metrics...) == nil {
		return NoJudge(), nil
	}
	return j, err
}

// Cache returns the cache of the test package, in which judges keep what they
// are not told to keep elsewhere, for a [cache.Transport] that records the
// application's own calls beside them. [Close] ends it; the next call opens it
// anew.
func Cache() (*cache.Cache, error) {
	suite.mu.Lock()
	defer suite.mu.Unlock()
	if suite.cache == nil {
		c, err := cache.Open(cache.Options{})
		if err != nil {
			return nil, err
		}
		suite.cache = c
	}
	return suite.cache, nil
}

// cacheOr returns c, or the cache of the test package where that is nil.
func cacheOr(c *cache.Cache) (*cache.Cache, error) {
	if c != nil {
		return c, nil
	}
	return Cache()
}

// Run runs the tests of m, which is a *testing.M, and then does what [Close]
// does. It returns the code to exit with: not 0 if a test failed, or if Close
// has something to report.
func Run(m interface{ Run() int }) int {
	code := m.Run()
	failed, err := closeSuite(os.Stderr, code == 0 && ranAll())
	if code == 0 {
		err = errors.Join(err, unreported(failed))
	} else if len(failed) > 0 { // the tests that failed have told
		fmt.Fprintf(os.Stderr, "ragtest: not measured: %d\n", len(failed))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = max(code, 1)
	}
	return code
}

// Close ends the suite: it brings the recording into order and prints what was
// replayed and what was paid. It returns an error if a measurement failed that
// the tests may not have reported, as some matchers of gstruct and ConsistOf take
// an error for a mere mismatch, and in verify mode if a reply was another than
// recorded. Ginkgo suites assert it in AfterSuite:
//
//	var _ = AfterSuite(func() { Expect(ragtest.Close()).To(Succeed()) })
//
// A suite can go on after Close, and close again.
func Close() error {
	failed, err := closeSuite(os.Stderr, false)
	return errors.Join(err, unreported(failed))
}

// closeSuite does what Close does, and returns the measurements that failed.
// After a run of all tests that passed, it also tells what is recorded and was
// not needed.
func closeSuite(w io.Writer, ranAll bool) (failed []error, err error) {
	suite.mu.Lock()
	c, failed, paid := suite.cache, suite.failed.take(), suite.cost
	b, asked := suite.budget, suite.plan
	suite.cache, suite.cost, suite.plan = nil, cost{}, plan{}
	ends := suite.ends
	suite.mu.Unlock()
	underway.stop()
	for _, end := range ends {
		end()
	}
	if c != nil {
		err = closeCache(w, c, paid, ranAll)
	}
	asked.summarize(w, c)
	b.summarize(w)
	return failed, errors.Join(err, printScores(w), closeResults())
}

func closeCache(w io.Writer, c *cache.Cache, paid cost, ranAll bool) error {
	err := c.Close()
	unused := 0
	if ranAll {
		var errUnused error
		unused, errUnused = countUnused(c)
		err = errors.Join(err, errUnused)
	}
	summarize(w, c, paid, unused)
	if n := len(c.Drifts()); n > 0 {
		err = errors.Join(err, fmt.Errorf("ragtest: the judge drifts: %d of %d replies are not what was recorded", n, c.Counts().Verified))
	}
	return err
}

// unreported says which measurements failed, perhaps without failing a test.
func unreported(failed []error) error {
	if len(failed) == 0 {
		return nil
	}
	return fmt.Errorf("ragtest: %d measurement(s) failed. If no test has reported this, a matcher such as gstruct's or ConsistOf took the error for a mismatch; bind the judge with For(t) to fail the test itself:\n%w",
		len(failed), errors.Join(failed...))
}

// failures are the measurements of assertions whose last attempt failed.
type failures map[string]error

// note keeps err for a measurement, or forgets what was kept: an assertion that
// is tried again and then measured has nothing to report.
func (f *failures) note(measurement func() string, err error) {
	if err == nil && len(*f) == 0 {
		return // the common case: its name is not worth finding
	}
	if err == nil {
		delete(*f, measurement())
		return
	}
	if *f == nil {
		*f = failures{}
	}
	(*f)[measurement()] = err
}

func (f *failures) take() []error {
	var keys []string
	for k := range *f {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	var errs []error
	for _, k := range keys {
		errs = append(errs, (*f)[k])
	}
	*f = nil
	return errs
}
