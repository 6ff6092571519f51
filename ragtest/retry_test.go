package ragtest_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	. "github.com/onsi/gomega"

	"github.com/ragomega/ragomega/fixtures"
	"github.com/ragomega/ragomega/ragtest"
)

// server is a server within the process, for tests in which time passes. It
// gives its answers in order, the last one for ever, and notes when it was
// asked.
type server struct {
	answers []func(*http.Request) (*http.Response, error)

	mu    sync.Mutex
	asked []time.Time
}

func (s *server) Do(r *http.Request) (*http.Response, error) {
	s.mu.Lock()
	s.asked = append(s.asked, time.Now())
	next := s.answers[min(len(s.asked), len(s.answers))-1]
	s.mu.Unlock()
	return next(r)
}

// pauses returns how long the client waited before each try but the first.
func (s *server) pauses() []time.Duration {
	var p []time.Duration
	for i := 1; i < len(s.asked); i++ {
		p = append(p, s.asked[i].Sub(s.asked[i-1]))
	}
	return p
}

func status(code int, body string, header ...string) func(*http.Request) (*http.Response, error) {
	return func(*http.Request) (*http.Response, error) {
		h := http.Header{}
		for i := 0; i < len(header); i += 2 {
			h.Set(header[i], header[i+1])
		}
		return &http.Response{StatusCode: code, Header: h, Body: io.NopCloser(strings.NewReader(body))}, nil
	}
}

func says(content string) func(*http.Request) (*http.Response, error) {
	return status(200, fmt.Sprintf(`{"choices":[{"message":{"content":%q},"finish_reason":"stop"}]}`, content))
}

func fails(err error) func(*http.Request) (*http.Response, error) {
	return func(*http.Request) (*http.Response, error) { return nil, err }
}

// hangs answers when the request's context ends.
func hangs(r *http.Request) (*http.Response, error) {
	<-r.Context().Done()
	return nil, r.Context().Err()
}

// broken is a body whose connection is lost.
func broken(*http.Request) (*http.Response, error) {
	body := io.MultiReader(strings.NewReader(`{"choices":[{"mess`), failing{&net.OpError{Op: "read", Net: "tcp", Err: syscall.ECONNRESET}})
	return &http.Response{StatusCode: 200, Header: http.Header{}, Body: io.NopCloser(body)}, nil
}

type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

const slowDown = `{"error":{"message":"slow down","code":"rate_limit_exceeded"}}`

// A failure that may pass is tried again, with pauses that grow or that the
// server asks for.
func TestRetry(t *testing.T) {
	date := func(r *http.Request) (*http.Response, error) {
		return status(429, slowDown, "Retry-After", time.Now().Add(30*time.Second).UTC().Format(http.TimeFormat))(r)
	}
	exact := func(d ...time.Duration) func(Gomega, []time.Duration) {
		return func(g Gomega, got []time.Duration) { g.Expect(got).To(Equal(d)) }
	}
	growing := func(g Gomega, got []time.Duration) {
		between := time.Second / 4 // half of a half second
		for _, d := range got {
			g.Expect(d).To(And(BeNumerically(">=", between), BeNumerically("<=", 3*between+1)))
			between *= 2
		}
	}
	type answers = []func(*http.Request) (*http.Response, error)
	for name, test := range map[string]struct {
		first answers // before the good one
		waits func(Gomega, []time.Duration)
	}{
		"429 twice, in seconds":    {answers{status(429, slowDown, "Retry-After", "20"), status(429, slowDown, "Retry-After", "1.5")}, exact(20*time.Second, 1500*time.Millisecond)},
		"429, in milliseconds":     {answers{status(429, slowDown, "Retry-After-Ms", "1250", "Retry-After", "9")}, exact(1250 * time.Millisecond)},
		"429, a date":              {answers{date}, exact(30 * time.Second)},
		"429, a date gone by":      {answers{status(429, slowDown, "Retry-After", "Fri, 01 Jan 1999 00:00:00 GMT")}, exact(0)},
		"503, at once":             {answers{status(503, "", "Retry-After", "0")}, exact(0)},
		"429, nonsense":            {answers{status(429, slowDown, "Retry-After", "soon"), status(429, slowDown, "Retry-After", "-1"), status(429, slowDown, "Retry-After", "NaN")}, growing},
		"408, 409, 500, 502, 503":  {answers{status(408, ""), status(409, ""), status(500, "x"), status(502, "<html>bad gateway</html>"), status(503, "")}, growing},
		"529":                      {answers{status(529, `{"error":{"type":"overloaded_error","message":"busy"}}`)}, growing},
		"200 with 429 inside":      {answers{status(200, `{"error":{"message":"slow down","code":429}}`, "Retry-After", "7")}, exact(7 * time.Second)},
		"200 with 429 as text":     {answers{status(200, `{"error":{"message":"slow down","code":"429"}}`)}, growing},
		"200 with a word inside":   {answers{status(200, slowDown)}, growing},
		"200 with 502, no message": {answers{status(200, `{"error":{"code":502}}`)}, growing},
		"an empty body":            {answers{status(200, "")}, growing},
		"half a body":              {answers{status(200, `{"choices":[{"message":{"content":"{\"cl`)}, growing},
		"a page with status 200":   {answers{status(200, "<html>upstream timed out</html>")}, growing},
		"reset before the answer":  {answers{fails(&net.OpError{Op: "read", Net: "tcp", Err: syscall.ECONNRESET})}, growing},
		"reset in the body":        {answers{broken, broken}, growing},
		"a server that is not up":  {answers{fails(&net.OpError{Op: "dial", Net: "tcp", Err: syscall.ECONNREFUSED})}, growing},
		"an error of the protocol": {answers{fails(errors.New("http2: server sent GOAWAY and closed the connection"))}, growing},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				g := NewWithT(t)
				s := &server{answers: append(test.first, says(`{"claims":[]}`))}
				j := ragtest.NewJudge(dialled(s), "m").CachedIn(off(t))
				_, err := j.Measure(t.Context(), ragtest.Faithfulness, bridge)
				g.Expect(err).To(MatchError(ragtest.ErrUndefined), "the judge found no claim")
				g.Expect(s.asked).To(HaveLen(len(test.first) + 1))
				test.waits(g, s.pauses())
			})
		})
	}
}

