package ragtest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"sync"

	"github.com/ragomega/ragomega/cache"
)

// The variables that bound what a run may spend. See [BudgetError] for what is
// counted.
const (
	envMaxCalls  = "RAGTEST_MAX_CALLS"
	envMaxTokens = "RAGTEST_MAX_TOKENS"
)

// BudgetError is an [ErrBudget]: a call was not made, since the run has spent
// what RAGTEST_MAX_CALLS or RAGTEST_MAX_TOKENS allows. 0 allows no call at all.
//
// A run is what one go or ginkgo command starts, with all its processes; started
// in another way, RAGTEST_RUN tells which processes are one run.
//
// Calls are counted when they are made, by judges and embedders alike, and each
// by itself: the try after a failure and the request to mend a reply are calls.
// Tokens, of prompt and completion, are those that the servers report, counted
// when the answer comes; so calls that are in flight when the last token is spent
// may finish, and their tokens go beyond the limit. Replays cost nothing, and the
// calls that the application makes through a [cache.Transport] are its own.
//
// A call of a process that was killed stays counted, as it may have been paid.
// Its tokens are not known.
type BudgetError struct {
	Variable string // RAGTEST_MAX_CALLS or RAGTEST_MAX_TOKENS
	Spent    int64  // by all processes of the run
	Max      int64
}

func (e *BudgetError) Error() string {
	what := "calls"
	if e.Variable == envMaxTokens {
		what = "tokens"
	}
	return fmt.Sprintf("%v: %d of %d %s of this run are spent (%s), so nothing more is asked", ErrBudget, e.Spent, e.Max, what, e.Variable)
}

// Is makes errors.Is(err, ErrBudget) true.
func (e *BudgetError) Is(target error) bool { return target == ErrBudget }

// budget is what a run may spend, and what this process knows of it.
type budget struct {
	calls, tokens int64 // noLimit: as many as need be

	opened sync.Once
	tally  *cache.Tally // of all processes of the run
	alone  error        // why the tally is that of this process alone

	mu      sync.Mutex
	owed    int64 // tokens that are not in the tally yet
	refused int   // calls that were not made
	mute    int   // answers that did not say what they cost
}

const noLimit = -1

// budgetOfRun returns the budget that the environment sets, which is read once.
func budgetOfRun() (*budget, error) {
	suite.mu.Lock()
	defer suite.mu.Unlock()
	if suite.budget == nil {
		b, err := newBudget()
		if err != nil {
			return nil, err
		}
		suite.budget = b
	}
	return suite.budget, nil
}

func newBudget() (*budget, error) {
	calls, err := limitFromEnv(envMaxCalls)
	if err != nil {
		return nil, err
	}
	tokens, err := limitFromEnv(envMaxTokens)
	return &budget{calls: calls, tokens: tokens}, err
}

// limitFromEnv reads a limit. One that cannot be read must not be taken for none.
func limitFromEnv(name string) (int64, error) {
	text := strings.TrimSpace(os.Getenv(name))
	if text == "" {
		return noLimit, nil
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 0 {
		return 0, fmt.Errorf("ragtest: %s is %q, expected a whole number from 0 up; nothing is asked", name, text)
	}
	return n, nil
}

func (b *budget) limited() bool { return b.calls != noLimit || b.tokens != noLimit }

// take counts a call that is about to be made, or refuses it.
func (b *budget) take(ctx context.Context) error {
	if !b.limited() {
		return nil
	}
	b.open()
	err := b.change(ctx, func(sums map[string]int64) error {
		switch {
		case b.calls != noLimit && sums["calls"] >= b.calls:
			return &BudgetError{envMaxCalls, sums["calls"], b.calls}
		case b.tokens != noLimit && sums["tokens"] >= b.tokens:
			return &BudgetError{envMaxTokens, sums["tokens"], b.tokens}
		}
		sums["calls"]++
		return nil
	})
	switch {
	case err == nil:
		return nil
	case errors.Is(err, ErrBudget):
		b.mu.Lock()
		defer b.mu.Unlock()
		b.refused++
		return err
	case ctx.Err() != nil:
		return err
	}
	return fmt.Errorf("what this run has spent cannot be told, so nothing is asked: %w", err)
}

// open finds the tally, for a run that asks for anything.
func (b *budget) open() {
	b.opened.Do(func() {
		tally, err := cache.RunTally("budget")
		b.mu.Lock()
		defer b.mu.Unlock()
		b.tally, b.alone = tally, err
	})
}

// spend counts the tokens of an answer. They are not lost if they cannot be
// written down now: no call is made before they are.
func (b *budget) spend(tokens int) {
	if !b.limited() {
		return
	}
	b.mu.Lock()
	b.owed += int64(tokens)
	if tokens == 0 {
		b.mute++
	}
	b.mu.Unlock()
	_ = b.change(context.Background(), func(map[string]int64) error { return nil })
}

// change has change look at the sums when all that is owed is in them. What was
// owed is written down also if change refuses.
func (b *budget) change(ctx context.Context, change func(sums map[string]int64) error) error {
	var refused error
	var paid int64
	err := b.tally.Change(ctx, func(sums map[string]int64) error {
		b.mu.Lock()
		paid, b.owed = b.owed, 0
		b.mu.Unlock()
		sums["tokens"] += paid
		refused = change(sums)
		return nil
	})
	if err != nil {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.owed += paid
		return err
	}
	return refused
}

// summarize prints what the run has spent so far, if this process wanted to
// spend anything.
func (b *budget) summarize(w io.Writer) {
	if b == nil {
		return
	}
	b.mu.Lock()
	spends := b.tally != nil
	b.mu.Unlock()
	if !spends {
		return
	}
	var parts []string
	err := b.change(context.Background(), func(sums map[string]int64) error {
		if b.calls != noLimit {
			parts = append(parts, fmt.Sprintf("%d of %d calls", sums["calls"], b.calls))
		}
		if b.tokens != noLimit {
			parts = append(parts, fmt.Sprintf("%d of %d tokens", sums["tokens"], b.tokens))
		}
		return nil
	})
	b.mu.Lock()
	defer b.mu.Unlock()
	if err != nil {
		fmt.Fprintf(w, "ragtest: warning: what this run has spent cannot be told: %v\n", err)
	} else {
		fmt.Fprintf(w, "ragtest: budget of this run, all its processes so far: %s spent", strings.Join(parts, " and "))
		if b.refused > 0 {
			fmt.Fprintf(w, "; %d calls of this process were not made", b.refused)
		}
		fmt.Fprintln(w)
	}
	if b.alone != nil {
		fmt.Fprintf(w, "ragtest: warning: the budget is counted in this process only, and other processes of the run count theirs: %v\n", b.alone)
	}
	if b.mute > 0 && b.tokens != noLimit {
		fmt.Fprintf(w, "ragtest: warning: %d answers did not say how many tokens they cost, which %s cannot count\n", b.mute, envMaxTokens)
	}
}
