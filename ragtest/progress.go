package ragtest

import (
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"
)

// progress tells how far a process is, while it waits for answers. In replay
// nobody waits, and it says nothing. It has no goroutine, only a timer that runs
// while something is measured by live calls.
type progress struct {
	mu sync.Mutex

	// What is under way. A spell is the time in which live calls are made, with
	// pauses shorter than pause.
	measuring int       // measurements begun and not ended, by whomever
	inFlight  int       // calls
	spell     bool      // a call was made, and something is still under way
	began     time.Time // the spell
	ended     time.Time // the spell, if it has
	done      int       // measurements, in the spell
	calls     int       // in the spell
	tokens    int       // in the spell

	evaluations int // under way
	total       int // measurements of evaluations
	totalDone   int

	// Where it is told.
	out      io.Writer // nil: nowhere
	looked   bool      // for out
	reported bool      // by Ginkgo instead
	timer    *time.Timer
	drawn    time.Time // last
	width    int       // of the line on the screen
}

const (
	patient = 3 * time.Second // before anything is drawn
	redraw  = time.Second     // and after
	pause   = 2 * time.Second // that a spell outlives
)

// underway is the progress of this process.
var underway progress

// measure notes that a measurement begins, and the function it returns that it
// ended.
func (p *progress) measure() (end func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.measuring++
	return func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.measuring--
		p.done++
		p.rest()
	}
}

// expect notes that n measurements are to be made. One of them is over when done
// is called, all when end is.
func (p *progress) expect(n int) (done, end func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.evaluations++
	p.total += n
	done = func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.totalDone++
	}
	return done, func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.evaluations--
		if p.evaluations == 0 {
			p.total, p.totalDone = 0, 0
		}
		p.rest()
	}
}

// call notes that a call is made, and the function it returns that it is over.
func (p *progress) call() (over func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := time.Now()
	if !p.spell {
		if now.Sub(p.ended) >= pause {
			p.began, p.done, p.calls, p.tokens = now, 0, 0, 0
		}
		p.spell = true
		p.watch(now)
	}
	p.inFlight++
	p.calls++
	return func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.inFlight--
		p.rest()
	}
}

// answered adds the tokens of an answer.
func (p *progress) answered(tokens int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.tokens += tokens
}

// rest ends the spell if nothing is under way.
func (p *progress) rest() {
	if p.measuring+p.inFlight+p.evaluations > 0 || !p.spell {
		return
	}
	p.spell, p.ended = false, time.Now()
	p.hide()
}

// stop takes the line away, until the next call of another spell.
func (p *progress) stop() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.spell = false
	p.hide()
}

// watch starts the timer, where there is somebody to see the line.
func (p *progress) watch(now time.Time) {
	if !p.looked {
		p.looked = true
		if isTerminal(os.Stderr) {
			p.out = os.Stderr
		}
	}
	if p.out == nil || p.reported {
		return
	}
	wait := max(p.began.Add(patient).Sub(now), p.drawn.Add(redraw).Sub(now), 0)
	var mine *time.Timer
	mine = time.AfterFunc(wait, func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		if p.timer != mine { // it was stopped, too late
			return
		}
		p.draw()
		mine.Reset(redraw)
	})
	p.timer = mine
}

func (p *progress) draw() {
	p.drawn = time.Now()
	line := p.line(p.drawn)
	fmt.Fprintf(p.out, "\r%s%s", line, strings.Repeat(" ", max(p.width-len(line), 0)))
	p.width = len(line)
}

// hide stops the timer and clears the line. Spaces do what escapes would, on any
// terminal.
func (p *progress) hide() {
	if p.timer != nil {
		p.timer.Stop()
		p.timer = nil
	}
	if p.width > 0 {
		fmt.Fprintf(p.out, "\r%s\r", strings.Repeat(" ", p.width))
		p.width = 0
	}
}

// line says what was done, and when it may be over. It is in ASCII and fits on
// 80 columns.
func (p *progress) line(now time.Time) string {
	spent := now.Sub(p.began)
	measured := fmt.Sprintf("%d measured", p.done)
	left := fmt.Sprintf("%v so far", spent.Round(time.Second))
	if p.total > 0 {
		measured = fmt.Sprintf("%d/%d measured", p.totalDone, p.total)
		// What was replayed before the first call is no measure of the rest.
		if p.done > 0 {
			eta := time.Duration(float64(spent) / float64(p.done) * float64(p.total-p.totalDone))
			left = fmt.Sprintf("about %v left", eta.Round(time.Second))
		}
	}
	return fmt.Sprintf("ragtest: %s, %d calls, %d tokens, %s", measured, p.calls, p.tokens, left)
}

// report is what Ginkgo shows in its progress reports: nothing if no call is
// under way.
func (p *progress) report() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.spell {
		return ""
	}
	return p.line(time.Now())
}

// reporter is what Ginkgo's GinkgoT() has besides.
type reporter interface {
	AttachProgressReporter(func() string) (cancel func())
}

// attach has t tell the progress if it can, until the test ends. One teller is
// enough: what it tells is the progress of the process.
func (p *progress) attach(t TB) {
	r, ok := t.(reporter)
	if !ok {
		return
	}
	p.mu.Lock()
	first := !p.reported
	p.reported = true
	p.hide()
	p.mu.Unlock()
	if !first {
		return
	}
	detach := r.AttachProgressReporter(p.report)
	t.Cleanup(func() {
		detach()
		p.mu.Lock()
		defer p.mu.Unlock()
		p.reported = false
	})
}

// isTerminal reports whether f is a screen that a line can be redrawn on.
func isTerminal(f *os.File) bool {
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}
