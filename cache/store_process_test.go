//go:build unix

package cache

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// TestStoreChild is what a child process of these tests runs: the test binary
// itself, told by the environment what to do.
func TestStoreChild(t *testing.T) {
	do, dir := os.Getenv("STORE_CHILD"), os.Getenv("STORE_DIR")
	id, _ := strconv.Atoi(os.Getenv("STORE_ID"))
	switch do {
	case "":
		t.Skip("it runs as a child of other tests")
	case "pay":
		storeChildPay(t, dir, id)
	case "torture":
		storeChildTorture(t, dir, id)
	case "hold":
		storeChildHold(t, dir, id)
	case "unprivileged":
		storeChildUnprivileged(t, dir)
	default:
		t.Fatalf("no child does %q", do)
	}
}

// storeChild prepares a child process.
func storeChild(t testing.TB, do, dir string, id int) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^TestStoreChild$", "-test.v", "-test.timeout=5m")
	cmd.Env = append(os.Environ(), "STORE_CHILD="+do, "STORE_DIR="+dir, fmt.Sprintf("STORE_ID=%d", id))
	cmd.Stderr = os.Stderr
	return cmd
}

// storeStart starts a child and waits for its line "ready".
func storeStart(t testing.TB, cmd *exec.Cmd) {
	t.Helper()
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Process.Kill() })
	in := bufio.NewReader(out)
	for {
		line, err := in.ReadString('\n')
		if err != nil {
			t.Fatalf("the child ended before it was ready: %v", err)
		}
		if strings.Contains(line, "ready") {
			break
		}
	}
	go io.Copy(io.Discard, in)
}

const (
	storePayProcs  = 16
	storePayShared = 160
	storePayOwn    = 40
)

func storeChildPay(t *testing.T, dir string, id int) {
	s := storeOpen(t, filepath.Join(dir, "store"))
	ledger, err := os.OpenFile(filepath.Join(dir, "ledger"), os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	defer ledger.Close()
	var keys []int
	for i := range storePayShared {
		keys = append(keys, i)
	}
	for i := range storePayOwn {
		keys = append(keys, 1000*(id+1)+i)
	}
	rand.Shuffle(len(keys), func(i, j int) { keys[i], keys[j] = keys[j], keys[i] })
	work := make(chan int)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for i := range work {
				storePay(t, s, ledger, i)
			}
		})
	}
	for _, i := range keys {
		work <- i
	}
	close(work)
	wg.Wait()
	storeQuiet(t, s)
	storeClose(t, s)
}

// storePay gets the i-th value, and pays for it when nobody has.
func storePay(t *testing.T, s *Store, ledger *os.File, i int) {
	k, want := storeKey(i), storeValue(i, 1, 1500)
	got, ok, err := s.Get(k)
	if err == nil && !ok {
		unlock, err := s.Lock(t.Context(), k)
		if err != nil {
			t.Error(err)
			return
		}
		defer unlock()
		got, ok, err = s.Get(k)
		if err == nil && !ok {
			fmt.Fprintln(ledger, i)
			time.Sleep(2 * time.Millisecond)
			got, err = want, s.Put(k, want)
		}
		if err != nil {
			t.Error(err)
		}
	}
	if err != nil || !bytes.Equal(got, want) {
		t.Errorf("key %d: %.40q, %v", i, got, err)
	}
}

func TestTwoProcessesAndMorePayOnce(t *testing.T) {
	dir := t.TempDir()
	var children []*exec.Cmd
	var outs []*bytes.Buffer
	for id := range storePayProcs {
		cmd, out := storeChild(t, "pay", dir, id), new(bytes.Buffer)
		cmd.Stdout = out
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		children, outs = append(children, cmd), append(outs, out)
	}
	for id, cmd := range children {
		if err := cmd.Wait(); err != nil {
			t.Errorf("child %d: %v\n%s", id, err, outs[id])
		}
	}
	ledger, err := os.ReadFile(filepath.Join(dir, "ledger"))
	if err != nil {
		t.Fatal(err)
	}
	paid := map[string]int{}
	for _, line := range strings.Fields(string(ledger)) {
		paid[line]++
		if paid[line] > 1 {
			t.Errorf("key %s was paid for %d times", line, paid[line])
		}
	}
	if want := storePayShared + storePayProcs*storePayOwn; len(paid) != want {
		t.Errorf("%d keys were paid for, want %d", len(paid), want)
	}
}

// storeChildTorture opens, puts, folds and closes until it is killed. What was
// acknowledged it writes down, in one write a record.
func storeChildTorture(t *testing.T, dir string, id int) {
	acks, err := os.OpenFile(filepath.Join(dir, fmt.Sprintf("acks-%d", id)), os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	fmt.Println("ready")
	for version := 1; ; version++ {
		s, err := OpenStore(filepath.Join(dir, "store"))
		if err != nil {
			t.Fatal(err)
		}
		for n := range 25 {
			i := 1000*id + n
			if n >= 5 { // the first five are put again and again
				i += 25 * (version % 30)
			}
			if err := s.Put(storeKey(i), storeValue(i, version, 1+rand.IntN(3000))); err != nil {
				t.Fatal(err)
			}
			fmt.Fprintf(acks, "%d %d\n", i, version)
		}
		if version%2 == 0 {
			if err := s.Fold(); err != nil {
				t.Fatal(err)
			}
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// storeAcks reads what child id was acknowledged: the highest version by key.
func storeAcks(t *testing.T, dir string, id int, acks map[int]int) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, fmt.Sprintf("acks-%d", id)))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		var i, version int
		if _, err := fmt.Sscan(line, &i, &version); err == nil {
			acks[i] = max(acks[i], version)
		}
	}
}

