package cache

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Tally holds named sums that all processes of one run share: what one adds,
// the others see. Which processes are one run is said by RAGTEST_RUN, or else by
// the go or ginkgo command that started them. A name that is used again within a
// day goes on where the sums stood.
//
// A process that is killed leaves the sums whole: each change is one write, under
// a lock that ends with the process.
type Tally struct {
	path string           // "" if the sums are those of this process alone
	turn chan struct{}    // has room for the goroutine that works on the sums
	sums map[string]int64 // without a file
}

// tallyLockWait bounds the wait for the lock of a tally. It is held for a read
// and a write, so whoever holds it longer hangs.
const tallyLockWait = 10 * time.Second

// RunTally returns the tally of this run that is called name. If the sums cannot
// be shared, as there is no folder for them or no way to tell which processes are
// one run, the error says why, and the Tally holds the sums of this process.
func RunTally(name string) (*Tally, error) {
	t := &Tally{turn: make(chan struct{}, 1), sums: map[string]int64{}}
	home, err := defaultHome()
	if err != nil {
		return t, err
	}
	if _, _, ok := process(os.Getpid()); !ok && os.Getenv("RAGTEST_RUN") == "" {
		return t, errors.New("cache: on this system nothing but RAGTEST_RUN tells which processes are one run, and it is not set")
	}
	runs := filepath.Join(home, "runs")
	dir := filepath.Join(runs, runID())
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return t, storeError("create", dir, err)
	}
	forget(runs, 24*time.Hour)
	t.path = filepath.Join(dir, "tally-"+unsafeName.ReplaceAllString(name, "_"))
	return t, nil
}

// Change lets change read and write the sums, while nobody else does. A sum that
// is not there is 0; names have no white space. If change returns an error, that
// is Change's too, and the sums stay as they were.
func (t *Tally) Change(ctx context.Context, change func(sums map[string]int64) error) error {
	if ctx.Err() != nil {
		return endOf(ctx) // a select may take its turn all the same
	}
	select {
	case t.turn <- struct{}{}:
		defer func() { <-t.turn }()
	case <-ctx.Done():
		return endOf(ctx)
	}
	if t.path == "" {
		sums := maps.Clone(t.sums)
		err := change(sums)
		if err == nil {
			t.sums = sums
		}
		return err
	}
	f, err := lockPath(ctx, t.path, tallyLockWait)
	if err != nil {
		if ctx.Err() != nil {
			return endOf(ctx)
		}
		return storeError("lock", t.path, err)
	}
	defer f.Close()
	text, err := io.ReadAll(f)
	if err != nil {
		return storeError("read", t.path, err)
	}
	sums, err := parseSums(text)
	if err != nil {
		return storeError("read", t.path, err)
	}
	if err := change(sums); err != nil {
		return err
	}
	// One write over the old text, which is never longer: no kill can come
	// between the halves of a change.
	if _, err := f.WriteAt(formatSums(sums), 0); err != nil {
		return storeError("write to", t.path, err)
	}
	return nil
}

// formatSums writes a line for each sum. Numbers have one width, so that a text
// only ever grows, by a name.
func formatSums(sums map[string]int64) []byte {
	var b bytes.Buffer
	for _, name := range slices.Sorted(maps.Keys(sums)) {
		fmt.Fprintf(&b, "%s %20d\n", name, sums[name])
	}
	return b.Bytes()
}

func parseSums(text []byte) (map[string]int64, error) {
	sums := map[string]int64{}
	for line := range strings.Lines(string(text)) {
		fields := strings.Fields(line)
		if len(fields) != 2 || !strings.HasSuffix(line, "\n") {
			return nil, fmt.Errorf("%q is no sum", line)
		}
		n, err := strconv.ParseInt(fields[1], 10, 64)
		if err != nil {
			return nil, err
		}
		sums[fields[0]] = n
	}
	return sums, nil
}
