package cache

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// hasBase is false: Badger has no read-only mode on Windows, and opened for
// writing it belongs to one process. The store works from its segments alone.
const hasBase = false

// Locks on Windows bind reads and writes of the bytes they cover. The byte
// locked here lies far behind the end of any file, so that others can read a
// segment while its writer holds its lock.
const lockHigh = 1 << 20

// tryLock takes a lock on f, shared or exclusive, without waiting. The system
// frees it when f is closed or the process ends.
func tryLock(f *os.File, exclusive bool) (ok bool, err error) {
	flags := uint32(windows.LOCKFILE_FAIL_IMMEDIATELY)
	if exclusive {
		flags |= windows.LOCKFILE_EXCLUSIVE_LOCK
	}
	err = windows.LockFileEx(windows.Handle(f.Fd()), flags, 0, 1, 0, &windows.Overlapped{OffsetHigh: lockHigh})
	switch {
	case err == nil:
		return true, nil
	case errors.Is(err, windows.ERROR_LOCK_VIOLATION), errors.Is(err, windows.ERROR_IO_PENDING):
		return false, nil
	}
	return false, os.NewSyscallError("LockFileEx", err)
}

// unlock gives the lock on f back.
func unlock(f *os.File) error {
	err := windows.UnlockFileEx(windows.Handle(f.Fd()), 0, 1, 0, &windows.Overlapped{OffsetHigh: lockHigh})
	return os.NewSyscallError("UnlockFileEx", err)
}