// storeCheckAcks fails when an acknowledged record is not there. A later
// version may be: killed between the record and the note.
func storeCheckAcks(t *testing.T, dir string, acks map[int]int) {
	t.Helper()
	s := storeOpen(t, filepath.Join(dir, "store"))
	lost := 0
	for i, version := range acks {
		got, ok, err := s.Get(storeKey(i))
		var key, has int
		if ok {
			fmt.Sscanf(string(got), `{"key":%d,"version":%d,`, &key, &has)
		}
		if err != nil || !ok || key != i || has < version || has > version+1 {
			lost++
			t.Errorf("key %d: acknowledged version %d, got %t %d %d, %v", i, version, ok, key, has, err)
		} else if !bytes.Equal(got, storeValue(i, has, len(got))[:len(got)]) {
			t.Errorf("key %d: wrong bytes", i)
		}
		if lost > 5 {
			break
		}
	}
	for _, w := range s.Warnings() {
		if !strings.Contains(w, "ends inside a record") { // what a kill may leave
			t.Errorf("unexpected warning %q", w)
		}
	}
	storeClose(t, s)
}

// Kill -9 at random moments, while opening, writing and folding, loses nothing
// that was acknowledged.
func TestStoreSurvivesKills(t *testing.T) {
	rounds := 50
	if testing.Short() {
		rounds = 8
	}
	dir := t.TempDir()
	all := map[int]int{}
	inFold := 0
	const procs = 2
	start := time.Now()
	for round := range rounds {
		if round >= 8 && time.Since(start) > time.Minute {
			t.Logf("the machine is busy: %d rounds of %d", round, rounds)
			break
		}
		var children []*exec.Cmd
		for p := range procs {
			cmd := storeChild(t, "torture", dir, procs*round+p)
			storeStart(t, cmd)
			children = append(children, cmd)
		}
		for _, cmd := range children {
			time.Sleep(rand.N(200 * time.Millisecond))
			cmd.Process.Kill()
		}
		acks := map[int]int{}
		for p, cmd := range children {
			cmd.Wait()
			storeAcks(t, dir, procs*round+p, acks)
		}
		if _, err := os.Stat(filepath.Join(dir, "store", baseDir, tmpBase)); err == nil {
			inFold++ // until the next fold clears it away
		}
		storeCheckAcks(t, dir, acks)
		for i, version := range acks {
			all[i] = version
		}
		if t.Failed() {
			t.Fatalf("in round %d", round)
		}
	}
	storeCheckAcks(t, dir, all)
	storeFoldQuiet(t, dir)
	storeCheckAcks(t, dir, all)
	_, top, _ := numbered(filepath.Join(dir, "store", baseDir))
	t.Logf("%d acknowledged records, %d folds, %d rounds left an unfinished one", len(all), top, inFold)
}

// storeFoldQuiet folds whatever the killed have left.
func storeFoldQuiet(t *testing.T, dir string) {
	t.Helper()
	if hasBase {
		storeFold(t, filepath.Join(dir, "store"))
	}
}

func storeChildHold(t *testing.T, dir string, id int) {
	s := storeOpen(t, dir)
	if _, err := s.Lock(t.Context(), storeKey(id)); err != nil {
		t.Fatal(err)
	}
	fmt.Println("ready")
	time.Sleep(time.Minute)
}

// A process that hangs with a lock holds nobody up for longer than LockWait,
// and one that is killed holds nobody up at all.
func TestStoreLockOfHungProcess(t *testing.T) {
	dir := t.TempDir()
	cmd := storeChild(t, "hold", dir, 7)
	storeStart(t, cmd)
	if err := cmd.Process.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	s := storeOpen(t, dir)
	s.LockWait = 200 * time.Millisecond
	start := time.Now()
	_, err := s.Lock(t.Context(), storeKey(7))
	if took := time.Since(start); !errors.Is(err, ErrLockWait) || took < s.LockWait || took > time.Minute {
		t.Fatalf("Lock = %v after %v", err, took)
	}
	if want := fmt.Sprintf(", which process %d holds", cmd.Process.Pid); !strings.Contains(err.Error(), filepath.Join(dir, lockDir)) || !strings.Contains(err.Error(), want) {
		t.Errorf("%q does not say %q", err, want)
	}
	storeWarned(t, s, "lock not free in time", "paid for twice")

	// The caller goes on without the lock.
	storePut(t, s, storeKey(7), []byte("paid twice"))
	storeWant(t, s, storeKey(7), []byte("paid twice"))

	// A context that ends earlier ends the wait.
	s.LockWait = defaultLockWait
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if _, err := s.Lock(ctx, storeKey(7)); !errors.Is(err, context.DeadlineExceeded) || errors.Is(err, ErrLockWait) {
		t.Errorf("Lock = %v, want the context's error", err)
	}

	patient := storeOpen(t, dir)
	got := make(chan error)
	go func() {
		unlock, err := patient.Lock(t.Context(), storeKey(7))
		if err == nil {
			unlock()
		}
		got <- err
	}()
	time.Sleep(20 * time.Millisecond)
	start = time.Now()
	cmd.Process.Kill()
	if err := <-got; err != nil {
		t.Error(err)
	}
	if took := time.Since(start); took > defaultLockWait/2 {
		t.Errorf("the lock of a killed process took %v to be free", took)
	}
	cmd.Wait()
}