// What does not pass is given up after so many tries, and the error says how
// often and why.
func TestRetriesEnd(t *testing.T) {
	reset := &net.OpError{Op: "read", Net: "tcp", Err: syscall.ECONNRESET}
	for name, test := range map[string]struct {
		answer func(*http.Request) (*http.Response, error)
		tries  int
		want   string
	}{
		"429":                {status(429, slowDown), 6, "call to m at localhost failed 6 times: status 429 (rate_limit_exceeded): slow down"},
		"502":                {status(502, "<html>bad gateway</html>"), 3, "call to m at localhost failed 3 times: status 502: <html>bad gateway</html>"},
		"one try":            {status(500, "x"), 1, "call to m at localhost failed: status 500: x"},
		"connection refused": {fails(reset), 2, "call to m at localhost failed 2 times: read tcp: connection reset by peer"},
		"reset in the body":  {broken, 2, "call to m at localhost failed 2 times: read tcp: connection reset by peer"},
		"half a body":        {status(200, `{"choices":[`), 2, "call to m at localhost failed 2 times: status 200: the answer cannot be read (unexpected EOF): {\"choices\":["},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				g := NewWithT(t)
				s := &server{answers: []func(*http.Request) (*http.Response, error){test.answer}}
				j := ragtest.NewJudge(dialled(s), "m").CachedIn(off(t)).Tries(test.tries)
				if test.tries == 6 {
					j = ragtest.NewJudge(dialled(s), "m").CachedIn(off(t)) // the default
				}
				_, err := j.Measure(t.Context(), ragtest.Faithfulness, bridge)
				var call *ragtest.CallError
				g.Expect(asError(err, &call)).To(BeTrue())
				g.Expect(call.Error()).To(Equal(test.want))
				g.Expect(call.Tries).To(Equal(test.tries))
				g.Expect(call.Temporary()).To(BeTrue())
				g.Expect(s.asked).To(HaveLen(test.tries))
				if call.Status == 0 {
					var n net.Error
					g.Expect(asError(err, &n)).To(BeTrue())
					g.Expect(err).To(MatchError(syscall.ECONNRESET))
				}
			})
		})
	}
}

