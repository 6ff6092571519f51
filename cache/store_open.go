package cache

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
)

// StoreError reports a file or folder that the store needs and cannot use.
type StoreError struct {
	Op   string // what was tried
	Path string
	Err  error
	Do   string // what to do about it
}

// Error says what failed, where, why, and what to do.
func (e *StoreError) Error() string {
	return fmt.Sprintf("cache: cannot %s %s: %v: %s", e.Op, e.Path, e.Err, e.Do)
}

// Unwrap returns the cause.
func (e *StoreError) Unwrap() error { return e.Err }

// storeError wraps what the file system said with what to do about it.
func storeError(op, path string, err error) error {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		err = pe.Err
	}
	do := "look at that path, or set " + cacheHome() + " to another folder"
	switch {
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		do = "set " + cacheHome() + " to a folder you may write to"
	case errors.Is(err, syscall.ENOSPC):
		do = "free space on that disk, or set " + cacheHome() + " to a folder on another; what is not stored will be asked again"
	}
	return &StoreError{Op: op, Path: path, Err: err, Do: do}
}

// cacheHome names the variable that moves the user's cache folder.
func cacheHome() string {
	switch runtime.GOOS {
	case "windows":
		return "LocalAppData"
	case "darwin", "ios":
		return "HOME"
	}
	return "XDG_CACHE_HOME"
}

// openRoll makes the folders and opens STORE.
func openRoll(dir string) (*os.File, error) {
	path := filepath.Join(dir, storeFile)
	made := makeStore(dir, path)
	roll, err := os.Open(path)
	if err != nil {
		if made != nil {
			return nil, made
		}
		return nil, storeError("open", path, err)
	}
	got := make([]byte, len(storeFormat))
	n, _ := roll.ReadAt(got, 0)
	if !bytes.Equal(got[:n], []byte(storeFormat)) {
		roll.Close()
		if n < len(got) && made != nil {
			return nil, made
		}
		return nil, &StoreError{
			Op: "use", Path: path,
			Err: fmt.Errorf("it begins with %q, not with %q", got[:n], storeFormat),
			Do:  "another release wrote it; set " + cacheHome() + " to another folder, or remove " + dir,
		}
	}
	return roll, nil
}

// makeStore creates what is missing.
func makeStore(dir, path string) error {
	for _, d := range []string{dir, filepath.Join(dir, segmentDir), filepath.Join(dir, foldedDir), filepath.Join(dir, baseDir), filepath.Join(dir, lockDir)} {
		if err := os.MkdirAll(d, 0o700); err != nil {
			return storeError("create", d, err)
		}
	}
	if info, err := os.Stat(path); err == nil && info.Size() > 0 {
		return nil
	}
	// Two that come here at once write the line twice. That does no harm: only
	// the first line and the size count, and the size only when it changes.
	return appendTo(path, storeFormat)
}

// appendTo appends s to the file at path.
func appendTo(path, s string) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return storeError("open", path, err)
	}
	_, err = f.WriteString(s)
	if err := errors.Join(err, f.Close()); err != nil {
		return storeError("write to", path, err)
	}
	return nil
}