// A goroutine of the same process is waited for in the same way.
func TestStoreLockOfHungGoroutine(t *testing.T) {
	s := storeOpen(t, t.TempDir())
	s.LockWait = 50 * time.Millisecond
	unlock, err := s.Lock(t.Context(), storeKey(1))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Lock(t.Context(), storeKey(1)); !errors.Is(err, ErrLockWait) || !strings.Contains(err.Error(), fmt.Sprintf("process %d ", os.Getpid())) {
		t.Errorf("Lock = %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.Lock(ctx, storeKey(2)); !errors.Is(err, context.Canceled) {
		t.Errorf("Lock = %v, want the context's error", err)
	}
	unlock()
	if unlock, err = s.Lock(t.Context(), storeKey(1)); err != nil {
		t.Fatal(err)
	}
	unlock()
}

// storeNobody is a user without rights.
const storeNobody = 65534

func storeChildUnprivileged(t *testing.T, dir string) {
	if os.Geteuid() == 0 {
		if err := errors.Join(syscall.Setgid(storeNobody), syscall.Setuid(storeNobody)); err != nil {
			t.Fatal(err)
		}
	}
	for _, sub := range []string{"new", "empty"} {
		_, err := OpenStore(filepath.Join(dir, sub))
		var se *StoreError
		if !errors.As(err, &se) || !errors.Is(err, os.ErrPermission) || !strings.HasPrefix(se.Path, filepath.Join(dir, sub)) || !strings.Contains(err.Error(), "set "+cacheHome()) {
			t.Errorf("%s: OpenStore = %v", sub, err)
		}
	}
	s := storeOpen(t, filepath.Join(dir, "old"))
	storeWant(t, s, storeKey(1), storeValue(1, 1, 200))   // from the base
	storeWant(t, s, storeKey(50), storeValue(50, 1, 200)) // from a segment
	storeWantNone(t, s, storeKey(99))
	var se *StoreError
	if err := s.Put(storeKey(99), nil); !errors.As(err, &se) || !errors.Is(err, os.ErrPermission) {
		t.Errorf("Put = %v", err)
	}
	if _, err := s.Lock(t.Context(), storeKey(99)); !errors.As(err, &se) || !errors.Is(err, os.ErrPermission) {
		t.Errorf("Lock = %v", err)
	}
	storeQuiet(t, s)
	storeClose(t, s)

	// With a damaged base, too.
	s = storeOpen(t, filepath.Join(dir, "damaged"))
	storeWant(t, s, storeKey(50), storeValue(50, 1, 200))
	storeWantNone(t, s, storeKey(1))
	storeWarned(t, s, "damaged", "could not be set aside", "up to 20 of its 20 records")
	storeClose(t, s)
}

// A store that cannot be written to says so; one that can be read is read.
func TestReadonlyStore(t *testing.T) {
	storeNeedsBase(t)
	dir := t.TempDir()
	for _, d := range []string{filepath.Dir(dir), dir} { // the child is another user
		if err := os.Chmod(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, sub := range []string{"old", "damaged"} {
		storeFill(t, filepath.Join(dir, sub), 0, 20, true)
		storeFill(t, filepath.Join(dir, sub), 50, 60, false)
	}
	if err := os.RemoveAll(filepath.Join(dir, "damaged", foldedDir, "1")); err != nil {
		t.Fatal(err)
	}
	storeDamage(t, filepath.Join(dir, "damaged", baseDir, "1"), "half MANIFEST")
	if err := os.Mkdir(filepath.Join(dir, "empty"), 0o555); err != nil {
		t.Fatal(err)
	}
	if os.Geteuid() == 0 {
		storeWalk(t, dir, func(path string, d os.DirEntry) error { return os.Chown(path, storeNobody, storeNobody) })
	}
	defer storeWalk(t, dir, func(path string, d os.DirEntry) error { return os.Chmod(path, 0o755) })
	storeWalk(t, dir, func(path string, d os.DirEntry) error {
		if d.IsDir() {
			return os.Chmod(path, 0o555)
		}
		return os.Chmod(path, 0o444)
	})
	if out, err := storeChild(t, "unprivileged", dir, 0).Output(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}

func storeWalk(t *testing.T, dir string, do func(path string, d os.DirEntry) error) {
	t.Helper()
	if err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return do(path, d)
	}); err != nil {
		t.Fatal(err)
	}
}