// An in-process client has no status: its errors are read by their types, and
// one that says nothing is its last word.
func TestErrorOfAClient(t *testing.T) {
	for name, test := range map[string]struct {
		err   error
		tries int
	}{
		"a word":         {errors.New("no such model"), 1},
		"EOF":            {io.ErrUnexpectedEOF, 3},
		"a net error":    {&net.OpError{Op: "dial", Err: syscall.ECONNREFUSED}, 3},
		"API error 401":  {&apiError{HTTPStatusCode: 401, Message: "bad key"}, 1},
		"API error 429":  {&apiError{HTTPStatusCode: 429, Message: "slow down"}, 3},
		"request error":  {&requestError{HTTPStatusCode: 503, Body: []byte("busy")}, 3},
		"no status":      {&apiError{Message: "odd"}, 1},
		"its own ending": {context.DeadlineExceeded, 3},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				g := NewWithT(t)
				n := 0
				j := ragtest.NewJudgeClient(clientFunc(func(context.Context, chatRequest) (chatResponse, error) {
					n++
					return chatResponse{}, test.err
				}), "here", "m").CachedIn(off(t)).Tries(3)
				_, err := j.Measure(t.Context(), ragtest.Faithfulness, bridge)
				g.Expect(n).To(Equal(test.tries))
				var call *ragtest.CallError
				g.Expect(asError(err, &call)).To(BeTrue())
				g.Expect(call.Tries).To(Equal(test.tries))
				g.Expect(call.Temporary()).To(Equal(test.tries > 1))
				g.Expect(errors.Is(err, context.DeadlineExceeded)).To(BeFalse(), "the caller's context goes on")
			})
		})
	}
}

// Over a real connection: the reply after the failures is kept, and nothing of
// them.
func TestRetryOverHTTP(t *testing.T) {
	soon := func(r fixtures.Reply) fixtures.Reply { return r.With("Retry-After-Ms", "1") }
	for name, first := range map[string][]fixtures.Reply{
		"429 twice":    {soon(fixtures.Error(429, "rate_limit_exceeded", "slow down")), soon(fixtures.Error(429, "rate_limit_exceeded", "slow down"))},
		"5xx":          {soon(fixtures.Raw(500, "x")), soon(fixtures.Raw(502, "<html>")), soon(fixtures.Raw(503, ""))},
		"reset":        {soon(fixtures.Reset()), soon(fixtures.Reset())},
		"200 with 429": {soon(fixtures.Raw(200, `{"error":{"message":"slow down","code":429}}`))},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			l := newLab(t)
			l.On("claims", append(first, fixtures.Claims("A"))...).On("verify", fixtures.Verdicts(true))
			score, err := l.measure(l.Judge.Judge(), ragtest.Faithfulness, bridge)
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(score.Value).To(Equal(1.0))
			g.Expect(l.Asked("claims")).To(Equal(len(first) + 1))
			for _, r := range l.Requests()[:len(first)+1] {
				g.Expect(r.Body).To(Equal(l.Requests()[0].Body), "each try sends the same")
			}
			_, err = l.measure(l.Judge.Judge(), ragtest.Faithfulness, bridge)
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(l.Asked(fixtures.Any)).To(Equal(len(first) + 2))
		})
	}
}

// Failures that last are not kept.
func TestFailureIsNotKept(t *testing.T) {
	for name, reply := range map[string]fixtures.Reply{
		"500":   fixtures.Raw(500, "x"),
		"429":   fixtures.Error(429, "rate_limit_exceeded", "slow down"),
		"reset": fixtures.Reset(),
	} {
		t.Run(name, func(t *testing.T) {
			l := newLab(t)
			l.On("claims", reply)
			err := l.fails(l.Judge.Judge().Tries(1))
			var call *ragtest.CallError
			NewWithT(t).Expect(asError(err, &call)).To(BeTrue())
			if name == "reset" {
				var n net.Error
				NewWithT(t).Expect(asError(err, &n)).To(BeTrue(), "%v", err)
			}
		})
	}
}

// A server that asks for more patience than a test run has is not waited for.
func TestRetryAfterAnHourIsNotWaitedFor(t *testing.T) {
	for after, wait := range map[string]string{"3600": "1h0m0s", "1e300": "24h0m0s", "Inf": "24h0m0s"} {
		t.Run(after, func(t *testing.T) {
			g := NewWithT(t)
			l := newLab(t)
			l.On(fixtures.Any, fixtures.Error(429, "rate_limit_exceeded", "slow down").With("Retry-After", after))
			_, err := l.measure(l.Judge.Judge(), ragtest.Faithfulness, bridge)
			g.Expect(err).To(MatchError(ContainSubstring("status 429 (rate_limit_exceeded): slow down. The server asks to wait " + wait + ", longer than the 5m0s that a call may take")))
			var call *ragtest.CallError
			g.Expect(errors.As(err, &call)).To(BeTrue())
			g.Expect(l.Asked(fixtures.Any)).To(Equal(1))
		})
	}
}
