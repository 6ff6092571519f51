package cache

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// Close folds when the segments of processes that are gone hold this much.
// Below it, reading them costs a starting process a few milliseconds, less than
// opening a base; above it, a fold costs less than the judge calls of one test.
const (
	foldRecords = 5000
	foldBytes   = 32 << 20
	foldFiles   = 64
)

// foldSpare is the space that must be left on the disk after a fold. Badger
// writes through memory maps, and a full disk then kills the process (SIGBUS);
// so a fold is not begun when space could run out.
const foldSpare = 64 << 20

// Fold moves the records of processes that are gone into a new base, whether
// or not it is worthwhile yet. It does nothing when another process is folding.
//
// A fold works on a copy. What others see changes in one rename, of base/tmp
// to base/<n+1>; killed before it, the fold has not happened, killed after it,
// segments that were not moved yet are read and folded once more, which changes
// nothing. A copy costs the disk one base more than changing it in place, and
// buys that there is no repairing, that readers go on reading, and that the
// base before is at hand when this one is damaged. The copy is a real one: a
// hard link would share its bytes, and Badger truncates a table before it
// removes it.
func (s *Store) Fold() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return fmt.Errorf("cache: store %s: %w", s.dir, os.ErrClosed)
	}
	return s.fold()
}

// worthFolding reports whether Close should fold.
func (s *Store) worthFolding() bool {
	var files, records int
	var bytes int64
	for _, g := range s.segs {
		if g.folded {
			return true // a damaged base waits to be built again
		}
		if g.dead && !g.gone {
			files++
			records += g.n
			bytes += g.end
		}
	}
	return files >= foldFiles || records >= foldRecords || bytes >= foldBytes
}

func (s *Store) fold() error {
	if !hasBase {
		return nil
	}
	lock, err := s.lockFold()
	if err != nil || lock == nil {
		return err
	}
	defer lock.Close()
	s.folding = true
	defer func() { s.folding = false }()

	if err := s.list(); err != nil {
		return err
	}
	if s.base == nil || s.base.n != s.baseTop {
		s.closeBase()
		s.baseSought = false
	}
	from := 0
	if b := s.openBase(); b != nil {
		from = b.n
	}
	if left, _, err := numbered(filepath.Join(s.dir, baseDir)); err != nil {
		return err
	} else if len(left) > 0 && left[0] != from {
		return fmt.Errorf("cache: not folding: base %s cannot be opened (see the warnings)", s.baseDir(left[0]))
	}
	dead := s.deadSegments()
	if len(dead) == 0 {
		return nil
	}
	if err := s.roomToFold(dead); err != nil {
		return err
	}
	next, err := s.nextFold()
	if err != nil {
		return err
	}
	tmp := s.tmpBase()
	err = s.writeBase(tmp, dead)
	if err == nil {
		err = os.Rename(tmp, s.baseDir(next))
	}
	if err != nil {
		return errors.Join(fmt.Errorf("cache: fold into %s: %w", s.baseDir(next), err), os.RemoveAll(tmp))
	}
	if err := syncPath(filepath.Join(s.dir, baseDir)); err != nil {
		return storeError("sync", filepath.Join(s.dir, baseDir), err)
	}
	s.rolled = -1 // list again: there is a new base
	if err := s.keepSegments(dead, next); err != nil {
		return err
	}
	return s.sweep(from)
}

// lockFold takes the lock of those who fold or set aside; nil means that
// another process has it.
func (s *Store) lockFold() (*os.File, error) {
	path := filepath.Join(s.dir, lockDir, "fold")
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, storeError("open lock", path, err)
	}
	ok, err := tryLock(f, true)
	if err != nil {
		err = storeError("lock", path, err)
	}
	if err != nil || !ok {
		f.Close()
		return nil, err
	}
	return f, nil
}

// deadSegments returns the segments to fold, in the order of their names: those
// whose writers are gone, and those kept from folds whose base was lost.
func (s *Store) deadSegments() []*segment {
	var dead []*segment
	for _, g := range s.segs {
		if g.folded || g.dead && !g.gone {
			dead = append(dead, g)
		}
	}
	slices.SortFunc(dead, func(a, b *segment) int { return strings.Compare(a.name, b.name) })
	return dead
}

// roomToFold fails when the disk might run full. Badger may write every table
// anew, and the new records twice: to its log and to a table.
func (s *Store) roomToFold(dead []*segment) error {
	var need int64
	if s.base != nil {
		need = 2 * s.base.list.bytes()
	}
	for _, g := range dead {
		need += 2 * g.end
	}
	need += foldSpare
	free, err := freeSpace(s.dir)
	if err != nil || free >= need {
		return nil // where it cannot be known, fold
	}
	return fmt.Errorf("cache: not folding %s: it may take %d MB and the disk has %d: free space, or set %s to a folder on another disk; nothing is lost", s.dir, need>>20, free>>20, cacheHome())
}

// nextFold returns a number that no base and no kept segment has had.
func (s *Store) nextFold() (int, error) {
	_, top, err := numbered(filepath.Join(s.dir, baseDir))
	if err != nil {
		return 0, err
	}
	_, top2, err := numbered(filepath.Join(s.dir, foldedDir))
	return max(top, top2) + 1, err
}

// keepSegments moves segments out of the readers' way, to be kept until the
// next fold.
func (s *Store) keepSegments(dead []*segment, n int) error {
	dir := filepath.Join(s.dir, foldedDir, strconv.Itoa(n))
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return storeError("create", dir, err)
	}
	for _, g := range dead {
		if g.folded {
			continue
		}
		to := filepath.Join(dir, g.name)
		if err := os.Rename(g.path, to); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return storeError("move", g.path, err)
		}
		g.path = to
	}
	return nil
}

// sweep removes what is older than base n, from which the newest was made, and
// the segments that are in base n.
func (s *Store) sweep(n int) error {
	dir := filepath.Join(s.dir, baseDir)
	bases, _, err := numbered(dir)
	if err != nil {
		return err
	}
	for _, m := range bases {
		if m < n {
			// Somebody may be about to open it: then it stays until the next fold.
			_, _ = s.moveBase(m, oldTag)
		}
	}
	if err := removeTagged(dir, oldTag); err != nil {
		return err
	}
	kept, _, err := numbered(filepath.Join(s.dir, foldedDir))
	if err != nil {
		return err
	}
	for _, m := range kept {
		if m <= n {
			if err := os.RemoveAll(filepath.Join(s.dir, foldedDir, strconv.Itoa(m))); err != nil {
				return storeError("remove", filepath.Join(s.dir, foldedDir, strconv.Itoa(m)), err)
			}
		}
	}
	return nil
}

// moveBase renames base m to tag<m>, unless somebody is opening it.
func (s *Store) moveBase(m int, tag string) (to string, err error) {
	var damaged *errBaseDamaged
	list, err := lockList(s.baseDir(m), true)
	if err == nil {
		defer list.Close()
	} else if !errors.As(err, &damaged) { // without LIST nobody opens it
		return "", err
	}
	to = filepath.Join(s.dir, baseDir, tag+strconv.Itoa(m))
	return to, os.Rename(s.baseDir(m), to)
}

// removeTagged removes the folders whose names begin with tag.
func removeTagged(dir, tag string) error {
	names, err := dirNames(dir)
	if err != nil {
		return err
	}
	for _, name := range names {
		if strings.HasPrefix(name, tag) {
			if err := os.RemoveAll(filepath.Join(dir, name)); err != nil {
				return storeError("remove", filepath.Join(dir, name), err)
			}
		}
	}
	return nil
}
