package cache

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// recordingLockWait bounds the wait for a recording's lock. It is held for as
// long as a file is written, so whoever holds it longer hangs.
const recordingLockWait = 10 * time.Second

// lockRecording keeps the other processes of the test package off the file of
// rec, until the returned function is called. The lock is a file of its own,
// outside the repository: the recording itself is replaced when it is sorted,
// and a lock on a replaced file excludes nobody.
func (l *live) lockRecording(ctx context.Context, rec *recording) (func(), error) {
	rec.writing.Lock()
	dir := filepath.Join(os.TempDir(), fmt.Sprintf("ragtest-locks-%d", os.Getuid()))
	if l.open() != nil {
		dir = filepath.Join(l.home, "recordings")
	}
	path := filepath.Join(dir, digest([]byte(rec.path))[:32])
	f, err := lockPath(ctx, path, recordingLockWait)
	if err != nil {
		if ctx.Err() != nil {
			rec.writing.Unlock()
			return nil, endOf(ctx)
		}
		l.cache.warn("the lock of %s is not to be had, it is written without: %v", rec.path, err)
	}
	return func() {
		if f != nil {
			f.Close()
		}
		rec.writing.Unlock()
	}, nil
}

func lockPath(ctx context.Context, path string, wait time.Duration) (*os.File, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	late := time.NewTimer(wait)
	defer late.Stop()
	if err := pollLock(ctx, f, late.C); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}
