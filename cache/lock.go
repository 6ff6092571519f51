package cache

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"time"
)

// ErrLockWait reports that a lock was not to be had within [Store.LockWait].
// Its holder may hang. Whoever gets it goes on without the lock: at worst one
// request is paid for twice.
var ErrLockWait = errors.New("cache: lock not free in time")

// lockShards is the number of lock files. Files are never removed, since a
// lock on a removed file excludes nobody; so their number must be fixed.
const lockShards = 1024

const (
	lockPollMin = time.Millisecond
	lockPollMax = 50 * time.Millisecond
)

// Lock makes the caller the only one, in this process and all others, to work
// on k, until it calls unlock or its process ends. The caller then looks with
// [Store.Get] again before it pays, since another may have paid while it
// waited.
//
// Different keys can share a lock. Whoever holds one must not ask for another.
//
// Lock ends with ctx's error when ctx ends, and with [ErrLockWait] after
// [Store.LockWait].
func (s *Store) Lock(ctx context.Context, k Key) (unlock func(), err error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	shard := int(binary.BigEndian.Uint16(k[:])) % lockShards
	path := filepath.Join(s.dir, lockDir, fmt.Sprintf("%03x", shard))
	late := time.NewTimer(s.LockWait)
	defer late.Stop()

	// Goroutines of one process queue up here; only the first polls the file.
	queue := s.lockQueue(shard)
	select {
	case queue <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-late.C:
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		return nil, s.lockLate(path, os.Getpid())
	}
	f, err := s.lockFile(ctx, path, late.C)
	if err != nil {
		<-queue
		return nil, err
	}
	var once sync.Once
	return func() {
		once.Do(func() {
			f.Close()
			<-queue
		})
	}, nil
}

// lockQueue returns the place where goroutines wait for a shard.
func (s *Store) lockQueue(shard int) chan struct{} {
	s.queueMu.Lock()
	defer s.queueMu.Unlock()
	if s.queues[shard] == nil {
		s.queues[shard] = make(chan struct{}, 1)
	}
	return s.queues[shard]
}

// lockFile opens the file and waits for its lock.
func (s *Store) lockFile(ctx context.Context, path string, late <-chan time.Time) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, storeError("open lock", path, err)
	}
	switch err := pollLock(ctx, f, late); {
	case err == nil:
		// For the message of whoever waits in vain.
		_, _ = f.WriteAt(fmt.Appendf(nil, "%-11d\n", os.Getpid()), 0)
		return f, nil
	case ctx.Err() != nil:
		f.Close()
		return nil, ctx.Err()
	case errors.Is(err, ErrLockWait):
		holder := lockHolder(f)
		f.Close()
		return nil, s.lockLate(path, holder)
	default:
		f.Close()
		return nil, storeError("lock", path, err)
	}
}

// pollLock takes the lock of f, or ends with ctx's error, or with ErrLockWait
// when it is late. A blocking lock could not be given up, and on a network disk
// may block for ever.
func pollLock(ctx context.Context, f *os.File, late <-chan time.Time) error {
	for pause := lockPollMin; ; pause = min(2*pause, lockPollMax) {
		if ok, err := tryLock(f, true); ok || err != nil {
			return err
		}
		wait := time.NewTimer(pause/2 + rand.N(pause))
		select {
		case <-wait.C:
			continue
		case <-ctx.Done():
			wait.Stop()
			return ctx.Err()
		case <-late:
			wait.Stop()
			return ErrLockWait
		}
	}
}

// lockHolder returns the process that last took the lock, or 0.
func lockHolder(f *os.File) (pid int) {
	b, _ := io.ReadAll(io.NewSectionReader(f, 0, 12))
	fmt.Sscan(string(bytes.TrimSpace(b)), &pid)
	return pid
}

// lockLate is the error of a lock waited out, and leaves a warning.
func (s *Store) lockLate(path string, pid int) error {
	holder := "an unknown process"
	if pid != 0 {
		holder = fmt.Sprintf("process %d", pid)
	}
	err := fmt.Errorf("%w: waited %v for %s, which %s holds: the request may be paid for twice; if that process hangs, end it", ErrLockWait, s.LockWait, path, holder)
	s.warn(err.Error())
	return err
}
